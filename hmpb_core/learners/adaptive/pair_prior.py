"""What the noisy similarity gives for free: candidates, a first spanning forest, bridges."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.graphical.graph import Pair, most_candidates
from hmpb_core.learners.adaptive.denoising import denoised, drawn_to_bounds
from hmpb_core.learners.adaptive.scores import PENALTY, expected_error
from hmpb_core.stages.similarity import SimilarityMatrix
from hmpb_core.stages.weights import entropy

CLEAR = 2.0
"""A free edge's gain must exceed this many standard deviations of the similarity's noise."""
BRIDGE = 0.5
"""A pair across two clusters is asked for where its similarity exceeds this many standard deviations of its
noise: the rounds look before they measure, and measure none that the data do not ask for
(``benchmarks.bridges``)."""
CHANCE = 0.5
"""Part of the similarities' variance that must be more than noise for clusters to say where to look."""
MOST_BESIDE_FOREST = 3
"""Candidates an attribute, and 300 more, that the rounds go over."""
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
        kept: Pairs that survive the pruning of eq. 9, of which no rule decides one by others, and that are
            not known without a look.
        likely: ``strength`` without most of its noise, see ``denoising``; None as ``strength``.
        likely_sd: About what noise is left on it, in rows.
        promise: What a pair's total variation is believed to be before any is measured, see
            ``drawn_to_bounds``; None as ``strength``.
        clear: Pairs whose similarity, of whichever measure, stands out of its noise; None: none does.
        chance: Whether the similarities differ by their noise more than by anything else, so that clusters
            of them are chance.
    """

    one_way: tuple[NDArray[np.float64], ...] = field(repr=False)
    total: float
    strength: NDArray[np.float64] | None = field(repr=False)
    noise_sd: float
    cluster_of: tuple[int, ...]
    kept: NDArray[np.bool_] = field(repr=False)
    likely: NDArray[np.float64] | None = field(default=None, repr=False)
    likely_sd: float = 0.0
    promise: NDArray[np.float64] | None = field(default=None, repr=False)
    clear: NDArray[np.bool_] | None = field(default=None, repr=False)
    chance: bool = False

    @classmethod
    def of(
        cls,
        one_way: Sequence[NDArray[np.float64]],
        total: float,
        similarity: SimilarityMatrix | None,
        clusters: Sequence[Sequence[int]],
        *,
        eta: float,
        decided: Collection[int] = (),
        links: Collection[Pair] = (),
        laplace: bool = False,
    ) -> PairPrior:
        """Gather what is known; MIC prunes and bridges but says nothing about rows.

        ``laplace`` says which noise the similarities have.
        """
        d = len(one_way)
        owner = {a: k for k, cluster in enumerate(clusters) for a in cluster}
        kept = np.ones((d, d), dtype=bool)
        clear, chance = None, False
        strength = likely = promise = None
        noise_sd = likely_sd = 0.0
        if similarity is not None:
            if eta > 0:
                bar = eta * similarity.clipped.max(axis=1)
                kept = (similarity.clipped > bar[:, None]) & (similarity.clipped > bar[None, :])
            values, value_sd = denoised(similarity.values, similarity.noise_sd, laplace=laplace)
            clear = values > BRIDGE * value_sd
            if similarity.measure == "tvd":
                strength, noise_sd = similarity.values * total, similarity.noise_sd * total
                likely, likely_sd = values * total, value_sd * total
                if d > 1:
                    drawn, part = drawn_to_bounds(similarity.values, similarity.noise_sd, one_way)
                    promise, chance = drawn * total, part < CHANCE
        kept[list(decided), :] = kept[:, list(decided)] = False
        for pair in links:
            kept[pair] = False
        return cls(
            one_way=tuple(one_way),
            total=total,
            strength=strength,
            noise_sd=noise_sd,
            cluster_of=tuple(owner[a] for a in range(d)),
            kept=kept,
            likely=likely,
            likely_sd=likely_sd,
            promise=promise,
            clear=clear,
            chance=chance,
        )

    @property
    def confined(self) -> bool:
        """Whether there are several clusters."""
        return max(self.cluster_of) > 0

    def across(self, pair: Pair) -> bool:
        """Whether a pair would be a bridge between two clusters."""
        return self.cluster_of[pair[0]] != self.cluster_of[pair[1]]

    def independent(self, pair: Pair) -> NDArray[np.float64]:
        """The pair's table if the two were independent."""
        return np.multiply.outer(self.one_way[pair[0]], self.one_way[pair[1]]) / self.total

    def ridge_factor(self, pair: Pair) -> float:
        """How much shrinkage a pair needs, relative to the usual: 0.2 over its similarity.

        A strong dependence moves cells far from what the rest of the model implies and must
        not be shrunk away; a weak one is mostly noise. Between 1/4 and 4; 1 without a
        similarity.
        """
        if self.likely is None:
            return 1.0
        seen = max(float(self.likely[pair]), self.likely_sd, 1e-9 * self.total) / self.total
        return min(4.0, max(0.25, USUAL_STRENGTH / seen))

    def net_gain(self, pair: Pair, noise_sd: float) -> float:
        """Noisy total variation from independence, less what counts of the error of measuring the pair."""
        assert self.likely is not None
        return float(self.likely[pair]) - PENALTY * expected_error(self.independent(pair), noise_sd)


def pairs_worth_asking(prior: PairPrior) -> list[Pair]:
    """Candidate pairs: inside a cluster, and bridges whose similarity stands out of its noise.

    All of them where clusters are chance; of wide tables only the strongest. ``narrowed`` says which of them
    the rounds go over.
    """
    d = len(prior.one_way)
    found = [
        (i, j)
        for i, j in itertools.combinations(range(d), 2)
        if prior.kept[i, j]
        and (
            prior.chance or not prior.across((i, j)) or (prior.clear is not None and bool(prior.clear[i, j]))
        )
    ]
    most = most_candidates(d)
    likely = prior.likely
    if likely is not None and len(found) > most:
        found = sorted(sorted(found, key=lambda pair: -float(likely[pair]))[:most])
    return found


def narrowed(
    prior: PairPrior, pairs: Sequence[Pair], measured: Collection[Pair], noise_sd: float
) -> list[Pair]:
    """Keep at most 3 d + 300 candidates by net gain, and of several clusters those that promise most.

    Several clusters are to save candidates, and wide tables time: of all pairs half stay, or more where
    more are believed to gain more than their measurement would cost. Pairs that are measured stay. Free.
    """
    d, kept = len(prior.one_way), list(pairs)
    promise = prior.likely if prior.promise is None else prior.promise
    if prior.confined and promise is not None:
        gains = _gains(prior, promise, kept, noise_sd)
        worth = sum(gain > 0 for gain in gains.values())
        kept = _best(kept, gains, measured, max(1, d * (d - 1) // 4, worth))
    if prior.likely is not None and len(kept) > MOST_BESIDE_FOREST * d + 300:
        gains = _gains(prior, prior.likely, kept, noise_sd)
        kept = _best(kept, gains, measured, MOST_BESIDE_FOREST * d + 300)
    return kept


def _gains(
    prior: PairPrior, believed: NDArray[np.float64], pairs: Sequence[Pair], noise_sd: float
) -> dict[Pair, float]:
    """What is believed of pairs, less what measuring them would cost, in rows."""
    return {
        pair: float(believed[pair]) - PENALTY * expected_error(prior.independent(pair), noise_sd)
        for pair in pairs
    }


def _best(pairs: list[Pair], gains: Mapping[Pair, float], first: Collection[Pair], most: int) -> list[Pair]:
    """The pairs of largest gain, no more than so many, after those that come first; in their order."""
    if len(pairs) <= most:
        return pairs
    return sorted(sorted(pairs, key=lambda pair: (pair not in first, -gains[pair]))[:most])


def first_edges(
    prior: PairPrior, pairs: Sequence[Pair], noise_sd: float, links: Sequence[Pair] = ()
) -> list[Pair]:
    """A spanning forest of the clear pairs, strongest gain first (Kruskal), bridges included.

    Post-processing of the noisy similarity: free.

    Args:
        prior: Public knowledge about the pairs.
        pairs: Candidates.
        noise_sd: Noise on a count of a pair's table.
        links: Pairs that are of the forest already, and are known without a look.
    """
    if prior.likely is None:
        return []
    gains = {pair: prior.net_gain(pair, noise_sd) for pair in pairs}
    clear = [pair for pair in gains if gains[pair] > CLEAR * prior.likely_sd]
    tree = np.arange(len(prior.one_way))
    found = []
    for i, j in [*links, *sorted(clear, key=lambda pair: -gains[pair])]:
        if tree[i] != tree[j]:
            tree[tree == tree[j]] = tree[i]
            found.append((i, j))
    return [pair for pair in found if pair not in links]


def placement(one_way: Sequence[NDArray[np.float64]], edges: Sequence[Pair]) -> list[int]:
    """Place the attributes: the rank of each, along the forest, the first by entropy (eq. 7).

    Of every tree the attribute of largest entropy comes first, then whoever hangs on it, and so
    on. From noisy tables, so free.
    """
    chances = [np.maximum(table, 0.0) / max(float(np.maximum(table, 0.0).sum()), 1e-300) for table in one_way]
    entropies = [entropy(chance.ravel()) for chance in chances]
    partners: list[list[int]] = [[] for _ in one_way]
    for i, j in edges:
        partners[i].append(j)
        partners[j].append(i)
    order: dict[int, int] = {}
    for root in sorted(range(len(one_way)), key=lambda a: -entropies[a]):
        waiting = [root]
        while waiting:
            attribute = waiting.pop(0)
            if attribute not in order:
                order[attribute] = len(order)
                waiting.extend(partners[attribute])
    return [order[a] for a in range(len(one_way))]
