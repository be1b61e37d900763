"""Heaps finer than any bin: how much likelier a value is than its neighbours, by what divides it.

People round: salaries to hundreds, minutes to quarters of an hour, prices to 99 cents; offices work from
Monday to Friday. A value's mark is the first of a public list of such patterns that it shows.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hmpb_core.dates import NumericKind
from hmpb_core.errors import DomainError

Floats = NDArray[np.float64]
Positions = NDArray[np.int64]

CYCLE = 146_097
"""Days after which the calendar repeats itself, weekdays too: 400 years."""
LEAST_GRID = 32
"""Values of the smallest grid that marks are counted of."""
FEWEST_MULTIPLES = 8
"""A mark that fewer values of a grid show is left out."""
_ENDINGS = (("99", 100), ("999", 1000), ("95", 100), ("9", 10))
"""Endings of prices, each with what it is a remainder of."""
_MOST_PERIOD = 100_000
_LONGEST = 1_000_000
"""Values of the grid after which marks repeat themselves at most: a day of milliseconds has more."""
_SECONDS = (86_400, 43_200, 3_600, 1_800, 900, 300, 60, 30, 10, 5)
_DAYS = (365, 30, 28, 14, 7)
_WEEK = ("Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday")
"""Weekdays from that of the first day of 1970."""
_FIRST_OF_YEAR, _FIRST_OF_MONTH, _MIDDLE = "1 January", "1st of a month", "15th of a month"


def marks_of(kind: NumericKind, size: int, step: Fraction = Fraction(1)) -> tuple[str, ...]:
    """Give the marks that the values of a grid are told apart by: a public rule. The last one takes the rest.

    Args:
        kind: What the numbers are.
        size: Number of values of the grid.
        step: Its step: in days for a date, in seconds for other times.

    Returns:
        Marks in steps of the grid, the first that fits counts; none where there is nothing to tell apart.

    Example:
        >>> marks_of("number", 200)
        ('25', '20', '10', '9 of 10', '5', '2', '1')
        >>> marks_of("time", 1440, Fraction(60))
        ('60', '30', '15', '5', '1')
    """
    if size < LEAST_GRID or kind in ("year", "yearmonth"):
        return ()
    if kind == "date":
        if step != 1:
            return ()
        return (_FIRST_OF_YEAR, _FIRST_OF_MONTH, _MIDDLE, *_WEEK) if size >= 2 * 366 else _WEEK
    if kind != "number":
        steps = [int(every / step) for every in _SECONDS if every % step == 0 and every > step]
        shown = [str(every) for every in steps if size >= FEWEST_MULTIPLES * every and every < _LONGEST]
        return (*shown, "1") if shown else ()
    found: list[tuple[int, str]] = [(every, str(every)) for every in (25, 20, 2)]
    power = 10
    while power <= _MOST_PERIOD:
        found += [(power, str(power)), (power // 2, str(power // 2))]
        power *= 10
    found += [(every, f"{ending} of {every}") for ending, every in _ENDINGS]
    fits = [(every, mark) for every, mark in found if size >= FEWEST_MULTIPLES * every]
    return (*(mark for _, mark in sorted(fits, key=lambda pair: -pair[0])), "1")


def cycles_of(kind: NumericKind, size: int, step: Fraction = Fraction(1)) -> tuple[tuple[str, ...], ...]:
    """Give the marks of the hours of a day and of the days of a week, beside those of ``marks_of``.

    Args:
        kind: What the numbers are; only moments have both a day and a time.
        size: Number of values of the grid.
        step: Its step in seconds.

    Returns:
        For each cycle the marks of its parts: ``3/24 of 86400`` is the fourth hour; weeks begin on Thursday.

    Example:
        >>> [len(marks) for marks in cycles_of("datetime", 10**7)]
        [24, 7]
        >>> cycles_of("date", 10**4)
        ()
    """
    if kind != "datetime" or 86_400 % step:
        return ()
    found = []
    for parts, seconds in ((24, 86_400), (7, 7 * 86_400)):
        every = int(seconds / step)
        if every % parts == 0 and size >= FEWEST_MULTIPLES * every and every < _LONGEST:
            found.append(tuple(f"{part}/{parts} of {every}" for part in range(parts)))
    return tuple(found)


def marks_of_times(kind: NumericKind, size: int, step: Fraction = Fraction(1)) -> tuple[str, ...]:
    """Give the marks of the times between two dates: whole weeks and years, or what a time shows.

    Args:
        kind: What the two are.
        size: Number of values of the grid.
        step: Its step: in days between dates, in seconds between other times.

    Example:
        >>> marks_of_times("date", 1000)
        ('30', '28', '14', '7', '1')
    """
    if kind in ("datetime", "time"):
        return marks_of("duration", size, step)
    if size < LEAST_GRID or kind != "date" or step != 1:
        return ()
    return (*(str(every) for every in _DAYS if size >= FEWEST_MULTIPLES * every), "1")


@lru_cache(maxsize=64)
def classes_of(marks: tuple[str, ...]) -> NDArray[np.int64]:
    """Give the place of the mark of every value, over one period; read-only.

    Args:
        marks: The marks; see ``marks_of``.

    Returns:
        Entry r is the place, among the marks, of the first that a value with the remainder r shows.

    Raises:
        DomainError: a mark is none, or some value would show none.

    Example:
        >>> classes_of(("4", "2", "1")).tolist()
        [0, 2, 1, 2]
    """
    if set(marks) & {_FIRST_OF_YEAR, _FIRST_OF_MONTH, _MIDDLE, *_WEEK}:
        days = np.arange(CYCLE).astype("datetime64[D]")
        in_month = (days - days.astype("datetime64[M]")).astype(np.int64)
        shown = {
            _FIRST_OF_YEAR: days == days.astype("datetime64[Y]"),
            _FIRST_OF_MONTH: in_month == 0,
            _MIDDLE: in_month == 14,
        } | {name: np.arange(CYCLE) % 7 == day for day, name in enumerate(_WEEK)}
        if not set(marks) <= set(shown):
            raise _unreadable()
        fits = [shown[mark] for mark in marks]
    else:
        shown_by = [_remainder(mark) for mark in marks]
        period = math.lcm(*(every for _, _, every in shown_by)) if shown_by else 0
        if not 0 < period <= _LONGEST:
            raise _unreadable()
        fits = [np.arange(period) % every * parts // every == part for part, parts, every in shown_by]
    table: Positions = np.argmax(fits, axis=0).astype(np.int64)
    if not np.any(fits, axis=0).all():
        raise _unreadable()
    table.flags.writeable = False
    return table


def _remainder(mark: str) -> tuple[int, int, int]:
    """Which of how many parts of what period shows a mark; its parts are single values unless it says."""
    found = re.fullmatch(r"(?:(\d{1,6})(?:/([1-9]\d?))? of )?([1-9]\d{0,5})", mark)
    if found is None:
        raise _unreadable()
    every = int(found[3])
    return int(found[1] or 0), int(found[2] or every), every


def _unreadable() -> DomainError:
    return DomainError("The heaps of a number's values cannot be read; fetch the bundle again.")


@dataclass(frozen=True, slots=True)
class Heaps:
    """How likely each value of a grid is beside its neighbours, by its mark.

    Attributes:
        marks: The marks, in the order in which they are tried.
        weights: The weight of a value that shows each mark; above 0.
        first: The grid's first value, in steps.
        cycles: Marks and weights of hours and weekdays, by which those are multiplied; see ``cycles_of``.
    """

    marks: tuple[str, ...]
    weights: tuple[float, ...] = field(repr=False)
    first: int
    cycles: tuple[tuple[tuple[str, ...], tuple[float, ...]], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        period = 1
        for marks, weights in self._factors:
            alike = len(marks) == len(weights) > 0
            if not alike or not all(0 < weight < math.inf for weight in weights):
                raise _unreadable()
            period = math.lcm(period, classes_of(marks).size)
        if period > _LONGEST:
            raise _unreadable()

    def multiplied(self, marks: tuple[str, ...], weights: Floats) -> Heaps:
        """The same with one cycle more."""
        return replace(self, cycles=(*self.cycles, (marks, tuple(weights.tolist()))))

    def mean_weights(self, marks: tuple[str, ...]) -> Floats:
        """Give the mean weight of the values that show each of other marks."""
        classes, weights = classes_of(marks), self.over_a_period()
        period = math.lcm(classes.size, weights.size)
        shown = np.tile(classes, period // classes.size)
        sums = np.bincount(shown, np.tile(weights, period // weights.size), minlength=len(marks))
        means: Floats = sums / np.maximum(np.bincount(shown, minlength=len(marks)), 1)
        return means

    def over_a_period(self) -> Floats:
        """Give the weight of every value of a period."""
        whole = np.ones(1)
        for marks, weights in self._factors:
            own = np.array(weights)[classes_of(marks)]
            period = math.lcm(whole.size, own.size)
            whole = np.tile(whole, period // whole.size) * np.tile(own, period // own.size)
        return whole

    @property
    def _factors(self) -> tuple[tuple[tuple[str, ...], tuple[float, ...]], ...]:
        return (self.marks, self.weights), *self.cycles

    def inside(self, lows: Positions, highs: Positions, levels: Floats) -> Positions:
        """Give the positions at which parts of the intervals' weight are reached.

        Args:
            lows: First position of each interval.
            highs: One past the last position of each.
            levels: Part of the interval's weight that lies before the value; from 0 to below 1.
        """
        before = self._before()
        period, whole = before.size - 1, float(before[-1])
        shift = self._shift(lows, period)
        starts, ends = before[lows - shift], _upto(before, highs - shift)
        target = starts + levels * (ends - starts)
        turns = np.floor(target / whole).astype(np.int64)
        rest = np.searchsorted(before, target - turns * whole, side="right") - 1
        found: Positions = np.clip(shift + turns * period + rest, lows, highs - 1)
        return found

    def weight(self, lows: Positions, highs: Positions) -> Floats:
        """Give the weight of all positions of each interval; see ``inside``."""
        before = self._before()
        shift = self._shift(lows, before.size - 1)
        total: Floats = _upto(before, highs - shift) - before[lows - shift]
        return total

    def _before(self) -> Floats:
        """The weight of the values before each of a period, and of all of it."""
        return np.concatenate([[0.0], np.cumsum(self.over_a_period())])

    def _shift(self, lows: Positions, period: int) -> Positions:
        """Where the period begins in which an interval does."""
        return (lows + self.first) // period * period - self.first


def _upto(before: Floats, places: Positions) -> Floats:
    """The weight of everything before some places; it repeats itself."""
    period = before.size - 1
    total: Floats = (places // period) * before[-1] + before[places % period]
    return total


def members(marks: tuple[str, ...], first: int, lows: Positions, highs: Positions) -> Floats:
    """Count the positions of every interval that show each mark.

    Args:
        marks: The marks.
        first: The grid's first value, in steps.
        lows: First position of each interval.
        highs: One past the last position of each.

    Returns:
        Shape (intervals, marks).
    """
    classes = classes_of(marks)
    period = classes.size
    low, high = (np.asarray(ends, dtype=np.int64) + first for ends in (lows, highs))
    counts = np.empty((low.size, len(marks)))
    for place in range(len(marks)):
        residues = np.flatnonzero(classes == place)
        counts[:, place] = (high // period - low // period) * residues.size + (
            np.searchsorted(residues, high % period) - np.searchsorted(residues, low % period)
        )
    return counts


def mark_table(
    positions: Positions,
    rows: NDArray[np.int64],
    *,
    first: int,
    starts: Positions,
    groups: Positions,
    marks: tuple[str, ...],
) -> NDArray[np.int64]:
    """Count rows by groups of intervals and by marks.

    Args:
        positions: Positions that occur.
        rows: Rows at each of them. Private.
        first: The grid's first value, in steps.
        starts: First position of each interval, ascending from 0.
        groups: The group of each interval, from 0; intervals with -1 are left out.
        marks: The marks.

    Returns:
        Counts of shape (groups, marks), in a row.
    """
    classes = classes_of(marks)
    group = groups[np.searchsorted(starts, positions, side="right") - 1]
    cells = group * len(marks) + classes[(positions + first) % classes.size]
    counts = np.zeros((int(groups.max()) + 1) * len(marks), dtype=np.int64)
    inside = group >= 0
    np.add.at(counts, cells[inside], rows[inside])
    return counts


def fitted_weights(counts: Floats, masses: Floats, wanted: Floats, *, turns: int = 60) -> Floats:
    """Find weights under which the intervals' rows show the marks as often as wanted.

    Iterative proportional fitting: an interval keeps its rows and shares them by weight and number of
    positions.

    Args:
        counts: Positions of each interval that show each mark; shape (intervals, marks).
        masses: Rows of each interval.
        wanted: Rows that show each mark.
        turns: Times that every weight is put right.

    Returns:
        A weight above 0 for each mark, 1 in the mean of the positions, and 1 for a mark that none shows.
    """
    weights = np.ones(wanted.size)
    shown = counts.sum(axis=0) > 0
    if not shown.all():  # noise may want rows where no value is
        if (wanted[shown] > 0).any():
            weights[shown] = fitted_weights(counts[:, shown], masses, wanted[shown], turns=turns)
        return weights
    floor = 1e-9
    for _ in range(turns):
        spread = counts * weights
        shares = spread / spread.sum(axis=1, keepdims=True)
        now = masses @ shares
        ratio = np.where(now > 0, wanted / np.where(now > 0, now, 1.0), 1.0)
        weights = np.maximum(weights * ratio, floor)
        weights *= counts.sum() / (counts.sum(axis=0) @ weights)
    return np.maximum(weights, floor)
