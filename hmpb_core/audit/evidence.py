"""From the evidence of many runs in two worlds to one bound, with the threshold chosen on other runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from hmpb_core.audit.bounds import (
    Rate,
    epsilon_of_rates,
    mu_of_rates,
    range_of_rates,
    rho_of_rates,
)

CHOOSING = 0.2
"""Part of the runs on which the threshold is chosen; the others are counted."""
_CANDIDATES = 200
_CHOOSING_LEVEL = 0.999


class LossMeasure(StrEnum):
    """What a mechanism claims, and an audit measures."""

    EPSILON = "epsilon"
    MU = "mu"
    """Of Gaussian differential privacy; sqrt(2 rho) of a Gaussian mechanism."""
    RANGE = "range"
    """Of the privacy loss of the exponential mechanism; sqrt(8 rho) in the currency ``zcdp``."""
    RHO = "rho"
    DELTA = "delta"


_OF_RATES: dict[LossMeasure, Callable[[float, float], float]] = {
    LossMeasure.EPSILON: epsilon_of_rates,
    LossMeasure.MU: mu_of_rates,
    LossMeasure.RANGE: range_of_rates,
    LossMeasure.RHO: rho_of_rates,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What runs in two worlds show.

    Attributes:
        low: The lower bound: what was lost is at least this, at the level asked for.
        estimate: The same of the rates themselves.
        false_alarms: How often "in" was said where it was false.
        caught: How often where it was true.
        runs: Runs counted in either world.
    """

    low: float
    estimate: float
    false_alarms: Rate
    caught: Rate
    runs: int


def shown(
    without: NDArray[np.float64], with_canary: NDArray[np.float64], measure: LossMeasure, *, level: float
) -> Shown:
    """Give the lower bound that runs in two worlds show.

    The attacker says "in" from a threshold of the evidence on. It is chosen on the first fifth of the runs,
    so that its choice costs no confidence, and counted on the others.

    Args:
        without: Evidence for the canary of every run without it.
        with_canary: And of every run with it.
        measure: What is bounded.
        level: Confidence of the bound.
    """
    of_rates = _OF_RATES[measure]
    tried = [side[: _chosen(side)] for side in (without, with_canary)]
    counted = [side[_chosen(side) :] for side in (without, with_canary)]
    pooled = np.concatenate(tried)
    quantiles = np.linspace(0.001, 0.999, _CANDIDATES)
    best, threshold = 0.0, float(np.median(pooled))  # the median, where too few were tried to tell
    for candidate in np.unique(np.quantile(pooled, quantiles, method="higher")):
        rates = _rates(tried, candidate, level=_CHOOSING_LEVEL)
        found = of_rates(rates[1].low, rates[0].high)
        if found > best:
            best, threshold = found, float(candidate)
    # Both rates must hold at once: each interval's far end is right but for half of what the level leaves.
    false_alarms, caught = _rates(counted, threshold, level=level)
    return Shown(
        low=of_rates(caught.low, false_alarms.high),
        estimate=of_rates(caught.value, false_alarms.value),
        false_alarms=false_alarms,
        caught=caught,
        runs=min(len(side) for side in counted),
    )


def _chosen(side: NDArray[np.float64]) -> int:
    return max(1, int(len(side) * CHOOSING))


def _rates(sides: list[NDArray[np.float64]], threshold: float, *, level: float) -> tuple[Rate, Rate]:
    without, with_canary = (Rate.of(int((side >= threshold).sum()), len(side), level) for side in sides)
    return without, with_canary
