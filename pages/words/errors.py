"""The core's own sentences in the reader's language: it raises its errors in English.

``assets/errors/<language>.toml`` maps each sentence of the core to its translation. Holes are numbered in
the order of the English: ``"rows is {0}; simulate at least 2."``. What fills a hole is looked up as well,
so that parts of sentences have entries too, under ``[words]``. What has no entry stays in English; a test
names the sentences that lack one.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache

from pages.words.assets import ASSETS
from pages.words.catalogue import language

_HOLE = re.compile(r"\{\d+\}")


class Translations:
    """One language's translations."""

    def __init__(self, entries: dict[str, str]) -> None:
        # The longest first: "rows is {0}; simulate at least 2." before "{0} is {1}; it must be {2}."
        longest = sorted(entries, key=lambda english: -len(_HOLE.sub("", english)))
        self._patterns = [(_pattern(english), entries[english]) for english in longest]

    def say(self, text: str) -> str:
        """Translate one text, and what fills its holes."""
        for pattern, other in self._patterns:
            if match := pattern.fullmatch(text):
                return other.format(*(self.say(value) for value in match.groups()))
        return text


def sentence(message: object) -> str:
    """Say an error, or another text of the core, in the language this session reads."""
    return _translations(language()).say(str(message))


def _pattern(english: str) -> re.Pattern[str]:
    return re.compile("(.*?)".join(re.escape(part) for part in _HOLE.split(english)), re.DOTALL)


def read(code: str) -> dict[str, dict[str, str]]:
    """Read a language's file: its sections ``sentences`` and ``words``. English needs none."""
    path = ASSETS / "errors" / f"{code}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


@lru_cache
def _translations(code: str) -> Translations:
    return Translations({english: other for part in read(code).values() for english, other in part.items()})
