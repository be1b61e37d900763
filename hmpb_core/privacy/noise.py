"""The only module that draws privacy noise.

Real noise comes from OpenDP's discrete samplers, seeded by the operating system.
Seeded noise exists for tests, benchmarks and rehearsals; whatever it touches is not
private, because whoever knows the seed can subtract it. ``NoNoise`` is the absence of
protection, under its own name.
"""

from __future__ import annotations

import bisect
import decimal
import math
import os
from collections.abc import Callable
from functools import lru_cache
from random import SystemRandom
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from opendp import measurements
from opendp.domains import atom_domain, vector_domain
from opendp.measures import max_divergence, zero_concentrated_divergence
from opendp.metrics import l1_distance, l2_distance, linf_distance
from opendp.mod import enable_features

# Imported piece by piece: opendp.prelude loads scikit-learn, which takes seconds.
enable_features("contrib")

Integers = NDArray[np.int64]

_INTEGERS = vector_domain(atom_domain(T="i64"))


class NoiseSource(Protocol):
    """Where noise comes from.

    All three acts work on integers, so that no floating-point artefact of a sampler
    can betray the value underneath [Mironov2012].
    """

    @property
    def private(self) -> bool:
        """Whether the noise protects: unpredictable and calibrated."""

    def laplace(self, values: Integers, scale: float) -> Integers:
        """Add discrete Laplace noise, P(z) proportional to exp(-|z| / scale)."""

    def gaussian(self, values: Integers, scale: float) -> Integers:
        """Add discrete Gaussian noise, P(z) proportional to exp(-z^2 / (2 scale^2))."""

    def laplace_share(self, values: Integers, scale: float, shares: int) -> Integers:
        """Add a share of discrete Laplace noise: of ``shares`` independent ones the sum is exactly it.

        A share is the difference of two Polya (negative binomial) draws with r = 1 / shares and
        p = exp(-1 / scale). Source: [Goryczka2017].
        """

    def noisy_max(self, scores: Integers, scale: float, *, permute_and_flip: bool) -> int:
        """Pick an index, by the exponential mechanism or by permute-and-flip.

        The exponential mechanism picks i with probability proportional to
        exp(scores[i] / scale). Permute-and-flip, for pure differential privacy only,
        never does worse on average [MS2020].
        """


class SystemNoise:
    """OpenDP's samplers, seeded by the operating system."""

    private = True

    def laplace(self, values: Integers, scale: float) -> Integers:
        """Add discrete Laplace noise."""
        return np.array(_laplace(scale)(values.ravel().tolist()), dtype=np.int64).reshape(values.shape)

    def gaussian(self, values: Integers, scale: float) -> Integers:
        """Add discrete Gaussian noise."""
        return np.array(_gaussian(scale)(values.ravel().tolist()), dtype=np.int64).reshape(values.shape)

    def laplace_share(self, values: Integers, scale: float, shares: int) -> Integers:
        """Add a share of discrete Laplace noise."""
        draws = polya(2 * values.size, scale, shares).reshape(2, *values.shape)
        noise: Integers = draws[0] - draws[1]
        return values + noise

    def noisy_max(self, scores: Integers, scale: float, *, permute_and_flip: bool) -> int:
        """Pick an index."""
        return int(_noisy_max(scale, permute_and_flip)(scores.copy()))


class SeededNoise:
    """Repeatable noise of the same distributions: not private."""

    private = False

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng([0x4E4F495345, seed])

    def laplace(self, values: Integers, scale: float) -> Integers:
        """Add discrete Laplace noise: the difference of two geometric draws."""
        p = -math.expm1(-1 / scale)
        noise = self._rng.geometric(p, values.shape) - self._rng.geometric(p, values.shape)
        return values + noise.astype(np.int64)

    def gaussian(self, values: Integers, scale: float) -> Integers:
        """Add discrete Gaussian noise, by rejection from a discrete Laplace [CKS2020, Algorithm 3]."""
        noise = np.zeros(values.size, dtype=np.int64)
        left = np.arange(values.size)
        t = math.floor(scale) + 1
        while left.size:
            draws = self.laplace(np.zeros(left.size, dtype=np.int64), t)
            kept = self._rng.random(left.size) < np.exp(
                -((np.abs(draws) - scale**2 / t) ** 2) / (2 * scale**2)
            )
            noise[left[kept]] = draws[kept]
            left = left[~kept]
        return values + noise.reshape(values.shape)

    def laplace_share(self, values: Integers, scale: float, shares: int) -> Integers:
        """Add a share of discrete Laplace noise."""
        p = -math.expm1(-1 / scale)
        draws = self._rng.negative_binomial(1 / shares, p, (2, *values.shape))
        noise: Integers = draws[0] - draws[1]
        return values + noise

    def noisy_max(self, scores: Integers, scale: float, *, permute_and_flip: bool) -> int:
        """Pick an index: the largest score after Gumbel or exponential noise."""
        draw = self._rng.exponential if permute_and_flip else self._rng.gumbel
        return int(np.argmax(scores + draw(scale=scale, size=scores.shape)))


class NoNoise:
    """No noise at all: no protection."""

    private = False

    def laplace(self, values: Integers, scale: float) -> Integers:
        """Return the values as they are."""
        return values.copy()

    def gaussian(self, values: Integers, scale: float) -> Integers:
        """Return the values as they are."""
        return values.copy()

    def laplace_share(self, values: Integers, scale: float, shares: int) -> Integers:
        """Return the values as they are."""
        return values.copy()

    def noisy_max(self, scores: Integers, scale: float, *, permute_and_flip: bool) -> int:
        """Return the index of the largest score."""
        return int(np.argmax(scores))


def first_above(
    attempt: Callable[[], tuple[float, Any]], epsilon: float, *, threshold: float, stop_probability: float
) -> tuple[tuple[float, Any] | None, float]:
    """Repeat an epsilon-private attempt until its score is above a threshold, or a coin stops it.

    Source: [LT2019, Algorithm 1], by OpenDP's ``make_select_private_candidate``.

    The coin is thrown here, and an attempt that it stops ends OpenDP's loop as one that passed would: a coin
    after a private attempt is post-processing. OpenDP 0.16 has a coin of its own, but after a failed attempt
    it goes on with probability exp(1 / log(1 - s)) and not 1 - s: as private, and far too short a search.

    Args:
        attempt: Gives a score and what it belongs to; epsilon-differentially private together.
        epsilon: What an attempt costs.
        threshold: What the score must exceed.
        stop_probability: Chance of stopping after an attempt that does not.

    Returns:
        The first attempt above the threshold, or None; and the epsilon that OpenDP proves for the whole.
    """
    # Loaded late: it takes time, and few runs need it. The declared map is the caller's proof.
    from opendp.combinators import make_select_private_candidate
    from opendp.measurements import make_user_measurement
    from opendp.metrics import discrete_distance

    coin = SystemRandom()

    def stopping() -> tuple[float, Any]:
        score, found = attempt()
        if score > threshold:
            return score, found
        return (math.inf, None) if coin.random() < stop_probability else (-math.inf, None)

    enable_features("honest-but-curious")
    one = make_user_measurement(
        atom_domain(T="i32"),
        discrete_distance(),
        max_divergence(),
        lambda _: stopping(),
        lambda distance: epsilon * distance,
        TO="(f64, ExtrinsicObject)",
    )
    search: Any = make_select_private_candidate(one, stop_probability=0.0, threshold=threshold)
    score, found = search(0)
    return (None if math.isinf(score) else (score, found)), float(search.map(1))


MOST_POLYA_SCALE = 20_000.0
"""Largest scale of a share of Laplace noise: its table has about 97 entries a unit."""
_BITS = 128


def polya(count: int, scale: float, shares: int) -> Integers:
    """Draw Polya variables, r = 1 / shares, p = exp(-1 / scale), with randomness from the operating system.

    OpenDP has no such sampler. Here the distribution function is worked out in integers of 192 bits and cut
    at the first value that is less likely than 2^-140; a draw is where 128 random bits fall in it. In total
    variation a draw is within 2^-110 of the true distribution.

    Args:
        count: How many.
        scale: b.
        shares: How many parties' draws sum to a geometric one.
    """
    ends = _polya_ends(scale, shares)
    high = np.array([end >> 64 for end in ends], dtype=np.uint64)
    words = np.frombuffer(os.urandom(8 * count), dtype=np.uint64)
    first = np.searchsorted(high, words, side="left")
    last = np.searchsorted(high, words, side="right")
    draws = first.astype(np.int64)
    for i in np.flatnonzero(first != last):  # the upper half alone does not decide: once in 2^50 draws
        bits = int(words[i]) << 64 | int.from_bytes(os.urandom(8), "little")
        draws[i] = bisect.bisect_right(ends, bits)
    return draws


@lru_cache(maxsize=64)
def _polya_ends(scale: float, shares: int) -> list[int]:
    """P(X <= j) 2^128 for j = 0, 1, ..., rounded down; the last one is 2^128 - 1."""
    with decimal.localcontext(decimal.Context(prec=70)):
        p = (decimal.Decimal(-1) / decimal.Decimal(scale)).exp()
        none = ((1 - p).ln() / shares).exp()
        unit = decimal.Decimal(2) ** 192
        ratio, mass = int(p * unit), int(none * unit)
    ends, below, j = [], 0, 0
    while mass >> 52:  # 2^-140 of the whole; with r <= 1 no value is likelier than the one before it
        below += mass
        ends.append(below >> (192 - _BITS))
        mass = (mass * ratio >> 192) * (j * shares + 1) // ((j + 1) * shares)
        j += 1
    ends[-1] = 2**_BITS - 1
    return ends


@lru_cache(maxsize=256)
def _laplace(scale: float) -> Any:
    return measurements.make_laplace(_INTEGERS, l1_distance(T="i64"), scale=scale)


@lru_cache(maxsize=256)
def _gaussian(scale: float) -> Any:
    return measurements.make_gaussian(_INTEGERS, l2_distance(T="f64"), scale=scale)


@lru_cache(maxsize=256)
def _noisy_max(scale: float, permute_and_flip: bool) -> Any:
    measure = max_divergence() if permute_and_flip else zero_concentrated_divergence()
    return measurements.make_noisy_max(_INTEGERS, linf_distance(T="i64"), measure, scale=scale)


# Losses are remembered: every act of one loss asks for the same, and OpenDP takes as long as for its draw.
@lru_cache(maxsize=1024)
def laplace_loss(scale: float, l1_sensitivity: int) -> float:
    """The epsilon that OpenDP proves for discrete Laplace noise of this scale."""
    return float(_laplace(scale).map(l1_sensitivity))


@lru_cache(maxsize=1024)
def gaussian_loss(scale: float, l2_sensitivity: float) -> float:
    """The rho that OpenDP proves for discrete Gaussian noise of this scale."""
    return float(_gaussian(scale).map(l2_sensitivity))


@lru_cache(maxsize=1024)
def noisy_max_loss(scale: float, sensitivity: int, *, permute_and_flip: bool) -> float:
    """The epsilon (permute-and-flip) or rho that OpenDP proves for a choice at this scale."""
    return float(_noisy_max(scale, permute_and_flip).map(sensitivity))
