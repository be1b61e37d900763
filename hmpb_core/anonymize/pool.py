"""The rows that are in no class yet, and what each would add to a growing class's loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize.groups import Group
from hmpb_core.anonymize.measure import Floats, Integers, Measure

JOINT_PART = 8
"""Attributes share one look-up while their combinations in the table are at most an eighth of its rows."""
FEW, FEW_CELLS = 1_000, 20
"""Of no more rows than this each is looked at; more cells than this are gathered at once."""
NEAR = 0.1
"""Cells whose bound is at most this above the least are looked at first."""
DEAD_PART = 8
"""The pool is packed again when an eighth of its rows have left."""


class Pool:
    """Rows in cells: those that are alike in the first attributes that share a look-up.

    The loss of a class after one more row is a sum over attributes of a number that depends on the row's
    value alone. Attributes with few combinations in the table (``JOINT_PART``) are looked up as one. A
    cell whose own number, with the least of the others, is too great is passed over as a whole; in the
    attribute of the most values only the few values near a member may lose less than the rest
    (``Ahead``), and their rows are looked at one by one.

    Args:
        codes: Codes of the quasi-identifiers; shape (rows, attributes).
        sensitive: Codes of the sensitive attribute; shape (rows,).
        measures: The attributes' measures.
    """

    def __init__(self, codes: Integers, sensitive: Integers, measures: Sequence[Measure]) -> None:
        self._joints = _joints(codes, measures)
        self._wide = (
            self._joints.pop()[0][0] if len(self._joints) > 1 and len(self._joints[-1][0]) == 1 else None
        )
        order = np.lexsort((sensitive, self._joints[0][2]))
        self.rows: Integers = order
        self.sensitive: Integers = sensitive[order]
        self.counts: Integers = np.bincount(sensitive)
        self._lookups = [np.ascontiguousarray(lookup[order]) for _, _, lookup in self._joints]
        self._columns = [
            [(column, np.ascontiguousarray(combinations[:, i])) for i, column in enumerate(columns)]
            for columns, combinations, _ in self._joints
        ]
        self._n_wide = measures[self._wide].n_values if self._wide is not None else 0
        self._wide_codes = codes[order, self._wide] if self._wide is not None else order
        self._gone = np.zeros(len(order))
        self._n_gone = 0
        self._place = np.empty(len(order), dtype=np.int64)
        self._pack()

    def __len__(self) -> int:
        return len(self.rows) - self._n_gone

    def take(self, row: int) -> None:
        """Take a row out."""
        place = self._place[row]
        self._gone[place] = np.inf
        self.counts[self.sensitive[place]] -= 1
        cell = self._lookups[0][place]
        self._in_cell[cell] -= 1
        if not self._in_cell[cell]:
            self._vacant[cell] = np.inf
        self._n_gone += 1
        if self._n_gone * DEAD_PART > len(self.rows):
            self._pack()

    def look(self, group: Group) -> Floats:
        """Look from a growing class at the rows that are most likely the nearest.

        Returns:
            For each sensitive value the least loss of the class after one more row with it, of the rows
            looked at; infinite where there is none.
        """
        self._tables = [self._table(group, columns) for columns in self._columns]
        self._ahead = None if self._wide is None else group.ahead(self._wide)
        self._least = np.full(len(self.counts), np.inf)
        self._seen: list[tuple[Integers | None, Floats]] = []
        if len(self.rows) <= FEW:
            self._seen_to = math.inf
            self._work_out(None)
            return self._least
        rest = sum(float(np.minimum.reduce(table)) for table in self._tables[1:])
        self._bounds = self._tables[0] + self._vacant
        self._bounds += rest + self._ahead.rest if self._ahead else rest
        self._seen_to = float(np.minimum.reduce(self._bounds)) + NEAR
        places = self._in_cells((self._bounds <= self._seen_to).nonzero()[0])
        if self._ahead is not None:
            for start, stop in self._ahead.ranges:
                places.append(self._by_wide[self._wide_starts[start] : self._wide_starts[stop]])
        self._work_out(np.concatenate(places))
        return self._least

    def within(self, limit: float) -> Floats | None:
        """The same of all rows, right wherever it is at most the limit; None where it is so already."""
        if limit <= self._seen_to:
            return None
        cells = ((self._bounds > self._seen_to) & (self._bounds <= limit)).nonzero()[0]
        self._seen_to = limit
        if not len(cells):
            return None
        if limit == math.inf or 2 * int(self._sizes[cells].sum()) > len(self.rows):
            self._work_out(None)
        else:
            self._work_out(np.concatenate(self._in_cells(cells)))
        return self._least

    def first_of(self, value: int) -> int:
        """The first row of least loss among those looked at with this sensitive value."""
        least, rows = self._least[value], []
        for places, total in self._seen:
            found = (total == least).nonzero()[0]
            found = found if places is None else places.take(found)
            rows += self.rows.take(found)[self.sensitive.take(found) == value].tolist()
        return int(min(rows))

    def _table(self, group: Group, columns: list[tuple[int, Integers]]) -> Floats:
        table = group.losses(columns[0][0]).take(columns[0][1])
        for column, codes in columns[1:]:
            table += group.losses(column).take(codes)
        return table

    def _in_cells(self, cells: Integers) -> list[Integers]:
        if len(cells) > FEW_CELLS:
            return [_places(self._starts[cells], self._sizes[cells])]
        return [self._every[self._starts[cell] : self._starts[cell + 1]] for cell in cells.tolist()]

    def _work_out(self, places: Integers | None) -> None:
        def here(values: NDArray[np.generic]) -> Any:
            return values if places is None else values.take(places)

        total = here(self._gone) + self._tables[0].take(here(self._lookups[0]))
        for table, lookup in zip(self._tables[1:], self._lookups[1:], strict=True):
            total += table.take(here(lookup))
        if self._ahead is not None:
            total += self._ahead.losses(here(self._wide_codes))
        np.minimum.at(self._least, here(self.sensitive), total)
        self._seen.append((places, total))

    def _pack(self) -> None:
        keep = self._gone == 0
        self.rows, self.sensitive = self.rows[keep], self.sensitive[keep]
        self._lookups = [lookup[keep] for lookup in self._lookups]
        self._wide_codes = self._wide_codes[keep]
        self._gone, self._n_gone = self._gone[keep], 0
        self._place[self.rows] = np.arange(len(self.rows))
        self._in_cell = np.bincount(self._lookups[0], minlength=len(self._joints[0][1]))
        self._sizes = self._in_cell.copy()
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        self._every = np.arange(len(self.rows))
        self._vacant = np.where(self._in_cell > 0, 0.0, np.inf)
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
