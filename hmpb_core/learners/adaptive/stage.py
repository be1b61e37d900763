"""The adaptive learner as a learner of the pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from hmpb_core.learners.adaptive.learner import AdaptiveLearner
from hmpb_core.learners.base import Context, Learned
from hmpb_core.privacy.budget import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveStage:
    """``AdaptiveLearner`` with its parameters as the plan says."""

    def learn(self, context: Context) -> Learned:
        """Select, measure and fit until structure and conditional tables are spent."""
        plan = context.plan
        with context.clock.stage(Stage.CONDITIONAL_TABLES, 0.3, 0.95):
            learned = AdaptiveLearner(max_parents=plan.most_parents, eta=plan.eta).learn(
                context.source,
                context.one_way.measured,
                total=context.one_way.total,
                similarity=context.similarity,
                clusters=context.clustering.clusters,
                weights=[w.weight for w in context.weights],
                accountant=context.accountant,
                clock=context.clock,
            )
        return learned.networks, learned.tables
