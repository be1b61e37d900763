"""MIC of many two-way tables at once, and how much of it noise alone would show. Looks at no data."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute
from hmpb_core.stages.similarity import allowed_merges, mutual_information

Floats = NDArray[np.float64]
DRAWS = 4
"""Unrelated noisy tables drawn for one pair."""
BAND = 2.0
"""Standard deviations above the mean of unrelated tables up to which a value may be noise alone."""


def mics(tables: Floats, first: Attribute, second: Attribute, *, limit: float) -> Floats:
    """MIC of two-way tables of the same two kinds of attributes; see ``similarity.grid_mic``.

    Args:
        tables: Counts or shares, shape (tables, values of the first, values of the second).
        first: An attribute of the first kind.
        second: An attribute of the second kind.
        limit: Largest number of cells of a grid, B.

    Returns:
        Shape (tables,), 0 to 1.

    Source: [Zhang2022, Definition 5], over grids of public bins.
    """
    best = np.zeros(len(tables))
    for a, merge_a in allowed_merges(first):
        rows = np.add.reduceat(tables, merge_a, axis=1)
        for b, merge_b in allowed_merges(second):
            if not _allowed(a, b, limit):
                continue
            merged = np.add.reduceat(rows, merge_b, axis=2)
            best = np.maximum(best, mutual_information(merged) / math.log2(min(a, b)))
    capped: Floats = np.minimum(best, 1.0)
    return capped


def has_grid(first: Attribute, second: Attribute, *, limit: float) -> bool:
    """Whether MIC allows a grid of two attributes: of a long list without an order it may allow none."""
    return any(_allowed(a, b, limit) for a, _ in allowed_merges(first) for b, _ in allowed_merges(second))


def _allowed(a: int, b: int, limit: float) -> bool:
    return min(a, b) >= 2 and (a * b < limit or (a, b) == (2, 2))


def noise_bands(
    one_way: tuple[Floats, Floats],
    kinds: tuple[Attribute, Attribute],
    noise_sd: Floats,
    *,
    limit: float,
    ridge: float,
    rng: np.random.Generator,
) -> Floats:
    """The MIC that noise alone may show: of unrelated attributes whose table is this noisy.

    A table of independent attributes gets normal noise of the pair's size, shrunk as the model's fit
    shrinks it, negative cells become 0, and its MIC is taken. The band is the mean over such tables
    and twice their standard deviation. To first order the fit moves a cell of share p by the noise over
    1 + f cells s^2 / p (docs/method.md, the fit).

    Args:
        one_way: Shares of the values of the two attributes, each of shape (pairs, values).
        kinds: An attribute of either kind.
        noise_sd: For each pair its table's noise on a cell, as a share of the rows.
        limit: Largest number of cells of a grid, B.
        ridge: f, the fit's shrinkage of a usual pair; 0 where tables are taken as they are.
        rng: Draws the noise of the comparison: no privacy noise, and no data in it.

    Returns:
        Shape (pairs,), 0 to 1.
    """
    product = one_way[0][:, :, None] * one_way[1][:, None, :]
    cells, sd = product[0].size, noise_sd[:, None, None]
    sd = sd / (1 + ridge * cells * sd**2 / np.maximum(product, 1e-12))
    noisy = np.maximum(product + rng.normal(size=(DRAWS, *product.shape)) * sd, 0.0)
    noisy = noisy.reshape(-1, *product.shape[1:])
    found = mics(noisy, *kinds, limit=limit).reshape(DRAWS, -1)
    spread = math.sqrt(float(found.var(axis=0, ddof=1).mean()))
    bands: Floats = np.where(noise_sd > 0, np.minimum(found.mean(axis=0) + BAND * spread, 1.0), 0.0)
    return bands
