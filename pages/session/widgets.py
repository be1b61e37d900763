"""Widgets that show a field of the session, and settle it before a run starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

from pages.session.state import state
from pages.words.catalogue import language

T = TypeVar("T")
Choose = Callable[[str, Any], None]


def bound(
    widget: Callable[..., Any],
    label: str,
    owner: Any,
    name: str,
    *,
    choose: Choose | None = None,
    **options: Any,
) -> Any:
    """Draw a keyed widget that shows a field; a choice is in the field before the next run starts.

    The field holds the value, the widget shows it: what sets the field by other means shows as well, and
    the field keeps it when the page is left.

    Args:
        widget: A Streamlit widget that takes a label first.
        label: Its label.
        owner: The object that holds the field.
        name: The field.
        choose: Takes the field's name and a new value, where a choice decides others too.
        options: Further arguments; ``key`` is the field's name unless given.

    Returns:
        The value.
    """
    key = options.pop("key", f"w_{name}")
    showing(
        widget,
        label,
        getattr(owner, name),
        key=key,
        on_change=_settle,
        args=(key, owner, name, choose),
        **options,
    )
    return getattr(owner, name)


def showing(widget: Callable[..., Any], label: str, value: Any, *, key: str, **options: Any) -> Any:
    """Draw a keyed widget that shows a value.

    A browser that has lost the widget (its page was left and came back within one click) shows what the
    widget starts with, and sends that as if somebody had chosen it: so it starts with the value too, and
    not only the session has it. It forgets, too, a choice whose words are in another language now: so the
    value is sent again.

    Args:
        widget: A Streamlit widget that takes a label first.
        label: Its label.
        value: What it shows.
        key: Its key.
        options: Further arguments.

    Returns:
        What the widget holds.
    """
    if in_other_words(key) or key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return widget(label, key=key, **_start(widget.__name__, value, options), **options)


def in_other_words(key: str) -> bool:
    """Whether a widget is about to be drawn in another language than before; asked once a run."""
    told = state().widget_language
    before, told[key] = told.get(key), language()
    return before != language()


def choosing(
    widget: Callable[..., Any],
    label: str,
    choices: Sequence[T],
    *,
    key: str,
    first: int = 0,
    **options: Any,
) -> T:
    """Draw a keyed choice that nothing but the widget holds.

    It is kept when the language changes, but not in a form: what is chosen there the browser alone knows.

    Args:
        widget: A Streamlit widget that takes a label first, and options.
        label: Its label.
        choices: What there is to choose.
        key: Its key.
        first: Place of what is chosen at the beginning.
        options: Further arguments.

    Returns:
        What is chosen.
    """
    chosen = st.session_state.get(key)
    value = chosen if key in st.session_state and chosen in choices else choices[first]
    now: T = showing(widget, label, value, key=key, options=choices, **options)
    return now


def _start(widget: str, value: Any, options: dict[str, Any]) -> dict[str, Any]:
    """A widget's argument for what it starts with."""
    if widget in ("radio", "selectbox"):
        choices = list(options["options"])
        return {"index": choices.index(value) if value in choices else None}
    if widget == "multiselect":
        return {"default": [one for one in value if one in options["options"]]}
    return {"value": value}


def _settle(key: str, owner: Any, name: str, choose: Choose | None) -> None:
    """Put a widget's new value into its field; Streamlit calls it before it runs the script."""
    if choose is None:
        setattr(owner, name, st.session_state[key])
    else:
        choose(name, st.session_state[key])
