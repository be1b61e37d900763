"""The method from top to bottom, as in the paper's figure; every other method is a setting of it.

    one-way tables -> similarity -> clusters -> networks -> conditional tables -> rows

Source: [Zhang2022, Algorithm 2 and Fig. 2].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.learners.base import Context, Follower
from hmpb_core.learners.registry import LEARNERS
from hmpb_core.model import Model
from hmpb_core.network import in_sampling_order
from hmpb_core.planning.account import accountant_for, source_under
from hmpb_core.planning.advice import one_way_counts, one_way_parts
from hmpb_core.planning.bill import bill_of_run
from hmpb_core.planning.measures import choose_measure
from hmpb_core.planning.methods import Accounting
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.progress import WRITING, Progress, StageClock, silent
from hmpb_core.rules.bands import BandOf, cuts_of
from hmpb_core.rules.consistency import FEW_MISSING, decided, in_order
from hmpb_core.rules.deciding import Follows, absent_codes, left_open_by
from hmpb_core.rules.declared import NO_RULES, Rules
from hmpb_core.rules.repeats import possible_repeats
from hmpb_core.rules.since import with_times_since
from hmpb_core.rules.zeros import without_codes
from hmpb_core.sources.base import Source, TableSource
from hmpb_core.sources.merged import MergedSource
from hmpb_core.stages.clustering import Clustering, default_n_clusters, spectral_clustering, unclustered
from hmpb_core.stages.one_way import OneWayTables, measure_one_way, unmeasured, unpaid
from hmpb_core.stages.similarity import SimilarityMatrix, measure_similarity, published_similarity
from hmpb_core.stages.weights import risk_weights

LEFT_OPEN = 0.05
"""Largest part of the rows, by the noisy table, whose value no pair of a rule says that lists the others."""


def synthesize(
    source: TableSource, plan: Plan, *, seed: int | None = None, progress: Progress = silent
) -> tuple[Model, pd.DataFrame]:
    """The whole figure: learn a model, then draw rows from it; with a seed repeatable, never releasable."""
    account = accountant_for(plan, source.domain, seed=seed, shares=source.noise_shares)
    model = fit(source, plan, accountant=account, rng=np.random.default_rng(seed), progress=progress)
    progress(WRITING, "rows")
    return model, model.sample(rng=np.random.default_rng(seed))


def fit(
    source: TableSource,
    plan: Plan,
    *,
    accountant: Accountant,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Model:
    """Learn a model of a private table.

    Args:
        source: The private table, over its codebook's domain.
        plan: Every choice.
        accountant: Pays for every look; see ``accountant_for``.
        rng: Draws clusters' starting points and a random first node: no privacy noise.
        progress: Told where the work is; may raise ``CancelledError``.

    Raises:
        BudgetExceededError: a stage would cost more than its share.
    """
    counts = source_under(plan, source)
    clock = StageClock(progress)
    with clock.stage(Stage.ONE_WAY_TABLES, 0.0, 0.1):
        if counts.fine and plan.shares.one_way_tables:
            counts = counts.recoded(with_times_since(counts.domain, source.rules))
        one_way = _one_way(counts, plan, accountant, source.rules)
        counts = one_way.source
        weights = risk_weights(
            one_way.probabilities,
            counts.domain.names,
            gamma=plan.gamma if plan.spec.weights == "risk" else 0.0,
            manual=_weights_by_hand(plan, source.domain, counts.domain),
        )
    with clock.stage(Stage.SIMILARITY, 0.1, 0.3):
        similarity = _similarity(counts, plan, one_way, accountant)
        clustering = _clusters(similarity, plan, counts.domain, rng)
    on_bits = plan.spec.encoding == "bits"
    owners = tuple(plan.spec.owners(source.domain) if on_bits else range(len(counts.domain)))
    if on_bits and plan.accounting is Accounting.SOUND and plan.spec.prunes:
        clustering = clustering.together(owners)
    by_rules = frozenset() if on_bits else _decided(source.rules, counts.domain, one_way.probabilities)
    context = Context(
        source=counts,
        plan=plan,
        one_way=one_way,
        similarity=similarity,
        clustering=clustering,
        weights=tuple(weights),
        accountant=accountant,
        rng=rng,
        clock=clock,
        owners=owners,
        decided=by_rules,
        followers=() if on_bits else _followers(source.rules, counts.domain, one_way.probabilities),
        favoured=_favoured(plan, source.domain, owners),
    )
    learned = LEARNERS[plan.spec.learner]().learn(context)
    tables = in_sampling_order(learned.networks, learned.tables)
    if plan.accounting is Accounting.SOUND and not on_bits and not plan.spec.pays_by_row:
        known = replace(one_way, measured=tuple(learned.one_way or one_way.measured))
        tables = without_codes(tables, known.unseen)
    return Model(
        plan=plan,
        rules=source.rules,
        domain=source.domain if plan.spec.encoding == "bits" else counts.domain,
        one_way=one_way.probabilities,
        similarity=similarity,
        clustering=clustering,
        networks=tuple(learned.networks),
        tables=tables,
        bridges=tuple(learned.bridges),
        child_noise=dict(learned.child_noise),
        weights=tuple(weights),
        bill=bill_of_run(plan, source.domain, accountant.events),
        events=accountant.events,
        n_rows=max(1, round(one_way.total)),
        seconds=clock.seconds,
        private=accountant.private,
    )


def _weights_by_hand(plan: Plan, domain: Domain, encoded: Domain) -> dict[str, float]:
    """The weights set by hand, by encoded attribute: each bit of an attribute has the attribute's."""
    if plan.spec.encoding != "bits":
        return dict(plan.weights)
    names = [domain.names[owner] for owner in plan.spec.owners(domain)]
    unknown = {name: weight for name, weight in plan.weights.items() if name not in names}
    bits = zip(encoded.names, names, strict=True)
    return unknown | {bit: plan.weights[name] for bit, name in bits if name in plan.weights}


def _favoured(plan: Plan, domain: Domain, owners: Sequence[int]) -> frozenset[int]:
    """The plan's target as the attributes that are learned on: itself, or its bits."""
    if plan.target is None or not plan.spec.favours:
        return frozenset()
    target = plan.target_of(domain)
    return frozenset(a for a, owner in enumerate(owners) if owner == target)


def followers_of(model: Model) -> tuple[Follower, ...]:
    """The columns that a model on codes has beside the longer lists that they follow from."""
    return _followers(model.rules, model.domain, model.one_way)


def _decided(rules: Rules, domain: Domain, one_way: Sequence[NDArray[np.float64]]) -> frozenset[int]:
    """Attributes that public rules decide by others, where hardly a value that decides is missing."""
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    return frozenset(
        domain.index(str(rule.target))
        for rule in decided(rules.items, attributes)
        if all(_hardly_missing(name, domain, one_way) for name in left_open_by(rule))
    )


def _hardly_missing(name: str, domain: Domain, one_way: Sequence[NDArray[np.float64]]) -> bool:
    place = domain.index(name)
    return not domain.attributes[place].nullable or float(one_way[place][-1]) <= FEW_MISSING


def _followers(rules: Rules, domain: Domain, one_way: Sequence[NDArray[np.float64]]) -> tuple[Follower, ...]:
    """The columns that follow from longer lists, and what of each value.

    Of a few values nobody may know what follows; the model has the commonest beside them.
    """
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    whole = decided(rules.items, attributes)
    found = []
    for rule in reversed(in_order(rules.items)):
        follows = isinstance(rule, Follows) or (isinstance(rule, BandOf) and rule in whole)
        impossible = rule.impossible(attributes) if follows else None
        if impossible is None:
            continue
        of, column = (domain.index(name) for name in rule.columns)
        possible = ~impossible
        if isinstance(rule, BandOf):  # a number has a band; what is missing of it is missing with the number
            possible[:, absent_codes(rule.column, domain.attributes[column])] = False
        if domain.attributes[of].nullable:  # of what is missing what is missing follows
            missing = np.arange(possible.shape[1]) == possible.shape[1] - 1
            possible[-1] = missing & domain.attributes[column].nullable
        left_open = possible.all(axis=1)
        told = bool(((possible.sum(axis=1) == 1) | left_open).all())
        # of a vocabulary those values count that follow from some category, not all 250 countries
        longer = len(possible) > len(np.unique(possible[~left_open].argmax(axis=1)))
        known = all(_hardly_missing(name, domain, one_way) for name in rule.columns)
        if told and longer and known and float(one_way[of][left_open].sum()) <= LEFT_OPEN:
            codes = np.where(left_open, one_way[column].argmax(), possible.argmax(axis=1))
            found.append(Follower(attribute=column, of=of, codes=codes))
    return tuple(found)


def _one_way(source: Source, plan: Plan, accountant: Accountant, rules: Rules = NO_RULES) -> OneWayTables:
    if plan.shares.one_way_tables:
        counts = one_way_counts(source.domain, plan.guarantee, plan.declared_rows)
        cuts = cuts_of(rules.items, source.domain)
        repeats = {} if plan.spec.encoding == "bits" else possible_repeats(source.domain, rules)
        return measure_one_way(source, one_way_parts(counts), accountant, cuts, repeats)
    by_the_letter = plan.accounting is Accounting.AS_PUBLISHED and plan.spec.weights == "risk"
    return unpaid(source) if by_the_letter else unmeasured(source)


def _similarity(
    source: Source, plan: Plan, one_way: OneWayTables, accountant: Accountant
) -> SimilarityMatrix | None:
    """Measure the similarity of all pairs; none where the method has no use for it."""
    loss = accountant.left(Stage.SIMILARITY)
    if loss == 0 or plan.measure is None:
        return None
    if plan.accounting is Accounting.AS_PUBLISHED:
        return published_similarity(source, accountant)
    neighbors = plan.guarantee.neighbors
    n_rows = source.n_rows if neighbors is Neighbors.REPLACE_ONE else None
    measure = choose_measure(plan.measure, n_rows=n_rows, domain=source.domain, neighbors=neighbors)
    probabilities = list(one_way.probabilities)
    if measure == "tvd":  # values that the one-way tables cannot tell from zero only add noise here
        merges = one_way.merges()
        source, probabilities = MergedSource(source, merges), one_way.merged(merges)
    return measure_similarity(
        source, probabilities, measure=measure, accountant=accountant, loss=loss, total=one_way.total
    )


def _clusters(
    similarity: SimilarityMatrix | None, plan: Plan, domain: Domain, rng: np.random.Generator
) -> Clustering:
    k = plan.clusters_of(len(domain))
    if similarity is not None and plan.spec.clusters is not None:
        if plan.clusters is None and plan.spec.gap:
            k = default_n_clusters(similarity.values, sigma=plan.sigma, least=k)
        return spectral_clustering(similarity.values, k, rng, sigma=plan.sigma, n_vectors=plan.n_vectors)
    return unclustered(len(domain), apart=plan.measure is None and k == len(domain))
