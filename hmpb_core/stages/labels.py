"""Rows as naive Bayes synthesis publishes them: uniform, each labelled by the exponential mechanism."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.network import ConditionalTable

_CHUNK = 1 << 14


def labelled_codes(
    tables: Sequence[ConditionalTable],
    domain: Domain,
    n_rows: int,
    rng: np.random.Generator,
    *,
    epsilon: float,
    table_rows: int,
) -> NDArray[np.int32]:
    """Draw rows uniformly from the input domain and give each a class.

        P(c | x) proportional to exp(epsilon q / (2 Dq)),   q = log p(c) + sum_j log p(x_j | c),
        Dq = ceil(log(2 N))

    Logarithms are to the base 2; only the rounding of Dq depends on it. Dq is a local sensitivity, of q in
    x and not in the table, so epsilon a row is what the paper says and not a bound.

    Source: [ChenX2015, Algorithm 2, eq. 8, Theorem 1].

    Args:
        tables: The class's table first, then p(x_j | c) of the others.
        domain: The domain of the codes.
        n_rows: Rows to draw.
        rng: Draws rows and labels.
        epsilon: What the paper says a label costs.
        table_rows: N, the number of rows of the private table.

    Returns:
        Codes of shape (n_rows, attributes).
    """
    sizes = np.array(domain.sizes)
    codes = rng.integers(sizes, size=(n_rows, len(sizes)), dtype=np.int32)
    root = tables[0].family.child
    factor = epsilon / (2 * math.ceil(math.log2(2 * table_rows)))
    with np.errstate(divide="ignore"):
        logs = [(table.family.child, np.log2(table.probabilities)) for table in tables]
    for start in range(0, n_rows, _CHUNK):
        part = codes[start : start + _CHUNK]
        scores = np.repeat(logs[0][1][:, None], len(part), axis=1)
        for child, log in logs[1:]:
            scores += log[:, part[:, child]]
        part[:, root] = _drawn(factor * scores, rng)
    return codes


def _drawn(logits: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw one label a column, P(c) proportional to exp(logits[c]); the first where nothing is possible."""
    top = logits.max(axis=0)
    weights = np.exp(logits - np.where(np.isfinite(top), top, 0))
    cumulative = weights.cumsum(axis=0)
    drawn: NDArray[np.intp] = (cumulative <= rng.random(logits.shape[1]) * cumulative[-1]).argmin(axis=0)
    return drawn
