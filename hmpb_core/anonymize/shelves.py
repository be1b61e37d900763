"""The finished classes, and which of them are worth joining a growing one to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize import nominal
from hmpb_core.anonymize.groups import Group, entropies, loss_of, nominal_columns
from hmpb_core.anonymize.measure import Floats, Integers, Measure

SLACK = 1e-9
"""Bounds are loosened by this much, so that rounding never leaves out a winner."""
CHUNK, MANY = 8, 64
"""Classes that are worked out at a time, the likeliest first; of more than the latter these are found without
sorting all."""


class Aim(Protocol):
    """What makes a class worth joining."""

    def reach(self, bits: float) -> float:
        """The greatest loss of a union that may be good enough where its entropy is at most this."""

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
        measures: Sequence[Measure],
        *,
        n_values: int,
        capacity: int,
    ) -> None:
        self._codes, self._measures = codes, measures
        columns = nominal_columns(measures)
        sizes = [measures[i].n_values for i in columns]
        self._nominal = columns if columns and sum(sizes) * capacity <= nominal.MAX_CELLS else []
        self._stack = nominal.StackShelf(sizes, capacity) if self._nominal else None
        others = [i for i in range(len(measures)) if i not in self._nominal]
        self._shelves = {i: measures[i].shelf(capacity) for i in others}
        self._empty: list[int] = []
        # 0, and infinite at a place without a class, so that none is ever worth joining.
        self._absent: Floats = np.full(capacity, np.inf)
        self._losses = np.full(capacity, np.nan)
        self._n_rows = np.ones(capacity)
        self._most_bits = math.log2(n_values)
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
        self._n_rows[place] = len(rows)
        self._losses[place] = np.nan
        self._absent[place] = 0.0
        codes = self._codes[rows]
        if self._stack is not None:
            self._stack.put(place, codes[:, self._nominal])
        for i, shelf in self._shelves.items():
            shelf.put(place, codes[:, i])

    def remove(self, place: int) -> list[int]:
        """Take a class away and give its rows."""
        rows, self.members[place] = self.members[place], []
        self._absent[place] = np.inf
        self._empty.append(place)
        return rows

    def losses(self) -> Floats:
        """Information loss of every class; whatever it was at a place without one."""
        for place in np.flatnonzero(np.isnan(self._losses[: len(self.members)])).tolist():
            self._losses[place] = loss_of(self._codes[self.members[place]], self._measures)
        return self._losses[: len(self.members)]

    def begin(self) -> None:
        """Follow a new growing class."""
        n_places = len(self.members)
        if self._stack is not None:
            self._stack.begin(n_places)
        for shelf in self._shelves.values():
            shelf.begin(n_places)

    def follow(self, group: Group) -> None:
        """The growing class has grown by one row."""
        row = group.rows[-1]
        if self._stack is not None:
            self._stack.follow(self._codes[row, self._nominal])
        for i, shelf in self._shelves.items():
            shelf.follow(int(self._codes[row, i]))

    def joined(self, group: Group, aim: Aim) -> tuple[Integers, Floats, Floats]:
        """The finished classes that are worth joining the growing one to.

        Each is bounded first, by an entropy and a lower bound of the loss; the loss itself is worked out
        where the bound is worth it, of the likeliest classes first, so that few others are.

        Args:
            group: The growing class, of which ``follow`` has been told row by row.
            aim: What is good enough.

        Returns:
            Numbers of the classes, entropies and losses of the unions.
        """
        n_places = len(self.members)
        n_rows = self._n_rows[:n_places] + float(len(group.rows))
        floors = self._absent[:n_places] - SLACK
        if self._stack is not None:
            floors += self._stack.together(group.nominal, n_rows)
        for i, shelf in self._shelves.items():
            floors += shelf.together(group.tally(i))
        places = (floors <= aim.reach(self._most_bits)).nonzero()[0]
        bits, floors = self._bits(group, places), floors.take(places)
        worth = aim.worth(places, bits, floors)
        places, bits, floors = places[worth], bits[worth], floors[worth]
        found: list[tuple[Integers, Floats, Floats]] = []
        while len(places):
            order = np.arange(len(places))
            if len(places) > CHUNK:
                likely = aim.rank(places, bits, floors)
                order = np.argpartition(-likely, CHUNK) if len(places) > MANY else np.argsort(-likely)
            first, later = order[:CHUNK], order[CHUNK:]
            found.append((places[first], bits[first], self._worked_out(group, places[first])))
            aim.met(*found[-1])
            keep = later[aim.worth(places[later], bits[later], floors[later])]
            places, bits, floors = places[keep], bits[keep], floors[keep]
        if not found:
            return places, floors, floors
        numbers, entropies_found, losses = (np.concatenate(every) for every in zip(*found, strict=True))
        return numbers, entropies_found, losses

    def _bits(self, group: Group, places: Integers) -> Floats:
        """Entropies of the unions with some classes."""
        if not len(places):
            return np.zeros(0)
        return entropies(self.counts.take(places, axis=0) + group.counts)

    def _worked_out(self, group: Group, places: Integers) -> Floats:
        """Losses of the unions with some classes."""
        parts = np.zeros((len(self._measures), len(places)))
        if self._stack is not None:
            parts[self._nominal] = self._stack.losses_with(group.nominal, len(group.rows), places)
        for i, shelf in self._shelves.items():
            parts[i] = shelf.losses_with(self._codes[group.rows, i], places)
        losses: Floats = parts.sum(axis=0)
        return losses
