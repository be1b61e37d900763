"""Pairs by the noisy similarity alone, each measured once: no selection looks at the data.

All that it asks of the data are tables and the vector of similarities. Both are sums over disjoint rows, so
that parties can add their noise in shares; a selection's scores are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hmpb_core.errors import counted
from hmpb_core.graphical.graph import Pair, triangulate
from hmpb_core.learners.adaptive.budget import TICKS, LearnerBudget
from hmpb_core.learners.adaptive.budget_plan import BudgetPlan
from hmpb_core.learners.adaptive.learner import AdaptiveLearner
from hmpb_core.learners.adaptive.pair_prior import CLEAR, first_edges, placement
from hmpb_core.learners.adaptive.run import ROOT, LearnerRun
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.progress import StageClock
from hmpb_core.sources.base import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveLearner(AdaptiveLearner):
    """``AdaptiveLearner``'s parameters, and another way to spend.

    1. How many pairs promise more than they cost, and which: by the paid similarity, free.
    2. A spanning forest of them, then the strongest others whose cliques stay small.
    3. Every one is measured once, at the weight of its child; the roots' one-way tables once more.
    """

    def spend(
        self,
        begin: Callable[[Sequence[NoisyMarginal]], LearnerRun],
        source: Source,
        profile: Sequence[NoisyMarginal],
        budget: LearnerBudget,
        clock: StageClock,
    ) -> LearnerRun:
        """Measure the pairs that promise most, then fit; see ``AdaptiveLearner.spend`` for the arguments."""
        run = begin(profile)
        pairs = _pairs_by_similarity(run, budget)
        clock.tell(0.0, counted(len(pairs), "pair", "pairs"))
        if not pairs:
            return begin(budget.spend_on_one_way(source, profile, run.merges))
        _measure_all(run, pairs, budget)
        return run


def _pairs_by_similarity(run: LearnerRun, budget: LearnerBudget) -> list[Pair]:
    """The pairs to measure: as many as promise most, a spanning forest first."""
    if not run.pairs or run.prior.likely is None or run.hopeless(budget):
        return []
    planned = BudgetPlan(run.prior, run.pairs, lambda part: budget.noise_sd(part * TICKS))
    count = planned.pairs_planned()
    noise_sd = budget.noise_sd(TICKS / count)
    gains = {pair: run.prior.net_gain(pair, noise_sd) for pair in run.pairs}
    clear = [pair for pair in run.pairs if gains[pair] > CLEAR * run.prior.likely_sd]
    forest = first_edges(run.prior, run.pairs, noise_sd, run.links)
    chosen: list[Pair] = []
    for pair in dict.fromkeys([*forest, *sorted(clear, key=lambda pair: -gains[pair])]):
        if len(chosen) == count:
            break
        cliques = triangulate(len(run.sizes), [*run.links, *chosen, pair], run.limit.log_sizes)
        if all(run.limit.fits(clique) for clique in cliques):
            chosen.append(pair)
    return chosen


def _measure_all(run: LearnerRun, pairs: list[Pair], budget: LearnerBudget) -> None:
    """Measure every pair once at the weight of its child, and the roots' one-way tables again."""
    counts = [run.known.evidence[a,].counts for a in range(len(run.sizes))]
    run.rank = placement(counts, [*run.links, *pairs])
    children = [run.child(pair) for pair in pairs]
    roots = [a for a in range(len(run.sizes)) if a not in set(children)]
    wanted = sum(budget.factors[c] for c in children) + sum(budget.factors[a] / ROOT for a in roots)
    budget.unit = max(1, math.floor(TICKS / wanted))
    for attribute in roots:
        run.measure((attribute,), budget, keep=1, unit=max(1, budget.unit // ROOT))
    for pair in pairs[:-1]:
        run.measure(pair, budget, keep=1)
    budget.unit = budget.left  # the last takes what rounding left
    run.measure(pairs[-1], budget)
    run.model = run.fitted(run.model, sweeps=12)
