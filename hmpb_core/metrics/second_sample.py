"""What a second sample of real rows would score, and which part of the rows would score as badly.

A table of counts says by itself how far chance moves it. Setting half of the rows aside, in all ways at
once, leaves for each cell of count w the mean difference E|2B - w| with B of Binomial(w, 1/2); drawing
every f-th row leaves E|B - wf| with B of Binomial(w, f). Both have closed forms, so no split has to be
drawn and the figures repeat.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

LEVELS = (1, 2, 3)
"""Parts of the rows whose difference is worked out: halves, quarters, eighths."""
_TABLED = 256
"""Counts whose mean difference is summed; beyond that the normal one is right to 1 in 1000."""
_STEPS = 40
MOST_UNLIKE = 10
"""How many times as large as the other one of two samples may be that stand for tables of unlike sizes."""


def sizes_alike(half: int, n_real: int, n_synthetic: int) -> tuple[int, int]:
    """Give the sizes of two samples that are to each other as the real and the synthetic table are.

    Chance makes relations stronger than they are, the more so the fewer the rows. Of two halves of one size
    this would cancel, and beside a table of another size it does not.

    Args:
        half: Rows of the larger sample.
        n_real: Rows of the real table.
        n_synthetic: Rows of the synthetic table.

    Example:
        >>> sizes_alike(500, 1000, 1000), sizes_alike(500, 1000, 4000), sizes_alike(500, 1000, 10)
        ((500, 500), (125, 500), (500, 50))
    """
    part = min(MOST_UNLIKE, max(1 / MOST_UNLIKE, n_real / n_synthetic))
    smaller = max(1, round(half * min(part, 1 / part)))
    return (half, smaller) if part >= 1 else (smaller, half)


def size_factor(one: int, other: int, n_real: int, n_synthetic: int) -> float:
    """What carries a distance between samples of two sizes to samples of other sizes: a square root.

    Example:
        >>> round(size_factor(500, 500, 1000, 1000), 4)
        0.7071
    """
    return math.sqrt((1 / n_real + 1 / n_synthetic) / (1 / one + 1 / other))


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How many cells of a table, or of several tables, hold how many rows.

    Attributes:
        held: The counts that occur, none of them 0, ascending.
        cells: Number of cells that hold each.
        n_rows: Rows of one table.
        tables: Number of tables taken together.
    """

    held: Counts = field(repr=False)
    cells: Counts = field(repr=False)
    n_rows: int
    tables: int = 1

    @classmethod
    def of(cls, counts: Counts, n_rows: int) -> Profile:
        """Give the profile of one table."""
        held, cells = np.unique(counts[counts > 0], return_counts=True)
        return cls(held=held.astype(np.int64), cells=cells.astype(np.int64), n_rows=n_rows)

    @classmethod
    def together(cls, profiles: list[Profile]) -> Profile:
        """Give the profile of several tables of the same rows."""
        held, place = np.unique(np.concatenate([p.held for p in profiles]), return_inverse=True)
        cells = np.bincount(place, weights=np.concatenate([p.cells for p in profiles]))
        return cls(held=held, cells=cells.astype(np.int64), n_rows=profiles[0].n_rows, tables=len(profiles))

    def mean_over(self, differences: Floats) -> float:
        """Half the L1 distance that mean differences of the cells' counts make: the mean over the tables."""
        left = np.sqrt(1 - self.held / self.n_rows)  # the rows are drawn without replacement
        return float((self.cells * differences * left).sum() / 2 / self.tables)

    def between_parts(self, level: int) -> float:
        """The mean distance between two parts of the rows, each of n / 2^level."""
        return self.mean_over(part_difference(self.held, level) * 2**level / self.n_rows)

    def second_sample(self, n_rows: int) -> float:
        """The mean distance between these rows and another sample of the same people.

        Measured between eighths, quarters and halves, and carried on to the whole table by the power of
        the size that these show: 1/2 where cells hold many, less where most hold one.

        Args:
            n_rows: Rows of the other sample.
        """
        halves, quarters, eighths = (self.between_parts(level) for level in LEVELS)
        if halves <= 0 or quarters <= 0 or eighths <= 0:
            return 0.0
        last, before = math.log2(quarters / halves), math.log2(eighths / quarters)
        power = min(max(last + (last - before) / 2, last), 0.5)
        size = 2 / (1 / self.n_rows + 1 / n_rows)
        return float(min(halves * (size / (self.n_rows / 2)) ** -power, 1.0))

    def subsample_error(self, share: float) -> float:
        """The mean distance between the table and a share of its rows, drawn without replacement."""
        return self.mean_over(binomial_deviation(self.held, share) / (share * self.n_rows))

    def subsample_of(self, error: float) -> float:
        """The share of the rows that would be as far from the whole table: 1 where none is as near.

        Source: the yardstick of [NIST800-226] and of SDNist's reports.
        """
        low, high = 1 / self.n_rows, 1.0
        if error <= 0:
            return 1.0
        if self.subsample_error(low) <= error:
            return low
        for _ in range(_STEPS):
            middle = math.sqrt(low * high)
            if self.subsample_error(middle) > error:
                low = middle
            else:
                high = middle
        return high

    def drawing_error(self, n_rows: int) -> float:
        """The mean distance of rows drawn from the table itself, with replacement: chance and no noise.

        Args:
            n_rows: Rows drawn.
        """
        rate = self.held / self.n_rows
        deviation = _deviation(np.full(len(rate), float(n_rows)), rate)
        return float((self.cells * deviation).sum() / n_rows / 2 / self.tables)


def binomial_deviation(counts: Counts, share: float) -> Floats:
    """E|B - wf| of B of Binomial(w, f), by De Moivre's closed form.

    2 k C(w, k) f^k (1 - f)^(w - k + 1) with k = floor(wf) + 1.

    Source: [DiaconisZabell1991, eq. 1.1].

    Args:
        counts: The counts w.
        share: The share f.
    """
    return _deviation(counts.astype(float), np.full(len(counts), share))


def _deviation(trials: Floats, rate: Floats) -> Floats:
    k = np.floor(trials * rate) + 1
    k = np.minimum(k, trials)  # a rate of 1: nothing deviates
    logarithm = (
        np.log(2 * k)
        + gammaln(trials + 1)
        - gammaln(k + 1)
        - gammaln(trials - k + 1)
        + xlogy(k, rate)
        + xlog1py(trials - k + 1, -rate)
    )
    return np.where(rate < 1, np.exp(logarithm), 0.0)


def part_difference(counts: Counts, level: int) -> Floats:
    """E|X - Y| of a cell's counts in two disjoint parts of the rows, each of n / 2^level.

    Args:
        counts: The cell's counts in all rows.
        level: 1 for halves, 2 for quarters.
    """
    table = _part_table(level)
    far = np.sqrt(2 * counts / 2 ** (level - 1) / math.pi)
    return np.where(counts < len(table), table[np.minimum(counts, len(table) - 1)], far)


@cache
def _part_table(level: int) -> Floats:
    """E|X - Y| for the counts 0 to _TABLED * 2^(level - 1): given X + Y = k, X is of Binomial(k, 1/2)."""
    most = _TABLED * 2 ** (level - 1)
    numbers = np.arange(most + 1)
    split = np.zeros(most + 1)
    split[1:] = 2 * binomial_deviation(numbers[1:], 0.5)
    if level == 1:
        return split
    rate = 1 / 2 ** (level - 1)
    w, k = numbers[:, None], numbers[None, :]
    with np.errstate(invalid="ignore"):
        logarithm = (
            gammaln(w + 1)
            - gammaln(k + 1)
            - gammaln(np.maximum(w - k, 0) + 1)
            + k * math.log(rate)
            + (w - k) * math.log1p(-rate)
        )
    shares = np.where(k <= w, np.exp(np.where(k <= w, logarithm, 0.0)), 0.0)
    table: Floats = shares @ split
    return table


def regular_subsample(times: float | None, n_real: int, n_synthetic: int) -> float | None:
    """The share of the real rows that is as inaccurate, for a figure whose error falls as 1 / sqrt(rows).

    A second sample of m rows has the squared error s (1/n + 1/m), a share f of the rows s (1/f - 1) / n.

    Args:
        times: The figure as a multiple of the second sample's.
        n_real: Rows n of the real table.
        n_synthetic: Rows m of the synthetic table and of the second sample.
    """
    return None if times is None else 1 / (1 + (1 + n_real / n_synthetic) * times**2)
