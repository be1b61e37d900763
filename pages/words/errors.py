"""The core's own sentences in the reader's language: it raises its errors in English.

``assets/errors/<language>.toml`` maps the templates of the core to translations with the same named holes:
``[sentences]`` what it raises, ``[words]`` what fills the holes and what else it says. What has no entry
stays in English; a test names the templates that lack one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import lru_cache

from hmpb_core.errors import HmpbError, Sentence
from pages.words.assets import ASSETS
from pages.words.catalogue import COMMA, language

_QUOTED = re.compile(r"""(['"])(?:(?!\1).)*\1""", re.DOTALL)
_SPACED = re.compile("(?<=[\u4e00-\u9fff]) (?=“)|(?<=”) (?=[\u4e00-\u9fff])")


def chinese_quotes(name: str) -> str:
    """Put a name that is in Python's quotes in those of Chinese."""
    return f"“{name[1:-1]}”"


class Translations:
    """One language's translations, by template."""

    def __init__(
        self,
        entries: Mapping[str, str],
        comma: str = COMMA["en"],
        quoted: Callable[[str], str] = str,
    ) -> None:
        self._entries = entries
        self._comma = comma
        self._quoted = quoted

    def say(self, said: HmpbError | Sentence | str) -> str:
        """Translate an error, a sentence or a constant, and the sentences and terms that fill its holes."""
        if isinstance(said, HmpbError):
            said = said.sentence
        if isinstance(said, str):
            return self._entries.get(said, str(said))
        template = self._entries.get(said.template, said.template)
        values = {name: self._filling(value) for name, value in said.values.items()}
        return _SPACED.sub("", Sentence(template, values).said(self._comma, self._quoted))

    def _filling(self, value: object) -> object:
        # A text is a name that somebody gave, such as a column's: it stays as it is, but for the quotes.
        if isinstance(value, Sentence | StrEnum):
            return self.say(value)
        if isinstance(value, tuple):
            return tuple(map(self._filling, value))
        return self._quoted(value) if isinstance(value, str) and _QUOTED.fullmatch(value) else value


def sentence(said: HmpbError | Sentence | str) -> str:
    """Say an error, or another text of the core, in the language this session reads."""
    return translations(language()).say(said)


def read(code: str) -> dict[str, dict[str, str]]:
    """Read a language's file: its sections ``sentences`` and ``words``. English needs none."""
    path = ASSETS / "errors" / f"{code}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


@lru_cache
def translations(code: str) -> Translations:
    """Give a language's translations, sentences and words in one."""
    entries = {english: other for part in read(code).values() for english, other in part.items()}
    return Translations(entries, COMMA[code], chinese_quotes if code == "zh" else str)
