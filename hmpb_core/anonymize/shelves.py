"""The finished classes, and which of them are worth joining a growing one to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize import nominal
from hmpb_core.anonymize.groups import Group, entropies, loss_of, nominal_columns, weighted_log
from hmpb_core.anonymize.measure import Floats, Integers, Measure

SLACK = 1e-9
"""Bounds are loosened by this much, so that rounding never leaves out a winner."""
MANY, CHUNK = 64, 8
"""Classes that are bounded more closely while there is none to beat, and of these that are worked out at a
time: the likeliest first."""


class Aim(Protocol):
    """What makes a class worth joining."""

    def worth(self, places: Integers | slice, bits: Floats, losses: Floats) -> NDArray[np.bool_]:
        """Whether unions of these entropies and losses are good enough.

        It must never call a greater loss at the same entropy, or a smaller entropy at the same loss, good
        enough when it refuses the other.
        """

    def rank(self, places: Integers, bits: Floats, losses: Floats) -> Floats:
        """How good they may be: which ones are worked out first."""

    @property
    def barred(self) -> bool:
        """Whether there is a class or a row to be beaten that is a good one."""

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
        self._empty: list[int] = []
        # Of a place without a class the bound is infinite, so that none is ever worth joining.
        self._floors: Floats = np.full(capacity, np.inf)
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
        self._losses[place] = np.nan
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
        self._floors[place] = np.inf
        self._empty.append(place)
        return rows

    def losses(self) -> Floats:
        """Information loss of every class; whatever it was at a place without one."""
        for place in np.flatnonzero(np.isnan(self._losses[: len(self.members)])).tolist():
            self._losses[place] = loss_of(self._codes[self.members[place]], self._measures)
        return self._losses[: len(self.members)]

    def begin(self, row: int) -> None:
        """Follow a new growing class, whose first row this is.

        Most classes are of another kind than that row: what they lose with it alone is bounded once, and
        what the rows after it lose is added.
        """
        n_places = len(self.members)
        np.copyto(self._logs_together[:n_places], self._logs[:n_places])
        self._floors_with_first = self._floors[:n_places]
        if self._stack is not None:
            added = self._stack.losses_with_row(self._codes[row, self._nominal], n_places)
            added -= self._stack.floors[:n_places]
            self._floors_with_first = self._floors_with_first + added
        lifts = {i: shelf.added_by(int(self._codes[row, i]), n_places) for i, shelf in self._shelves.items()}
        self._added = {i: added for i, added in lifts.items() if added is not None}

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
        n_places = len(self.members)
        n_rows = self._n_rows[:n_places] + len(group.rows)
        bits = np.log2(n_rows) - self._logs_together[:n_places] / n_rows + SLACK
        own = group.floor if self._stack is None else group.floor_of_rest
        floors = self._floors_with_first + (own - SLACK)
        for i, added in self._added.items():
            tally = group.tally(i)
            floors += np.maximum(added + (tally.floor_of_rest - tally.floor), 0.0)
        places = aim.worth(slice(n_places), bits, floors).nonzero()[0]
        found: list[tuple[Integers, Floats, Floats]] = []
        while len(places):
            chunk = places
            if len(places) > MANY and not aim.barred:
                likely = aim.rank(places, bits[places], floors[places]).argpartition(-MANY)
                chunk, places = places[likely[-MANY:]], places[likely[:-MANY]]
            else:
                places = places[:0]
            found += self._worked_out(group, aim, chunk)
            if len(places):
                places = places[aim.worth(places, bits[places], floors[places])]
        if not found:
            return places, floors[:0], floors[:0]
        numbers, entropies_found, losses = (np.concatenate(every) for every in zip(*found, strict=True))
        return numbers, entropies_found, losses

    def _worked_out(self, group: Group, aim: Aim, places: Integers) -> list[tuple[Integers, Floats, Floats]]:
        """Those of some classes that are worth it."""
        bits = entropies(self.counts.take(places, axis=0) + group.counts)
        parts = self._parts(group, places)
        for i, shelf in self._shelves.items():
            keep = aim.worth(places, bits, np.add.reduce(parts) - SLACK)
            places, bits, parts = places[keep], bits[keep], parts[:, keep]
            if len(places) <= CHUNK:
                break
            parts[i] = shelf.floors_with(group.tally(i), places)
        found = []
        while len(places):
            bounds = np.add.reduce(parts) - SLACK
            order = aim.worth(places, bits, bounds).nonzero()[0]
            if not len(order):
                break
            if len(order) > CHUNK:
                likely = aim.rank(places[order], bits[order], bounds[order])
                order = order[np.argsort(-likely, kind="stable")]
            first, rest = order[:CHUNK], order[CHUNK:]
            exact = parts[:, first]
            for i, shelf in self._shelves.items():
                exact[i] = shelf.losses_with(self._codes[group.rows, i], places[first])
            found.append((places[first], bits[first], exact.sum(axis=0)))
            aim.met(*found[-1])
            places, bits, parts = places[rest], bits[rest], parts[:, rest]
        return found

    def _parts(self, group: Group, places: Integers) -> Floats:
        """Lower bounds of the losses of the unions, attribute by attribute; exact where nominal."""
        parts = np.zeros((len(self._measures), len(places)))
        for i, shelf in self._shelves.items():
            parts[i] = shelf.floors[places] + group.tally(i).floor
        if self._stack is not None:
            parts[self._nominal] = self._stack.losses_with(group.nominal, len(group.rows), places)
        return parts
