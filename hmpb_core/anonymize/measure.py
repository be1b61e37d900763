"""What the search needs of a quasi-identifier: its distances, its loss in a class, and quick bounds.

A *measure* knows the attribute's values as codes 0..u-1. A *tally* is what one growing class holds of
them: it gives the class's loss after one more row of every value at once, so that a candidate row costs
one look-up an attribute and no distance. A *shelf* holds one attribute of the finished classes.

A *floor* is a lower bound of a loss such that two classes together never lose less than the sum of their
floors: what a growing class would lose with each finished one is bounded by one addition.

A missing value is 1 away from every other value, in every kind of attribute.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """Loss of a growing class after one more row, where most values may lose alike.

    Attributes:
        rest: A value outside ``ranges`` loses at least this.
        least: No value loses less.
        ranges: First code and one past the last of each run of values that may lose less.
        losses: The loss for each of these codes.
    """

    rest: float
    least: float
    ranges: Sequence[tuple[int, int]]
    losses: Callable[[Integers], Floats]

    @classmethod
    def of_all(cls, losses: Floats) -> Ahead:
        """Of the loss of every value."""
        return cls(rest=float(losses.min()), least=float(losses.min()), ranges=(), losses=losses.__getitem__)


class Tally(Protocol):
    """What a class holds of one attribute; grows row by row."""

    loss: float
    """Information loss of the attribute in the class: its part of IL(G), eq. 12."""

    @property
    def floor(self) -> float:
        """A lower bound of it that adds up."""

    def add(self, code: int) -> None:
        """Put a row with this code into the class."""

    def losses(self) -> Floats:
        """Loss after one more row of each value; shape (u,)."""

    def ahead(self) -> Ahead:
        """The same, where few values are asked for."""


class Shelf(Protocol):
    """One attribute of the finished classes, by the number of each class."""

    def put(self, place: int, codes: Integers) -> float:
        """Set the class at a place, and give a lower bound of its loss that adds up."""

    def together(self, growing: Tally, codes: Integers, places: Integers) -> Floats:
        """Lower bounds of the loss of a growing class, of these rows, with each of these classes."""

    def losses_with(self, codes: Integers, places: Integers) -> Floats:
        """The loss of these rows together with each of these classes."""


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
    """What every measure can do: bounds that add up, and losses of unions one by one."""

    def __init__(self, measure: Measure, capacity: int) -> None:
        self._measure = measure
        self._floors: Floats = np.zeros(capacity)
        self._codes: list[Integers] = [np.empty(0, dtype=np.int64)] * capacity

    def put(self, place: int, codes: Integers) -> float:
        """Set the class at a place, and give a lower bound of its loss that adds up."""
        floor = self._floors[place] = self._measure.loss_floor(codes)
        self._codes[place] = codes
        return floor

    def together(self, growing: Tally, codes: Integers, places: Integers) -> Floats:
        """Lower bounds of the loss of a growing class, of these rows, with each of these classes."""
        floors: Floats = self._floors.take(places) + growing.floor
        return floors

    def losses_with(self, codes: Integers, places: Integers) -> Floats:
        """The loss of these rows together with each of these classes."""
        joined = (np.concatenate([codes, self._codes[place]]) for place in places.tolist())
        return np.array([self._measure.loss(codes_of_both) for codes_of_both in joined])


def about_median(members: Sequence[float] | Floats) -> float:
    """Sum of the distances of sorted numbers to their median: the upper half less the lower half.

    Example:
        >>> about_median([1.0, 2.0, 5.0])
        4.0
    """
    half = len(members) // 2
    return math.fsum(members[len(members) - half :]) - math.fsum(members[:half])
