"""The report's words: ``en.toml`` and ``zh.toml`` hold the same keys."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
LANGUAGES = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportWords:
    """One language.

    Attributes:
        language: Its code.
        texts: Every text, by its dotted key.
    """

    language: str
    texts: dict[str, str] = field(repr=False)

    def __call__(self, key: str, **values: Any) -> str:
        """Give a text with its holes filled."""
        return self.texts[key].format(**values)

    def has(self, key: str) -> bool:
        """Whether there is such a text."""
        return key in self.texts

    def list(self, items: Sequence[str]) -> str:
        """Write a list: 'a, b and c'."""
        if len(items) < 2:
            return "".join(items)
        return self.texts["list.comma"].join(items[:-1]) + self.texts["list.and"] + items[-1]

    def capital(self, sentence: str) -> str:
        """Begin a sentence with a capital letter."""
        return sentence[:1].upper() + sentence[1:]


@cache
def words_of(language: str) -> ReportWords:
    """Give the words of a language; English where there are none."""
    chosen = language if language in LANGUAGES else "en"
    content = tomllib.loads((FOLDER / f"{chosen}.toml").read_text(encoding="utf-8"))
    return ReportWords(language=chosen, texts=dict(_flat(content)))


def _flat(content: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    found = []
    for key, value in content.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{key}.")
        else:
            found.append((f"{prefix}{key}", str(value)))
    return found
