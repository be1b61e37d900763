"""The widgets of a column's card: each shows a part of its field, and its answer goes into the draft."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.data.drafts import change, field_named
from pages.data.fields import Field
from pages.data.todo import Item
from pages.session.state import AppState
from pages.session.widgets import showing
from pages.words.catalogue import t


class Asker:
    """Draws the widgets of one card: each shows its part of the field, and its answer goes into the draft.

    Args:
        session: The session's state.
        item: The column.
    """

    def __init__(self, session: AppState, item: Item) -> None:
        self.session, self.name, self.entry = session, item.name, item.entry
        self._stem = f"card_{session.uploads}_{item.place}"

    def key(self, part: str) -> str:
        """The key of a widget of this card."""
        return f"{self._stem}_{part}"

    def ask(
        self,
        widget: Callable[..., Any],
        part: str,
        value: Any,
        make: Callable[[Field, Any], Field],
        *,
        label: str | None = None,
        **options: Any,
    ) -> None:
        """Draw a widget that shows a value; what is answered makes a new field."""
        key = self.key(part)
        showing(
            widget,
            t(f"data.column.{label or part}"),
            value,
            key=key,
            on_change=self._answer,
            args=(key, value, make),
            **options,
        )

    def press(self, part: str, label: str, make: Callable[[Field], Field], **options: Any) -> None:
        """Draw a button that makes a new field."""
        st.button(label, key=self.key(part), on_click=change, args=(self.session, self.name, make), **options)

    def _answer(self, key: str, shown: Any, make: Callable[[Field, Any], Field]) -> None:
        value = st.session_state[key]
        if value == shown and field_named(self.session, self.name) == self.entry:
            return  # a page that comes back reports every widget as changed: nobody has answered anything
        change(self.session, self.name, lambda entry: make(entry, value))
