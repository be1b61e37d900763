"""A class of rows while it grows, and the classes that are finished."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize.measure import Floats, Integers, Measure

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

    def __init__(self, codes: Integers, measures: Sequence[Measure], *, n_values: int, capacity: int) -> None:
        self._codes, self._measures = codes, measures
        self._most_bits = math.log2(max(2, n_values))
        self._shelves = [measure.shelf(capacity) for measure in measures]
        self._parts = np.zeros((len(measures), capacity))
        self._floors = np.full(capacity, np.inf)
        self._order = sorted(range(len(measures)), key=lambda i: -measures[i].n_values)
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
        for i, (measure, shelf) in enumerate(zip(self._measures, self._shelves, strict=True)):
            codes = self._codes[rows, i]
            shelf.put(place, codes)
            self._parts[i, place] = measure.loss_floor(codes)
        self._floors[place] = self._parts[:, place].sum()

    def remove(self, place: int) -> list[int]:
        """Take a class away and give its rows."""
        rows, self.members[place] = self.members[place], []
        self._floors[place] = np.inf
        self._empty.append(place)
        return rows

    def likely(self, counts: Integers) -> int:
        """A class of great entropy and small loss: a first guess of what these rows best join."""
        places = np.flatnonzero(np.isfinite(self._floors[: len(self.members)]))
        bits = entropies(self.counts[places] + counts)
        return int(places[(bits / np.maximum(self.losses[places], SLACK)).argmax()])

    def joined(
        self, rows: Sequence[int], counts: Integers, worth: Callable[[Floats, Floats], NDArray[np.bool_]]
    ) -> tuple[Integers, Floats, Floats]:
        """The classes that are worth joining these rows to.

        Lower bounds of the loss are made sharper, attribute by attribute, until they are the loss itself;
        a class is dropped as soon as its bound is not worth it.

        Args:
            rows: The rows to join; none of them in a finished class.
            counts: Their sensitive values; shape (values,).
            worth: From entropies and losses of unions, whether each is good enough. It must never call a
                greater loss at the same entropy good enough when it refuses a smaller one.

        Returns:
            Numbers of the classes, entropies and losses of the unions.
        """
        mine = [self._codes[rows, i] for i in range(len(self._measures))]
        own = [measure.loss_floor(codes) for measure, codes in zip(self._measures, mine, strict=True)]
        floors = self._floors[: len(self.members)] + math.fsum(own)
        ceiling = np.full(len(floors), self._most_bits)
        places = np.flatnonzero(np.isfinite(floors) & worth(ceiling, floors))
        bits = entropies(self.counts[places] + counts) if len(places) else np.empty(0)
        keep = worth(bits, floors[places] - SLACK) if len(places) else np.zeros(0, dtype=bool)
        places, bits = places[keep], bits[keep]
        parts = self._parts[:, places] + np.array(own)[:, None]
        for exact in (False, True):
            for i in self._order:
                keep = worth(bits, parts.sum(axis=0) - SLACK)
                places, bits, parts = places[keep], bits[keep], parts[:, keep]
                if not len(places):
                    return places, bits, bits
                shelf = self._shelves[i]
                parts[i] = (shelf.losses_with if exact else shelf.floors_with)(mine[i], places)
        return places, bits, parts.sum(axis=0)


def loss_of(codes: Integers, measures: Sequence[Measure]) -> float:
    """Information loss of a class, IL(G) = sum over its rows of the distance to its centroid.

    Source: [Yang2014, eq. 11 and 12].

    Args:
        codes: Codes of the class's rows; shape (rows, attributes).
        measures: The attributes' measures.
    """
    return math.fsum(measure.loss(codes[:, i]) for i, measure in enumerate(measures))
