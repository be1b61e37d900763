"""The finished classes, and which of them are worth joining a growing one to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize import nominal
from hmpb_core.anonymize.groups import Group, added_log, entropies, loss_of, nominal_columns, weighted_log
from hmpb_core.anonymize.measure import Floats, Integers, Measure

SLACK = 1e-9
"""Bounds are loosened by this much, so that rounding never leaves out a winner."""
CHUNK, MANY = 8, 64
"""Classes that are worked out at a time, the likeliest first; of more than the latter these are found without
sorting all."""


class Aim(Protocol):
    """What makes a class worth joining."""

    def worth(self, places: Integers | slice, bits: Floats, losses: Floats) -> NDArray[np.bool_]:
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
        self._shelves = {i: measures[i].shelf(capacity) for i in others}
        self._empty: list[int] = []
        # 0, and infinite at a place without a class, so that none is ever worth joining.
        self._absent: Floats = np.full(capacity, np.inf)
        self._losses = np.full(capacity, np.nan)
        # Of every class, and of its union with the growing one, the number of rows and the sum of N log2 N.
        self._n_rows = np.ones(capacity)
        self._logs, self._logs_together = np.zeros(capacity), np.zeros(0)
        self._by_value = np.zeros((n_values, capacity), dtype=np.int64)
        self._most = 0
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
        self._most = max(self._most, int(counts.max()))
        self._n_rows[place] = len(rows)
        self._logs[place] = weighted_log(counts).sum()
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
        self._logs_together = self._logs[:n_places].copy()
        if self._stack is not None:
            self._stack.begin(n_places)
        for shelf in self._shelves.values():
            shelf.begin(n_places)

    def follow(self, group: Group) -> None:
        """The growing class has grown by one row."""
        row = group.rows[-1]
        value = int(self._sensitive[row])
        before = self._by_value[value, : len(self._logs_together)]
        n_own = int(group.counts[value])
        if n_own > 1:
            before = before + (n_own - 1)
        self._logs_together += added_log(before, most=self._most + n_own)
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
        bits = np.log2(n_rows)
        bits -= self._logs_together / n_rows
        bits += SLACK
        places = aim.worth(slice(n_places), bits, floors).nonzero()[0]
        bits, floors = bits[places], floors[places]
        found: list[tuple[Integers, Floats, Floats]] = []
        while len(places):
            order = np.arange(len(places))
            if len(places) > CHUNK:
                likely = aim.rank(places, bits, floors)
                order = np.argpartition(-likely, CHUNK) if len(places) > MANY else np.argsort(-likely)
            found.append(self._worked_out(group, places[order[:CHUNK]]))
            aim.met(*found[-1])
            later = order[CHUNK:]
            places, bits, floors = places[later], bits[later], floors[later]
            keep = aim.worth(places, bits, floors)
            places, bits, floors = places[keep], bits[keep], floors[keep]
        if not found:
            return places, floors, floors
        numbers, entropies_found, losses = (np.concatenate(every) for every in zip(*found, strict=True))
        return numbers, entropies_found, losses

    def _worked_out(self, group: Group, places: Integers) -> tuple[Integers, Floats, Floats]:
        """Entropies and losses of the unions with some classes."""
        parts = np.zeros((len(self._measures), len(places)))
        if self._stack is not None:
            parts[self._nominal] = self._stack.losses_with(group.nominal, len(group.rows), places)
        for i, shelf in self._shelves.items():
            parts[i] = shelf.losses_with(self._codes[group.rows, i], places)
        bits = entropies(self.counts.take(places, axis=0) + group.counts)
        return places, bits, parts.sum(axis=0)
