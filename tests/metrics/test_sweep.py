"""The holdout beside every figure, and sweeps over plans."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.errors import CancelledError
from hmpb_core.metrics.sweep import sweep
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.synthesis import make_plan

BOOK = Codebook.from_dict(
    {
        "fields": [
            {"name": "a", "categories": ["no", "yes"]},
            {"name": "b", "categories": ["no", "yes"]},
            {"name": "c", "categories": ["x", "y", "z"]},
        ]
    }
)
PURE = Guarantee(epsilon=2.0, delta=0.0, currency=Currency.PURE)


def people(n_rows, rng, *, linked=True):
    """a decides b in nine rows of ten; c is on its own."""
    a = rng.random(n_rows) < 0.5
    b = np.where(rng.random(n_rows) < 0.9, a, ~a) if linked else rng.random(n_rows) < 0.5
    words = np.array(["no", "yes"])
    return pd.DataFrame(
        {
            "a": words[a.astype(int)],
            "b": words[b.astype(int)],
            "c": np.array(["x", "y", "z"])[rng.integers(3, size=n_rows)],
        }
    )


def test_a_sweep_runs_every_plan_as_often_as_asked_and_tells_where_it_is():
    rng = np.random.default_rng(5)
    codes = encode(people(300, rng), BOOK)
    plans = [
        (name, make_plan(PURE, BOOK.domain, n_rows=300, method=method))
        for name, method in (("one", "independent"), ("two", "privbayes"))
    ]
    told = []
    outcomes = sweep(codes, BOOK.domain, plans, repeats=2, progress=lambda part, _: told.append(part))
    assert [outcome.label for outcome in outcomes] == ["one", "two"]
    assert all(len(outcome.pairs) == len(outcome.triples) == 2 for outcome in outcomes)
    assert all(outcome.total == pytest.approx(2.0) for outcome in outcomes)
    assert told == sorted(told)
    assert 0 < max(told) < 1


def test_a_sweep_stops_when_told_to():
    codes = encode(people(100, np.random.default_rng(6)), BOOK)
    plan = make_plan(PURE, BOOK.domain, n_rows=100, method="independent")

    def stop(part, what):
        raise CancelledError

    with pytest.raises(CancelledError):
        sweep(codes, BOOK.domain, [("one", plan)], repeats=1, progress=stop)
