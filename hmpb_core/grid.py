"""The public fine grid of a number, date or time: every value it may take, by position."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.errors import DomainError
from hmpb_core.heaping import Heaps

Floats = NDArray[np.float64]
Positions = NDArray[np.int64]

DIGITS = 6
"""A number whose resolution is not declared gets the power of ten that cuts its range in 10^5 to 10^6."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The multiples of a step between two bounds, in order.

    Attributes:
        first: The smallest value, in steps.
        size: Number of values.
        step: Distance of two neighbours.

    Example:
        >>> grid = Grid.between(0, 1, Fraction(1, 4))
        >>> grid.size, grid.positions(np.array([0.3, 7.0])).tolist(), grid.values(np.array([3])).tolist()
        (5, [1, 4], [0.75])
    """

    first: int
    size: int
    step: Fraction

    @classmethod
    def between(cls, minimum: float, maximum: float, step: Fraction) -> Grid:
        """Give the grid of all multiples of a step from the minimum to the maximum.

        Raises:
            DomainError: there is none.
        """
        first = math.ceil(_exact(minimum) / step)
        last = math.floor(_exact(maximum) / step)
        if last < first:
            raise DomainError(
                "No multiple of {step:g} lies in the range {minimum:g} to {maximum:g}; widen it, or declare "
                "a finer resolution.",
                step=float(step),
                minimum=minimum,
                maximum=maximum,
            )
        return cls(first=first, size=last - first + 1, step=step)

    @property
    def zero(self) -> int | None:
        """The position of 0; None where it lies outside."""
        return -self.first if 0 <= -self.first < self.size else None

    @property
    def decimals(self) -> int:
        """Decimals that write every value of the grid exactly; at most 15.

        A step below those has six digits of its own: of 1e-18 fifteen decimals would leave zeros.
        """
        most = max(15, DIGITS - math.floor(math.log10(self.step)))
        for digits in range(most):
            if (self.step * 10**digits).denominator == 1:
                return digits
        return most

    def positions(self, values: Floats) -> Positions:
        """The position of the nearest value of the grid; values outside are clipped to it."""
        steps = np.rint(np.asarray(values, dtype=np.float64) / float(self.step)) - self.first
        places: Positions = np.clip(steps, 0, self.size - 1).astype(np.int64)
        return places

    def values(self, positions: Positions) -> Floats:
        """The values at these positions, rounded to the grid's own decimals."""
        steps = (np.asarray(positions, dtype=np.int64) + self.first).astype(np.float64)
        if self.step.denominator == 1:
            return steps * float(self.step)
        rounded: Floats = np.round(steps * self.step.numerator / self.step.denominator, self.decimals)
        return rounded

    def moments(self, starts: Positions, ends: Positions) -> tuple[Floats, Floats]:
        """Mean and variance of the values of intervals of positions, all of them alike.

        Args:
            starts: First position of each interval.
            ends: One past the last position of each.
        """
        step = float(self.step)
        means = step * (self.first + (starts + ends - 1) / 2)
        return means, step**2 * ((ends - starts).astype(np.float64) ** 2 - 1) / 12

    def first_from(self, edges: Floats) -> Positions:
        """The first position whose value is not below each edge; an edge may be off by a rounding."""
        places: Positions = np.ceil(edges / float(self.step) - 1e-9).astype(np.int64) - self.first
        return np.maximum(places, 0)

    def settled(self, values: Floats) -> Floats:
        """Values that only a computer's rounding parts from one of the grid, as that one: 6.2 for 6.1999998.

        Numbers of 32 bits are off by up to 2^-24 of their size. What lies off by more, or by more than a
        twentieth of a step, stays; so does what is not a number.
        """
        values = np.asarray(values, dtype=np.float64)
        step = float(self.step)
        with np.errstate(over="ignore"):  # nothing is near one that has more steps than a computer counts
            nearest = np.round(np.rint(values / step) * step, self.decimals)
        return _settled(values, nearest, step / 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedGrid(Grid):
    """Numbers that a list names, by their places in it.

    Attributes:
        listed: The values, ascending.

    Example:
        >>> rates = ListedGrid.of([5.31, 5.32, 6.0])
        >>> rates.positions(np.array([5.3, 5.317, 7.0])).tolist(), rates.values(np.array([2])).tolist()
        ([0, 1, 2], [6.0])
    """

    listed: tuple[float, ...] = field(repr=False)

    @classmethod
    def of(cls, listed: Sequence[float]) -> ListedGrid:
        """Give the grid of a list of ascending values."""
        return cls(first=0, size=len(listed), step=Fraction(1), listed=tuple(listed))

    @property
    def zero(self) -> int | None:
        """The position of 0; None where it is not listed."""
        return self.listed.index(0) if 0 in self.listed else None

    @property
    def decimals(self) -> int:
        """Decimals that tell every value of the list from the next one, with two to spare."""
        return max(0, 2 - math.floor(math.log10(float(np.diff(self.listed).min()))))

    @property
    def middles(self) -> Floats:
        """Half way between the values: what is not below one is nearer to the value above."""
        listed = np.array(self.listed, dtype=np.float64)
        return (listed[:-1] + listed[1:]) / 2

    def positions(self, values: Floats) -> Positions:
        """The position of the nearest value of the list."""
        return np.searchsorted(self.middles, values, side="right").astype(np.int64)

    def values(self, positions: Positions) -> Floats:
        """The values at these positions."""
        return np.array(self.listed, dtype=np.float64)[positions]

    def moments(self, starts: Positions, ends: Positions) -> tuple[Floats, Floats]:
        """Mean and variance of the values of intervals of positions, all of them alike."""
        listed = np.array(self.listed, dtype=np.float64)
        middle = float(listed.mean())  # squares of what is left lose no digits
        sums = [np.append(0.0, np.cumsum((listed - middle) ** power)) for power in (1, 2)]
        means, squares = ((of[ends] - of[starts]) / (ends - starts) for of in sums)
        return means + middle, np.maximum(squares - means**2, 0.0)

    def first_from(self, edges: Floats) -> Positions:
        """The first position whose value is not below each edge."""
        return np.searchsorted(self.listed, edges, side="left").astype(np.int64)

    def settled(self, values: Floats) -> Floats:
        """Values that only a computer's rounding parts from a listed one, as that one."""
        values = np.asarray(values, dtype=np.float64)
        return _settled(values, self.values(self.positions(values)), math.inf)


def _settled(values: Floats, nearest: Floats, most: float) -> Floats:
    with np.errstate(invalid="ignore"):  # nothing is near an infinite one
        off = np.abs(values - nearest)
    found: Floats = np.where(off <= np.minimum(2.0**-23 * np.abs(values), most), nearest, values)
    return found


def default_step(minimum: float, maximum: float) -> Fraction:
    """The resolution of a number that declares none: a public rule.

    Example:
        >>> default_step(0, 10), default_step(0, 2_500_000)
        (Fraction(1, 100000), Fraction(10, 1))
    """
    digits = math.ceil(math.log10(maximum - minimum)) - DIGITS
    return Fraction(10) ** digits


@dataclass(frozen=True, slots=True)
class Pieces:
    """A distribution over a grid in pieces, and the code that each piece belongs to.

    A value is drawn by its code: first a piece by the shares inside the code, then one of the
    piece's positions, all alike or by their heaps. Free of charge: everything here was paid for already.

    Attributes:
        starts: First position of each piece, ascending from 0; a piece ends where the next one starts.
        codes: Code of each piece, ascending from 0 by at most one.
        shares: Share of each piece among the rows of its code; they sum to 1 for each code.
        size: Number of positions of the grid.
        heaps: How likely the positions of a piece are beside each other; None where all are alike.
    """

    starts: tuple[int, ...] = field(repr=False)
    codes: tuple[int, ...] = field(repr=False)
    shares: tuple[float, ...] = field(repr=False)
    size: int
    heaps: Heaps | None = None

    def __post_init__(self) -> None:
        rising = all(low < high for low, high in itertools.pairwise((*self.starts, self.size)))
        steps = all(high - low in (0, 1) for low, high in itertools.pairwise(self.codes))
        ends = bool(self.starts) and self.starts[0] == 0 and self.codes[0] == 0
        alike = len(self.starts) == len(self.codes) == len(self.shares)
        if not (rising and steps and ends and alike and all(share >= 0 for share in self.shares)):
            raise DomainError("The pieces of a number's values do not fit together; fetch the bundle again.")

    @property
    def n_codes(self) -> int:
        """Number of codes."""
        return self.codes[-1] + 1

    @property
    def bounds(self) -> Positions:
        """First position of every code, and one past the last position."""
        codes = np.array(self.codes)
        first = np.searchsorted(codes, np.arange(self.n_codes))
        return np.append(np.array(self.starts, dtype=np.int64)[first], self.size)

    def means(self, grid: Grid) -> Floats:
        """The mean of each code's values.

        Args:
            grid: What the pieces lie over.
        """
        starts = np.array((*self.starts, self.size), dtype=np.int64)
        middles, _ = grid.moments(starts[:-1], starts[1:])
        sums = np.bincount(self.codes, np.array(self.shares) * middles, minlength=self.n_codes)
        return sums.astype(np.float64)

    def codes_of(self, positions: Positions) -> NDArray[np.int32]:
        """The code of each position."""
        return (np.searchsorted(self.bounds[1:-1], positions, side="right")).astype(np.int32)

    def positions(self, codes: NDArray[np.integer], levels: Floats) -> Positions:
        """Give the position at a level, 0 to 1, of each code's distribution."""
        starts, pieces = np.array(self.starts, dtype=np.int64), np.array(self.codes)
        lengths = np.diff(np.append(starts, self.size))
        shares = np.array(self.shares)
        before = np.concatenate([[0.0], np.cumsum(shares)])
        first = np.searchsorted(pieces, np.arange(self.n_codes + 1))
        lows, highs = before[first[:-1]], before[first[1:]]
        target = lows[codes] + levels * (highs - lows)[codes]
        piece = np.searchsorted(before, target, side="right") - 1
        piece = np.clip(piece, first[codes], first[codes + 1] - 1)
        inside = (target - before[piece]) / np.where(shares[piece] > 0, shares[piece], 1.0)
        inside = np.clip(inside, 0.0, 1.0)
        if self.heaps is not None:
            return self.heaps.inside(starts[piece], starts[piece] + lengths[piece], inside)
        whole = np.minimum((inside * lengths[piece]).astype(np.int64), lengths[piece] - 1)
        drawn: Positions = starts[piece] + whole
        return drawn


def _exact(value: float) -> Fraction:
    """The number as it is written: 0.1 is a tenth."""
    return Fraction(str(value))
