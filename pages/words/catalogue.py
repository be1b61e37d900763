"""The catalogue of strings: everything a reader can see, in every language, in ``assets/text/``."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal

import streamlit as st
from babel.numbers import format_compact_decimal, format_decimal

from hmpb_core.errors import filled
from hmpb_core.privacy.guarantee import power_of_ten
from hmpb_core.publishing.dataset import rounded_down
from hmpb_core.utility.charts import short
from pages.words.assets import TEXT

LANGUAGES = {"en": "English", "zh": "中文"}
LOCALES = {"en": "en", "zh": "zh_CN"}
"""Names of the languages in the Unicode CLDR."""

BLANK = {"en": " ", "zh": ""}
"""What stands between two sentences, and between a figure and its percent sign."""
COMMA = {"en": ", ", "zh": "、"}
"""What stands between the members of a list."""
SEMICOLON = {"en": "; ", "zh": "；"}
"""What stands between members of which one holds a comma itself."""
LONGEST = 40
"""Letters of a column's name among others: as many as a narrow window has room for, cut in the middle."""
NAMED = 8
"""Columns that a sentence names."""

LANGUAGE_KEY = "language"
_SPECIAL = re.compile(r"([\\`*_\[\]<>$:~|#&])")
_LINK = re.compile(r"(?<=www)(?=\.)|(?<=http:)(?=//)|(?<=https:)(?=//)|(?=@)", re.IGNORECASE)
JOINER = "\u2060"
"""No letter and no break: where one stands in an address, the browser makes no link of it."""


class Markdown(str):
    """A text that is Markdown already: put into another text it is not escaped again."""

    __slots__ = ()


def language() -> str:
    """The language this session reads: what was chosen, else the browser's, else English."""
    chosen = st.session_state.get(LANGUAGE_KEY) or (st.context.locale or "").split("-")[0]
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
    return Markdown(filled(_entry(key), safe))


def plain(key: str, **values: Any) -> str:
    """Give a text of the catalogue for a place that knows no Markdown: a cell, a figure, a file."""
    return filled(_entry(key), values)


def has(key: str) -> bool:
    """Whether the catalogue has a text."""
    return key in catalogue("en")


def escape(text: object) -> Markdown:
    """Make a foreign text harmless in Markdown: a column's name may hold anything."""
    one_line = _LINK.sub(JOINER, " ".join(str(text).split()))
    return Markdown(_SPECIAL.sub(r"\\\1", one_line))


def number(value: float, digits: int = 3) -> str:
    """Write a number for people: thousands apart, a few significant digits, in the reader's language."""
    if not isinstance(value, int) and abs(value) < 1000:
        value = _rounded(value, digits)
    if 1e15 <= abs(value) < math.inf:
        return power_of_ten(value)
    if isinstance(value, int) or value == 0 or abs(value) >= 1000:
        return format_decimal(value, format="#,##0", locale=_locale())
    if value != 0 and abs(value) < 1e-4:
        return power_of_ten(value)
    return format_decimal(value, format="@" + "#" * (digits - 1), locale=_locale())


def left_of_cap(epsilon: float) -> str:
    """Write what is left of a cap: four digits, never more than may be spent."""
    return number(rounded_down(epsilon, 4), 4)


def percent(value: float) -> str:
    """Write a part of one as percent."""
    return with_percent(
        format_decimal(100 * _rounded(value, 3), format="@##" if value else "0", locale=_locale())
    )


def with_percent(figure: str) -> str:
    """Put the percent sign behind a figure, as the reader's language does."""
    return f"{figure}{BLANK[language()]}%"


def sentences(*texts: str) -> str:
    """Put sentences one behind the other: Chinese has no blank between them."""
    return BLANK[language()].join(texts)


def listed(texts: Iterable[str], most: int | None = None) -> str:
    """Put texts one behind the other, as the reader's language lists them; none seems to be two.

    Args:
        texts: What is listed.
        most: How many are shown; dots stand for the rest. None shows all.
    """
    every = list(texts)
    shown = every[:most]
    comma = COMMA[language()]
    torn = any(comma.strip() in text for text in shown)
    return (SEMICOLON[language()] if torn else comma).join(shown) + (" …" if len(shown) < len(every) else "")


def names_listed(names: Iterable[str], most: int | None = None) -> str:
    """List columns by their names: of one survey's questions many are longer than a line."""
    return listed((short(name, LONGEST) for name in names), most)


def _rounded(value: float, digits: int) -> float:
    """Round to significant digits: babel's ``@#`` writes 0.0999996 as 0.01, a tenth of what it is."""
    return float(f"{value:.{digits}g}")


def one_in(value: float) -> str:
    """Write a small probability for people: one in so many, or a power of ten where that has no name."""
    cases = 1 / value if value else math.inf
    if not _is_round(cases):
        return power_of_ten(value)
    return plain("common.guarantee.one_in", cases=many(cases))


def many(count: float) -> str:
    """Write a large round number by its name, such as 1 billion; any other in figures."""
    if not _is_round(count):
        return number(count)
    names: Literal["short", "long"] = "long" if language() == "en" else "short"
    return format_compact_decimal(round(count), format_type=names, fraction_digits=2, locale=_locale())


def _is_round(count: float) -> bool:
    return count < 1e15 and abs(float(f"{count:.3g}") / count - 1) <= 1e-9


def locale_tag() -> str:
    """The reader's language as web pages name it."""
    return _locale().replace("_", "-")


def _locale() -> str:
    return LOCALES[language()]


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
