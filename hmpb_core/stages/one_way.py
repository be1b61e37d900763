"""The one-way tables: measured once, and everything that follows from them for free."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical
from hmpb_core.likely_counts import is_long, one_way_estimate
from hmpb_core.marginal import NoisyMarginal, project_to_simplex
from hmpb_core.merging import THRESHOLD, Compression, merge_counts, merges_of
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.repeated import MayRepeat
from hmpb_core.sources.base import Source
from hmpb_core.stages.values.learning import Cuts, learn_values
from hmpb_core.stages.values.repeats import Repeats

FEW_UNSEEN = 0.03
"""Part of the rows that may be taken for noise where they are missing values, or in no category listed."""

Probabilities = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneWayTables:
    """What is known of each attribute by itself.

    Attributes:
        measured: The noisy tables, one an attribute; empty where none were measured.
        probabilities: Their probabilities, non-negative and summing to 1.
        total: Public or noisy number of rows.
        source: The private table, over the bins that were learned on the way.
    """

    source: Source = field(repr=False)
    measured: tuple[NoisyMarginal, ...] = field(repr=False)
    probabilities: tuple[Probabilities, ...] = field(repr=False)
    total: float

    @property
    def unseen(self) -> dict[int, tuple[int, ...]]:
        """Codes of missing values, and of what a codebook does not list, that noise alone may have made.

        Their count is at most two standard deviations of its noise, and at most 3 % of the rows: were it no
        noise, no more would be lost. Post-processing, so free.

        Returns:
            For each attribute that has some, those codes.
        """
        found = {}
        for a, table in enumerate(self.measured):
            attribute = self.source.domain.attributes[a]
            if table.noise_sd <= 0 or table.counts.size < 2:
                continue
            least = min(THRESHOLD * table.noise_sd, FEW_UNSEEN * self.total)
            codes = tuple(code for code in for_the_rest(attribute) if table.counts[code] <= least)
            if codes:
                found[a] = codes
        return found

    def merges(self) -> list[Compression]:
        """Merges of the values that cannot be told from zero."""
        return merges_of(self.measured, self.total)

    def merged(self, merges: list[Compression]) -> list[Probabilities]:
        """The probabilities of merged values."""
        return [
            _merged(table, merge, self.total) / self.total
            for table, merge in zip(self.measured, merges, strict=True)
        ]


def for_the_rest(attribute: Attribute) -> list[int]:
    """The code of missing values, and that of the category which takes values outside the list."""
    codes = [attribute.size - 1] if attribute.nullable else []
    if isinstance(attribute, Categorical) and attribute.unknown in attribute.categories:
        codes.append(attribute.categories.index(attribute.unknown))
    return codes


def _merged(table: NoisyMarginal, merge: Compression, total: float) -> Probabilities:
    """Counts of merged values: merged first, but of many values, whose rest would sum up all noise."""
    if is_long(table):
        return merge_counts(one_way_estimate(table, total), [merge])
    return project_to_simplex(merge_counts(table.counts, [merge]), total)


def measure_one_way(
    source: Source,
    parts: list[Fraction],
    accountant: Accountant,
    cuts: Cuts | None = None,
    may_repeat: MayRepeat | None = None,
) -> OneWayTables:
    """Measure all one-way tables once, each with its part of the stage's budget; learn bins on the way.

    Args:
        source: The private table.
        parts: Each attribute's part; they sum to 1.
        accountant: Pays.
        cuts: Positions of the grid, by attribute, at which a code of learned bins is to begin; public.
        may_repeat: For each attribute the columns whose value it may repeat; public.
    """
    budget = accountant.left(Stage.ONE_WAY_TABLES)
    losses = [budget * part for part in parts]
    public = accountant.guarantee.neighbors is Neighbors.REPLACE_ONE
    repeats = Repeats(_askable(source, may_repeat or {}), accountant)
    learned = learn_values(
        source,
        losses,
        accountant=accountant,
        total=float(source.n_rows) if public else None,
        cuts=cuts or {},
        repeats=repeats,
    )
    source = learned.source
    known = dict(learned.measured)
    rest = [a for a in range(len(losses)) if a not in known and a not in repeats.possible]
    for a, table in zip(rest, source.marginals([(a,) for a in rest]), strict=True):
        what = f"one-way table of {source.domain.names[a]}"
        known[a] = accountant.measure(table, stage=Stage.ONE_WAY_TABLES, loss=losses[a], what=what)
    for a in range(len(losses)):  # what may repeat an earlier one, after that one
        if a not in known:
            source, losses[a] = repeats.told(source, a, losses[a], known)
            what = f"one-way table of {source.domain.names[a]}"
            known[a] = accountant.measure(
                source.marginal((a,)), stage=Stage.ONE_WAY_TABLES, loss=losses[a], what=what
            )
    measured = tuple(known[a] for a in range(len(losses)))
    if accountant.guarantee.neighbors is Neighbors.REPLACE_ONE:
        total = float(source.n_rows)
    else:  # private: the tables' sums, weighted by their precision
        precision = np.array([1 / (t.counts.size * max(t.noise_sd, 1e-9) ** 2) for t in measured])
        sums = np.array([t.counts.sum() for t in measured])
        total = max(1.0, float((sums * precision).sum() / precision.sum()))
    probabilities = tuple(one_way_estimate(table, total) / total for table in measured)
    return OneWayTables(source=source, measured=measured, probabilities=probabilities, total=total)


def _askable(source: Source, may_repeat: MayRepeat) -> MayRepeat:
    """What a source can tell: of numbers whose positions it knows."""
    entries = source.domain.attributes
    known = {i for i, entry in enumerate(entries) if isinstance(entry, Categorical) or i in source.fine}
    return {i: others for i, others in may_repeat.items() if known.issuperset((i, *others))}


def unmeasured(source: Source) -> OneWayTables:
    """What a method without one-way tables knows: nothing, so uniform probabilities."""
    uniform = tuple(np.full(size, 1 / size) for size in source.domain.sizes)
    total = float(source.n_rows)
    return OneWayTables(source=source, measured=(), probabilities=uniform, total=total)


def unpaid(source: Source) -> OneWayTables:
    """The exact tables: the published method's look that nobody pays for.

    Source: [Zhang2022, eq. 11], which computes the risk weights from the raw table.
    """
    exact = source.marginals([(a,) for a in range(len(source.domain))])
    probabilities = tuple(table.counts / source.n_rows for table in exact)
    total = float(source.n_rows)
    return OneWayTables(source=source, measured=(), probabilities=probabilities, total=total)
