import streamlit as st

from pages.explain.editions import controls, downloads, show_edition, unprotected
from pages.explain.subject import promise_of
from pages.session.state import state
from pages.shared.errors import guard
from pages.shared.layout import Zone, header, next_step

header("explain", zones=[Zone.DECLARED])
known = state()
with guard():
    dataset = controls(known)
    promise = promise_of(known, dataset)
    if promise is None:
        unprotected()
    else:
        show_edition(known, promise, dataset)
        st.divider()
        downloads(known, promise, dataset)
next_step("explain", "run")
