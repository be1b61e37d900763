"""What the search needs of a quasi-identifier: its distances, its loss in a class, and quick bounds.

A *measure* knows the attribute's values as codes 0..u-1. A *tally* is what one growing class holds of
them: it gives the class's loss after one more row of every value at once, so that a candidate row costs
one look-up an attribute and no distance. A *shelf* holds the finished classes, and follows the growing
class row by row to bound from below what each finished one would lose with it.

A missing value is 1 away from every other value, in every kind of attribute.
"""

from __future__ import annotations

import math
from bisect import insort
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Tally(Protocol):
    """What a class holds of one attribute; grows by rows."""

    loss: float
    """Information loss of the attribute in the class: its part of IL(G), eq. 12."""

    def add(self, codes: Integers) -> None:
        """Put the rows with these codes into the class."""

    def losses(self) -> Floats:
        """Loss after one more row of each value; shape (u,)."""


class Shelf(Protocol):
    """One attribute of the finished classes, by the number of each class, beside one growing class."""

    def put(self, place: int, codes: Integers) -> None:
        """Set the class at a place; the growing class is to begin anew afterwards."""

    def begin(self) -> None:
        """Empty the growing class."""

    def add(self, codes: Integers) -> None:
        """Put the rows with these codes into the growing class."""

    def floors(self, n_places: int) -> Floats:
        """Lower bounds of the loss of the growing class together with each of the first classes."""

    def losses_with(self, codes: Integers, places: Integers) -> Floats:
        """The loss itself of these rows together with each of these classes."""


class Measure(Protocol):
    """How one quasi-identifier counts; values are codes 0 to n_values - 1."""

    @property
    def n_values(self) -> int:
        """Number of values."""

    def start(self) -> Tally:
        """The tally of an empty class."""

    def shelf(self, capacity: int) -> Shelf:
        """An empty shelf for this many classes."""

    def distances(self, code: int) -> Floats:
        """Distance of every value from one value; shape (u,)."""

    def loss(self, codes: Integers) -> float:
        """Sum of the distances of a class's rows to its centroid, eq. 12."""

    def loss_floor(self, codes: Integers) -> float:
        """A lower bound of the loss: for two classes together it is never below the sum of theirs."""

    def centroid(self, codes: Integers) -> float:
        """What replaces the class's values: a number (continuous) or a code."""


class TotalShelf:
    """The bound every measure has: the floors of the two classes, added."""

    def __init__(self, measure: Measure, capacity: int) -> None:
        self._measure = measure
        self._floors = np.zeros(capacity)
        self._codes: list[Integers] = [np.empty(0, dtype=np.int64)] * capacity
        self._growing = np.empty(0, dtype=np.int64)

    def put(self, place: int, codes: Integers) -> None:
        """Set the class at a place."""
        self._floors[place] = self._measure.loss_floor(codes)
        self._codes[place] = codes

    def begin(self) -> None:
        """Empty the growing class."""
        self._growing = np.empty(0, dtype=np.int64)

    def add(self, codes: Integers) -> None:
        """Put rows into the growing class."""
        self._growing = np.concatenate([self._growing, codes])

    def floors(self, n_places: int) -> Floats:
        """Lower bounds of the loss of the growing class together with each of the first classes."""
        floors: Floats = self._floors[:n_places] + self._measure.loss_floor(self._growing)
        return floors

    def losses_with(self, codes: Integers, places: Integers) -> Floats:
        """The loss itself of these rows together with each of these classes."""
        joined = (np.concatenate([codes, self._codes[place]]) for place in places.tolist())
        return np.array([self._measure.loss(codes_of_both) for codes_of_both in joined])


class LineShelf(TotalShelf):
    """Values that lie on a line, none missing: two classes far apart lose at least the way between them.

    About any point c the n rows of a class lose at least n |mean - c|: the least over c of the sum for two
    classes is min(n, m) |mean - mean'|, and about their common mean it is 2 n m / (n + m) |mean - mean'|.

    Args:
        measure: The measure.
        capacity: Number of classes.
        positions: Place of each value between 0 and 1; shape (u,).
        about_mean: Whether the centroid is the mean.
    """

    def __init__(self, measure: Measure, capacity: int, positions: Floats, *, about_mean: bool) -> None:
        super().__init__(measure, capacity)
        self._about_mean = about_mean
        self._positions = positions
        self._places = positions.tolist()
        self._n_rows = np.ones(capacity)
        self._means = np.zeros(capacity)
        self._sorted: list[float] = []

    def put(self, place: int, codes: Integers) -> None:
        """Set the class at a place."""
        members = sorted(self._places[code] for code in codes.tolist())
        self._floors[place] = _about_median(members)
        self._codes[place] = codes
        self._n_rows[place] = len(members)
        self._means[place] = math.fsum(members) / len(members)

    def begin(self) -> None:
        """Empty the growing class."""
        self._sorted = []

    def add(self, codes: Integers) -> None:
        """Put rows into the growing class."""
        for code in codes.tolist():
            insort(self._sorted, self._places[code])

    def floors(self, n_places: int) -> Floats:
        """Lower bounds of the loss of the growing class together with each of the first classes."""
        n = len(self._sorted)
        n_rows = self._n_rows[:n_places]
        apart = np.abs(self._means[:n_places] - math.fsum(self._sorted) / n)
        apart *= n_rows * (2 * n) / (n_rows + n) if self._about_mean else np.minimum(n_rows, n)
        floors: Floats = np.maximum(apart, self._floors[:n_places] + _about_median(self._sorted))
        return floors


def _about_median(members: list[float]) -> float:
    """Sum of the distances of sorted numbers to their median: the upper half less the lower half."""
    half = len(members) // 2
    return sum(members[len(members) - half :]) - sum(members[:half])
