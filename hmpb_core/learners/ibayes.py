"""IBayes: a network grown one attribute at a time by the exponential mechanism.

Source: [Zhang2022, Algorithm 4]; with a random first attribute, no pruning and a single
cluster it is the network learner of PrivBayes [Zhang2017, Algorithm 4].
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError, Sentence
from hmpb_core.learners.base import Context, Learned
from hmpb_core.learners.family_scores import BitFamilyScores
from hmpb_core.network import BayesianNetwork, ConditionalTable, Family
from hmpb_core.planning.methods import PUBLISHED_PARENTS, Accounting
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.sensitivity import (
    entropy_sensitivity,
    mutual_information_sensitivity,
    require_replace_one,
)
from hmpb_core.progress import Progress, silent
from hmpb_core.sources.base import Source
from hmpb_core.sources.bits import BitRows
from hmpb_core.stages.conditionals import hnoisy_conditionals, measured_families
from hmpb_core.stages.similarity import mutual_information
from hmpb_core.stages.weights import ChildNoise, Look, entropy, noise_by_child, split_loss

First = Literal["entropy", "random"]

MAX_CANDIDATES = 3_000_000
"""Tables that one network may ask for: some minutes of counting."""
MAX_BIT_CANDIDATES = 50_000_000
"""The same where every attribute has two values: the families of 175 bits and 3 parents are 38 million."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IBayes:
    """Parameters of the learner.

    Attributes:
        max_parents: l, the largest number of parents.
        eta: Pruning: a pair is dropped when its similarity is at most eta times the largest
            similarity of either attribute within the cluster. 0 keeps every pair of positive
            similarity, a negative value keeps all.
        first: How the first attribute is chosen: ``entropy`` (eq. 7) or ``random``.
        max_cells: Largest table of a family; None for no limit.
    """

    max_parents: int
    eta: float
    first: First = "entropy"
    max_cells: float | None = None

    def learn(
        self,
        source: Source,
        cluster: Sequence[int],
        similarity: NDArray[np.float64] | None,
        *,
        accountant: Accountant,
        loss: Fraction,
        rng: np.random.Generator,
        progress: Progress = silent,
    ) -> BayesianNetwork:
        """Learn the network of one cluster.

        The loss is split equally over the choices; every choice is an exponential mechanism with
        score H (the first node) or I(X_s; Pi) (eq. 10).

        Args:
            source: The private table.
            cluster: Attribute indices.
            similarity: Noisy similarities of all attributes, for the pruning; None keeps all.
            accountant: Pays.
            loss: What the whole network may cost.
            rng: Draws a random first attribute.
            progress: Told the part of the attributes that are placed.

        Raises:
            PlanError: mutual information is asked for under neighbours other than replace-one,
                or there would be more candidates than anybody waits for.
        """
        require_replace_one(accountant.guarantee.neighbors, Sentence("Mutual information"))
        domain = source.domain
        per_choice = loss / max(self.choices(cluster), 1)
        kept = _kept_pairs(similarity, cluster, self.eta)
        bits = self._bits(source, cluster)
        self._check_candidates(kept, cluster, MAX_CANDIDATES if bits is None else MAX_BIT_CANDIDATES)
        binary = all(domain.sizes[a] <= 2 for a in cluster)
        delta = mutual_information_sensitivity(source.n_rows, has_binary_side=binary)
        if self.first == "entropy":
            scores = [entropy(source.marginal([a]).counts.astype(float) / source.n_rows) for a in cluster]
            chosen = accountant.select(
                scores,
                sensitivity=entropy_sensitivity(source.n_rows),
                stage=Stage.STRUCTURE,
                loss=per_choice,
                what="first node by entropy",
                attributes=cluster,
                exponential=True,
            )
            first = cluster[chosen]
        else:
            first = cluster[int(rng.integers(len(cluster)))]
        families = [Family(child=first)]
        placed = [first]
        search = (
            _Search(self, source, cluster, kept)
            if bits is None
            else BitFamilyScores(bits, cluster, kept, self._bit_parents(len(cluster)))
        )
        search.place(first)
        while len(placed) < len(cluster):
            chosen = accountant.select(
                search.scores(),
                sensitivity=delta,
                stage=Stage.STRUCTURE,
                loss=per_choice,
                what="family by mutual information",
                attributes=cluster,
                exponential=True,
            )
            families.append(search.family(chosen))
            placed.append(families[-1].child)
            search.place(placed[-1])
            progress(len(placed) / len(cluster), f"{len(placed)} of {len(cluster)} attributes placed")
        return BayesianNetwork(tuple(families))

    def choices(self, cluster: Sequence[int]) -> int:
        """Choices that cost something: |C|, or one less where the first node is drawn at random."""
        return len(cluster) - (self.first == "random")

    def _check_candidates(self, kept: NDArray[np.bool_], cluster: Sequence[int], most: int) -> None:
        """Refuse before anything is spent on a search that would not end."""
        partners = kept[np.ix_(cluster, cluster)].sum(axis=1)
        size = self.max_parents
        # A set of parents and its child are scored once: when all of the parents are placed.
        expected = sum(math.comb(int(p), min(size, int(p))) for p in partners) / (size + 1)
        if expected > most:
            raise PlanError(
                "{attributes} attributes with up to {parents} parents give about {tables:,.0f} candidate "
                "tables; at most {most:,} are allowed. Lower the number of parents, or raise the number of "
                "clusters or eta.",
                attributes=len(cluster),
                parents=size,
                tables=expected,
                most=most,
            )

    def _bits(self, source: Source, cluster: Sequence[int]) -> BitRows | None:
        """The cluster's rows for the fast search; None where it cannot run: other values, or too many."""
        fits = BitFamilyScores.fits(len(cluster), self._bit_parents(len(cluster)))
        return source.bit_rows(sorted(cluster)) if fits else None

    def _bit_parents(self, n_attributes: int) -> int:
        """The largest number of parents where all attributes have two values."""
        most = min(self.max_parents, n_attributes - 1)
        while most and self.max_cells is not None and 2 ** (most + 1) > self.max_cells:
            most -= 1
        return most

    def candidates(self, child: int, allowed: Sequence[int], domain: Domain) -> list[Family]:
        """All parent sets of the largest allowed size, as PrivBayes' usefulness rule has them.

        Without a limit on cells these are the sets of min(l, |V'|) parents; with one, the
        sets that fit and that no further parent fits into.
        """
        size = min(self.max_parents, len(allowed))
        limit = self.max_cells
        if limit is None:
            return [
                Family(child=child, parents=tuple(s)) for s in itertools.combinations(sorted(allowed), size)
            ]
        fitting: list[Family] = []
        covered: set[frozenset[int]] = set()
        smallest = sorted(domain.sizes[a] for a in allowed)
        for count in range(size, -1, -1):
            if domain.sizes[child] * math.prod(smallest[:count]) > limit:
                continue  # not even the smallest attributes fit
            for parents in itertools.combinations(sorted(allowed), count):
                key = frozenset(parents)
                if key in covered or domain.cells((*parents, child)) > limit:
                    continue
                fitting.append(Family(child=child, parents=parents))
                covered.update(
                    frozenset(sub) for r in range(count) for sub in itertools.combinations(parents, r)
                )
        return fitting or [Family(child=child)]


@dataclass(frozen=True, slots=True, kw_only=True)
class IBayesLearner:
    """A network a cluster by ``IBayes``, then its tables by HnoisyConditionals.

    Source: [Zhang2022, Algorithms 4 and 5].
    """

    def learn(self, context: Context) -> Learned:
        """Learn the networks, then measure their families with noise that follows the weights."""
        with context.clock.stage(Stage.STRUCTURE, 0.3, 0.7):
            networks = self._networks(context)
        with context.clock.stage(Stage.CONDITIONAL_TABLES, 0.7, 1.0):
            losses = self._losses(context, networks)
            tables = self._tables(context, networks, losses)
        return Learned(
            networks=networks, tables=tables, child_noise=self._child_noise(context, networks, losses)
        )

    def _networks(self, context: Context) -> list[BayesianNetwork]:
        """One network a cluster; the clusters share the stage by their choices."""
        plan, clusters = context.plan, context.clustering.clusters
        learner = IBayes(
            max_parents=plan.most_parents or PUBLISHED_PARENTS,
            eta=plan.eta,
            first=plan.spec.first,
            max_cells=context.useful_cells() if plan.accounting is Accounting.SOUND else None,
        )
        choices = [learner.choices(cluster) for cluster in clusters]
        losses = context.losses(Stage.STRUCTURE, [Fraction(c, max(sum(choices), 1)) for c in choices])
        prune = context.similarity.values if plan.spec.prunes and context.similarity is not None else None
        return [
            learner.learn(
                context.source,
                cluster,
                prune,
                accountant=context.accountant,
                loss=loss,
                rng=context.rng,
                progress=context.clock.tell,
            )
            for cluster, loss in zip(clusters, losses, strict=True)
        ]

    def _losses(self, context: Context, networks: Sequence[BayesianNetwork]) -> list[Fraction]:
        """What the tables of each network may cost: it has the part of its attributes' weights."""
        weights = [w.weight for w in context.weights]
        total = sum(map(Fraction, weights), Fraction(0))
        parts = [sum((Fraction(weights[a]) for a in n.children), Fraction(0)) / total for n in networks]
        return list(context.losses(Stage.CONDITIONAL_TABLES, parts))

    def _child_noise(
        self, context: Context, networks: Sequence[BayesianNetwork], losses: Sequence[Fraction]
    ) -> dict[int, ChildNoise]:
        """What the weights did to the noise, inside each network: its tables share what it may cost."""
        if context.plan.spec.weights != "risk" or context.accountant.noiseless:
            return {}
        weights = [w.weight for w in context.weights]
        found: dict[int, ChildNoise] = {}
        for network, loss in zip(networks, losses, strict=True):
            _, families = measured_families(network, context.plan.most_parents or PUBLISHED_PARENTS)
            parts = split_loss(loss, [weights[family.child] for family in families])
            looks = [
                Look(attributes=family.attributes, child=family.child, loss=float(part))
                for family, part in zip(families, parts, strict=True)
            ]
            found |= noise_by_child(looks, weights, context.accountant.table_noise_sd)
        return found

    def _tables(
        self, context: Context, networks: Sequence[BayesianNetwork], losses: Sequence[Fraction]
    ) -> list[ConditionalTable]:
        """The tables of all networks."""
        weights = [w.weight for w in context.weights]
        return [
            table
            for network, loss in zip(networks, losses, strict=True)
            for table in hnoisy_conditionals(
                context.source,
                network,
                weights,
                max_parents=context.plan.most_parents or PUBLISHED_PARENTS,
                accountant=context.accountant,
                loss=loss,
            )
        ]


def _kept_pairs(
    similarity: NDArray[np.float64] | None, cluster: Sequence[int], eta: float
) -> NDArray[np.bool_]:
    """Mark the pairs that survive the pruning of eq. 9, as a d x d array."""
    size = max(cluster) + 1
    if similarity is None:
        return np.ones((size, size), dtype=bool)
    kept = np.zeros((size, size), dtype=bool)
    inside = np.ix_(cluster, cluster)
    within = np.clip(similarity[inside], 0.0, 1.0)
    np.fill_diagonal(within, 0.0)
    bar = eta * within.max(axis=1)
    kept[inside] = (within > bar[:, None]) & (within > bar[None, :])
    return kept


class _Search:
    """The candidates of a growing network and their scores; every family is counted once.

    Args:
        learner: Says which candidates there are.
        source: The private table.
        cluster: Attribute indices.
        kept: Marks the pairs that may be child and parent.
    """

    def __init__(
        self, learner: IBayes, source: Source, cluster: Sequence[int], kept: NDArray[np.bool_]
    ) -> None:
        self._learner, self._source, self._cluster, self._kept = learner, source, cluster, kept
        self._placed: list[int] = []
        self._scores: dict[Family, float] = {}
        self._candidates: list[Family] = []

    def place(self, attribute: int) -> None:
        """Take an attribute off the children: it is a parent from now on."""
        self._placed.append(attribute)
        self._candidates = [
            family
            for child in self._cluster
            if child not in self._placed
            for family in self._learner.candidates(
                child, [p for p in self._placed if self._kept[child, p]], self._source.domain
            )
        ]
        new = [family for family in self._candidates if family not in self._scores]
        for family, table in zip(new, self._source.marginals(f.attributes for f in new), strict=True):
            flat = table.counts.reshape(-1, table.counts.shape[-1])
            self._scores[family] = float(mutual_information(flat)) if family.parents else 0.0

    def scores(self) -> list[float]:
        """The candidates' scores. Private."""
        return [self._scores[family] for family in self._candidates]

    def family(self, index: int) -> Family:
        """The candidate of this index in ``scores``."""
        return self._candidates[index]
