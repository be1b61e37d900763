"""The rows that are in no class yet, and what each would add to a growing class's loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize.groups import Group
from hmpb_core.anonymize.measure import Floats, Integers, Measure
from hmpb_core.anonymize.together import Together

JOINT_PART = 8
"""Attributes share one look-up while their combinations in the table are at most an eighth of its rows."""
FEW, FEW_CELLS = 1_000, 20
"""Of no more rows than this each is looked at; more cells than this are gathered at once."""
NEAR = 0.1
"""Cells whose bound is at most this above the least are looked at first."""
MOST_BITS = 62
"""Up to so many sensitive values, those that a cell holds are the bits of one number."""
DEAD_PART = 8
"""The pool is packed again when an eighth of its rows have left."""


class Pool:
    """Rows in cells: those that are alike in the first attributes that share a look-up.

    The loss of a class after one more row is a sum over attributes of a number that depends on the row's
    value alone. Attributes with few combinations in the table (``JOINT_PART``) are looked up as one. A
    cell whose own number, with the least of the others, is too great is passed over as a whole. In the
    attribute of the most values only the values near a member may lose less than the rest (``Ahead``), and
    the rows with them are kept in view while the class grows.

    Args:
        codes: Codes of the quasi-identifiers; shape (rows, attributes).
        sensitive: Codes of the sensitive attribute; shape (rows,).
        together: The attributes, by how they are counted.
    """

    def __init__(self, codes: Integers, sensitive: Integers, together: Together) -> None:
        measures = together.measures
        self._joints = _joints(codes, measures)
        self._wide = (
            self._joints.pop()[0][0] if len(self._joints) > 1 and len(self._joints[-1][0]) == 1 else None
        )
        columns, combinations, cells = self._joints[0]
        order = np.lexsort((sensitive, cells))
        self.rows: Integers = order
        self.sensitive: Integers = sensitive[order]
        self.counts: Integers = np.bincount(sensitive)
        self._lookups = [np.ascontiguousarray(lookup[order]) for _, _, lookup in self._joints]
        self._columns = [
            [(column, np.ascontiguousarray(combinations[:, i])) for i, column in enumerate(columns)]
            for columns, combinations, _ in self._joints
        ]
        self._stacked = together.places(columns, combinations)
        self._n_wide = measures[self._wide].n_values if self._wide is not None else 0
        self._wide_codes = codes[order, self._wide] if self._wide is not None else order
        self._gone = np.zeros(len(order))
        self._n_gone = 0
        self._place = np.empty(len(order), dtype=np.int64)
        self._eligible = np.ones(len(self.counts), dtype=bool)
        self._pack()

    def __len__(self) -> int:
        return len(self.rows) - self._n_gone

    def begin(self) -> None:
        """Follow a new growing class."""
        self._forget_near()

    def take(self, row: int) -> None:
        """Take a row out: the growing class has it."""
        place = self._place[row]
        self._gone[place] = np.inf
        cell, value = self._lookups[0][place], self.sensitive[place]
        self.counts[value] -= 1
        left = self._in_cell[cell, value] = self._in_cell[cell, value] - 1
        if not left and self._held is not None:
            self._held[cell] &= ~(np.int64(1) << value)
        self._n_gone += 1
        if self._n_gone * DEAD_PART > len(self.rows):
            self._pack()

    def look(self, group: Group, eligible: NDArray[np.bool_]) -> Floats:
        """Look from a growing class at the rows that are most likely the nearest.

        Args:
            group: The growing class; all of its rows were taken out.
            eligible: Which sensitive values are looked for.

        Returns:
            For each sensitive value the least loss of the class after one more row with it, of the rows
            looked at; infinite where there is none.
        """
        self._tables = [self._first_table(group), *(self._table(group, c) for c in self._columns[1:])]
        self._ahead = None if self._wide is None else group.ahead(self._wide)
        self._least = np.full(len(self.counts), np.inf)
        self._seen: list[tuple[Integers | None, Floats]] = []
        if len(self.rows) <= FEW:
            self._eligible, self._seen_to = eligible, math.inf
            self._work_out(None)
            return self._least
        if self._ahead is not None:
            self._view(eligible, self._ahead.ranges)
        self._eligible = eligible
        self._others = sum(float(np.minimum.reduce(table)) for table in self._tables[1:])
        self._bounds = np.where(self._open_cells(eligible), self._tables[0], np.inf)
        self._bounds += self._others + self._ahead.rest if self._ahead else self._others
        self._seen_to = float(np.minimum.reduce(self._bounds)) + NEAR
        self._look_in((self._bounds <= self._seen_to).nonzero()[0])
        return self._least

    def within(self, limit: float) -> Floats:
        """The same of all rows, right wherever it is at most the limit."""
        if self._seen_to == math.inf:
            return self._least
        if self._ahead is not None and len(self._near):
            most = limit - self._others - self._ahead.least
            self._work_out(self._near[self._tables[0].take(self._near_cells) <= most])
        if limit > self._seen_to:
            cells = ((self._bounds > self._seen_to) & (self._bounds <= limit)).nonzero()[0]
            if limit == math.inf or 2 * int(self._sizes[cells].sum()) > len(self.rows):
                self._work_out(None)
            elif len(cells):
                self._look_in(cells)
        return self._least

    def first_of(self, value: int) -> int:
        """The first row of least loss among those looked at with this sensitive value."""
        least, rows = self._least[value], []
        for places, total in self._seen:
            found = (total == least).nonzero()[0]
            found = found if places is None else places.take(found)
            rows += self.rows.take(found)[self.sensitive.take(found) == value].tolist()
        return int(min(rows))

    def _first_table(self, group: Group) -> Floats:
        if self._stacked is None:
            return self._table(group, self._columns[0])
        table: Floats = np.add.reduce(group.losses_together().take(self._stacked), axis=0)
        return table

    def _table(self, group: Group, columns: list[tuple[int, Integers]]) -> Floats:
        table = group.losses(columns[0][0]).take(columns[0][1])
        for column, codes in columns[1:]:
            table += group.losses(column).take(codes)
        return table

    def _open_cells(self, eligible: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The cells that hold a row with an eligible value."""
        found: NDArray[np.bool_]
        if self._held is None:
            found = self._in_cell @ eligible.astype(np.int64) > 0
            return found
        looked_for = sum(1 << value for value in eligible.nonzero()[0].tolist())
        found = (self._held & looked_for) != 0
        return found

    def _look_in(self, cells: Integers) -> None:
        if len(cells) > FEW_CELLS:
            self._work_out(_places(self._starts[cells], self._sizes[cells]))
            return
        runs = [self._every[self._starts[cell] : self._starts[cell + 1]] for cell in cells.tolist()]
        self._work_out(np.concatenate(runs))

    def _forget_near(self) -> None:
        self._near = self._near_cells = np.empty(0, dtype=np.int64)
        self._in_view: set[tuple[int, int]] = set()

    def _view(self, eligible: NDArray[np.bool_], ranges: Sequence[tuple[int, int]]) -> None:
        """Keep the eligible rows in view whose values of the last attribute may lose less."""
        if (eligible & ~self._eligible).any():
            self._forget_near()
        elif len(self._near) and (eligible != self._eligible).any():
            keep = eligible.take(self.sensitive.take(self._near)).nonzero()[0]
            self._near, self._near_cells = self._near.take(keep), self._near_cells.take(keep)
        for found in ranges:
            if found not in self._in_view:
                self._in_view.add(found)
                places = self._by_wide[self._wide_starts[found[0]] : self._wide_starts[found[1]]]
                places = places[eligible.take(self.sensitive.take(places))]
                self._near = np.concatenate([self._near, places])
                self._near_cells = np.concatenate([self._near_cells, self._lookups[0].take(places)])

    def _work_out(self, places: Integers | None) -> None:
        def here(values: NDArray[np.generic]) -> Any:
            return values if places is None else values.take(places)

        sensitive = here(self.sensitive)
        if places is not None:
            keep = self._eligible.take(sensitive).nonzero()[0]
            places, sensitive = places.take(keep), sensitive.take(keep)
        total = here(self._gone) + self._tables[0].take(here(self._lookups[0]))
        for table, lookup in zip(self._tables[1:], self._lookups[1:], strict=True):
            total += table.take(here(lookup))
        if self._ahead is not None:
            total += self._ahead.losses(here(self._wide_codes))
        np.minimum.at(self._least, sensitive, total)
        self._seen.append((places, total))

    def _pack(self) -> None:
        keep = self._gone == 0
        self.rows, self.sensitive = self.rows[keep], self.sensitive[keep]
        self._lookups = [lookup[keep] for lookup in self._lookups]
        self._wide_codes = self._wide_codes[keep]
        self._gone, self._n_gone = self._gone[keep], 0
        self._place[self.rows] = np.arange(len(self.rows))
        n_cells, n_values = len(self._joints[0][1]), len(self.counts)
        in_cell = np.bincount(self._lookups[0] * n_values + self.sensitive, minlength=n_cells * n_values)
        self._in_cell = in_cell.reshape(n_cells, n_values)
        self._held = None
        if n_values <= MOST_BITS:
            self._held = (self._in_cell > 0) @ (np.int64(1) << np.arange(n_values))
        self._sizes = np.bincount(self._lookups[0], minlength=n_cells)
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        self._every = np.arange(len(self.rows))
        self._forget_near()
        if self._wide is not None:
            self._by_wide = np.argsort(self._wide_codes, kind="stable")
            in_wide = np.bincount(self._wide_codes, minlength=self._n_wide)
            self._wide_starts = np.concatenate([[0], np.cumsum(in_wide)])


def _places(starts: Integers, sizes: Integers) -> Integers:
    """Runs of whole numbers, one after the other."""
    before = np.cumsum(sizes) - sizes
    places: Integers = np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
    return places


def _joints(codes: Integers, measures: Sequence[Measure]) -> list[tuple[list[int], Integers, Integers]]:
    """Columns that share a look-up, their combinations, and each row's combination."""
    joints: list[tuple[list[int], Integers, Integers]] = []
    for column in sorted(range(len(measures)), key=lambda j: measures[j].n_values):
        if joints:
            columns = [*joints[-1][0], column]
            joined, lookup = _combinations(codes[:, columns])
            if len(joined) * JOINT_PART <= len(codes):
                joints[-1] = (columns, joined, lookup)
                continue
        joints.append(([column], *_combinations(codes[:, [column]])))
    return joints


def _combinations(codes: Integers) -> tuple[Integers, Integers]:
    combinations, lookup = np.unique(codes, axis=0, return_inverse=True)
    return combinations, lookup.reshape(-1).astype(np.int64)
