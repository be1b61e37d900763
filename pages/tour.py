import streamlit as st

from pages.components import touring
from pages.components.demo import load_demo
from pages.components.layout import Zone, header, next_step
from pages.components.state import state
from pages.components.text import t

header("tour", zones=[Zone.DECLARED])
known = state()
tour = known.tour
resumed = max(tour.seen, default=0)
if touring.on_private_table(known):
    st.warning(t("tour.private"), icon=":material/lock:")
    st.button(t("tour.load_demo"), key="tour_demo", on_click=load_demo, args=(known,))
with st.container(horizontal=True):
    if st.button(t("tour.start"), type="primary", key="tour_start", icon=":material/tour:"):
        touring.start(known)
    if resumed and st.button(
        t("tour.resume", place=touring.stop_title(resumed)), key="tour_resume", icon=":material/redo:"
    ):
        touring.go_to(resumed)
for stop, (name, _) in enumerate(touring.STOPS):
    seen = t("tour.seen") if stop in tour.seen else ""
    st.markdown(t("tour.line", place=touring.stop_title(stop), why=t(f"tour.stops.{name}.why"), seen=seen))
next_step("tour", "data")
