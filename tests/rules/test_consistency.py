"""Rules against each other at the values that they name, however few rows could have them."""

import pytest

from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.errors import DomainError
from hmpb_core.rules import consistency
from hmpb_core.rules.declared import Rules

DOMAIN = Domain(
    (
        Numeric(name="age", minimum=0, maximum=100, integer=True, bins=10),
        Numeric(name="born", minimum=0, maximum=20_000, kind="date"),
        Numeric(name="seen", minimum=0, maximum=1_000_000_000, integer=True, kind="datetime"),
        Categorical(name="marital", categories=("never", "married")),
    )
)


def married(given: object, status: str, column: str = "age") -> dict[str, object]:
    return {"kind": "implies", "if": {column: given}, "then": {"marital": status}}


@pytest.mark.parametrize(
    ("column", "one", "other"),
    [
        ("age", 37, 37),
        ("age", [12, 37], {"not": [n for n in range(101) if n != 37]}),
        ("age", {"atLeast": 97}, {"atLeast": 99}),
        ("born", "1987-03-04", "1987-03-04"),
        ("seen", "1987-03-04T05:06:00", "1987-03-04T05:06:00"),
    ],
)
def test_rules_that_contradict_each_other_at_one_value_alone_are_refused(
    column: str, one: object, other: object
) -> None:
    with pytest.raises(DomainError, match="contradict each other"):
        Rules.read([married(one, "never", column), married(other, "married", column)], DOMAIN)


@pytest.mark.parametrize(
    ("column", "below", "above", "between"),
    [("age", 37, 38, (37, 38)), ("born", "1987-03-04", "1987-03-05", ("1987-03-04", "1987-03-05"))],
)
def test_rules_that_leave_two_neighbouring_values_alone_are_taken_and_a_row_has_one_of_them(
    column: str, below: object, above: object, between: tuple[object, ...]
) -> None:
    rules = Rules.read(
        [
            {"kind": "forbidden", "if": {column: {"below": below}}},
            {"kind": "forbidden", "if": {column: {"above": above}}},
        ],
        DOMAIN,
    )
    assert rules.witnesses[0][column] in between


def test_orders_in_a_circle_are_taken_where_all_columns_can_be_equal() -> None:
    ends = {"a": (9, 8000), "b": (0, 4000), "c": (9, 4000), "d": (0, 4000)}
    domain = Domain(tuple(Numeric(name=n, minimum=low, maximum=high) for n, (low, high) in ends.items()))
    rules = [{"kind": "ascending", "columns": [*ends]}, {"kind": "ascending", "columns": ["d", "a"]}]
    assert len(set(Rules.read(rules, domain).witnesses[0].values())) == 1
    apart = Domain((*domain.attributes[:3], Numeric(name="d", minimum=0, maximum=8)))
    with pytest.raises(DomainError, match="never hold"):
        Rules.read(rules, apart)


ASKED = Domain(
    tuple(Categorical(name=name, categories=("no", "yes"), nullable=True) for name in ("a", "b", "c", "d"))
)


def asked(column: str, **given: str) -> dict[str, object]:
    return {"kind": "askedIf", "column": column, "if": given}


def test_questions_of_which_neither_decides_whether_the_other_is_asked_are_not_compared(monkeypatch) -> None:
    compared: list[int] = []
    original = consistency._require_open
    monkeypatch.setattr(
        consistency, "_require_open", lambda rules, of: compared.append(len(rules)) or original(rules, of)
    )
    Rules.read([asked("b", a="yes"), asked("c", a="no")], ASKED)
    assert 2 not in compared
    Rules.read([asked("b", a="yes"), asked("c", b="no")], ASKED)
    assert 2 in compared


@pytest.mark.parametrize("first", [0, 1])
def test_a_question_that_another_one_never_lets_be_asked_is_refused(first: int) -> None:
    rules = [asked("b", a="no"), asked("c", a="yes", b="no")]
    with pytest.raises(DomainError, match="contradict each other"):
        Rules.read([rules[first], rules[1 - first]], ASKED)
