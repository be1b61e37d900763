"""A class of rows while it grows, and the classes that are finished."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize.measure import Floats, Integers, Measure

Worth = Callable[[Integers, Floats, Floats], NDArray[np.bool_]]
SLACK = 1e-9
"""Bounds are loosened by this much, so that rounding never leaves out a winner."""


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
    bits: Floats = np.log2(n_rows).astype(np.float64) - _weighted_log(counts).sum(axis=1) / n_rows
    return bits


def _weighted_log(counts: Integers) -> Floats:
    """N log2 n, 0 for 0."""
    top = int(counts.max(initial=0))
    if top < len(_LOGS):
        return np.asarray(_LOGS[counts], dtype=np.float64)
    return np.asarray(counts * np.log2(np.maximum(counts, 1)), dtype=np.float64)


_LOGS = np.arange(4096) * np.log2(np.maximum(np.arange(4096), 1))


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
        self.entropy = 0.0

    def add(self, rows: Sequence[int]) -> None:
        """Put rows into the class."""
        self.rows.extend(rows)
        for i, tally in enumerate(self._tallies):
            tally.add(self._codes[rows, i])
        for value in self._sensitive[rows].tolist():
            self.counts[value] += 1
        self.entropy = entropy(self.counts)

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
    """The finished classes, with quick lower bounds of what each would lose in a union with a growing one.

    A class's number is its place; the place of a class that was taken away is used again.
    """

    def __init__(
        self,
        codes: Integers,
        sensitive: Integers,
        measures: Sequence[Measure],
        *,
        n_values: int,
        capacity: int,
    ) -> None:
        self._codes, self._sensitive, self._measures = codes, sensitive, measures
        self._shelves = [measure.shelf(capacity) for measure in measures]
        self._order = sorted(range(len(measures)), key=lambda i: -measures[i].n_values)
        self._absent = np.ones(capacity, dtype=bool)
        self._empty: list[int] = []
        self._n_rows = np.ones(capacity, dtype=np.int64)
        # Of every class, and of its union with the growing one, the sum of N log2 N.
        self._logs, self._logs_together = np.zeros(capacity), np.zeros(capacity)
        self._by_value = np.zeros((n_values, capacity), dtype=np.int64)
        self._losses = np.full(capacity, np.nan)
        self._growing: list[int] = []
        self._growing_counts = np.zeros(n_values, dtype=np.int64)
        self.members: list[list[int]] = []
        self.counts = np.zeros((capacity, n_values), dtype=np.int64)

    def put(self, rows: list[int], counts: Integers, place: int | None = None) -> None:
        """Add a class, or set the one at a place; the growing class is to begin anew afterwards."""
        if place is None:
            place = self._empty.pop() if self._empty else len(self.members)
            if place == len(self.members):
                self.members.append([])
        self.members[place] = rows
        self.counts[place] = self._by_value[:, place] = counts
        self._n_rows[place] = len(rows)
        self._logs[place] = _weighted_log(counts).sum()
        self._absent[place], self._losses[place] = False, np.nan
        for i, shelf in enumerate(self._shelves):
            shelf.put(place, self._codes[rows, i])

    def remove(self, place: int) -> list[int]:
        """Take a class away and give its rows."""
        rows, self.members[place] = self.members[place], []
        self._absent[place] = True
        self._empty.append(place)
        return rows

    def losses(self, places: Integers) -> Floats:
        """Information loss of the classes at these places."""
        for place in places.tolist():
            if math.isnan(self._losses[place]):
                self._losses[place] = loss_of(self._codes[self.members[place]], self._measures)
        return self._losses[places]

    def begin(self, rows: Sequence[int]) -> None:
        """Follow a new growing class of these rows."""
        self._growing = []
        self._growing_counts[:] = 0
        np.copyto(self._logs_together[: len(self.members)], self._logs[: len(self.members)])
        for shelf in self._shelves:
            shelf.begin()
        self.add(rows)

    def add(self, rows: Sequence[int]) -> None:
        """Put rows into the growing class."""
        self._growing.extend(rows)
        for i, shelf in enumerate(self._shelves):
            shelf.add(self._codes[rows, i])
        for value in self._sensitive[rows].tolist():
            together = self._by_value[value, : len(self.members)] + self._growing_counts[value]
            self._logs_together[: len(self.members)] += _weighted_log(together + 1) - _weighted_log(together)
            self._growing_counts[value] += 1

    def joined(self, worth: Worth) -> tuple[Integers, Floats, Floats]:
        """The finished classes that are worth joining the growing one to.

        Lower bounds of the loss are replaced, attribute by attribute, by the loss itself; a class is
        dropped as soon as its bound is not worth it.

        Args:
            worth: From numbers of classes, and entropies and losses of their unions, whether each is good
                enough. It must never call a greater loss at the same entropy, or a smaller entropy at the
                same loss, good enough when it refuses the other.

        Returns:
            Numbers of the classes, entropies and losses of the unions.
        """
        bits, floors, bounds = self._bounds()
        places = np.flatnonzero(~self._absent[: len(floors)])
        places = places[worth(places, bits[places] + SLACK, floors[places] - SLACK)]
        bits = entropies(self.counts[places] + self._growing_counts) if len(places) else np.empty(0)
        parts = np.array([bound[places] for bound in bounds])
        for i in self._order:
            keep = worth(places, bits, parts.sum(axis=0) - SLACK)
            places, bits, parts = places[keep], bits[keep], parts[:, keep]
            if not len(places):
                return places, bits, bits
            parts[i] = self._shelves[i].losses_with(self._codes[self._growing, i], places)
        return places, bits, parts.sum(axis=0)

    def likely(self, rank: Callable[[Integers, Floats, Floats], Floats]) -> tuple[int, float, float]:
        """A first guess of the best class to join, by the bounds.

        Args:
            rank: From numbers of classes, entropies and bounds of the losses of unions, how good each is.

        Returns:
            Its number, and the entropy and the loss of the union.
        """
        bits, floors, _ = self._bounds()
        places = np.flatnonzero(~self._absent[: len(floors)])
        place = int(places[rank(places, bits[places], floors[places]).argmax()])
        loss = loss_of(self._codes[[*self._growing, *self.members[place]]], self._measures)
        return place, entropy(self.counts[place] + self._growing_counts), loss

    def _bounds(self) -> tuple[Floats, Floats, list[Floats]]:
        """Entropies of the unions, lower bounds of their losses, and these by attribute."""
        n_places = len(self.members)
        bounds = [shelf.floors(n_places) for shelf in self._shelves]
        n_rows = self._n_rows[:n_places] + len(self._growing)
        bits = np.log2(n_rows) - self._logs_together[:n_places] / n_rows
        floors = np.zeros(n_places)
        for bound in bounds:
            floors += bound
        return bits, floors, bounds


def loss_of(codes: Integers, measures: Sequence[Measure]) -> float:
    """Information loss of a class, IL(G) = sum over its rows of the distance to its centroid.

    Source: [Yang2014, eq. 11 and 12].

    Args:
        codes: Codes of the class's rows; shape (rows, attributes).
        measures: The attributes' measures.
    """
    return math.fsum(measure.loss(codes[:, i]) for i, measure in enumerate(measures))
