"""Nested partitions of a grid with noisy counts, and the one estimate they agree on.

Every level cuts some intervals of the level above; the others stay whole and are counted again. The
estimate of least variance under which every interval is the sum of its parts is found in one pass
up and one pass down, as in [Hay2010, section 4], here for intervals of any number of
parts and for levels of any noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.heaping import Heaps
from hmpb_core.marginal import project_each_to_simplex, project_to_simplex
from hmpb_core.stages.values.bins import beside_commonest

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

OUTLIER = 3.0
"""A part stands out from its neighbours beyond this many standard deviations of its noise."""

HIDDEN = 1.0
"""A rest of rows within this many standard deviations of its noise may as well be zero."""

FAINT = 0.75
"""A count within this many standard deviations of its noise may as well be zero."""

TAIL_PRICE = 2.5
"""What a count at an end of the grid must show, in squared standard deviations of its noise, to be rows that
lie there; what lies beyond it may show it too."""

FAR_PRICE = 3.0
"""What rows far from the others must show more, over log(1 + r), r their distance in widths of where most
rows lie: rows lie near other rows, and noise lies anywhere on a grid whose bounds were declared too wide."""

MOST_ROWS = 0.85
"""Part of the rows, those that share the commonest value apart, in the middle of which most of them lie."""

FEW, CLEAR = 0.02, 5.0
"""Part of the rows below which those that do not share the commonest value tell where most lie only if their
count is clear of its noise, by more than so many standard deviations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One partition of the grid and its noisy counts.

    Attributes:
        starts: First position of each interval; ascending from 0. Where values may be missing,
            they are one more cell behind the last interval, which starts at the grid's size.
        parents: For each cell, the cell of the level above that it is a part of.
        counts: Noisy counts.
        variance: Variance of the noise on a count.
    """

    starts: Whole = field(repr=False)
    parents: Whole = field(repr=False)
    counts: Floats = field(repr=False)
    variance: float


def consistent(levels: Sequence[Level], total: float | None) -> tuple[list[Floats], list[Floats]]:
    """Give every level's counts of least variance, each the sum of its parts.

    Args:
        levels: From the coarsest to the finest; the first one's parent is the whole table.
        total: Public number of rows; None where it is not public.

    Returns:
        For each level the counts, and the variance of each count before its parent's is known.
    """
    known = [level.counts.astype(float) for level in levels]
    variances = [np.full(level.counts.size, level.variance) for level in levels]
    for upper in range(len(levels) - 2, -1, -1):
        parents, size = levels[upper + 1].parents, known[upper].size
        sums = np.bincount(parents, weights=known[upper + 1], minlength=size)
        of_sums = np.bincount(parents, weights=variances[upper + 1], minlength=size)
        trust = of_sums / (of_sums + variances[upper])
        known[upper] = trust * known[upper] + (1 - trust) * sums
        variances[upper] = trust * variances[upper]
    whole = float(known[0].sum()) if total is None else total
    above = np.array([whole])
    agreed = []
    for level, counts, variance in zip(levels, known, variances, strict=True):
        size = above.size
        rest = above - np.bincount(level.parents, weights=counts, minlength=size)
        spread = np.bincount(level.parents, weights=variance, minlength=size)
        above = counts + variance * (rest / spread)[level.parents]
        agreed.append(above)
    return agreed, variances


def covariance_of_sums(levels: Sequence[Level], groups: Whole, *, total_known: bool) -> Floats:
    """Covariance of the consistent counts, summed over groups of the finest level's cells.

    Given an interval's count x the counts of its parts have the covariance diag(v) - v v' / sum(v),
    v their variances before x is known. So the rows that the groups have in the interval are a x + noise of
    covariance B, with a and B found from the parts' own.

    Args:
        levels: From the coarsest to the finest.
        groups: The group of each cell of the finest level, from 0; every group has some.
        total_known: Whether the whole table's count is public; else it is estimated, and varies too.

    Returns:
        Shape (groups, groups).
    """
    _, variances = consistent(levels, 0.0)
    number = int(groups.max()) + 1
    slope = np.eye(number)[groups]
    mixed, noise = np.zeros(0, dtype=np.int64), np.zeros((0, number, number))
    for depth in range(len(levels) - 1, -1, -1):
        parents, variance = levels[depth].parents, variances[depth][:, None]
        size = levels[depth - 1].starts.size if depth else 1
        firsts = np.searchsorted(parents, np.arange(size))
        whole = np.add.reduceat(variance, firsts)
        weighted = np.add.reduceat(slope * variance, firsts)
        # an interval that is all one group's has no noise given x: few have any, since groups are few
        several = np.flatnonzero((weighted > 0).sum(axis=1) > 1)
        squares = np.zeros((several.size, number, number))
        place = np.full(size, -1)
        place[several] = np.arange(several.size)
        parts = np.flatnonzero(place[parents] >= 0)
        products = (slope * variance)[parts][:, :, None] * slope[parts][:, None, :]
        np.add.at(squares, place[parents[parts]], products)
        np.add.at(squares, place[parents[mixed]], noise)
        slope = weighted / whole
        mixed, noise = several, squares - weighted[several][:, :, None] * slope[several][:, None, :]
    covariance: Floats = noise.sum(axis=0)  # of the whole table, or of nothing where there is one group
    if not total_known:
        covariance = covariance + whole[0] * np.outer(slope[0], slope[0])
    return covariance


def shaped(
    levels: Sequence[Level],
    size: int,
    total: float | None,
    heaps: Heaps | None = None,
    *,
    lie_near: bool = True,
) -> Floats:
    """Give non-negative counts of the finest level's cells, with what is only noise smoothed away.

    From the top down the rows of an interval are shared among its parts. Their estimates are
    trusted as far as they differ by more than noise does: with v the variance of their
    deviations from an even spread and s^2 that of the noise, the part max(0, 1 - s^2 / v) of a
    deviation is kept [Efron1973]; a part that stands out by three standard deviations, such
    as a value that many rows share, keeps its estimate. Even means as many rows to each position, or
    by the positions' heaps.

    Args:
        levels: From the coarsest to the finest.
        size: Number of positions of the grid.
        total: Public number of rows; None where it is not public.
        heaps: How likely positions are beside each other; None where all are alike.
        lie_near: Whether rows lie near other rows, so that what lies far away must show more. Of times since
            another date, whose intervals grow in proportion, a long tail is no surprise.
    """
    counts, variances = consistent(levels, total)
    whole = max(1.0, float(counts[0].sum()))
    on_grid = int((levels[0].starts < size).sum())
    above = significant(counts[0], variances[0], whole, on_grid=on_grid, falling=True)
    for level, own, variance in zip(levels[1:], counts[1:], variances[1:], strict=True):
        ends = np.append(level.starts[1:], max(size, int(level.starts[-1]) + 1))
        widths = (ends - level.starts).astype(float) if heaps is None else heaps.weight(level.starts, ends)
        parts = np.bincount(level.parents, minlength=above.size)
        firsts = np.cumsum(parts) - parts
        below = above[level.parents].copy()
        noise_sd = np.sqrt(variance)
        for size_of in np.unique(parts[parts > 1]):
            cut = np.flatnonzero(parts == size_of)
            inside = firsts[cut][:, None] + np.arange(size_of)
            below[inside] = shared_each(above[cut], own[inside], noise_sd[inside], widths[inside])
        above = below
    if not lie_near:
        return above
    return _without_far_noise(levels, size, counts[-1], above, total_known=total is not None)


def significant(
    counts: Floats,
    variances: Floats,
    total: float,
    *,
    on_grid: int,
    faint: float = FAINT,
    falling: bool = False,
) -> Floats:
    """Give the nearest counts that sum to a total, zero where noise alone may have made a count.

    Noise alone would spread rows over the whole range, and a few rows far away spoil a mean. So a count
    within its noise is none; and from each end of the grid inwards all are none as long as together they
    show too little: the squares of those that stay, in variances of their noise, less a price each.

    Args:
        counts: Noisy counts.
        variances: Variances of their noise.
        total: What they are to sum to.
        on_grid: How many of them, the first ones, lie in order on the grid; missing values do not.
        faint: A count within this many standard deviations of its noise may as well be zero.
        falling: Whether such an end keeps what it shows if its counts fall towards the end of the grid.
    """
    noise_sd = np.sqrt(np.maximum(variances, 1e-12))
    clear = counts / noise_sd
    stays = clear > faint
    estimates = np.where(stays, counts, 0.0)
    shown = np.where(stays, clear**2 - TAIL_PRICE, 0.0)[:on_grid]
    low, high = _shortfall(shown), on_grid - _shortfall(shown[::-1])
    for end in (np.arange(low)[::-1], np.arange(high, on_grid)):
        slopes = falling and 0 < end.size < on_grid
        estimates[end] = _falling(counts[end], noise_sd[end]) if slopes else 0.0
    kept = estimates > 0
    if not kept.any():
        return project_to_simplex(counts, total)
    shares = np.zeros_like(counts)
    shares[kept] = project_to_simplex(estimates[kept], total)
    return shares


def _falling(counts: Floats, noise_sd: Floats) -> Floats:
    """Give the nearest counts of which none is above the one before; zero where they show too little.

    Source: [Barlow1972], by pooling neighbours.
    """
    from scipy.optimize import isotonic_regression  # loads slowly, and a bill need not wait for it

    fit: Floats = np.asarray(isotonic_regression(counts, increasing=False).x)
    _, pooled, sizes = np.unique(fit, return_inverse=True, return_counts=True)
    return np.where(fit * np.sqrt(sizes[pooled]) > math.sqrt(TAIL_PRICE) * noise_sd, fit, 0.0)


def _without_far_noise(
    levels: Sequence[Level], size: int, counts: Floats, rows: Floats, *, total_known: bool
) -> Floats:
    """Take rows far from all others for noise where they show too little; the others share them.

    More than two widths beyond where most rows lie the grid is cut into stretches, each twice as far as the
    one before: an interval belongs to where its far end lies. What the levels say of a stretch must show by
    its square, in variances of its noise, a price that grows with the distance.

    Args:
        levels: From the coarsest to the finest.
        size: Number of positions of the grid.
        counts: Consistent counts of the finest level's cells.
        rows: Their estimated rows; not negative.
        total_known: Whether the whole table's count is public.
    """
    starts = levels[-1].starts
    ends = np.append(starts[1:], max(size, int(starts[-1]) + 1))
    on_grid = starts < size
    others, part = beside_commonest(rows[on_grid], (ends - starts)[on_grid]), MOST_ROWS
    if others.sum() <= FEW * rows.sum():
        noise = _noise_among(levels, counts, others, total_known=total_known)
        if noise * CLEAR < 1:
            part *= 1 - noise * CLEAR  # where noise may lie is not where they do
        else:
            others = rows[on_grid]
    low, high = _most_rows(starts[on_grid], ends[on_grid], rows[on_grid], others, part)
    above, below = ((beyond / (high - low)) for beyond in (ends - high, low - starts))
    doublings = np.ceil(np.log2(np.maximum(np.maximum(above, below), 1.0)))
    side = np.where(above > below, 1, -1)
    stretches, group = np.unique(
        np.where(on_grid & (doublings > 1), side * doublings, 0), return_inverse=True
    )
    if stretches.size == 1:
        return rows
    variances = np.diag(covariance_of_sums(levels, group, total_known=total_known))
    price = TAIL_PRICE + FAR_PRICE * np.log1p(2.0 ** (np.abs(stretches) - 1))
    shown = np.maximum(np.bincount(group, weights=counts), 0.0) ** 2 > price * variances
    kept = np.where((shown | (stretches == 0))[group], rows, 0.0)
    left: Floats = kept * (rows.sum() / kept.sum())
    return left


def _noise_among(levels: Sequence[Level], counts: Floats, others: Floats, *, total_known: bool) -> float:
    """Standard deviation of the noise on the count of all rows off the commonest value, over that count."""
    group = np.full(counts.size, 2)
    group[: others.size] = others > 0
    held, group = np.unique(group, return_inverse=True)
    beside = int(np.searchsorted(held, 1))
    count = float(counts[group == beside].sum()) if 1 in held else 0.0
    if count <= 0:
        return math.inf
    return math.sqrt(covariance_of_sums(levels, group, total_known=total_known)[beside, beside]) / count


def _most_rows(starts: Whole, ends: Whole, rows: Floats, others: Floats, part: float) -> tuple[int, int]:
    """First position of where most rows lie, and one past the last; the commonest value lies there too.

    Args:
        starts: First position of each interval.
        ends: One past its last position.
        rows: Rows of each.
        others: Those that tell where most lie.
        part: Part of those in the middle of which they do.
    """
    upto = np.cumsum(others)
    commonest = int(np.argmax(rows))
    low, high = np.searchsorted(upto, upto[-1] * np.array([1 - part, 1 + part]) / 2)
    return int(starts[min(low, commonest)]), int(ends[max(high, commonest)])


def _shortfall(shown: Floats) -> int:
    """Number of first cells up to where their sum falls lowest below nothing; 0 where it never does."""
    sums = np.cumsum(shown)
    lowest = int(np.argmin(sums))
    return lowest + 1 if sums[lowest] < 0 else 0


def shared(total: float, estimates: Floats, noise_sd: Floats, widths: Floats) -> Floats:
    """Share the rows of one interval among its parts; parts without any width are taken for alike."""
    rows: Floats = shared_each(np.array([total]), estimates[None], noise_sd[None], widths[None])[0]
    return rows


def shared_each(totals: Floats, estimates: Floats, noise_sd: Floats, widths: Floats) -> Floats:
    """Share the rows of intervals among their parts; parts without any width are taken for alike.

    Args:
        totals: Rows of each interval.
        estimates: Estimates of its parts; shape (intervals, parts), as the following two.
        noise_sd: Standard deviations of the noise in them.
        widths: What the parts get where nothing is known.
    """
    shares = np.zeros_like(estimates)
    filled = totals > 0
    totals, estimates, noise_sd, widths = (given[filled] for given in (totals, estimates, noise_sd, widths))
    even = _even(totals, widths, np.ones_like(widths, dtype=bool))
    out = estimates - even > OUTLIER * noise_sd
    left = totals
    for _ in range(2):  # what stands out leaves less for the others, so that more may stand out
        left = np.maximum(0.0, totals - _sums(estimates, out))
        even = _even(left, widths, ~out)
        out |= estimates - even > OUTLIER * noise_sd
    rest = ~out
    left = np.maximum(0.0, totals - _sums(estimates, out))
    # nothing says that any row is in the rest
    left[out.any(axis=1) & (left < HIDDEN * np.sqrt(_sums(noise_sd**2, out)))] = 0.0
    even = _even(left, widths, rest)
    number = np.maximum(rest.sum(axis=1), 1)
    deviations = estimates - even
    deviations -= (_sums(deviations, rest) / number)[:, None]
    spread, noise = _sums(deviations**2, rest) / number, _sums(noise_sd**2, rest) / number
    kept = np.maximum(0.0, 1 - np.divide(noise, spread, out=np.ones_like(noise), where=spread > 0))
    smoothed = np.where(rest, even + kept[:, None] * deviations, estimates)
    shares[filled] = project_each_to_simplex(smoothed, totals)
    return shares


def _even(totals: Floats, widths: Floats, among: NDArray[np.bool_]) -> Floats:
    """Share rows by the widths of some parts; the others get what their widths would."""
    whole = _sums(widths, among)[:, None]
    number = np.maximum(among.sum(axis=1), 1)[:, None]
    by_width = np.divide(totals[:, None] * widths, whole, out=np.zeros_like(widths), where=whole > 0)
    return np.where(whole > 0, by_width, totals[:, None] / number)


def _sums(values: Floats, among: NDArray[np.bool_]) -> Floats:
    """Sum some of the parts of every interval."""
    sums: Floats = np.where(among, values, 0.0).sum(axis=1)
    return sums
