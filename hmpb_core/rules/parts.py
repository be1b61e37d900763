"""Rules that read a column off a date: its year, month, day, weekday or hour, or the date off a moment."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.dates import write_value
from hmpb_core.domain import Attribute, Categorical, Numeric, Scalar
from hmpb_core.errors import DomainError, Sentence
from hmpb_core.rules.conditions import Conditions, Flags
from hmpb_core.rules.deciding import OfOne
from hmpb_core.rules.kinds import Attributes, all_present
from hmpb_core.rules.reading import View, numbered

Part = Literal["year", "month", "day", "weekday", "hour", "date"]
PARTS: dict[Part, frozenset[str]] = {
    "year": frozenset({"date", "datetime", "yearmonth"}),
    "month": frozenset({"date", "datetime", "yearmonth"}),
    "day": frozenset({"date", "datetime"}),
    "weekday": frozenset({"date", "datetime"}),
    "hour": frozenset({"datetime"}),
    "date": frozenset({"datetime"}),
}
"""The parts, and the kinds of columns that have them. A weekday is its number by ISO 8601: Monday is 1."""
_RANGES: dict[Part, range] = {
    "month": range(1, 13),
    "day": range(1, 32),
    "weekday": range(1, 8),
    "hour": range(24),
}
_DAY = 86_400
_MANY = 800
"""Days in which every month, day and weekday occurs."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartOf(OfOne):
    """A column is a part of a date: the year of an admission, written beside it.

    Attributes:
        column: The part, a whole number, or a date.
        source: The date or moment that it is read off.
        part: Which.
    """

    kind: ClassVar[str] = "partOf"
    part: Part

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        return Sentence(
            "{column!r} is the {part} of {source!r}",
            {"column": self.column, "part": self.part, "source": self.source},
        )

    def check(self, attributes: Attributes) -> None:
        """Refuse what is no date, and a column that cannot hold every part that may occur."""
        source, column = attributes[self.source], attributes[self.column]
        if not isinstance(source, Numeric) or source.kind not in PARTS[self.part]:
            raise DomainError(
                "{column!r} is declared as the {part} of {source!r}, which is no date that has one; take a "
                "column of dates or moments.",
                column=self.column,
                part=self.part,
                source=self.source,
            )
        for value in self._possible(source):
            if self.part == "date" and not _holds_date(column, value):
                raise DomainError(
                    "{column!r} is declared as the date of {source!r}, but is no date by days or cannot hold "
                    "{value}; declare a date whose range holds those of the moments.",
                    column=self.column,
                    source=self.source,
                    value=write_value(value, "date"),
                )
            if self.part != "date" and not _holds(column, value):
                raise DomainError(
                    "{column!r} is declared as the {part} of {source!r}, but cannot hold {value}; declare "
                    "whole numbers that hold every {part} between its minimum and its maximum.",
                    column=self.column,
                    part=self.part,
                    source=self.source,
                    value=value,
                )

    def is_told(self, attributes: Attributes) -> bool:
        """Whether the date alone tells the part: its codes do, as of years, or they are of something else.

        Elsewhere the part is drawn, and the date placed inside its code; see ``placing.py``.
        """
        source, column = attributes[self.source], attributes[self.column]
        if not isinstance(source, Numeric) or not source.learned or self.part in ("year", "date"):
            return True
        counted = source.since or (isinstance(column, Numeric) and column.since)
        return source.kind == "yearmonth" or bool(counted)

    def broken(self, view: View) -> Flags:
        """Where both have a value, and it is not the date's."""
        both = view.present(self.source) & view.present(self.column)
        due = self._of(view)
        broken: Flags = both & (due != view.counted(self.column)) & ~np.isnan(due)
        return broken

    def assigned(self, view: View) -> pd.Series | None:
        """The dates' parts; missing where a date is, if the column may be."""
        column, attribute = view.frame[self.column], view.attributes[self.column]
        due = self._of(view)
        known = ~np.isnan(due)
        parts = column.mask(~known) if attribute.nullable else column.copy()
        if known.any():
            places, numbers = pd.factorize(due[known])
            written = pd.Series([_written(int(n), attribute) for n in numbers], dtype=column.dtype)
            parts[known] = written.array[places]
        return parts

    def impossible(self, attributes: Attributes) -> Flags | None:
        """None: months and days come again, and the column is assigned."""
        return None

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """Both columns have a value."""
        return [all_present(self.columns)]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        return {"kind": self.kind, "column": self.column, "of": self.source, "part": self.part}

    def _of(self, view: View) -> Floats:
        source = view.attributes[self.source]
        assert isinstance(source, Numeric)
        return part_of(view.numbers(self.source), self.part, months=source.kind == "yearmonth")

    def _possible(self, source: Numeric) -> list[int]:
        """Every part that a date between the bounds may have; of dates the first and the last."""
        months = source.kind == "yearmonth"
        unit = _DAY if source.kind == "datetime" else 1
        first, last = math.floor(source.minimum / unit), math.floor(source.maximum / unit)
        if self.part == "date":
            return [first, last]
        if self.part == "year":
            low, high = part_of(np.array([first, last], dtype=float), "year", months=months)
            return list(range(int(low), int(high) + 1))
        if self.part == "hour" or last - first > _MANY:
            return list(_RANGES[self.part])
        found = part_of(np.arange(first, last + 1, dtype=float), self.part, months=months)
        return [int(value) for value in np.unique(found)]


def part_of(dates: Floats, part: Part, *, months: bool = False) -> Floats:
    """Read a part off dates; not a number where there is none.

    Args:
        dates: Days since 1970-01-01, with the time as their fraction, or months since year 0.
        part: Which.
        months: Whether they are months.

    Example:
        >>> [float(part_of(np.array([9735.75]), part)[0]) for part in PARTS]
        [1996.0, 8.0, 27.0, 2.0, 18.0, 9735.0]
        >>> float(part_of(np.array([23959.0]), "month", months=True)[0])
        8.0
    """
    known = np.isfinite(dates)
    found = np.full(dates.shape, math.nan)
    if months:
        count = np.rint(dates[known]).astype(np.int64)
        found[known] = count // 12 if part == "year" else count % 12 + 1
        return found
    seconds = np.rint(dates[known] * _DAY * 1000).astype(np.int64) // 1000  # a moment is kept in days
    days = (seconds // _DAY).astype("datetime64[D]")
    if part == "hour":
        found[known] = seconds % _DAY // 3600
    elif part == "date":
        found[known] = seconds // _DAY
    elif part == "weekday":
        found[known] = (seconds // _DAY + 3) % 7 + 1  # 1970-01-01 was a Thursday
    elif part == "year":
        found[known] = days.astype("datetime64[Y]").astype(np.int64) + 1970
    elif part == "month":
        found[known] = days.astype("datetime64[M]").astype(np.int64) % 12 + 1
    else:
        found[known] = (days - days.astype("datetime64[M]")).astype(np.int64) + 1
    return found


def _holds(attribute: Attribute, value: int) -> bool:
    """Whether a column can hold a whole number."""
    if isinstance(attribute, Categorical):
        return value in numbered(attribute)
    if attribute.listed:
        return value in attribute.listed
    whole = attribute.kind == "year" or (attribute.kind == "number" and attribute.integer)
    return whole and attribute.resolution in (None, 1) and attribute.minimum <= value <= attribute.maximum


def _holds_date(attribute: Attribute, day: int) -> bool:
    """Whether a column can hold a day since 1970-01-01."""
    if not isinstance(attribute, Numeric) or attribute.kind != "date" or attribute.grid.step != 1:
        return False
    return attribute.minimum <= day <= attribute.maximum


def _written(value: int, attribute: Attribute) -> Scalar:
    if isinstance(attribute, Numeric) and attribute.kind == "date":
        return attribute.text(value)
    return numbered(attribute).get(value, value) if isinstance(attribute, Categorical) else value
