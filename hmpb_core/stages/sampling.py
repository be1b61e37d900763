"""Ancestral sampling from conditional tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.network import ConditionalTable


def sample_codes(
    tables: Sequence[ConditionalTable],
    domain: Domain,
    n_rows: int,
    rng: np.random.Generator,
    *,
    proportional: bool = True,
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

    Returns:
        Codes of shape (n_rows, attributes).
    """
    codes = np.zeros((n_rows, len(domain)), dtype=np.int32)
    for table in tables:
        parents, child = table.family.parents, table.family.child
        probabilities = table.probabilities.reshape(-1, domain.sizes[child])
        group = np.zeros(n_rows, dtype=np.int64)
        for parent in parents:
            group = group * domain.sizes[parent] + codes[:, parent]
        draw = _proportional if proportional else _independent
        codes[:, child] = draw(group, probabilities, rng)
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
    group: NDArray[np.int64], probabilities: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Systematic sampling inside each parent group, over randomly ordered rows."""
    n = len(group)
    order = rng.permutation(n)
    order = order[np.argsort(group[order], kind="stable")]
    sorted_group = group[order]
    counts = np.bincount(group, minlength=len(probabilities))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    rank = np.arange(n) - starts[sorted_group]
    offset = rng.random(len(probabilities))[sorted_group]
    uniform = (rank + offset) / counts[sorted_group]
    cumulative = np.cumsum(probabilities, axis=1)
    cumulative /= cumulative[:, -1:]
    edges = (cumulative + np.arange(len(cumulative))[:, None]).ravel()
    position = np.searchsorted(edges, sorted_group + np.minimum(uniform, 1 - 1e-12), side="right")
    size = probabilities.shape[1]
    values = np.empty(n, dtype=np.int64)
    values[order] = np.minimum(position - sorted_group * size, size - 1)
    return values
