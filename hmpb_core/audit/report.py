"""The attack report: every attack on runs of a plan on the steward's own table, under its ceiling.

For the steward alone: it looks at rows without noise. Nothing of it goes into a bundle, and no ledger is
charged, because nothing that was drawn leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hmpb_core.audit.bounds import Rate
from hmpb_core.audit.game import runs_of_game
from hmpb_core.audit.inference import Inferred, copies, infer_attribute, link, single_out
from hmpb_core.audit.membership import LEVEL, Point, membership
from hmpb_core.audit.replay import Door, Recorder
from hmpb_core.domain import Codes, Domain
from hmpb_core.errors import InputError
from hmpb_core.metrics.prediction import Target
from hmpb_core.planning.plan import Plan
from hmpb_core.progress import Progress, silent
from hmpb_core.report.explain import PrivacyLoss

RUNS = 20
LEAST_RUNS = 4
_PLAYED = 0.7
"""Part of the time that the runs take; the rest weighs them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackReport:
    """What attacks on runs of a plan found. Steward-only.

    Attributes:
        limit: What the plan promises.
        runs: Runs of the game.
        targets: Rows attacked in every run, in and out alike.
        membership: Three attacks at three rates of false alarms.
        inferred: What is inferred of a sensitive attribute; None where none was named.
        linked: How often two halves of a row find the same synthetic row.
        singled_out: How often a rare combination of a synthetic row has exactly one real row.
        copied: How many synthetic rows copy a real one.
    """

    limit: PrivacyLoss
    runs: int
    targets: int
    membership: tuple[Point, ...]
    inferred: Inferred | None
    linked: Point
    singled_out: Point
    copied: Point

    @property
    def points(self) -> tuple[Point, ...]:
        """All points, in the order in which they are told."""
        inferred = (self.inferred.point,) if self.inferred else ()
        return (*self.membership, *inferred, self.linked, self.singled_out, self.copied)

    @property
    def breaks(self) -> tuple[Point, ...]:
        """The points above their ceiling by more than chance."""
        return tuple(point for point in self.points if point.breaks)

    def to_dict(self) -> dict[str, Any]:
        """Give the report as plain values."""
        return {
            "zone": "steward-only",
            "epsilon": self.limit.epsilon,
            "delta": self.limit.delta,
            "rho": self.limit.rho,
            "runs": self.runs,
            "targets": self.targets,
            "level": LEVEL,
            "points": [_plain(point) for point in self.points],
            "sensitive": self.inferred.attribute if self.inferred else None,
            "leak_probability": self.inferred.point.caught.value if self.inferred else None,
            "commonest": self.inferred.commonest if self.inferred else None,
            "breaks": bool(self.breaks),
        }


def _plain(point: Point) -> dict[str, Any]:
    def rate(of: Rate) -> dict[str, float]:
        return {"value": of.value, "low": of.low, "high": of.high}

    return {
        "attack": point.attack,
        "asked": point.asked,
        "false_alarms": rate(point.false_alarms),
        "caught": rate(point.caught),
        "ceiling": point.ceiling,
        "breaks": point.breaks,
    }


def attack_report(
    codes: Codes,
    domain: Domain,
    plan: Plan,
    *,
    rng: np.random.Generator,
    sensitive: str | None = None,
    runs: int = RUNS,
    door: Door = Recorder,
    progress: Progress = silent,
) -> AttackReport:
    """Attack runs of a plan on a private table; see ``game`` for how rows come to be in or out.

    Args:
        codes: The private rows.
        domain: Their domain.
        plan: The plan, for half as many rows as the table has.
        rng: Everything that is no privacy noise.
        sensitive: Name of the attribute to be inferred.
        runs: How often the plan is run.
        door: What opens the accounts.
        progress: Told where the work is; may raise ``CancelledError``.

    Raises:
        InputError: too few rows or runs.
        DomainError: there is no such attribute.
    """
    if runs < LEAST_RUNS:
        raise InputError(
            "An attack of {runs} runs shows nothing; ask for {least} or more.", runs=runs, least=LEAST_RUNS
        )
    target = None if sensitive is None else Target(attribute=domain.index(sensitive))

    def playing(fraction: float, message: str) -> None:
        progress(_PLAYED * fraction, message)

    game = runs_of_game(codes, domain, plan, runs=runs, rng=rng, door=door, progress=playing)
    played = list(game)
    limit = PrivacyLoss.of(plan.guarantee)
    progress(_PLAYED, "membership")
    points = membership(played, domain, limit)
    progress(0.8, "inferring")
    inferred = infer_attribute(played, domain, target, limit) if target else None
    progress(0.9, "linking")
    return AttackReport(
        limit=limit,
        runs=runs,
        targets=len(played[0].inside),
        membership=points,
        inferred=inferred,
        linked=link(played, domain, limit),
        singled_out=single_out(played, domain, rng),
        copied=copies(played),
    )
