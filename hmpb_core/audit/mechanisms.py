"""Every mechanism of the accountant, run very often on two neighbouring inputs: the evidence of each run.

A mechanism alone is audited tightly: its two inputs differ as much as neighbours can, its noise is that of a
release, and the attacker weighs the answer by its known distribution. Many runs are drawn in one call where
the noise of one value knows nothing of the next, which is quicker; the scale is always the accountant's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.audit.evidence import LossMeasure
from hmpb_core.marginal import Marginal
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.events import Event
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.sensitivity import tvd_sensitivity
from hmpb_core.privacy.shares import NoiseShares

Array = NDArray[np.float64]
Door = Callable[..., Accountant]

PURE_EPSILON = 2.0
"""Where Clopper-Pearson bounds on a log ratio are tight with the fewest runs: the rarer rate is near 7 %."""
ZCDP_EPSILON = 14.0
"""A mu near 2: both rates of the middle threshold are near 16 %."""
GAUSSIAN_ROWS = 25
"""Rows a person in the Gaussian audit: the noise is then so wide that its being discrete is not seen."""
CHOICE_EPSILON = 6.0
"""In the currency ``zcdp`` a range of the loss near 2, where both log odds are told best."""
PARTIES = 3
SURVEY_EPSILON = 0.02
"""Noise so wide that the threshold, a whole number, can come close to its delta."""
SURVEY_DELTA = 0.004


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """One mechanism under one currency and relation.

    Attributes:
        name: What it is called in a report.
        currency: The currency.
        neighbors: The relation.
        measure: What it claims.
        claimed: How much of it.
        draw: Gives the evidence of many runs without the canary, and with it.
        chooses: Whether it chooses a candidate, which is drawn one by one.
    """

    name: str
    currency: Currency
    neighbors: Neighbors
    measure: LossMeasure
    claimed: float
    draw: Callable[[Door, int], tuple[Array, Array]]
    chooses: bool = False


def mechanisms() -> tuple[Mechanism, ...]:
    """All mechanisms by which anything leaves the accountant, under both relations."""
    return tuple(
        mechanism
        for neighbors in Neighbors
        for mechanism in (
            *(_tables(currency, neighbors) for currency in Currency),
            *(_tables(currency, neighbors, parties=PARTIES) for currency in Currency),
            *(_pairs(currency, neighbors) for currency in Currency),
            *(_choice(currency, neighbors, exponential) for currency, exponential in _CHOICES),
            *(_survey(currency, neighbors) for currency in Currency),
        )
    )


_CHOICES = ((Currency.PURE, False), (Currency.PURE, True), (Currency.ZCDP, True))


def guarantee_under(currency: Currency, neighbors: Neighbors) -> Guarantee:
    """The guarantee of which an audited mechanism takes all."""
    pure = currency is Currency.PURE
    return Guarantee(
        epsilon=PURE_EPSILON if pure else ZCDP_EPSILON,
        delta=0.0 if pure else 1e-9,
        currency=currency,
        neighbors=neighbors,
    )


def account(
    door: Door,
    guarantee: Guarantee,
    stage: Stage,
    *,
    rows: int = 1,
    events: Sequence[Event] | None = None,
    parties: int = 1,
) -> Accountant:
    """Open an account in which one stage has everything."""
    shares = Shares.from_dict({stage: Fraction(1)})
    budget = Budget(guarantee=guarantee, shares=shares)
    noise = None if parties == 1 else NoiseShares(parties=parties)
    return door(budget, rows_per_person=rows, events=events, delta=1.0, shares=noise)


def neighbours(rows: int, neighbors: Neighbors) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A table of counts without and with a person's rows, as different as neighbours can be."""
    if neighbors is Neighbors.REPLACE_ONE:
        return np.array([rows, 0]), np.array([0, rows])
    return np.array([rows]), np.array([2 * rows])


def weigh(seen: Array, without: Array, with_canary: Array, scale: float, currency: Currency) -> Array:
    """Log likelihood ratio of noisy values, summed over the last axis."""
    out, canary = np.abs(seen - without), np.abs(seen - with_canary)
    if currency is Currency.PURE:
        ratio = (out - canary).sum(axis=-1) / scale
    else:
        ratio = (out**2 - canary**2).sum(axis=-1) / (2 * scale**2)
    evidence: Array = ratio.round(9)  # sums of equal parts must be equal, in whatever order
    return evidence


def gaussian_mu(guarantee: Guarantee) -> float:
    """Mu of a Gaussian mechanism that takes all of a guarantee: sqrt(2 rho) [Dong2022, Theorem 1]."""
    return math.sqrt(2 * float(guarantee.total))


def _claim(guarantee: Guarantee) -> tuple[LossMeasure, float]:
    if guarantee.currency is Currency.PURE:
        return LossMeasure.EPSILON, guarantee.epsilon
    return LossMeasure.MU, gaussian_mu(guarantee)


def _noise_name(currency: Currency) -> str:
    return "Laplace" if currency is Currency.PURE else "Gaussian"


def _tables(currency: Currency, neighbors: Neighbors, *, parties: int = 1) -> Mechanism:
    guarantee = guarantee_under(currency, neighbors)
    rows = 1 if currency is Currency.PURE else GAUSSIAN_ROWS

    def draw(door: Door, runs: int) -> tuple[Array, Array]:
        tables = neighbours(rows, neighbors)
        seen = []
        for table in tables:
            opened = account(door, guarantee, Stage.ONE_WAY_TABLES, rows=rows, parties=parties)
            noisy = opened.measure(
                _marginal(np.tile(table, runs), parties),
                stage=Stage.ONE_WAY_TABLES,
                loss=guarantee.total,
                what="an invented table",
            )
            values = noisy.counts.reshape(runs, -1)
            out, canary = (t.astype(float) for t in tables)
            seen.append(weigh(values, out, canary, noisy.scale, currency))
        return seen[0], seen[1]

    measure, claimed = _claim(guarantee)
    return Mechanism(
        name=f"table of counts, {_noise_name(currency)}" + (", in shares" if parties > 1 else ""),
        currency=currency,
        neighbors=neighbors,
        measure=measure,
        claimed=claimed,
        draw=draw,
    )


def _marginal(counts: NDArray[np.int64], parties: int) -> Marginal:
    """A table of which the first party has every row, where there are several."""
    if parties == 1:
        return Marginal(attributes=(0,), counts=counts)
    parts = (counts, *(np.zeros_like(counts) for _ in range(parties - 1)))
    return Marginal(attributes=(0,), counts=counts, parts=parts)


def plenty(stage: Stage, loss: Fraction) -> Event:
    """An allowance that many repetitions of one act do not use up."""
    words: dict[str, Any] = {"what": "many", "sensitivity": None, "scale": None, "attribute_loss": ()}
    return Event(stage=stage, act="adaptive", loss=loss * 10**9, **words)


def _pairs(currency: Currency, neighbors: Neighbors) -> Mechanism:
    guarantee = guarantee_under(currency, neighbors)
    d = 2 if currency is Currency.PURE else 3  # with Laplace noise the more values, the rarer full evidence
    values = d * (d - 1) // 2
    sensitivity = tvd_sensitivity(neighbors)
    asked: dict[str, Any] = {
        "n_attributes": d,
        "sensitivity": sensitivity,
        "stage": Stage.SIMILARITY,
        "loss": guarantee.total,
        "what": "invented similarities",
    }

    def draw(door: Door, runs: int) -> tuple[Array, Array]:
        exact = (np.zeros(values), np.full(values, sensitivity))
        one = account(door, guarantee, Stage.SIMILARITY)
        one.measure_pairs(exact[0], **asked)
        scale = one.entries[0].scale
        assert scale is not None
        seen = []
        for value in exact:
            many = account(
                door, guarantee, Stage.SIMILARITY, events=[plenty(Stage.SIMILARITY, guarantee.total)]
            )
            noisy, _ = many.measure_pairs(np.tile(value, runs), scale_per_value=scale, **asked)
            seen.append(weigh(noisy.reshape(runs, -1), exact[0], exact[1], scale, currency))
        return seen[0], seen[1]

    measure, claimed = _claim(guarantee)
    return Mechanism(
        name=f"similarities of pairs, {_noise_name(currency)}",
        currency=currency,
        neighbors=neighbors,
        measure=measure,
        claimed=claimed,
        draw=draw,
    )


def _choice(currency: Currency, neighbors: Neighbors, exponential: bool) -> Mechanism:
    """Two candidates; the canary raises one's score and lowers the other's.

    Permute-and-flip loses its whole epsilon where the lower candidate stays the lower one; the exponential
    mechanism the whole range of its loss, wherever the scores are.
    """
    guarantee = guarantee_under(currency, neighbors)
    epsilon = guarantee.epsilon
    if currency is Currency.ZCDP:
        guarantee = replace(guarantee, epsilon=CHOICE_EPSILON)
        epsilon = math.sqrt(8 * float(guarantee.total))
    sensitivity = tvd_sensitivity(neighbors)
    permute = currency is Currency.PURE and not exponential
    unit = 2 * sensitivity / epsilon  # the scale, in scores
    gap = (0.0, 2 * sensitivity) if permute else (-sensitivity, sensitivity)
    scores = [np.array([0.0, g - (epsilon * unit if permute else 0.0)]) for g in gap]

    def draw(door: Door, runs: int) -> tuple[Array, Array]:
        seen = []
        for score in scores:
            one = account(door, guarantee, Stage.STRUCTURE, events=[plenty(Stage.STRUCTURE, guarantee.total)])
            chosen = [
                one.select(
                    score,
                    sensitivity=sensitivity,
                    stage=Stage.STRUCTURE,
                    loss=guarantee.total,
                    what="an invented choice",
                    attributes=(0,),
                    exponential=exponential,
                )
                for _ in range(runs)
            ]
            seen.append(np.array(chosen, dtype=float))
        return seen[0], seen[1]

    return Mechanism(
        name="choice, permute-and-flip" if permute else "choice, exponential mechanism",
        currency=currency,
        neighbors=neighbors,
        measure=LossMeasure.EPSILON if permute else LossMeasure.RANGE,
        claimed=epsilon,
        draw=draw,
        chooses=True,
    )


def _survey(currency: Currency, neighbors: Neighbors) -> Mechanism:
    """A value that one person alone has: how often its name gets out."""
    pure = currency is Currency.PURE
    guarantee = Guarantee(
        epsilon=SURVEY_EPSILON, delta=0.0 if pure else 1e-9, currency=currency, neighbors=neighbors
    )

    def draw(door: Door, runs: int) -> tuple[Array, Array]:
        told = np.zeros(runs)
        _, places = account(door, guarantee, Stage.ONE_WAY_TABLES).discover(
            np.ones(runs, dtype=np.int64),
            listed=0,
            delta=SURVEY_DELTA,
            stage=Stage.ONE_WAY_TABLES,
            loss=guarantee.total,
            what="invented values",
            attribute=0,
        )
        told[places] = 1.0
        return np.zeros(runs), told

    return Mechanism(
        name=f"survey, threshold on {_noise_name(currency)}",
        currency=currency,
        neighbors=neighbors,
        measure=LossMeasure.DELTA,
        claimed=SURVEY_DELTA,
        draw=draw,
    )
