"""Pair tables of ordered attributes, without the noise that no smooth dependence would show. Free.

Two ordered attributes mostly depend on each other smoothly: that wages rise with age is seen in the lowest
frequencies of their table, while its noise is spread evenly over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Numeric
from hmpb_core.merging import Compression

LONG = 8
"""Values from which on a list in order is taken for a scale. Shorter ones are mostly answers to choose from:
those who tick an end of one tick an end of others, which is not smooth."""
LOWEST = 3
"""Sum of two frequencies from which on they may be noise: up to it is kept what a straight or a bent line
says."""
KEPT = 0.5
"""Blocks of which more than this part is dependence are left alone: such a table is not smooth."""
_LEAST = 1e-3
"""Least share of a value among its attribute's, so that no frequency vanishes."""

Floats = NDArray[np.float64]


def values_in_order(attribute: Attribute, merge: Compression) -> int:
    """How many of an attribute's groups are a scale, on which neighbours are alike: the first so many.

    Numbers and long lists in order are scales. The missing value has no neighbours, and neither has what
    rare values were merged into.
    """
    if not (isinstance(attribute, Numeric) or (attribute.ordered and attribute.size >= LONG)):
        return 0
    members = np.bincount(merge.groups)
    return int(np.count_nonzero(members[merge.groups[: attribute.size - attribute.nullable]] == 1))


def smoothed(noisy: Floats, one_way: Sequence[Floats], in_order: Sequence[int], noise_sd: float) -> Floats:
    """Take off a noisy pair table what is mostly noise in its high frequencies.

    The table's distance from independence is written in a basis of frequencies, cos(pi k F) along a scale
    with F its cumulative distribution, times its distribution, made orthonormal so that noise stays even;
    values beside a scale stay themselves, of frequency 0. Of the blocks of frequencies with sums 3 to 5,
    6 to 11, 12 to 23 and so on, a block of b numbers of which the part

        1 - b s^2 / sum of squares

    is more than noise keeps that part where it is at most a half, and stays as it is where it is larger.

    Sources: [Efron1973, the estimator], [Cai1999, by blocks of frequencies].

    Args:
        noisy: The noisy table, shape (m1, m2).
        one_way: The two attributes' noisy one-way tables, shapes (m1,) and (m2,), not negative.
        in_order: Of each of the two how many values are a scale, the first so many.
        noise_sd: s, the noise's standard deviation on a count.

    Returns:
        The smoothed table, shape (m1, m2); its sum may differ a little.
    """
    total = float(one_way[0].sum())
    expected = np.multiply.outer(one_way[0], one_way[1]) / max(total, 1e-300)
    first, second = (_basis(table, values) for table, values in zip(one_way, in_order, strict=True))
    steps = [np.arange(len(table)) for table in one_way]
    frequency = np.add.outer(
        *(np.where(at < values, at, 0) for at, values in zip(steps, in_order, strict=True))
    )
    found = first.T @ (noisy - expected) @ second
    lowest = LOWEST
    while lowest <= frequency.max():
        block = (lowest <= frequency) & (frequency < 2 * lowest)
        energy = float((found[block] ** 2).sum())
        part = max(0.0, 1 - np.count_nonzero(block) * noise_sd**2 / energy) if energy else 0.0
        if part <= KEPT:
            found[block] *= part
        lowest *= 2
    smooth: Floats = expected + first @ found @ second.T
    return smooth


def _basis(table: Floats, in_order: int) -> Floats:
    """An orthonormal basis over an attribute's values, shape (m, m): frequencies, then single values."""
    basis = np.eye(len(table))
    if in_order:
        shares = np.maximum(table[:in_order] / max(float(table.sum()), 1e-300), _LEAST)
        below = (np.cumsum(shares) - shares / 2) / shares.sum()
        waves = shares[:, None] * np.cos(math.pi * np.multiply.outer(below, np.arange(in_order)))
        basis[:in_order, :in_order] = np.linalg.qr(waves)[0]
    return basis
