"""Nominal attributes: values without order or hierarchy."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hmpb_core.anonymize.measure import Ahead, Floats, Integers, Shelf, Tally, TotalShelf

MAX_CELLS = 10**7
"""Largest table of counts, classes by values, that is kept for the nominal attributes: 80 MB."""


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
        return TotalShelf(self, capacity)

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
        self._stack = StackTally([n_values])
        self.loss = 0.0

    @property
    def floor(self) -> float:
        return self.loss

    def add(self, code: int) -> None:
        self._stack.add(np.array([code]))
        self.loss = self._stack.each_loss[0]

    def losses(self) -> Floats:
        return self._stack.losses()

    def ahead(self) -> Ahead:
        return self._stack.ahead(0)


class StackTally:
    """What a class holds of several nominal attributes, their values one below the other.

    Args:
        sizes: Number of values of each attribute.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.bounds, self._starts, self._of = _stacked(tuple(sizes))
        self.squares = np.zeros(len(sizes))
        self.counts = np.zeros(len(self._of))
        """Number of rows of each value."""
        self._n_rows = 0

    def add(self, codes: Integers) -> None:
        """Put a row with these codes into the class."""
        self._n_rows += 1
        values = codes + self._starts
        before = self.counts.take(values)
        self.counts[values] = before + 1
        self.squares += 2 * before + 1

    @property
    def each_loss(self) -> list[float]:
        """Information loss of each attribute."""
        losses: list[float] = (0.5 * (self._n_rows - self.squares / self._n_rows)).tolist()
        return losses

    def losses(self) -> Floats:
        """For each value the loss of its attribute after one more row of it."""
        n_rows = self._n_rows + 1
        squares_after = (self.squares + 1).take(self._of) + 2 * self.counts
        losses: Floats = 0.5 * (n_rows - squares_after / n_rows)
        return losses

    def ahead(self, i: int) -> Ahead:
        """The losses of one attribute: values that the class lacks all lose alike."""
        start, stop = self.bounds[i]
        losses = self.losses()[start:stop]
        members = np.flatnonzero(self.counts[start:stop]).tolist()
        if len(members) == stop - start:
            return Ahead.of_all(losses)
        ranges = [(code, code + 1) for code in members]
        rest, least = float(losses.max()), float(losses.min())
        return Ahead(rest=rest, least=least, ranges=ranges, losses=losses.__getitem__)


@lru_cache(maxsize=16)
def _stacked(sizes: tuple[int, ...]) -> tuple[list[tuple[int, int]], Integers, Integers]:
    """First value and one past the last of each attribute, the first alone, and each value's attribute."""
    stops = np.cumsum([0, *sizes])
    return list(itertools.pairwise(stops.tolist())), stops[:-1], np.repeat(np.arange(len(sizes)), sizes)


class StackShelf:
    """Several nominal attributes of the finished classes: a union's squares are one product away.

    Args:
        sizes: Number of values of each attribute.
        capacity: Number of classes.
    """

    def __init__(self, sizes: Sequence[int], capacity: int) -> None:
        stops = np.cumsum([0, *sizes])
        self._starts: Integers = stops[:-1]
        self._counts = np.zeros((capacity, int(stops[-1])))
        self._twice = np.zeros((int(stops[-1]), capacity))
        self._squares = np.zeros((len(sizes), capacity))
        self._all_squares = np.zeros(capacity)
        self._n_rows = np.zeros(capacity)
        self._across = np.zeros(0)

    def put(self, place: int, codes: Integers) -> None:
        """Set the class at a place; codes of shape (rows, attributes)."""
        counts = np.bincount((codes + self._starts).ravel(), minlength=self._counts.shape[1])
        self._counts[place], self._twice[:, place] = counts, 2 * counts
        squares = np.add.reduceat(counts * counts, self._starts)
        self._squares[:, place], self._all_squares[place] = squares, squares.sum()
        self._n_rows[place] = len(codes)

    def begin(self, n_places: int) -> None:
        """Follow a new growing class beside the first classes."""
        self._across = self._all_squares[:n_places].copy()

    def follow(self, codes: Integers) -> None:
        """The growing class has one more row, with these codes."""
        across, n_places = self._across, len(self._across)
        for value in (codes + self._starts).tolist():
            across += self._twice[value, :n_places]

    def together(self, growing: StackTally, n_rows: Floats) -> Floats:
        """The loss of all attributes in the unions with the first classes.

        Args:
            growing: The growing class, which was followed.
            n_rows: Number of rows of each union.
        """
        losses = self._across + float(np.add.reduce(growing.squares))
        losses /= n_rows
        losses -= len(self._starts) * n_rows
        losses *= -0.5
        return losses

    def losses_with(self, growing: StackTally, n_rows: int, places: Integers) -> Floats:
        """The loss of each attribute in the unions with these classes; shape (attributes, places)."""
        across = np.add.reduceat(self._counts.take(places, axis=0) * growing.counts, self._starts, axis=1)
        squares = self._squares.take(places, axis=1) + growing.squares[:, None] + 2 * across.T
        together = self._n_rows[places] + n_rows
        losses: Floats = 0.5 * (together - squares / together)
        return losses
