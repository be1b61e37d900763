"""The holdout beside every figure, and sweeps over plans."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.encoding import encode
from hmpb_core.errors import CancelledError, SourceError
from hmpb_core.metrics.holdout import classify_with_holdout, compare_with_holdout, dependence
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


def test_rows_of_the_same_people_score_like_the_holdout():
    rng = np.random.default_rng(1)
    found = compare_with_holdout(people(4000, rng), people(4000, rng), BOOK, rng=rng)
    assert found.n_rows == 2000
    assert found.synthetic.pairs.mean == pytest.approx(found.holdout.pairs.mean, abs=0.02)
    assert found.synthetic.pairs.mean < 0.05


def test_a_lost_link_is_the_worst_pair_and_shows_as_less_dependence():
    rng = np.random.default_rng(2)
    found = compare_with_holdout(people(4000, rng), people(4000, rng, linked=False), BOOK, rng=rng)
    first, second, ours, holdout = found.worst_pairs(1)[0]
    assert (first, second) == ("a", "b")
    assert ours == pytest.approx(0.4, abs=0.05)
    assert holdout < 0.05
    real, synthetic, held = found.dependence[:, 0, 1]
    assert real == pytest.approx(0.4, abs=0.03)  # |0.45 - 0.25| in each of four cells, halved
    assert held == pytest.approx(0.4, abs=0.03)
    assert synthetic < 0.05


def test_dependence_by_hand():
    codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    assert dependence(codes, Domain.of_sizes([2, 2])).tolist() == [[0.0, 0.5], [0.5, 0.0]]


def test_learning_from_synthetic_rows_lies_between_real_rows_and_guessing():
    rng = np.random.default_rng(3)
    learned, real, guess = classify_with_holdout(people(2000, rng), people(2000, rng), BOOK, "b", rng=rng)
    assert learned == pytest.approx(0.1, abs=0.03)
    assert real == pytest.approx(0.1, abs=0.03)
    assert guess == pytest.approx(0.5, abs=0.05)
    lost, *_ = classify_with_holdout(people(2000, rng), people(2000, rng, linked=False), BOOK, "b", rng=rng)
    assert lost > 0.3


def test_a_table_too_small_to_be_split_is_refused():
    rng = np.random.default_rng(4)
    with pytest.raises(SourceError, match="too few rows"):
        compare_with_holdout(people(30, rng), people(30, rng), BOOK, rng=rng)


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
