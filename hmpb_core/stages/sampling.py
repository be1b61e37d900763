"""Ancestral sampling from conditional tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.network import ConditionalTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One of several parts of one draw, each drawn by itself.

    Attributes:
        index: Which part, from 0.
        of: How many parts there are, all of about as many rows.
        seed: What the parts share: the seed of the offsets of systematic sampling.
    """

    index: int
    of: int
    seed: int

    def offsets(self) -> Callable[[int], NDArray[np.float64]]:
        """Give the offsets of each parent group, table by table: a generator's uniform numbers, shifted.

        Part k of K takes (u + k / K) modulo 1 where one draw of all rows takes u: then the parts' points
        (rank + offset) / rows lie between each other's, evenly, as those of one draw do.
        """
        shared = np.random.default_rng(self.seed)
        return lambda count: np.mod(shared.random(count) + self.index / self.of, 1.0)


def sample_codes(
    tables: Sequence[ConditionalTable],
    domain: Domain,
    n_rows: int,
    rng: np.random.Generator,
    *,
    proportional: bool = True,
    part: Part | None = None,
) -> NDArray[np.int32]:
    """Draw rows, each child given its parents.

    Args:
        tables: Conditional tables, every parent's before its children's.
        domain: The domain of the codes.
        n_rows: Rows to draw.
        rng: Draws them.
        proportional: Give each value its expected number of rows within every parent group,
            rounded at random, instead of drawing every row by itself. The rows' joint
            distribution is the same on average and varies less.
        part: Which part of a larger proportional draw these rows are; None: all of it.

    Returns:
        Codes of shape (n_rows, attributes), one column after another in memory.
    """
    codes = np.zeros((n_rows, len(domain)), dtype=np.int32, order="F")
    offsets = rng.random if part is None else part.offsets()
    for table in tables:
        parents, child = table.family.parents, table.family.child
        probabilities = table.probabilities.reshape(-1, domain.sizes[child])
        # Up to 16 bits a stable sort is a radix sort.
        group: NDArray[Any] = np.zeros(n_rows, dtype=np.uint16 if len(probabilities) < 2**16 else np.int64)
        for parent in parents:
            group *= group.dtype.type(domain.sizes[parent])
            group += codes[:, parent].astype(group.dtype)
        if proportional:
            codes[:, child] = _proportional(group, probabilities, rng, offsets)
        else:
            codes[:, child] = _independent(group.astype(np.int64), probabilities, rng)
    return codes


def _independent(
    group: NDArray[np.int64], probabilities: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int64]:
    cumulative = np.cumsum(probabilities, axis=1)
    cumulative /= cumulative[:, -1:]
    # One sorted search over all groups: group g lives between g and g + 1.
    edges = (cumulative + np.arange(len(cumulative))[:, None]).ravel()
    position = np.searchsorted(edges, group + rng.random(len(group)), side="right")
    size = probabilities.shape[1]
    values: NDArray[np.int64] = np.minimum(position - group * size, size - 1)
    return values


def _proportional(
    group: NDArray[np.integer],
    probabilities: NDArray[np.float64],
    rng: np.random.Generator,
    offsets: Callable[[int], NDArray[np.float64]],
) -> NDArray[np.int32]:
    """Systematic sampling inside each parent group, over randomly ordered rows."""
    n, (groups, size) = len(group), probabilities.shape
    order = rng.permutation(n)
    if groups > 1:
        order = np.take(order, np.argsort(np.take(group, order), kind="stable"))
    counts = np.bincount(group, minlength=groups)
    ends = np.cumsum(counts)
    starts = ends - counts
    offset = offsets(groups)
    uniform = (np.arange(n) - np.repeat(starts, counts) + np.repeat(offset, counts)) / np.repeat(
        counts, counts
    )
    points = np.repeat(np.arange(groups), counts) + np.minimum(uniform, 1 - 1e-12)
    cumulative = np.cumsum(probabilities, axis=1)
    cumulative /= cumulative[:, -1:]
    edges = cumulative + np.arange(groups)[:, None]
    # The points ascend, and a value's rows are those from the edge before it up to its own.
    until = np.clip(
        np.searchsorted(points, edges.ravel()).reshape(groups, size), starts[:, None], ends[:, None]
    )
    until[:, -1] = ends
    rows = np.diff(until.ravel(), prepend=0)
    values = np.empty(n, dtype=np.int32)
    values[order] = np.repeat(np.tile(np.arange(size, dtype=np.int32), groups), rows)
    return values
