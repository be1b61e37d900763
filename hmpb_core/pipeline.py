"""HMPrivBayes, and every method that is a setting of it, from top to bottom.

    profile -> similarity -> clusters -> networks -> conditional tables -> rows

Source: [Zhang2022, Algorithm 2 and Fig. 2].
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.learners.adaptive.learner import AdaptiveLearner
from hmpb_core.learners.ibayes import IBayes
from hmpb_core.learners.jtree import JTree
from hmpb_core.marginal import NoisyMarginal, project_to_simplex
from hmpb_core.merging import merge_counts, merges_of
from hmpb_core.model import Model
from hmpb_core.network import BayesianNetwork, ConditionalTable, Family, sampling_order
from hmpb_core.planning.advice import default_clusters, one_way_counts, profile_parts
from hmpb_core.planning.bill import bill_of_entries, stage_limits
from hmpb_core.planning.plan import PUBLISHED_CLUSTERS, PUBLISHED_PARENTS, Accounting, Method, Plan
from hmpb_core.privacy.accountant import Accountant, Protection
from hmpb_core.privacy.budget import Budget, Stage
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.privacy.sensitivity import mutual_information_sensitivity
from hmpb_core.progress import Progress, silent
from hmpb_core.sources.base import Source
from hmpb_core.sources.merged import MergedSource
from hmpb_core.stages.clustering import Clustering, spectral_clustering
from hmpb_core.stages.conditionals import hnoisy_conditionals
from hmpb_core.stages.similarity import (
    SimilarityMatrix,
    choose_measure,
    matrix_of,
    measure_similarity,
    mic_values,
    pairs_of,
)
from hmpb_core.stages.values.learning import LearnedValues, learn_values
from hmpb_core.stages.weights import RiskWeight, risk_weights

Probabilities = NDArray[np.float64]


def accountant_for(plan: Plan, domain: Domain, *, seed: int | None = None) -> Accountant:
    """Open an account for a plan.

    Args:
        plan: The plan.
        domain: The codebook's domain.
        seed: Makes the noise repeatable, and so the output not private.
    """
    d = len(plan.encoded_domain(domain))
    k = min(plan.clusters or PUBLISHED_CLUSTERS, d)
    protection: Protection = "system" if seed is None else "seeded"
    if plan.method is Method.NOPRIVACY:
        protection = "none"
    return Accountant(
        Budget(guarantee=plan.guarantee, shares=plan.shares),
        rows_per_person=plan.rows_per_person,
        protection=protection,
        seed=seed,
        limits=stage_limits(plan, d, k),
    )


def fit(
    source: Source,
    plan: Plan,
    *,
    domain: Domain,
    accountant: Accountant,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Model:
    """Learn a model of a private table.

    Args:
        source: The private table over ``plan.encoded_domain(domain)``.
        plan: Every choice.
        domain: The codebook's domain.
        accountant: Pays for every look; see ``accountant_for``.
        rng: Draws clusters' starting points and a random first node: no privacy noise.
        progress: Told where the work is; may raise ``CancelledError``.

    Raises:
        BudgetExceededError: a stage would cost more than its share.
    """
    clock = _Clock(progress)
    with clock.stage(Stage.ONE_WAY_TABLES, 0.0):
        values = _values(source, plan, accountant)
        profile = _profile(values, plan, accountant, source.domain)
        source = values.source
        weights = risk_weights(
            profile.one_way,
            source.domain.names,
            gamma=0.0 if plan.compared else plan.gamma,
            manual=plan.weights,
        )
    with clock.stage(Stage.SIMILARITY, 0.1):
        similarity = _similarity(source, plan, profile, accountant)
        clustering = _clusters(similarity, plan, source.domain, rng)
    if plan.method is Method.INDEPENDENT:
        networks, tables = _independent(profile, source.domain)
    elif plan.learner == "ibayes":
        with clock.stage(Stage.STRUCTURE, 0.3):
            networks = _ibayes(
                source,
                plan,
                similarity,
                clustering,
                accountant=accountant,
                rng=rng,
                progress=clock.part(0.3, 0.7),
            )
        with clock.stage(Stage.CONDITIONAL_TABLES, 0.7):
            tables = _conditionals(source, plan, networks, weights, accountant)
    elif plan.learner == "jtree":
        with clock.stage(Stage.CONDITIONAL_TABLES, 0.3):
            networks, tables = _jtree(source, plan, similarity, accountant, clock.part(0.3, 0.95))
    else:
        with clock.stage(Stage.CONDITIONAL_TABLES, 0.3):
            learner = AdaptiveLearner(max_parents=plan.most_parents, eta=plan.eta)
            learned = learner.learn(
                source,
                profile.measured,
                total=profile.total,
                similarity=similarity,
                clusters=clustering.clusters,
                weights=[w.weight for w in weights],
                accountant=accountant,
                progress=clock.part(0.3, 0.95),
            )
            networks, tables = list(learned.networks), list(learned.tables)
        clock.move(learned.choosing_seconds, Stage.CONDITIONAL_TABLES, Stage.STRUCTURE)
    return Model(
        plan=plan,
        domain=values.source.domain if values.measured else domain,
        one_way=profile.one_way,
        similarity=similarity,
        clustering=clustering,
        networks=tuple(networks),
        tables=_in_sampling_order(networks, tables),
        weights=tuple(weights),
        bill=bill_of_entries(plan, accountant.entries, domain.names, owner=_owners(plan, domain)),
        entries=accountant.entries,
        n_rows=max(1, round(profile.total)),
        seconds=clock.seconds,
        private=accountant.private,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Profile:
    """One-way tables: the measured ones, and their probabilities."""

    measured: tuple[NoisyMarginal, ...]
    one_way: tuple[Probabilities, ...]
    total: float


def _values(source: Source, plan: Plan, accountant: Accountant) -> LearnedValues:
    """Learn bins and values where the plan pays for one-way tables; else bins are of equal width."""
    budget = accountant.left(Stage.ONE_WAY_TABLES)
    if budget == 0 or plan.binary or plan.compared:
        return LearnedValues(source=source)
    public = plan.guarantee.neighbors is Neighbors.REPLACE_ONE
    return learn_values(
        source,
        [budget * part for part in _one_way_parts(plan, source.domain)],
        accountant=accountant,
        total=float(source.n_rows) if public else None,
    )


def _one_way_parts(plan: Plan, domain: Domain) -> list[Fraction]:
    """Each attribute's part of the one-way tables' budget."""
    return profile_parts(one_way_counts(domain, plan.shares.one_way_tables))


def _profile(values: LearnedValues, plan: Plan, accountant: Accountant, domain: Domain) -> _Profile:
    """Measure all one-way tables once, each with its part of the stage's budget.

    Without a budget for them (the published method and the compared ones) the risk weights use the exact
    tables: the published method's unpaid look; the even weights of the others ignore them.
    """
    source = values.source
    d = len(source.domain)
    budget = accountant.left(Stage.ONE_WAY_TABLES) + values.spent
    replace_one = plan.guarantee.neighbors is Neighbors.REPLACE_ONE
    exact = source.marginals([(a,) for a in range(d)])
    if budget == 0:
        if plan.accounting is Accounting.SOUND and not plan.compared:
            raise PlanError(
                "The share of 'one-way tables' is 0, yet the method needs one-way tables; raise it above 0."
            )
        uniform = plan.accounting is Accounting.SOUND
        one_way = tuple(
            np.full(t.counts.size, 1 / t.counts.size) if uniform else t.counts / source.n_rows for t in exact
        )
        return _Profile(measured=(), one_way=one_way, total=float(source.n_rows))
    losses = [budget * part for part in _one_way_parts(plan, domain)]
    measured = tuple(
        values.measured.get(a)
        or accountant.measure(table, stage=Stage.ONE_WAY_TABLES, loss=loss, what=f"one-way table of {name}")
        for a, (table, loss, name) in enumerate(zip(exact, losses, domain.names, strict=True))
    )
    if replace_one:
        total = float(source.n_rows)
    else:
        precision = np.array([1 / (t.counts.size * max(t.noise_sd, 1e-9) ** 2) for t in measured])
        sums = np.array([t.counts.sum() for t in measured])
        total = max(1.0, float((sums * precision).sum() / precision.sum()))
    one_way = tuple(project_to_simplex(t.counts, total) / total for t in measured)
    return _Profile(measured=measured, one_way=one_way, total=total)


def _similarity(
    source: Source, plan: Plan, profile: _Profile, accountant: Accountant
) -> SimilarityMatrix | None:
    """Measure the similarity of all pairs; none where the method has no use for it."""
    d = len(source.domain)
    loss = accountant.left(Stage.SIMILARITY)
    if loss == 0 or d < 2:
        return None
    if plan.accounting is Accounting.AS_PUBLISHED:
        return _published_similarity(source, accountant)
    measure = choose_measure(
        plan.measure, n_rows=source.n_rows, domain=source.domain, neighbors=plan.guarantee.neighbors
    )
    one_way: Sequence[Probabilities] = profile.one_way
    if measure == "tvd":  # values that the profile cannot tell from zero only add noise here
        merges = merges_of(profile.measured, profile.total)
        source = MergedSource(source, merges)
        one_way = [
            project_to_simplex(merge_counts(table.counts, [merge]), profile.total) / profile.total
            for table, merge in zip(profile.measured, merges, strict=True)
        ]
    return measure_similarity(
        source, one_way, measure=measure, accountant=accountant, loss=loss, total=profile.total
    )


def _published_similarity(source: Source, accountant: Accountant) -> SimilarityMatrix:
    """MIC of all pairs with the noise of Algorithm 3: too little for what it claims.

    s_ij = MIC(X_i, X_j) + Lap(Dm * d(d-1) / (eps1 * 2 floor(d/2))); it truly costs
    floor(d/2) * eps1, and that is charged.
    """
    d = len(source.domain)
    epsilon = accountant.budget.loss(Stage.SIMILARITY)
    delta = mutual_information_sensitivity(source.n_rows, has_binary_side=True)
    noisy, noise_sd = accountant.measure_pairs(
        mic_values(source, pairs_of(d)),
        n_attributes=d,
        sensitivity=delta,
        stage=Stage.SIMILARITY,
        loss=epsilon * (d // 2),
        what="mic of all pairs",
        scale_per_value=delta * d * (d - 1) / (float(epsilon) * 2 * (d // 2)),
    )
    return matrix_of(noisy, measure="mic", names=source.domain.names, noise_sd=noise_sd)


def _clusters(
    similarity: SimilarityMatrix | None, plan: Plan, domain: Domain, rng: np.random.Generator
) -> Clustering:
    d = len(domain)
    if plan.method is Method.INDEPENDENT:
        return Clustering(clusters=tuple((a,) for a in range(d)), eigenvalues=np.zeros(d))
    if similarity is None or plan.method in (Method.PRIVBAYES, Method.JTREE):  # one network for all
        return Clustering(clusters=(tuple(range(d)),), eigenvalues=np.zeros(d))
    default = PUBLISHED_CLUSTERS if plan.learner == "ibayes" else default_clusters(d)
    return spectral_clustering(
        similarity.values, plan.clusters or default, rng, sigma=plan.sigma, n_vectors=plan.n_vectors
    )


def _independent(profile: _Profile, domain: Domain) -> tuple[list[BayesianNetwork], list[ConditionalTable]]:
    """No structure: every attribute by itself, from its one-way table."""
    families = [Family(child=a) for a in range(len(domain))]
    tables = [
        ConditionalTable(family=family, probabilities=q, noise_sd=table.noise_sd)
        for family, q, table in zip(families, profile.one_way, profile.measured, strict=True)
    ]
    return [BayesianNetwork((family,)) for family in families], tables


def _ibayes(
    source: Source,
    plan: Plan,
    similarity: SimilarityMatrix | None,
    clustering: Clustering,
    *,
    accountant: Accountant,
    rng: np.random.Generator,
    progress: Progress,
) -> list[BayesianNetwork]:
    """Learn one network a cluster by IBayes.

    Under the published accounting every cluster spends the whole eps2 (and the account is
    charged k times that); otherwise the clusters share the stage's budget by their choices.
    """
    published = plan.accounting is Accounting.AS_PUBLISHED
    budget = accountant.budget.loss(Stage.STRUCTURE)
    learner = IBayes(
        max_parents=plan.most_parents or PUBLISHED_PARENTS,
        eta=plan.eta,
        first="random" if plan.compared else "entropy",
        max_cells=None if published else _useful_cells(source, accountant),
    )
    choices = sum(learner.choices(cluster) for cluster in clustering.clusters)
    return [
        learner.learn(
            source,
            cluster,
            None if similarity is None or plan.compared else similarity.values,
            accountant=accountant,
            loss=budget if published else budget * Fraction(learner.choices(cluster), max(choices, 1)),
            rng=rng,
            progress=progress,
        )
        for cluster in clustering.clusters
    ]


def _jtree(
    source: Source,
    plan: Plan,
    similarity: SimilarityMatrix | None,
    accountant: Accountant,
    progress: Progress,
) -> tuple[list[BayesianNetwork], list[ConditionalTable]]:
    learner = JTree(
        max_attributes=None if plan.most_parents is None else plan.most_parents + 1,
        max_cells=_useful_cells(source, accountant),
    )
    return learner.learn(
        source,
        similarity,
        total=float(source.n_rows),
        accountant=accountant,
        loss=accountant.left(Stage.CONDITIONAL_TABLES),
        progress=progress,
    )


USEFULNESS = 4.0


def _useful_cells(source: Source, accountant: Accountant) -> float:
    """Largest table whose average count is theta times its average noise, theta = 4.

    Source: [Zhang2017, Definition 4.7], with the noise of an equal part of the budget.
    """
    d = len(source.domain)
    loss = accountant.budget.loss(Stage.CONDITIONAL_TABLES) / d
    return source.n_rows / (USEFULNESS * accountant.table_scale(loss))


def _conditionals(
    source: Source,
    plan: Plan,
    networks: Sequence[BayesianNetwork],
    weights: Sequence[RiskWeight],
    accountant: Accountant,
) -> list[ConditionalTable]:
    """Measure the families of all networks, each network with its part of the budget."""
    published = plan.accounting is Accounting.AS_PUBLISHED
    budget = accountant.budget.loss(Stage.CONDITIONAL_TABLES)
    by_attribute = [w.weight for w in weights]
    total = sum((Fraction(w) for w in by_attribute), Fraction(0))
    tables = []
    for network in networks:
        part = sum((Fraction(by_attribute[child]) for child in network.children), Fraction(0)) / total
        tables += hnoisy_conditionals(
            source,
            network,
            by_attribute,
            max_parents=plan.most_parents or PUBLISHED_PARENTS,
            accountant=accountant,
            loss=budget if published else budget * part,
        )
    return tables


def _in_sampling_order(
    networks: Sequence[BayesianNetwork], tables: Sequence[ConditionalTable]
) -> tuple[ConditionalTable, ...]:
    by_child = {table.family.child: table for table in tables}
    return tuple(by_child[family.child] for family in sampling_order(networks))


def _owners(plan: Plan, domain: Domain) -> list[int] | None:
    """For each encoded attribute, the codebook's attribute it belongs to."""
    if not plan.binary:
        return None
    from hmpb_core.encoding import BinaryEncoding

    widths = BinaryEncoding(domain).widths
    return [owner for owner, width in enumerate(widths) for _ in range(width)]


class _Clock:
    """Times the stages and reports when one begins."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.seconds: dict[str, float] = {}

    def part(self, start: float, end: float) -> Progress:
        """Give a progress that fills the part of the whole between two fractions."""
        return lambda fraction, message: self._progress(start + fraction * (end - start), message)

    def move(self, seconds: float, origin: str, target: str) -> None:
        """Count time under another stage: the adaptive learner does two stages in turns."""
        self.seconds[str(origin)] -= seconds
        self.seconds[str(target)] = self.seconds.get(str(target), 0.0) + seconds

    @contextmanager
    def stage(self, name: str, fraction: float) -> Iterator[None]:
        self._progress(fraction, str(name))
        start = time.perf_counter()
        yield
        self.seconds[str(name)] = self.seconds.get(str(name), 0.0) + time.perf_counter() - start
