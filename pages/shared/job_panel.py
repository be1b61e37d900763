"""Long work on the screen: progress, time left, cancel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.session.jobs import Job, JobState
from pages.shared.errors import show_error
from pages.words.catalogue import has, t

TICK_SECONDS = 0.5


def job_panel(job: Job, on_done: Callable[[Any], None]) -> None:
    """Show a job; call ``on_done`` with its result, once, on the page's next run after it ends.

    Args:
        job: The job.
        on_done: Takes the result, in the session's own script run.
    """
    if job.active:
        st.fragment(run_every=TICK_SECONDS)(_watch)(job)
    elif job.state is JobState.DONE and job.result is not None:
        result, job.result = job.result, None
        on_done(result)
    elif job.state is JobState.CANCELLED:
        st.info(t("common.cancelled" if job.charges else "common.cancelled_free"), icon=":material/block:")
    elif job.error is not None:
        show_error(job.error)


def _watch(job: Job) -> None:
    if not job.active:
        st.rerun()
    st.progress(job.fraction, text=describe(job))
    st.button(
        t("jobs.stopping" if job.stopping else "jobs.cancel"),
        key="job_cancel",
        on_click=job.cancel,
        disabled=job.stopping,
        icon=":material/stop_circle:",
    )


def describe(job: Job) -> str:
    """Say in words where a job is."""
    if job.state is JobState.QUEUED:
        return t("jobs.queued")
    stage = f"jobs.stage.{job.message}"
    doing = t(stage) if has(stage) else t("jobs.working")
    left = job.seconds_left
    if left is None:
        return t("jobs.progress", doing=doing, percent=round(100 * job.fraction))
    return t("jobs.progress_left", doing=doing, percent=round(100 * job.fraction), left=duration(left))


def duration(seconds: float) -> str:
    """Write a time span for people."""
    if seconds < 90:
        return t("jobs.seconds", n=max(1, round(seconds)))
    return t("jobs.minutes", n=round(seconds / 60))
