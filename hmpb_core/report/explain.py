"""What a privacy loss limit means for one person: closed forms, no data needed.

The reader imagines a guessing game. Somebody sees the release and must say whether one
person was in the table. Two errors are possible: a false alarm (saying "in" about somebody
who was not) and a miss. Every figure here is a ceiling over all attackers and all releases
that the limit allows; real attackers do worse, sometimes much worse.

    pure     epsilon-DP:            P(S | in) <= e^epsilon P(S | out)
    zcdp     rho-zCDP:              D_alpha(in || out) <= rho alpha for every alpha > 1
    approximate (epsilon, delta):   P(S | in) <= e^epsilon P(S | out) + delta
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hmpb_core.errors import PlanError
from hmpb_core.privacy.guarantee import Currency, Guarantee, epsilon_of_rho

ALMOST_CERTAIN = 0.95
"""From here on the ceiling alone is no comfort, and the page says so."""

MAX_GROUP = 100
_ORDERS = 1 + np.logspace(-3, 4, 160)
"""Orders alpha at which zCDP is used: leaving some out can only make a ceiling higher."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyLoss:
    """A limit on what a release may tell about one person (or a few together).

    Attributes:
        epsilon: The limit.
        delta: Probability with which it may be exceeded; 0 for pure epsilon.
        rho: The limit in zCDP where losses are counted in it; sharper than (epsilon, delta).
    """

    epsilon: float
    delta: float = 0.0
    rho: float | None = None

    def __post_init__(self) -> None:
        if not self.epsilon >= 0 or not 0 <= self.delta < 1:
            raise PlanError(
                "epsilon is {epsilon:g} and delta {delta:g}; epsilon is 0 or more, delta below 1.",
                epsilon=self.epsilon,
                delta=self.delta,
            )
        if self.rho is not None and not (self.rho >= 0 and self.delta > 0):
            raise PlanError("rho is {rho:g}; it is 0 or more and needs a delta above 0.", rho=self.rho)

    @classmethod
    def of(cls, guarantee: Guarantee) -> PrivacyLoss:
        """Read the limit that a guarantee promises."""
        if guarantee.currency is Currency.PURE:
            return cls(epsilon=guarantee.epsilon)
        return cls(epsilon=guarantee.epsilon, delta=guarantee.delta, rho=float(guarantee.total))

    def for_group(self, size: int) -> PrivacyLoss:
        """Give the limit for several people together: a couple, a household.

        Pure limits grow by the group's size, rho by its square; an (epsilon, delta) limit
        becomes (g epsilon, delta (e^(g epsilon) - 1) / (e^epsilon - 1)).

        Source: [Dwork2006, section 2]; [BS2016, Proposition 1.9]; [Vadhan2017, Lemma 2.2].
        """
        if not 1 <= size <= MAX_GROUP:
            raise PlanError(
                "The group has {people} people; it may have 1 to {most}.", people=size, most=MAX_GROUP
            )
        if size == 1:
            return self
        if self.rho is not None:
            rho = self.rho * size**2
            return PrivacyLoss(epsilon=epsilon_of_rho(rho, self.delta), delta=self.delta, rho=rho)
        epsilon = self.epsilon * size
        if self.delta == 0:
            return PrivacyLoss(epsilon=epsilon)
        growth = math.expm1(min(epsilon, 700.0)) / math.expm1(self.epsilon) if self.epsilon > 0 else size
        return PrivacyLoss(epsilon=epsilon, delta=min(self.delta * growth, 1 - 1e-12))

    @property
    def ratio(self) -> float:
        """How many times likelier any conclusion can become: e^epsilon (infinite beyond floats)."""
        return _exp(self.epsilon)

    @property
    def pointwise_epsilon(self) -> float:
        """The limit on the evidence of one release, all but a share delta of the releases.

            pure   epsilon
            zcdp   rho + 2 sqrt(rho log(1 / delta))

        An (epsilon, delta) limit speaks of sets of releases, so that a belief after *one*
        release needs a slightly larger epsilon. Without rho it is 2 epsilon, for all but a
        share 2 delta / (1 - e^-epsilon) of the releases.

        Source: [BS2016, Proposition 1.3 and its proof]; [KS2014, Lemma 3.3].
        """
        if self.delta == 0:
            return self.epsilon
        if self.rho is not None:
            return self.rho + 2 * math.sqrt(self.rho * math.log(1 / self.delta))
        return 2 * self.epsilon

    def belief(self, prior: float) -> float:
        """The most that somebody can believe afterwards who believed ``prior`` before.

            p e^epsilon / (1 - p + p e^epsilon)

        Bayes' rule with the largest allowed likelihood ratio; see ``pointwise_epsilon``.
        """
        return _belief(prior, self.pointwise_epsilon)

    def lowest_belief(self, prior: float) -> float:
        """The least that somebody can believe afterwards."""
        return _belief(prior, -self.pointwise_epsilon)

    def caught(self, false_alarms: float) -> float:
        """The largest chance to be recognised, for an attacker with this rate of false alarms.

            pure, (epsilon, delta)   min(e^epsilon a + delta, 1 - e^-epsilon (1 - delta - a), 1)
            zcdp                     the largest b with D_alpha between (b, 1 - b) and (a, 1 - a)
                                     at most rho alpha, both ways, for every alpha

        A test turns a release into one bit, and no processing raises a divergence; so the bit
        itself must obey the limit, and a mechanism that released just this bit would reach it.

        Source: [WZ2010, Theorem 2.4]; [Kairouz2015, Theorem 2.1]; [BS2016, Lemma 1.8]; [Dong2022].
        """
        if not 0 <= false_alarms <= 1:
            raise PlanError(
                "The rate of false alarms is {rate:g}; it lies between 0 and 1.", rate=false_alarms
            )
        if self.rho is not None:
            return _caught_by_rho(self.rho, false_alarms)
        rise = self.ratio * false_alarms + self.delta if false_alarms else self.delta
        bend = 1 - math.exp(-self.epsilon) * (1 - self.delta - false_alarms)
        return min(max(min(rise, bend), false_alarms), 1.0)

    @property
    def accuracy(self) -> float:
        """How often the best attacker is right where "in" and "out" are equally likely.

            pure               e^epsilon / (1 + e^epsilon)
            (epsilon, delta)   (e^epsilon + delta) / (1 + e^epsilon)
            zcdp               the largest c with D_alpha((c, 1 - c) || (1 - c, c)) <= rho alpha

        Source: [Kairouz2015]; for zcdp ``caught``, whose region is convex and symmetric, so
        that both errors are equal at the best point.
        """
        if self.rho is not None:
            return _accuracy_by_rho(self.rho)
        if self.epsilon > 700:
            return 1.0
        return min((self.ratio + self.delta) / (1 + self.ratio), 1.0)

    def curve(self, false_alarms: Sequence[float]) -> list[float]:
        """``caught`` at many rates: the ceiling that no attacker's ROC curve crosses."""
        return [self.caught(rate) for rate in false_alarms]


def _exp(value: float) -> float:
    return math.exp(value) if value <= 709 else math.inf


def _belief(prior: float, epsilon: float) -> float:
    if not 0 <= prior <= 1:
        raise PlanError("The belief before is {belief:g}; it lies between 0 and 1.", belief=prior)
    if prior in (0.0, 1.0):
        return prior
    odds = math.log(prior) - math.log1p(-prior) + epsilon
    return 1 / (1 + math.exp(-odds)) if odds >= 0 else math.exp(max(odds, -745.0)) / (1 + math.exp(odds))


def _divergences(one: float, other: float) -> NDArray[np.float64]:
    """(alpha - 1) D_alpha of two biased coins, at every order."""
    first = _ORDERS * math.log(one) + (1 - _ORDERS) * math.log(other)
    second = _ORDERS * math.log1p(-one) + (1 - _ORDERS) * math.log1p(-other)
    return np.logaddexp(first, second)


def _allowed(one: float, other: float, rho: float) -> bool:
    limit = (_ORDERS - 1) * _ORDERS * rho * (1 + 1e-12) + 1e-15
    return bool(np.all(_divergences(one, other) <= limit) and np.all(_divergences(other, one) <= limit))


def _highest(low: float, allowed: Callable[[float], bool]) -> float:
    """Bisect for the border of what is allowed, up to 1; errs upwards, as a ceiling must."""
    high = 1.0
    while high - low >= 1e-10:
        middle = (low + high) / 2
        if allowed(middle):
            low = middle
        else:
            high = middle
    return high


@lru_cache(maxsize=8192)
def _caught_by_rho(rho: float, false_alarms: float) -> float:
    if rho == 0 or false_alarms in (0.0, 1.0):
        return false_alarms
    return _highest(false_alarms, lambda rate: 0 < rate < 1 and _allowed(rate, false_alarms, rho))


@lru_cache(maxsize=1024)
def _accuracy_by_rho(rho: float) -> float:
    if rho == 0:
        return 0.5
    return _highest(0.5, lambda right: right < 1 and _allowed(right, 1 - right, rho))
