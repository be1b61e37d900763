"""Dates such as 7/9/14, of which no row tells whether the day or the month stands first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from hmpb_core.categories import texts_of
from hmpb_core.provenance import Origin, provenance_of
from hmpb_core.sources.drafting.signs import distinct
from hmpb_core.sources.drafting.writings import dates_of, starts_with


def orders_of(entry: Mapping[str, Any], column: pd.Series, missing: Sequence[str]) -> dict[str, Any]:
    """Give the readings of a guessed column of dates by what stands first, ``d`` or ``m``; else nothing.

    Args:
        entry: The guessed field.
        column: Its values.
        missing: Texts that mean a missing value where the field names none.
    """
    if provenance_of(entry).origin is not Origin.GUESS or not starts_with(entry):
        return {}
    absent = {"", *(texts_of(entry["missingValues"]) if "missingValues" in entry else missing)}
    texts = sorted(text for text in distinct(column).counts if text not in absent)
    found = dates_of(texts, {key: True for key in ("required",) if key in entry.get("constraints", {})})
    return {first: way for way in reversed(found) if (first := starts_with(way))}


def in_one_order(
    fields: Sequence[dict[str, Any]], frame: pd.DataFrame, missing: Sequence[str]
) -> list[dict[str, Any]]:
    """Read dates that could be read either way as the table's other dates are, where these tell.

    Args:
        fields: A draft's fields, in the order of the columns.
        frame: The table.
        missing: Texts that mean a missing value where a field names none.
    """
    orders = [orders_of(entry, frame.iloc[:, i], missing) for i, entry in enumerate(fields)]
    told = {first for ways in orders if len(ways) == 1 for first in ways}
    if len(told) != 1:
        return list(fields)
    first = told.pop()
    return [
        {**entry, **ways[first]} if first in ways and starts_with(entry) != first else entry
        for entry, ways in zip(fields, orders, strict=True)
    ]


def in_either_order(
    fields: Sequence[dict[str, Any]], frame: pd.DataFrame, missing: Sequence[str] = ("",)
) -> list[str]:
    """Name the columns of a draft whose dates may have the day or the month first, as far as rows tell."""
    orders = {entry["name"]: orders_of(entry, frame[entry["name"]], missing) for entry in fields}
    told = any(len(ways) == 1 for ways in orders.values())
    return [name for name, ways in orders.items() if len(ways) > 1 and not told]
