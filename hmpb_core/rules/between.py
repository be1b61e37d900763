"""Rules that a column is the time between two dates: days in hospital, seconds of a ride, an age in years.

Or between two times of a day: the seconds of a call, past midnight too.

A drawn time that is short says where the second date lies, as far as its unit tells: it has a range of its
own, and rides of minutes are lost in the range of all dates. One that is long beside that range, tells no
single value of the second date's grid, or is counted by the calendar (an age), is read off the dates instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.dates import DAY, SHORT
from hmpb_core.domain import Attribute, Categorical, Numeric
from hmpb_core.errors import DomainError, Sentence
from hmpb_core.moments import write_values
from hmpb_core.rules.conditions import Conditions, Flags
from hmpb_core.rules.kinds import Attributes, Rule, all_present
from hmpb_core.rules.reading import View, numbered

TimeUnit = Literal["seconds", "minutes", "hours", "days", "weeks", "months", "years"]
UNITS: dict[TimeUnit, int] = {
    "seconds": 1,
    "minutes": 60,
    "hours": 3600,
    "days": DAY,
    "weeks": 7 * DAY,
    "months": 0,
    "years": 0,
}
"""The units in seconds; months and years are those of the calendar, counted when they are full."""
_BROKEN: Mapping[TimeUnit, float] = {"months": 365.25 / 12 * DAY, "years": 365.25 * DAY}
"""Seconds of a month and of a year in columns with decimals: an age of 54.3."""
Rounding = Literal["down", "nearest", "calendar", "inclusive"]
ROUNDINGS: tuple[Rounding, ...] = ("down", "nearest", "calendar", "inclusive")
"""What is left over is cut off or rounded; or turns of the calendar are counted: nights, not full days.

Of what is inclusive the first day counts as well as the last: one more than nights.
"""
_TURNS: Mapping[Rounding, int] = {"calendar": 0, "inclusive": 1}
"""What is counted beside the turns of the calendar."""
DATED = frozenset({"date", "datetime"})
"""The kinds of columns between which there is a time, beside times of a day."""
_CLOSE = 1e-6
"""Part of a step, and of a second, by which times may miss it: moments are kept in days."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBetween:
    """A column is the time from one date or moment to another.

    Attributes:
        column: The time: numbers in the unit, or durations.
        start: The first date.
        end: The second.
        unit: What is counted; of durations seconds.
        rounded: How a time that is no multiple of the column's step became one; "calendar" counts how often
            a new day (hour, year) began, "inclusive" one more.
        places_end: Whether a drawn time decides the second date, and not the dates the time; see ``settled``.
        emptied: Whether what is decided is missing just where one of the others is; where it is not the model
            tells who has one. None where the model has not told, or it is known where the others are not:
            then what was drawn stays.
    """

    kind: ClassVar[str] = "timeBetween"
    column: str
    start: str
    end: str
    unit: TimeUnit
    rounded: Rounding = "down"
    places_end: bool = field(default=False, compare=False, repr=False)
    emptied: bool | None = field(default=None, compare=False, repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The dates, then the time."""
        return (self.start, self.end, self.column)

    @property
    def target(self) -> str | None:
        """What is decided: the second date, or the time."""
        return self.end if self.places_end else self.column

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        return Sentence(
            "{column!r} is the time from {start!r} to {end!r} in {unit}",
            {"column": self.column, "start": self.start, "end": self.end, "unit": self.unit},
        )

    def check(self, attributes: Attributes) -> None:
        """Refuse what are no dates, and a column that cannot count the time between them."""
        dated = has_time_between(attributes[self.start], attributes[self.end])
        if not dated or len(set(self.columns)) < len(self.columns):
            raise DomainError(
                "{column!r} is declared as the time from {start!r} to {end!r}, which are not two other "
                "columns of dates or moments, or two of times of a day; name two.",
                column=self.column,
                start=self.start,
                end=self.end,
            )
        column = attributes[self.column]
        if isinstance(column, Numeric) and column.kind == "duration" and self.unit != "seconds":
            raise DomainError(
                "{column!r} is declared as a time in {unit}, but holds durations, which are counted in "
                "seconds; take the unit 'seconds'.",
                column=self.column,
                unit=self.unit,
            )
        if not counts_time(column):
            raise DomainError(
                "{column!r} is declared as a time in {unit}, but holds neither numbers nor durations; "
                "declare it so.",
                column=self.column,
                unit=self.unit,
            )

    def can_place(self, attributes: Attributes) -> bool:
        """Whether times tell second dates: these are as fine, and have far more room than the longest time.

        Where they have less, drawn dates are about as sharp as the times, and keep their own distribution.
        Not where a time may be below zero: no date is modelled by such a one (``since.py``).
        """
        width, end = self._width(attributes), attributes[self.end]
        if not isinstance(end, Numeric) or width < _seconds_of(end)[1]:
            return False
        if not is_of_day(end) and min(_ends(attributes[self.column])) < 0:
            return True
        longest = max(map(abs, _ends(attributes[self.column]))) * self._size(attributes)
        return SHORT * longest <= (end.maximum - end.minimum) * _seconds_of(end)[0]

    def never_falls(self, attributes: Attributes) -> bool:
        """Whether the second date can never be before the first: no time is declared below zero.

        A time of a day may be past midnight, and on one day of the calendar a moment before the other, but
        no day before itself.
        """
        if is_of_day(attributes[self.end]):
            return False
        days = self.unit == "days" and all(_holds_days(attributes[name]) for name in (self.start, self.end))
        turn = self.rounded in _TURNS and not days
        return min(_ends(attributes[self.column])) >= self._beside + turn

    def broken(self, view: View) -> Flags:
        """Where all have a value, and the time is another one."""
        time, step = self._times(view), _step_of(view.attributes[self.column])
        near, cut = _CLOSE * max(step, 1.0), self._cut(view.attributes)
        over = time - view.counted(self.column)
        if not step:
            return np.abs(over) > cut + _CLOSE * np.maximum(1.0, np.abs(time))
        if self.rounded == "nearest":
            return np.abs(over) > step / 2 + near + cut
        broken: Flags = (over < -near - cut) | (over >= step - near + cut)
        return broken

    def assigned(self, view: View) -> pd.Series | None:
        """The second dates, or the times, where the column can hold them.

        Where one of the other two columns is missing they are what ``emptied`` says, if they may be missing.
        """
        name = str(self.target)
        attribute, column = view.attributes[name], view.frame[name]
        due = self._second_dates(view) if self.places_end else self._rounded(view)
        known = ~np.isnan(due) & (view.present(name) if self.emptied is False else True)
        emptied = attribute.nullable and self.emptied is not None
        values = column.mask(~known) if emptied else column.copy()
        fits = known & _held(due, attribute)
        values[fits] = pd.Series(_written(due[fits], attribute), dtype=column.dtype).array
        return values

    def ends(self, attributes: Attributes) -> set[float]:
        """The second dates of the shortest and the longest times, in days, those of a day in seconds.

        They are tried since times are short beside all dates.

        Of months and years there are none: they are long.
        """
        size, start = self._size(attributes), attributes[self.start]
        times = [(time - self._beside) * size for time in _ends(attributes[self.column]) if size]
        assert isinstance(start, Numeric)
        firsts = [bound * _seconds_of(start)[0] for bound in (start.minimum, start.maximum)]
        if is_of_day(start):
            return {(first + time) % DAY for first in firsts for time in times}
        return {(first + time) / DAY for first in firsts for time in times}

    def impossible(self, attributes: Attributes) -> Flags | None:
        """None: most cells can hold such times or not; the column is assigned."""
        return None

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """All columns have a value."""
        return [all_present(self.columns)]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        written = {
            "kind": self.kind,
            "column": self.column,
            "from": self.start,
            "to": self.end,
            "unit": self.unit,
        }
        return written if self.rounded == "down" else {**written, "rounded": self.rounded}

    def _width(self, attributes: Attributes) -> float:
        """Seconds that one value of the column stands for; 0 where they are not always as many."""
        return _step_of(attributes[self.column]) * self._size(attributes)

    def _size(self, attributes: Attributes) -> float:
        """Seconds of the unit; 0 for months and years of the calendar, which whole numbers count."""
        step = _step_of(attributes[self.column])
        whole = self.rounded in _TURNS or (step > 0 and step % 1 == 0)
        return UNITS[self.unit] if whole else _BROKEN.get(self.unit, UNITS[self.unit])

    def _cut(self, attributes: Attributes) -> float:
        """What the time may be off where moments are read in whole seconds: of 10.9 and 20.1 it was 9."""
        dates, size = [attributes[name] for name in (self.start, self.end)], self._size(attributes)
        seconds = any(isinstance(d, Numeric) and d.kind != "date" and d.grid.step == 1 for d in dates)
        return 1 / size if seconds and size and self.rounded not in _TURNS else 0.0

    @property
    def _beside(self) -> int:
        return _TURNS.get(self.rounded, 0)

    def _times(self, view: View) -> Floats:
        if (size := self._size(view.attributes)) != UNITS[self.unit]:
            return times_of(view, self.start, self.end, "days") * DAY / size
        turns = self.rounded in _TURNS
        return times_of(view, self.start, self.end, self.unit, turns=turns) + self._beside

    def _rounded(self, view: View) -> Floats:
        """The times as multiples of the column's step."""
        step, times = _step_of(view.attributes[self.column]), self._times(view)
        if not step:
            return times
        shift = 0.5 if self.rounded == "nearest" else _CLOSE
        rounded: Floats = np.round(np.floor(times / step + shift) * step, 9)
        return rounded

    def _second_dates(self, view: View) -> Floats:
        """The second dates in their own unit: of those that have the time, the one with the drawn one's rest.

        A time in minutes leaves the second open, one in days the hour: those of the drawn date are kept.
        """
        end, size = view.attributes[self.end], self._size(view.attributes)
        assert isinstance(end, Numeric)
        unit, step = _seconds_of(end)
        width = self._width(view.attributes)
        start, drawn = (_seconds(view, name) for name in (self.start, self.end))
        least = start + (view.counted(self.column) - self._beside) * size
        if self.rounded == "nearest":
            least = least - width / 2
        if self.rounded in _TURNS:
            least = least - (start - _turn_of(self.unit)) % size
        first, beyond = (np.ceil(edge / step - _CLOSE) for edge in (least, least + width))
        places = first + (np.floor(np.nan_to_num(drawn) / step + _CLOSE) - first) % np.maximum(
            1, beyond - first
        )
        if (
            min(_ends(view.attributes[self.column])) >= self._beside
        ):  # where one can be, none before the start
            after = np.ceil(start / step - _CLOSE)
            late = (places < after) & (after < beyond)
            places = np.where(late, after + (places - after) % np.maximum(1, beyond - after), places)
        dates: Floats = places * step / unit
        return dates % DAY if is_of_day(end) else dates


def settled(rules: Sequence[Rule], attributes: Attributes) -> tuple[Rule, ...]:
    """Say of each time whether it decides the second date: where it can, and nothing else decides either."""
    found: list[Rule] = []
    for place, rule in enumerate(rules):
        if not isinstance(rule, TimeBetween):
            found.append(rule)
            continue
        others = {other.target for other in (*found, *rules[place + 1 :]) if other.kind != "askedIf"}
        free = not others & {rule.end, rule.column}
        found.append(replace(rule, places_end=free and rule.can_place(attributes)))
    return tuple(found)


def times_of(view: View, start: str, end: str, unit: TimeUnit, *, turns: bool = False) -> Floats:
    """Give the times between two columns; those of a day are counted on past midnight.

    Args:
        view: The rows.
        start: The first date.
        end: The second.
        unit: What is counted.
        turns: Whether it is counted how often one began.
    """
    first, last = (_seconds(view, name) / DAY for name in (start, end))
    times = (turns_between if turns else time_between)(first, last, unit)
    of_day = is_of_day(view.attributes[end]) and UNITS[unit]
    return times % (DAY / UNITS[unit]) if of_day else times


def time_between(start: Floats, end: Floats, unit: TimeUnit) -> Floats:
    """Give the time from one date to another; of months and years the full ones.

    Args:
        start: Days since 1970-01-01, with the time as their fraction; not a number where there is none.
        end: The same.
        unit: What is counted.

    Example:
        >>> born, seen = np.array([0.0, 30.0]), np.array([365.5, 59.0])  # the second: 31 January, 1 March
        >>> [time_between(born, seen, unit).tolist() for unit in ("hours", "days", "months", "years")]
        [[8772.0, 696.0], [365.5, 29.0], [12.0, 1.0], [1.0, 0.0]]
    """
    if seconds := UNITS[unit]:
        return np.round((end - start) * DAY, 3) / seconds
    found = np.full(start.shape, math.nan)
    known = np.isfinite(start) & np.isfinite(end)
    (month, day), (last, last_day) = _month_and_day(start[known]), _month_and_day(end[known])
    months = last - month - (last_day < day - _CLOSE)
    found[known] = months if unit == "months" else months // 12
    return found


def turns_between(start: Floats, end: Floats, unit: TimeUnit) -> Floats:
    """Count how often a new day, hour, year and so on began; weeks begin on Mondays.

    Args:
        start: Days since 1970-01-01, with the time as their fraction; not a number where there is none.
        end: The same.
        unit: What began.

    Example:
        >>> came, left = np.array([0.9]), np.array([1.1])  # from 21:36 on a Thursday to 02:24 on the Friday
        >>> [turns_between(came, left, unit).tolist() for unit in ("hours", "days", "weeks", "years")]
        [[5.0], [1.0], [0.0], [0.0]]
    """
    if size := UNITS[unit]:
        first, last = (np.round(dates * DAY, 3) - _turn_of(unit) for dates in (start, end))
        return np.floor(last / size) - np.floor(first / size)
    found = np.full(start.shape, math.nan)
    known = np.isfinite(start) & np.isfinite(end)
    months, size = (_month_and_day(dates[known])[0] for dates in (start, end)), 12 if unit == "years" else 1
    first, last = (month // size for month in months)
    found[known] = last - first
    return found


def _turn_of(unit: TimeUnit) -> int:
    """Seconds since 1970 of a moment at which one of the units began: a Monday for weeks."""
    return 4 * DAY if unit == "weeks" else 0


def _month_and_day(dates: Floats) -> tuple[Floats, Floats]:
    """Months since January 1970, and days since the first of that month with the time as their fraction."""
    days = np.floor(dates + _CLOSE / DAY).astype(np.int64).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    first = months.astype("datetime64[D]").astype(np.int64)
    return months.astype(np.int64).astype(float), dates - first


def counts_time(attribute: Attribute) -> bool:
    """Whether a column can hold a time: numbers, durations, or a list that has whole numbers."""
    if isinstance(attribute, Categorical):
        return bool(numbered(attribute))
    whole = attribute.integer or all(float(number).is_integer() for number in attribute.listed)
    return attribute.kind in ("number", "duration") and whole


def is_of_day(attribute: Attribute) -> bool:
    """Whether a column holds times of a day."""
    return isinstance(attribute, Numeric) and attribute.kind == "time"


def _holds_days(attribute: Attribute) -> bool:
    return isinstance(attribute, Numeric) and attribute.kind == "date"


def has_time_between(start: Attribute, end: Attribute) -> bool:
    """Whether there is a time from one column to the other: two of dates or moments, or of times of a day."""
    kinds = [date.kind if isinstance(date, Numeric) else "" for date in (start, end)]
    return DATED.issuperset(kinds) or kinds == ["time", "time"]


def _seconds(view: View, name: str) -> Floats:
    """Seconds since 1970, or of a time of a day since midnight."""
    return np.round(view.numbers(name) * (1 if is_of_day(view.attributes[name]) else DAY), 3)


def _ends(attribute: Attribute) -> tuple[float, float]:
    """The shortest and the longest time."""
    if isinstance(attribute, Categorical):
        return min(numbered(attribute)), max(numbered(attribute))
    return attribute.minimum, attribute.maximum


def _step_of(attribute: Attribute) -> float:
    """What the column's values are multiples of; 0 where they are of nothing."""
    if isinstance(attribute, Categorical) or attribute.listed:
        return 1.0
    return float(attribute.grid.step) if attribute.on_grid else 0.0


def _seconds_of(date: Numeric) -> tuple[int, float]:
    """Seconds of the unit in which a date is kept, and of its grid's step."""
    unit = DAY if date.kind == "date" else 1
    return unit, float(date.grid.step) * unit


def _held(values: Floats, attribute: Attribute) -> Flags:
    """Whether a column can hold each of these."""
    if isinstance(attribute, Categorical) or attribute.listed:
        listed = numbered(attribute) if isinstance(attribute, Categorical) else attribute.listed
        return np.isin(values, list(listed))
    held: Flags = (values >= attribute.minimum) & (values <= attribute.maximum)
    return held


def _written(values: Floats, attribute: Attribute) -> Any:
    """Numbers as the column has them."""
    if isinstance(attribute, Categorical):
        categories = numbered(attribute)
        return [categories[round(number)] for number in values]
    if attribute.kind != "number":
        decimals = attribute.grid.decimals
        return write_values(values, attribute.kind, attribute.format, decimals=decimals).to_pylist()
    return np.rint(values).astype(np.int64) if attribute.integer else attribute.stored(values)
