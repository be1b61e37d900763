"""Likely counts of a one-way table: what its noisy counts together say of each of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hmpb_core.free_prior import chances_of, noise_likelihood
from hmpb_core.marginal import NoisyMarginal, project_to_simplex

Floats = NDArray[np.float64]

MANY, MANY_OF_CODES = 15, 64
"""Values beyond which a table says how its counts are distributed, and codes of learned bins: of fewer codes,
which are of about as many rows each, and whose errors hang together, public tables gained nothing."""
FAR = 6.0
"""A count this many standard deviations of its noise above zero is known by itself."""
SIZES = np.concatenate([[0.0], np.geomspace(0.02, 0.5, 8), np.arange(0.75, FAR + 4.1, 0.25)])
"""Sizes that a count may have, in standard deviations of its noise."""
HALVINGS = 40
SURE = 1e-12
"""How near a level may come to 0 and to 1."""


def is_long(table: NoisyMarginal) -> bool:
    """Whether a one-way table is long enough to say how its counts are distributed."""
    return table.counts.size > (MANY if table.covariance is None else MANY_OF_CODES)


def one_way_estimate(table: NoisyMarginal, total: float) -> Floats:
    """Give non-negative counts that sum to ``total``, from a noisy one-way table. Free: post-processing.

    Up to ``MANY`` values: the nearest such counts. Of more values many are rare, empty or about as frequent
    as others, and the nearest counts take from the few large ones what the noise of all others adds up to,
    or leave out what noise took away. There a noisy count says less of its value than all of them together:
    how the true counts are distributed is estimated from the noisy ones (``free_prior``), and then every
    noisy count has a distribution of the true one. Among all counts x that sum to the total those are given
    whose expected distance, the sum of E |x - true|, is least: the quantiles of these distributions at one
    level, the level that makes their sum right. A value that is probably empty is so.

    Args:
        table: The noisy table.
        total: Public or noisy number of rows.
    """
    sd, counts = table.noise_sd, np.asarray(table.counts, dtype=float).ravel()
    if not is_long(table) or sd <= 0 or (counts > FAR * sd).all():
        return project_to_simplex(table.counts, total)
    laplace = table.noise == "laplace"
    scaled = counts / sd
    near = scaled <= FAR
    likelihood = noise_likelihood(scaled[near][:, None] - SIZES, laplace=laplace)
    upto = np.cumsum(chances_of(likelihood), axis=1)

    def at(level: float) -> Floats:
        quantiles = scaled + _noise_quantile(level, laplace=laplace)
        quantiles[near] = _quantiles(upto, level)
        return np.maximum(quantiles, 0.0) * sd

    low, high = SURE, 1 - SURE
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle).sum() < total else (low, middle)
    found = at(high)
    estimate: Floats = (found * (total / found.sum())).reshape(np.shape(table.counts))
    return estimate


def _quantiles(upto: Floats, level: float) -> Floats:
    """Quantiles of distributions over ``SIZES``: the mass of 0 is there, that of another size around it."""
    ends = np.concatenate([[0.0], (SIZES[1:] + SIZES[:-1]) / 2, SIZES[-1:]])
    rows = np.arange(len(upto))
    place = np.minimum((upto < level).sum(axis=1), SIZES.size - 1)
    before = np.where(place > 0, upto[rows, place - 1], 0.0)
    part = (level - before) / np.maximum(upto[rows, place] - before, 1e-300)
    inside = ends[place] + np.clip(part, 0.0, 1.0) * (ends[place + 1] - ends[place])
    quantiles: Floats = np.where(place > 0, inside, 0.0)
    return quantiles


def _noise_quantile(level: float, *, laplace: bool) -> float:
    """The quantile of the noise, in its standard deviations."""
    if not laplace:
        from scipy.special import ndtri  # loads in a while, which merging need not wait for

        return float(ndtri(level))
    tail = math.log(2 * min(level, 1 - level)) / math.sqrt(2)
    return tail if level < 0.5 else -tail
