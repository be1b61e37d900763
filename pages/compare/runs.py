"""The page Compare's work: many plans on one public table, in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from hmpb_core.anonymize.anonymizer import Request
from hmpb_core.anonymize.beside import Aggregated, aggregate, requests_of
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Codes
from hmpb_core.encoding import encode
from hmpb_core.errors import CancelledError, PlanError
from hmpb_core.metrics.runs import Failed, attempted
from hmpb_core.metrics.sweep import Outcome, sweep, time_of
from hmpb_core.planning.bill import bill_of_plan
from hmpb_core.planning.methods import DEFAULT_METHOD, Accounting, learners_of, methods_under, spec_of
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.guarantee import MIN_EPSILON, Currency, Guarantee, Neighbors
from hmpb_core.privacy.unit import ROW, Unit
from hmpb_core.progress import Progress, part_of
from hmpb_core.sources.open import open_source
from hmpb_core.sources.simulated import simulated_rows
from hmpb_core.synthesis import make_plan
from pages.session.plan_settings import PlanSettings
from pages.session.state import Table
from pages.shared.job_panel import stage
from pages.words.catalogue import has, plain, t
from pages.words.guarantee import unit_of

KINDS = ("methods", "epsilon", "clusters")
SWEPT_EPSILONS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
SWEPT_CLUSTERS = (1, 2, 3, 4, 6)
STRENGTH = 0.6
MOST_ROWS = 50_000
MOST_GROUPED = 2_000
"""Rows that micro-aggregation gets: its time grows faster than the rows."""
TIME_GROUPED = 7.0
"""How long each of its methods takes on so many rows, in the units of ``metrics.sweep.time_of``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A finished comparison.

    Attributes:
        kind: What was varied.
        demo: Name of the demo table it ran on; empty for a table simulated from the codebook.
        n_rows: Rows of that table.
        outcomes: What each plan gave.
        left_out: Candidates that cannot run under this promise.
        plan: The page Plan's plan when it was asked for.
        aggregated: What micro-aggregation gave, where it was asked for: no differential privacy.
        grouped_rows: Rows that it got.
        failed: Candidates that could not be run, and why.
        stopped: Whether it was cancelled: it holds what had ended by then.
    """

    kind: str
    demo: str
    n_rows: int
    outcomes: list[Outcome]
    left_out: tuple[str, ...]
    plan: Plan
    aggregated: tuple[Aggregated, ...] = ()
    grouped_rows: int = 0
    failed: tuple[Failed, ...] = ()
    stopped: bool = False


def candidates(
    kind: str, settings: PlanSettings, codebook: Codebook, n_rows: int, unit: Unit = ROW
) -> tuple[list[tuple[str, Plan]], tuple[str, ...]]:
    """Give the plans to run, and the labels of those that cannot run under this promise.

    Labels are keys of the catalogue, or figures: a result outlives the language it was made in.
    """
    makers = {"methods": _methods, "epsilon": _epsilons, "clusters": _clusters}[kind](settings)
    kept, left_out = [], []
    for label, make in makers:
        try:
            plan = replace(make(codebook, n_rows), person=unit.column, rows_per_person=unit.rows)
            kept.append((label, plan))
        except PlanError:
            left_out.append(label)
    return kept, tuple(left_out)


def kinds_of(settings: PlanSettings) -> tuple[str, ...]:
    """What can be compared: numbers of clusters only of a method that makes clusters."""
    return tuple(kind for kind in KINDS if kind not in settings.idle)


Maker = tuple[str, Callable[[Codebook, int], Plan]]


def _make(settings: PlanSettings, guarantee: Guarantee, **changes: object) -> Callable[[Codebook, int], Plan]:
    """Give a maker of a plan: the page Plan's choices, with some of them changed."""
    given: dict[str, object] = {
        "method": settings.method,
        "accounting": settings.accounting,
        "learner": settings.other_learner,
        "clusters": settings.clusters or None,
        "max_parents": settings.max_parents or None,
        "sigma": settings.sigma,
        "gamma": settings.gamma,
    } | changes
    asked = (settings.method, settings.accounting, settings.other_learner)
    if (
        given["method"],
        given["accounting"],
        given["learner"],
    ) == asked:  # what else the steward chose for it
        given |= {
            "encoding": settings.encoding,
            "similarity": None if settings.published else settings.similarity,
            "eta": settings.eta,
            "n_vectors": settings.vectors or None,
            "weights": dict(settings.weights),
            "shares": settings.shares,
        }
    learner = given["learner"]
    spec = spec_of(
        str(given["method"]),
        Accounting(str(given["accounting"])),
        learner=None if learner is None else str(learner),
    )
    given["target"] = settings.target_for(spec)

    def make(codebook: Codebook, n_rows: int) -> Plan:
        return make_plan(guarantee, codebook.domain, n_rows=n_rows, **given)  # type: ignore[arg-type]

    return make


def _published(settings: PlanSettings, epsilon: float) -> Callable[[Codebook, int], Plan]:
    pure = Guarantee(epsilon=epsilon, delta=0.0, currency=Currency.PURE, neighbors=Neighbors.REPLACE_ONE)
    return _make(settings, pure, method=DEFAULT_METHOD, accounting=Accounting.AS_PUBLISHED, learner=None)


def _at_this_bill(settings: PlanSettings) -> Callable[[Codebook, int], Plan]:
    """The published method, its named epsilon lowered until its true bill is the promised one."""

    def make(codebook: Codebook, n_rows: int) -> Plan:
        epsilon = settings.guarantee.epsilon
        plan = _published(settings, 1.0)(codebook, n_rows)
        factor = bill_of_plan(plan, domain=codebook.domain).total or 1.0
        return _published(settings, max(epsilon / factor, MIN_EPSILON))(codebook, n_rows)

    return make


def label_of(label: str) -> str:
    """What a candidate of a comparison is called, in the reader's language of now."""
    named = f"compare.aggregated.{label}"
    return plain(label) if has(label) else plain(named) if has(named) else label


def doing(message: str) -> str:
    """Say which candidate is at work, or what else the work does."""
    name = label_of(message)
    return stage(message) if has(f"jobs.stage.{message}") or not message else t("compare.running", name=name)


def _methods(settings: PlanSettings) -> list[Maker]:
    promise = settings.guarantee
    sound = [
        (
            f"methods.{spec.name}.compared" if i == 0 else f"learners.{learner}.compared",
            _make(
                settings,
                promise,
                method=spec.name,
                accounting=Accounting.SOUND,
                learner=learner if i else None,
            ),
        )
        for spec in methods_under(Accounting.SOUND)
        if spec.releasable
        for i, learner in enumerate(learners_of(spec.name, Accounting.SOUND))
    ]
    unprotected = next(s for s in methods_under(Accounting.SOUND) if s.protection == "none")
    bare = _make(settings, promise, method=unprotected.name, accounting=Accounting.SOUND, learner=None)
    return [
        *sound,
        ("compare.method.published_fair", _at_this_bill(settings)),
        ("compare.method.published", _published(settings, promise.epsilon)),
        (f"methods.{unprotected.name}.compared", bare),
    ]


def _epsilons(settings: PlanSettings) -> list[Maker]:
    promise = settings.guarantee
    return [
        (
            f"{epsilon:g}",
            _make(
                settings,
                Guarantee(
                    epsilon=epsilon,
                    delta=promise.delta,
                    currency=promise.currency,
                    neighbors=promise.neighbors,
                ),
            ),
        )
        for epsilon in SWEPT_EPSILONS
    ]


def _clusters(settings: PlanSettings) -> list[Maker]:
    return [(f"{k}", _make(settings, settings.guarantee, clusters=k)) for k in SWEPT_CLUSTERS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """Micro-aggregation beside the methods: the page Anonymize's k, p and sensitive attribute."""

    k: int
    p: int
    sensitive: str


def sweep_work(
    kind: str,
    settings: PlanSettings,
    plan: Plan,
    codebook: Codebook,
    demo: Table | None,
    *,
    n_rows: int,
    repeats: int,
    grouping: Grouping | None = None,
) -> Callable[[Progress], Sweep]:
    """Give the work of a comparison on the demo, or on a table simulated from the codebook."""
    plans, left_out = candidates(kind, settings, codebook, n_rows, unit_of(plan))
    name = demo.name if demo else ""

    def work(progress: Progress) -> Sweep:
        progress(0.0, "encoding")
        rng = np.random.default_rng()
        if demo:
            frame = demo.frame.head(n_rows)
        else:
            frame = simulated_rows(codebook.domain, n_rows, STRENGTH, rng, codebook.rules)
        codes, source = encode(frame, codebook), open_source(frame, codebook)
        found = Sweep(kind=kind, demo=name, n_rows=len(codes), outcomes=[], left_out=left_out, plan=plan)
        requests, impossible = _requests(codes[:MOST_GROUPED], codebook, grouping)
        rows = frame.head(MOST_GROUPED)
        ours = sum(time_of(candidate) for _, candidate in plans)
        theirs = TIME_GROUPED * len(requests) * len(rows) / MOST_GROUPED
        part = ours / (ours + theirs) if plans else 0.0
        given = chain(
            sweep(codes, source, codebook, plans, repeats=repeats, progress=part_of(progress, 0.0, part)),
            aggregate(rows, codebook, requests, repeats=repeats, progress=part_of(progress, part, 1.0)),
            impossible,
        )
        outcomes, aggregated, failed, stopped = [], [], [], False
        try:
            for one in given:
                if isinstance(one, Outcome):
                    outcomes.append(one)
                elif isinstance(one, Aggregated):
                    aggregated.append(one)
                else:
                    failed.append(one)
        except CancelledError:
            if not outcomes:
                raise
            stopped = True
        return replace(
            found,
            outcomes=outcomes,
            aggregated=tuple(aggregated),
            grouped_rows=len(rows) if aggregated else 0,
            failed=tuple(failed),
            stopped=stopped,
        )

    return work


def _requests(
    codes: Codes, codebook: Codebook, grouping: Grouping | None
) -> tuple[list[Request], list[Failed]]:
    """What is asked of micro-aggregation, or why nothing can be."""
    if grouping is None:
        return [], []
    found = attempted(
        "any",
        lambda: requests_of(codes, codebook, k=grouping.k, p=grouping.p, sensitive=grouping.sensitive),
    )
    return ([], [found]) if isinstance(found, Failed) else (found, [])
