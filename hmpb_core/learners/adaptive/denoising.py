"""The noisy similarity without most of its noise: what all pairs together say of each. Free."""

from __future__ import annotations

import math

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
