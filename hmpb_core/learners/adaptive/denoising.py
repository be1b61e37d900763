"""The noisy similarity without most of its noise: what all pairs together say of each. Free."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

PATTERNS = 1 / 4
"""Most patterns per attribute: where the matrix shows more, it is left as it is."""
_ROUNDS = 20

Floats = NDArray[np.float64]


def denoised(values: Floats, noise_sd: float) -> tuple[Floats, float]:
    """Draw a noisy symmetric matrix towards its few strong patterns.

    A random matrix of noise s has eigenvalues up to 2 s sqrt(d); what stands out of that is a
    pattern that many pairs share, with w shrunk to sqrt(w^2 - 4 s^2 d). Around these patterns L the
    values keep the part max(0, 1 - s^2 / v) of their distance, v its mean square: empirical Bayes
    [Efron1973]. Where there are more than d / 4 patterns nothing is gained and nothing is done.

    Source: [Gavish2017, optimal shrinkage for the Frobenius norm], on the eigenvalues of a
    symmetric matrix whose diagonal is not observed and is filled in by iteration.

    Args:
        values: Symmetric array of shape (d, d); its diagonal is ignored.
        noise_sd: s, the noise's standard deviation off the diagonal.

    Returns:
        The matrix, zero on the diagonal, and about what noise is left on a value.
    """
    d = len(values)
    if d < 2 / PATTERNS or noise_sd == 0:
        return values, noise_sd
    upper = np.triu_indices(d, 1)
    edge = 2 * noise_sd * math.sqrt(d)
    filled = values.copy()
    np.fill_diagonal(filled, values[upper].mean())
    for _ in range(_ROUNDS):
        found, vectors = np.linalg.eigh(filled)
        strong = np.abs(found) > edge
        kept = np.sign(found[strong]) * np.sqrt(found[strong] ** 2 - edge**2)
        pattern = (vectors[:, strong] * kept) @ vectors[:, strong].T
        if not 0 < len(kept) <= PATTERNS * d:
            return values, noise_sd
        np.fill_diagonal(filled, np.diag(pattern))
    around = float(((values - pattern)[upper] ** 2).mean())
    part = max(0.0, 1 - noise_sd**2 / around) if around > 0 else 1.0
    better = pattern + part * (values - pattern)
    np.fill_diagonal(better, 0.0)
    return better, noise_sd * math.sqrt(min(1.0, part + (1 - part) * 2 * len(kept) / d))


def drawn_to_bounds(values: Floats, noise_sd: float, one_way: Sequence[Floats]) -> tuple[Floats, float]:
    """Draw noisy total variations from independence towards what the one-way tables allow.

    Whatever two attributes of probabilities p and q have to do with each other, the total variation of
    their table from independence is at most

        b = min(1 - sum p^2, 1 - sum q^2)

    (given the one, the other is at worst a single value x, which is off by 1 - p_x). Of a pair that is
    known only through noise the best guess is c b, with c the least-squares slope over all pairs, within
    [0, 1]; the part max(0, 1 - s^2 / v) of the distance from it is kept, v its mean square over all
    pairs; what leaves [0, b] is cut off.

    Source: [Efron1973], empirical Bayes towards a regression line.

    Args:
        values: Symmetric array of shape (d, d), d >= 2; its diagonal is ignored.
        noise_sd: s, the noise's standard deviation off the diagonal.
        one_way: The attributes' noisy one-way tables, not negative.

    Returns:
        The drawn values, zero on the diagonal, and the part that was kept.
    """
    spread = np.array([1 - float(((table / max(table.sum(), 1e-300)) ** 2).sum()) for table in one_way])
    most = np.minimum.outer(spread, spread)
    upper = np.triu_indices(len(values), 1)
    square = float((most[upper] ** 2).sum())
    slope = float(values[upper] @ most[upper]) / square if square > 0 else 0.0
    usual = min(1.0, max(0.0, slope)) * most
    around = float(((values - usual)[upper] ** 2).mean())
    part = max(0.0, 1 - noise_sd**2 / around) if around > 0 else 1.0
    drawn: Floats = np.clip(usual + part * (values - usual), 0.0, most)
    np.fill_diagonal(drawn, 0.0)
    return drawn, part
