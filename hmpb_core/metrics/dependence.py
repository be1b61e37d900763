"""How strongly each pair of attributes hangs together: one measure a pair, chosen by what the two are."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Codes, Domain, Numeric

Floats = NDArray[np.float64]


class DependenceMeasure(StrEnum):
    """What says how strongly two attributes hang together."""

    SPEARMAN = "spearman"
    """Rank correlation, -1 to 1: two attributes with an order."""
    CORRELATION_RATIO = "correlation_ratio"
    """Root of the part of a number's variance that lies between unordered categories, 0 to 1."""
    CRAMERS_V = "cramers_v"
    """Cramer's V, 0 to 1: two lists of categories, at least one of them without an order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DependencePairs:
    """The pairs of a domain, and the measure of each.

    Attributes:
        pairs: Indices of the attributes; of a correlation ratio the categories stand first.
        measures: The measure of each pair.
    """

    pairs: tuple[tuple[int, int], ...]
    measures: tuple[DependenceMeasure, ...] = field(repr=False)

    @classmethod
    def of(cls, domain: Domain) -> DependencePairs:
        """Choose the measure of every pair."""
        pairs, measures = [], []
        for i, j in combinations(range(len(domain)), 2):
            first, second = domain.attributes[i], domain.attributes[j]
            if has_order(first) and has_order(second):
                measure, pair = DependenceMeasure.SPEARMAN, (i, j)
            elif isinstance(first, Numeric):
                measure, pair = DependenceMeasure.CORRELATION_RATIO, (j, i)
            elif isinstance(second, Numeric):
                measure, pair = DependenceMeasure.CORRELATION_RATIO, (i, j)
            else:
                measure, pair = DependenceMeasure.CRAMERS_V, (i, j)
            pairs.append(pair)
            measures.append(measure)
        return cls(pairs=tuple(pairs), measures=tuple(measures))


def has_order(attribute: Attribute) -> bool:
    """Whether an attribute's values have an order."""
    return isinstance(attribute, Numeric) or attribute.ordered


def dependences(
    numbers: Floats,
    codes: Codes | None,
    domain: Domain,
    chosen: DependencePairs,
    *,
    measures: tuple[DependenceMeasure, ...] = tuple(DependenceMeasure),
) -> Floats:
    """Give the measure of each pair in one table; 0 where one side does not vary.

    Args:
        numbers: From ``values.numbers_of``; shape (rows, attributes).
        codes: The same rows as codes; Cramer's V needs them.
        domain: Their domain.
        chosen: The pairs and their measures.
        measures: The measures wanted; a pair of another has 0.
    """
    ranks: dict[int, Floats] = {}
    complete = [not np.isnan(column).any() for column in numbers.T]
    values = np.zeros(len(chosen.pairs))
    for place, ((i, j), measure) in enumerate(zip(chosen.pairs, chosen.measures, strict=True)):
        if measure not in measures:
            continue
        if measure is DependenceMeasure.CORRELATION_RATIO:
            values[place] = correlation_ratio(numbers[:, i], numbers[:, j])
        elif measure is DependenceMeasure.CRAMERS_V:
            if codes is not None:
                values[place] = cramers_v(codes[:, i], codes[:, j], domain.shape((i, j)))
        elif complete[i] and complete[j]:
            for a in (i, j):
                if a not in ranks:
                    ranks[a] = _standardised(ranks_of(numbers[:, a]))
            values[place] = float(ranks[i] @ ranks[j]) / len(numbers)
        else:
            values[place] = spearman(numbers[:, i], numbers[:, j])
    return values


def spearman(first: Floats, second: Floats) -> float:
    """Spearman's rank correlation over the rows that have both values; 0 where one does not vary."""
    known = ~(np.isnan(first) | np.isnan(second))
    if not known.any():
        return 0.0
    ranks = [_standardised(ranks_of(column[known])) for column in (first, second)]
    return float(ranks[0] @ ranks[1]) / int(known.sum())


def correlation_ratio(groups: Floats, values: Floats) -> float:
    """Root of the part of a column's variance that lies between the groups.

    eta = sqrt(sum_g n_g (mean_g - mean)^2 / sum (x - mean)^2), over the rows that have both.

    Args:
        groups: The group of each row, a whole number; not-a-number where it is missing.
        values: The number of each row.
    """
    known = ~(np.isnan(groups) | np.isnan(values))
    if not known.any() or values[known].min() == values[known].max():  # rounding leaves equal ones a variance
        return 0.0
    members, numbers = groups[known].astype(np.int64), values[known] - values[known].mean()
    counts = np.bincount(members)
    sums = np.bincount(members, weights=numbers)
    whole = float((numbers**2).sum())
    between = float((sums[counts > 0] ** 2 / counts[counts > 0]).sum())
    return float(np.sqrt(min(between / whole, 1.0))) if whole > 0 else 0.0


def cramers_v(first: NDArray[np.integer], second: NDArray[np.integer], shape: tuple[int, ...]) -> float:
    """Cramer's V of two columns of codes, without correction; a missing value is a category of its own.

    V = sqrt(chi^2 / (n min(r - 1, c - 1))), r and c the numbers of codes that occur.

    Args:
        first: Codes of one attribute.
        second: Codes of the other.
        shape: Number of codes of each.
    """
    keys = first.astype(np.int64) * shape[1] + second
    table = np.bincount(keys, minlength=shape[0] * shape[1]).reshape(shape).astype(float)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    table = table[rows > 0][:, columns > 0]
    rows, columns = rows[rows > 0], columns[columns > 0]
    least = min(len(rows), len(columns)) - 1
    if least < 1:
        return 0.0
    expected = np.multiply.outer(rows, columns) / rows.sum()
    chi = float(((table - expected) ** 2 / expected).sum())
    return float(np.sqrt(chi / (rows.sum() * least)))


def ranks_of(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def _standardised(ranks: Floats) -> Floats:
    sd = ranks.std()
    return (ranks - ranks.mean()) / sd if sd > 0 else np.zeros(len(ranks))
