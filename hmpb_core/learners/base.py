"""What a learner is: from what has been paid for so far to networks and their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hmpb_core.marginal import NoisyMarginal
from hmpb_core.network import BayesianNetwork, ConditionalTable
from hmpb_core.planning.methods import Accounting
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.progress import StageClock
from hmpb_core.sources.base import Source
from hmpb_core.stages.clustering import Clustering
from hmpb_core.stages.one_way import OneWayTables
from hmpb_core.stages.similarity import SimilarityMatrix
from hmpb_core.stages.weights import ChildNoise, RiskWeight

USEFULNESS = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What a learner leaves behind; all of it may be published.

    Attributes:
        networks: One network a cluster, in the order of the clusters.
        tables: The conditional table of every family of every network, in any order.
        bridges: Arrows (parent, child) across clusters whose pair was measured.
        child_noise: For every attribute the noise of the tables of which it is the child, and what
            even weights would have drawn there; empty where weights have no say.
        measured: Sets of attributes in the order in which they were first measured.
        one_way: The one-way tables, where the learner looked at all of them again.
    """

    networks: Sequence[BayesianNetwork]
    tables: Sequence[ConditionalTable]
    bridges: Sequence[tuple[int, int]] = ()
    child_noise: Mapping[int, ChildNoise] = field(default_factory=dict)
    measured: Sequence[tuple[int, ...]] = ()
    one_way: Sequence[NoisyMarginal] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """A short column that follows from a list by a public rule: the sector from the industry.

    Both are of the model: what other columns have to do with the sector is learned from few cells, and how
    the two hang together is known without a look.

    Attributes:
        attribute: The column that follows.
        of: The list.
        codes: The column's code for each code of the list.
    """

    attribute: int
    of: int
    codes: NDArray[np.intp] = field(repr=False)

    @property
    def pair(self) -> tuple[int, int]:
        """Both, in order."""
        return (min(self.attribute, self.of), max(self.attribute, self.of))


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """All that a learner may know and use.

    Attributes:
        source: The private table, to be shown to the accountant only.
        plan: Every choice.
        one_way: The noisy one-way tables.
        similarity: The noisy similarities; None where the method measures none.
        clustering: Clusters of attributes.
        weights: Risk weight of each attribute.
        accountant: Pays for every look.
        rng: Draws what is not privacy noise.
        clock: Told which stage runs and how far it is.
        owners: The codebook's attribute that each attribute is a bit of; on codes each its own.
        decided: Attributes that the public rules decide by others: no pair of theirs need be known.
        followers: Those of them that follow from longer lists; what follows from a follower comes before it.
        favoured: The plan's target, or its bits, where the method favours one.
    """

    source: Source = field(repr=False)
    plan: Plan
    one_way: OneWayTables
    similarity: SimilarityMatrix | None
    clustering: Clustering
    weights: tuple[RiskWeight, ...]
    accountant: Accountant
    rng: np.random.Generator
    clock: StageClock
    owners: tuple[int, ...]
    decided: frozenset[int] = frozenset()
    followers: tuple[Follower, ...] = ()
    favoured: frozenset[int] = frozenset()

    def losses(self, stage: Stage, parts: Sequence[Fraction]) -> list[Fraction]:
        """Split a stage's loss among the clusters' networks.

        Everybody is in every cluster, so the parts sum to the stage's loss. The published accounting
        gives every cluster the whole share instead, and its bill says what that costs.

        Args:
            stage: The stage.
            parts: Each cluster's part; they sum to 1.
        """
        share = self.accountant.budget.loss(stage)
        if self.plan.accounting is Accounting.AS_PUBLISHED:
            return [share] * len(parts)
        return [share * part for part in parts]

    def useful_cells(self) -> float:
        """Largest table whose average count is theta times its average noise, theta = 4.

        Source: [Zhang2017, Definition 4.7], with the noise of an equal part of the budget.
        """
        loss = self.accountant.budget.loss(Stage.CONDITIONAL_TABLES) / len(self.source.domain)
        return self.one_way.total / (USEFULNESS * self.accountant.table_scale(loss))


class Learner(Protocol):
    """Finds networks and measures their tables."""

    def learn(self, context: Context) -> Learned:
        """Learn one network a cluster, and the table of every family.

        Raises:
            BudgetExceededError: a stage would cost more than it may.
            CancelledError: the steward asked to stop.
        """
