"""JTree: the pairs that depend on each other make a graph; the cliques of its junction tree are measured.

Departs from [Chen2015]: the published variant of the sparse vector technique is not private
[Lyu2017], so every pair gets a noisy score and the scores are compared with the threshold; and the
cliques' tables are made to agree by ``inference.TreeModel``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from hmpb_core.domain import Domain
from hmpb_core.errors import counted
from hmpb_core.graphical.from_tree import families_of, networks_of
from hmpb_core.graphical.graph import (
    CliqueLimit,
    Pair,
    junction_tree,
    log2_sizes,
    most_candidates,
    triangulate,
)
from hmpb_core.graphical.inference import Evidence, TreeModel
from hmpb_core.learners.base import Context, Learned
from hmpb_core.network import BayesianNetwork, ConditionalTable
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.progress import Progress, silent
from hmpb_core.sources.base import Source
from hmpb_core.stages.conditionals import normalise_last
from hmpb_core.stages.similarity import SimilarityMatrix, pairs_of

WEAK = 0.2
"""Cramer's V of a weak dependence, phi: weaker pairs get no edge."""
RIDGE, LEAST_NOISE = 0.1, 1e-3
"""How strongly a clique's table is drawn towards the others, in units of its noise; least noise."""
SWEEPS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class JTree:
    """Parameters of the learner.

    Attributes:
        max_attributes: Most attributes in a clique; None for no limit.
        max_cells: Largest table of a clique of two or more attributes.
    """

    max_attributes: int | None
    max_cells: float

    def learn(
        self,
        source: Source,
        similarity: SimilarityMatrix | None,
        *,
        total: float,
        accountant: Accountant,
        loss: Fraction,
        progress: Progress = silent,
    ) -> tuple[list[BayesianNetwork], list[ConditionalTable]]:
        """Measure the cliques' tables, each with the same part of the loss.

        Args:
            source: The private table.
            similarity: Noisy ``mi`` of all pairs; without it every attribute is by itself.
            total: Public number of rows.
            accountant: Pays.
            loss: What all tables together may cost.
            progress: Told the part of the tables that are measured.

        Returns:
            The network, in one piece, and its conditional tables.
        """
        domain = source.domain
        edges = []
        if similarity is not None:
            edges = self.edges(similarity, domain, progress=lambda part, what: progress(part / 2, what))
        tree = junction_tree(list(triangulate(len(domain), edges, log2_sizes(domain.sizes))))
        evidence = []
        for done, (clique, table) in enumerate(
            zip(tree.cliques, source.marginals(tree.cliques), strict=True)
        ):
            noisy = accountant.measure(
                table,
                stage=Stage.CONDITIONAL_TABLES,
                loss=loss / len(tree.cliques),
                what="table of " + ", ".join(domain.names[a] for a in clique),
            )
            noise_sd = max(noisy.noise_sd, LEAST_NOISE)
            evidence.append(
                Evidence(attributes=clique, counts=noisy.counts, variance=noise_sd**2, ridge=RIDGE * noise_sd)
            )
            progress((1 + done / len(tree.cliques)) / 2, f"{done} of {len(tree.cliques)} tables measured")
        model = TreeModel(domain.sizes, total, tree, evidence).fit(SWEEPS)
        tables = [
            ConditionalTable(
                family=family,
                probabilities=normalise_last(model.clique_table(clique, family.attributes)),
                noise_sd=math.sqrt(evidence[clique].variance),
            )
            for clique, family in families_of(tree)
        ]
        return networks_of([table.family for table in tables], [range(len(domain))]), tables

    def edges(
        self, similarity: SimilarityMatrix, domain: Domain, *, progress: Progress = silent
    ) -> list[Pair]:
        """The pairs above their thresholds, strongest first, that leave every clique small enough."""
        sizes = log2_sizes(domain.sizes)
        most = math.log2(max(self.max_cells, 1.0))
        limit = CliqueLimit(
            log_sizes=sizes,
            log_full_sizes=sizes,
            log_cells=most,
            log_full_cells=most,
            max_attributes=self.max_attributes or len(domain),
        )
        kept: list[Pair] = []
        asked = self._dependent(similarity, domain)
        for done, pair in enumerate(asked):
            cliques = triangulate(len(domain), [*kept, pair], sizes)
            if all(clique.bit_count() == 1 or limit.fits(clique) for clique in cliques):
                kept.append(pair)
            progress(done / len(asked), counted(len(kept), "pair", "pairs"))
        return kept

    def _dependent(self, similarity: SimilarityMatrix, domain: Domain) -> list[Pair]:
        """Pairs above their thresholds, strongest first; of wide tables only the strongest."""
        found = [
            (i, j)
            for i, j in pairs_of(len(domain))
            if similarity.values[i, j] >= threshold(domain.sizes[i], domain.sizes[j])
            and domain.sizes[i] * domain.sizes[j] <= self.max_cells
        ]
        strongest = sorted(found, key=lambda pair: (-float(similarity.values[pair]), pair))
        return strongest[: most_candidates(len(domain))]


@dataclass(frozen=True, slots=True, kw_only=True)
class JTreeLearner:
    """``JTree`` over all attributes, its parameters as the plan says."""

    def learn(self, context: Context) -> Learned:
        """Measure the cliques' tables of the thresholded graph."""
        most = context.plan.most_parents
        learner = JTree(max_attributes=None if most is None else most + 1, max_cells=context.useful_cells())
        with context.clock.stage(Stage.CONDITIONAL_TABLES, 0.3, 0.95):
            networks, tables = learner.learn(
                context.source,
                context.similarity,
                total=context.one_way.total,
                accountant=context.accountant,
                loss=context.accountant.left(Stage.CONDITIONAL_TABLES),
                progress=context.clock.tell,
            )
        return Learned(networks=networks, tables=tables)


def threshold(first: int, second: int) -> float:
    """The least normalised mutual information of an edge.

        phi^2 / 2 * (min(a, b) - 1)  nats,  as a part of  log min(a, b)

    A pair of n rows whose Cramer's V is phi has about that much mutual information. Infinite where an
    attribute has one value.

    Source: [Chen2015, section 4].

    Args:
        first: Number of values of one attribute.
        second: Number of values of the other.
    """
    smaller = min(first, second)
    if smaller < 2:
        return math.inf
    return WEAK**2 / 2 * (smaller - 1) / math.log(smaller)
