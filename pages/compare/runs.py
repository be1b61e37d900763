"""The page Compare: many plans on one public table, in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.errors import PlanError
from hmpb_core.metrics.sweep import Outcome, sweep
from hmpb_core.planning.bill import bill_of_plan
from hmpb_core.planning.methods import DEFAULT_METHOD, Accounting, learners_of, methods_under, spec_of
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.guarantee import MIN_EPSILON, Currency, Guarantee, Neighbors
from hmpb_core.progress import Progress
from hmpb_core.sources.simulated import simulated
from hmpb_core.synthesis import make_plan
from pages.session.plan_settings import PlanSettings
from pages.session.state import Table
from pages.shared.figures_utility import protected_bars, tradeoff
from pages.shared.layout import show_chart
from pages.words.catalogue import number, one_in, plain, t

KINDS = ("methods", "epsilon", "clusters")
SWEPT_EPSILONS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
SWEPT_CLUSTERS = (1, 2, 3, 4, 6)
STRENGTH = 0.6
MOST_ROWS = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A finished comparison.

    Attributes:
        kind: What was varied.
        where: On which table, in words.
        n_rows: Rows of that table.
        outcomes: What each plan gave.
        left_out: Candidates that cannot run under this promise.
    """

    kind: str
    where: str
    n_rows: int
    outcomes: list[Outcome]
    left_out: tuple[str, ...]


def candidates(
    kind: str, settings: PlanSettings, codebook: Codebook, n_rows: int
) -> tuple[list[tuple[str, Plan]], tuple[str, ...]]:
    """Give the plans to run, and the labels of those that cannot run under this promise."""
    makers = {"methods": _methods, "epsilon": _epsilons, "clusters": _clusters}[kind](settings)
    kept, left_out = [], []
    for label, make in makers:
        try:
            kept.append((label, make(codebook, n_rows)))
        except PlanError:
            left_out.append(label)
    return kept, tuple(left_out)


Maker = tuple[str, Callable[[Codebook, int], Plan]]


def _make(settings: PlanSettings, guarantee: Guarantee, **changes: object) -> Callable[[Codebook, int], Plan]:
    """Give a maker of a plan: the page Plan's choices, with some of them changed."""

    def target(method: object, accounting: object) -> str | None:
        spec = spec_of(str(method), Accounting(str(accounting)))
        return settings.target if spec.classifies else None

    given: dict[str, object] = {
        "method": settings.method,
        "accounting": settings.accounting,
        "clusters": settings.clusters or None,
        "max_parents": settings.max_parents or None,
        "eta": settings.eta,
        "sigma": settings.sigma,
        "gamma": settings.gamma,
    } | changes
    if given["method"] == settings.method and given["accounting"] == settings.accounting:
        given.setdefault("learner", settings.other_learner)
    given["target"] = target(given["method"], given["accounting"])

    def make(codebook: Codebook, n_rows: int) -> Plan:
        return make_plan(guarantee, codebook.domain, n_rows=n_rows, **given)  # type: ignore[arg-type]

    return make


def _published(settings: PlanSettings, epsilon: float) -> Callable[[Codebook, int], Plan]:
    pure = Guarantee(epsilon=epsilon, delta=0.0, currency=Currency.PURE, neighbors=Neighbors.REPLACE_ONE)
    return _make(settings, pure, method=DEFAULT_METHOD, accounting=Accounting.AS_PUBLISHED)


def _at_this_bill(settings: PlanSettings) -> Callable[[Codebook, int], Plan]:
    """The published method, its named epsilon lowered until its true bill is the promised one."""

    def make(codebook: Codebook, n_rows: int) -> Plan:
        epsilon = settings.guarantee.epsilon
        plan = _published(settings, 1.0)(codebook, n_rows)
        factor = bill_of_plan(plan, domain=codebook.domain).total or 1.0
        return _published(settings, max(epsilon / factor, MIN_EPSILON))(codebook, n_rows)

    return make


def _methods(settings: PlanSettings) -> list[Maker]:
    promise = settings.guarantee
    sound = [
        (
            plain(f"compare.method.{spec.name}") if i == 0 else plain(f"compare.learner.{learner}"),
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
    bare = _make(settings, promise, method=unprotected.name, accounting=Accounting.SOUND)
    return [
        *sound,
        (plain("compare.method.published_fair"), _at_this_bill(settings)),
        (plain("compare.method.published"), _published(settings, promise.epsilon)),
        (plain("compare.method.noprivacy"), bare),
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


def sweep_work(
    kind: str, settings: PlanSettings, codebook: Codebook, demo: Table | None, *, n_rows: int, repeats: int
) -> Callable[[Progress], Sweep]:
    """Give the work of a comparison on the demo, or on a table simulated from the codebook."""
    plans, left_out = candidates(kind, settings, codebook, n_rows)
    where = plain("compare.on_demo", table=demo.name) if demo else plain("compare.on_stand_in")
    frame = demo.frame.head(n_rows) if demo else None

    def work(progress: Progress) -> Sweep:
        progress(0.0, "encoding")
        if frame is not None:
            codes = encode(frame, codebook)
        else:
            codes = simulated(codebook.domain, n_rows, STRENGTH, np.random.default_rng())
        outcomes = sweep(codes, codebook.domain, plans, repeats=repeats, progress=progress)
        return Sweep(kind=kind, where=where, n_rows=len(codes), outcomes=outcomes, left_out=left_out)

    return work


def show(found: Sweep, settings: PlanSettings) -> None:
    """Show a finished comparison."""
    st.markdown(t("compare.made", where=found.where, rows=number(found.n_rows)))
    if found.left_out:
        st.caption(t("compare.left_out", names=", ".join(found.left_out)))
    if not found.outcomes:
        st.info(t("compare.nothing"), icon=":material/info:")
        return
    table = pd.DataFrame([_row(found.kind, outcome) for outcome in found.outcomes])
    errors = [outcome.error for outcome in found.outcomes]
    spreads = [outcome.spread for outcome in found.outcomes]
    if found.kind == "methods":
        drawn = protected_bars(
            [outcome.label for outcome in found.outcomes],
            errors,
            spreads,
            [not outcome.unpaid for outcome in found.outcomes],
            names=(plain("compare.carries"), plain("compare.carries_not")),
            unit=plain("compare.error"),
        )
    else:
        places = [float(outcome.label) for outcome in found.outcomes]
        triples = [float(np.mean(outcome.triples)) for outcome in found.outcomes]
        ranges = [(max(o.triples) - min(o.triples)) / 2 for o in found.outcomes]
        drawn = tradeoff(
            {
                plain("compare.pairs"): (places, errors, spreads),
                plain("compare.triples"): (places, triples, ranges),
            },
            axes=(plain(f"compare.axis.{found.kind}"), plain("compare.error")),
            log=found.kind == "epsilon",
            here=settings.epsilon if found.kind == "epsilon" else settings.clusters or None,
            here_name=plain("compare.here"),
        )
    if found.kind == "methods":
        st.markdown(conclusion(found.outcomes))
    show_chart(drawn, table, caption=plain(f"compare.caption.{found.kind}"), key=f"compare_{found.kind}")


def promise_of(outcome: Outcome) -> str:
    """What kind of guarantee an outcome is under, in a few words."""
    plan = outcome.plan
    if plan.spec.protection == "none" or outcome.total is None:
        return plain("compare.promise.none")
    if plan.spec.protection == "published":
        factor = outcome.total / plan.guarantee.epsilon
        kind = "published_more" if outcome.unpaid else "published"
        return plain(f"compare.promise.{kind}", factor=number(factor))
    neighbors = plain(f"common.neighbors.{plan.guarantee.neighbors}")
    return plain("compare.promise.paid", currency=plan.guarantee.currency.value, neighbors=neighbors)


def conclusion(outcomes: list[Outcome]) -> str:
    """One sentence: which is nearest among those under one and the same guarantee, and who is not ranked."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.plan.spec.releasable and outcome.total is not None and not outcome.unpaid:
            groups.setdefault(promise_of(outcome), []).append(outcome)
    if not groups:
        return t("compare.conclusion.none")
    promise, ranked = max(groups.items(), key=lambda entry: len(entry[1]))
    ranked = sorted(ranked, key=lambda outcome: outcome.error)
    others = len(outcomes) - len(ranked)
    if len(ranked) == 1:
        return t("compare.conclusion.one", promise=promise, best=ranked[0].label, others=others)
    best, second = ranked[:2]
    # One run each says nothing of how much another run would differ.
    apart = len(best.pairs) > 1 and second.error - best.error > best.spread + second.spread
    return t(
        f"compare.conclusion.{'best' if apart else 'alike'}",
        promise=promise,
        best=best.label,
        second=second.label,
        error=number(best.error),
        second_error=number(second.error),
        others=others,
    )


def _row(kind: str, outcome: Outcome) -> dict[str, str]:
    promise = outcome.plan.guarantee
    board = {plain("compare.column.promise"): promise_of(outcome)} if kind == "methods" else {}
    if outcome.total is None:
        guarantee = plain("compare.no_protection")
    else:
        guarantee = plain(
            "compare.guarantee",
            total=number(outcome.total, 4),
            delta=one_in(promise.delta),
        )
        if outcome.unpaid:
            guarantee = plain("compare.unpaid", guarantee=guarantee)
    return {
        plain(f"compare.column.{kind}"): outcome.label,
        **board,
        plain("compare.column.guarantee"): guarantee,
        plain("compare.pairs"): f"{outcome.error:.4f} ± {outcome.spread:.4f}",
        plain("compare.triples"): f"{float(np.mean(outcome.triples)):.4f}",
        plain("compare.column.seconds"): f"{outcome.seconds:.1f}",
    }
