"""One run with many canaries, each in or out by the toss of a coin: how many are guessed right.

The attacker sees what one run answered and knows every canary's row, but not which are in. For each canary
it weighs the cells in which the canary would be; it guesses at those of which it is surest and abstains from
the others. How many guesses are right bounds epsilon, or mu, from below.

Source: [SteinkeNJ2023]; for Gaussian noise [MahloujifarMC2024].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core import pipeline
from hmpb_core.audit.bounds import one_run_epsilon, one_run_mu
from hmpb_core.audit.evidence import LossMeasure
from hmpb_core.audit.findings import Finding, Kind
from hmpb_core.audit.mechanisms import Array, Door, account, gaussian_mu, guarantee_under, weigh
from hmpb_core.audit.replay import Act, Recorder
from hmpb_core.domain import Domain
from hmpb_core.marginal import Marginal
from hmpb_core.planning.events import events_of
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Budget, Stage
from hmpb_core.privacy.guarantee import Currency, Neighbors
from hmpb_core.sources.memory import MemorySource

SUREST = {LossMeasure.EPSILON: 1.0, LossMeasure.MU: 0.05}
"""Part of the canaries that is guessed at: few in a bound on mu, whose proof is loose in the middle."""
PIPELINE_SUREST = 0.5


def one_run_of_table(
    door: Door,
    currency: Currency,
    neighbors: Neighbors,
    *,
    canaries: int,
    level: float,
    rng: np.random.Generator,
) -> Finding:
    """Audit one table of counts in one run, with canaries in cells of their own.

    Args:
        door: What opens the account.
        currency: The currency.
        neighbors: Under ``add-remove`` a canary is there or not, else in one of two cells.
        canaries: How many.
        level: Confidence of the bound.
        rng: Tosses the coins: no privacy noise.
    """
    guarantee = guarantee_under(currency, neighbors)
    present = rng.random(canaries) < 0.5
    pair = neighbors is Neighbors.REPLACE_ONE
    counts = np.stack([present, ~present], axis=1) if pair else present[:, None]
    noisy = account(door, guarantee, Stage.ONE_WAY_TABLES).measure(
        Marginal(attributes=(0,), counts=counts.astype(np.int64).ravel()),
        stage=Stage.ONE_WAY_TABLES,
        loss=guarantee.total,
        what="invented canaries",
    )
    without, with_canary = (np.array([0.0, 1.0]), np.array([1.0, 0.0])) if pair else (np.zeros(1), np.ones(1))
    scores = weigh(noisy.counts.reshape(canaries, -1), without, with_canary, noisy.scale, currency)
    measure = LossMeasure.EPSILON if currency is Currency.PURE else LossMeasure.MU
    if measure is LossMeasure.EPSILON:  # the surest alone: with two cells not all evidence is full
        guesses = int((np.abs(scores) >= np.abs(scores).max() - 1e-6).sum())
    else:
        guesses = int(SUREST[measure] * canaries)
    right = _right(scores, present, guesses)
    alpha = 1 - level
    return Finding(
        kind=Kind.ONE_RUN,
        name="table of counts",
        currency=currency,
        neighbors=neighbors,
        measure=measure,
        claimed=guarantee.epsilon if measure is LossMeasure.EPSILON else gaussian_mu(guarantee),
        low=one_run_epsilon(canaries, guesses, right, alpha=alpha)
        if measure is LossMeasure.EPSILON
        else one_run_mu(canaries, guesses, right, alpha=alpha),
        level=level,
        runs=canaries,
    )


def _right(scores: Array, present: NDArray[np.bool_], guesses: int) -> int:
    """How many of the surest guesses are right; nothing but scores says which these are."""
    surest = np.argsort(-np.abs(scores), kind="stable")[:guesses]
    return int(((scores[surest] > 0) == present[surest]).sum())


def domain_of_canaries(canaries: int, neighbors: Neighbors) -> Domain:
    """Two attributes in which every canary row has values that no other row can have."""
    return Domain.of_sizes([canaries * (2 if neighbors is Neighbors.REPLACE_ONE else 1)] * 2)


def one_run_of_pipeline(
    plan: Plan, *, canaries: int, level: float, rng: np.random.Generator, name: str
) -> Finding:
    """Audit a whole run with many canary rows, the table's only ones.

    Args:
        plan: A plan for ``domain_of_canaries``.
        canaries: How many rows are in or out.
        level: Confidence of the bound.
        rng: Tosses the coins, and what else is no privacy noise.
        name: What the finding calls it.
    """
    guarantee = plan.guarantee
    domain = domain_of_canaries(canaries, guarantee.neighbors)
    pair = guarantee.neighbors is Neighbors.REPLACE_ONE
    rows = np.repeat(np.arange(canaries, dtype=np.int32)[:, None], len(domain), axis=1)
    others = rows + canaries
    present = rng.random(canaries) < 0.5
    table = np.where(present[:, None], rows, others) if pair else rows[present]
    recorder = Recorder(
        Budget(guarantee=guarantee, shares=plan.shares),
        rows_per_person=plan.rows_per_person,
        events=events_of(plan, domain),
    )
    pipeline.fit(MemorySource(table, domain), plan, accountant=recorder, rng=rng)
    scores = _scores(recorder.acts, rows, domain)
    if pair:
        scores = scores - _scores(recorder.acts, others, domain)
    guesses = max(1, int(PIPELINE_SUREST * canaries))
    right = _right(scores, present, guesses)
    return Finding(
        kind=Kind.ONE_RUN,
        name=name,
        currency=guarantee.currency,
        neighbors=guarantee.neighbors,
        measure=LossMeasure.EPSILON,
        claimed=guarantee.epsilon,
        low=one_run_epsilon(canaries, guesses, right, alpha=1 - level, delta=guarantee.delta),
        level=level,
        runs=canaries,
    )


def _scores(acts: Sequence[Act], rows: NDArray[np.int32], domain: Domain) -> Array:
    """For every row the evidence that it is there, from the cells that it alone can be in.

    Tables over merged values are left out: the attacker is then weaker, never wrong.
    """
    scores = np.zeros(len(rows))
    for act in acts:
        if act.question[0] != "measure" or act.noisy is None:
            continue
        attributes, shape = act.question[3], act.question[4]
        if shape != tuple(domain.sizes[a] for a in attributes):
            continue
        seen = act.noisy[tuple(rows[:, a] for a in attributes)][:, None]
        currency = Currency.PURE if act.kind == "laplace" else Currency.ZCDP
        scores += weigh(seen, np.zeros(1), np.ones(1), act.scale, currency)
    return scores
