"""A class of rows while it grows: its entropy and its loss, now and after one more row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from hmpb_core.anonymize.measure import Ahead, Floats, Integers, Measure, Tally
from hmpb_core.anonymize.nominal import Nominal, StackTally


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
        measures: The attributes' measures.
    """

    def __init__(
        self, codes: Integers, sensitive: Integers, n_values: int, measures: Sequence[Measure]
    ) -> None:
        self._codes, self._sensitive = codes, sensitive
        self._nominal, others, sizes = _columns_of(tuple(measures))
        self.nominal = StackTally(sizes)
        self._tallies = {i: measures[i].start() for i in others}
        self._ahead_nominal: Floats | None = None
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
        self.nominal.add(codes[self._nominal])
        self._ahead_nominal = None
        value = self._sensitive[row]
        self.logs += _step(int(self.counts[value]))
        self.counts[value] += 1
        self.entropy = math.log2(len(self.rows)) - self.logs / len(self.rows)
        losses = self.nominal.each_loss
        self.loss = math.fsum([*losses, *(tally.loss for tally in self._tallies.values())])

    def tally(self, column: int) -> Tally:
        """What the class holds of one attribute that is not nominal."""
        return self._tallies[column]

    def losses(self, column: int) -> Floats:
        """Loss of an attribute after one more row of each value."""
        if column in self._tallies:
            return self._tallies[column].losses()
        if self._ahead_nominal is None:
            self._ahead_nominal = self.nominal.losses()
        start, stop = self.nominal.bounds[self._nominal.index(column)]
        return self._ahead_nominal[start:stop]

    def ahead(self, column: int) -> Ahead:
        """The same, where few values are asked for."""
        if column in self._tallies:
            return self._tallies[column].ahead()
        return self.nominal.ahead(self._nominal.index(column))

    def gains(self) -> list[float]:
        """Gain of entropy by one more row of each sensitive value: one number for all of one count."""
        n_rows, counts = len(self.rows) + 1, self.counts.tolist()
        by_count = {}
        for count in set(counts):
            by_count[count] = math.log2(n_rows) - (self.logs + _step(count)) / n_rows - self.entropy
        return [by_count[count] for count in counts]


@lru_cache(maxsize=16)
def _columns_of(measures: tuple[Measure, ...]) -> tuple[list[int], list[int], list[int]]:
    """The nominal attributes, the others, and the numbers of values of the nominal ones."""
    nominal = nominal_columns(measures)
    others = [i for i in range(len(measures)) if i not in nominal]
    return nominal, others, [measures[i].n_values for i in nominal]


def nominal_columns(measures: Sequence[Measure]) -> list[int]:
    """The attributes that are counted together."""
    return [i for i, measure in enumerate(measures) if isinstance(measure, Nominal)]


def loss_of(codes: Integers, measures: Sequence[Measure]) -> float:
    """Information loss of a class, IL(G) = sum over its rows of the distance to its centroid.

    Source: [Yang2014, eq. 11 and 12].

    Args:
        codes: Codes of the class's rows; shape (rows, attributes).
        measures: The attributes' measures.
    """
    return math.fsum(measure.loss(codes[:, i]) for i, measure in enumerate(measures))


def stacked_places(
    columns: Sequence[int], combinations: Integers, measures: Sequence[Measure]
) -> Integers | None:
    """Where the values of each combination stand among those that are counted together.

    Args:
        columns: The attributes.
        combinations: Their codes; shape (combinations, attributes).
        measures: All attributes' measures.

    Returns:
        Places of shape (attributes, combinations); None where not all of the attributes are nominal.
    """
    nominal = nominal_columns(measures)
    if not set(columns) <= set(nominal):
        return None
    starts = np.cumsum([0, *(measures[i].n_values for i in nominal)])
    return np.stack([combinations[:, j] + starts[nominal.index(c)] for j, c in enumerate(columns)])
