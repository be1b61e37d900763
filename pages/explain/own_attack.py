"""Attacks on the loaded table: runs of the plan on half of its rows, under the ceiling of its limit."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from hmpb_core.audit.bounds import Rate
from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.planning.plan import Plan
from hmpb_core.progress import Progress
from hmpb_core.publishing.zones import Labelled, Zone, declared, steward_only
from pages.explain.figures_attack import EDGE, Measured, roc
from pages.session import jobs
from pages.session.state import AppState, Basis, Table
from pages.session.widgets import bound
from pages.shared.downloads import keep_inside
from pages.shared.job_panel import job_panel
from pages.shared.layout import fold, show_chart, zone_badge
from pages.words.catalogue import listed, plain, t, with_percent

if TYPE_CHECKING:
    from hmpb_core.audit.report import AttackReport  # loads slowly

MOST_ROWS = 10_000
"""Rows that are attacked at most, drawn by chance: enough for rates of 1 in 1,000, and done in minutes."""
RUNS = (6, 10, 20, 40, 80)
MOST_VALUES = 20
"""Values of an attribute that can be inferred."""
RATES = tuple(float(rate) for rate in np.logspace(np.log10(EDGE), 0, 60))
TOLD = 0.01
"""The rate of false alarms that the sentence names."""


def own_attack(session: AppState) -> None:
    """A closed box: attack runs of the plan on the loaded table, and what that found."""
    table, codebook = session.table, session.codebook
    if table is None or codebook is None or not session.ready:
        return
    box = fold(t("explain.attack.title"), key="own_attack", icon=":material/target:")
    if not box.open:
        return
    with box:
        zone_badge(_zone(table))
        st.markdown(t("explain.attack.what"))
        plan = session.plan
        if not plan.spec.releasable:
            st.info(t("explain.attack.no_ceiling"), icon=":material/info:")
            return
        _ask(session, table, codebook, plan)
        job = session.attack.job
        if job is not None and job.state is jobs.JobState.CANCELLED:
            st.caption(t("explain.attack.cancelled"))
        elif job is not None:
            job_panel(job, partial(_keep, session))
        if session.attack.outcome is not None:
            attacked, found = session.attack.outcome
            if attacked != plan:
                st.caption(t("explain.attack.other_plan"))
            show(found, _zone(table))


def own_attack_work(
    table: Table, codebook: Codebook, plan: Plan, *, sensitive: str, runs: int
) -> Callable[[Progress], tuple[Plan, AttackReport]]:
    """Give the work of attacking a table, with the plan; charges nothing, because nothing of it leaves.

    Args:
        table: The table.
        codebook: Its public codebook.
        plan: The plan whose runs are attacked.
        sensitive: Name of the attribute to be inferred; empty for none.
        runs: How often the plan is run.
    """
    frame = table.frame

    def work(progress: Progress) -> tuple[Plan, AttackReport]:
        from hmpb_core.audit.report import attack_report

        progress(0.0, "encoding")
        rng = np.random.default_rng()
        drawn = frame
        if len(frame) > MOST_ROWS:
            drawn = frame.iloc[rng.choice(len(frame), MOST_ROWS, replace=False)]
        return plan, attack_report(
            encode(drawn, codebook),
            codebook.domain,
            plan,
            rng=rng,
            sensitive=sensitive or None,
            runs=runs,
            progress=progress,
        )

    return work


def _ask(session: AppState, table: Table, codebook: Codebook, plan: Plan) -> None:
    choices, domain = session.attack, codebook.domain
    busy = choices.job is not None and choices.job.active
    few = [name for name, size in zip(domain.names, domain.sizes, strict=True) if size <= MOST_VALUES]
    left, right = st.columns(2)
    with left:
        bound(
            st.selectbox,
            t("explain.attack.sensitive"),
            choices,
            "sensitive",
            options=["", *few],
            format_func=lambda name: name or plain("explain.attack.nothing"),
            help=t("explain.attack.sensitive_help", most=MOST_VALUES),
            key="attack_sensitive",
        )
    with right:
        bound(
            st.select_slider,
            t("explain.attack.runs"),
            choices,
            "runs",
            options=RUNS,
            help=t("explain.attack.runs_help"),
            key="attack_runs",
        )
    if table.n_rows > MOST_ROWS:
        st.caption(t("explain.attack.drawn", most=f"{MOST_ROWS:,}"))
    if st.button(
        t("explain.attack.go"), type="primary", disabled=busy, key="attack_own", icon=":material/target:"
    ):
        work = own_attack_work(table, codebook, plan, sensitive=choices.sensitive, runs=choices.runs)
        choices.job = jobs.start("attack", work)
        st.rerun()


def _keep(session: AppState, found: tuple[Plan, AttackReport]) -> None:
    session.attack.outcome = found
    session.attack.job = None
    st.rerun()


def show(found: AttackReport, zone: Zone) -> None:
    """Say what the attacks found, draw it under the ceiling, and offer the figures.

    Args:
        found: What was found.
        zone: The zone of the table.
    """
    if found.breaks:
        st.error(t("explain.attack.breaks", names=_named(found)), icon=":material/report:")
    else:
        st.markdown(t("explain.attack.below"))
    told = [point for point in found.membership if point.asked == TOLD]
    best = max(told, key=lambda point: point.caught.value - point.false_alarms.value)
    st.markdown(
        t(
            "explain.attack.told",
            name=_name(best.attack),
            rate=with_percent(f"{100 * TOLD:g}"),
            caught=_percent(best.caught.value),
            alarms=_percent(best.false_alarms.value),
            most=_percent(best.false_alarms.high),
            ceiling=_percent(best.ceiling if best.ceiling is not None else 1.0),
        )
    )
    if found.inferred is not None:
        inferred = found.inferred
        st.markdown(
            t(
                "explain.attack.inferred",
                name=inferred.attribute,
                inside=_percent(inferred.point.caught.value),
                outside=_percent(inferred.point.false_alarms.value),
                commonest=_percent(inferred.commonest),
            )
        )
    show_chart(
        _figure(found),
        _table(found),
        caption=plain("explain.attack.caption", runs=found.runs, targets=found.targets),
        key="explain_own_attack",
        below=True,
    )
    st.caption(t("explain.attack.copies"))
    inside = zone is Zone.STEWARD_ONLY
    keep_inside(
        t("explain.attack.json"),
        lambda: _labelled(found, zone),
        "attack.json",
        "application/json",
        key="attack_json",
        zone=zone,
        help_text=t("explain.attack.inside" if inside else "explain.attack.public"),
    )


def _labelled(found: AttackReport, zone: Zone) -> Labelled[str | bytes]:
    content = json.dumps({**found.to_dict(), "zone": zone.value}, ensure_ascii=False, indent=1) + "\n"
    return steward_only(content) if zone is Zone.STEWARD_ONLY else declared(content)


def _zone(table: Table) -> Zone:
    return Zone.STEWARD_ONLY if table.basis is Basis.PRIVATE else Zone.DECLARED


def _figure(found: AttackReport) -> Any:
    attacks = dict.fromkeys(point.attack for point in found.points if point.ceiling is not None)
    return roc(
        RATES,
        found.limit.curve(RATES),
        axes=(plain("explain.attack.alarms_axis"), plain("explain.attack.caught_axis")),
        names=(plain("explain.analyst.ceiling"), plain("explain.analyst.guessing")),
        measured=[
            Measured(
                name=_name(attack),
                points=[(p.false_alarms, p.caught) for p in found.points if p.attack == attack],
            )
            for attack in attacks
        ],
        few=True,
    )


def _table(found: AttackReport) -> pd.DataFrame:
    names = ("attack", "asked", "outside", "inside", "ceiling", "verdict")
    rows = [
        (
            _name(point.attack),
            "–" if point.asked is None else with_percent(f"{100 * point.asked:g}"),
            _interval(point.false_alarms),
            _interval(point.caught),
            "–" if point.ceiling is None else _percent(point.ceiling),
            plain(f"explain.attack.verdict.{_verdict(point.ceiling, point.breaks)}"),
        )
        for point in found.points
    ]
    return pd.DataFrame(rows, columns=[plain(f"explain.attack.column.{name}") for name in names])


def _verdict(ceiling: float | None, breaks: bool) -> str:
    if ceiling is None:
        return "none"
    return "above" if breaks else "below"


def _named(found: AttackReport) -> str:
    return listed(dict.fromkeys(_name(point.attack) for point in found.breaks))


def _name(attack: str) -> str:
    return plain(f"explain.attack.name.{attack.replace(' ', '_')}")


def _interval(rate: Rate) -> str:
    return f"{_percent(rate.value)} ({100 * rate.low:.2f}–{100 * rate.high:.2f})"


def _percent(rate: float) -> str:
    return with_percent(f"{100 * rate:.2f}")
