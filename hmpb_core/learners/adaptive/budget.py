"""What the adaptive learner may spend, and how it spends it: exactly, both stages in step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from hmpb_core.marginal import LARGE, Marginal, NoisyMarginal
from hmpb_core.merging import Compression
from hmpb_core.planning.advice import one_way_parts
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.sensitivity import tvd_sensitivity
from hmpb_core.sources.base import Source
from hmpb_core.stages.weights import ChildNoise, Look, noise_by_child

TICKS = 2**20
"""A stage's budget is spent in whole ticks, so that the parts sum to it exactly."""
LEAST_NOISE = 0.5
"""Noise assumed, in counts, where none is drawn."""


def counts_left(merges: Sequence[Compression]) -> list[int]:
    """Number of counts that a further look at each one-way table is meant for.

    Its codes; of a table of more than ``LARGE`` the groups that noise left of them.
    """
    return [merge.size if len(merge.groups) > LARGE else len(merge.groups) for merge in merges]


class LearnerBudget:
    """All that structure and conditional tables have left.

    Measurements take ticks of the conditional tables' budget; a selection takes the same part of
    what the structure has left as its measurement takes of what the tables have left, so that
    both end together.

    Args:
        accountant: Pays.
        names: The attributes' names.
        weights: Risk weight of each attribute.
    """

    def __init__(self, accountant: Accountant, names: Sequence[str], weights: Sequence[float]) -> None:
        self._accountant = accountant
        self._names = tuple(names)
        self._measuring = accountant.left(Stage.CONDITIONAL_TABLES)
        self._selecting = accountant.left(Stage.STRUCTURE)
        self._selecting_left = TICKS
        self.left = TICKS
        self.unit = TICKS
        mean = sum(weights) / len(weights)
        self.factors = [min(8.0, max(0.125, weight / mean)) for weight in weights]
        self._looks: list[Look] = []

    @property
    def last(self) -> bool:
        """Whether the next measurement takes all that is left."""
        return self.left < 2 * self.unit

    def price(self, child: int, unit: int | None = None) -> int:
        """Ticks of a table: the unit times the weight of its child.

        Weights count relative to their mean and between 1/8 and 8.
        """
        return max(1, round((unit or self.unit) * self.factors[child]))

    def noise_sd(self, ticks: float) -> float:
        """Noise of a count measured at this price."""
        loss = float(self._measuring) * ticks / TICKS
        return max(self._accountant.table_noise_sd(loss), LEAST_NOISE)

    def select(self, scores: Sequence[float]) -> int:
        """Select one candidate by its score in rows, for one measurement to come."""
        ticks = self._selecting_left
        if not self.last:
            ticks = max(1, self._selecting_left * self.unit // self.left)
        self._selecting_left -= ticks
        return self._accountant.select(
            scores,
            sensitivity=tvd_sensitivity(self._accountant.guarantee.neighbors),
            stage=Stage.STRUCTURE,
            loss=self._selecting * Fraction(ticks, TICKS),
            what="table by total variation from the model",
            attributes=range(len(self._names)),
        )

    def measure(
        self, table: Marginal, child: int, *, keep: int = 0, unit: int | None = None
    ) -> NoisyMarginal:
        """Measure a table at its price, or at all that is left where little would remain.

        Args:
            table: The exact table.
            child: The attribute whose weight sets the price.
            keep: Ticks that must be left over.
            unit: Another unit price.
        """
        if keep == 0 and self.last:
            ticks = self.left
        else:
            ticks = max(1, min(self.price(child, unit), self.left - keep - 1))
        self._looked(table, child, ticks)
        return self.measure_for(ticks, table)

    def measure_for(self, ticks: int, table: Marginal) -> NoisyMarginal:
        """Measure a table for a given number of ticks, whatever the weights."""
        self.left -= ticks
        return self._accountant.measure(
            table,
            stage=Stage.CONDITIONAL_TABLES,
            loss=self._measuring * Fraction(ticks, TICKS),
            what="table of " + " and ".join(self._names[a] for a in table.attributes),
        )

    def spend_on_one_way(
        self, source: Source, profile: Sequence[NoisyMarginal], merges: Sequence[Compression]
    ) -> list[NoisyMarginal]:
        """Spend all on the one-way tables: the conditionals' part by the weights, the structure's evenly.

        Args:
            source: The private table.
            profile: What is known of the one-way tables.
            merges: The merges of their values.
        """
        parts = one_way_parts(counts_left(merges))
        weighted = [part * Fraction(factor) for part, factor in zip(parts, self.factors, strict=True)]
        whole, selecting = self.left, self._selecting * Fraction(self._selecting_left, TICKS)
        ticks = [max(1, math.floor(whole * part / sum(weighted))) for part in weighted]
        ticks[ticks.index(max(ticks))] += whole - sum(ticks)
        self._selecting_left = 0
        better = []
        for known, price, part in zip(profile, ticks, parts, strict=True):
            table = source.marginal(known.attributes)
            self._looked(table, known.attributes[0], price)
            better.append(known.combined(self.measure_for(price, table)))
            if selecting:
                what = f"one-way table of {self._names[known.attributes[0]]}"
                more = self._accountant.measure(
                    table, stage=Stage.STRUCTURE, loss=selecting * part, what=what
                )
                better[-1] = better[-1].combined(more)
        return better

    def _looked(self, table: Marginal, child: int, ticks: int) -> None:
        loss = float(self._measuring) * ticks / TICKS
        self._looks.append(Look(attributes=table.attributes, child=child, loss=loss))

    def child_noise(self) -> dict[int, ChildNoise]:
        """What the weights did to the noise so far, see ``noise_by_child``; nothing where none is drawn."""
        if self._accountant.noiseless:
            return {}
        return noise_by_child(self._looks, self.factors, self._accountant.table_noise_sd)
