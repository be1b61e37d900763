"""The report's words: ``en.toml`` and ``zh.toml`` hold the same keys."""

from __future__ import annotations

from pathlib import Path

from hmpb_core.catalogue import Words, languages_in, words_in

FOLDER = Path(__file__).parent
LANGUAGES = languages_in(FOLDER)


def words_of(language: str) -> Words:
    """Give the words of a language; English where there are none."""
    return words_in(FOLDER, language)
