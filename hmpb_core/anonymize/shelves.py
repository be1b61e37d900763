"""The finished classes, and which of them are worth joining a growing one to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize import nominal
from hmpb_core.anonymize.groups import Group, entropies, entropy, loss_of, nominal_columns
from hmpb_core.anonymize.measure import Floats, Integers, Measure

Worth = Callable[[Integers, Floats, Floats], NDArray[np.bool_]]
SLACK = 1e-9
"""Bounds are loosened by this much, so that rounding never leaves out a winner."""


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

    def joined(self, group: Group, worth: Worth) -> tuple[Integers, Floats, Floats]:
        """The finished classes that are worth joining the growing one to.

        Lower bounds of the loss are replaced, attribute by attribute, by the loss itself; a class is
        dropped as soon as its bound is not worth it.

        Args:
            group: The growing class.
            worth: From numbers of classes, and entropies and losses of their unions, whether each is good
                enough. It must never call a greater loss at the same entropy, or a smaller entropy at the
                same loss, good enough when it refuses the other.

        Returns:
            Numbers of the classes, entropies and losses of the unions.
        """
        places = np.flatnonzero(~self._absent[: len(self.members)])
        floors = self._floors[places] + group.floor
        keep = worth(places, np.full_like(floors, self._most_bits + SLACK), floors - SLACK)
        places, floors = places[keep], floors[keep]
        if not len(places):
            return places, floors, floors
        bits = entropies(self.counts[places] + group.counts)
        keep = worth(places, bits, floors - SLACK)
        places, bits = places[keep], bits[keep]
        parts = np.zeros((len(self._measures), len(places)))
        for i, shelf in self._shelves.items():
            parts[i] = shelf.floors[places] + group.floor_of(i)
        if self._stack is not None and len(places):
            parts[self._nominal] = self._stack.losses_with(group.nominal, len(group.rows), places)
        for i, shelf in self._shelves.items():
            keep = worth(places, bits, parts.sum(axis=0) - SLACK)
            places, bits, parts = places[keep], bits[keep], parts[:, keep]
            if not len(places):
                return places, bits, bits
            parts[i] = shelf.losses_with(self._codes[group.rows, i], places)
        return places, bits, parts.sum(axis=0)

    def likely(
        self, group: Group, rank: Callable[[Integers, Floats, Floats], Floats]
    ) -> tuple[int, float, float]:
        """A first guess of the best class to join, by the bounds.

        Args:
            group: The growing class.
            rank: From numbers of classes, entropies and bounds of the losses of unions, how good each is.

        Returns:
            Its number, and the entropy and the loss of the union.
        """
        places = np.flatnonzero(~self._absent[: len(self.members)])
        bits = entropies(self.counts[places] + group.counts)
        floors = self._floors[places] + group.floor
        place = int(places[rank(places, bits, floors).argmax()])
        loss = loss_of(self._codes[[*group.rows, *self.members[place]]], self._measures)
        return place, entropy(self.counts[place] + group.counts), loss
