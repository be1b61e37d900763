"""What the search needs of a quasi-identifier: its distances, its loss in a class, and quick bounds.

A *measure* knows the attribute's values as codes 0..u-1. A *tally* is what one growing class holds of
them: it gives the class's loss after one more row of every value at once, so that a candidate row costs
one look-up an attribute and no distance. A *shelf* holds the finished classes, and bounds from below
what each would lose if the growing class joined it.

A missing value is 1 away from every other value, in every kind of attribute.
"""

from __future__ import annotations

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
    """One attribute of the finished classes, by the number of each class."""

    def put(self, place: int, codes: Integers) -> None:
        """Set the class at a place."""

    def floors_with(self, codes: Integers, places: Integers) -> Floats:
        """Lower bounds of the loss of these rows together with each of these classes."""

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

    def put(self, place: int, codes: Integers) -> None:
        """Set the class at a place."""
        self._floors[place] = self._measure.loss_floor(codes)
        self._codes[place] = codes

    def floors_with(self, codes: Integers, places: Integers) -> Floats:
        """Lower bounds of the loss of these rows together with each of these classes."""
        floors: Floats = self._floors[places] + self._measure.loss_floor(codes)
        return floors

    def losses_with(self, codes: Integers, places: Integers) -> Floats:
        """The loss itself of these rows together with each of these classes."""
        joined = (np.concatenate([codes, self._codes[place]]) for place in places.tolist())
        return np.array([self._measure.loss(codes_of_both) for codes_of_both in joined])
