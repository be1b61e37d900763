"""Declaring guesses, fields and rules: why they are public, by which source, and on whose word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from hmpb_core.errors import DomainError
from hmpb_core.provenance import Grounds
from pages.data.drafts import apply_draft
from pages.data.fields import declare
from pages.session.login import who
from pages.session.state import AppState
from pages.session.widgets import choosing
from pages.words.catalogue import Markdown, escape, plain, t
from pages.words.errors import sentence

Entry = dict[str, Any]
Word = Callable[[Entry], Entry]
"""Declares a guess, a field or a rule."""


def draw_declaration(
    session: AppState, names: list[str], *, key: str, after: Callable[[], None] = lambda: None
) -> None:
    """Draw the form that declares the field of one column, or several of the same source.

    Args:
        session: The session's state.
        names: The columns.
        key: Begins the keys of the form's widgets.
        after: Called once they are declared.
    """

    def declared(word: Word) -> Entry:
        fields = [word(e) if e.get("name") in names else e for e in session.draft["fields"]]
        session.data.chosen -= set(names)
        after()
        return {**session.draft, "fields": fields}

    _draw_form(session, t("data.declare.what"), len(names), declared, key=key)


def draw_rule_declaration(session: AppState, places: list[int]) -> None:
    """Draw the form that declares the rules at these places of the draft."""

    def declared(word: Word) -> Entry:
        rules = [word(rule) if i in places else rule for i, rule in enumerate(session.draft["rules"])]
        return {**session.draft, "rules": rules}

    _draw_form(session, t("data.rules.waiting", n=len(places)), len(places), declared, key="declare_rules")


def _draw_form(
    session: AppState, what: Markdown, count: int, declared: Callable[[Word], Entry], *, key: str
) -> None:
    st.markdown(what)
    columns = st.columns(3)
    choosing(
        columns[0].selectbox,
        t("data.declare.grounds"),
        [grounds.name.lower() for grounds in Grounds],
        format_func=lambda name: plain(f"data.grounds.{name}"),
        key=f"{key}_grounds",
    )
    columns[1].text_input(
        t("data.declare.name"), key=f"{key}_name", placeholder=plain("data.declare.example")
    )
    columns[2].text_input(t("data.declare.by"), value=who() or "", key=f"{key}_by")
    st.button(
        t("data.declare.one") if count == 1 else t("data.declare.these", n=count),
        on_click=_declare,
        args=(session, declared, key),
        icon=":material/verified:",
        key=f"{key}_go",
    )
    fault = session.data.faults.get(key)
    if fault is not None:
        st.error(escape(sentence(fault)), icon=":material/error:")


def _declare(session: AppState, declared: Callable[[Word], Entry], key: str) -> None:
    grounds = Grounds[str(st.session_state[f"{key}_grounds"]).upper()]
    name, by = str(st.session_state[f"{key}_name"]), str(st.session_state[f"{key}_by"])
    session.data.faults.pop(key, None)
    try:
        draft = declared(lambda entry: declare(entry, grounds, name=name, by=by))
    except DomainError as error:
        session.data.faults[key] = error.sentence
        return
    apply_draft(session, draft)
