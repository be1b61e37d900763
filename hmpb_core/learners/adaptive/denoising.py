"""The noisy similarity without most of its noise: what all pairs together say of each. Free."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.free_prior import chances_of, noise_likelihood

PATTERNS = 1 / 4
"""Most patterns per attribute: where the matrix shows more, it is left as it is."""
BEYOND_EDGE, BEYOND_EDGE_LAPLACE = 2.02, 3.27
"""How far beyond the edge, in s d^(-1/6), the first eigenvalue is a pattern. Noise alone has one there in one
matrix of 100 on either side, by the law of large ones [TracyWidom1996]; at the edge in one of six. Laplace's
noise, whose largest values lie farther, has as many there as Gauss's at the lower bar."""
_ROUNDS = 20
SIZES_A_STEP, PLACES_A_STEP, MOST_STEPS = 4, 16, 64
"""True and noisy distances that are told apart in a standard deviation of the noise; and how many standard
deviations all distances may span: more, and the noise is no matter."""

Floats = NDArray[np.float64]


def denoised(values: Floats, noise_sd: float, *, laplace: bool = False) -> tuple[Floats, float]:
    """Draw a noisy symmetric matrix towards its few strong patterns.

    A random matrix of noise s has eigenvalues up to 2 s sqrt(d); what stands out of that is a
    pattern that many pairs share, with w shrunk to sqrt(w^2 - 4 s^2 d). Around these patterns L a
    value is what its distance is believed to be, given the distances of all (``free_prior``): most pairs
    of a wide table lie near L, and a few, such as the questions of one battery, far from it. One part for
    all, max(0, 1 - s^2 / v) with v the distances' mean square, would take these back. Where there are more
    than d / 4 patterns nothing is gained and nothing is done.

    Source: [Gavish2017, optimal shrinkage for the Frobenius norm], on the eigenvalues of a
    symmetric matrix whose diagonal is not observed and is filled in by iteration.

    Args:
        values: Symmetric array of shape (d, d); its diagonal is ignored.
        noise_sd: s, the noise's standard deviation off the diagonal.
        laplace: Whether the noise is Laplace's, and not Gaussian.

    Returns:
        The matrix, zero on the diagonal, and about what noise is left on a value: as if one part were kept
        of all distances.
    """
    d = len(values)
    if d < 2 / PATTERNS or noise_sd == 0:
        return values, noise_sd
    upper = np.triu_indices(d, 1)
    edge = 2 * noise_sd * math.sqrt(d)
    clear = edge + (BEYOND_EDGE_LAPLACE if laplace else BEYOND_EDGE) * noise_sd * d ** (-1 / 6)
    filled = values.copy()
    np.fill_diagonal(filled, values[upper].mean())
    for _ in range(_ROUNDS):
        found, vectors = np.linalg.eigh(filled)
        strong = np.abs(found) > (edge if np.abs(found).max() > clear else clear)
        kept = np.sign(found[strong]) * np.sqrt(found[strong] ** 2 - edge**2)
        pattern = (vectors[:, strong] * kept) @ vectors[:, strong].T
        if not 0 < len(kept) <= PATTERNS * d:
            return values, noise_sd
        np.fill_diagonal(filled, np.diag(pattern))
    away = (values - pattern)[upper]
    around = float((away**2).mean())
    part = max(0.0, 1 - noise_sd**2 / around) if around > 0 else 1.0
    better = np.zeros((d, d))
    better[upper] = pattern[upper] + _believed(away, noise_sd, laplace=laplace)
    better += better.T
    return better, noise_sd * math.sqrt(min(1.0, part + (1 - part) * 2 * len(kept) / d))


def _believed(away: Floats, noise_sd: float, *, laplace: bool) -> Floats:
    """What noisy distances are believed to be, given all of them; as they are where noise moves none of them.

    Of many pairs the noisy distances are counted a sixteenth of a standard deviation apart.
    """
    low, high = float(away.min()), float(away.max())
    steps = math.ceil((high - low) / noise_sd)
    if not 0 < steps <= MOST_STEPS:
        return away
    sizes = np.append(np.linspace(low, high, SIZES_A_STEP * steps + 1), 0.0)
    places = np.linspace(low, high, PLACES_A_STEP * steps + 1)
    often = np.bincount(np.rint((away - low) / (high - low) * (places.size - 1)).astype(np.intp))
    likelihood = noise_likelihood((places[:, None] - sizes) / noise_sd, laplace=laplace)
    means = chances_of(likelihood, often.astype(float)) @ sizes
    believed: Floats = np.interp(away, places, means)
    return believed


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
