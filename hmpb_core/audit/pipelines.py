"""Every method from top to bottom, on two invented tables that differ in one row, the canary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hmpb_core.audit.evidence import LossMeasure, shown
from hmpb_core.audit.findings import Finding, Kind
from hmpb_core.audit.mechanisms import gaussian_mu, guarantee_under
from hmpb_core.audit.replay import ROUNDING, Door, Recorder, Replayed, replayed
from hmpb_core.domain import Domain
from hmpb_core.planning.methods import METHODS, Accounting, MethodSpec
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import make_plan

ROWS = 20
PIPELINE_EPSILON = 4.0
WRONG_QUESTION = "the neighbour is asked other questions"
WRONG_CHARGE = "an act costs more than it was charged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One method with one learner, under one currency and relation."""

    spec: MethodSpec
    currency: Currency
    neighbors: Neighbors

    @property
    def name(self) -> str:
        """The method's name, with its learner where it has several."""
        several = len(METHODS[self.spec.name, self.spec.accounting]) > 1
        return f"{self.spec.name} ({self.spec.learner})" if several else self.spec.name

    @property
    def guarantee(self) -> Guarantee:
        """What the audited plans promise."""
        if self.currency is Currency.PURE:
            return Guarantee(
                epsilon=PIPELINE_EPSILON, delta=0.0, currency=self.currency, neighbors=self.neighbors
            )
        return guarantee_under(self.currency, self.neighbors)

    def plan(self, domain: Domain, n_rows: int) -> Plan:
        """A plan for a table of this domain."""
        return make_plan(
            self.guarantee, domain, n_rows=n_rows, method=self.spec.name, learner=self.spec.learner
        )


def ways() -> Iterator[Way]:
    """All ways in which a releasable method can be run."""
    for (_, accounting), rows in METHODS.items():
        for spec in rows if accounting is Accounting.SOUND else ():
            if spec.releasable:
                for currency in spec.currencies:
                    for neighbors in spec.neighbors:
                        yield Way(spec=spec, currency=currency, neighbors=neighbors)


def worlds(
    n_attributes: int, n_rows: int, neighbors: Neighbors, *, person: int = 1, spared: int = 0
) -> tuple[MemorySource, MemorySource]:
    """Two tables without and with a canary: all zeros, and a person's rows of ones.

    Nobody differs more from all others: every count table moves as far as it can. Scores of choices then
    all move alike, which no choice shows; sparing an attribute moves some of them alone.

    Args:
        n_attributes: Attributes, each of two values.
        n_rows: Rows of the first table.
        neighbors: Whether the canary takes others' place or comes on top.
        person: Rows of the canary.
        spared: Attributes, the last ones, in which the canary is like all others.
    """
    domain = Domain.of_sizes([2] * n_attributes)
    zeros = np.zeros((n_rows, n_attributes), dtype=np.int32)
    ones = np.ones((person, n_attributes), dtype=np.int32)
    ones[:, n_attributes - spared :] = 0
    rest = zeros[person:] if neighbors is Neighbors.REPLACE_ONE else zeros
    return MemorySource(zeros, domain), MemorySource(np.concatenate([rest, ones]), domain)


def both_ways(
    plan: Plan,
    pair: tuple[MemorySource, MemorySource],
    *,
    runs: int,
    first: int = 0,
    door: Door = Recorder,
) -> tuple[list[Replayed], list[Replayed]]:
    """Run a plan many times on either table, each run replayed on the other; seeds count from ``first``."""
    out, canary = pair
    seeds = range(first, first + runs)
    without = [replayed(plan, out, canary, seed=seed, door=door) for seed in seeds]
    with_canary = [replayed(plan, canary, out, seed=seed, door=door) for seed in seeds]
    return without, with_canary


def evidence_in(
    pairs: tuple[list[Replayed], list[Replayed]],
) -> tuple[np.ndarray, np.ndarray]:
    """The evidence for the canary in the runs without it, and in those with it."""
    without, with_canary = pairs
    return np.array([r.evidence for r in without]), np.array([-r.evidence for r in with_canary])


def replay_finding(way: Way, *, runs: int, attributes: int, door: Door = Recorder) -> Finding:
    """Audit the exact loss of whole runs, act by act and together."""
    plan = way.plan(Domain.of_sizes([2] * attributes), ROWS)
    both = [
        run
        for spared in (0, 1)
        for side in both_ways(
            plan, worlds(attributes, ROWS, way.neighbors, spared=spared), runs=runs, door=door
        )
        for run in side
    ]
    fault = ""
    if not all(run.same for run in both):
        fault = WRONG_QUESTION
    elif any(run.excess > ROUNDING for run in both):
        fault = WRONG_CHARGE
    return Finding(
        kind=Kind.REPLAY,
        name=way.name,
        currency=way.currency,
        neighbors=way.neighbors,
        measure=LossMeasure.EPSILON if way.currency is Currency.PURE else LossMeasure.RHO,
        claimed=float(plan.guarantee.total),
        low=max(run.loss for run in both),
        level=1.0,
        runs=len(both),
        fault=fault,
    )


def counted_finding(way: Way, *, runs: int, attributes: int, level: float, door: Door = Recorder) -> Finding:
    """Audit whole runs by counting how often their evidence convicts.

    In the currency ``zcdp`` the claim is the mu of a Gaussian mechanism, where all acts are such, else rho.
    """
    plan = way.plan(Domain.of_sizes([2] * attributes), ROWS)
    pairs = both_ways(plan, worlds(attributes, ROWS, way.neighbors), runs=runs, door=door)
    measure, claimed = LossMeasure.EPSILON, plan.guarantee.epsilon
    if way.currency is Currency.ZCDP:
        measure, claimed = LossMeasure.RHO, float(plan.guarantee.total)
        if all(run.gaussian for side in pairs for run in side):
            measure, claimed = LossMeasure.MU, gaussian_mu(plan.guarantee)
    found = shown(*evidence_in(pairs), measure, level=level)
    return Finding(
        kind=Kind.PIPELINE,
        name=way.name,
        currency=way.currency,
        neighbors=way.neighbors,
        measure=measure,
        claimed=claimed,
        low=found.low,
        level=level,
        runs=found.runs,
    )
