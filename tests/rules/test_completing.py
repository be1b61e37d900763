"""Rows that break rules are completed, so that no small group goes of which rules tell much."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.rules.completing import completed
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.obeying import obedient_rows

ASKED = [f"q{i}" for i in range(4)]
DOMAIN = Domain(
    (
        Numeric(name="age", minimum=0, maximum=99, integer=True, bins=20),
        *(Categorical(name=name, categories=("N", "yes", "no")) for name in ASKED),
    )
)
CHILD, ADULT = {"age": {"below": 15}}, {"age": {"atLeast": 15}}
RULES = Rules.read(
    [
        {"kind": "implies", "if": CHILD, "then": dict.fromkeys(ASKED, "N")},
        {"kind": "implies", "if": ADULT, "then": {key: ["yes", "no"] for key in ASKED}},
    ],
    DOMAIN,
)
SHARES = [np.full(20, 0.05), *[np.array([0.15, 0.25, 0.6])] * len(ASKED)]
"""Three of twenty codes of ages are children's: 15 %, as of every question's N."""


def draw(n: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of a model that knows nothing of how columns hang together."""
    return np.stack([rng.choice(len(p), n, p=p) for p in SHARES], axis=1).astype(np.int32)


def values(codes: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    answers = {name: np.array(["N", "yes", "no"])[codes[:, i + 1]] for i, name in enumerate(ASKED)}
    return pd.DataFrame({"age": codes[:, 0] * 5 + rng.integers(0, 5, len(codes)), **answers})


def test_a_group_of_which_rules_tell_much_keeps_its_share_where_the_model_knows_nothing() -> None:
    rng = np.random.default_rng(2)
    frame = obedient_rows(RULES, DOMAIN, 8000, draw=draw, values=values, rng=rng)
    assert RULES.broken_rows(frame) == (0, 0)
    assert len(frame) == 8000
    children = frame["age"] < 15
    assert children.mean() == pytest.approx(0.15, abs=0.01)  # hardly one without: five of them must meet
    for name in ASKED:
        assert (frame[name] == "N").equals(children)
        assert (frame[name] == "yes").mean() == pytest.approx(0.25, abs=0.02)


def test_what_is_implied_is_taken_from_rows_that_have_it_and_the_rest_stays() -> None:
    rng = np.random.default_rng(3)
    codes = draw(2000, rng)
    frame = values(codes, rng)
    bad = np.arange(500)
    attributes = {a.name: a for a in DOMAIN.attributes}
    rows, own = completed(frame, codes, bad, rules=RULES.items, attributes=attributes, rng=rng)
    assert len(rows) == len(own) == 500
    assert rows["age"].tolist() == frame["age"][:500].tolist()
    assert RULES.broken_rows(rows) == (0, 0)
    names = np.array(["N", "yes", "no"])
    assert all((names[own[:, i + 1]] == rows[name]).all() for i, name in enumerate(ASKED))
    untouched = (frame["q0"][:500] != "N") == (frame["age"][:500] >= 15)
    assert (rows["q0"] == frame["q0"][:500])[untouched].all()


def test_rows_that_nothing_can_complete_are_left_to_others() -> None:
    rules = Rules.read([{"kind": "forbidden", "if": {"q0": "yes", "q1": "yes"}}], DOMAIN)
    rng = np.random.default_rng(4)
    codes = draw(300, rng)
    attributes = {a.name: a for a in DOMAIN.attributes}
    frame = values(codes, rng)
    bad = np.flatnonzero((frame["q0"] == "yes") & (frame["q1"] == "yes"))
    rows, own = completed(frame, codes, bad, rules=rules.items, attributes=attributes, rng=rng)
    assert len(bad)
    assert len(rows) == len(own) == 0


def test_a_missing_value_that_leaves_open_what_is_implied_stays_missing() -> None:
    domain = Domain(
        (
            Categorical(name="arm", categories=("drug", "placebo")),
            Categorical(name="dose", categories=("none", "some"), nullable=True),
            Categorical(name="seen", categories=("no", "yes")),
        )
    )
    implied = {"dose": "none", "seen": "yes"}
    rules = Rules.read([{"kind": "implies", "if": {"arm": "placebo"}, "then": implied}], domain)
    frame = pd.DataFrame(
        {
            "arm": ["placebo", "placebo", "drug"],
            "dose": [None, "some", "none"],
            "seen": ["no", "yes", "yes"],
        }
    )
    codes = np.array([[1, 2, 0], [1, 1, 1], [0, 0, 1]], dtype=np.int32)
    attributes = {a.name: a for a in domain.attributes}
    rng = np.random.default_rng(5)
    rows, own = completed(frame, codes, np.array([0, 1]), rules=rules.items, attributes=attributes, rng=rng)
    assert rows["seen"].tolist() == ["yes", "yes"]
    assert rows["dose"].isna().tolist() == [True, False]
    assert own.tolist() == [[1, 2, 1], [1, 0, 1]]


def _three(rules: list, answers: list[tuple[str, str, str]]) -> tuple[pd.DataFrame, np.ndarray]:
    """What completes the first of some rows of three questions, all answered with no or yes."""
    names, texts = ["a", "b", "c"], ("no", "yes")
    domain = Domain(tuple(Categorical(name=name, categories=texts) for name in names))
    frame = pd.DataFrame(answers, columns=names)
    codes = (frame == "yes").to_numpy(dtype=np.int32)
    attributes = {a.name: a for a in domain.attributes}
    known = Rules.read(rules, domain).items
    rng = np.random.default_rng(6)
    return completed(frame, codes, np.array([0]), rules=known, attributes=attributes, rng=rng)


def test_what_a_completed_value_implies_in_turn_is_completed_too_whichever_rule_comes_first() -> None:
    rules = [
        {"kind": "implies", "if": {"b": "yes"}, "then": {"c": "yes"}},
        {"kind": "implies", "if": {"a": "yes"}, "then": {"b": "yes"}},
    ]
    for said in (rules, rules[::-1]):
        rows, codes = _three(said, [("yes", "no", "no"), ("no", "yes", "yes")])
        assert rows.to_numpy().tolist() == [["yes", "yes", "yes"]]
        assert codes.tolist() == [[1, 1, 1]]


def test_a_row_is_left_to_others_where_no_row_has_what_is_implied_of_it() -> None:
    rules = [{"kind": "implies", "if": {"a": "yes"}, "then": {"b": "yes"}}]
    rows, codes = _three(rules, [("yes", "no", "no"), ("no", "no", "yes")])
    assert len(rows) == len(codes) == 0
