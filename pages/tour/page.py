import streamlit as st

from pages.session.demo import load_demo
from pages.session.state import state
from pages.shared.layout import Zone, header, next_step
from pages.tour import strip
from pages.words.catalogue import t

header("tour", zones=[Zone.DECLARED])
known = state()
tour = known.tour
resumed = max(tour.seen, default=0)
if strip.on_private_table(known):
    st.warning(t("tour.private"), icon=":material/lock:")
    st.button(t("tour.load_demo"), key="tour_demo", on_click=load_demo, args=(known,))
with st.container(horizontal=True):
    if st.button(t("tour.start"), type="primary", key="tour_start", icon=":material/tour:"):
        strip.start(known)
    if resumed and st.button(
        t("tour.resume", place=strip.stop_title(resumed)), key="tour_resume", icon=":material/redo:"
    ):
        strip.go_to(resumed)
for stop, (name, _) in enumerate(strip.STOPS):
    seen = t("tour.seen") if stop in tour.seen else ""
    st.markdown(t("tour.line", place=strip.stop_title(stop), why=t(f"tour.stops.{name}.why"), seen=seen))
next_step("tour", "data")
