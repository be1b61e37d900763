"""A fine histogram of one attribute: counted level by level, finer where there are rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Numeric
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.sources.base import Source
from hmpb_core.stages.values.tree import Level, shaped

FANOUT = 5
"""Parts that an interval is cut into, about. Few: what lies in half of the grid is then known better than
what lies in its smallest parts, which least squares makes the most of."""
WORTH_CUTTING = 3.0
"""An interval is cut where its rows are more than this many standard deviations of a part's noise."""
MOST_CELLS = 2**14
VALUES_OF = "values of "
"""How an act that measures where values lie begins to name itself."""
LEAST_NOISE = 0.5
"""Noise assumed, in counts, where none is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FineHistogram:
    """Noisy counts of an attribute over intervals of its grid.

    Attributes:
        starts: First position of each interval.
        counts: Estimated rows in each interval; not negative.
        size: Number of positions of the grid.
        nullable: Whether the levels have a last cell for missing values.
        levels: What was measured.
        apart: Whether a last level, which nobody measured, sets single values apart.
    """

    starts: NDArray[np.int64] = field(repr=False)
    counts: NDArray[np.float64] = field(repr=False)
    size: int
    nullable: bool
    levels: tuple[Level, ...] = field(repr=False)
    apart: bool = False


def measure_values(
    source: Source,
    index: int,
    *,
    accountant: Accountant,
    loss: Fraction,
    total: float | None,
    cuts: NDArray[np.int64],
) -> FineHistogram:
    """Measure how an attribute's values are distributed over its grid.

    Level by level: the first cuts the grid into about ``FANOUT`` intervals, of equal length or, of times
    since another date, growing in proportion, and wherever it is to be cut; each further one cuts those
    whose estimated rows are worth it and counts the others once more. Every level is a table over a
    partition of the grid that only public values and earlier noisy counts decide, measured by the
    accountant at an equal part of the loss; so the whole costs the loss, whatever the data.
    docs/method.md proves it.

    Args:
        source: The private table.
        index: The attribute; numeric with learned bins.
        accountant: Pays, from the stage of the one-way tables.
        loss: What all levels together cost.
        total: Public number of rows; None where it is not public.
        cuts: Positions at which an interval of every level is to begin; public.
    """
    attribute = source.domain.attributes[index]
    assert isinstance(attribute, Numeric)
    size = attribute.places.size
    planned = levels_of(size)
    parts = math.ceil(size ** (1 / planned) - 1e-9)
    tail = np.array([size] if attribute.nullable else [], dtype=np.int64)
    since = attribute.since
    first = _cut(0, size, parts) if since is None else _growing(size - 1 - since.nullable, size, parts)
    starts = np.concatenate([np.union1d(first, cuts), tail])
    parents = np.zeros(starts.size, dtype=np.int64)
    here = loss / planned
    noise_sd = max(accountant.table_noise_sd(here), LEAST_NOISE)
    levels: list[Level] = []
    for number in range(1, planned + 1):
        table = accountant.measure(
            source.interval_counts(index, starts),
            stage=Stage.ONE_WAY_TABLES,
            loss=here,
            what=f"{VALUES_OF}{attribute.name}, level {number}",
        )
        levels.append(Level(starts=starts, parents=parents, counts=table.counts, variance=noise_sd**2))
        estimate = shaped(levels, size, total, lie_near=since is None)
        if number < planned:
            starts, parents = _finer(starts, estimate, size, parts, noise_sd)
    cells = starts < size
    return FineHistogram(
        starts=starts[cells],
        counts=estimate[cells],
        size=size,
        nullable=attribute.nullable,
        levels=tuple(levels),
    )


def levels_of(size: int) -> int:
    """Number of levels that a grid of this size is counted in: a public rule.

    Example:
        >>> levels_of(4), levels_of(100), levels_of(1_500_000)
        (1, 3, 9)
    """
    return max(1, round(math.log(size, FANOUT)))


def _finer(
    starts: NDArray[np.int64], estimate: NDArray[np.float64], size: int, parts: int, noise_sd: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The next level's partition, and the cell of this one that each of its cells is part of."""
    ends = np.append(starts[1:], size)
    worth = (ends - starts > 1) & (estimate > WORTH_CUTTING * noise_sd)
    affordable = max(0, (MOST_CELLS - starts.size) // parts)
    if worth.sum() > affordable:
        order = np.argsort(-np.where(worth, estimate, -np.inf), kind="stable")
        worth = np.zeros(starts.size, dtype=bool)
        worth[order[:affordable]] = True
    pieces = [
        _cut(int(low), int(high), parts) if cut else np.array([low])
        for low, high, cut in zip(starts, ends, worth, strict=True)
    ]
    parents = np.repeat(np.arange(starts.size), [piece.size for piece in pieces])
    return np.concatenate(pieces), parents


def _growing(longest: int, size: int, parts: int) -> NDArray[np.int64]:
    """Starts of intervals that grow in proportion: most times are short, a few are very long.

    The longest time, which stands for the declared maximum too, and an unknown one are by themselves.
    """
    ends = np.rint(np.geomspace(1, max(longest, 1), parts)).astype(np.int64)
    return np.unique(np.concatenate([[0], ends, np.arange(longest, size)]))


def _cut(low: int, high: int, parts: int) -> NDArray[np.int64]:
    """Starts of intervals of about equal length that make up the one from ``low`` to ``high``."""
    count = min(parts, high - low)
    return np.array([low + (high - low) * part // count for part in range(count)], dtype=np.int64)
