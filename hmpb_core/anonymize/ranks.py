"""Ordinal attributes taken together: one step for all of them instead of a few for each.

What a class holds is one array of counts, a line an attribute: a column a rank, and one more for the
missing value. Lines of fewer ranks than the longest end in zeros.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from hmpb_core.anonymize.measure import Ahead, Floats, Integers
from hmpb_core.anonymize.ordinal import Ordinal

MOST_RANKS = 100
"""An attribute of more ranks is counted by itself: the others' lines would be as long."""
MAX_CELLS = 10**7
"""Largest array of counts, classes by attributes by ranks, that is kept: 80 MB."""


class Ranks:
    """Which ranks there are.

    Args:
        measures: The attributes, at least one.
    """

    def __init__(self, measures: Sequence[Ordinal]) -> None:
        self.n_ranks = np.array([len(measure.positions) for measure in measures])
        self.width = int(self.n_ranks.max())
        self.cells = len(measures) * (self.width + 1)
        self.positions = np.zeros((len(measures), self.width))
        for line, measure in enumerate(measures):
            self.positions[line, : self.n_ranks[line]] = measure.positions
        self.complete = np.array([not measure.missing for measure in measures])
        sizes = [measure.n_values for measure in measures]
        self.bounds = list(itertools.pairwise(np.cumsum([0, *sizes]).tolist()))
        self.lines: Integers = np.arange(len(measures))
        self.line_of_value = np.repeat(self.lines, sizes)
        self.column_of_value = self.columns(np.concatenate([np.arange(n) for n in sizes]), self.line_of_value)
        self.positions_of_value = self.positions[self.line_of_value]

    def columns(self, codes: Integers, lines: Integers) -> Integers:
        """Where codes of these attributes are counted."""
        return np.where(codes < self.n_ranks[lines], codes, self.width)

    def counts(self, codes: Integers) -> Integers:
        """Count a class; codes of shape (rows, attributes)."""
        places = self.columns(codes, self.lines) + self.lines * (self.width + 1)
        cells = np.bincount(places.ravel(), minlength=self.cells)
        return cells.reshape(len(self.lines), self.width + 1)


def losses_of(counts: Integers, positions: Floats) -> Floats:
    """Losses to the centroid, the convex median (``Ordinal.loss``).

    Args:
        counts: Of shape (..., ranks and the missing value).
        positions: Place of each rank; shape (..., ranks).
    """
    ranked = counts[..., :-1]
    rising = np.maximum.accumulate(ranked, axis=-1)
    falling = np.maximum.accumulate(ranked[..., ::-1], axis=-1)[..., ::-1]
    return _about_median_of(np.minimum(rising, falling), counts, positions)


def floors_of(counts: Integers, positions: Floats) -> Floats:
    """Losses about the ordinary median: what no centroid makes less (``Ordinal.loss_floor``)."""
    return np.minimum(_about_median_of(counts[..., :-1], counts, positions), _present(counts))


def _present(counts: Integers) -> Integers:
    present: Integers = counts[..., :-1].sum(axis=-1)
    return present


def _about_median_of(weights: Integers, counts: Integers, positions: Floats) -> Floats:
    """Losses about the median of these weights; where most values are missing, about the missing one."""
    running = np.cumsum(weights, axis=-1)
    median = np.minimum((2 * running < running[..., -1:]).sum(axis=-1), weights.shape[-1] - 1)
    middle = np.take_along_axis(np.broadcast_to(positions, weights.shape), median[..., None], axis=-1)
    present, absent = _present(counts), counts[..., -1]
    spread = (counts[..., :-1] * np.abs(positions - middle)).sum(axis=-1)
    losses: Floats = np.where(absent > present, present, spread + absent)
    return losses


class RankTally:
    """What a growing class holds of several ordinal attributes."""

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self.bounds = ranks.bounds
        self.counts = np.zeros((len(ranks.lines), ranks.width + 1), dtype=np.int64)
        self._after: Floats | None = None

    def add(self, codes: Integers) -> None:
        """Put a row with these codes into the class."""
        self.counts[self._ranks.lines, self._ranks.columns(codes, self._ranks.lines)] += 1
        self._after = None

    @property
    def each_loss(self) -> list[float]:
        """Information loss of each attribute."""
        losses: list[float] = losses_of(self.counts, self._ranks.positions).tolist()
        return losses

    @property
    def floor(self) -> float:
        """A lower bound of the losses' sum that adds up."""
        return float(floors_of(self.counts, self._ranks.positions).sum())

    def losses(self) -> Floats:
        """For each value of each attribute the loss of its attribute after one more row of it."""
        if self._after is None:
            ranks = self._ranks
            more = self.counts.take(ranks.line_of_value, axis=0)
            more[np.arange(len(more)), ranks.column_of_value] += 1
            self._after = losses_of(more, ranks.positions_of_value)
        return self._after

    def ahead(self, line: int) -> Ahead:
        """The losses of one attribute."""
        start, stop = self.bounds[line]
        return Ahead.of_all(self.losses()[start:stop])


class RankShelf:
    """Several ordinal attributes of the finished classes."""

    def __init__(self, ranks: Ranks, capacity: int) -> None:
        self._ranks = ranks
        self._counts = np.zeros((capacity, len(ranks.lines), ranks.width + 1), dtype=np.int64)
        self._floors, self._means = (np.zeros((capacity, len(ranks.lines))) for _ in range(2))
        self._n_rows = np.ones(capacity)

    def put(self, place: int, codes: Integers) -> float:
        """Set the class at a place; gives a lower bound of its losses that adds up."""
        counts = self._counts[place] = self._ranks.counts(codes)
        self._floors[place], self._means[place] = self._summary(counts)
        self._n_rows[place] = len(codes)
        return float(self._floors[place].sum())

    def together(self, growing: RankTally, n_rows: int, places: Integers) -> Floats:
        """Lower bounds of the losses of a growing class with each of these classes.

        About whatever middle, a class loses what it loses about its own median, and at least its rows times
        the distance from its mean to that middle. The sum of both classes' is least where one of them
        begins to lose by its mean.
        """
        ours, our_mean = self._summary(growing.counts)
        theirs, their_rows = self._floors.take(places, axis=0), self._n_rows.take(places)[:, None]
        apart = np.abs(self._means.take(places, axis=0) - our_mean)
        with_theirs = ours + np.maximum(theirs, their_rows * (apart - ours / n_rows))
        with_ours = theirs + np.maximum(ours, n_rows * (apart - theirs / their_rows))
        # The missing value is no rank, and has no place between others.
        floors: Floats = np.where(self._ranks.complete, np.minimum(with_theirs, with_ours), ours + theirs)
        bounds: Floats = floors.sum(axis=1)
        return bounds

    def losses_with(self, growing: RankTally, places: Integers) -> Floats:
        """The loss of each attribute in the unions with these classes; shape (attributes, places)."""
        return losses_of(self._counts.take(places, axis=0) + growing.counts, self._ranks.positions).T

    def _summary(self, counts: Integers) -> tuple[Floats, Floats]:
        positions = self._ranks.positions
        means = (counts[:, :-1] * positions).sum(axis=1) / np.maximum(_present(counts), 1)
        return floors_of(counts, positions), means
