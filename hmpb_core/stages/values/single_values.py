"""Zero and the ends of a grid, counted by themselves where a histogram did not get down to them. Free."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hmpb_core.grid import Grid
from hmpb_core.stages.values.measuring import FineHistogram
from hmpb_core.stages.values.tree import OUTLIER, Level

ZERO_FROM, END_FROM = OUTLIER, 2 * OUTLIER
"""Rows of an interval that is looked into, in standard deviations of the noise on a cell. Deep in a large
grid the histogram's estimate is far noisier than a cell, and an eighth of all rows at zero may look like few.
An end far away moves the mean: there two looks at an interval are worth more than one at its last value."""

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def set_apart(
    fine: FineHistogram, cells: Whole, grid: Grid, noise_sd: float
) -> tuple[FineHistogram, Whole, Whole]:
    """Give zero and both ends of the grid intervals of their own.

    Nothing and the bounds are what many rows share, and a histogram of a large grid has too many levels to
    get down to a single value with little noise. What part of an interval's rows has it is not known.

    Args:
        fine: The histogram.
        cells: The cell of each of its intervals.
        grid: The positions it is over.
        noise_sd: Of the count of a cell.

    Returns:
        The histogram, the cell that each of its intervals lies in, and which of them are such values: none
        that was by itself before.
    """
    zero = grid.zero
    wanted = [0, grid.size - 1, *([] if zero is None else [zero])]
    values = np.unique(np.array(wanted, dtype=np.int64))
    interval = np.searchsorted(fine.starts, values, side="right") - 1
    lengths = np.diff(np.append(fine.starts, fine.size))
    least = np.where(values == zero, ZERO_FROM, END_FROM) * noise_sd
    hidden = (lengths[interval] > 1) & (fine.counts[interval] > least)
    values, interval = values[hidden], interval[hidden]
    if not values.size:
        return fine, cells, values
    starts = np.union1d(fine.starts, np.concatenate([values, values + 1]))
    starts = starts[starts < fine.size]
    parents = np.searchsorted(fine.starts, starts, side="right") - 1
    even = (fine.counts / np.bincount(parents))[parents]
    any_part = 2 * float(fine.counts[interval].max()) ** 2  # wide: nothing is known of it
    split = _with_level(fine, starts, parents, even, any_part)
    return split, cells[parents], np.searchsorted(starts, values)


def parted(cells: Whole, alone: Whole) -> Whole:
    """Part some intervals from the cells they are in.

    Args:
        cells: The cell of each interval, ascending from 0.
        alone: Intervals that are to be cells of their own.

    Example:
        >>> parted(np.array([0, 0, 0, 1]), np.array([1])).tolist()
        [0, 1, 2, 3]
    """
    begins = np.diff(cells, prepend=-1) > 0
    begins[alone] = True
    begins[alone[alone + 1 < cells.size] + 1] = True
    return np.cumsum(begins) - 1


def settled(
    fine: FineHistogram, cells: Whole, alone: Whole, counts: Floats, covariance: Floats
) -> tuple[FineHistogram, Whole, Floats, Floats]:
    """Keep the single values whose counts stand out; the others go back into the cells they came from.

    Args:
        fine: The histogram with intervals for the values.
        cells: The cell of each of them before the values were parted from theirs.
        alone: The intervals of the values.
        counts: Estimated rows of the parted cells, and of the missing values.
        covariance: Of their errors.

    Returns:
        The histogram, the cells, their counts and the covariance of these.
    """
    if not alone.size:
        return fine, cells, counts, covariance
    were = parted(cells, alone)
    noise_sd = np.sqrt(np.diag(covariance))[were[alone]]
    stays = counts[were[alone]] > OUTLIER * noise_sd
    now = parted(cells, alone[stays])
    joins = np.zeros((counts.size, int(now[-1]) + 1 + fine.nullable))
    joins[were, now] = 1.0
    joins[-1, -1] = 1.0
    parents = fine.levels[-1].parents[: cells.size]
    of_whole: Floats = np.bincount(parents, weights=fine.counts).astype(float)
    if not stays.any():
        first = np.flatnonzero(np.diff(parents, prepend=-1))
        fine = replace(fine, starts=fine.starts[first], counts=of_whole, levels=fine.levels[:-1], apart=False)
        return fine, cells[first], counts @ joins, joins.T @ covariance @ joins
    whole = of_whole[parents]
    rows, free = np.zeros(cells.size), np.diff(np.append(fine.starts, fine.size)).astype(float)
    rows[alone[stays]] = counts[were[alone[stays]]]
    free[alone[stays]] = 0.0
    told = np.bincount(parents, weights=rows)[parents]
    rows *= np.minimum(1.0, whole / np.where(told > 0, told, 1.0))  # of two in one interval too
    left = np.maximum(whole - np.bincount(parents, weights=rows)[parents], 0.0)
    rows += left * free / np.maximum(np.bincount(parents, weights=free)[parents], 1.0)
    known = _with_level(
        replace(fine, levels=fine.levels[:-1]),
        fine.starts,
        parents,
        rows,
        float((noise_sd[stays] ** 2).max()),
    )
    return known, now, counts @ joins, joins.T @ covariance @ joins


def _with_level(
    fine: FineHistogram, starts: Whole, parents: Whole, counts: Floats, variance: float
) -> FineHistogram:
    """Give a histogram with a last level more, which nobody measured."""
    missing = np.arange(int(fine.nullable))
    level = Level(
        starts=np.append(starts, missing + fine.size),
        parents=np.append(parents, missing + fine.levels[-1].starts.size - 1),
        counts=np.append(counts, 0.0 * missing),
        variance=max(variance, 1e-6),
    )
    return replace(fine, starts=starts, counts=counts, levels=(*fine.levels, level), apart=True)
