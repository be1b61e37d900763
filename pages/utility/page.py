"""Utility: exact figures of the last result beside a second sample's, for the steward alone."""

from functools import partial

import streamlit as st

from hmpb_core.publishing.zones import Zone
from pages.session import jobs
from pages.session.state import AppState, Basis, Result, Table, state
from pages.shared.errors import guard
from pages.shared.job_panel import job_panel
from pages.shared.layout import header, need_result, next_step, say_drawn
from pages.utility import panels, value_panels
from pages.utility.work import Found, comparison_work
from pages.words.catalogue import t


def page(session: AppState) -> None:
    """Compare the last result with the table it was learned from, once somebody asks."""
    header("utility", zones=[Zone.STEWARD_ONLY])
    result = need_result(session)
    table = result.source
    if result.basis is Basis.PRIVATE:
        st.warning(t("utility.keep_inside"), icon=":material/lock:")
    elif result.basis is Basis.STAND_IN:
        st.caption(t("utility.stand_in"))
    say_drawn(table)
    with guard():
        found = session.views.get("comparison")
        if found is None:
            ask(session, table, result)
        else:
            show(session, found, table, result)
    next_step("utility", "compare")


def ask(session: AppState, table: Table, result: Result) -> None:
    """Start the comparison on request, and show how far it is."""
    busy = session.utility.job is not None and session.utility.job.active
    if st.button(t("utility.go"), type="primary", disabled=busy, key="utility_go"):
        session.utility.job = jobs.start("utility", comparison_work(table, result))
        st.rerun()
    if session.utility.job is not None:
        job_panel(session.utility.job, partial(keep, session))


def keep(session: AppState, found: Found) -> None:
    """Keep the comparison with the result it belongs to."""
    session.views["comparison"] = found
    session.utility.job = None
    st.rerun()


def show(session: AppState, found: Found, table: Table, result: Result) -> None:
    """Show what the comparison found: the conclusion and its report first."""
    panels.conclusion(found, result)
    panels.overall(found)
    panels.worst_pairs(found, session)
    value_panels.values(found)
    value_panels.one_way(found, session, result.codebook)
    panels.dependences(found)
    panels.groups(found, result.codebook)
    value_panels.prediction(session, found, table, result)


page(state())
