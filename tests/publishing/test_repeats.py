"""Columns that say the same as another: which are found, and that only the steward learns of them."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.publishing import repeats
from hmpb_core.publishing.repeats import repeated_columns, shared_ids
from hmpb_core.publishing.zones import Zone

RNG = np.random.default_rng(4)
GRADES = RNG.integers(1, 6, 200)
FRAME = pd.DataFrame(
    {
        "education": pd.Series(GRADES).map({1: "none", 2: "primary", 3: "school", 4: "degree", 5: "doctor"}),
        "education-num": GRADES,
        "nearly": np.where(np.arange(200) == 7, 9, GRADES),
        "screened": [f"2013-{1 + i % 12:02d}-{1 + i % 28:02d} 10:{i % 60:02d}" for i in range(200)],
        "screened again": [f"2013-{1 + i % 12:02d}-{1 + i % 28:02d} 10:{i % 60:02d}" for i in range(200)],
        "amount": np.arange(200) * 1.5,
        "another": np.arange(200) * 2.5,
        "unit": "mg",
        "place": "here",
        "partly": np.where(GRADES > 2, GRADES, np.nan),
        "partly too": pd.Series(np.where(GRADES > 2, GRADES * 10, None), dtype=object),
    }
)


def test_copies_and_codes_with_their_labels_are_found_and_nothing_else():
    assert repeated_columns(FRAME, list(FRAME)).value == (
        ("education-num", "education"),
        ("screened again", "screened"),
        ("partly too", "partly"),
    )


@pytest.mark.parametrize(("rows", "found"), [(1, ()), (4, ()), (5, (("second", "first"),))])
def test_what_holds_of_fewer_than_five_rows_holds_by_chance(rows, found):
    """Of 3,010 people one named nine programmes: the sixth is no other name of the fifth."""
    first = [90.0] * rows + [np.nan] * (40 - rows)
    frame = pd.DataFrame({"first": first, "second": np.array(first) / 10})
    assert repeated_columns(frame, ["first", "second"]).value == found


def test_only_the_columns_asked_for_are_looked_at():
    assert repeated_columns(FRAME, ["education-num", "amount"]).value == ()


def test_what_is_found_is_the_stewards_own():
    assert repeated_columns(FRAME, list(FRAME)).zone is Zone.STEWARD_ONLY


@pytest.mark.parametrize("rows", [0, 1])
def test_a_table_of_no_or_one_row_has_none(rows):
    assert repeated_columns(FRAME.head(rows), list(FRAME)).value == ()


def test_what_is_alike_at_a_tables_start_alone_is_no_copy():
    start = repeats.START
    values = np.arange(start + 50) % 7
    frame = pd.DataFrame({"x": values, "copy": values * 2, "late": np.append(values[:-1], 3)})
    frame["even at first"] = np.append(np.zeros(start, dtype=int), np.arange(50) % 7)
    frame["even too"] = frame["even at first"] + 1
    assert repeated_columns(frame, list(frame)).value == (("copy", "x"), ("even too", "even at first"))


def test_identifiers_that_several_rows_share_are_found_and_empty_ones_are_none():
    frame = pd.DataFrame(
        {
            "case_id": ["a", "b", "a", "c"],
            "patient_id": ["p", "q", None, None],
            "user_id": ["u", " ", "", "v"],
            "age": [1, 1, 1, 1],
        }
    )
    found = shared_ids(frame)
    assert found.value == ("case_id",)
    assert found.zone is Zone.STEWARD_ONLY
