"""Several columns treated alike: declared by one source, described like another one, left out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.data import fields
from pages.data.declaring import draw_declaration
from pages.data.drafts import apply_draft
from pages.data.fields import Field
from pages.data.kinds import kind_of
from pages.data.todo import Item, Status
from pages.session.state import AppState
from pages.shared.focus import then_focus
from pages.shared.palette import DARK, LIGHT
from pages.words.assets import template
from pages.words.catalogue import NAMED, names_listed, plain, t

CHOOSE = "choose_shown"
"""Key of the button that chooses all, which gets the focus where nothing is chosen any more."""
# Below the list, so that no row moves away under the pointer; in sight wherever the list is scrolled to.
_IN_SIGHT = """<style>
@media (min-width: 641px) {{
  [data-testid="stLayoutWrapper"]:has(> .st-key-chosen) {{
    position: sticky; bottom: 0; z-index: 5; max-height: 45vh; overflow: auto;
    background: light-dark({light}, {dark});
  }}
}}
</style>"""


def draw_chosen(session: AppState, items: list[Item]) -> None:
    """Draw what can be done with the chosen columns; nothing where none is chosen."""
    session.data.chosen &= {item.name for item in items}
    chosen = [item for item in items if item.name in session.data.chosen]
    if not chosen:
        return
    st.html(_IN_SIGHT.format(light=LIGHT.back, dark=DARK.back))
    with st.container(border=True, key="chosen"):
        names = [item.name for item in chosen]
        st.markdown(t("data.chosen.title", n=len(names), names=names_listed(names, NAMED)))
        guesses = [item.name for item in chosen if item.status is Status.GUESS]
        if guesses:
            draw_declaration(session, guesses, key="declare_chosen", after=partial(_clear, session))
        _alike(session, items)
        with st.container(horizontal=True):
            for key, publish in (("leave_out", False), ("publish", True)):
                st.button(
                    t(f"data.chosen.{key}"),
                    key=f"chosen_{key}",
                    on_click=_change_chosen,
                    args=(session, _publish(publish=publish)),
                )
            st.button(t("data.chosen.clear"), key="chosen_clear", on_click=_clear, args=(session,))
    if session.data.all_chosen:  # in a narrow window the box lies far below the button
        session.data.all_chosen = False
        st.html(template("sight.html.j2").render(key="chosen"), unsafe_allow_javascript=True)


def _alike(session: AppState, items: list[Item]) -> None:
    """Offer to take a described column over for the chosen ones."""
    described = (item for item in items if item.status in (Status.DONE, Status.GUESS))
    models = [item.name for item in described if fields.is_published(item.entry)]
    if not models:
        return
    key = f"alike_{session.uploads}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            t("data.chosen.alike"),
            models,
            index=models.index(session.data.open) if session.data.open in models else None,
            key=key,
            placeholder=plain("data.chosen.alike_which"),
            help=t("data.chosen.alike_help"),
            width=320,
        )
        st.button(
            t("data.chosen.alike_go"),
            key="chosen_alike",
            on_click=_make_alike,
            args=(session, key),
            icon=":material/content_copy:",
        )


def _publish(*, publish: bool) -> Callable[[Field], Field]:
    def make(entry: Field) -> Field:
        return entry if kind_of(entry).role else fields.with_publish(entry, publish=publish)

    return make


def _make_alike(session: AppState, key: str) -> None:
    model = next((e for e in session.draft["fields"] if e.get("name") == st.session_state[key]), None)
    if model is not None:
        # what nobody may publish does not become public by being chosen among others
        _change_chosen(session, lambda old: old if kind_of(old).role else fields.like(old, model))
        _clear(session)  # else the next ones are chosen beside these, and overwrite them


def _clear(session: AppState) -> None:
    session.data.chosen.clear()
    then_focus(CHOOSE)  # what had the focus is gone with the box


def _change_chosen(session: AppState, make: Callable[[Field], Field]) -> None:
    chosen = session.data.chosen
    changed = [make(entry) if entry.get("name") in chosen else entry for entry in session.draft["fields"]]
    apply_draft(session, {**session.draft, "fields": changed})
