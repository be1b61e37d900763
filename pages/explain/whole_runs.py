"""What an attack on whole runs of the plan measures; it begins when the ceiling is first shown.

It reads nobody's row, so what it measured for a plan serves every session of the server.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from hmpb_core.audit.attack import Attacked, attack
from hmpb_core.planning.plan import Plan
from hmpb_core.progress import Progress
from pages.explain.subject import Promise
from pages.session import jobs
from pages.session.choices import AttackSetting
from pages.session.state import AppState
from pages.shared.job_panel import job_panel
from pages.words.catalogue import t

SECONDS = 6.0
"""How long an attack goes on that nobody asked for."""
MOST_KEPT = 200


def measured(session: AppState, promise: Promise) -> Attacked | None:
    """Give what an attack on whole runs of this plan measured; begin one where none was made yet.

    Args:
        session: The session.
        promise: What the page speaks about.

    Returns:
        What was measured; None while it is being measured, or where nothing can be attacked.
    """
    plan, choices = promise.attacked, session.explain
    if plan is None:
        return None
    setting: AttackSetting = (
        plan.guarantee,
        plan.method,
        plan.spec.learner,
        plan.shares,
        promise.people,
        plan.rows_per_person,
    )
    if choices.attacking is not None and choices.attacking[0] != setting:
        choices.attacking[1].cancel()
        choices.attacking = None
    if choices.attack is None or choices.attack[0] != setting:
        kept = _kept().get(setting)
        if kept is None:
            _watch(session, setting, plan, promise.people)
            return None
        choices.attack = (setting, kept)
    found = choices.attack[1]
    if found.breaks(promise.loss):
        st.error(t("explain.analyst.attack.breaks"), icon=":material/report:")
    return found


def _watch(session: AppState, setting: AttackSetting, plan: Plan, people: int) -> None:
    """Show how far the attack is; begin it where none is under way."""
    choices = session.explain
    if choices.attacking is None:
        choices.attacking = (setting, jobs.start("whole runs", _work(plan, people)))
    job = choices.attacking[1]
    if job.state is not jobs.JobState.CANCELLED:
        st.caption(t("explain.analyst.attack.running"))
        job_panel(job, partial(_keep, session, setting))
    if not job.active and st.button(t("explain.analyst.attack.go"), icon=":material/target:", key="attack"):
        choices.attacking = None
        st.rerun()


def _work(plan: Plan, people: int) -> Callable[[Progress], Attacked]:
    def work(progress: Progress) -> Attacked:
        return attack(plan, people=people, seconds=SECONDS, progress=progress)

    return work


def _keep(session: AppState, setting: AttackSetting, found: Attacked) -> None:
    session.explain.attacking = None
    session.explain.attack = (setting, found)
    kept = _kept()
    if len(kept) >= MOST_KEPT:
        kept.pop(next(iter(kept)))
    kept[setting] = found
    st.rerun()


@st.cache_resource
def _kept() -> dict[AttackSetting, Attacked]:
    return {}
