import streamlit as st

from pages.components.editions import controls, downloads, show_edition, unprotected
from pages.components.explaining import promise_of
from pages.components.layout import Zone, header, next_step
from pages.components.messages import guard
from pages.components.state import state

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
