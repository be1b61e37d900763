"""The public scales of numbers and years: which cells hold more than noise, and what they bound. Free."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hmpb_core.survey.cells import (
    DATED_CELLS,
    FIRST_DATED,
    FIRST_YEAR,
    LAST_YEAR,
    NUMBER_CELLS,
    SCALE_CELLS,
    SMALLEST,
    YEAR_CELLS,
    Kind,
    number_range,
)
from hmpb_core.survey.dates import OF_TWO_DIGITS
from hmpb_core.survey.noisy import Floats, Noisy

_OF_YEARS = (len(YEAR_CELLS), len(DATED_CELLS))
WIDEST = {len(NUMBER_CELLS): 8, **dict.fromkeys(_OF_YEARS, 128)}
"""Cells of a scale that are looked at together at most: powers of two soon span everything, years do not."""
COARSE = {len(NUMBER_CELLS): 4, **dict.fromkeys(_OF_YEARS, 32)}
"""Cells of a scale that make one, where a second look asks for bounds that a first did not find."""
FAR, STRAY = {len(NUMBER_CELLS): 3, **dict.fromkeys(_OF_YEARS, 32)}, 0.0001
"""Cells beyond which those at an end lie far from all others, and the chance that these are noise."""
SHOWN = 0.5
"""What 0 must show, in standard deviations of its noise, so that whole numbers from 1 on hold it."""
BESIDE, BESIDE_FLAG, FARTHEST = 0.1, 2.0, 2
"""What cells beside the numbers that were found must show to be taken in, each in standard deviations of its
noise; beside 0 and 1 alone, which mostly are a flag's; and how many at most, at either end."""
LONG, TAIL = 0.75, 4.5
"""A long thin tail: what its cells must show each, and how much more than that in sum. Noise alone shows it
beside one column of a thousand: sums of x - d, x normal, ever pass t with a chance of at most exp(-2 d t). Of
Laplace noise it is one of a hundred."""
HIDDEN_YEARS, THINNING, MOST_YEARS = 0.01, 4, 0.5
"""Part of a column's dates outside the bounds that were found from which on these are widened; how many times
as many years as rows lie beyond an end; and the most of the years between the bounds."""


def occupied(noisy: Noisy, coarse: Noisy | None = None) -> tuple[int, int] | None:
    """First and last cell of a scale that hold more than noise; None where there is none.

    Cells are looked at one by one, then in pairs, fours and so on: many thin cells side by side stand out
    together. What narrower windows explain is not told again by a wider one, nor by a cell of the coarse
    count.

    Args:
        noisy: Noisy counts of the scale's cells.
        coarse: Noisy counts of ``coarse_cells`` of the same scale, where they were counted.
    """
    size = len(noisy.counts)
    told = np.zeros(size, dtype=bool)
    width, limit = 1, noisy.clear(2 * size)
    while width <= WIDEST.get(size, size):
        starts = np.arange(0, size, width)
        sums = np.add.reduceat(np.where(told, 0.0, noisy.counts), starts)
        cells = np.add.reduceat(~told, starts, dtype=np.int64)
        told |= np.repeat(sums > limit * np.sqrt(np.maximum(cells, 1)), width)[:size]
        width *= 2
    if coarse is not None:
        cells = coarse_cells(size)
        known = np.bincount(cells, weights=np.where(told, noisy.counts, 0.0))
        sds = np.hypot(coarse.sd, noisy.sd * np.sqrt(np.bincount(cells, weights=told)))
        rest = coarse.counts - known > coarse.clear(len(known)) * sds / coarse.sd
        told |= rest[cells]
    places = np.flatnonzero(told)
    for _ in ("first", "last"):
        places = _without_strays(places, noisy, coarse)[::-1]
    return (int(places[0]), int(places[-1])) if len(places) else None


def occupied_numbers(
    noisy: Noisy, coarse: Noisy | None = None
) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """What ``occupied`` says of the cells of numbers and of those of years among them.

    Where both are found, and one of them is no clearer than noise is in one table of ten thousand, it goes.
    """
    parts = []
    split = len(NUMBER_CELLS), coarse_cells(len(NUMBER_CELLS))[-1] + 1
    for first in (True, False):
        fine, rough = (slice(None, at) if first else slice(at, None) for at in split)
        part = replace(noisy, counts=noisy.counts[fine])
        ends = occupied(part, coarse and replace(coarse, counts=coarse.counts[rough]))
        parts.append((part, ends if first else until_now(ends, part, FIRST_YEAR)))
    found = [ends for _, ends in parts]
    if None not in found:
        clear = [
            part.counts[e[0] : e[1] + 1].sum() > part.clear(2 * len(part.counts), e[1] + 1 - e[0], STRAY)
            for part, e in parts
            if e
        ]
        if any(clear):
            found = [ends if is_clear else None for ends, is_clear in zip(found, clear, strict=True)]
    return found[0], found[1]


def until_now(ends: tuple[int, int] | None, noisy: Noisy, first_year: int) -> tuple[int, int] | None:
    """End what was found among years with this year, unless later ones show more than noise by themselves.

    Cells that are looked at together reach ahead: of what has happened dates would come to lie in the future.

    Args:
        ends: First and last cell that were found.
        noisy: Noisy counts of the years.
        first_year: The year of the first cell.
    """
    now = this_year() - first_year
    if ends is None or ends[1] <= now:
        return ends
    ahead = replace(noisy, counts=np.where(np.arange(len(noisy.counts)) > now, noisy.counts, 0.0))
    return (ends[0], min(ends[1], now)) if ends[0] <= now and occupied(ahead) is None else ends


def in_century(counts: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    """Move the counts of dates with years of two digits, 1969 to 2068, into the hundred years from one on.

    Args:
        counts: Counts of ``DATED_CELLS``.
        first: The first of the hundred years.
    """
    late = np.arange(first + 100, OF_TWO_DIGITS[1] + 1) - FIRST_DATED
    moved = counts.copy()
    moved[late - 100] += moved[late]
    moved[late] = 0.0
    return moved


def this_year() -> int:
    """The year in which the survey is made."""
    return dt.datetime.now(tz=dt.UTC).year


def _without_strays(places: NDArray[np.int64], noisy: Noisy, coarse: Noisy | None) -> NDArray[np.int64]:
    """Leave out the first cells if they lie far from all others, unless they are clearer still.

    In one column of a hundred a cell is noise: beside the others it costs little, but bounds that reach a
    million times too far cost the column. 0 is never a stray.
    """
    size = len(noisy.counts)
    gaps = np.abs(np.diff(places)) > FAR[size]
    if not gaps.any():
        return places
    group = places[: int(np.argmax(gaps)) + 1]
    clear = noisy.counts[group].sum() > noisy.clear(2 * size, len(group), STRAY)
    if coarse is not None:
        cells = np.unique(coarse_cells(size)[group])
        clear |= coarse.counts[cells].sum() > coarse.clear(len(coarse.counts), len(cells), STRAY)
    is_zero = size == len(NUMBER_CELLS) and size // 2 in group
    return places if clear or is_zero else places[len(group) :]


def stretched(first: int, last: int, noisy: Noisy, *, smallest: float) -> tuple[int, int]:
    """Take in neighbours of the numbers that were found, as far as they show more than noise mostly does.

    A cell far from all others must be clear; one beside rows mostly holds rows, and bounds that cut off a
    tail cost a column more than bounds that are too wide. One in which no number below 0 was found gets none.
    A flag of 0 and 1 has no tail: with bounds of 0 to 7 noise gives it values that nobody has. But days until
    something happens are 1 for most, and may be thousands: many thin cells side by side are a tail where
    together they show what noise hardly ever does.

    Args:
        first: First cell of ``NUMBER_CELLS`` that was found.
        last: Last cell.
        noisy: Noisy counts of ``NUMBER_CELLS``.
        smallest: The smallest number but 0 that the column may hold: cells of smaller ones are passed over.

    Example:
        >>> counts = np.zeros(len(NUMBER_CELLS))
        >>> counts[90 + 42 : 90 + 45] = 9.0, 1.0, 1.0
        >>> [number_range(p) for p in stretched(132, 132, Noisy(counts=counts, sd=1.0), smallest=1.0)]
        [(2.0, 4.0), (8.0, 16.0)]
    """
    held = np.flatnonzero(can_hold(smallest))
    flag = smallest >= 1 and last == ONE and first >= len(NUMBER_CELLS) // 2
    shown = noisy.counts[held] / noisy.sd
    below, above = np.searchsorted(held, first, "right") - 1, np.searchsorted(held, last)
    least = 0 if first < len(NUMBER_CELLS) // 2 else int(np.searchsorted(held, len(NUMBER_CELLS) // 2))
    less, more = (_beside(side, flag=flag) for side in (shown[least:below][::-1], shown[above + 1 :]))
    return min(first, int(held[below - less])), max(last, int(held[above + more]))


def can_hold(smallest: float) -> NDArray[np.bool_]:
    """Which of ``NUMBER_CELLS`` may hold numbers of a column: what others show is noise.

    Args:
        smallest: The smallest number but 0 that the column may hold.
    """
    held: NDArray[np.bool_] = (_SIZES_OF_NUMBERS == 0) | (smallest < _SIZES_OF_NUMBERS)
    return held


def holds_zeros(noisy: Noisy) -> bool:
    """Whether 0 shows more than noise mostly does: of whole numbers from 1 on it is a value that nobody has.

    Args:
        noisy: Noisy counts of ``NUMBER_CELLS``.
    """
    return bool(noisy.counts[len(NUMBER_CELLS) // 2] > SHOWN * noisy.sd)


def _beside(shown: Floats, *, flag: bool) -> int:
    """How many cells beside the numbers that were found are taken in: a few, or a long thin tail."""
    few = np.append(0.0, np.cumsum(shown[:FARTHEST] - (BESIDE_FLAG if flag else BESIDE)))
    many = np.append(0.0, np.cumsum(shown - LONG))
    return max(int(np.argmax(few)), int(np.argmax(many)) if many.max() > TAIL else 0)


def widened_years(first: int, last: int, hidden: float) -> tuple[int, int]:
    """Widen the bounds of dates where noise hides rows beyond them, by as many years at both ends.

    All rows beyond would lie on the first and the last day. Dates thin out towards their ends: a twentieth of
    them takes a fifth of the years between the bounds, at each end. Above they end with this year.

    Args:
        first: First cell of ``DATED_CELLS`` that was found.
        last: Last cell.
        hidden: Part of the column's rows that lies in no cell between them, as far as is known.

    Example:
        >>> widened_years(300, 339, 0.05), widened_years(300, 339, 0.001)
        ((292, 347), (300, 339))
    """
    if hidden <= HIDDEN_YEARS:
        return first, last
    years = last - first + 1
    more = math.ceil(years * min(THINNING * hidden, MOST_YEARS))
    now = this_year() - FIRST_DATED
    return max(first - more, 0), max(last, min(last + more, now))


def coarse_cells(size: int) -> NDArray[np.int64]:
    """The coarse cell of every cell of a scale, by the scale's size: a public rule.

    0 has one for itself, and those of positive and of negative numbers lie alike; those of years come last.

    Example:
        >>> coarse_cells(len(NUMBER_CELLS))[88:94].tolist()
        [22, 22, 23, 24, 24, 24]
        >>> coarse_cells(len(YEAR_CELLS))[[0, 31, 32]].tolist()
        [0, 0, 1]
    """
    if size == len(SCALE_CELLS):
        numbers, years = coarse_cells(len(NUMBER_CELLS)), coarse_cells(len(YEAR_CELLS))
        return np.concatenate([numbers, numbers[-1] + 1 + years])
    width = COARSE[size]
    if size in _OF_YEARS:
        return np.arange(size) // width
    side = np.arange(size) - size // 2
    cells: NDArray[np.int64] = np.sign(side) * ((np.abs(side) + width - 1) // width)
    cells -= cells[0]
    return cells


def whole_range(place: int) -> tuple[float, float]:
    """Bounds of the whole numbers in a cell of ``NUMBER_CELLS``: those from 1900 to 2099 lie elsewhere.

    Example:
        >>> whole_range(90 + 51), whole_range(90 + 52)
        ((1024.0, 1900), (2100, 4096.0))
    """
    low, high = number_range(place)
    if place == ONE + 10:
        return low, FIRST_YEAR
    return (LAST_YEAR + 1, high) if place == ONE + 11 else (low, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The bounds of numbers as a vocabulary has them, which may not be the column's.

    Attributes:
        kinds: The kinds of numbers that they are of.
        minimum: The least number.
        maximum: The largest.
    """

    kinds: Collection[Kind]
    minimum: float
    maximum: float

    @property
    def beyond(self) -> NDArray[np.int64]:
        """The cells of numbers and years of which no number lies between them.

        Example:
            >>> births = Bounds(kinds=[Kind.WHOLE], minimum=1900, maximum=2030)
            >>> set(births.beyond) & {NUMBER_CELLS[-1], YEAR_CELLS[0], YEAR_CELLS[130]} == {NUMBER_CELLS[-1]}
            True
        """
        cells = []
        for place, cell in enumerate(NUMBER_CELLS):
            low, high = whole_range(place)
            below = high < self.minimum or (0 <= low < high == self.minimum)
            if below or low > self.maximum:
                cells.append(cell)
        years = FIRST_YEAR + np.arange(len(YEAR_CELLS))
        outside = (years < self.minimum) | (years > self.maximum)
        return np.concatenate([np.array(cells, dtype=np.int64), YEAR_CELLS[outside]])


def years_between(counts: Floats, first: int, last: int) -> float:
    """About how many rows hold 1900 to 2099 in a column of other numbers: as dense as those around them."""
    rows = 0.0
    for place, years in _AROUND_YEARS.items():
        if first <= place <= last:
            low, high = number_range(place)
            rows += max(float(counts[place]), 0.0) * years / (high - low - years)
    return rows


_SIZES_OF_NUMBERS = np.array([max(map(abs, number_range(place))) for place in range(len(NUMBER_CELLS))])
"""How large the numbers of each cell may be, whatever their sign."""
ONE = len(NUMBER_CELLS) // 2 + 1 - SMALLEST
"""The place of the numbers from 1 to 2 among ``NUMBER_CELLS``."""
EARLIER = ONE + 10
"""The place of 1024 to 1899 there: beside years these are years, too."""
_AROUND_YEARS = {ONE + 10: 2048 - FIRST_YEAR, ONE + 11: LAST_YEAR + 1 - 2048}
"""How many of these each of two cells, of 1024 to 2048 and of 2048 to 4096, leaves to the cells of years."""
