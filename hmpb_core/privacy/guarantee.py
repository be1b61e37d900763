"""What is promised: currency, epsilon, delta and the neighbour relation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Any

from hmpb_core.errors import PlanError

MIN_EPSILON = 1e-3
MAX_EPSILON = 100.0
MAX_DELTA = 1e-3
DEFAULT_DELTA = 1e-9


class Currency(StrEnum):
    """What a privacy loss is counted in."""

    PURE = "pure"
    """epsilon; Laplace noise and the exponential mechanism."""
    ZCDP = "zcdp"
    """rho of zero-concentrated differential privacy; Gaussian noise."""


class Neighbors(StrEnum):
    """Which two tables must be hard to tell apart."""

    REPLACE_ONE = "replace-one"
    """They differ in the values of one row; the number of rows is public."""
    ADD_REMOVE = "add-remove"
    """One has one row more; the number of rows is private."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """A promise in (epsilon, delta) under a neighbour relation.

    Attributes:
        epsilon: Bound on the privacy loss.
        delta: Probability with which the bound may fail; 0 in the currency ``pure``.
        currency: What losses are counted in while the budget is being spent.
        neighbors: The neighbour relation.

    Example:
        >>> pure = Guarantee(epsilon=0.7, delta=0, currency=Currency.PURE)
        >>> pure.total
        Fraction(7, 10)
        >>> rho = Guarantee(epsilon=1.0, delta=1e-9).total
        >>> round(float(rho), 4), round(Guarantee(epsilon=1.0, delta=1e-9).epsilon_of(rho), 6)
        (0.015, 1.0)
    """

    epsilon: float
    delta: float = DEFAULT_DELTA
    currency: Currency = Currency.ZCDP
    neighbors: Neighbors = Neighbors.REPLACE_ONE

    def __post_init__(self) -> None:
        if not (_is_number(self.epsilon) and MIN_EPSILON <= self.epsilon <= MAX_EPSILON):
            raise PlanError(
                "epsilon is {epsilon}; it must lie between {lowest:g} and {highest:g}. 1 is a common choice.",
                epsilon=self.epsilon,
                lowest=MIN_EPSILON,
                highest=MAX_EPSILON,
            )
        if self.currency is Currency.PURE and self.delta != 0:
            raise PlanError(
                "delta is {delta:g}, but the guarantee 'pure' has delta 0; leave it out.", delta=self.delta
            )
        if self.currency is Currency.ZCDP and not 1e-30 <= self.delta <= MAX_DELTA:
            raise PlanError(
                "delta is {delta:g}; with 'zcdp' it must lie between 1e-30 and {highest:g}. {usual:g} is the "
                "default; keep it far below one over the number of rows.",
                delta=self.delta,
                highest=MAX_DELTA,
                usual=DEFAULT_DELTA,
            )

    @property
    def total(self) -> Fraction:
        """The whole budget in the currency: epsilon, or rho."""
        if self.currency is Currency.PURE:
            return Fraction(repr(float(self.epsilon)))
        return Fraction(rho_of(float(self.epsilon), self.delta))

    def epsilon_of(self, loss: Fraction | float) -> float:
        """Convert a loss in the currency to epsilon (at this guarantee's delta)."""
        if self.currency is Currency.PURE:
            return float(loss)
        return epsilon_of_rho(float(loss), self.delta)

    def to_dict(self) -> dict[str, Any]:
        """Give the guarantee as plain values."""
        return {
            "currency": self.currency.value,
            "epsilon": float(self.epsilon),
            "delta": self.delta,
            "neighbors": self.neighbors.value,
        }


def power_of_ten(value: float) -> str:
    """Write a very small or large number for people, to two digits: never as a programmer writes it.

    Example:
        >>> power_of_ten(1e-9), power_of_ten(5e-7), power_of_ten(0.05)
        ('10⁻⁹', '5 × 10⁻⁷', '0.05')
    """
    if value == 0 or 1e-3 <= abs(value) < 99.5:
        return f"{value:.2g}"
    mantissa, exponent = f"{value:.1e}".split("e")
    power = "10" + str(int(exponent)).translate(_SUPERSCRIPTS)
    return power if mantissa == "1.0" else f"{mantissa.removesuffix('.0')} × {power}"


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_GOLDEN = (math.sqrt(5) - 1) / 2
_ROUNDING = 1e-12
"""Relative margin for floating-point rounding: far more than the formula loses."""


@lru_cache(maxsize=4096)
def epsilon_of_rho(rho: float, delta: float) -> float:
    """Give the smallest epsilon for which rho-zCDP implies (epsilon, delta)-DP.

    For every alpha > 1, rho-zCDP implies (epsilon, delta)-DP with

        epsilon = alpha rho + log(1 - 1/alpha) + (log(1/delta) - log alpha) / (alpha - 1)

    so the search for the best alpha can make the bound loose, never wrong. Agrees with
    OpenDP's conversion to 1e-12, in 40 microseconds and without loading OpenDP.

    Source: [CKS2020, Proposition 12 (as numbered in arXiv v4)], at every order alpha, where
    rho-zCDP bounds the divergence by alpha rho.
    """
    if rho <= 0:
        return 0.0
    surprise = -math.log(delta)

    def bound(log_excess: float) -> float:
        excess = math.exp(log_excess)  # alpha - 1
        alpha = 1 + excess
        return alpha * rho - math.log1p(1 / excess) + (surprise - math.log(alpha)) / excess

    middle = 0.5 * math.log(surprise / rho)
    low, high = middle - 6.0, middle + 3.0
    inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_inner, at_outer = bound(inner), bound(outer)
    while high - low > 1e-9:
        if at_inner < at_outer:
            high, outer, at_outer = outer, inner, at_inner
            inner = high - _GOLDEN * (high - low)
            at_inner = bound(inner)
        else:
            low, inner, at_inner = inner, outer, at_outer
            outer = low + _GOLDEN * (high - low)
            at_outer = bound(outer)
    return max(0.0, min(at_inner, at_outer)) * (1 + _ROUNDING)


@lru_cache(maxsize=256)
def rho_of(epsilon: float, delta: float) -> float:
    """Give the largest rho (from below) for which rho-zCDP implies (epsilon, delta)-DP.

    Bisection on ``epsilon_of_rho``; the result never promises more than asked.
    """
    low, high = 0.0, epsilon  # rho-zCDP always costs more than rho at delta below 1/e
    for _ in range(60):
        middle = (low + high) / 2
        if epsilon_of_rho(middle, delta) <= epsilon:
            low = middle
        else:
            high = middle
        if high - low <= low * 1e-13:
            break
    return low
