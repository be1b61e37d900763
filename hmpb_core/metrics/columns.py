"""What stands in a column: mean, standard deviation, quantiles, commonest values, missing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.dates import DAY
from hmpb_core.domain import Attribute, Categorical, Numeric
from hmpb_core.metrics.values import COMMONEST, QUANTILES, deviation, is_number
from hmpb_core.texts import text_of

Floats = NDArray[np.float64]

_SPREAD = {
    "date": (1, "d"),
    "datetime": (DAY, "d"),
    "time": (3600, "h"),
    "duration": (3600, "h"),
    "yearmonth": (1, "mo"),
}
"""Unit of a standard deviation by what the numbers are, and its sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSummary:
    """One column of one table.

    Attributes:
        mean: Mean; None for texts, or where every value is missing.
        sd: Standard deviation.
        quantiles: The quantiles ``values.QUANTILES``.
        missing: Share of missing values.
        shares: Share of each value that was asked for.
    """

    mean: float | None
    sd: float | None
    quantiles: tuple[float, ...] | None
    missing: float
    shares: tuple[float, ...] = field(repr=False)


def summary(values: Floats, attribute: Attribute, shown: Floats) -> ColumnSummary:
    """Sum a column up.

    Args:
        values: The column, from ``values.numbers_of``.
        attribute: Its attribute.
        shown: Values whose shares are wanted.
    """
    known = values[~np.isnan(values)]
    numeric = is_number(attribute) and len(known) > 0
    meant = known
    if numeric and isinstance(attribute, Categorical):
        meant = np.array(attribute.categories, dtype=float)[known.astype(int)]
    return ColumnSummary(
        mean=float(meant.mean()) if numeric else None,
        sd=deviation(meant) if numeric else None,
        quantiles=tuple(np.quantile(meant, QUANTILES).tolist()) if numeric else None,
        missing=float(np.isnan(values).mean()) if len(values) else 0.0,
        shares=tuple(float((known == value).mean()) if len(known) else 0.0 for value in shown),
    )


def commonest(values: Floats, count: int = COMMONEST) -> Floats:
    """The commonest values of a column, commonest first; of equal ones the smaller first."""
    held, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    top: Floats = held[np.argsort(-counts, kind="stable")[:count]]
    return top


def written(attribute: Attribute, number: float) -> str:
    """How a value of ``values.numbers_of`` is written: a category's text, a date, a number."""
    if isinstance(attribute, Categorical):
        return text_of(attribute.categories[int(number)])
    return attribute.text(number)


def level_text(attribute: Attribute, value: float) -> str:
    """How a mean or a quantile is written: a date as a date, a number with four digits, thousands whole.

    Example:
        >>> level_text(Numeric(name="seen", minimum=0, maximum=9e4, kind="date"), 9735.6)
        '1996-08-27'
    """
    if isinstance(attribute, Numeric) and attribute.kind in _SPREAD:
        return attribute.text(math.floor(value))
    if isinstance(attribute, Numeric) and attribute.kind == "year":
        return f"{value:.6g}"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}"


def spread_text(attribute: Attribute, value: float, word: Callable[[str], str] = str) -> str:
    """How a standard deviation is written: that of dates in days, that of times in hours.

    Args:
        attribute: What it is of.
        value: The standard deviation.
        word: Says a unit's sign in the reader's language.
    """
    if isinstance(attribute, Numeric) and attribute.kind in _SPREAD:
        unit, sign = _SPREAD[attribute.kind]
        return f"{value / unit:,.4g} {word(sign)}"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}"
