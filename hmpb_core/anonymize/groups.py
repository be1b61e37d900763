"""A class of rows while it grows, and the classes that are finished."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hmpb_core.anonymize.measure import Floats, Integers, Measure


def entropy(counts: Integers) -> float:
    """Entropy of a class's sensitive values, Ent(G) = -sum p log2 p, in bits.

    Source: [Yang2014, eq. 14].

    Example:
        >>> entropy(np.array([2, 2, 0]))
        1.0
    """
    return float(entropies(counts[None])[0])


def entropies(counts: Integers) -> Floats:
    """Entropies of several classes, in bits; counts of shape (classes, values), none of them empty."""
    n_rows = counts.sum(axis=1)
    bits: Floats = np.log2(n_rows) - _weighted_log(counts).sum(axis=1) / n_rows
    return bits


def _weighted_log(counts: Integers) -> Floats:
    logs: Floats = counts * np.log2(np.maximum(counts, 1))
    return logs


class Group:
    """A growing class.

    Args:
        codes: Codes of the quasi-identifiers of the whole table; shape (rows, attributes).
        sensitive: Codes of the sensitive attribute; shape (rows,).
        n_values: Number of sensitive values.
        measures: The attributes' measures.
    """

    def __init__(
        self, codes: Integers, sensitive: Integers, n_values: int, measures: Sequence[Measure]
    ) -> None:
        self._codes, self._sensitive = codes, sensitive
        self._tallies = [measure.start() for measure in measures]
        self.rows: list[int] = []
        self.counts = np.zeros(n_values, dtype=np.int64)

    def add(self, rows: Sequence[int]) -> None:
        """Put rows into the class."""
        self.rows.extend(rows)
        for i, tally in enumerate(self._tallies):
            tally.add(self._codes[rows, i])
        np.add.at(self.counts, self._sensitive[rows], 1)

    @property
    def loss(self) -> float:
        """Information loss IL(G), eq. 12."""
        return math.fsum(tally.loss for tally in self._tallies)

    def losses(self) -> list[Floats]:
        """For each attribute its loss after one more row of each value."""
        return [tally.losses() for tally in self._tallies]

    def entropies_after(self) -> Floats:
        """Entropy after one more row of each sensitive value."""
        n_rows = len(self.rows) + 1
        logs = _weighted_log(self.counts)
        after: Floats = math.log2(n_rows) - (logs.sum() - logs + _weighted_log(self.counts + 1)) / n_rows
        return after


class Shelves:
    """The finished classes, with quick lower bounds of what each would lose in a union.

    A class's number is its place; the place of a class that was taken away is used again.
    """

    def __init__(
        self, codes: Integers, measures: Sequence[Measure], *, n_values: int, capacity: int
    ) -> None:
        self._codes, self._measures = codes, measures
        self._shelves = [measure.shelf(capacity) for measure in measures]
        self._floors = np.full(capacity, np.inf)
        self._empty: list[int] = []
        self.losses = np.zeros(capacity)
        self.members: list[list[int]] = []
        self.counts = np.zeros((capacity, n_values), dtype=np.int64)

    def put(self, rows: list[int], counts: Integers, place: int | None = None) -> None:
        """Add a class, or set the one at a place."""
        if place is None:
            place = self._empty.pop() if self._empty else len(self.members)
            if place == len(self.members):
                self.members.append([])
        self.members[place] = rows
        self.counts[place] = counts
        self.losses[place] = loss_of(self._codes[rows], self._measures)
        self._floors[place] = 0.0
        for i, (measure, shelf) in enumerate(zip(self._measures, self._shelves, strict=True)):
            codes = self._codes[rows, i]
            shelf.put(place, codes)
            self._floors[place] += measure.loss_floor(codes)

    def remove(self, place: int) -> list[int]:
        """Take a class away and give its rows."""
        rows, self.members[place] = self.members[place], []
        self._floors[place] = np.inf
        self._empty.append(place)
        return rows

    def floors_with(self, rows: Sequence[int], at_most: float = math.inf) -> tuple[Integers, Floats]:
        """Lower bounds of the loss of these rows joined to each class, where the bound is small enough."""
        own = sum(measure.loss_floor(self._codes[rows, i]) for i, measure in enumerate(self._measures))
        floors = self._floors[: len(self.members)]
        places = np.flatnonzero((floors + own <= at_most) & np.isfinite(floors))
        if not len(places):
            return places, np.empty(0)
        total = np.zeros(len(places))
        for i, shelf in enumerate(self._shelves):
            total += shelf.floors_with(self._codes[rows, i], places)
        keep = total <= at_most
        return places[keep], total[keep]

    def loss_with(self, rows: Sequence[int], place: int) -> float:
        """Loss of these rows together with a class."""
        together = [*rows, *self.members[place]]
        return loss_of(self._codes[together], self._measures)


def loss_of(codes: Integers, measures: Sequence[Measure]) -> float:
    """Information loss of a class, IL(G) = sum over its rows of the distance to its centroid.

    Source: [Yang2014, eq. 11 and 12].

    Args:
        codes: Codes of the class's rows; shape (rows, attributes).
        measures: The attributes' measures.
    """
    return math.fsum(measure.loss(codes[:, i]) for i, measure in enumerate(measures))
