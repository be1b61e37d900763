"""Public rules that cannot be used, or not together: refused with the names of what is wrong."""

import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.errors import DomainError
from hmpb_core.rules.declared import Rules
from tests.rules.cases import ALL, DOMAIN, MISSING, YEARS


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (
            [ALL[3], {"kind": "implies", "if": {"age": {"below": 10}}, "then": {"marital": "married"}}],
            "The rules “where 'age' is below 15, 'marital' is 'never married'” and "
            "“where 'age' is below 10, 'marital' is 'married'” contradict each other",
        ),
        (
            [ALL[0], {"kind": "follows", "column": "years", "from": "school", "values": {"none": 8}}],
            "'years' follows from 'school'” and “'years' follows from 'school'” contradict",
        ),
        (
            [ALL[0], {"kind": "forbidden", "if": {"years": 12}}],
            "'years' follows from 'school'” and “no row where 'years' is 12” contradict",
        ),
        (
            [
                {"kind": "ascending", "columns": ["until", "age", "from"]},
                {"kind": "forbidden", "if": {"age": {"below": 55}}},
            ],
            "contradict",
        ),
        (
            [{"kind": "sum", "column": "age", "parts": ["wages"]}],
            "'age' is a whole number but the sum of numbers",
        ),
        ([{"kind": "implies", "if": {"sex": "m"}, "then": {"works": "yes"}}], "names the column 'sex'"),
        ([{"kind": "forbidden", "if": {"works": "maybe"}}], "names the value 'maybe' of 'works'"),
        (
            [{"kind": "askedIf", "column": "works", "if": {"age": 3}}],
            "'works' is asked only under a condition",
        ),
        ([{"kind": "follows", "column": "works", "from": "age"}], "'age', which lists no categories"),
        (
            [{"kind": "nonNegative", "column": "works"}],
            "compares 'works', which holds neither numbers nor dates",
        ),
        ([{"kind": "sum", "column": "total", "parts": ["works"]}], "not all of 'works', 'total' are numbers"),
        ([{"kind": "equal", "column": "school", "to": "copy"}], "or lacks some of its categories"),
        ([{"kind": "equal", "column": "wages", "to": "age"}], "is of another type, format or resolution"),
        ([{"kind": "equal", "column": "works", "to": "age"}], "is of another type, format or resolution"),
        ([{"kind": "equal", "column": "age", "to": "age"}], "has 'age' decide itself"),
        (
            [ALL[7], {"kind": "implies", "if": {"school": "upper"}, "then": {"copy": "none"}}],
            "'copy' equals 'school'” and “where 'school' is 'upper', 'copy' is 'none'” contradict",
        ),
        ([{"kind": "vanishes"}], "the kinds are follows, equal, bandOf, partOf, ascending"),
        ([{"kind": "ascending", "columns": ["from"]}], "of the kind 'ascending' cannot be read"),
        ([ALL[1], {"kind": ["sum"]}], "Rule 2 has the kind"),
        ([{"kind": "sum", "column": 3, "parts": ["age"]}], "Rule 1 of the kind 'sum' cannot be read"),
        ([{**ALL[2], "missingIsZero": 0}], "Rule 1 of the kind 'sum' cannot be read"),
        ([ALL[1], {"kind": "implies", "if": {"age": 3}}], "Rule 2 of the kind 'implies' lacks 'then'; it"),
        ([{"kind": "equal", "column": "copy", "from": "school"}], "lacks 'to'; it needs 'column', 'to'"),
        (
            [ALL[1], ALL[2], {**ALL[4], "then": {"age": 3}}],
            "Rule 3 of the kind 'forbidden' has 'then', which says nothing there",
        ),
        ([{**ALL[0], "value": YEARS}], "has 'value', which says nothing there"),
        ([{**ALL[1], "colums": ["age", "from"]}], "has 'colums', which says nothing there"),
        ([{**ALL[5], "columns": ["other"], "note": ""}], "has 'columns', 'note', which says nothing there"),
        ([{"kind": "forbidden", "if": {"age": {"under": 3}}}], "condition on 'age' cannot be read"),
        (
            [{"kind": "forbidden", "if": {"age": {"atLeast": 3, "below": 9}}}],
            "condition on 'age' cannot be read",
        ),
        *(
            ([{"kind": "forbidden", "if": {"age": wanted}}], "condition on 'age' cannot be read")
            for wanted in (
                {},
                {"missing": "yes"},
                {"missing": 1},
                {"below": [3, 4]},
                {"below": []},
                {"atLeast": True},
                {"not": [{"a": 1}]},
                [],
                None,
            )
        ),
        ([{"kind": "forbidden", "if": "age"}], "conditions are not an object"),
        (
            [{"kind": "follows", "column": "years", "from": "school"}, ALL[0]],
            "both name 'years', but the first lists no values",
        ),
        ("age", "must be a list of objects"),
        ([ALL[5]] * 201, "201 rules; at most 200"),
        ([{"kind": "implies", "if": {"works": "no"}, "then": {"works": "yes"}}], "” can never hold"),
    ],
)
def test_rules_that_cannot_be_used_are_refused_by_name(rules, sentence):
    with pytest.raises(DomainError) as caught:
        Rules.read(rules, DOMAIN)
    assert sentence in str(caught.value)


def test_three_rules_that_only_together_leave_no_row_are_refused():
    domain = Domain.of_sizes([2, 2, 2])
    rules = [
        {"kind": "implies", "if": {"x0": [0, 1]}, "then": {"x1": 0}},
        {"kind": "implies", "if": {"x1": 0}, "then": {"x2": 0}},
        {"kind": "forbidden", "if": {"x2": 0, "x0": 0}},
        {"kind": "forbidden", "if": {"x2": 0, "x0": 1}},
    ]
    with pytest.raises(DomainError, match="No row keeps all of the rules"):
        Rules.read(rules, domain)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"died": "yes"}, "'died' is 'yes'"),
        ({"age": {"not": 3}, "died": ["yes", "no"]}, "'age' is not 3 and 'died' is 'yes' or 'no'"),
        ({"age": {"atMost": 3}}, "'age' is at most 3"),
        ({"age": {"missing": True}}, "'age' is missing"),
        ({"age": {"missing": False}}, "'age' has a value"),
        ({"age": {"not": [1, 2]}}, "'age' is not 1 or 2"),
    ],
)
def test_a_rule_that_names_an_unpublished_column_says_so_in_plain_words(wanted, said):
    fields = [
        {"name": "on", "categories": ["a"]},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
        {"name": "died", "categories": ["yes", "no"], "publish": False},
        {"name": "day", "publish": False},
    ]
    rules = [{"kind": "askedIf", "column": "day", "if": wanted}]
    with pytest.raises(DomainError) as refused:
        Codebook.from_dict({"fields": fields, "rules": rules})
    named = "died" if "died" in wanted else "day"
    assert f"“'day' is asked only if {said}” names the column '{named}', which is not published" in str(
        refused.value
    )


def test_a_rule_that_only_missing_values_would_keep_contradicts_another():
    rule = {"kind": "implies", "if": {"arm": "placebo"}, "then": {"given": "placebo"}}
    with pytest.raises(DomainError, match="contradict"):
        Rules.read([rule, {**rule, "then": {"given": "drug"}}], MISSING)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"kind": "follows", "column": "a", "from": "a", "values": {"x": "x"}}, "decide itself"),
        ({"kind": "sum", "column": "n", "parts": ["n", "m"]}, "decide itself"),
        ({"kind": "follows", "column": "n", "from": "a", "values": {"x": 500}}, "outside its declared range"),
        ({"kind": "follows", "column": "n", "from": "a", "values": {"x": 2.5}}, "broken where it is whole"),
        ({"kind": "ascending", "columns": ["n", "day"]}, "different kinds: date, number"),
        ({"kind": "implies", "if": {"a": {"below": 3}}, "then": {"n": 1}}, "neither numbers nor dates"),
        ({"kind": "sum", "column": "coarse", "parts": ["fine", "n"]}, "a multiple of 0.5 but the sum"),
        ({"kind": "nonNegative", "column": "day"}, "'day' is declared not negative, but holds dates"),
        ({"kind": "nonNegative", "column": "shown"}, "'shown' is declared not negative, but holds dates"),
        ({"kind": "forbidden", "if": {"n": 81}}, "81 for 'n', which lies outside its declared range"),
        ({"kind": "forbidden", "if": {"n": [3, 1.5]}}, "1.5 for 'n', which lies outside its declared range"),
        (
            {"kind": "forbidden", "if": {"n": {"not": -1}}},
            "-1 for 'n', which lies outside its declared range",
        ),
        ({"kind": "forbidden", "if": {"day": "1971-01-01"}}, "'1971-01-01' for 'day', which lies outside"),
        ({"kind": "forbidden", "if": {"n": "x"}}, "names the value 'x' of 'n'"),
    ],
)
def test_rules_that_no_row_can_obey_as_it_is_written_are_refused(rule, sentence):
    domain = Domain(
        (
            Categorical(name="a", categories=("x", "y")),
            Numeric(name="n", minimum=0, maximum=80, integer=True),
            Numeric(name="m", minimum=0, maximum=80, integer=True),
            Numeric(name="day", minimum=0, maximum=80, kind="date"),
            Categorical(name="shown", categories=("1970-01-01", "1970-01-02")),
            Numeric(name="fine", minimum=0, maximum=80, resolution=0.05),
            Numeric(name="coarse", minimum=0, maximum=200, resolution=0.5),
        )
    )
    with pytest.raises(DomainError) as caught:
        Rules.read([rule], domain)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "rule",
    [
        {"kind": "nonNegative", "column": "long"},
        {"kind": "nonNegative", "column": "grade"},
        {"kind": "forbidden", "if": {"long": {"above": "P9D"}}},
        {"kind": "forbidden", "if": {"rate": [0, 9.5]}},
        {"kind": "forbidden", "if": {"rate": {"below": -3}}},
    ],
)
def test_what_a_column_may_have_and_bounds_beyond_its_own_are_taken(rule):
    domain = Domain(
        (
            Numeric(name="long", minimum=0, maximum=7 * 86_400, kind="duration"),
            Categorical(name="grade", categories=("-1", "2", "none")),
            Numeric(name="rate", minimum=0, maximum=9.5),
        )
    )
    assert Rules.read([rule], domain).to_list() == [rule]


def test_rules_that_only_together_empty_a_column_are_refused():
    domain = Domain(
        (
            Categorical(name="a", categories=("x", "y"), nullable=True),
            Categorical(name="b", categories=("1", "2"), nullable=True),
            Categorical(name="c", categories=("p", "q"), nullable=True),
        )
    )
    circle = [
        {"kind": "follows", "column": "b", "from": "a", "values": {"x": "1", "y": "2"}},
        {"kind": "follows", "column": "c", "from": "b", "values": {"1": "p", "2": "q"}},
        {"kind": "follows", "column": "a", "from": "c", "values": {"p": "y", "q": "x"}},
    ]
    with pytest.raises(DomainError, match="Together the rules"):
        Rules.read(circle, domain)
    circle[2]["values"] = {"p": "x", "q": "y"}
    assert len(Rules.read(circle, domain).items) == 3


def test_a_sentence_names_the_first_of_many_values_and_how_many_more():
    codes = [f"J{i:02d}" for i in range(100)]
    rule = {"kind": "forbidden", "if": {"sex": "M", "code": codes}}
    with pytest.raises(DomainError) as refused:
        Rules.read([rule], Domain((Categorical(name="sex", categories=("F", "M")),)))
    assert "'code' is 'J00', 'J01', 'J02', 'J03', 'J04' and 95 more" in str(refused.value)
    assert "J05" not in str(refused.value)
    domain = Domain(
        (Categorical(name="sex", categories=("F", "M")), Categorical(name="code", categories=tuple(codes)))
    )
    assert (
        Rules.read([{**rule, "if": {"sex": "M", "code": codes[:99]}}], domain).to_list()[0]["if"]["code"]
        == codes[:99]
    )
