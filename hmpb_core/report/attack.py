"""A measured attack: the noise that a release draws, attacked on an invented table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from hmpb_core.marginal import Marginal
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.report.explain import PrivacyLoss

RUNS = 5000
LEVEL = 0.999
"""High, because an attack on Laplace noise reaches its ceiling, and chance must not look like a fault."""
_PARTS = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


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
        low = float(betaincinv(hits, runs - hits + 1, tail)) if hits else 0.0
        high = float(betaincinv(hits + 1, runs - hits, 1 - tail)) if hits < runs else 1.0
        return cls(hits / runs, low, high)


@dataclass(frozen=True, slots=True)
class AttackPoint:
    """One attacker's two rates."""

    false_alarms: Rate
    caught: Rate

    def breaks(self, limit: PrivacyLoss) -> bool:
        """Whether it stands above the ceiling by more than chance: then the noise is too small."""
        return self.caught.low > limit.caught(self.false_alarms.high)


def attack(
    guarantee: Guarantee, *, people: int = 1, rows_per_person: int = 1, runs: int = RUNS, level: float = LEVEL
) -> tuple[AttackPoint, ...]:
    """Attack one published table that takes the whole limit, many times over.

    Two invented tables differ in the rows of the people attacked. Each is published many times with
    real noise, through the accountant. The attacker knows both tables and answers by the log
    likelihood ratio of what is published, the best there is against one table. A first set of runs
    chooses the thresholds, a second one is counted.

    No row of anybody is read. What is found is a lower bound, from one attack: it can convict noise
    that is too small, and proves nothing of noise that is not.

    Source: the method of [JagielskiUO2020].

    Args:
        guarantee: The limit.
        people: How many people are attacked together.
        rows_per_person: Largest number of rows of one person.
        runs: Publications counted, of either table.
        level: Of the intervals.
    """
    tables = _neighbours(people * rows_per_person, guarantee.neighbors)

    def evidence(table: NDArray[np.int64]) -> NDArray[np.float64]:
        return _evidence(table, tables, guarantee, rows_per_person, runs)

    tried = np.concatenate([evidence(table) for table in tables])
    # At the smallest value everybody is accused: no attack.
    thresholds = np.unique(np.quantile(tried, _PARTS, method="higher"))
    without, with_people = (evidence(table) for table in tables)
    return tuple(
        AttackPoint(
            false_alarms=Rate.of(int((without >= threshold).sum()), runs, level),
            caught=Rate.of(int((with_people >= threshold).sum()), runs, level),
        )
        for threshold in thresholds
        if threshold > tried.min()
    )


def _neighbours(rows: int, neighbors: Neighbors) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Counts without and with the rows attacked, as different as neighbours can be."""
    if neighbors is Neighbors.REPLACE_ONE:
        return np.array([rows, 0]), np.array([0, rows])
    return np.array([rows, 0]), np.array([rows, rows])


def _evidence(
    table: NDArray[np.int64],
    tables: tuple[NDArray[np.int64], NDArray[np.int64]],
    guarantee: Guarantee,
    rows_per_person: int,
    runs: int,
) -> NDArray[np.float64]:
    """Publish a table many times; give the log likelihood ratio of each publication.

    All publications are drawn in one call, which is quicker: every count has its own noise.
    """
    budget = Budget(guarantee=guarantee, shares=Shares.from_weights(**_ALL_ON_TABLES))
    noisy = Accountant(budget, rows_per_person=rows_per_person).measure(
        Marginal(attributes=(0,), counts=np.tile(table, runs)),
        stage=Stage.ONE_WAY_TABLES,
        loss=guarantee.total,
        what="an invented table",
    )
    seen = noisy.counts.reshape(runs, -1)
    without, with_people = (np.abs(seen - counts) for counts in tables)
    if guarantee.currency is Currency.PURE:
        ratios = (without - with_people) / noisy.scale
    else:
        ratios = (without**2 - with_people**2) / (2 * noisy.scale**2)
    evidence: NDArray[np.float64] = ratios.sum(axis=1)
    return evidence.round(9)  # sums of equal parts must be equal, in whatever order


_ALL_ON_TABLES = {"one_way_tables": 1.0, "similarity": 0.0, "structure": 0.0, "conditional_tables": 0.0}
