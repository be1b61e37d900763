"""IBayes paid in full: the paper's stages 2 and 3 on top of paid one-way tables, made consistent.

Source: [Zhang2022, Algorithms 4 and 5].

Departs from [Zhang2022, Algorithms 4 and 5]: the first node comes from the paid one-way tables;
parents lie inside one earlier family, so that the network is decomposable; a family's score is its
total variation from independence less the expected error of its table, and candidates of which
the noise would leave nothing are dropped by public knowledge; the noisy tables are made to agree by
``inference.TreeModel``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.graphical.from_tree import conditional_tables, networks_of
from hmpb_core.graphical.graph import junction_tree
from hmpb_core.graphical.inference import Evidence, TreeModel
from hmpb_core.learners.adaptive.budget import LEAST_NOISE
from hmpb_core.learners.adaptive.measured import LEAST_RIDGE, SINGLE_RIDGE
from hmpb_core.learners.adaptive.pair_prior import PairPrior, placement
from hmpb_core.learners.adaptive.run import CELLS, FULL_CELLS
from hmpb_core.learners.adaptive.scores import PENALTY, expected_error
from hmpb_core.learners.base import Learned
from hmpb_core.likely_counts import one_way_estimate
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.merging import merge_counts, merges_of
from hmpb_core.network import Family
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.sensitivity import tvd_sensitivity
from hmpb_core.progress import StageClock
from hmpb_core.sources.base import Source
from hmpb_core.sources.merged import MergedSource
from hmpb_core.stages.similarity import SimilarityMatrix
from hmpb_core.stages.weights import Look, noise_by_child, split_loss

CANDIDATES = 12
"""Parent sets that an attribute may ask for in one choice: the most promising by public knowledge."""
FAMILY_RIDGE = 1.0
"""Ridge of a family's table, in units of (cells / N) variance."""
SWEEPS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidIBayes:
    """Parameters of the learner.

    Attributes:
        max_parents: l, the largest number of parents.
        eta: Pruning of pairs by the noisy similarity, eq. 9; 0 keeps all.
        owners: The attribute that each is a bit of; empty where each is its own.
    """

    max_parents: int = 3
    eta: float = 0.0
    owners: tuple[int, ...] = ()

    def learn(
        self,
        source: Source,
        profile: Sequence[NoisyMarginal],
        *,
        total: float,
        similarity: SimilarityMatrix | None,
        clusters: Sequence[Sequence[int]],
        weights: Sequence[float],
        accountant: Accountant,
        clock: StageClock,
    ) -> Learned:
        """Learn one network a cluster, and one table an attribute.

        The structure's budget is shared equally by the choices of all clusters, the conditionals'
        by the weights: w_j / sum w for the family of attribute j, whatever its cluster.

        Args:
            source: The private table.
            profile: The noisy one-way tables, one an attribute.
            total: Public or noisy number of rows.
            similarity: Noisy similarities, for pruning.
            clusters: A partition of the attributes.
            weights: Risk weight of each attribute.
            accountant: Pays.
            clock: Told which stage runs and where the work is.
        """
        merges = merges_of(profile, total)
        merged = MergedSource(source, merges)
        one_way = [
            merge_counts(one_way_estimate(table, total), [merge])
            for table, merge in zip(profile, merges, strict=True)
        ]
        laplace = profile[0].noise == "laplace"
        prior = PairPrior.of(one_way, total, similarity, clusters, eta=self.eta, laplace=laplace)
        losses = split_loss(accountant.left(Stage.CONDITIONAL_TABLES), weights)
        noise = [max(accountant.table_noise_sd(loss), LEAST_NOISE) for loss in losses]
        search = _Search(self, source, merged, prior, noise)
        choices = sum(len(cluster) - 1 for cluster in clusters)
        each = accountant.left(Stage.STRUCTURE) / max(choices, 1)
        rank = placement(one_way, [])
        families: list[Family] = []
        for cluster in clusters:
            found = [Family(child=min(cluster, key=lambda a: rank[a]))]
            while len(found) < len(cluster):
                with clock.stage(Stage.STRUCTURE):
                    candidates, scores = search.scored(found, cluster)
                chosen = accountant.select(
                    scores,
                    sensitivity=2 * tvd_sensitivity(accountant.guarantee.neighbors),
                    stage=Stage.STRUCTURE,
                    loss=each,
                    what="family by total variation from independence",
                    attributes=cluster,
                )
                found.append(candidates[chosen])
                clock.tell((len(families) + len(found)) / len(one_way), "families chosen")
            families += found
        evidence: dict[tuple[int, ...], Evidence] = {
            (a,): Evidence(
                attributes=(a,),
                counts=counts,
                variance=max(table.noise_sd, LEAST_NOISE) ** 2,
                ridge=SINGLE_RIDGE * max(table.noise_sd, LEAST_NOISE),
            )
            for a, (counts, table) in enumerate(zip(one_way, profile, strict=True))
        }
        looks = []
        for family in families:
            attributes = tuple(sorted(family.attributes))
            noisy = accountant.measure(
                merged.marginal(attributes),
                stage=Stage.CONDITIONAL_TABLES,
                loss=losses[family.child],
                what=f"family of {source.domain.names[family.child]}",
            )
            looks.append(Look(attributes=attributes, child=family.child, loss=float(losses[family.child])))
            variance = max(noisy.noise_sd, LEAST_NOISE) ** 2
            if attributes in evidence:
                evidence[attributes] = evidence[attributes].combined(noisy.counts, variance)
                continue
            ridge = FAMILY_RIDGE * noisy.counts.size / total * variance
            evidence[attributes] = Evidence(
                attributes=attributes,
                counts=noisy.counts,
                variance=variance,
                ridge=max(ridge, LEAST_RIDGE * math.sqrt(variance)),
            )
        tree = junction_tree(_cliques(families))
        items = list(evidence.values())
        model = TreeModel([len(table) for table in one_way], total, tree, items).fit(SWEEPS)
        placed = {family.child: place for place, family in enumerate(families)}
        tables = conditional_tables(model, merges, items, [placed[a] for a in range(len(one_way))])
        return Learned(
            networks=tuple(networks_of([table.family for table in tables], clusters)),
            tables=tuple(tables),
            measured=tuple(tuple(sorted(f.attributes)) for f in families if f.parents),
            child_noise=noise_by_child(looks, weights, accountant.table_noise_sd),
        )


class _Search:
    """Candidate families of a cluster and their scores. Private: scores go to the accountant only."""

    def __init__(
        self,
        learner: PaidIBayes,
        source: Source,
        merged: MergedSource,
        prior: PairPrior,
        noise: Sequence[float],
    ) -> None:
        self._learner, self._source, self._merged = learner, source, merged
        self._prior, self._noise = prior, noise
        self._errors: dict[Family, float] = {}
        self._owners = learner.owners or range(len(prior.one_way))
        self._promises: dict[int, tuple[int, dict[Family, float], dict[Family, tuple[int, float]]]] = {}
        self._scores: dict[Family, float] = {}

    def __repr__(self) -> str:
        return "_Search(hidden)"

    def scored(self, found: Sequence[Family], cluster: Sequence[int]) -> tuple[list[Family], list[float]]:
        """Candidates of one choice and their scores, in rows."""
        placed = {family.child for family in found}
        candidates = [
            family
            for child in cluster
            if child not in placed
            for family in [Family(child=child), *self._promising(child, found)]
        ]
        return candidates, [self._score(family) for family in candidates]

    def _promising(self, child: int, found: Sequence[Family]) -> list[Family]:
        """The parent sets inside earlier families that promise most, by public knowledge.

        Bits of one attribute depend on each other whatever the noisy similarities say: some patterns are no
        value. So the sets with most of the child's own attribute are among them, too.
        """
        seen, promises, own = self._promises.setdefault(child, (0, {}, {}))
        sets = {s for f in found[seen:] for s in self._sets(child, f)}
        for family in (Family(child=child, parents=s) for s in sets):
            error = self._error(family)
            if error == math.inf:
                continue
            promise = self._hoped(family) - error
            siblings = sum(self._owners[p] == self._owners[child] for p in family.parents)
            if siblings:
                own[family] = (siblings, promise)
            if promise > 0 or self._prior.likely is None:
                promises[family] = promise
        self._promises[child] = (len(found), promises, own)
        best = sorted(promises, key=lambda f: (-promises[f], f.parents))[:CANDIDATES]
        akin = sorted(own, key=lambda f: (-own[f][0], -own[f][1], f.parents))[:CANDIDATES]
        return list(dict.fromkeys([*best, *akin]))

    def _hoped(self, family: Family) -> float:
        """The most that a family's total variation may well be; 0 where nothing is known."""
        likely = self._prior.likely
        if likely is None:
            return 0.0
        return sum(max(float(likely[family.child, p]), 0.0) + self._prior.likely_sd for p in family.parents)

    def _sets(self, child: int, family: Family) -> Iterator[tuple[int, ...]]:
        members = [a for a in sorted(family.attributes) if self._prior.kept[child, a]]
        for count in range(1, min(self._learner.max_parents, len(members)) + 1):
            yield from itertools.combinations(members, count)

    def _error(self, family: Family) -> float:
        """What the noise is expected to cost; infinite for a table that is too large. Public."""
        if family not in self._errors:
            cells = self._merged.domain.cells(family.attributes)
            full = self._source.domain.cells(family.attributes)
            self._errors[family] = math.inf
            if cells <= CELLS and full <= FULL_CELLS:
                table: NDArray[np.float64] = self._prior.one_way[family.child]
                for parent in family.parents:
                    table = np.multiply.outer(table, self._prior.one_way[parent]) / self._prior.total
                self._errors[family] = PENALTY * expected_error(table, self._noise[family.child])
        return self._errors[family]

    def _score(self, family: Family) -> float:
        """Score a family: 1/2 |C - q x C_parents|_1 - p E, with q the child's noisy probabilities.

        One row moves C and C_parents, so the score by twice what it moves a total variation.
        """
        if not family.parents:
            return 0.0
        if family not in self._scores:
            counts = self._merged.marginal(family.attributes).counts
            chances = self._prior.one_way[family.child] / self._prior.total
            expected = counts.sum(axis=-1, keepdims=True) * chances
            variation = 0.5 * float(np.abs(counts - expected).sum())
            self._scores[family] = variation - self._error(family)
        return self._scores[family]


def _cliques(families: Sequence[Family]) -> list[int]:
    """The families' attribute sets that lie in no other, as bit masks."""
    masks = list(dict.fromkeys(sum(1 << a for a in family.attributes) for family in families))
    return [m for m in masks if not any(m != other and m & ~other == 0 for other in masks)]
