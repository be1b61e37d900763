"""Where rows come from that a model hardly ever or no more draws."""

from collections import Counter

import numpy as np
import pandas as pd

from hmpb_core.decoding import decode
from hmpb_core.domain import Categorical, Domain
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.obeying import drawn, obedient_rows

TEXTS = ("no", "yes")


def values(codes: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({name: np.array(TEXTS)[codes[:, i]] for i, name in enumerate("abc")})


def domain_of(names: str) -> Domain:
    return Domain(tuple(Categorical(name=name, categories=TEXTS) for name in names))


def test_rows_are_drawn_until_there_are_enough_however_seldom_the_model_keeps_a_rule() -> None:
    domain = domain_of("ac")
    rules = Rules.read([{"kind": "forbidden", "if": {"a": "no"}}], domain)

    def draw(n: int, rng: np.random.Generator) -> np.ndarray:
        seldom = rng.random(n) < 0.02  # and c is yes just where a is
        return np.stack([seldom, seldom], axis=1).astype(np.int32)

    def both(codes: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
        return pd.DataFrame({name: np.array(TEXTS)[codes[:, i]] for i, name in enumerate("ac")})

    frame = obedient_rows(rules, domain, 500, draw=draw, values=both, rng=np.random.default_rng(1))
    assert (frame["a"] == "yes").all()
    assert (frame["c"] == "yes").all()  # whole rows of the model, not a column put into others


def test_where_the_model_gives_no_more_rows_the_columns_of_the_rules_come_from_its_good_ones_in_turn() -> (
    None
):
    domain = domain_of("abc")
    rules = Rules.read([{"kind": "forbidden", "if": {"a": "yes", "b": "yes"}}], domain)
    first = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0]] + [[1, 1, 1]] * 30, dtype=np.int32)
    calls = []

    def draw(n: int, rng: np.random.Generator) -> np.ndarray:
        calls.append(n)
        return first if len(calls) == 1 else np.ones((n, 3), dtype=np.int32)

    frame = obedient_rows(rules, domain, 33, draw=draw, values=values, rng=np.random.default_rng(2))
    assert Counter(zip(frame["a"], frame["b"], strict=True)) == {
        ("no", "no"): 11,
        ("no", "yes"): 11,
        ("yes", "no"): 11,
    }
    assert (frame["c"] == "yes").sum() == 30  # what no rule names stays


def test_as_many_rows_are_chosen_as_are_wanted_where_two_marks_fall_into_one() -> None:
    candidates = np.arange(3, dtype=np.int32)[:, None]
    for seed in range(20):
        chosen = drawn(np.array([1.9, 0.05, 0.05]), candidates, 2, np.random.default_rng(seed))
        assert chosen.sum() == 2
        assert chosen[0]


def test_a_question_is_missing_as_often_as_it_was_drawn_where_the_model_does_not_know_whom_it_was_asked() -> (
    None
):
    domain = Domain(
        (
            Categorical(name="works", categories=TEXTS),
            Categorical(name="hours", categories=("few", "many"), nullable=True),
            Categorical(name="nights", categories=TEXTS, nullable=True),
        )
    )
    asked = [
        {"kind": "askedIf", "column": "hours", "if": {"works": "yes"}},
        {"kind": "askedIf", "column": "nights", "if": {"hours": "many"}},
    ]
    rules = Rules.read(asked, domain)

    def draw(n: int, rng: np.random.Generator) -> np.ndarray:
        codes = [rng.random(n) < 0.8, np.where(rng.random(n) < 0.8, rng.random(n) < 0.5, 2)]
        codes.append(np.where(rng.random(n) < 0.4, rng.random(n) < 0.25, 2))
        rows = np.stack(codes, axis=1).astype(np.int32)
        return rows[np.argsort(rows[:, 1])]  # in an order, as a model may

    frame = obedient_rows(
        rules,
        domain,
        5000,
        draw=draw,
        values=lambda codes, rng: decode(codes, domain, rng),
        rng=np.random.default_rng(3),
    )
    assert rules.broken_rows(frame) == (0, 0)
    missing = frame.isna().mean()
    assert abs(missing["hours"] - 0.2) < 0.02
    assert abs(missing["nights"] - 0.6) < 0.02
    assert abs((frame["nights"] == "yes").sum() / frame["nights"].notna().sum() - 0.25) < 0.03
