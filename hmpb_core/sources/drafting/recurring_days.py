"""Days that come again and again: of elections, terms and waves of a survey; moments of exports.

Noise would put a good part of the rows on days between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.categories import texts_of
from hmpb_core.dates import DAY, read_value
from hmpb_core.provenance import Origin, provenance_of
from hmpb_core.rules.suggested import suggested_rules
from hmpb_core.sources.drafting.date_forms import NUMBERED
from hmpb_core.sources.drafting.numerals import FEW_OF_GRID, NAMED_ROWS, ROWS_OF_VALUE
from hmpb_core.sources.drafting.signs import distinct

MOST_DAYS = 100
"""Days of such a list: of more, a calendar says better which there are."""
FEW_DAYS, ROWS_OF_FEW = 5, 50
"""Fewer days than these have as many rows each: learned bins find them in long tables, but of 435 rows in 23
columns nearly all left beside four days."""


def with_recurring_days(
    fields: Sequence[dict[str, Any]], frame: pd.DataFrame, missing: Sequence[str]
) -> list[dict[str, Any]]:
    """List the days of guessed dates that have few, each of many rows and most far from each other.

    So are moments to the second that so many rows share, however near each other: none is of one row alone.
    A date that the names of columns put in order with another, or that has a part beside it, stays one: of a
    list no rule could say so.

    Args:
        fields: A draft's fields, in the order of the columns.
        frame: The table.
        missing: Texts that mean a missing value where a field names none.
    """
    rules = suggested_rules({"fields": list(fields)})
    ruled = {name for rule in rules for name in (*rule.get("columns", ()), rule.get("of"))}
    return [
        _listed(entry, frame.iloc[:, i], missing) if entry["name"] not in ruled else entry
        for i, entry in enumerate(fields)
    ]


def _listed(entry: dict[str, Any], column: pd.Series, missing: Sequence[str]) -> dict[str, Any]:
    moments = entry.get("type") == "datetime" and entry.get("multipleOf", 1) < DAY
    guessed = (moments or entry.get("type") == "date") and provenance_of(entry).origin is Origin.GUESS
    if (
        not guessed or "unknown" in entry or entry.get("format") in NUMBERED
    ):  # of those the format is to be seen
        return entry
    absent = {"", *(texts_of(entry["missingValues"]) if "missingValues" in entry else missing)}
    counts = {text: rows for text, rows in distinct(column).counts.items() if text not in absent}
    if not 0 < len(counts) <= MOST_DAYS or min(counts.values()) < NAMED_ROWS:
        return entry
    days = {text: read_value(text, entry["type"], entry.get("format", "")) for text in counts}
    numbers = [day for day in days.values() if day is not None]
    rows = ROWS_OF_FEW if len(counts) < FEW_DAYS else ROWS_OF_VALUE
    often = sum(counts.values()) >= rows * len(counts)
    near = len(counts) > 1 and not moments and np.ptp(numbers) + 1 < FEW_OF_GRID * len(counts)
    if not often or len(set(numbers)) < len(counts) or near:
        return entry
    kept = {key: value for key, value in entry.items() if key not in ("format", "bins", "multipleOf")}
    limits = {"constraints": {"required": True}} if "required" in entry["constraints"] else {}
    kept.pop("constraints")
    listed = [text for text, _ in sorted(days.items(), key=lambda item: item[1] or 0)]
    return {**kept, "type": "string", "categories": listed, "categoriesOrdered": True, **limits}
