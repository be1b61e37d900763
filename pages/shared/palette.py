"""Colours of the figures, light and dark, readable with every kind of colour vision; never the only sign."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "pentagon", "hexagon", "star", "cross")
"""Marker shapes in plotly's names: one a cluster, beside its colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """A theme's colours."""

    text: str
    soft: str
    line: str
    back: str
    main: str
    other: str
    categories: tuple[str, ...]
    scale: tuple[tuple[float, str], ...]
    """From nothing to much: the ends differ in lightness, so it reads in grey as well."""
    diverging: tuple[tuple[float, str], ...]

    def of(self, number: int) -> str:
        """The colour of a category."""
        return self.categories[number % len(self.categories)]


LIGHT = Palette(
    text="#12181c",
    soft="#5a666d",
    line="#c9d0d3",
    back="#fdfdfc",
    main="#1f6f78",
    other="#b35410",
    categories=("#1f6f78", "#b35410", "#5b5ea6", "#8a6d00", "#9b3d63", "#4d7c32", "#5c6b73"),
    scale=((0.0, "#f3f6f5"), (0.25, "#b5d6d3"), (0.5, "#6fadac"), (0.75, "#2f7d84"), (1.0, "#0b3f47")),
    diverging=((0.0, "#8c4a12"), (0.5, "#f3f6f5"), (1.0, "#0f5a63")),
)
DARK = Palette(
    text="#dfe5e6",
    soft="#a3afb4",
    line="#39454b",
    back="#040608",
    main="#5cb8c2",
    other="#e8a15f",
    categories=("#5cb8c2", "#e8a15f", "#a5a8e6", "#d9c04a", "#e08bb0", "#98c77a", "#aab7bd"),
    scale=((0.0, "#10161a"), (0.25, "#17404a"), (0.5, "#23757f"), (0.75, "#5cb8c2"), (1.0, "#d3f2f2")),
    diverging=((0.0, "#e8a15f"), (0.5, "#10161a"), (1.0, "#5cb8c2")),
)


def is_dark() -> bool:
    """Whether the reader sees the dark theme."""
    return st.context.theme.type == "dark"


_CSS = "i { color: var(--st-background-color); transition: color 1ms }"
_JS = """export default ({ parentElement, setTriggerValue }) => {
  parentElement.querySelector("i").ontransitionend = () => setTriggerValue("theme", true)
}"""


def follow_theme() -> None:
    """Run the page again when the reader's theme changes: figures have their colours from here.

    Streamlit says what theme is on with every run, but runs nothing when it changes (its issue 11920). So an
    element without content wears the background's colour, and the browser says when that has changed.
    """
    watch = st.components.v2.component("theme", html="<i></i>", css=_CSS, js=_JS)
    watch(key="theme", height=0, on_theme_change=lambda: None)


def palette() -> Palette:
    """The colours of the theme the reader sees."""
    return DARK if is_dark() else LIGHT
