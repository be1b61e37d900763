"""The whole audit: every mechanism, every method, in one run and in many, and the known leaks beside them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from hmpb_core import __version__
from hmpb_core.audit.bounds import at_least
from hmpb_core.audit.controls import (
    published_stage_one,
    too_little_noise,
    too_little_noise_replayed,
)
from hmpb_core.audit.evidence import LossMeasure, shown
from hmpb_core.audit.findings import FALSE_ALARMS, Audit, Finding, Kind
from hmpb_core.audit.kept import KeptFindings
from hmpb_core.audit.mechanisms import Door, Mechanism, mechanisms
from hmpb_core.audit.one_run import domain_of_canaries, one_run_of_pipeline, one_run_of_table
from hmpb_core.audit.pipelines import Way, counted_finding, replay_finding, ways
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.guarantee import Currency, Neighbors
from hmpb_core.progress import Progress, silent

Check = Callable[[], Finding]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much an audit runs.

    Attributes:
        tables: Runs of a mechanism on one cell, in either world.
        choices: Runs of a mechanism that chooses.
        surveys: Runs of a survey's threshold.
        canaries: Canaries of one run of one table.
        rows: Canary rows of one run of the whole pipeline.
        pipelines: Runs of a quick method, in either world.
        slow_pipelines: Runs of a method that takes ten times as long.
        replays: Exact replays of each method, from either table.
        controls: Whether the known leaks are run, which needs runs enough to see them.
    """

    tables: int
    choices: int
    surveys: int
    canaries: int
    rows: int
    pipelines: int
    slow_pipelines: int
    replays: int
    controls: bool = True


FULL = Size(
    tables=150_000,
    choices=70_000,
    surveys=1_000_000,
    canaries=150_000,
    rows=300,
    pipelines=600,
    slow_pipelines=150,
    replays=5,
)
SHORT = Size(
    tables=30_000,
    choices=3_000,
    surveys=40_000,
    canaries=30_000,
    rows=60,
    pipelines=60,
    slow_pipelines=12,
    replays=1,
)
TINY = Size(
    tables=3_000,
    choices=200,
    surveys=3_000,
    canaries=2_000,
    rows=40,
    pipelines=10,
    slow_pipelines=2,
    replays=1,
    controls=False,
)
"""For tests: sees nothing but gross faults, and runs everything once."""

REPLAYED = 3
"""Attributes of replayed tables."""
COUNTED = 2
"""Attributes of counted ones, which are run very often."""


def audit(
    size: Size = FULL,
    *,
    progress: Progress = silent,
    door: Door = Accountant,
    part: Path | None = None,
    resume: bool = False,
) -> Audit:
    """Audit everything that draws noise, on invented tables: no row of anybody is read.

    Every bound has its part of one small probability, so that an audit of a faultless program convicts it of
    anything at most once in a thousand times.

    Args:
        size: How much is run.
        progress: Told where the work is.
        door: What opens the accounts of single mechanisms; another one than the accountant is for tests.
        part: A file that keeps each finding as soon as it is made, and is gone at the end.
        resume: Take up what an interrupted audit of this version and size left there.

    Raises:
        InputError: there is nothing of this audit to take up in the file.
    """
    start = time.process_time()
    checks = list(_checks(size, 1.0, door))
    level = 1 - FALSE_ALARMS / len(checks)
    kept = None
    if part is not None:
        kept = KeptFindings(
            part, {"version": __version__, "checks": len(checks), **asdict(size)}, resume=resume
        )
    findings = list(kept.findings) if kept else []
    before = kept.seconds if kept else 0.0
    for number, (name, check) in enumerate(_checks(size, level, door)):
        if number < len(findings):
            continue
        progress(number / len(checks), name)
        since = time.process_time()
        findings.append(check())
        if kept is not None:
            kept.add(findings[-1], time.process_time() - since)
    progress(1.0, "audited")
    if kept is not None:
        kept.done()
    return Audit(findings=tuple(findings), seconds=before + time.process_time() - start)


def _checks(size: Size, level: float, door: Door) -> Iterator[tuple[str, Check]]:
    for mechanism in mechanisms():
        yield mechanism.name, partial(of_mechanism, mechanism, size, level=level, door=door)
    rng = np.random.default_rng()
    for currency in Currency:
        for neighbors in Neighbors:
            yield (
                "one run of a table",
                partial(
                    one_run_of_table,
                    door,
                    currency,
                    neighbors,
                    canaries=size.canaries,
                    level=level,
                    rng=rng,
                ),
            )
    for way in ways():
        yield way.name, partial(replay_finding, way, runs=size.replays, attributes=REPLAYED)
        yield way.name, partial(_one_run, way, size.rows, level, rng)
        runs = size.slow_pipelines if way.spec.learner == "adaptive" else size.pipelines
        yield way.name, partial(counted_finding, way, runs=runs, attributes=COUNTED, level=level)
    if size.controls:
        yield from _controls(size, level)


def _controls(size: Size, level: float) -> Iterator[tuple[str, Check]]:
    """The known leaks; a mechanism's conviction needs enough runs, so that only tables are tried."""
    for mechanism in mechanisms():
        if mechanism.name.startswith("table") and not mechanism.name.endswith("shares"):
            yield mechanism.name, partial(too_little_noise, mechanism, runs=size.tables, level=level)
    for way in ways():
        if way.spec.learner == "independent":
            yield way.name, partial(too_little_noise_replayed, way, attributes=REPLAYED)
    yield "published stage 1", partial(published_stage_one, runs=size.tables // 3, level=level)


def _one_run(way: Way, rows: int, level: float, rng: np.random.Generator) -> Finding:
    plan = way.plan(domain_of_canaries(rows, way.neighbors), rows)
    return one_run_of_pipeline(plan, canaries=rows, level=level, rng=rng, name=way.name)


def of_mechanism(mechanism: Mechanism, size: Size, *, level: float, door: Door = Accountant) -> Finding:
    """Audit one mechanism in many runs."""
    if mechanism.measure is LossMeasure.DELTA:
        told = mechanism.draw(door, size.surveys)[1]
        low, runs = at_least(int(told.sum()), told.size, 1 - level), told.size
    else:
        runs = size.choices if mechanism.chooses else size.tables
        found = shown(*mechanism.draw(door, runs), mechanism.measure, level=level)
        low, runs = found.low, found.runs
    return Finding(
        kind=Kind.MECHANISM,
        name=mechanism.name,
        currency=mechanism.currency,
        neighbors=mechanism.neighbors,
        measure=mechanism.measure,
        claimed=mechanism.claimed,
        low=low,
        level=level,
        runs=runs,
    )
