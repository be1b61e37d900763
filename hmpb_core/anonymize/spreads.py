"""Continuous attributes of the finished classes, taken together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hmpb_core.anonymize.continuous import Continuous
from hmpb_core.anonymize.measure import Floats, Integers


class SpreadShelf:
    """Works on several classes and attributes at once, and bounds a union by how far its two means are apart.

    With m the mean of both, a class of n rows and mean m_1 loses at least n |m_1 - m| about m, and at least
    what it loses about its own median; n |m_1 - m| is one number for the two classes. Where a value
    may be missing, the medians' losses alone are the bound: the missing value is no number.

    Args:
        measures: The attributes, at least one.
        codes: Their codes in the whole table; shape (rows, attributes).
        capacity: Number of classes.
    """

    def __init__(self, measures: Sequence[Continuous], codes: Integers, capacity: int) -> None:
        self._measures = measures
        self._codes = codes
        # Of a missing value nan.
        self._positions = np.stack(
            [np.append(m.scaled, np.nan).take(codes[:, i]) for i, m in enumerate(measures)], axis=1
        )
        self._complete = np.array([not measure.missing for measure in measures])
        self._members: list[list[int]] = [[]] * capacity
        self._floors, self._means = (np.zeros((capacity, len(measures))) for _ in range(2))
        self._n_rows = np.ones(capacity)

    def put(self, place: int, rows: list[int]) -> float:
        """Set the class at a place; gives a lower bound of its losses that adds up."""
        codes = self._codes[rows]
        self._members[place], self._n_rows[place] = rows, len(rows)
        self._floors[place] = [m.loss_floor(codes[:, i]) for i, m in enumerate(self._measures)]
        self._means[place] = self._positions[rows].mean(axis=0)
        return float(self._floors[place].sum())

    def together(self, rows: list[int], floors: Floats, places: Integers) -> Floats:
        """Lower bounds of the losses of a growing class, of these rows, with each of these classes.

        Args:
            rows: Its rows.
            floors: The lower bound of its own loss, attribute by attribute.
            places: The classes.
        """
        theirs, n_rows = self._floors.take(places, axis=0), self._n_rows.take(places)
        weights = len(rows) * n_rows / (len(rows) + n_rows)
        apart = np.abs(self._means.take(places, axis=0) - self._positions[rows].mean(axis=0))
        apart = np.where(self._complete, apart * weights[:, None], 0.0)
        bounds: Floats = (np.maximum(theirs, apart) + np.maximum(floors, apart)).sum(axis=1)
        return bounds

    def losses_with(self, rows: list[int], places: Integers) -> Floats:
        """The loss of each attribute in the unions with these classes; shape (attributes, places)."""
        members = [self._members[place] for place in places.tolist()]
        sizes = np.array([len(group) for group in members])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        x, own = self._positions[np.concatenate(members)], self._positions[rows]
        if self._complete.all():
            means = (np.add.reduceat(x, starts) + own.sum(axis=0)) / (sizes + len(own))[:, None]
            spread = np.add.reduceat(np.abs(x - means.repeat(sizes, axis=0)), starts)
            losses: Floats = spread + np.abs(own[:, None] - means).sum(axis=0)
            return losses.T
        there, ours = ~np.isnan(x), ~np.isnan(own)
        present = np.add.reduceat(there, starts, dtype=np.int64) + ours.sum(axis=0)
        means = np.add.reduceat(np.where(there, x, 0.0), starts) + np.where(ours, own, 0.0).sum(axis=0)
        means /= np.maximum(present, 1)
        spread = np.add.reduceat(np.where(there, np.abs(x - means.repeat(sizes, axis=0)), 0.0), starts)
        spread += np.where(ours[:, None], np.abs(own[:, None] - means), 0.0).sum(axis=0)
        absent = (sizes + len(own))[:, None] - present
        losses = np.where(absent > present, present, spread + absent)
        return losses.T
