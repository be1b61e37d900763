"""The learners of this room as learners of the pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from hmpb_core.learners.adaptive.by_similarity import AdditiveLearner
from hmpb_core.learners.adaptive.learner import AdaptiveLearner
from hmpb_core.learners.adaptive.paid_ibayes import PaidIBayes
from hmpb_core.learners.base import Context, Learned
from hmpb_core.planning.methods import PUBLISHED_PARENTS
from hmpb_core.privacy.budget import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveStage:
    """``AdaptiveLearner`` with its parameters as the plan says."""

    def learn(self, context: Context) -> Learned:
        """Select, measure and fit until structure and conditional tables are spent."""
        plan = context.plan
        with context.clock.stage(Stage.CONDITIONAL_TABLES, 0.3, 0.95):
            learner = AdaptiveLearner(
                max_parents=plan.most_parents,
                eta=plan.eta,
                decided=context.decided,
                followers=context.followers,
            )
            return _learn(learner, context)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidIBayesStage:
    """``PaidIBayes`` with its parameters as the plan says."""

    def learn(self, context: Context) -> Learned:
        """Choose a network a cluster, then measure its tables, each once."""
        plan = context.plan
        with context.clock.stage(Stage.CONDITIONAL_TABLES, 0.3, 0.95):
            learner = PaidIBayes(
                max_parents=plan.most_parents or PUBLISHED_PARENTS, eta=plan.eta, owners=context.owners
            )
            return _learn(learner, context)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveStage:
    """``AdditiveLearner`` with its parameters as the plan says."""

    def learn(self, context: Context) -> Learned:
        """Measure the pairs that the similarity promises most of, and fit."""
        plan = context.plan
        with context.clock.stage(Stage.CONDITIONAL_TABLES, 0.3, 0.95):
            learner = AdditiveLearner(
                max_parents=plan.most_parents,
                eta=plan.eta,
                decided=context.decided,
                followers=context.followers,
            )
            return _learn(learner, context)


def _learn(learner: AdaptiveLearner | PaidIBayes, context: Context) -> Learned:
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
