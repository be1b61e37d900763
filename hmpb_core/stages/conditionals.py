"""From noisy tables to conditional tables: HnoisyConditionals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.marginal import NoisyMarginal
from hmpb_core.network import BayesianNetwork, ConditionalTable, Family
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.sources.base import Source
from hmpb_core.stages.weights import split_loss


def hnoisy_conditionals(
    source: Source,
    network: BayesianNetwork,
    weights: Sequence[float],
    *,
    max_parents: int,
    accountant: Accountant,
    loss: Fraction,
) -> list[ConditionalTable]:
    """Measure a network's families and read the conditional tables off them.

    With l' = min(|C| - 1, l), the families of nodes l'+1 .. |C| (in the order of placement)
    are measured; family j gets the part exp(-OE_j) / sum_i exp(-OE_i) of the loss, that is
    Laplace noise of scale (2 / (n eps3)) * sum_i exp(-OE_i) / exp(-OE_j) on its
    probabilities. Nodes 1 .. l' are read off family l'+1.

    Source: [Zhang2022, Algorithm 5 and eq. 12].

    Departs from [Zhang2022, Algorithm 5]: l' is bounded by l, not d; a node that family l'+1
    does not cover is measured by itself and takes part in the sum.

    Args:
        source: The private table.
        network: The cluster's network.
        weights: exp(-OE) of every attribute of the source.
        max_parents: l.
        accountant: Pays.
        loss: What all tables of the network may cost.
    """
    families = network.families
    anchor, measured = measured_families(network, max_parents)
    losses = split_loss(loss, [weights[family.child] for family in measured])
    tables = source.marginals([family.attributes for family in measured])
    noisy = {
        family: accountant.measure(
            table,
            stage=Stage.CONDITIONAL_TABLES,
            loss=part,
            what=f"family of {source.domain.names[family.child]}",
        )
        for family, table, part in zip(measured, tables, losses, strict=True)
    }
    return [conditional_of(noisy.get(family, noisy[anchor]), family) for family in families]


def measured_families(network: BayesianNetwork, max_parents: int) -> tuple[Family, list[Family]]:
    """Family l'+1, which the nodes before it are read off, and all families that are measured."""
    families = network.families
    first = min(len(families) - 1, max_parents)
    anchor = families[first]
    read_off = [f for f in families[:first] if {f.child, *f.parents} <= {anchor.child, *anchor.parents}]
    return anchor, [family for family in families if family not in read_off]


def conditional_of(table: NoisyMarginal, family: Family) -> ConditionalTable:
    """Read P(child | parents) off a noisy table that covers the family.

    Negative counts become 0; where a parent configuration has no count left the child is
    drawn from its own column sum, or uniformly.
    """
    counts = np.maximum(table.counts, 0.0)
    drop = tuple(i for i, attribute in enumerate(table.attributes) if attribute not in family.attributes)
    kept = [attribute for attribute in table.attributes if attribute in family.attributes]
    counts = np.transpose(counts.sum(axis=drop), [kept.index(a) for a in family.attributes])
    return ConditionalTable(family=family, probabilities=normalise_last(counts), noise_sd=table.noise_sd)


def normalise_last(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale every row of the last axis to sum 1; empty rows take the column sums' shape."""
    size = counts.shape[-1]
    column = counts.reshape(-1, size).sum(axis=0)
    fallback = column / column.sum() if column.sum() > 0 else np.full(size, 1 / size)
    sums = counts.sum(axis=-1, keepdims=True)
    probabilities: NDArray[np.float64] = np.where(sums > 0, counts / np.where(sums > 0, sums, 1.0), fallback)
    return probabilities
