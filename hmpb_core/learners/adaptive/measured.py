"""What was measured of each table, and what the fit is told of it: all that the looks together say. Free."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hmpb_core.graphical.graph import Pair
from hmpb_core.graphical.inference import Evidence, Table
from hmpb_core.learners.adaptive.budget import LEAST_NOISE
from hmpb_core.learners.adaptive.few_cells import in_few_cells
from hmpb_core.learners.adaptive.smoothing import smoothed
from hmpb_core.learners.base import Follower
from hmpb_core.marginal import project_to_simplex, with_margins

SINGLE_RIDGE, LEAST_RIDGE = 0.1, 0.02
"""Ridges, in noise: of a one-way table, and the least that any table has."""

Tables = Mapping[tuple[int, ...], Evidence]


class Measured:
    """The noisy tables of a run.

    Args:
        one_way: The one-way tables, one an attribute.
        total: Public or noisy number of rows.
        in_order: Of each attribute how many values are a scale, the first so many.
        followers: Columns that follow from lists, over the tables' values.

    Attributes:
        evidence: Every table as it was measured, several looks at one joined.
    """

    def __init__(
        self,
        one_way: Sequence[Evidence],
        total: float,
        in_order: Sequence[int],
        followers: Sequence[Follower] = (),
    ) -> None:
        self.evidence: dict[tuple[int, ...], Evidence] = {item.attributes: item for item in one_way}
        self._first = [item.counts for item in one_way]
        self._total = total
        self._in_order = in_order
        self._denoised: dict[tuple[int, ...], Evidence] = {}
        self._few: set[tuple[int, ...]] = set()  # pairs whose rows are in few cells
        self._followers = followers

    @property
    def measured(self) -> list[Pair]:
        """The pairs that were measured, in the order in which they first were."""
        return [(at[0], at[1]) for at in self.evidence if len(at) == 2]

    @property
    def pairs(self) -> list[Pair]:
        """The pairs that are known: those, and what follows from lists."""
        return [*(follower.pair for follower in self._followers), *self.measured]

    def take_in(self, attributes: tuple[int, ...], counts: Table, variance: float, *, ridge: float) -> None:
        """Take in a look at a one-way table or a pair.

        Args:
            attributes: Which.
            counts: The noisy counts.
            variance: Of the noise on each.
            ridge: k of a table that was not measured before, in noise variances; see ``Evidence``.
        """
        known = self.evidence.get(attributes)
        if known is None:
            least = LEAST_RIDGE * math.sqrt(variance)
            known = Evidence(
                attributes=attributes, counts=counts, variance=variance, ridge=max(ridge * variance, least)
            )
        else:
            known = known.combined(counts, variance)
        self.evidence[attributes] = known
        if len(attributes) == 2:
            self._denoise(known)

    def told(self) -> list[Evidence]:
        """What the fit is told of every table: of pairs, the margins that all looks together say they have.

        But where a pair's rows are in few cells: the others stay empty.
        """
        one_way = {**self.evidence, **self.one_way()}
        for follower in (*self._followers, *self._followers):  # of two that follow from one list both fit
            self._scale(follower, one_way)
        links = [self._link(follower, one_way) for follower in self._followers]
        return links + [
            one_way[attributes] if len(attributes) == 1 else self._pair(attributes, one_way)
            for attributes in self.evidence
        ]

    def _scale(self, follower: Follower, one_way: dict[tuple[int, ...], Evidence]) -> None:
        """Scale the counts of a list to what is known of the column that follows from it.

        That has fewer values, and its pairs tell of it too.
        """
        values, column = one_way[follower.of,], one_way[follower.attribute,]
        counts = np.maximum(values.counts, 0.0)
        sums = np.bincount(follower.codes, weights=counts, minlength=column.counts.size)
        factors = np.maximum(column.counts, 0.0) / np.where(sums > 0, sums, 1.0)
        counts = counts * factors[follower.codes]
        counts *= self._total / max(float(counts.sum()), 1e-300)
        one_way[follower.of,] = replace(values, counts=counts)

    def _link(self, follower: Follower, one_way: Tables) -> Evidence:
        """The table of a list and what follows from it: every value of the list in one cell."""
        values, column = one_way[follower.of,], one_way[follower.attribute,]
        table = np.zeros((values.counts.size, column.counts.size))
        table[np.arange(values.counts.size), follower.codes] = values.counts
        return Evidence(
            attributes=follower.pair,
            counts=table if follower.of < follower.attribute else table.T,
            variance=values.variance,
            ridge=LEAST_RIDGE * math.sqrt(values.variance),
        )

    def _pair(self, attributes: tuple[int, ...], one_way: Tables) -> Evidence:
        item = self._denoised[attributes]
        if attributes in self._few:
            return item
        rows, columns = (one_way[a,].counts for a in attributes)
        return replace(item, counts=with_margins(item.counts, rows, columns))

    def one_way(self) -> Tables:
        """The one-way tables of attributes in pairs, with what the pairs' margins say of them.

        A margin sums as many noisy cells as the other attribute has values, so it counts by that precision.
        Of a list of few values it is often nearer than the one-way table, which got a small part of its
        stage: of a flag that 87 of 6,323 rows have, at epsilon 4, noise of 39 rows where margins had 17. Of
        a number with learned bins the errors of the one-way table hang together, and are joined as such.
        """
        margins: dict[int, Evidence] = {}
        for pair in self.measured:
            table = self.evidence[pair]
            for axis, attribute in enumerate(pair):
                counts = table.counts.sum(axis=1 - axis)
                counts += (self._total - counts.sum()) / counts.size
                variance = table.variance * table.counts.shape[1 - axis]
                margin = Evidence(attributes=(attribute,), counts=counts, variance=variance, ridge=0.0)
                known = margins.get(attribute)
                margins[attribute] = margin if known is None else known.combined(counts, variance)
        found: dict[tuple[int, ...], Evidence] = {}
        for attribute, margin in margins.items():
            item = self.evidence[attribute,].combined(margin.counts, margin.variance)
            found[attribute,] = replace(
                item,
                counts=project_to_simplex(item.counts, self._total),
                ridge=SINGLE_RIDGE * max(LEAST_NOISE, math.sqrt(item.variance)),
            )
        return found

    def _denoise(self, pair: Evidence) -> None:
        """Tell what of a pair is noise: the cells beside few that hold its rows, or what is not smooth."""
        noise_sd = math.sqrt(pair.variance)
        one_way = [self._first[a] for a in pair.attributes]
        few = in_few_cells(pair.counts, np.multiply.outer(*one_way) / self._total, noise_sd)
        if few is not None:
            self._few.add(pair.attributes)
            self._denoised[pair.attributes] = replace(pair, counts=few, ridge=LEAST_RIDGE * noise_sd)
            return
        self._few.discard(pair.attributes)
        in_order = [self._in_order[a] for a in pair.attributes]
        counts = smoothed(pair.counts, one_way, in_order, noise_sd)
        self._denoised[pair.attributes] = replace(pair, counts=counts)
