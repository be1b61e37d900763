"""Tour: ten stops over the pages."""

import streamlit as st

from hmpb_core.publishing.zones import Zone
from pages.session.demo import load_demo
from pages.session.state import AppState, state
from pages.shared.layout import header, next_step
from pages.tour import strip
from pages.words.catalogue import t


def page(session: AppState) -> None:
    """Say where the tour leads; begin it, or take it up again."""
    header("tour", zones=[Zone.DECLARED])
    seen = session.tour.seen
    resumed = max(seen, default=0)
    if strip.on_private_table(session):
        st.warning(t("tour.private"), icon=":material/lock:")
        st.button(t("tour.load_demo"), key="tour_demo", on_click=load_demo, args=(session,))
    with st.container(horizontal=True):
        if st.button(t("tour.start"), type="primary", key="tour_start", icon=":material/tour:"):
            strip.start(session)
        if resumed and st.button(
            t("tour.resume", place=strip.stop_title(resumed)), key="tour_resume", icon=":material/redo:"
        ):
            strip.go_to(session, resumed)
    for stop, (name, _) in enumerate(strip.STOPS):
        mark = t("tour.seen") if stop in seen else ""
        place, why = strip.stop_title(stop), t(f"tour.stops.{name}.why")
        st.markdown(t("tour.line", place=place, why=why, seen=mark))
    next_step("tour", "data")


page(state())
