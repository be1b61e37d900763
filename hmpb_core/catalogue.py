"""Catalogues of words: what is said in the reader's language, a TOML file each with the same keys."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from hmpb_core.errors import filled


@dataclass(frozen=True, slots=True)
class Phrase:
    """A text of a catalogue and what fills its holes: to be said in whatever language is asked for.

    Attributes:
        key: The text's dotted key.
        values: What fills each hole.
    """

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of one language.

    Attributes:
        language: Its code.
        texts: Every text, by its dotted key.
    """

    language: str
    texts: dict[str, str] = field(repr=False)

    def __call__(self, key: str, **values: Any) -> str:
        """Give a text with its holes filled."""
        return filled(self.texts[key], values)

    def has(self, key: str) -> bool:
        """Whether there is such a text."""
        return key in self.texts

    def say(self, said: str | Phrase) -> str:
        """Give a phrase in this language; what is a text already is somebody's own and stays as it is."""
        return said if isinstance(said, str) else self(said.key, **said.values)

    def list(self, items: Sequence[str]) -> str:
        """Write a list: 'a, b and c'."""
        if len(items) < 2:
            return "".join(items)
        return self.texts["list.comma"].join(items[:-1]) + self.texts["list.and"] + items[-1]

    def row(self, items: Sequence[str]) -> str:
        """Write items one behind the other, semicolons between them where one holds a comma itself."""
        comma = self.texts["list.comma"]
        torn = any(comma.strip() in item for item in items)
        return (self.texts["list.semicolon"] if torn else comma).join(items)

    def capital(self, sentence: str) -> str:
        """Begin a sentence with a capital letter."""
        return sentence[:1].upper() + sentence[1:]


def languages_in(folder: Path) -> tuple[str, ...]:
    """Give the codes of the languages that a folder has a catalogue of."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


@cache
def words_in(folder: Path, language: str) -> Words:
    """Give the words of a language; English where there are none.

    Args:
        folder: Where the catalogues are, each named by its language's code.
        language: The code.
    """
    chosen = language if language in languages_in(folder) else "en"
    content = tomllib.loads((folder / f"{chosen}.toml").read_text(encoding="utf-8"))
    return Words(language=chosen, texts=dict(_flat(content)))


def _flat(content: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    found = []
    for key, value in content.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{key}.")
        else:
            found.append((f"{prefix}{key}", str(value)))
    return found
