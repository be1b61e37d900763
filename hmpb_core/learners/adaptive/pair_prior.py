"""What the noisy similarity gives for free: candidates, a first spanning forest, bridges."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.graphical.graph import Pair, most_candidates
from hmpb_core.learners.adaptive.scores import PENALTY, expected_error
from hmpb_core.stages.similarity import SimilarityMatrix

CLEAR = 2.0
"""A free edge's gain must exceed this many standard deviations of the similarity's noise."""
USUAL_STRENGTH = 0.2
"""Total variation from independence of a pair that is shrunk as usual."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPrior:
    """Public knowledge about the pairs before any is measured.

    Attributes:
        one_way: Noisy one-way tables over merged values, projected to non-negative counts.
        total: Public or noisy number of rows.
        strength: Noisy total variation from independence of every pair, in rows; None
            where it was not measured.
        noise_sd: Standard deviation of its noise, in rows.
        cluster_of: Cluster of each attribute.
        kept: Pairs that survive the pruning of eq. 9.
        seen: The noisy similarity of every pair, of whichever measure; None without one.
        seen_noise_sd: Standard deviation of its noise.
    """

    one_way: tuple[NDArray[np.float64], ...] = field(repr=False)
    total: float
    strength: NDArray[np.float64] | None = field(repr=False)
    noise_sd: float
    cluster_of: tuple[int, ...]
    kept: NDArray[np.bool_] = field(repr=False)
    seen: NDArray[np.float64] | None = field(default=None, repr=False)
    seen_noise_sd: float = 0.0

    def is_bridge(self, pair: Pair) -> bool:
        """Whether a pair lies across clusters and its similarity stands out of its noise."""
        across = self.cluster_of[pair[0]] != self.cluster_of[pair[1]]
        return across and self.seen is not None and bool(self.seen[pair] > CLEAR * self.seen_noise_sd)

    @classmethod
    def of(
        cls,
        one_way: Sequence[NDArray[np.float64]],
        total: float,
        similarity: SimilarityMatrix | None,
        clusters: Sequence[Sequence[int]],
        *,
        eta: float,
    ) -> PairPrior:
        """Gather what is known; MIC prunes but says nothing about rows."""
        d = len(one_way)
        owner = {a: k for k, cluster in enumerate(clusters) for a in cluster}
        kept = np.ones((d, d), dtype=bool)
        if similarity is not None and eta > 0:
            bar = eta * similarity.clipped.max(axis=1)
            kept = (similarity.clipped > bar[:, None]) & (similarity.clipped > bar[None, :])
        in_rows = similarity is not None and similarity.measure == "tvd"
        return cls(
            one_way=tuple(one_way),
            total=total,
            strength=similarity.values * total if similarity is not None and in_rows else None,
            noise_sd=similarity.noise_sd * total if similarity is not None and in_rows else 0.0,
            cluster_of=tuple(owner[a] for a in range(d)),
            kept=kept,
            seen=None if similarity is None else similarity.values,
            seen_noise_sd=0.0 if similarity is None else similarity.noise_sd,
        )

    def independent(self, pair: Pair) -> NDArray[np.float64]:
        """The pair's table if the two were independent."""
        return np.multiply.outer(self.one_way[pair[0]], self.one_way[pair[1]]) / self.total

    def ridge_factor(self, pair: Pair) -> float:
        """How much shrinkage a pair needs, relative to the usual: 0.2 over its similarity.

        A strong dependence moves cells far from what the rest of the model implies and must
        not be shrunk away; a weak one is mostly noise. Between 1/4 and 4; 1 without a
        similarity.
        """
        if self.strength is None:
            return 1.0
        seen = max(float(self.strength[pair]), self.noise_sd, 1e-9 * self.total) / self.total
        return min(4.0, max(0.25, USUAL_STRENGTH / seen))

    def net_gain(self, pair: Pair, noise_sd: float, *, penalty: float = 1.0) -> float:
        """Noisy total variation from independence, less the expected error of measuring the pair."""
        assert self.strength is not None
        return float(self.strength[pair]) - penalty * expected_error(self.independent(pair), noise_sd)


def pairs_worth_asking(prior: PairPrior) -> list[Pair]:
    """Candidate pairs: those inside a cluster, and bridges where the similarity stands out of its noise.

    With one cluster every pair that eta keeps; with several at most half of all pairs, and of wide
    tables at most ``most_candidates``: the strongest by the noisy similarity. A look at nothing
    else, so free.
    """
    d = len(prior.one_way)
    found = [
        (i, j)
        for i, j in itertools.combinations(range(d), 2)
        if prior.kept[i, j] and (prior.cluster_of[i] == prior.cluster_of[j] or prior.is_bridge((i, j)))
    ]
    most = most_candidates(d)
    if max(prior.cluster_of) > 0:
        most = min(most, max(1, d * (d - 1) // 4))
    seen = prior.seen
    if seen is not None and len(found) > most:
        found = sorted(sorted(found, key=lambda pair: -float(seen[pair]))[:most])
    return found


def first_edges(prior: PairPrior, pairs: Sequence[Pair], noise_sd: float) -> list[Pair]:
    """A spanning forest of the clear pairs, strongest gain first (Kruskal), bridges included.

    Post-processing of the noisy similarity: free.
    """
    if prior.strength is None:
        return []
    gains = {pair: prior.net_gain(pair, noise_sd, penalty=PENALTY) for pair in pairs}
    clear = [pair for pair in gains if gains[pair] > CLEAR * prior.noise_sd]
    attributes = _Groups(len(prior.one_way))
    return [(i, j) for i, j in sorted(clear, key=lambda pair: -gains[pair]) if attributes.join(i, j)]


class _Groups:
    """Disjoint sets."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def join(self, first: int, second: int) -> bool:
        """Join two members' sets; False where they were one already."""
        a, b = self._find(first), self._find(second)
        self._above[a] = b
        return a != b

    def _find(self, member: int) -> int:
        while self._above[member] != member:
            member = self._above[member]
        return member
