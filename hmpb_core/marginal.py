"""Count tables: exact ones, which stay hidden, and noisy ones, which carry their noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Noise = Literal["laplace", "gaussian", "none"]
LARGE = 256
"""Cells beyond which a one-way table is mostly cells that noise hides, and is treated so."""
LEAST_VARIANCE = 1e-6
"""Smallest variance that is assumed of a count that is joined with others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marginal:
    """Exact counts over some attributes. Private: its repr shows no count.

    Attributes:
        attributes: Indices of the attributes, one an axis.
        counts: Integer array with one axis an attribute.
        parts: Where parties hold disjoint rows and each adds its own share of noise, their counts, one array
            of that shape a party; they sum to ``counts``.

    Example:
        >>> Marginal(attributes=(2, 0), counts=np.array([[3, 1], [0, 4]]))
        Marginal(attributes=(2, 0))
    """

    attributes: tuple[int, ...]
    counts: NDArray[np.int64] = field(repr=False)
    parts: tuple[NDArray[np.int64], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMarginal:
    """Counts that have been paid for.

    Attributes:
        attributes: Indices of the attributes, one an axis.
        counts: Float array with one axis an attribute; may hold negative values.
        noise: Which noise was added.
        scale: Laplace scale b or Gaussian standard deviation, in counts.
        covariance: Of the counts' errors, shape (counts, counts), where they hang together; ``scale`` is then
            that of their mean variance. None: they are independent and all of one scale.
    """

    attributes: tuple[int, ...]
    counts: NDArray[np.float64] = field(repr=False)
    noise: Noise
    scale: float
    covariance: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def noise_sd(self) -> float:
        """Standard deviation of the noise on one count."""
        return math.sqrt(2) * self.scale if self.noise == "laplace" else self.scale

    def combined(self, other: NoisyMarginal) -> NoisyMarginal:
        """Two independent looks at the same table, weighted by their precision."""
        if self.covariance is not None:
            counts, covariance = joined(self.counts, self.covariance, other.counts, other.noise_sd**2)
            scale = math.sqrt(max(0.0, np.trace(covariance)) / counts.size)
            return replace(self, counts=counts, scale=scale, covariance=covariance)
        own, others = self.scale**2, other.scale**2
        if own + others == 0:
            return self
        share = others / (own + others)
        return NoisyMarginal(
            attributes=self.attributes,
            counts=share * self.counts + (1 - share) * other.counts,
            noise=self.noise,
            scale=math.sqrt(own * share),
        )


def joined(
    known: NDArray[np.float64], covariance: NDArray[np.float64], counts: NDArray[np.float64], variance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Join what is known of some counts with a second, independent look at them, by least squares.

        x + C (C + s^2 I)^-1 (y - x),    with the covariance C - C (C + s^2 I)^-1 C

    Args:
        known: x, shape (counts,).
        covariance: C, of x's errors.
        counts: y, the second look.
        variance: s^2, the variance of each of its counts; its errors are independent. Of exact counts a
            little is assumed, since C alone has no inverse where the sum is known.

    Example:
        >>> joined(np.array([10.0, 20.0]), 4 * np.eye(2), np.array([20.0, 20.0]), 12.0)[0].tolist()
        [12.5, 20.0]
    """
    noise = max(variance, LEAST_VARIANCE) * np.eye(known.size)
    gain = np.linalg.solve(covariance + noise, covariance).T
    return known + gain @ (counts - known), covariance - gain @ covariance


def with_margins(
    table: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give the nearest table (Euclidean) of which the rows and the columns have given sums.

    Args:
        table: Shape (m1, m2).
        rows: Shape (m1,).
        columns: Shape (m2,); their sum is that of ``rows``.

    Example:
        >>> with_margins(np.array([[3.0, 1.0], [1.0, 3.0]]), np.array([5.0, 5.0]), np.array([6.0, 4.0]))
        array([[4., 1.],
               [2., 3.]])
    """
    off = [rows - table.sum(axis=1), columns - table.sum(axis=0)]
    height, width = table.shape
    nearest: NDArray[np.float64] = (
        table + off[0][:, None] / width + off[1] / height - off[0].sum() / table.size
    )
    return nearest


def project_to_simplex(values: NDArray[np.float64], total: float = 1.0) -> NDArray[np.float64]:
    """Give the nearest non-negative array (Euclidean) that sums to ``total``.

    Source: [Duchi2008, Fig. 1].

    Example:
        >>> project_to_simplex(np.array([0.5, 0.7, -0.4])).tolist()
        [0.4, 0.6, 0.0]
    """
    flat = np.asarray(values, dtype=float).reshape(1, -1)
    return project_each_to_simplex(flat, np.array([total])).reshape(np.shape(values))


def project_each_to_simplex(values: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the nearest non-negative rows (Euclidean) that each sum to their total, above 0."""
    ordered = np.sort(values, axis=1)[:, ::-1]
    excess = np.cumsum(ordered, axis=1) - totals[:, None]
    numbers = np.arange(1, values.shape[1] + 1)
    last = values.shape[1] - 1 - np.argmax((ordered * numbers > excess)[:, ::-1], axis=1)
    shift = np.take_along_axis(excess, last[:, None], axis=1) / (last[:, None] + 1)
    projected: NDArray[np.float64] = np.maximum(values - shift, 0.0)
    return projected


def combination(rank: int, n: int, size: int) -> tuple[int, ...]:
    """Give the set of so many of n attributes that has this rank in lexicographic order.

    Example:
        >>> [combination(rank, 4, 2) for rank in range(6)]
        [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    chosen: list[int] = []
    candidate = 0
    while len(chosen) < size:
        following = math.comb(n - candidate - 1, size - len(chosen) - 1)
        if rank < following:
            chosen.append(candidate)
        else:
            rank -= following
        candidate += 1
    return tuple(chosen)
