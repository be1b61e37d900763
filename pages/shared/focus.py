"""Where the focus goes when what had it is gone: a pressed button that the page draws no more, or not now.

The browser then puts it to the page's beginning, and who works by keyboard has to come all the way back.
"""

from __future__ import annotations

import streamlit as st

from pages.words.assets import template

NEXT = "focus_next"
"""Where a session keeps, until the next page is drawn, which widgets may get the focus."""


def then_focus(*keys: str) -> None:
    """Name the widgets of which the first that is there, and enabled, gets the focus if it is lost."""
    st.session_state[NEXT] = keys


def give_focus(*keys: str) -> None:
    """Give the focus if it is lost, to one of these widgets or of those that were named before."""
    with st.container():  # always there: else what lies below would move, and lose the focus itself
        if wanted := keys or st.session_state.pop(NEXT, ()):
            st.html(template("focus.html.j2").render(keys=wanted), unsafe_allow_javascript=True)
