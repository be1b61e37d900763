"""Dates placed inside their codes by the parts that were drawn beside them: an hour, a weekday, a month.

A date's codes are weeks or months wide and say nothing of the hour. So such a part is drawn like any column,
with what it has to do with the others, and the date goes where it has that part: free, of public values and
drawn ones alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.dates import DAY
from hmpb_core.domain import Attribute, Numeric
from hmpb_core.rules.parts import Part, PartOf, part_of
from hmpb_core.rules.reading import View

FARTHEST = 400
"""Days that a date is moved at most: every month, and every weekday on nearly every day of a month."""
_OF_A_DAY: tuple[Part, ...] = ("month", "weekday", "day")
"""In this order: where a code does not hold them together, the first ones count."""
_NO_PART = 32
"""Above every hour, weekday, day and month."""

_YEAR, _HALF_YEAR = 12, 6
"""Months."""

Steps = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Wanted = Mapping[Part, Floats]


def wanted_parts(
    rules: Sequence[PartOf], columns: Mapping[str, pd.Series], attributes: Mapping[str, Attribute]
) -> dict[Part, Floats]:
    """The parts of one date that were drawn, not a number where one is missing."""
    return {
        rule.part: View(columns[rule.column].to_frame(rule.column), attributes).counted(rule.column)
        for rule in rules
    }


def placed(steps: Steps, codes: NDArray[np.integer], attribute: Numeric, wanted: Wanted) -> Steps:
    """Give dates the parts that were drawn for their rows, each inside its code.

    1. The dates of a code change places among its rows, so that as many as can be have the parts wanted; none
       of them is lost.
    2. Where a row still has others, its date goes to the nearest one of its code that has the parts wanted,
       or as many of them as a date of the code has.

    Args:
        steps: The dates, in steps of the attribute's grid.
        codes: The code of each.
        attribute: What they are values of, with learned bins.
        wanted: For each part the one that was drawn in each row.
    """
    assert attribute.pieces is not None
    step = attribute.grid.step * (1 if attribute.kind == "datetime" else DAY)
    if (DAY / step).denominator != 1 or not len(steps):
        return steps
    moments = _Moments(step, wanted)
    steps = _exchanged(steps, codes, moments)
    bounds = attribute.pieces.bounds + attribute.grid.first
    return moments.nearest(steps, bounds[codes], bounds[codes + 1])


def _exchanged(steps: Steps, codes: NDArray[np.integer], moments: _Moments) -> Steps:
    """The same dates in each code, those with the wanted parts in the rows that want them, in order."""
    parts = moments.parts_of(steps)
    wants = [np.where(np.isnan(w), p, w) for w, p in zip(moments.wanted.values(), parts, strict=True)]
    groups = [_grouped(codes, held) for held in (wants, parts)]
    order = [np.lexsort((steps, group)) for group in groups]
    takes, gives = _paired(*(group[rows] for group, rows in zip(groups, order, strict=True)))
    found, left = steps.copy(), [np.ones(len(steps), dtype=bool) for _ in order]
    for rest, rows, places in zip(left, order, (takes, gives), strict=True):
        rest[rows[places]] = False
    found[order[0][takes]] = steps[order[1][gives]]
    rows, dates = (places[np.lexsort((steps[places], codes[places]))] for places in map(np.flatnonzero, left))
    found[rows] = steps[dates]
    return found


def _grouped(codes: NDArray[np.integer], parts: Sequence[Floats]) -> NDArray[np.int64]:
    """A number for each code with its parts; all that no date has (99 for an unknown hour) are one."""
    groups = codes.astype(np.int64)
    for part in parts:
        of_dates = (part >= 0) & (part < _NO_PART) & (part % 1 == 0)
        groups = groups * (_NO_PART + 1) + np.where(of_dates, part, _NO_PART).astype(np.int64)
    return groups


def _paired(wanted: NDArray[np.integer], given: NDArray[np.integer]) -> tuple[Steps, Steps]:
    """Places in both, which are in order, that hold the same group, as many as can be.

    What is left over of a group lies all over it: the dates of a month beyond those that are wanted would be
    its last ones.
    """
    firsts, counts = [], []
    both = np.intersect1d(wanted, given)
    for groups in (wanted, given):
        firsts.append(np.searchsorted(groups, both))
        counts.append(np.searchsorted(groups, both, side="right") - firsts[-1])
    pairs = np.minimum(*counts)
    group = np.repeat(np.arange(len(both)), pairs)
    number = np.arange(len(group)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    takes, gives = (
        first[group] + number * count[group] // pairs[group]
        for first, count in zip(firsts, counts, strict=True)
    )
    return takes, gives


class _Moments:
    """Dates in steps, and the parts that are wanted of them."""

    def __init__(self, step: Fraction, wanted: Wanted) -> None:
        self.step = step
        self.wanted = wanted
        self._a_day = int(DAY / step)
        self._an_hour = int(DAY / step / 24) if self._a_day % 24 == 0 else 0

    def parts_of(self, steps: Steps) -> list[Floats]:
        days = (steps // self._a_day).astype(float)
        hours = np.floor(steps % self._a_day * float(self.step) / 3600)
        return [hours if p == "hour" else part_of(days, p) for p in self.wanted]

    def nearest(self, steps: Steps, lows: Steps, highs: Steps) -> Steps:
        """Move each to the nearest place from its low to below its high that has the parts, one by one."""
        needed: dict[Part, Floats] = {}
        if "month" in self.wanted:
            steps = self._in_month(steps, lows, highs)
        for part in (part for part in _OF_A_DAY if part in self.wanted):
            wanted = self.wanted[part]
            steps, found = self._searched(steps, steps, lows, highs, {**needed, part: wanted}, folded=True)
            needed[part] = np.where(found, wanted, np.nan)
        if "hour" in self.wanted and self._an_hour:
            hours = np.nan_to_num(self.wanted["hour"] - steps % self._a_day // self._an_hour)
            hourly = steps + (hours * self._an_hour).astype(np.int64)
            steps, _ = self._searched(steps, hourly, lows, highs, needed)
        return steps

    def _in_month(self, steps: Steps, lows: Steps, highs: Steps) -> Steps:
        """Move each to its day of the nearest month that is wanted, or another day from its low to its high.

        The nearest day of that month would be its first or its last, on which dates then heaped.
        """
        days, first, last = (places // self._a_day for places in (steps, lows, highs - 1))
        months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
        apart = np.nan_to_num(self.wanted["month"] - 1 - months % 12).astype(np.int64)
        near = (apart + _HALF_YEAR) % _YEAR - _HALF_YEAR
        moved, open_ones = steps.copy(), near != 0
        for shift in (near, near - _YEAR * np.sign(near)):
            month = months + shift
            begin, end = (
                (month + more).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
                for more in (0, 1)
            )
            begin, end = np.maximum(begin, first), np.minimum(end, last + 1)
            due = begin + (days - months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)) % (
                np.maximum(1, end - begin)
            )
            fits = open_ones & (begin < end)
            moved[fits] = self._folded(due * self._a_day + steps % self._a_day, lows, highs)[fits]
            open_ones &= ~fits
        return moved

    def _searched(
        self,
        steps: Steps,
        start: Steps,
        lows: Steps,
        highs: Steps,
        needed: Mapping[Part, Floats],
        *,
        folded: bool = False,
    ) -> tuple[Steps, Flags]:
        """The places nearest to a start, in whole days, with all that is needed, and where there are any.

        Args:
            steps: What stays where there is none.
            start: Where the search begins.
            lows: The first place of each.
            highs: One past its last place.
            needed: The parts, not a number where none is.
            folded: Whether a day of which the places hold a part will do at any time.
        """
        found, rows = np.zeros(len(steps), dtype=bool), np.arange(len(steps))
        steps, first = steps.copy(), int(lows.min()) // self._a_day
        tables = {
            part: part_of(np.arange(first, int(highs.max()) // self._a_day + 1, dtype=float), part)
            for part in needed
        }
        for away in range(FARTHEST + 1):
            for side in (1, -1):
                places = start[rows] + side * away * self._a_day
                places = self._folded(places, lows[rows], highs[rows]) if folded else places
                fits = (places >= lows[rows]) & (places < highs[rows])
                day = np.where(fits, places // self._a_day - first, 0)
                for part, values in needed.items():
                    fits &= (tables[part][day] == values[rows]) | np.isnan(values[rows])
                steps[rows[fits]] = places[fits]
                found[rows[fits]] = True
                rows = rows[~fits]
            later, earlier = (start[rows] // self._a_day + side * (away + 1) for side in (1, -1))
            rows = rows[(later * self._a_day < highs[rows]) | ((earlier + 1) * self._a_day > lows[rows])]
            if not len(rows):
                break
        return steps, found

    def _folded(self, places: Steps, lows: Steps, highs: Steps) -> Steps:
        """Places at another time of their day where those from the low to below the high have another."""
        day = places // self._a_day * self._a_day
        low, high = np.maximum(day, lows), np.minimum(day + self._a_day, highs)
        outside = (low < high) & ((places < low) | (places >= high))
        return np.where(outside, low + (places - day) % np.maximum(high - low, 1), places)
