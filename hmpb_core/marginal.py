"""Count tables: exact ones, which stay hidden, and noisy ones, which carry their noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Noise = Literal["laplace", "gaussian", "none"]
LARGE = 256
"""Cells beyond which a one-way table is mostly cells that noise hides, and is treated so."""


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
    """

    attributes: tuple[int, ...]
    counts: NDArray[np.float64] = field(repr=False)
    noise: Noise
    scale: float

    @property
    def noise_sd(self) -> float:
        """Standard deviation of the noise on one count."""
        return math.sqrt(2) * self.scale if self.noise == "laplace" else self.scale

    def combined(self, other: NoisyMarginal) -> NoisyMarginal:
        """Two independent looks at the same table, weighted by their precision."""
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


def project_to_simplex(values: NDArray[np.float64], total: float = 1.0) -> NDArray[np.float64]:
    """Give the nearest non-negative array (Euclidean) that sums to ``total``.

    Source: [Duchi2008, Fig. 1].

    Example:
        >>> project_to_simplex(np.array([0.5, 0.7, -0.4])).tolist()
        [0.4, 0.6, 0.0]
    """
    flat = np.asarray(values, dtype=float).ravel()
    ordered = np.sort(flat)[::-1]
    excess = np.cumsum(ordered) - total
    last = np.nonzero(ordered * np.arange(1, flat.size + 1) > excess)[0][-1]
    shift = excess[last] / (last + 1)
    projected: NDArray[np.float64] = np.maximum(flat - shift, 0.0).reshape(np.shape(values))
    return projected
