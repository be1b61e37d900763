"""A measured attack on whole runs of a plan, on two invented tables: the points beside the ceiling."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.audit.bounds import Rate
from hmpb_core.audit.evidence import CHOOSING
from hmpb_core.audit.pipelines import ROWS, both_ways, evidence_in, worlds
from hmpb_core.audit.replay import ROUNDING, Door, Recorder
from hmpb_core.domain import Domain
from hmpb_core.errors import PrivacyError
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.guarantee import Currency
from hmpb_core.progress import Progress, silent
from hmpb_core.report.explain import PrivacyLoss
from hmpb_core.synthesis import make_plan

SECONDS = 12.0
"""How long a reader waits for an attack."""
LEVEL = 0.999
"""High, because an attack on Laplace noise reaches its ceiling, and chance must not look like a fault."""
LEAST, MOST = 60, 5000
ATTRIBUTES = 2
_PARTS = (0.05, 0.25, 0.5, 0.75, 0.95)
_BATCH = 10


@dataclass(frozen=True, slots=True)
class AttackPoint:
    """One attacker's two rates."""

    false_alarms: Rate
    caught: Rate

    def breaks(self, limit: PrivacyLoss) -> bool:
        """Whether it stands above the ceiling by more than chance: then the noise is too small."""
        return self.caught.low > limit.caught(self.false_alarms.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacked:
    """What an attack measured.

    Attributes:
        points: One attacker each, from the strictest to the laxest.
        runs: Whole runs counted, of either table.
        faulty: Whether a replay showed, without any chance, that an act costs more than it was charged or
            that one person changes what is asked.
    """

    points: tuple[AttackPoint, ...]
    runs: int
    faulty: bool = False

    def breaks(self, limit: PrivacyLoss) -> bool:
        """Whether any point stands above the ceiling by more than chance, or a replay showed a fault."""
        return self.faulty or any(point.breaks(limit) for point in self.points)


def attack(
    plan: Plan,
    *,
    people: int = 1,
    seconds: float = SECONDS,
    runs: int | None = None,
    level: float = LEVEL,
    door: Door = Recorder,
    progress: Progress = silent,
) -> Attacked:
    """Attack whole runs of a plan: every table, similarity and choice of a run together.

    Two invented tables of two attributes differ in the rows of the people attacked. The plan's method is run
    on each from top to bottom, with the noise of a release, as often as the time allows. The attacker knows
    both tables, sees every noisy answer, of which all that is published is a function, and weighs the run by
    the log likelihood ratio of all answers: the best there is against two tables. The first fifth of the runs
    chooses the thresholds, the others are counted.

    No row of anybody is read. What is found is a lower bound, from one attack on two tables: it can convict
    noise that is too small, and proves nothing of noise that is not.

    Source: the method of [JagielskiUO2020] and [NasrEtAl2023].

    Args:
        plan: Says the method, the limit, the shares and how many rows a person has; what belongs to its own
            codebook (weights by hand, a target) is left out.
        people: How many people are attacked together.
        seconds: How long it may take.
        runs: Runs of either table, instead of a time.
        level: Of the intervals.
        door: What opens the accounts.
        progress: Told where the work is; may raise ``CancelledError``.
    """
    person = people * plan.rows_per_person
    n_rows = max(ROWS, 2 * person)
    tables = worlds(ATTRIBUTES, n_rows, plan.guarantee.neighbors, person=person)
    small = on_domain(plan, tables[0].domain, n_rows)
    start = time.monotonic()
    sides: tuple[list[float], list[float]] = ([], [])
    most = ROUNDING * (people if plan.guarantee.currency is Currency.PURE else people**2)
    faulty = False
    while _goes_on(len(sides[0]), start, seconds, runs):
        pairs = both_ways(small, tables, runs=min(_BATCH, runs or _BATCH), first=len(sides[0]), door=door)
        faulty |= not all(run.same and run.excess <= most for side in pairs for run in side)
        for side, evidence in zip(sides, evidence_in(pairs), strict=True):
            side.extend(evidence)
        progress(_fraction(len(sides[0]), start, seconds, runs), "attack")
    chosen = max(1, int(len(sides[0]) * CHOOSING))
    without, with_people = (np.array(side) for side in sides)
    tried = np.concatenate([without[:chosen], with_people[:chosen]])
    thresholds = np.unique(np.quantile(tried, _PARTS, method="higher"))[::-1]
    counted = without[chosen:], with_people[chosen:]
    if not len(counted[0]):
        return Attacked(points=(), runs=0, faulty=faulty)
    return Attacked(
        points=tuple(
            AttackPoint(*(_rate(side, threshold, level) for side in counted)) for threshold in thresholds
        ),
        runs=len(counted[0]),
        faulty=faulty,
    )


def require_unbroken(plan: Plan, *, door: Door = Recorder) -> None:
    """Refuse a plan whose runs give away more than they are charged for: a rehearsed attack.

    Runs the plan's method on two invented tables and replays each run on the other, with no chance in the
    verdict. It reads nobody's row, so that stopping a release tells nobody anything. An attack on the real
    table cannot stop a release in this way: that it was stopped would depend on the rows.

    Args:
        plan: The plan of the release.
        door: What opens the accounts.

    Raises:
        PrivacyError: an act costs more than it is charged, or one person changes what is asked.
    """
    if attack(plan, runs=1, door=door).faulty:
        raise PrivacyError(
            "A rehearsed attack on this plan found more than its limit allows, so nothing was charged. "
            "Release nothing with this version of the program, and report it as a fault of privacy."
        )


def on_domain(plan: Plan, domain: Domain, n_rows: int) -> Plan:
    """The same method, limit and shares for a table of another domain."""
    return make_plan(
        plan.guarantee,
        domain,
        n_rows=n_rows,
        method=plan.method,
        accounting=plan.accounting,
        shares=plan.shares,
        learner=plan.learner,
        rows_per_person=plan.rows_per_person,
        person=plan.person,
    )


def _goes_on(done: int, start: float, seconds: float, runs: int | None) -> bool:
    if runs is not None:
        return done < runs
    return done < LEAST or (time.monotonic() - start < seconds and done < MOST)


def _fraction(done: int, start: float, seconds: float, runs: int | None) -> float:
    if runs is not None:
        return min(1.0, done / runs)
    return min(1.0, done / LEAST, (time.monotonic() - start) / max(seconds, 1e-3))


def _rate(side: NDArray[np.float64], threshold: float, level: float) -> Rate:
    return Rate.of(int((side >= threshold).sum()), len(side), level)
