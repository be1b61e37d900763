"""AVD: how far the synthetic table's marginals are from the real one's."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Codes, Domain
from hmpb_core.marginal import combination
from hmpb_core.sources.base import Source

MAX_ATTRIBUTES_FOR_ALL_TRIPLES = 20
FIXED_TRIPLES = 500
_DENSE_CELLS = 1 << 20
"""Largest table that is counted cell by cell; larger ones are counted by the cells that occur."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginalError:
    """AVD of one size of attribute sets.

    Attributes:
        subsets: The attribute sets compared.
        values: Half the L1 distance of each set's two marginals, 0 to 1.
    """

    subsets: tuple[tuple[int, ...], ...]
    values: NDArray[np.float64] = field(repr=False)

    @property
    def mean(self) -> float | None:
        """AVD: the mean over all sets; None where there is no set of this size."""
        return float(self.values.mean()) if self.values.size else None

    def worst(self, count: int) -> list[tuple[tuple[int, ...], float]]:
        """The sets with the largest error, worst first."""
        order = np.argsort(-self.values, kind="stable")[:count]
        return [(self.subsets[i], float(self.values[i])) for i in order]


def marginal_error(real: Codes, synthetic: Codes, domain: Domain, size: int) -> MarginalError:
    """Compare all marginals over ``size`` attributes.

    With P and Q the two tables' marginals over a set of attributes, its error is
    1/2 * sum |P - Q|; AVD_size is the mean over ``subsets(d, size)``.

    Source: [Zhang2022, section 4.2].

    Args:
        real: Codes of shape (rows, attributes).
        synthetic: Codes of shape (rows, attributes); the number of rows may differ.
        domain: Their domain.
        size: Number of attributes in a set.
    """
    chosen = subsets(len(domain), size)
    tables = [
        [np.ascontiguousarray(codes[:, a], dtype=np.int64) for a in range(len(domain))]
        for codes in (real, synthetic)
    ]
    values = [_distance(tables, attributes, domain.shape(attributes)) for attributes in chosen]
    return MarginalError(subsets=chosen, values=np.array(values, dtype=float))


def marginal_error_of(real: Source, synthetic: Source, size: int) -> MarginalError:
    """Compare all marginals over ``size`` attributes by counts alone: the rows may stay in an engine.

    Args:
        real: The private table.
        synthetic: The synthetic table, over the same domain; the number of rows may differ.
        size: Number of attributes in a set.
    """
    chosen = subsets(len(real.domain), size)
    pairs = zip(real.marginals(chosen), synthetic.marginals(chosen), strict=True)
    values = [float(np.abs(p.counts / real.n_rows - q.counts / synthetic.n_rows).sum() / 2) for p, q in pairs]
    return MarginalError(subsets=chosen, values=np.array(values, dtype=float))


def subsets(n_attributes: int, size: int) -> tuple[tuple[int, ...], ...]:
    """The attribute sets that AVD is a mean of: a public rule.

    All pairs; all sets of three or more up to 20 attributes; beyond that 500 of them: those
    whose rank in lexicographic order is SHA-256("0"), SHA-256("1"), ... modulo their number,
    without repeats, so that everybody compares the same ones.

    Example:
        >>> len(subsets(15, 3)), len(subsets(57, 2)), len(subsets(57, 3))
        (455, 1596, 500)
    """
    total = math.comb(n_attributes, size)
    if size <= 2 or n_attributes <= MAX_ATTRIBUTES_FOR_ALL_TRIPLES or total <= FIXED_TRIPLES:
        return tuple(itertools.combinations(range(n_attributes), size))
    ranks: list[int] = []
    number = 0
    while len(ranks) < FIXED_TRIPLES:
        rank = int.from_bytes(sha256(str(number).encode()).digest()) % total
        number += 1
        if rank not in ranks:
            ranks.append(rank)
    return tuple(combination(rank, n_attributes, size) for rank in ranks)


def _distance(
    tables: Sequence[Sequence[NDArray[np.int64]]], attributes: Sequence[int], shape: Sequence[int]
) -> float:
    """Half the L1 distance between the two tables' marginals over these attributes."""
    cells = math.prod(shape)
    keys = []
    for columns in tables:
        key = columns[attributes[0]]
        for attribute, size in zip(attributes[1:], shape[1:], strict=True):
            key = key * size + columns[attribute]
        keys.append(key)
    if cells > _DENSE_CELLS:
        _, joint = np.unique(np.concatenate(keys), return_inverse=True)
        keys = [joint[: len(keys[0])], joint[len(keys[0]) :]]
        cells = int(joint.max()) + 1
    p, q = (np.bincount(key, minlength=cells) / len(key) for key in keys)
    return float(np.abs(p - q).sum() / 2)
