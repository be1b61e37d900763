"""Continuous attributes: scaled numbers, with the mean as centroid."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass

import numpy as np

from hmpb_core.anonymize.measure import Ahead, Floats, Integers, Shelf, Tally, TotalShelf, about_median


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Continuous:
    """Numbers: |x - y| on the range scaled to [0, 1], the mean as centroid.

    Source: [Yang2014, eq. 1 to 3].

    Attributes:
        values: The numbers, ascending; shape (u,) without the missing value.
        missing: Whether a missing value follows as the last code.
    """

    values: Floats
    missing: bool = False

    @property
    def n_values(self) -> int:
        """Number of values, the missing one included."""
        return len(self.values) + self.missing

    @property
    def scaled(self) -> Floats:
        """The numbers between 0 and 1, eq. 1; all 0 where there is only one."""
        if not len(self.values):
            return self.values
        width = float(self.values[-1] - self.values[0])
        scaled: Floats = (self.values - self.values[0]) / (width if width > 0 else 1.0)
        return scaled

    def start(self) -> Tally:
        """The tally of an empty class."""
        return _ContinuousTally(self.scaled, missing=self.missing)

    def shelf(self, capacity: int) -> Shelf:
        """An empty shelf for this many classes."""
        return TotalShelf(self, capacity)

    def distances(self, code: int) -> Floats:
        """Distance of every value from one value, eq. 2."""
        out = np.ones(self.n_values)
        if self.missing and code == self.n_values - 1:
            out[-1] = 0.0
        else:
            scaled = self.scaled
            out[: len(scaled)] = np.abs(scaled - scaled[code])
        return out

    def loss(self, codes: Integers) -> float:
        """Sum of the distances to the centroid."""
        present = codes[codes < len(self.values)]
        absent = len(codes) - len(present)
        if absent > len(present):
            return float(len(present))
        x = self.scaled[present]
        return float(np.abs(x - x.mean()).sum() + absent) if len(x) else 0.0

    def loss_floor(self, codes: Integers) -> float:
        """Loss about the median, or about the missing value: the least about any point."""
        present = codes[codes < len(self.values)]
        if not len(present):
            return 0.0
        nearest = about_median(np.sort(self.scaled[present])) + len(codes) - len(present)
        return float(min(nearest, len(present)))

    def centroid(self, codes: Integers) -> float:
        """The mean of the present values, eq. 3; missing (nan) where most of the rows are."""
        present = codes[codes < len(self.values)]
        return float(self.values[present].mean()) if 2 * len(present) >= len(codes) else float("nan")


class _ContinuousTally:
    def __init__(self, scaled: Floats, *, missing: bool) -> None:
        self._scaled = scaled
        self._missing = missing
        self._sorted: list[float] = []
        self._members = np.empty(0)
        self._absent = 0
        self._floor: float | None = 0.0
        self.loss = 0.0

    def add(self, code: int) -> None:
        if code < len(self._scaled):
            insort(self._sorted, float(self._scaled[code]))
            self._members = np.array(self._sorted)
        else:
            self._absent += 1
        n_present = len(self._sorted)
        self.loss = self._total(self._spread(), n_present)
        self._floor = None

    @property
    def floor(self) -> float:
        if self._floor is None:
            self._floor = min(about_median(self._sorted) + self._absent, float(len(self._sorted)))
        return self._floor

    def _spread(self) -> float:
        members = self._members
        mean = np.add.reduce(members) / len(members) if len(members) else 0.0
        return float(np.add.reduce(np.abs(members - mean)))

    def _total(self, spread: float, n_present: int) -> float:
        return float(n_present) if self._absent > n_present else spread + self._absent

    def losses(self) -> Floats:
        members, n = self._members, len(self._members)
        out = np.empty(len(self._scaled) + self._missing)
        if self._absent > n + 1:
            out[: len(self._scaled)] = n + 1
        elif len(self._scaled):
            # The new mean rises with the new value: between two members it passes, the sum of the
            # distances to it is linear, (2 below - n) mean + (sum above - sum below).
            total = np.add.reduce(members)
            means = (total + self._scaled) / (n + 1)
            n_below = members.searchsorted(means, side="right")
            below = np.concatenate([[0.0], np.add.accumulate(members)])
            constant = (total - 2 * below).take(n_below)
            spread = (2.0 * n_below - n) * means + constant + np.abs(self._scaled - means)
            out[: len(self._scaled)] = spread + self._absent
        if self._missing:
            out[-1] = n if self._absent + 1 > n else self._spread() + self._absent + 1
        return out

    def ahead(self) -> Ahead:
        return Ahead.of_all(self.losses())
