"""The catalogue of strings: everything a reader can see, in every language, in ``assets/text/``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import streamlit as st

from pages.words.assets import TEXT

LANGUAGES = {"en": "English", "zh": "中文"}
LANGUAGE_KEY = "language"
_SPECIAL = re.compile(r"([\\`*_\[\]<>$:~|#&])")


class Markdown(str):
    """A text that is Markdown already: put into another text it is not escaped again."""

    __slots__ = ()


def language() -> str:
    """The language this session reads."""
    chosen = st.session_state.get(LANGUAGE_KEY, "en")
    return chosen if chosen in LANGUAGES else "en"


def t(key: str, **values: Any) -> Markdown:
    """Give a text of the catalogue as Markdown; values that are texts are escaped.

    Args:
        key: ``file.entry``, as in ``plan.title``.
        values: What the text's placeholders stand for.
    """
    safe = {
        name: escape(value) if isinstance(value, str) and not isinstance(value, Markdown) else value
        for name, value in values.items()
    }
    return Markdown(_entry(key).format(**safe))


def plain(key: str, **values: Any) -> str:
    """Give a text of the catalogue for a place that knows no Markdown: a cell, a figure, a file."""
    return _entry(key).format(**values)


def has(key: str) -> bool:
    """Whether the catalogue has a text."""
    return key in catalogue("en")


def escape(text: object) -> Markdown:
    """Make a foreign text harmless in Markdown: a column's name may hold anything."""
    one_line = " ".join(str(text).split())
    return Markdown(_SPECIAL.sub(r"\\\1", one_line).replace("www.", "www\\."))


def number(value: float, digits: int = 3) -> str:
    """Write a number for people: thousands apart, a few significant digits."""
    if isinstance(value, int) or (abs(value) >= 1000 and float(value).is_integer()):
        return f"{value:,.0f}"
    if value != 0 and not 1e-4 <= abs(value) < 1e6:
        return f"{value:.{digits}g}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def percent(value: float) -> str:
    """Write a part of one as percent."""
    return f"{100 * value:.3g} %"


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(code: str) -> Mapping[str, str]:
    """All texts of a language, by key."""
    texts: dict[str, str] = {}
    for path in sorted((TEXT / code).glob("*.toml")):
        _flatten(path.stem, tomllib.loads(path.read_text(encoding="utf-8")), texts)
    return texts


def _entry(key: str) -> str:
    return catalogue(language()).get(key) or catalogue("en")[key]


def _flatten(prefix: str, values: Mapping[str, Any], into: dict[str, str]) -> None:
    for name, value in values.items():
        key = f"{prefix}.{name}"
        if isinstance(value, Mapping):
            _flatten(key, value, into)
        else:
            into[key] = str(value)
