"""The adaptive learner: look where the model is worst, measure that pair, fit again.

A select-measure-estimate loop [McKenna2022] on a junction tree whose cliques stay small. The
first edges are free: a spanning tree of the noisy similarity. docs/method.md tells the whole
story with its privacy proof; in short, every round

1. scores every pair that still fits by its total variation from the model (``scores.py``),
2. selects some by the accountant (stage ``structure``),
3. measures them by the accountant (stage ``conditional tables``),
4. fits the model to all noisy tables (``inference.py``, free),
5. doubles what a measurement may cost when the last ones taught nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hmpb_core.errors import counted
from hmpb_core.learners.adaptive.budget import TICKS, LearnerBudget
from hmpb_core.learners.adaptive.run import LearnerRun
from hmpb_core.learners.base import Follower, Learned
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.progress import StageClock
from hmpb_core.sources.base import Source
from hmpb_core.stages.similarity import SimilarityMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveLearner:
    """Parameters of the learner.

    Attributes:
        max_parents: l, the largest number of parents; None leaves it to the size of the tables.
        eta: Pruning of pairs by the noisy similarity, eq. 9 of [Zhang2022]; 0 keeps all.
        decided: Attributes that the public rules decide by others: none of their pairs is measured.
        followers: Those of them that follow from longer lists: theirs are, where the two fit into a clique.
        favoured: Attributes whose pairs matter most, see ``LearnerRun``.
    """

    max_parents: int | None = None
    eta: float = 0.0
    decided: frozenset[int] = frozenset()
    followers: tuple[Follower, ...] = ()
    favoured: frozenset[int] = frozenset()

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
        """Learn networks and tables, spending all that structure and conditional tables have left.

        Args:
            source: The private table.
            profile: The noisy one-way tables, one an attribute.
            total: Public or noisy number of rows.
            similarity: Noisy similarities; only ``tvd`` gives free edges.
            clusters: A partition of the attributes: edges stay inside a cluster, bridges aside.
            weights: Risk weight of each attribute: a table's part of the budget goes with the
                weight of its child, the later of its attributes in the order of placement.
            accountant: Pays.
            clock: Told which stage runs and where the work is; may raise ``CancelledError``.
        """
        budget = LearnerBudget(accountant, source.domain.names, weights)

        def begin(tables: Sequence[NoisyMarginal]) -> LearnerRun:
            return LearnerRun(
                source,
                tables,
                max_parents=self.max_parents,
                eta=self.eta,
                total=total,
                similarity=similarity,
                clusters=clusters,
                decided=self.decided,
                followers=self.followers,
                favoured=self.favoured,
            )

        return self.spend(begin, source, profile, budget, clock).finish(clusters, budget)

    def spend(
        self,
        begin: Callable[[Sequence[NoisyMarginal]], LearnerRun],
        source: Source,
        profile: Sequence[NoisyMarginal],
        budget: LearnerBudget,
        clock: StageClock,
    ) -> LearnerRun:
        """Spend all of the budget: look in rounds, measure, fit.

        Args:
            begin: Begins a run with some one-way tables.
            source: The private table.
            profile: The noisy one-way tables.
            budget: What may be spent.
            clock: Told how far it is.
        """
        run = begin(profile)
        part = run.part_of_one_way(profile, budget)
        if part:
            profile = run.one_way_again(part, source, profile, budget)
            run = begin(profile)
        if part == 1 or run.hopeless(budget):
            run = begin(budget.spend_on_one_way(source, profile, run.merges))
        else:
            run.first_tables(budget)
        while budget.left:
            run.round(budget, clock)
            clock.tell(1 - budget.left / TICKS, counted(len(run.known.measured), "pair", "pairs"))
        return run
