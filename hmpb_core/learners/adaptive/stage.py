"""The learners of this room as learners of the pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hmpb_core.learners.adaptive.by_similarity import AdditiveLearner
from hmpb_core.learners.adaptive.learner import AdaptiveLearner
from hmpb_core.learners.adaptive.paid_ibayes import PaidIBayes
from hmpb_core.learners.base import Context, Learned
from hmpb_core.planning.methods import PUBLISHED_PARENTS
from hmpb_core.privacy.budget import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveStage:
    """``AdaptiveLearner`` with its parameters as the plan says."""

    learner: ClassVar[type[AdaptiveLearner]] = AdaptiveLearner

    def learn(self, context: Context) -> Learned:
        """Spend all that structure and conditional tables have, and fit."""
        learner = self.learner(
            max_parents=context.plan.most_parents,
            eta=context.plan.eta,
            decided=context.decided,
            followers=context.followers,
            favoured=context.favoured,
        )
        return _learn(learner, context)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveStage(AdaptiveStage):
    """``AdditiveLearner`` with its parameters as the plan says."""

    learner: ClassVar[type[AdaptiveLearner]] = AdditiveLearner


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidIBayesStage:
    """``PaidIBayes`` with its parameters as the plan says."""

    def learn(self, context: Context) -> Learned:
        """Choose a network a cluster, then measure its tables, each once."""
        learner = PaidIBayes(
            max_parents=context.plan.most_parents or PUBLISHED_PARENTS,
            eta=context.plan.eta,
            owners=context.owners,
        )
        return _learn(learner, context)


def _learn(learner: AdaptiveLearner | PaidIBayes, context: Context) -> Learned:
    with context.clock.stage(Stage.CONDITIONAL_TABLES, 0.3, 0.95):
        return learner.learn(
            context.source,
            context.one_way.measured,
            total=context.one_way.total,
            similarity=context.similarity,
            clusters=context.clustering.clusters,
            weights=[w.weight for w in context.weights],
            accountant=context.accountant,
            clock=context.clock,
        )
