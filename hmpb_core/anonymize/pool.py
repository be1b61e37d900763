"""The rows that are in no class yet, and what each would add to a growing class's loss."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hmpb_core.anonymize.measure import Floats, Integers, Measure

JOINT_PART = 8
"""Attributes share one look-up while their combinations in the table are at most an eighth of its rows."""
DEAD_PART = 8
"""The pool is packed again when an eighth of its rows have left."""


class Pool:
    """Rows in the order (sensitive value, row number), so that rows of one entropy lie side by side.

    The loss of a class after one more row is a sum over attributes of a number that depends on the row's
    value alone. Attributes with few combinations in the table (``JOINT_PART``) are looked up as one.

    Args:
        codes: Codes of the quasi-identifiers; shape (rows, attributes).
        sensitive: Codes of the sensitive attribute; shape (rows,).
        measures: The attributes' measures.
    """

    def __init__(self, codes: Integers, sensitive: Integers, measures: Sequence[Measure]) -> None:
        self._joints = _joints(codes, measures)
        order = np.argsort(sensitive, kind="stable")
        self.rows: Integers = order
        self.sensitive: Integers = sensitive[order]
        self.counts: Integers = np.bincount(sensitive)
        self._lookups = [np.ascontiguousarray(lookup[order]) for _, _, lookup in self._joints]
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
        self._n_gone += 1
        if self._n_gone * DEAD_PART > len(self.rows):
            self._pack()

    def least_losses(self, losses: Sequence[Floats]) -> tuple[Integers, Floats]:
        """The least loss among the rows of each sensitive value.

        Args:
            losses: For each attribute the loss of the class after one more row of each value.

        Returns:
            The sensitive values, and the least sum of losses for each (infinite where no row is left).
        """
        total = self._total
        np.copyto(total, self._gone)
        for (columns, combinations, _), lookup in zip(self._joints, self._lookups, strict=True):
            table = losses[columns[0]][combinations[:, 0]]
            for i, column in enumerate(columns[1:], start=1):
                table = table + losses[column][combinations[:, i]]
            np.take(table, lookup, out=self._part, mode="clip")
            total += self._part
        return self._values, np.minimum.reduceat(total, self._starts)

    def first_of(self, place: int) -> int:
        """The first row of least loss of the sensitive value at this place of ``least_losses``."""
        start, stop = self._starts[place], self._stops[place]
        return int(self.rows[start + self._total[start:stop].argmin()])

    def _pack(self) -> None:
        keep = self._gone == 0
        self.rows, self.sensitive = self.rows[keep], self.sensitive[keep]
        self._lookups = [lookup[keep] for lookup in self._lookups]
        self._gone, self._n_gone = self._gone[keep], 0
        self._place[self.rows] = np.arange(len(self.rows))
        self._values, self._starts = np.unique(self.sensitive, return_index=True)
        self._stops = np.append(self._starts[1:], len(self.rows))
        self._total, self._part = np.empty(len(self.rows)), np.empty(len(self.rows))


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
