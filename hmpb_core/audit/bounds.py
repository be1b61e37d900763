"""What rates of an attack prove: lower bounds on epsilon, mu, rho and a range, each with its confidence.

A mechanism is run in two worlds that differ in one person. An attacker says "in" or "out". How often they
say "in" where it is false, and where it is true, are two probabilities; a guarantee bounds one by the other.
Bounds on both probabilities at a level of confidence therefore give a lower bound on what was lost: a
guarantee below it is refuted, at that confidence. A low bound proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, betaincinv  # scipy.stats loads for half a second

_NORMAL = NormalDist()
_ORDERS = 1 + np.logspace(-3, 4, 160)
_STEPS = 60


def at_least(hits: int, runs: int, alpha: float) -> float:
    """Lower bound of Clopper and Pearson on a probability: wrong with probability at most alpha.

    Example:
        >>> round(at_least(10, 100, 0.025), 7)  # R: binom.test(10, 100)
        0.0490047
    """
    return float(betaincinv(hits, runs - hits + 1, alpha)) if hits else 0.0


def at_most(hits: int, runs: int, alpha: float) -> float:
    """Upper bound of Clopper and Pearson on a probability: wrong with probability at most alpha."""
    return float(betaincinv(hits + 1, runs - hits, 1 - alpha)) if hits < runs else 1.0


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened, and the interval that chance leaves."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, hits: int, runs: int, level: float) -> Rate:
        """Take the interval of Clopper and Pearson, which errs on the wide side."""
        tail = (1 - level) / 2
        return cls(hits / runs, at_least(hits, runs, tail), at_most(hits, runs, tail))


def epsilon_of_rates(caught: float, false_alarms: float, delta: float = 0.0) -> float:
    """The smallest epsilon of an (epsilon, delta) limit that allows these rates.

        max(log((b - delta) / a), log((1 - a - delta) / (1 - b)))

    Args:
        caught: b, or a lower bound on it.
        false_alarms: a, or an upper bound on it.
        delta: delta.

    Source: [Kairouz2015, Theorem 2.1]; with bounds for rates [JagielskiUO2020, Theorem 1].
    """
    pairs = ((caught - delta, false_alarms), (1 - false_alarms - delta, 1 - caught))
    return max(0.0, *(_log_ratio(over, under) for over, under in pairs))


def mu_of_rates(caught: float, false_alarms: float) -> float:
    """The smallest mu of Gaussian differential privacy that allows these rates: the gap of two quantiles.

    Source: [Dong2022, eq. 6]; with bounds for rates [NasrEtAl2023].
    """
    if caught <= false_alarms:
        return 0.0
    if caught >= 1 or false_alarms <= 0:
        return math.inf
    return _NORMAL.inv_cdf(caught) - _NORMAL.inv_cdf(false_alarms)


def range_of_rates(caught: float, false_alarms: float) -> float:
    """The smallest range of the privacy loss that allows these rates: the gap of two log odds.

    The loss of the exponential mechanism lies in an interval [t, t + epsilon]: then an event's log ratio is
    at most t + epsilon, and its complement's at least t.

    Source: [CesarRogers2021, bounded range].
    """
    if caught <= false_alarms:
        return 0.0
    if caught >= 1 or false_alarms <= 0:
        return math.inf
    return _log_ratio(caught, 1 - caught) - _log_ratio(false_alarms, 1 - false_alarms)


def rho_of_rates(caught: float, false_alarms: float) -> float:
    """The smallest rho of zCDP that allows these rates.

    The attacker's one bit obeys every limit that the release obeys: the Renyi divergence of order alpha
    between two coins of these rates is at most rho alpha, both ways.

    Source: [BS2016, Definition 1.1, Lemma 1.8].
    """
    if caught <= false_alarms:
        return 0.0
    if caught >= 1 or false_alarms <= 0:
        return math.inf
    return max(
        float(np.max(_divergences(one, other) / ((_ORDERS - 1) * _ORDERS)))
        for one, other in ((caught, false_alarms), (false_alarms, caught))
    )


def one_run_epsilon(canaries: int, guesses: int, right: int, *, alpha: float, delta: float = 0.0) -> float:
    """Lower bound on epsilon from one run with many canaries, each put in by the toss of a coin.

    Under (epsilon, delta) the number of right guesses is at most that of as many tosses of a coin that is
    right with probability e^eps / (1 + e^eps), but for a part that delta allows:

        P(right >= v) <= P(Bin(r, q) >= v) + 2 m delta max_i P(v > Bin(r, q) >= v - i) / i

    Source: [SteinkeNJ2023, Theorem 5.2, appendix D].

    Args:
        canaries: m, all that were tossed for.
        guesses: r, those that were guessed at.
        right: v.
        alpha: Probability with which the bound may be wrong.
        delta: delta.

    Example:
        >>> round(one_run_epsilon(1000, 100, 95, alpha=0.05), 2)
        2.17
    """

    def refuted(epsilon: float) -> bool:
        q = 1 / (1 + math.exp(-epsilon))
        beta = float(bdtrc(right - 1, guesses, q))
        if delta == 0 or beta > alpha:
            return beta <= alpha
        steps = np.arange(1, right + 1)
        between = bdtrc(right - steps - 1, guesses, q) - beta
        return beta + 2 * canaries * delta * float(np.max(between / steps, initial=0.0)) <= alpha

    return _largest(refuted)


def one_run_mu(canaries: int, guesses: int, right: int, *, alpha: float) -> float:
    """Lower bound on mu of Gaussian differential privacy from one run with many canaries.

    Source: [MahloujifarMC2024, Algorithm 3], with the trade-off function of the Gaussian mechanism.

    Args:
        canaries: m.
        guesses: How many were guessed at.
        right: How many of these were right.
        alpha: Probability with which the bound may be wrong.
    """

    def refuted(mu: float) -> bool:
        r, h = alpha * right / canaries, alpha * (guesses - right) / canaries
        for i in range(right - 1, -1, -1):
            raised = max(h, _NORMAL.cdf(_NORMAL.inv_cdf(r) - mu) if 0 < r < 1 else float(r >= 1))
            if raised == h:
                break
            if i < guesses:
                r = min(1.0, r + i / (guesses - i) * (raised - h))
            h = raised
        return r + h > guesses / canaries

    return _largest(refuted)


def _largest(refuted: Callable[[float], bool]) -> float:
    """The largest limit that is refuted, from below; 0 where none is."""
    if not refuted(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while refuted(high) and high < 1e3:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
        if high - low < 1e-9:
            break
    return low


def _log_ratio(over: float, under: float) -> float:
    if over <= 0:
        return -math.inf
    return math.log(over) - math.log(under) if under > 0 else math.inf


def _divergences(one: float, other: float) -> NDArray[np.float64]:
    """(alpha - 1) D_alpha of two biased coins, at every order."""
    first = _ORDERS * math.log(one) + (1 - _ORDERS) * math.log(other)
    second = _ORDERS * math.log1p(-one) + (1 - _ORDERS) * math.log1p(-other)
    both: NDArray[np.float64] = np.logaddexp(first, second)
    return both
