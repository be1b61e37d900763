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
    """Values of which any two are 1 apart, with the mean of their vectors as centroid.

    A value is a vector with one coordinate sqrt(0.5) (eq. 6: the distance is the squared one, so two
    values are 1 apart), and the centroid of a class is the mean of its vectors (eq. 7). With parts f_v
    of the class a row of value v loses 0.5 (1 - 2 f_v + sum f^2), and n rows lose 0.5 n (1 - sum f^2).

    Source: [Yang2014, eq. 6 and 7].

    Departs from [Yang2014, eq. 7]: the mean of vectors is no value of the attribute and cannot stand in
    a table. The value nearest to it is published: the class's most frequent one.

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
        """Sum of the squared distances to the mean vector."""
        counts = np.bincount(codes)
        return float(0.5 * (len(codes) - (counts * counts).sum() / len(codes)))

    def loss_floor(self, codes: Integers) -> float:
        """The loss itself: no point has a smaller sum of squares than the mean."""
        return self.loss(codes)

    def centroid(self, codes: Integers) -> float:
        """Code of the most frequent value; the first of equals."""
        return float(np.bincount(codes).argmax())


class _NominalTally:
    def __init__(self, n_values: int) -> None:
        self._counts = np.zeros(n_values)
        self._n_rows = 0
        self._squares = 0.0
        self.loss = 0.0

    def add(self, codes: Integers) -> None:
        for code in codes.tolist():
            self._counts[code] += 1
        self._n_rows += len(codes)
        self._squares = float(self._counts @ self._counts)
        self.loss = 0.5 * (self._n_rows - self._squares / self._n_rows)

    def losses(self) -> Floats:
        n_rows = self._n_rows + 1
        losses: Floats = 0.5 * (n_rows - (self._squares + 2 * self._counts + 1) / n_rows)
        return losses


class _NominalShelf:
    """Exact: one more row of a value adds 2 N + 1 to the squares of each union's counts N."""

    def __init__(self, n_values: int, capacity: int) -> None:
        self._counts: NDArray[np.int32] = np.zeros((n_values, capacity), dtype=np.int32)
        self._squares = np.zeros(capacity)
        self._n_rows = np.zeros(capacity)
        self._added = np.zeros(capacity)
        self._own: dict[int, int] = {}
        self._used = 0

    def put(self, place: int, codes: Integers) -> None:
        self._used = max(self._used, place + 1)
        counts = np.bincount(codes, minlength=len(self._counts))
        self._counts[:, place] = counts
        self._squares[place] = counts @ counts
        self._n_rows[place] = len(codes)

    def begin(self) -> None:
        self._own = {}
        np.copyto(self._added[: self._used], self._squares[: self._used])

    def add(self, codes: Integers) -> None:
        for code in codes.tolist():
            before = self._own.get(code, 0)
            self._added[: self._used] += 2 * self._counts[code, : self._used] + (2 * before + 1)
            self._own[code] = before + 1

    def floors(self, n_places: int) -> Floats:
        n_rows = self._n_rows[:n_places] + sum(self._own.values())
        floors: Floats = 0.5 * (n_rows - self._added[:n_places] / n_rows)
        return floors

    def losses_with(self, codes: Integers, places: Integers) -> Floats:
        counts = np.bincount(codes)
        squares = self._squares[places] + counts @ counts
        for value in np.flatnonzero(counts).tolist():
            squares += 2.0 * counts[value] * self._counts[value, places]
        n_rows = self._n_rows[places] + len(codes)
        losses: Floats = 0.5 * (n_rows - squares / n_rows)
        return losses
