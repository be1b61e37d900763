"""Counts with noise, and what in them is clearer than noise. Looks at paid counts alone: post-processing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

CHANCE = 0.01
"""Chance that noise alone changes what is said of a column's kind, or of its bounds."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Noisy:
    """Noisy counts.

    Attributes:
        counts: The counts.
        sd: Standard deviation of the noise on each.
        laplace: Whether the noise is Laplace noise; else it is Gaussian.
    """

    counts: Floats
    sd: float
    laplace: bool = False

    def clear(self, tests: int, cells: int = 1, chance: float = CHANCE) -> float:
        """The sum of so many counts that noise alone passes in one of so many tests with this chance.

        Of a sum of Laplace variables this is an upper bound: its tails are lighter than theirs.
        """
        sd, each = self.sd * math.sqrt(cells), chance / tests
        return sd / math.sqrt(2) * math.log(0.5 / each) if self.laplace else -sd * NormalDist().inv_cdf(each)

    def of(self, cells: NDArray[np.int64]) -> Noisy:
        """Some of the counts."""
        return Noisy(counts=self.counts[cells], sd=self.sd, laplace=self.laplace)

    def joined(self, other: Noisy) -> Noisy:
        """Two looks at the same counts as one, each as heavy as it is exact."""
        mine, theirs = self.sd**-2, other.sd**-2
        counts = (mine * self.counts + theirs * other.counts) / (mine + theirs)
        return Noisy(counts=counts, sd=(mine + theirs) ** -0.5, laplace=self.laplace)
