"""Columns that others decide: what is written into them, type by type."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.errors import DomainError
from hmpb_core.rules.consistency import assign
from hmpb_core.rules.deciding import Equal, Follows, Sum, left_open_by
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.reading import View

PLAN = Categorical(name="plan", categories=("basic", "full", "old"), nullable=True)


@pytest.mark.parametrize("digits", [0, 17])
def test_a_number_with_decimals_follows_as_the_table_stores_it(digits: int) -> None:
    fee = Numeric(name="fee", minimum=0, maximum=20, resolution=0.1, digits=digits)
    domain = Domain((PLAN, fee))
    rule = {"kind": "follows", "column": "fee", "from": "plan", "values": {"basic": 6.2, "full": 12.5}}
    rules = Rules.read([rule], domain)
    frame = pd.DataFrame({"plan": ["basic", "full", "old", None], "fee": [1.0, 2.0, 3.0, 4.0]})
    rows = assign(frame, rules.items, {a.name: a for a in domain.attributes}).frame
    first = 6.199999809265137 if digits else 6.2  # the number of single precision that is nearest to 6.2
    assert rows["fee"].tolist() == [first, 12.5, 3.0, 4.0]
    assert rules.broken_rows(rows) == (0,)


@pytest.mark.parametrize(("emptied", "totals"), [(False, [5.0, 7.0]), (True, [5.0, None])])
def test_a_total_is_missing_with_a_part_only_where_the_model_says_so(
    emptied: bool, totals: list[float | None]
) -> None:
    names = ("one", "two", "total")
    attributes = {name: Numeric(name=name, minimum=0, maximum=20, nullable=True) for name in names}
    frame = pd.DataFrame({"one": [2.0, 3.0], "two": [3.0, np.nan], "total": [9.0, 7.0]})
    rule = Sum(column="total", parts=("one", "two"), emptied=emptied)
    rows = assign(frame, [rule], attributes).frame
    assert [None if pd.isna(total) else total for total in rows["total"]] == totals


def test_what_was_not_mapped_stays_where_only_the_listed_categories_decide() -> None:
    label = Categorical(name="label", categories=("cheap", "dear"), nullable=True)
    attributes = {"plan": PLAN, "label": label}
    frame = pd.DataFrame({"plan": ["old", None, "basic"], "label": ["cheap", "dear", "dear"]})
    rule = Follows(column="label", source="plan", values={"basic": "cheap"})
    assert assign(frame, [rule], attributes).frame["label"].tolist() == ["cheap", "dear", "cheap"]


def test_a_missing_part_counts_as_0_where_the_rule_says_so() -> None:
    """A payroll leaves out what nobody got: the total is there all the same."""
    names = ("one", "two", "total")
    attributes = {name: Numeric(name=name, minimum=0, maximum=20, nullable=True) for name in names}
    frame = pd.DataFrame(
        {"one": [2.0, 3.0, np.nan, 1.0], "two": [3.0, np.nan, np.nan, 1.0], "total": [9.0, 7.0, 1.0, np.nan]}
    )
    rule = Sum(column="total", parts=("one", "two"), missing_is_zero=True)
    assert rule.broken(View(frame, attributes)).tolist() == [True, True, True, False]
    rows = assign(frame.copy(), [rule], attributes).frame
    assert rows["total"].fillna(-1).tolist() == [5.0, 3.0, 0.0, -1.0]
    told = assign(frame.copy(), [replace(rule, emptied=True)], attributes).frame
    assert told["total"].tolist() == [5.0, 3.0, 0.0, 2.0]  # hardly a total is missing: none is by the parts
    assert left_open_by(rule) == ("total",)
    assert left_open_by(replace(rule, missing_is_zero=False)) == ("one", "two", "total")
    written = {"kind": "sum", "column": "total", "parts": ["one", "two"], "missingIsZero": True}
    assert rule.to_dict() == written


def test_an_empty_text_that_is_a_category_is_one_to_a_rule() -> None:
    attributes = {name: Categorical(name=name, categories=("", "x")) for name in ("one", "two")}
    frame = pd.DataFrame({"one": ["", "", "x"], "two": ["", "x", "x"]})
    rule = Follows(column="two", source="one", values={"": "", "x": "x"})
    assert rule.broken(View(frame, attributes)).tolist() == [False, True, False]
    assert assign(frame, [rule], attributes).frame["two"].tolist() == ["", "", "x"]


def test_pairs_of_bins_that_share_no_number_are_impossible_for_a_copy() -> None:
    numbers = {"minimum": 0, "maximum": 9, "integer": True}
    first = Numeric(name="first", bins=2, nullable=True, **numbers)
    second = Numeric(name="second", bins=5, **numbers)
    rule = Equal(column="second", source="first")
    assert np.array(rule.impossible({"first": first, "second": second})).astype(int).tolist() == [
        [0, 0, 0, 1, 1],  # 0 to 4 beside 0 and 1, 2 and 3, 4 and 5, 6 and 7, 8 and 9
        [1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],  # a missing value
    ]


def test_pairs_of_other_categories_are_impossible_for_a_copy_but_not_beside_a_missing_one() -> None:
    attributes = {
        "first": Categorical(name="first", categories=("x", "y", "-9"), nullable=True, apart=("-9",)),
        "second": Categorical(name="second", categories=("y", "x", "z"), nullable=True),
    }
    rule = Equal(column="second", source="first")
    assert np.array(rule.impossible(attributes)).astype(int).tolist() == [
        [1, 0, 1, 0],
        [0, 1, 1, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ]


@pytest.mark.parametrize("emptied", [None, True, False])
def test_a_copy_that_cannot_be_missing_stays_where_the_other_is(emptied: bool | None) -> None:
    bounds = {"minimum": 0, "maximum": 9}
    attributes = {"a": Numeric(name="a", nullable=True, **bounds), "b": Numeric(name="b", **bounds)}
    frame = pd.DataFrame({"a": [3.0, np.nan], "b": [5.0, 6.0]})
    rule = Equal(column="b", source="a", emptied=emptied)
    assert rule.assigned(View(frame, attributes)).tolist() == [3, 6]


def test_a_copy_of_a_number_that_is_rounded_beyond_the_bound_lies_on_it() -> None:
    attributes = {name: Numeric(name=name, minimum=0.1, maximum=0.3, resolution=0.1) for name in "ab"}
    frame = pd.DataFrame({"a": [0.1 + 0.2, 0.2], "b": [0.1, 0.1]})
    assert frame["a"][0] > 0.3
    assert Equal(column="b", source="a").assigned(View(frame, attributes)).tolist() == [0.3, 0.2]


def test_a_total_of_32_bits_is_the_sum_of_parts_of_64() -> None:
    attributes = {
        name: Numeric(name=name, minimum=0, maximum=20, digits=17 if name == "total" else 0)
        for name in ("one", "two", "total")
    }
    frame = pd.DataFrame(
        {"one": [3.15, 3.15], "two": [3.05, 3.05], "total": [float(np.float32(6.2)), 6.2001]}
    )
    rule = Sum(column="total", parts=("one", "two"))
    assert rule.broken(View(frame, attributes)).tolist() == [False, True]
    plain = {name: replace(attribute, digits=0) for name, attribute in attributes.items()}
    assert rule.broken(View(frame, plain)).tolist() == [True, True]


@pytest.mark.parametrize(("integer", "broken"), [(False, [False, True, True]), (True, [True, True, True])])
def test_sums_of_numbers_that_nobody_said_the_decimals_of_may_be_off_by_half_a_step_each(
    integer: bool, broken: list[bool]
) -> None:
    number = Numeric(name="one", minimum=0, maximum=1000, bins=4, learned=True, integer=integer)
    attributes = {name: replace(number, name=name) for name in ("one", "two", "total")}
    step = float(number.grid.step)
    off = np.array([1.0, 2.0, 5.0])  # of three columns 1.5 steps
    frame = pd.DataFrame({"one": 40 * step, "two": 60 * step, "total": (100 + off) * step})
    rule = Sum(column="total", parts=("one", "two"))
    assert rule.broken(View(frame, attributes)).tolist() == broken


def _listed(name: str, *values: float) -> Numeric:
    return Numeric(name=name, minimum=min(values), maximum=max(values), integer=True, listed=values)


def test_parts_of_a_list_of_numbers_must_each_be_a_multiple_of_the_total() -> None:
    total = Numeric(name="total", minimum=0, maximum=100, resolution=10)
    rule = Sum(column="total", parts=("part",))
    rule.check({"part": _listed("part", 10, 30, 40), "total": total})
    with pytest.raises(DomainError, match="'total' is a multiple of 10 but the sum of numbers"):
        rule.check({"part": _listed("part", 10, 35, 40), "total": total})


def test_a_list_of_numbers_copies_one_whose_numbers_it_has() -> None:
    rule = Equal(column="copy", source="first")
    first = _listed("first", 1, 5)
    rule.check({"first": first, "copy": _listed("copy", 1, 3, 5)})
    for source, copy in (
        (first, _listed("copy", 1, 3)),
        (Numeric(name="first", minimum=1, maximum=5, integer=True), _listed("copy", 1, 5)),
        (Categorical(name="first", categories=(1, 5)), _listed("copy", 1, 5)),
    ):
        with pytest.raises(DomainError, match="'copy' is declared equal to 'first', but is of another type"):
            rule.check({"first": source, "copy": copy})


def test_a_mapping_that_nobody_listed_is_written_without_values() -> None:
    domain = Domain((PLAN, Categorical(name="label", categories=("cheap", "dear"))))
    written = {"kind": "follows", "column": "label", "from": "plan"}
    assert Rules.read([written], domain).items[0].to_dict() == written


def test_what_a_copy_or_a_total_cannot_hold_leaves_it_as_it_was() -> None:
    attributes = {name: Numeric(name=name, minimum=0, maximum=20, nullable=True) for name in ("one", "two")}
    attributes["total"] = Numeric(name="total", minimum=2, maximum=20, nullable=True)
    frame = pd.DataFrame(
        {
            "one": [9.0, 10.0, 15.0, 1.0, 1.0, 0.0],
            "two": [2.0, 10.0, 15.0, 1.0, 0.0, 20.0],
            "total": [3.0, 3.0, 3.0, 3.0, 3.0, np.nan],
        }
    )
    view = View(frame, attributes)
    for emptied, last in ((True, 20.0), (False, -1.0), (None, -1.0)):
        total = Sum(column="total", parts=("one", "two"), emptied=emptied).assigned(view)
        assert total.fillna(-1).tolist() == [11, 20, 3, 2, 3, last]
    copy = Equal(column="total", source="two", emptied=True).assigned(view)
    assert copy.tolist() == [2, 10, 15, 3, 3, 20]


def test_a_whole_number_and_a_date_follow_in_their_own_type_and_format() -> None:
    fee = Numeric(name="fee", minimum=0, maximum=20, integer=True)
    limits = {"minimum": 0, "maximum": 20_000, "kind": "date", "format": "%d.%m.%Y"}
    attributes = {"plan": PLAN, "fee": fee, "since": Numeric(name="since", integer=True, **limits)}
    frame = pd.DataFrame({"plan": ["basic", "full", "old"], "fee": [1, 2, 3], "since": "09.09.1999"})
    frame["fee"] = frame["fee"].astype("Int64")
    rules = [
        Follows(column="fee", source="plan", values={"basic": 6, "full": "12"}),
        Follows(column="since", source="plan", values={"basic": "01.02.2003", "full": "03.02.2001"}),
    ]
    rows = assign(frame, rules, attributes).frame
    assert rows["fee"].tolist() == [6, 12, 3]
    assert rows["fee"].dtype == "Int64"
    assert rows["since"].tolist() == ["01.02.2003", "03.02.2001", "09.09.1999"]


@pytest.mark.parametrize(
    ("source", "copy", "held"),
    [(0.1, None, True), (0.1, 0.5, False), (1, 0.5, True), (None, 0.5, False), (None, None, True)],
)
def test_a_copy_and_a_total_hold_multiples_of_their_own_step(
    source: float | None, copy: float | None, held: bool
) -> None:
    bounds = {"minimum": 0, "maximum": 20}
    attributes = {
        "one": Numeric(name="one", resolution=source, **bounds),
        "two": Numeric(name="two", resolution=copy, **bounds),
    }
    for rule in (Equal(column="two", source="one"), Sum(column="two", parts=("one",))):
        if held:
            rule.check(attributes)
        else:
            with pytest.raises(DomainError, match="'two' is "):
                rule.check(attributes)


def test_years_are_no_parts_of_a_sum() -> None:
    year = Numeric(name="born", minimum=1900, maximum=2000, kind="year", integer=True)
    total = Numeric(name="total", minimum=0, maximum=9000, integer=True)
    with pytest.raises(DomainError, match="not all of 'born', 'total' are numbers"):
        Sum(column="total", parts=("born",)).check({"born": year, "total": total})
