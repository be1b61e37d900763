"""The finished classes, and which of them are worth joining a growing one to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize import nominal
from hmpb_core.anonymize.groups import Group, entropies, loss_of, nominal_columns, weighted_log
from hmpb_core.anonymize.measure import Floats, Integers, Measure

SLACK = 1e-9
"""Bounds are loosened by this much, so that rounding never leaves out a winner."""
CHUNK = 8
"""Classes that are worked out at a time, the likeliest first."""
MANY = 200
"""Of more classes the likeliest is worked out before anything is bounded more closely."""


class Aim(Protocol):
    """What makes a class worth joining."""

    def worth(self, places: Integers, bits: Floats, losses: Floats) -> NDArray[np.bool_]:
        """Whether unions of these entropies and losses are good enough.

        It must never call a greater loss at the same entropy, or a smaller entropy at the same loss, good
        enough when it refuses the other.
        """

    def rank(self, places: Integers, bits: Floats, losses: Floats) -> Floats:
        """How good they may be: which ones are worked out first."""

    def met(self, places: Integers, bits: Floats, losses: Floats) -> None:
        """These are worked out: what is worse need not be looked at."""


class Shelves:
    """The finished classes, with a lower bound of what each would lose in a union with a growing one.

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
        columns = nominal_columns(measures)
        sizes = [measures[i].n_values for i in columns]
        self._nominal = columns if columns and sum(sizes) * capacity <= nominal.MAX_CELLS else []
        self._stack = nominal.StackShelf(sizes, capacity) if self._nominal else None
        others = [i for i in range(len(measures)) if i not in self._nominal]
        # What is quickest to work out comes first, and fewer classes are left for the rest.
        self._shelves = {
            i: measures[i].shelf(capacity) for i in sorted(others, key=lambda i: measures[i].n_values)
        }
        self._absent = np.ones(capacity, dtype=bool)
        self._empty: list[int] = []
        self._floors: Floats = np.zeros(capacity)
        self._losses = np.full(capacity, np.nan)
        # Of every class, and of its union with the growing one, the number of rows and the sum of N log2 N.
        self._n_rows = np.ones(capacity, dtype=np.int64)
        self._logs, self._logs_together = np.zeros(capacity), np.zeros(capacity)
        self._by_value = np.zeros((n_values, capacity), dtype=np.int64)
        self.members: list[list[int]] = []
        self.counts = np.zeros((capacity, n_values), dtype=np.int64)

    def put(self, rows: list[int], counts: Integers, place: int | None = None) -> None:
        """Add a class, or set the one at a place."""
        if place is None:
            place = self._empty.pop() if self._empty else len(self.members)
            if place == len(self.members):
                self.members.append([])
        self.members[place] = rows
        self.counts[place] = self._by_value[:, place] = counts
        self._n_rows[place] = len(rows)
        self._logs[place] = weighted_log(counts).sum()
        self._absent[place], self._losses[place] = False, np.nan
        codes = self._codes[rows]
        self._floors[place] = 0.0
        if self._stack is not None:
            self._stack.put(place, codes[:, self._nominal])
            self._floors[place] += self._stack.floors[place]
        for i, shelf in self._shelves.items():
            shelf.put(place, codes[:, i])
            self._floors[place] += shelf.floors[place]

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

    def begin(self) -> None:
        """Follow a new growing class."""
        np.copyto(self._logs_together[: len(self.members)], self._logs[: len(self.members)])

    def follow(self, group: Group) -> None:
        """The growing class has grown by one row."""
        value = int(self._sensitive[group.rows[-1]])
        together = self._by_value[value, : len(self.members)] + group.counts[value]
        self._logs_together[: len(self.members)] += weighted_log(together) - weighted_log(together - 1)

    def joined(self, group: Group, aim: Aim) -> tuple[Integers, Floats, Floats]:
        """The finished classes that are worth joining the growing one to.

        Lower bounds of the loss are replaced, attribute by attribute, by the loss itself; a class is
        dropped as soon as its bound is not worth it.

        Args:
            group: The growing class, of which ``follow`` has been told row by row.
            aim: What is good enough.

        Returns:
            Numbers of the classes, entropies and losses of the unions.
        """
        places = np.flatnonzero(~self._absent[: len(self.members)])
        n_rows = self._n_rows[places] + len(group.rows)
        bits = np.log2(n_rows) - self._logs_together[places] / n_rows + SLACK
        floors = self._floors[places] + (group.floor - SLACK)
        keep = aim.worth(places, bits, floors)
        places, bits, floors = places[keep], bits[keep], floors[keep]
        if len(places) > MANY:
            # A bar from the likeliest class spares the others most of the work.
            likely = places[[aim.rank(places, bits, floors).argmax()]]
            aim.met(likely, *self._exact(group, likely, self._parts(group, likely)))
            places = places[aim.worth(places, bits, floors)]
        if not len(places):
            return places, floors[:0], floors[:0]
        bits = entropies(self.counts[places] + group.counts)
        parts = self._parts(group, places)
        for i, shelf in self._shelves.items():
            keep = aim.worth(places, bits, parts.sum(axis=0) - SLACK)
            places, bits, parts = places[keep], bits[keep], parts[:, keep]
            if len(places) > CHUNK:
                parts[i] = shelf.floors_with(group.tally(i), places)
        found: list[tuple[Integers, Floats, Floats]] = [(places[:0], bits[:0], bits[:0])]
        while len(places):
            bounds = parts.sum(axis=0) - SLACK
            keep = aim.worth(places, bits, bounds)
            places, bits, parts, bounds = places[keep], bits[keep], parts[:, keep], bounds[keep]
            first = np.argsort(-aim.rank(places, bits, bounds), kind="stable")[:CHUNK]
            if not len(first):
                break
            exact = self._exact(group, places[first], parts[:, first])
            aim.met(places[first], *exact)
            found.append((places[first], *exact))
            places, bits = np.delete(places, first), np.delete(bits, first)
            parts = np.delete(parts, first, axis=1)
        numbers, entropies_found, losses = (
            np.concatenate(parts_found) for parts_found in zip(*found, strict=True)
        )
        return numbers, entropies_found, losses

    def _parts(self, group: Group, places: Integers) -> Floats:
        """Lower bounds of the losses of the unions, attribute by attribute; exact where nominal."""
        parts = np.zeros((len(self._measures), len(places)))
        for i, shelf in self._shelves.items():
            parts[i] = shelf.floors[places] + group.tally(i).floor
        if self._stack is not None:
            parts[self._nominal] = self._stack.losses_with(group.nominal, len(group.rows), places)
        return parts

    def _exact(self, group: Group, places: Integers, parts: Floats) -> tuple[Floats, Floats]:
        """Entropies and losses of the unions."""
        parts = parts.copy()
        for i, shelf in self._shelves.items():
            parts[i] = shelf.losses_with(self._codes[group.rows, i], places)
        return entropies(self.counts[places] + group.counts), parts.sum(axis=0)
