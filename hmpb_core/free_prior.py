"""What many noisy sizes together say of each: empirical Bayes with a prior of any form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 60
"""Steps of expectation and maximisation; more change little."""


def chances_of(likelihood: Floats, often: Floats | None = None) -> Floats:
    """Give the distribution of each true size, their own distribution estimated from all noisy ones.

    By maximum likelihood and without a form; one more size, of any place, is imagined.

    Source: [Kiefer1956], fitted by [Dempster1977]: empirical Bayes as in [Efron1973], with a free prior.

    Args:
        likelihood: How likely each noisy size is for every true one, up to a factor of its own: shape
            (noisy sizes, true sizes).
        often: How often each noisy size occurs; None: once.

    Returns:
        The same shape; every row sums to 1.

    Example:
        >>> chances_of(np.array([[1.0, 0.0], [1.0, 0.0], [0.5, 0.5]])).round(2).tolist()
        [[1.0, 0.0], [1.0, 0.0], [0.83, 0.17]]
    """
    prior = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(STEPS):
        chances = likelihood * prior
        chances /= chances.sum(axis=1, keepdims=True)
        prior = (chances.sum(axis=0) if often is None else often @ chances) + 1 / prior.size
        prior /= prior.sum()
    chances = likelihood * prior
    found: Floats = chances / chances.sum(axis=1, keepdims=True)
    return found


def noise_likelihood(away: Floats, *, laplace: bool) -> Floats:
    """How likely noise is, of standard deviations ``away``, up to a factor of each row."""
    exponent = -np.sqrt(2) * np.abs(away) if laplace else -0.5 * away**2
    likelihood: Floats = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return likelihood
