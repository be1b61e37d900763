"""The guided tour: ten stops over the pages, each saying why; it can be left and taken up again."""

from __future__ import annotations

import streamlit as st

from pages.session.demo import load_demo
from pages.session.state import AppState, Basis
from pages.shared.page_list import page_file
from pages.words.assets import ROOT
from pages.words.catalogue import Markdown, has, t

STOPS = (
    ("data", "data"),
    ("plan", "plan"),
    ("explain", "explain"),
    ("rehearse", "run"),
    ("similarity", "similarity"),
    ("networks", "networks"),
    ("weights", "weights"),
    ("utility", "utility"),
    ("bundle", "run"),
    ("ledger", "ledger"),
)
"""Name of each stop's texts, and its page."""


def stop_file(stop: int) -> str:
    """The script of a stop's page."""
    return page_file(STOPS[stop][1])


def stop_title(stop: int) -> Markdown:
    """A stop's number and name."""
    return t("tour.stop_title", number=stop + 1, name=t(f"tour.stops.{STOPS[stop][0]}.name"))


def go_to(session: AppState, stop: int) -> None:
    """Go to a stop; called while a page runs."""
    tour = session.tour
    tour.stop = stop
    tour.seen.add(stop)
    st.switch_page(stop_file(stop))


def start(session: AppState) -> None:
    """Begin at the first stop; a table that is loaded stays."""
    if session.table is None:
        load_demo(session)
    go_to(session, 0)


def to_do(session: AppState, name: str) -> Markdown:
    """What to do at a stop; with another table than the demo nothing is said of the demo's columns."""
    own = f"tour.stops.{name}.do_own"
    on_demo = session.table is not None and session.table.basis is Basis.DEMO
    return t(own) if has(own) and not on_demo else t(f"tour.stops.{name}.do")


def strip(session: AppState, page: str) -> None:
    """Show above a page where the tour is, why, and the way on.

    Args:
        session: The session.
        page: Name of the page that is about to run.
    """
    tour = session.tour
    if tour.stop is None or not (ROOT / stop_file(tour.stop)).is_file():
        return
    here = STOPS[tour.stop][1] == page
    with st.container(border=True, key="tour_strip"):
        name = STOPS[tour.stop][0]
        st.markdown(
            t("tour.strip", number=tour.stop + 1, stops=len(STOPS), name=t(f"tour.stops.{name}.name"))
        )
        if here:
            st.markdown(t(f"tour.stops.{name}.why"))
            st.markdown(t("tour.do", what=to_do(session, name)))
        with st.container(horizontal=True):
            if not here:
                if st.button(t("tour.return"), key="tour_return", icon=":material/undo:"):
                    go_to(session, tour.stop)
            elif tour.stop + 1 < len(STOPS):
                following = t(f"tour.stops.{STOPS[tour.stop + 1][0]}.name")
                if st.button(
                    t("tour.onward", name=following), key="tour_next", icon=":material/arrow_forward:"
                ):
                    go_to(session, tour.stop + 1)
            elif st.button(t("tour.finish"), key="tour_finish", icon=":material/flag:"):
                tour.stop = None
                st.switch_page(page_file("tour"))
            if (
                here
                and tour.stop
                and st.button(t("tour.back"), key="tour_back", icon=":material/arrow_back:")
            ):
                go_to(session, tour.stop - 1)
            if st.button(t("tour.leave"), key="tour_leave", icon=":material/close:"):
                tour.stop = None
                st.rerun()


def on_private_table(session: AppState) -> bool:
    """Whether somebody's table is loaded: the tour never replaces it unasked."""
    return session.table is not None and session.table.basis is Basis.PRIVATE
