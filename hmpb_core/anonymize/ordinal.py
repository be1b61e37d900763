"""Ordinal attributes: ranks, with the convex median as centroid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hmpb_core.anonymize.measure import Ahead, Floats, Integers, Shelf, Tally, TotalShelf, about_median


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Ordinal:
    """Ranked values: the weights between them, summed and scaled; the convex median as centroid.

    Source: [Yang2014, eq. 4 and 5].

    Attributes:
        positions: Place of each rank between 0 and 1, ascending; shape (u,) without the missing value.
        missing: Whether a missing value follows as the last code.
    """

    positions: Floats
    missing: bool = False

    @classmethod
    def of_ranks(cls, n_ranks: int, *, missing: bool = False) -> Ordinal:
        """Ranks one apart (all weights W equal)."""
        return cls(positions=np.arange(n_ranks) / max(1, n_ranks - 1), missing=missing)

    @property
    def n_values(self) -> int:
        """Number of values, the missing one included."""
        return len(self.positions) + self.missing

    def start(self) -> Tally:
        """The tally of an empty class."""
        return _OrdinalTally(self)

    def shelf(self, capacity: int) -> Shelf:
        """An empty shelf for this many classes."""
        return TotalShelf(self, capacity)

    def distances(self, code: int) -> Floats:
        """Distance of every value from one value, eq. 4."""
        out = np.ones(self.n_values)
        if self.missing and code == self.n_values - 1:
            out[-1] = 0.0
        else:
            out[: len(self.positions)] = np.abs(self.positions - self.positions[code])
        return out

    def loss(self, codes: Integers) -> float:
        """Sum of the distances to the centroid."""
        present = codes[codes < len(self.positions)]
        absent = len(codes) - len(present)
        if absent > len(present):
            return float(len(present))
        if not len(present):
            return 0.0
        middle = self.positions[convex_median(np.bincount(present, minlength=len(self.positions)))]
        return float(np.abs(self.positions[present] - middle).sum() + absent)

    def loss_floor(self, codes: Integers) -> float:
        """Loss about the ordinary median, or about the missing value: the least about any point."""
        present = codes[codes < len(self.positions)]
        if not len(present):
            return 0.0
        nearest = about_median(np.sort(self.positions[present])) + len(codes) - len(present)
        return float(min(nearest, len(present)))

    def centroid(self, codes: Integers) -> float:
        """Code of the convex median of the present values, or of the missing value where most are."""
        present = codes[codes < len(self.positions)]
        if 2 * len(present) < len(codes):
            return float(self.n_values - 1)
        return float(convex_median(np.bincount(present, minlength=len(self.positions))))


def convex_median(counts: Integers) -> int:
    """Rank of the median of the counts' convex (one-peaked) envelope.

    The envelope is the least one-peaked function above the counts,
    f'(c_j) = min(max of f up to c_j, max of f from c_j on); its median is the first rank that has
    half of its sum at or below it.

    Source: [Yang2014, eq. 5].

    Example:
        >>> convex_median(np.array([3, 0, 0, 1, 0]))
        0
        >>> convex_median(np.array([2, 0, 0, 0, 2]))
        2
    """
    running = np.cumsum(_envelope(counts))
    return int(np.searchsorted(2 * running, running[-1]))


def _envelope(counts: Integers) -> Integers:
    rising = np.maximum.accumulate(counts)
    falling = np.maximum.accumulate(counts[::-1])[::-1]
    envelope: Integers = np.minimum(rising, falling)
    return envelope


class _OrdinalTally:
    def __init__(self, measure: Ordinal) -> None:
        self._measure = measure
        self._counts = np.zeros(measure.n_values, dtype=np.int64)
        self.loss = 0.0
        self._members = np.empty(0, dtype=np.int64)

    def add(self, code: int) -> None:
        self._counts[code] += 1
        self._members = np.repeat(np.arange(len(self._counts)), self._counts)
        self.loss = self._measure.loss(self._members)

    @property
    def floor(self) -> float:
        return self._measure.loss_floor(self._members)

    def losses(self) -> Floats:
        positions = self._measure.positions
        counts = self._counts[: len(positions)]
        n = int(counts.sum())
        absent = int(self._counts[-1]) if self._measure.missing else 0
        out = np.empty(self._measure.n_values)
        if self._measure.missing:
            spread = self.loss - absent if absent <= n else self._spread(counts)
            out[-1] = n if absent + 1 > n else spread + absent + 1
        if absent > n + 1:
            out[: len(positions)] = n + 1
        elif n == 0:
            out[: len(positions)] = absent
        else:
            medians = _medians_with(counts)
            weights = np.cumsum(counts)
            moments = np.cumsum(counts * positions)
            about = positions * (2 * weights - n) + moments[-1] - 2 * moments
            out[: len(positions)] = about[medians] + np.abs(positions - positions[medians]) + absent
        return out

    def ahead(self) -> Ahead:
        return Ahead.of_all(self.losses())

    def _spread(self, counts: Integers) -> float:
        if not counts.any():
            return 0.0
        positions = self._measure.positions
        return float((counts * np.abs(positions - positions[convex_median(counts)])).sum())


def _medians_with(counts: Integers) -> Integers:
    """Convex median after one more of each rank; shape (u,).

    Between the least and the greatest rank of the class the envelope is at least 1: one more of a rank
    that the class lacks leaves it as it is. Beyond them it grows by a run of ones up to the new rank.
    """
    ranks = np.arange(len(counts))
    members = np.flatnonzero(counts)
    low, high = members[0], members[-1]
    running = np.cumsum(_envelope(counts))
    total = running[-1]
    medians = np.full(len(counts), np.searchsorted(2 * running, total))
    gap = ranks[high + 1 :] - high
    inside = np.searchsorted(2 * running[: high + 1], total + gap)
    medians[high + 1 :] = np.where(gap < total, inside, high + (gap - total + 1) // 2)
    gap = low - ranks[:low]
    inside = np.searchsorted(2 * running, total - gap)
    medians[:low] = np.where(gap < total, inside, ranks[:low] + (total + gap + 1) // 2 - 1)
    for member in members:
        more = counts.copy()
        more[member] += 1
        medians[member] = convex_median(more)
    return medians
