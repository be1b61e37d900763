"""The holdout beside every figure, and sweeps over plans."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.errors import CancelledError, PlanError
from hmpb_core.metrics.runs import NO_MEMORY, Failed
from hmpb_core.metrics.sweep import sweep, time_of
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan

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


def swept(frame, plans, **options):
    return sweep(encode(frame, BOOK), open_source(frame, BOOK), BOOK, plans, **options)


def test_a_sweep_runs_every_plan_as_often_as_asked_and_tells_where_it_is():
    rng = np.random.default_rng(5)
    frame = people(300, rng)
    plans = [
        (name, make_plan(PURE, BOOK.domain, n_rows=300, method=method))
        for name, method in (("one", "independent"), ("two", "privbayes"))
    ]
    told = []
    outcomes = list(swept(frame, plans, repeats=2, progress=lambda part, _: told.append(part)))
    assert [outcome.label for outcome in outcomes] == ["one", "two"]
    assert all(len(outcome.pairs) == len(outcome.triples) == 2 for outcome in outcomes)
    assert all(outcome.total == pytest.approx(2.0) for outcome in outcomes)
    assert told == sorted(told)
    assert 0 < max(told) < 1


def test_a_sweep_stops_when_told_to():
    frame = people(100, np.random.default_rng(6))
    plan = make_plan(PURE, BOOK.domain, n_rows=100, method="independent")

    def stop(part, what):
        raise CancelledError

    with pytest.raises(CancelledError):
        list(swept(frame, [("one", plan)], repeats=1, progress=stop))


@pytest.mark.parametrize("error", [PlanError("Too many columns."), MemoryError()])
def test_a_plan_that_cannot_be_run_loses_nothing_of_the_others(monkeypatch, error):
    frame = people(100, np.random.default_rng(8))
    first, second = (
        make_plan(PURE, BOOK.domain, n_rows=100, method=method) for method in ("privbayes", "independent")
    )

    def fit(source, plan, **options):
        if plan is first:
            raise error
        return fit_source(source, plan, **options)

    monkeypatch.setattr("hmpb_core.metrics.sweep.fit_source", fit)
    plans = [("one", first), ("two", second)]
    failed, found = swept(frame, plans, repeats=1)
    assert isinstance(failed, Failed)
    assert failed.label == "one"
    assert str(failed.reason) in ("Too many columns.", str(NO_MEMORY))
    assert found.label == "two"


def test_a_method_that_takes_longer_is_a_larger_part_of_the_time():
    frame = people(100, np.random.default_rng(9))
    plans = [
        (method, make_plan(PURE, BOOK.domain, n_rows=100, method=method))
        for method in ("independent", "hmprivbayes")
    ]
    told = []
    next(swept(frame, plans, repeats=1, progress=lambda part, _: told.append(part)))
    whole = sum(time_of(plan) for _, plan in plans)
    assert max(told) < time_of(plans[0][1]) / whole < 0.2


def test_a_sweep_learns_bins_and_keeps_rules_as_a_release_would(monkeypatch):
    number = {"type": "integer", "constraints": {"minimum": 0, "maximum": 1000, "required": True}}
    book = Codebook.from_dict(
        {
            "fields": [{"name": "x", **number}, {"name": "y", **number}],
            "rules": [{"kind": "ascending", "columns": ["x", "y"]}],
        }
    )
    x = np.random.default_rng(7).integers(0, 40, 400)
    frame = pd.DataFrame({"x": x, "y": x + 1})
    compared = []
    monkeypatch.setattr(
        "hmpb_core.metrics.runs.encode", lambda rows, given: compared.append(rows) or encode(rows, given)
    )
    plan = make_plan(PURE, book.domain, n_rows=400, method="independent")
    list(sweep(encode(frame, book), open_source(frame, book), book, [("one", plan)], repeats=1))
    (rows,) = compared
    assert (rows["x"] <= rows["y"]).all()
    assert rows["x"].median() == pytest.approx(20, abs=6)
    assert rows["x"].max() < 500, "in bins of equal width hardly a value is told from the next thirty"
