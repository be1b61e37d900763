"""Columns whose cells hold several answers: each answer set apart as a column of yes and no, and back."""

from __future__ import annotations

from typing import Any

import streamlit as st

from hmpb_core.sources.drafting.several_answers import fields_of_answers
from pages.data import fields
from pages.data.asking import Asker
from pages.data.drafts import apply_draft
from pages.data.fields import Field
from pages.session.state import AppState
from pages.session.widgets import choosing
from pages.words.catalogue import plain, t

_NAMES = {
    ";": "semicolon",
    "; ": "semicolon_space",
    ",": "comma",
    ", ": "comma_space",
    "|": "bar",
    " ": "space",
}


def draw_setting_apart(asker: Asker) -> None:
    """Offer to set the answers of a listed column apart, where a cell may hold several of them."""
    with st.expander(t("data.several.title"), icon=":material/checklist_rtl:"):
        st.caption(t("data.several.what"))
        key = asker.key("between")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            choosing(
                st.selectbox,
                t("data.several.between"),
                list(_NAMES),
                key=key,
                format_func=lambda sign: plain(f"data.mark.{_NAMES[sign]}"),
                width=220,
            )
            st.button(
                t("data.several.apart"),
                key=asker.key("set_apart"),
                on_click=_set_apart,
                args=(asker.session, asker.name, key),
                disabled=len(fields.values_of(asker.entry)) < 2,
            )


def draw_answer(asker: Asker) -> None:
    """Say to which column an answer belongs, and offer to have that column whole again."""
    one = asker.entry["answerTo"]
    st.caption(t("data.several.one", answer=one["answer"], column=one["column"]))
    st.button(
        t("data.several.whole", column=one["column"]),
        key=asker.key("whole"),
        on_click=_keep_whole,
        args=(asker.session, one["column"]),
    )


def _set_apart(session: AppState, name: str, key: str) -> None:
    entries = session.draft["fields"]
    names = {entry["name"] for entry in entries}
    made: list[Field] = []
    for entry in entries:
        apart: list[dict[str, Any]] = []
        if entry["name"] == name:
            answers = [str(value) for value in fields.values_of(entry)]
            apart = fields_of_answers(entry, answers, st.session_state[key], names)
            kept = {part: entry[part] for part in ("source", "declared", "sensitive") if part in entry}
            apart = [{**field, **kept} for field in apart]
        made += apart or [entry]
    session.data.open = ""
    apply_draft(session, {**session.draft, "fields": made})


def _keep_whole(session: AppState, column: str) -> None:
    made: list[Field] = []
    for entry in session.draft["fields"]:
        if fields.column_of(entry) != column:
            made.append(entry)
        elif all(field["name"] != column for field in made):
            made.append({"name": column, "type": "string", "categories": [], "declared": False})
    session.data.open = column
    apply_draft(session, {**session.draft, "fields": made})
