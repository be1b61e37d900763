"""Merging of values that a noisy one-way table cannot tell from zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.likely_counts import one_way_estimate
from hmpb_core.marginal import NoisyMarginal

THRESHOLD = 2.0
"""A count below this many standard deviations of its noise may as well be zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compression:
    """A merge of one attribute's values, and how it is undone.

    Attributes:
        groups: For each value its group; merged values are in the last ones.
        proportions: For each value its share of its group.
    """

    groups: NDArray[np.intp] = field(repr=False)
    proportions: NDArray[np.float64] = field(repr=False)

    @property
    def size(self) -> int:
        """Number of groups."""
        return int(self.groups.max()) + 1


def compress(
    expected: NDArray[np.float64], noise_sd: float, apart: NDArray[np.integer] | None = None
) -> Compression:
    """Merge the values whose expected count is at most two standard deviations of its noise.

    Post-processing of a noisy one-way table, so free. Fewer cells mean less noise in every
    table that holds the attribute; the rare values' total is still measured.

    Source: [McKenna2021, domain compression], with one difference: what a merged group holds is
    shared among its values in proportion to their projected counts, not equally.

    Args:
        expected: The one-way table projected to non-negative counts.
        noise_sd: Standard deviation of the noise on one count.
        apart: For each value a place: values of different places stay apart. None: all are of one.

    Example:
        >>> compress(np.array([90.0, 1.0, 50.0, 3.0]), 5.0).groups.tolist()
        [0, 2, 1, 2]
    """
    kept = expected > THRESHOLD * noise_sd
    kept[int(np.argmax(expected))] = True
    places = np.zeros(kept.size, dtype=np.intp) if apart is None else apart
    kept |= np.bincount(places, weights=~kept)[places] < 2  # one value alone has nothing to be merged with
    groups = np.where(kept, np.cumsum(kept) - 1, 0)
    groups[~kept] = np.count_nonzero(kept) + np.unique(places[~kept], return_inverse=True)[1]
    weights = np.maximum(expected, 0.0)
    totals = np.bincount(groups, weights=weights)
    sizes = np.bincount(groups)
    equal = 1.0 / sizes[groups]
    shared = totals[groups] > 0
    proportions = np.where(shared, weights / np.where(shared, totals[groups], 1.0), equal)
    return Compression(groups=groups, proportions=proportions)


def merges_of(one_way: Sequence[NoisyMarginal], total: float) -> list[Compression]:
    """The merge of every attribute, from the noisy one-way tables."""
    return [compress(one_way_estimate(table, total), table.noise_sd) for table in one_way]


def merge_counts(counts: NDArray[np.number], compressions: Sequence[Compression]) -> NDArray[np.float64]:
    """Add up the counts of merged values along every axis."""
    merged = np.asarray(counts, dtype=np.float64)
    for axis, compression in enumerate(compressions):
        if compression.size == len(compression.groups):
            continue
        moved = np.moveaxis(merged, axis, 0)
        folded = np.zeros((compression.size, *moved.shape[1:]))
        np.add.at(folded, compression.groups, moved)
        merged = np.moveaxis(folded, 0, axis)
    return merged


def expand_table(joint: NDArray[np.float64], compressions: Sequence[Compression]) -> NDArray[np.float64]:
    """Undo the merge in a table of the attributes' groups: parents first, the child last.

    A merged parent value takes its group's rows; a merged child value takes its share of
    the group. The result is proportional to P(child | parents) along the last axis.
    """
    table = joint
    for axis, compression in enumerate(compressions):
        table = np.take(table, compression.groups, axis=axis)
    return table * compressions[-1].proportions
