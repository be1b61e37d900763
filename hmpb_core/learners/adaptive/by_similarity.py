"""Pairs by the noisy similarity alone, each measured once: no selection looks at the data.

All that it asks of the data are tables and the vector of similarities. Both are sums over disjoint rows, so
that parties can add their noise in shares; a selection's scores are not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hmpb_core.graphical.graph import Pair, triangulate
from hmpb_core.learners.adaptive.budget import TICKS, LearnerBudget
from hmpb_core.learners.adaptive.budget_plan import BudgetPlan
from hmpb_core.learners.adaptive.pair_prior import CLEAR, first_edges, placement
from hmpb_core.learners.adaptive.run import ROOT, LearnerRun
from hmpb_core.learners.adaptive.scores import PENALTY
from hmpb_core.learners.base import Learned
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.progress import StageClock
from hmpb_core.sources.base import Source
from hmpb_core.stages.similarity import SimilarityMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveLearner:
    """Parameters of the learner.

    Attributes:
        max_parents: l, the largest number of parents; None leaves it to the size of the tables.
        eta: Pruning of pairs by the noisy similarity, eq. 9 of [Zhang2022]; 0 keeps all.
    """

    max_parents: int | None = None
    eta: float = 0.0

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
        """Measure the pairs that promise most, then fit; see ``AdaptiveLearner.learn`` for the arguments.

        1. How many pairs promise more than they cost, and which: by the paid similarity, free.
        2. A spanning forest of them, then the strongest others whose cliques stay small.
        3. Every one is measured once, at the weight of its child; the roots' one-way tables once more.
        """
        budget = LearnerBudget(accountant, source.domain.names, weights)

        def begin(tables: Sequence[NoisyMarginal]) -> _AdditiveRun:
            return _AdditiveRun(
                source,
                tables,
                max_parents=self.max_parents,
                eta=self.eta,
                total=total,
                similarity=similarity,
                clusters=clusters,
            )

        run = begin(profile)
        pairs = run.pairs_by_similarity(budget)
        clock.tell(0.0, f"{len(pairs)} pairs")
        if pairs:
            run.measure_all(pairs, budget)
        else:
            run = begin(budget.spend_on_one_way(source, profile, run.merges))
        return run.finish(clusters, budget)


class _AdditiveRun(LearnerRun):
    """A run whose tables are all chosen before the first of them is measured."""

    def pairs_by_similarity(self, budget: LearnerBudget) -> list[Pair]:
        """The pairs to measure: as many as promise most, a spanning forest first."""
        if not self.pairs or self.prior.likely is None or self.hopeless(budget):
            return []
        planned = BudgetPlan(self.prior, self.pairs, lambda part: budget.noise_sd(part * TICKS))
        count = planned.pairs_planned()
        noise_sd = budget.noise_sd(TICKS / count)
        gains = {pair: self.prior.net_gain(pair, noise_sd, penalty=PENALTY) for pair in self.pairs}
        clear = [pair for pair in self.pairs if gains[pair] > CLEAR * self.prior.likely_sd]
        forest = first_edges(self.prior, self.pairs, noise_sd)
        chosen: list[Pair] = []
        for pair in dict.fromkeys([*forest, *sorted(clear, key=lambda pair: -gains[pair])]):
            if len(chosen) == count:
                break
            cliques = triangulate(len(self.sizes), [*chosen, pair], self.limit.log_sizes)
            if all(self.limit.fits(clique) for clique in cliques):
                chosen.append(pair)
        return chosen

    def measure_all(self, pairs: list[Pair], budget: LearnerBudget) -> None:
        """Measure every pair once at the weight of its child, and the roots' one-way tables again."""
        self.rank = placement([self.evidence[a,].counts for a in range(len(self.sizes))], pairs)
        children = [self._child(pair) for pair in pairs]
        roots = [a for a in range(len(self.sizes)) if a not in set(children)]
        wanted = sum(budget.factors[c] for c in children) + sum(budget.factors[a] / ROOT for a in roots)
        budget.unit = max(1, math.floor(TICKS / wanted))
        for attribute in roots:
            self._measure((attribute,), budget, keep=1, unit=max(1, budget.unit // ROOT))
        for pair in pairs[:-1]:
            self._measure(pair, budget, keep=1)
        budget.unit = budget.left  # the last takes what rounding left
        self._measure(pairs[-1], budget)
        self.model = self._fitted(self.model, sweeps=12)
