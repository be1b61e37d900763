"""Explain: what the promise means, for three readers."""

import streamlit as st

from hmpb_core.publishing.zones import Zone
from pages.explain.editions import controls, downloads, show_edition, unprotected
from pages.explain.own_attack import own_attack
from pages.explain.subject import promise_of
from pages.session.state import AppState, state
from pages.shared.errors import guard
from pages.shared.layout import header, next_step


def page(session: AppState) -> None:
    """Speak of the plan, or of numbers of the reader's own."""
    header("explain", zones=[Zone.DECLARED])
    with guard():
        dataset = controls(session)
        promise = promise_of(session, dataset)
        if promise is None:
            unprotected()
        else:
            show_edition(session, promise, dataset)
            st.divider()
            downloads(session, promise, dataset)
            own_attack(session)
    next_step("explain", "run")


page(state())
