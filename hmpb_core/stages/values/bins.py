"""Bins of a noisy histogram of which little is lost. Free."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SEGMENTS = 400
"""Cells that the search for the best bins looks at."""
OF_VALUES, OF_RANKS, OF_OTHERS = 0.4, 0.4, 0.2
"""Weights, in what bins lose, of the values, of their ranks, and of the ranks among the rows that do not
share the commonest value."""
PILED, STEEP, BEYOND = 0.01, 4.0, 0.02
"""Rows pile up at a single value (none, not asked, the top of a scale) that holds the first part of them and
so many times what a position beside it does, with no more than the last part of them beyond it."""

Floats = NDArray[np.float64]


def best_bins(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    counts: Floats,
    *,
    most: int,
    least: float,
    groups: NDArray[np.int64] | None = None,
    price: float = 0.0,
    cuts: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Join neighbouring intervals to bins of which little is lost.

    The variance inside the bins is least: of the values, of their ranks, and of the ranks among the rows that
    do not share the commonest value, each as a part of its whole; and of being the value that rows pile up
    at, at either end. So bins follow the rows and still tell a far tail from its body, a single value that
    many rows share is a bin of its own, and what lies beside it is not lumped together.

    Args:
        starts: First position of each interval.
        ends: One past the last position of each.
        counts: Rows in each; not negative.
        most: Largest number of bins.
        least: Fewest rows in a bin.
        groups: Intervals that stay together, ascending from 0; all may part where it is None.
        price: What k bins cost, over k^2, in parts of the whole variance.
        cuts: Positions at which a bin must begin, however few rows it has; each begins an interval.

    Returns:
        The bin of each interval, ascending from 0.
    """
    total = float(counts.sum())
    if total <= 0 or most < 2 or starts.size == 1:
        return np.zeros(starts.size, dtype=np.int64)
    cut = np.zeros(0, dtype=np.int64) if cuts is None else np.searchsorted(starts, cuts)
    if groups is None:
        groups = _segments(counts, total, least, cut)
    lengths = (ends - starts).astype(float)
    mass = np.concatenate([[0.0], np.cumsum(np.bincount(groups, weights=counts))])
    parts = np.searchsorted(groups[cut], np.arange(mass.size), side="right")  # of what lies between two cuts
    ended = np.searchsorted(groups[cut], np.arange(mass.size), side="left")
    whole = np.isin(np.arange(mass.size), [0, *groups[cut], mass.size - 1])
    enough = (mass[None, :] - mass[:, None] >= least) | (whole[:, None] & whole[None, :])
    enough &= parts[:, None] == ended[None, :]
    loss = _loss(starts + (lengths - 1) / 2, counts, lengths, groups)
    ends = _best_ends(np.where(np.triu(enough, 1), loss, np.inf), max(most, cut.size + 1), price)
    return np.searchsorted(ends[:-1], groups, side="right").astype(np.int64)


def _segments(counts: Floats, total: float, least: float, cut: NDArray[np.int64]) -> NDArray[np.int64]:
    """Join neighbouring cells to segments that are not worth telling apart; large cells stay alone."""
    begins = np.isin(np.arange(counts.size), cut)
    grain = max(total / SEGMENTS, least / 8)
    group = np.empty(counts.size, dtype=np.int64)
    number, held = -1, math.inf
    for cell, count in enumerate(counts):
        if held + count > grain or begins[cell]:
            number, held = number + 1, 0.0
        group[cell] = number
        held += float(count)
    return group


def beside_commonest(counts: Floats, lengths: NDArray[np.number]) -> Floats:
    """Rows of each interval, without those that share the commonest single value."""
    others = counts.copy()
    others[np.argmax(np.where(lengths == 1, counts, 0.0))] *= float((lengths > 1).all())
    return others


def _ranks(counts: Floats) -> Floats:
    """Middle rank of the rows of each interval."""
    middle: Floats = np.cumsum(counts) - counts / 2
    return middle


def _variance_inside(weights: Floats, values: Floats, within: Floats, group: NDArray[np.int64]) -> Floats:
    """Part of the variance that lies inside every run of groups, from the first to before the second."""
    total = float(weights.sum())
    if total <= 0:
        return np.zeros((int(group[-1]) + 2,) * 2)
    centred = values - float((weights * values).sum()) / total
    mass, sums, squares = (
        np.concatenate([[0.0], np.cumsum(np.bincount(group, weights=weights * moment))])
        for moment in (np.ones_like(centred), centred, centred**2 + within)
    )
    held = mass[None, :] - mass[:, None]
    first = sums[None, :] - sums[:, None]
    inside = squares[None, :] - squares[:, None] - first**2 / np.where(held > 0, held, 1.0)
    part: Floats = np.maximum(inside, 0.0) / (squares[-1] if squares[-1] > 0 else 1.0)
    return part


def _loss(middles: Floats, counts: Floats, lengths: Floats, group: NDArray[np.int64]) -> Floats:
    """What a bin of every run of groups loses, from the first to before the second."""
    others = beside_commonest(counts, lengths)
    inside_cell = counts**2 / 12 * (lengths > 1)
    loss: Floats = (
        OF_VALUES * _variance_inside(counts, middles, (lengths**2 - 1) / 12, group)
        + OF_RANKS * _variance_inside(counts, _ranks(counts), inside_cell, group)
        + OF_OTHERS * _variance_inside(others, _ranks(others), inside_cell, group)
    )
    parts = counts / counts.sum()
    mass = np.concatenate([[0.0], np.cumsum(np.bincount(group, weights=parts))])
    for pile in _piles(parts, lengths):
        own, begin = parts[pile], int(group[pile])
        held = mass[None, begin + 1 :] - mass[: begin + 1, None]
        loss[: begin + 1, begin + 1 :] += own * (1 - own / held)
    return loss


def _piles(parts: Floats, lengths: Floats) -> NDArray[np.intp]:
    """Cells of one value at an end of the rows where many of them pile up."""
    density = np.concatenate([[0.0], parts / lengths, [0.0]])
    upto = np.cumsum(parts)
    return np.flatnonzero(
        (lengths == 1)
        & (parts >= PILED)
        & (density[1:-1] >= STEEP * np.maximum(density[:-2], density[2:]))
        & (np.minimum(upto - parts, 1 - upto) <= BEYOND)
    )


def _best_ends(cost: Floats, most: int, price: float) -> NDArray[np.int64]:
    """Where the bins of least cost end, by dynamic programming [Jagadish1998]; one where none is allowed."""
    n = cost.shape[0] - 1
    best = cost[0].copy()
    choices: list[NDArray[np.intp]] = []
    totals = [float(best[n])]
    for _ in range(most - 1):
        every = best[:, None] + cost
        choices.append(np.argmin(every, axis=0))
        best = every[choices[-1], np.arange(n + 1)]
        totals.append(float(best[n]))
    used = int(np.argmin([lost + price * (bins + 1) ** 2 for bins, lost in enumerate(totals)]))
    if not math.isfinite(totals[used]):
        return np.array([n])
    ends = [n]
    for turn in range(used - 1, -1, -1):
        ends.append(int(choices[turn][ends[-1]]))
    return np.array(sorted(ends))
