"""The learners by name: a new one is a module here and a line below."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hmpb_core.learners.adaptive.stage import AdaptiveStage, AdditiveStage, PaidIBayesStage
from hmpb_core.learners.base import Learner
from hmpb_core.learners.ibayes import IBayesLearner
from hmpb_core.learners.independent import Independent
from hmpb_core.learners.jtree import JTreeLearner
from hmpb_core.learners.star import Labels, Star

LEARNERS: Mapping[str, Callable[[], Learner]] = {
    "adaptive": AdaptiveStage,
    "additive": AdditiveStage,
    "ibayes": PaidIBayesStage,
    "published-ibayes": IBayesLearner,
    "independent": Independent,
    "jtree": JTreeLearner,
    "labels": Labels,
    "star": Star,
}
