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


def one_way_estimate(table: NoisyMarginal, total: float) -> NDArray[np.float64]:
    """Give non-negative counts that sum to ``total``, from a noisy one-way table. Free: post-processing.

    Up to ``LARGE`` cells: the nearest such counts. Of thousands of cells most hold hardly anybody, and the
    nearest counts take from the few large ones what the noise of all others adds up to. So in a larger table
    the cells that stand out of the noise of all (the universal threshold, s sqrt(2 ln m), for Laplace noise
    s ln(m) / sqrt(2)) keep what was measured. The others share what is left: evenly, but for the part
    max(0, 1 - (1 + 3 sqrt(2 / m)) s^2 / v) of a cell's distance from their mean, v its mean square: no more
    than chance would leave of nothing.

    Source: [Donoho1994], and [Efron1973] for the others.

    Args:
        table: The noisy table.
        total: Public or noisy number of rows.
    """
    counts = table.counts
    if counts.size <= LARGE:
        return project_to_simplex(counts, total)
    size, sd = counts.size, table.noise_sd
    bar = sd * (math.log(size) / math.sqrt(2) if table.noise == "laplace" else math.sqrt(2 * math.log(size)))
    clear = counts > bar
    left = total - float(counts[clear].sum())
    if left <= 0 or clear.all():
        return project_to_simplex(np.where(clear, counts, 0.0), total)
    others = counts[~clear] - counts[~clear].mean()
    spread = float((others**2).mean())
    least = (1 + 3 * math.sqrt(2 / size)) * sd**2
    part = max(0.0, 1 - least / spread) if spread > 0 else 0.0
    estimate = counts.copy()
    estimate[~clear] = project_to_simplex(left / others.size + part * others, left)
    return estimate
