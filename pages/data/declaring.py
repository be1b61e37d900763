"""Declaring guesses: why they are public knowledge, by which source, and on whose word."""

from __future__ import annotations

import streamlit as st

from hmpb_core.errors import DomainError
from hmpb_core.provenance import Grounds
from pages.data.drafts import apply_draft
from pages.data.fields import declare
from pages.session.login import who
from pages.session.state import AppState
from pages.words.catalogue import escape, plain, t
from pages.words.errors import sentence


def draw_declaration(session: AppState, names: list[str], *, key: str) -> None:
    """Draw the form that declares one guess, or several of the same source."""
    st.markdown(t("data.declare.what"))
    with st.form(f"{key}_form", border=False):
        columns = st.columns(3)
        columns[0].selectbox(
            t("data.declare.grounds"),
            [grounds.name.lower() for grounds in Grounds],
            format_func=lambda name: plain(f"data.grounds.{name}"),
            key=f"{key}_grounds",
        )
        columns[1].text_input(
            t("data.declare.name"), key=f"{key}_name", placeholder=plain("data.declare.example")
        )
        columns[2].text_input(t("data.declare.by"), value=who() or "", key=f"{key}_by")
        label = t("data.declare.one") if len(names) == 1 else t("data.declare.these", n=len(names))
        st.form_submit_button(
            label, on_click=_declare, args=(session, names, key), icon=":material/verified:", key=f"{key}_go"
        )
    fault = session.data.faults.get(key)
    if fault is not None:
        st.error(escape(sentence(fault)), icon=":material/error:")


def _declare(session: AppState, names: list[str], key: str) -> None:
    grounds = Grounds[str(st.session_state[f"{key}_grounds"]).upper()]
    name, by = str(st.session_state[f"{key}_name"]), str(st.session_state[f"{key}_by"])
    session.data.faults.pop(key, None)
    try:
        fields = [
            declare(entry, grounds, name=name, by=by) if entry.get("name") in names else entry
            for entry in session.draft["fields"]
        ]
    except DomainError as error:
        session.data.faults[key] = error.sentence
        return
    apply_draft(session, {**session.draft, "fields": fields})
    session.data.chosen -= set(names)
