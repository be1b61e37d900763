"""A class of rows while it grows: its entropy and its loss, now and after one more row."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hmpb_core.anonymize.measure import Ahead, Floats, Integers, Measure, Tally
from hmpb_core.anonymize.nominal import StackTally
from hmpb_core.anonymize.ranks import RankTally
from hmpb_core.anonymize.together import Together


def entropy(counts: Integers) -> float:
    """Entropy of a class's sensitive values, Ent(G) = -sum p log2 p, in bits.

    Source: [Yang2014, eq. 14].

    Example:
        >>> entropy(np.array([2, 2, 0]))
        1.0
    """
    n_rows = int(np.add.reduce(counts))
    return float(np.log2(n_rows) - np.add.reduce(weighted_log(counts)) / n_rows)


def entropies(counts: Integers) -> Floats:
    """Entropies of several classes, in bits; counts of shape (classes, values), none of them empty."""
    n_rows = counts.sum(axis=1)
    bits: Floats = np.log2(n_rows).astype(np.float64) - weighted_log(counts).sum(axis=1) / n_rows
    return bits


def weighted_log(counts: Integers) -> Floats:
    """N log2 n, 0 for 0."""
    top = int(np.maximum.reduce(counts, axis=None, initial=0))
    if top < len(_LOGS):
        return np.asarray(_LOGS.take(counts), dtype=np.float64)
    return np.asarray(counts * np.log2(np.maximum(counts, 1)), dtype=np.float64)


def _step(count: int) -> float:
    return (count + 1) * math.log2(count + 1) - (count * math.log2(count) if count else 0.0)


_LOGS = np.arange(4096) * np.log2(np.maximum(np.arange(4096), 1))


class Group:
    """A growing class.

    Args:
        codes: Codes of the quasi-identifiers of the whole table; shape (rows, attributes).
        sensitive: Codes of the sensitive attribute; shape (rows,).
        n_values: Number of sensitive values.
        together: The attributes, by how they are counted.
    """

    def __init__(self, codes: Integers, sensitive: Integers, n_values: int, together: Together) -> None:
        self._codes, self._sensitive = codes, sensitive
        measures, self._together = together.measures, together
        self.nominal = StackTally([measures[i].n_values for i in together.nominal])
        self.ordinal = None if together.ranks is None else RankTally(together.ranks)
        self._tallies = {i: measures[i].start() for i in together.alone}
        self._ahead_together: Floats | None = None
        self.rows: list[int] = []
        self.counts = np.zeros(n_values, dtype=np.int64)
        self.logs = 0.0
        """Of the counts, the sum of N log2 N."""
        self.entropy = self.loss = 0.0
        """The class's entropy, and its loss IL(G), eq. 12."""

    def add(self, row: int) -> None:
        """Put a row into the class."""
        self.rows.append(row)
        codes = self._codes[row]
        for i, tally in self._tallies.items():
            tally.add(int(codes[i]))
        self.nominal.add(codes[self._together.nominal])
        losses = self.nominal.each_loss
        if self.ordinal is not None:
            self.ordinal.add(codes[self._together.ordinal])
            losses += self.ordinal.each_loss
        self._ahead_together = None
        value = self._sensitive[row]
        self.logs += _step(int(self.counts[value]))
        self.counts[value] += 1
        self.entropy = math.log2(len(self.rows)) - self.logs / len(self.rows)
        self.loss = math.fsum([*losses, *(tally.loss for tally in self._tallies.values())])

    def tally(self, column: int) -> Tally:
        """What the class holds of one attribute that is counted by itself."""
        return self._tallies[column]

    def losses(self, column: int) -> Floats:
        """Loss of an attribute after one more row of each value."""
        if column in self._tallies:
            return self._tallies[column].losses()
        start = self._together.starts[column]
        return self.losses_together()[start : start + self._together.measures[column].n_values]

    def losses_together(self) -> Floats:
        """The same of the attributes that are counted together, one after the other (``Together.starts``)."""
        if self._ahead_together is None:
            parts = [self.nominal.losses()] + ([] if self.ordinal is None else [self.ordinal.losses()])
            self._ahead_together = np.concatenate(parts)
        return self._ahead_together

    def ahead(self, column: int) -> Ahead:
        """The same, where few values are asked for."""
        if column in self._tallies:
            return self._tallies[column].ahead()
        if column in self._together.nominal:
            return self.nominal.ahead(self._together.nominal.index(column))
        return Ahead.of_all(self.losses(column))

    def gains(self) -> list[float]:
        """Gain of entropy by one more row of each sensitive value: one number for all of one count."""
        n_rows, counts = len(self.rows) + 1, self.counts.tolist()
        by_count = {}
        for count in set(counts):
            by_count[count] = math.log2(n_rows) - (self.logs + _step(count)) / n_rows - self.entropy
        return [by_count[count] for count in counts]


def loss_of(codes: Integers, measures: Sequence[Measure]) -> float:
    """Information loss of a class, IL(G) = sum over its rows of the distance to its centroid.

    Source: [Yang2014, eq. 11 and 12].

    Args:
        codes: Codes of the class's rows; shape (rows, attributes).
        measures: The attributes' measures.
    """
    return math.fsum(measure.loss(codes[:, i]) for i, measure in enumerate(measures))
