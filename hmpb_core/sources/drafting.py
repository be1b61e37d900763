"""Drafts of a codebook: guesses, every one of them marked as not yet declared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

MANY_VALUES = 40
USUAL_MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")


def draft_from_header(names: Sequence[str]) -> dict[str, Any]:
    """Draft a codebook that knows the names only.

    Nothing of the rows is used, so the draft leaks nothing; it cannot be used before the
    steward gives every field its categories or its bounds.
    """
    fields = [
        {"name": name, "type": "string", "categories": [], "categoriesOrdered": False, "declared": False}
        for name in names
    ]
    return {"fields": fields, "missingValues": [""]}


def draft_from_rows(frame: pd.DataFrame) -> dict[str, Any]:
    """Guess a codebook from the rows.

    Whole numbers of many values get bounds rounded outwards to two digits; everything else
    gets its categories. What is read off the rows is not public: until the steward confirms
    each field, nothing made with this codebook can be released.
    """
    missing = sorted(
        {m for m in USUAL_MISSING if any((frame[c].astype(str) == m).any() for c in frame.columns)}
    )
    fields = [_guess(str(name), frame[name], set(missing)) for name in frame.columns]
    return {"fields": fields, "missingValues": missing or [""]}


def _guess(name: str, column: pd.Series, missing: set[str]) -> dict[str, Any]:
    values = column.dropna()
    texts = values.astype(str).str.strip()
    values = values[~texts.isin(missing)]
    constraints: dict[str, Any] = {"required": True} if len(values) == len(column) else {}
    numbers = pd.to_numeric(values, errors="coerce")
    distinct = values.nunique()
    if len(values) and numbers.notna().all() and distinct > MANY_VALUES // 2:
        whole = bool((numbers % 1 == 0).all())
        low, high = _outwards(float(numbers.min()), float(numbers.max()), whole=whole)
        return {
            "name": name,
            "type": "integer" if whole else "number",
            "constraints": {"minimum": low, "maximum": high, **constraints},
            "bins": 16,
            "declared": False,
        }
    whole = bool(len(values)) and bool(numbers.notna().all()) and bool((numbers % 1 == 0).all())
    categories: list[Any] = (
        sorted(int(n) for n in numbers.unique()) if whole else sorted(values.astype(str).str.strip().unique())
    )
    return {
        "name": name,
        "type": "integer" if whole else "string",
        "categories": categories,
        "categoriesOrdered": whole,
        **({"constraints": constraints} if constraints else {}),
        "declared": False,
    }


def _outwards(low: float, high: float, *, whole: bool) -> tuple[float, float]:
    """Round bounds outwards to two digits of the range."""
    span = max(high - low, 1.0)
    step = 10.0 ** (math.floor(math.log10(span)) - 1)
    if whole:
        step = max(step, 1.0)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    return (int(low), int(high)) if whole else (low, high)
