"""Columns that others decide: what is written into them, type by type."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.rules.consistency import assign
from hmpb_core.rules.deciding import Follows, Sum, left_open_by
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
