"""The finished classes, and which of them are worth joining a growing one to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize.continuous import Continuous
from hmpb_core.anonymize.groups import Group, entropies, loss_of, weighted_log
from hmpb_core.anonymize.measure import Floats, Integers
from hmpb_core.anonymize.nominal import StackShelf
from hmpb_core.anonymize.ranks import RankShelf
from hmpb_core.anonymize.spreads import SpreadShelf
from hmpb_core.anonymize.together import Together

SLACK = 1e-9
"""Bounds are loosened by this much, so that rounding never leaves out a winner."""
CHUNK, MANY = 8, 64
"""Classes that are worked out at a time, the likeliest first; of more than the latter these are found without
sorting all, and what is known of each is looked up for all classes at once."""


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

    def __init__(self, codes: Integers, together: Together, *, n_values: int, capacity: int) -> None:
        self._codes, self._together, measures = codes, together, together.measures
        self._nominal = self._ordinal = self._continuous = None
        if together.nominal:
            self._nominal = StackShelf([measures[i].n_values for i in together.nominal], capacity)
        if together.ranks is not None:
            self._ordinal = RankShelf(together.ranks, capacity)
        if together.continuous:
            spread = [m for i in together.continuous if isinstance(m := measures[i], Continuous)]
            self._continuous = SpreadShelf(spread, codes[:, together.continuous], capacity)
        others = [i for i in together.alone if i not in together.continuous]
        self._shelves = {i: measures[i].shelf(capacity) for i in others}
        self._empty: list[int] = []
        # What every class loses at least, by itself and in any union, in the attributes that are not nominal;
        # infinite at a place without a class, so that none is ever worth joining.
        self._own: Floats = np.full(capacity, np.inf)
        self._losses = np.full(capacity, np.nan)
        self._n_rows = np.ones(capacity)
        self._logs: Floats = np.zeros(capacity)
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
        self._logs[place] = np.add.reduce(weighted_log(counts))
        self._losses[place] = np.nan
        codes = self._codes[rows]
        own = sum(shelf.put(place, codes[:, i]) for i, shelf in self._shelves.items())
        if self._nominal is not None:
            self._nominal.put(place, codes[:, self._together.nominal])
        if self._ordinal is not None:
            own += self._ordinal.put(place, codes[:, self._together.ordinal])
        if self._continuous is not None:
            own += self._continuous.put(place, rows)
        self._own[place] = own

    def remove(self, place: int) -> list[int]:
        """Take a class away and give its rows."""
        rows, self.members[place] = self.members[place], []
        self._own[place] = np.inf
        self._empty.append(place)
        return rows

    def losses(self) -> Floats:
        """Information loss of every class; whatever it was at a place without one."""
        for place in np.flatnonzero(np.isnan(self._losses[: len(self.members)])).tolist():
            self._losses[place] = loss_of(self._codes[self.members[place]], self._together.measures)
        return self._losses[: len(self.members)]

    def begin(self) -> None:
        """Follow a new growing class."""
        if self._nominal is not None:
            self._nominal.begin(len(self.members))

    def follow(self, group: Group) -> None:
        """The growing class has grown by one row."""
        if self._nominal is not None:
            self._nominal.follow(self._codes[group.rows[-1], self._together.nominal])

    def joined(self, group: Group, aim: Aim) -> tuple[Integers, Floats, Floats]:
        """The finished classes that are worth joining the growing one to.

        Each is bounded first, by an entropy and a lower bound of the loss, which is made sharper for those
        that are left; the loss itself is worked out where the bound is worth it, of the likeliest classes
        first, so that few others are.

        Args:
            group: The growing class, of which ``follow`` has been told row by row.
            aim: What is good enough.

        Returns:
            Numbers of the classes, entropies and losses of the unions.
        """
        n_places = len(self.members)
        others = sum(group.tally(i).floor for i in self._together.alone) - SLACK
        if group.ordinal is not None:
            others += group.ordinal.floor
        if self._nominal is None:
            nominal = np.zeros(n_places)
        else:
            n_rows = self._n_rows[:n_places] + float(len(group.rows))
            nominal = self._nominal.together(group.nominal, n_rows)
        floors = nominal + self._own[:n_places]
        floors += others
        found: list[tuple[Integers, Floats, Floats]] = []
        places = (floors <= aim.reach(self._most_bits)).nonzero()[0]
        left = _Left(places=places, bits=self._most_even(group, places), floors=floors.take(places))
        left.keep_worth(aim)
        left.bits = self._bits(group, left.places)
        left.keep_worth(aim)
        if len(left.places):
            left.floors = nominal.take(left.places) + self._bounds(group, left.places)
            left.keep_worth(aim)
        while len(left.places):
            found.append(self._found(group, *left.take_likeliest(aim), aim))
            left.keep_worth(aim)
        if not found:
            return left.places, left.bits, left.floors
        numbers, bits, losses = (np.concatenate(every) for every in zip(*found, strict=True))
        return numbers, bits, losses

    def _found(
        self, group: Group, places: Integers, bits: Floats, aim: Aim
    ) -> tuple[Integers, Floats, Floats]:
        """Work the unions with some classes out, and tell the aim."""
        losses = self._worked_out(group, places)
        aim.met(places, bits, losses)
        return places, bits, losses

    def _most_even(self, group: Group, places: Integers) -> Floats:
        """Upper bounds of the entropies of the unions with some classes: as if they shared no value."""
        n_rows = self._n_rows.take(places) + float(len(group.rows))
        bits: Floats = np.log2(n_rows) - (self._logs.take(places) + group.logs) / n_rows + SLACK
        return bits

    def _bits(self, group: Group, places: Integers) -> Floats:
        """Entropies of the unions with some classes."""
        if not len(places):
            return np.zeros(0)
        return entropies(self.counts.take(places, axis=0) + group.counts)

    def _bounds(self, group: Group, places: Integers) -> Floats:
        """Lower bounds of what the unions with some classes lose in the attributes that are not nominal."""
        bounds = np.full(len(places), -SLACK)
        for i, shelf in self._shelves.items():
            bounds += shelf.together(group.tally(i), self._codes[group.rows, i], places)
        if self._ordinal is not None and group.ordinal is not None:
            bounds += self._ordinal.together(group.ordinal, len(group.rows), places)
        if self._continuous is not None:
            floors = np.array([group.tally(i).floor for i in self._together.continuous])
            bounds += self._continuous.together(group.rows, floors, places)
        return bounds

    def _worked_out(self, group: Group, places: Integers) -> Floats:
        """Losses of the unions with some classes."""
        together = self._together
        parts = np.zeros((len(together.measures), len(places)))
        if self._nominal is not None:
            parts[together.nominal] = self._nominal.losses_with(group.nominal, len(group.rows), places)
        if self._ordinal is not None and group.ordinal is not None:
            parts[together.ordinal] = self._ordinal.losses_with(group.ordinal, places)
        if self._continuous is not None:
            parts[together.continuous] = self._continuous.losses_with(group.rows, places)
        for i, shelf in self._shelves.items():
            parts[i] = shelf.losses_with(self._codes[group.rows, i], places)
        losses: Floats = parts.sum(axis=0)
        return losses


@dataclass(slots=True, kw_only=True)
class _Left:
    """The classes that may still be worth joining, with the entropies and bounds of their unions."""

    places: Integers
    bits: Floats
    floors: Floats

    def keep_worth(self, aim: Aim) -> None:
        """Leave out the others."""
        if len(self.places):
            self._keep(aim.worth(self.places, self.bits, self.floors).nonzero()[0])

    def take_likeliest(self, aim: Aim) -> tuple[Integers, Floats]:
        """Take the likeliest few off, and give their numbers and entropies."""
        order = np.arange(len(self.places))
        if len(order) > CHUNK:
            likely = aim.rank(self.places, self.bits, self.floors)
            order = np.argpartition(-likely, CHUNK) if len(order) > MANY else np.argsort(-likely)
        first = order[:CHUNK]
        places, bits = self.places.take(first), self.bits.take(first)
        self._keep(order[CHUNK:])
        return places, bits

    def _keep(self, which: Integers) -> None:
        self.places = self.places.take(which)
        self.bits, self.floors = self.bits.take(which), self.floors.take(which)
