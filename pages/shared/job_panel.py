"""Long work on the screen: progress, time left, cancel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.session.jobs import Job, JobState
from pages.shared.errors import show_error
from pages.shared.focus import give_focus, then_focus
from pages.words.catalogue import has, t

TICK_SECONDS = 0.5
BEGINNINGS = (
    "rehearse",
    "commit_go",
    "release_check",
    "utility_go",
    "utility_html",
    "compare_go",
    "experiments_go",
    "anonymize_go",
    "attack_own",
    "fold_survey",
)
"""Buttons that begin long work, which cannot be pressed while it lasts and so lose the focus; or what stands
in the place of one when it is done."""


def job_panel(job: Job, on_done: Callable[[Any], None], *, doing: Callable[[str], str] | None = None) -> None:
    """Show a job; call ``on_done`` with its result, once, on the page's next run after it ends.

    Args:
        job: The job.
        on_done: Takes the result, in the session's own script run.
        doing: Says a message of the work in the reader's language; None for the stages' words.
    """
    if job.active:
        give_focus("job_cancel")
        st.fragment(run_every=TICK_SECONDS)(_watch)(job, doing or stage)
    elif job.state is JobState.DONE and job.result is not None:
        result, job.result = job.result, None
        then_focus(*BEGINNINGS)  # again, for most pages are drawn once more before anybody sees this run
        on_done(result)
    elif job.state is JobState.CANCELLED:
        st.info(t("common.cancelled" if job.charges else "common.cancelled_free"), icon=":material/block:")
    elif job.error is not None:
        show_error(job.error)


def _watch(job: Job, doing: Callable[[str], str]) -> None:
    if not job.active:
        then_focus(*BEGINNINGS)
        st.rerun()
    st.progress(job.fraction, text=describe(job, doing))
    st.button(
        t("jobs.stopping" if job.stopping else "jobs.cancel"),
        key="job_cancel",
        on_click=job.cancel,
        disabled=job.stopping,
        icon=":material/stop_circle:",
    )


def stage(message: str) -> str:
    """Say in words which stage is at work."""
    key = f"jobs.stage.{message}"
    return t(key) if has(key) else t("jobs.working")


def describe(job: Job, doing: Callable[[str], str] = stage) -> str:
    """Say in words where a job is."""
    if job.state is JobState.QUEUED:
        return t("jobs.queued")
    said = doing(job.message)
    left = job.seconds_left
    if left is None:
        return t("jobs.progress", doing=said, percent=round(100 * job.fraction))
    return t("jobs.progress_left", doing=said, percent=round(100 * job.fraction), left=duration(left))


def duration(seconds: float) -> str:
    """Write a time span for people."""
    if seconds < 90:
        return t("jobs.seconds", n=max(1, round(seconds)))
    return t("jobs.minutes", n=round(seconds / 60))
