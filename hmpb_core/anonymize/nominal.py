"""Nominal attributes: values without order or hierarchy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize.measure import Floats, Integers, Shelf, Tally, TotalShelf

MAX_CELLS = 2 * 10**7
"""Largest table of counts, classes by values, that a shelf keeps: 40 MB."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Nominal:
    """Values of which any two are 1 apart, with the mode as centroid.

    Source: [Yang2014, eq. 6]: one coordinate sqrt(0.5) a value.

    Departs from [Yang2014, eq. 7]: that centroid is the mean of the vectors, which is no value of the
    attribute and cannot be published. The mode is the value nearest to it.

    Attributes:
        n_values: Number of values, the missing one included.
    """

    n_values: int

    def start(self) -> Tally:
        """The tally of an empty class."""
        return _NominalTally(self.n_values)

    def shelf(self, capacity: int) -> Shelf:
        """An empty shelf for this many classes."""
        if self.n_values * capacity > MAX_CELLS:
            return TotalShelf(self, capacity)
        return _NominalShelf(self.n_values, capacity)

    def distances(self, code: int) -> Floats:
        """Distance of every value from one value, eq. 6."""
        out = np.ones(self.n_values)
        out[code] = 0.0
        return out

    def loss(self, codes: Integers) -> float:
        """Number of rows that are not of the class's most frequent value."""
        return float(len(codes) - np.bincount(codes).max())

    def loss_floor(self, codes: Integers) -> float:
        """The loss itself: the mode loses least."""
        return self.loss(codes)

    def centroid(self, codes: Integers) -> float:
        """Code of the most frequent value; the first of equals."""
        return float(np.bincount(codes).argmax())


class _NominalTally:
    def __init__(self, n_values: int) -> None:
        self._counts = np.zeros(n_values)
        self._n_rows = 0
        self._most = 0.0
        self.loss = 0.0

    def add(self, codes: Integers) -> None:
        np.add.at(self._counts, codes, 1)
        self._n_rows += len(codes)
        self._most = float(self._counts.max())
        self.loss = self._n_rows - self._most

    def losses(self) -> Floats:
        losses: Floats = self._n_rows + 1 - np.maximum(self._most, self._counts + 1)
        return losses


class _NominalShelf:
    """Exact: only the values of the growing class can become the mode beside each class's own."""

    def __init__(self, n_values: int, capacity: int) -> None:
        self._counts: NDArray[np.int32] = np.zeros((n_values, capacity), dtype=np.int32)
        self._most = np.zeros(capacity)
        self._n_rows = np.zeros(capacity)

    def put(self, place: int, codes: Integers) -> None:
        self._counts[:, place] = np.bincount(codes, minlength=len(self._counts))
        self._most[place] = self._counts[:, place].max()
        self._n_rows[place] = len(codes)

    def floors_with(self, codes: Integers, places: Integers) -> Floats:
        most = self._most[places]
        for value, count in zip(*np.unique(codes, return_counts=True), strict=True):
            np.maximum(most, self._counts[value, places] + count, out=most)
        floors: Floats = self._n_rows[places] + len(codes) - most
        return floors
