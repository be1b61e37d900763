"""Learn the bins and values of every attribute that asks for it, from part of the one-way tables' budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Domain, Numeric
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.sources.base import FineSource, Source
from hmpb_core.stages.values.bins import learn_bins
from hmpb_core.stages.values.measuring import FineHistogram, measure_values
from hmpb_core.stages.values.tree import consistent, variance_of_sums

Floats = NDArray[np.float64]

FINE_PART = Fraction(1, 2)
"""Part of an attribute's one-way budget that pays for its fine histogram; the rest counts its codes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedValues:
    """The table over learned bins, and what is already known of them.

    Attributes:
        source: The private table over the learned domain.
        declared: The domain with the bins as declared.
        losses: For each attribute with learned bins, what was spent on them.
        known: For each attribute with learned bins, the counts of its codes by the fine histogram, and their variances.
    """

    source: Source
    declared: Domain
    losses: Mapping[int, Fraction] = field(default_factory=dict)
    known: dict[int, tuple[Floats, Floats]] = field(default_factory=dict, repr=False)

    @property
    def domain(self) -> Domain:
        """The domain with learned bins."""
        return self.source.domain

    @property
    def spent(self) -> Fraction:
        """What was spent on all bins."""
        return sum(self.losses.values(), Fraction(0))

    def combined(self, table: NoisyMarginal) -> NoisyMarginal:
        """A one-way table and what the fine histogram says of it, each code weighted by precision.

        The noise of the result is the mean over its codes.
        """
        (attribute,) = table.attributes
        if attribute not in self.known:
            return table
        counts, variances = self.known[attribute]
        own = max(table.noise_sd, 1e-9) ** 2
        trust = own / (own + variances)
        noise_sd = math.sqrt(float((trust * variances).mean()))
        return NoisyMarginal(
            attributes=table.attributes,
            counts=trust * counts + (1 - trust) * table.counts,
            noise=table.noise,
            scale=noise_sd / math.sqrt(2) if table.noise == "laplace" else noise_sd,
        )


def learn_values(
    source: Source, losses: Sequence[Fraction], *, accountant: Accountant, total: float | None
) -> LearnedValues:
    """Learn bins and values where the codebook asks for it and the source knows fine positions.

    Args:
        source: The private table.
        losses: What the one-way table of each attribute may cost; ``FINE_PART`` of it is spent here.
        accountant: Pays, from the stage of the one-way tables.
        total: Public number of rows; None where it is not public.
    """
    wanted = [
        index
        for index, attribute in enumerate(source.domain.attributes)
        if isinstance(attribute, Numeric) and attribute.learned
    ]
    if not wanted or not isinstance(source, FineSource) or not source.fine.issuperset(wanted):
        return LearnedValues(source=source, declared=source.domain)
    attributes: list[Attribute] = list(source.domain.attributes)
    known: dict[int, tuple[Floats, Floats]] = {}
    for index in wanted:
        attribute = attributes[index]
        assert isinstance(attribute, Numeric)
        histogram = measure_values(
            source, index, accountant=accountant, loss=losses[index] * FINE_PART, total=total
        )
        noise_sd = accountant.table_noise_sd(losses[index])
        pieces = learn_bins(histogram, attribute.grid.size, attribute.bins, noise_sd)
        learned = attribute.with_pieces(pieces)
        attributes[index] = learned
        known[index] = _one_way(histogram, learned, total)
    return LearnedValues(
        source=source.recoded(Domain(tuple(attributes))),
        declared=source.domain,
        losses={index: losses[index] * FINE_PART for index in wanted},
        known=known,
    )


def _one_way(
    histogram: FineHistogram, attribute: Numeric, total: float | None
) -> tuple[Floats, Floats]:
    """The codes' counts as the fine histogram has them, and their variances."""
    assert attribute.pieces is not None
    groups = np.array(attribute.pieces.codes)
    if attribute.nullable:
        groups = np.append(groups, attribute.n_bins)
    counts = consistent(histogram.levels, total)[0][-1]
    return np.bincount(groups, weights=counts), variance_of_sums(histogram.levels, groups)
