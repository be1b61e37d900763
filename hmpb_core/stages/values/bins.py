"""Bins of a noisy histogram of which little is lost. Free."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SEGMENTS = 400
"""Cells that the search for the best bins looks at."""
OF_VALUE = 0.5
"""Weight of the values, against that of their ranks, in what bins lose."""

Floats = NDArray[np.float64]


def best_bins(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    counts: Floats,
    *,
    most: int,
    least: float,
    groups: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Join neighbouring intervals to bins of which little is lost.

    The variance inside the bins is least: half of it of the values, half of their ranks, each as a part of
    its whole. So bins follow the rows and still tell a far tail from its body, and a single value
    that many rows share is a bin of its own.

    Args:
        starts: First position of each interval.
        ends: One past the last position of each.
        counts: Rows in each; not negative.
        most: Largest number of bins.
        least: Fewest rows in a bin.
        groups: Intervals that stay together, ascending from 0; all may part where it is None.

    Returns:
        The bin of each interval, ascending from 0.
    """
    total = float(counts.sum())
    if total <= 0 or most < 2 or starts.size == 1:
        return np.zeros(starts.size, dtype=np.int64)
    if groups is None:
        groups = _segments(counts, total, least)
    lengths = (ends - starts).astype(float)
    return _best_cuts(starts + (lengths - 1) / 2, counts, lengths, groups, most, least, total)


def _segments(counts: Floats, total: float, least: float) -> NDArray[np.int64]:
    """Join neighbouring cells to segments that are not worth telling apart; large cells stay alone."""
    grain = max(total / SEGMENTS, least / 8)
    group = np.empty(counts.size, dtype=np.int64)
    number, held = -1, math.inf
    for cell, count in enumerate(counts):
        if held + count > grain:
            number, held = number + 1, 0.0
        group[cell] = number
        held += float(count)
    return group


def _best_cuts(
    middles: Floats,
    counts: Floats,
    lengths: Floats,
    group: NDArray[np.int64],
    most: int,
    least: float,
    total: float,
) -> NDArray[np.int64]:
    """The code of every cell: the codes of least loss, by dynamic programming over the segments."""
    ranks = (np.cumsum(counts) - counts / 2) / total
    loss = np.zeros((int(group[-1]) + 2,) * 2)
    mass = np.concatenate([[0.0], np.cumsum(np.bincount(group, weights=counts))])
    held = mass[None, :] - mass[:, None]
    spread = [(middles, (lengths**2 - 1) / 12), (ranks, (counts / total) ** 2 / 12 * (lengths > 1))]
    for weight, (values, inner) in zip((OF_VALUE, 1 - OF_VALUE), spread, strict=True):
        mean = float((counts * values).sum() / total)
        centred = values - mean
        sums = np.concatenate([[0.0], np.cumsum(np.bincount(group, weights=counts * centred))])
        squares = np.concatenate(
            [[0.0], np.cumsum(np.bincount(group, weights=counts * (centred**2 + inner)))]
        )
        whole = squares[-1]
        if whole <= 0:
            continue
        first = sums[None, :] - sums[:, None]
        inside = squares[None, :] - squares[:, None] - first**2 / np.where(held > 0, held, 1.0)
        loss += weight * np.maximum(inside, 0.0) / whole
    n = loss.shape[0] - 1
    allowed = np.triu(np.ones((n + 1, n + 1), dtype=bool), 1) & (held >= least)
    cost = np.where(allowed, loss, np.inf)
    best = cost[0].copy()
    choices: list[NDArray[np.intp]] = []
    totals = [float(best[n])]
    for _ in range(most - 1):
        every = best[:, None] + cost
        choices.append(np.argmin(every, axis=0))
        best = every[choices[-1], np.arange(n + 1)]
        totals.append(float(best[n]))
    used = int(np.argmin(np.round(totals, 12)))
    if not math.isfinite(totals[used]):
        return np.zeros(counts.size, dtype=np.int64)
    ends = [n]
    for turn in range(used - 1, -1, -1):
        ends.append(int(choices[turn][ends[-1]]))
    borders = np.array(sorted(ends)[:-1], dtype=np.int64)
    return np.searchsorted(borders, group, side="right").astype(np.int64)
