"""The replay audit over what a codebook can declare: learned values, dates, times since another, rules."""

import json

import numpy as np
import pandas as pd
import pytest

from hmpb_core import pipeline
from hmpb_core.codebook import Codebook
from hmpb_core.planning import account as account_room
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import make_plan
from tests.privacy.test_replay import ROUNDING, Recorder, exact_loss
from tests.thorough import sample

DAYS = {"type": "date", "constraints": {"minimum": "2015-01-01", "maximum": "2020-12-31"}, "bins": "learned"}
AMOUNT = {"type": "integer", "constraints": {"minimum": 0, "maximum": 5000}, "bins": "learned"}
BOOK = Codebook.from_dict(
    {
        "fields": [
            {"name": "total", **AMOUNT, "missingValues": ["", "NA"]},
            {"name": "part", **AMOUNT},
            {"name": "rest", **AMOUNT},
            {"name": "in", **DAYS},
            {"name": "out", **DAYS, "unknown": ""},
            {"name": "days", **AMOUNT, "unknown": ""},
            {"name": "weeks", **AMOUNT},
            {"name": "year", "type": "integer", "constraints": {"minimum": 2015, "maximum": 2020}, "bins": 6},
            {"name": "town", "categories": ["a", "b", "c", "d", "(other)"], "unknown": "(other)"},
            {"name": "side", "categories": ["N", "S"]},
            {"name": "works", "type": "boolean"},
            {"name": "hours", "type": "integer", "constraints": {"minimum": 0, "maximum": 80}, "unknown": ""},
            *(
                {
                    "name": f"ticks/{answer}",
                    "type": "boolean",
                    "answerTo": {"column": "ticks", "answer": answer, "between": "; "},
                }
                for answer in "abc"
            ),
        ],
        "rules": [
            {"kind": "sum", "column": "total", "parts": ["part", "rest"]},
            {"kind": "ascending", "columns": ["in", "out"]},
            {"kind": "timeBetween", "column": "days", "from": "in", "to": "out", "unit": "days"},
            {"kind": "timeBetween", "column": "weeks", "from": "in", "to": "out", "unit": "weeks"},
            {"kind": "partOf", "column": "year", "of": "in", "part": "year"},
            {
                "kind": "follows",
                "column": "side",
                "from": "town",
                "values": {"a": "N", "b": "N", "c": "S", "d": "S", "(other)": "S"},
            },
            {"kind": "askedIf", "column": "hours", "if": {"works": "true"}},
        ],
    }
)
ODD = {
    "total": ["5000", "NA", "999999"],
    "part": ["5000", "0"],
    "rest": ["0", "-5"],
    "in": ["2015-01-01", "2020-12-31"],
    "out": ["", "2015-01-01", "never", "0001-01-01"],
    "days": ["", "0", "5000", "-1"],
    "weeks": ["0", "99"],
    "year": ["2015", "2020"],
    "town": ["z", "a", ""],
    "side": ["N", "S"],
    "works": ["true", "false"],
    "hours": ["", "80", "x"],
    "ticks": ["", "a; b; c", "d", "c"],
}
"""What one person may have in place of what keeps the rules."""


def people(rng, n_rows):
    part, rest = rng.integers(0, 30, n_rows) * 100, rng.choice([0, 50, 1999], n_rows)
    came = pd.to_datetime("2015-01-01") + pd.to_timedelta(rng.integers(0, 2000, n_rows), "D")
    left = came + pd.to_timedelta(rng.geometric(0.2, n_rows) - 1, "D")
    town, works = rng.choice(list("abcdz"), n_rows), rng.choice(["true", "false"], n_rows)
    columns = {
        "total": part + rest,
        "part": part,
        "rest": rest,
        "in": came.strftime("%Y-%m-%d"),
        "out": left.strftime("%Y-%m-%d"),
        "days": (left - came).days,
        "weeks": (left - came).days // 7,
        "year": came.year,
        "town": town,
        "side": np.where(np.isin(town, ["a", "b"]), "N", "S"),
        "works": works,
        "hours": np.where(works == "true", rng.integers(0, 80, n_rows).astype(str), ""),
        "ticks": rng.choice(["a; b", "a", "b", "b; c", ""], n_rows),
    }
    return pd.DataFrame(columns).astype(str).astype(object)


TOWNS = [f"t{i}" for i in range(14)]
REPEATING = Codebook.from_dict(
    {
        "fields": [
            {"name": "born", "categories": [*TOWNS, "(other)"], "unknown": "(other)"},
            {"name": "lives", "categories": [*TOWNS, "(other)"], "unknown": "(other)"},
            {"name": "works", "categories": [*TOWNS[3:], "t99"], "unknown": ""},
            {"name": "asked", **AMOUNT},
            {"name": "paid", **AMOUNT, "unknown": ""},
            {"name": "sex", "categories": ["F", "M"]},
        ]
    }
)
ODD_REPEATING = {
    "born": ["t1", "", "z"],
    "lives": ["t1", "t2", ""],
    "works": ["t5", "t99", ""],
    "asked": ["0", "5000", ""],
    "paid": ["0", "5000", "x"],
    "sex": ["F", "M"],
}


def movers(rng, n_rows):
    """Two thirds live and work where they were born, half of all amounts are paid as they were asked."""
    born = rng.choice([*TOWNS, "z"], n_rows)
    lives = np.where(rng.random(n_rows) < 2 / 3, born, rng.choice(TOWNS, n_rows))
    asked = rng.integers(0, 5000, n_rows)
    columns = {
        "born": born,
        "lives": lives,
        "works": np.where(rng.random(n_rows) < 2 / 3, born, rng.choice([*TOWNS, ""], n_rows)),
        "asked": asked,
        "paid": np.where(rng.random(n_rows) < 0.5, asked, rng.integers(0, 5000, n_rows)),
        "sex": rng.choice(["F", "M"], n_rows),
    }
    return pd.DataFrame(columns).astype(str).astype(object)


@pytest.mark.parametrize("neighbors", sample(Neighbors, 2))
@pytest.mark.parametrize("currency", list(Currency))
def test_no_person_changes_what_is_asked_of_declared_columns_or_costs_more_than_was_charged(
    monkeypatch, currency, neighbors
):
    rng = np.random.default_rng([currency is Currency.PURE, neighbors is Neighbors.ADD_REMOVE, 5])
    epsilon = float(rng.choice([1.0, 30.0]))
    asked = {"epsilon": epsilon, "currency": currency, "neighbors": neighbors}
    replayed_alike(monkeypatch, BOOK, people(rng, 300), ODD, rng=rng, **asked)


@pytest.mark.parametrize("neighbors", sample(Neighbors, 2))
@pytest.mark.parametrize("currency", list(Currency))
def test_no_person_changes_what_repeats_another_column_or_costs_more_than_was_charged(
    monkeypatch, currency, neighbors
):
    rng = np.random.default_rng([currency is Currency.PURE, neighbors is Neighbors.ADD_REMOVE, 6])
    asked = {"epsilon": 60.0, "currency": currency, "neighbors": neighbors}
    model = replayed_alike(monkeypatch, REPEATING, movers(rng, 3000), ODD_REPEATING, rng=rng, **asked)
    found = {attribute.name: attribute.repeats for attribute in model.domain.attributes}
    assert (found["lives"], found["works"], found["paid"]) == ("born", "born", "asked")


def replayed_alike(monkeypatch, book, table, odd, *, rng, **guarantee):
    """Hold a run against one on a neighbouring table with the same noisy answers; give its model."""
    monkeypatch.setattr(account_room, "Accountant", Recorder)
    currency, neighbors = guarantee["currency"], guarantee["neighbors"]
    guarantee = Guarantee(delta=0.0 if currency is Currency.PURE else 1e-9, **guarantee)
    plan = make_plan(guarantee, book.domain, n_rows=len(table))
    if neighbors is Neighbors.ADD_REMOVE:
        other = table.drop(index=7).reset_index(drop=True)
    else:
        other = table.copy()
        other.loc[7] = [str(rng.choice(odd[name])) for name in table.columns]

    def run(frame, forced):
        account = account_room.accountant_for(plan, book.domain)
        account.forced = forced
        source = open_source(frame, book)
        return account.acts, pipeline.fit(source, plan, accountant=account, rng=np.random.default_rng(1))

    recorded, model = run(table, None)
    replayed, again = run(other, recorded)
    assert [act.question for act in recorded] == [act.question for act in replayed]
    for act, theirs in zip(recorded, replayed, strict=True):
        assert exact_loss(act, theirs, currency) <= act.loss * ROUNDING, act.question
    assert sum(act.loss for act in recorded) <= float(guarantee.total) * ROUNDING
    assert model.domain == again.domain
    assert json.dumps(model.to_dict()) == json.dumps(again.to_dict())
    rows = [one.sample(100, rng=np.random.default_rng(2)) for one in (model, again)]
    assert rows[0].equals(rows[1])
    return model
