"""Public rules in words: what a codebook writes, read for the steward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hmpb_core.publishing.rule_words import RuleWriter
from hmpb_core.publishing.words.catalogue import words_of
from hmpb_core.utility.charts import short
from pages.words.catalogue import LONGEST, Markdown, escape, language

Rule = Mapping[str, Any]


def rule_words(*rules: Rule) -> Markdown:
    """Say a rule of a codebook, or several that ask alike at once."""
    most = LONGEST if len(rules) > 1 else None
    writer = RuleWriter(words=words_of(language()), name=lambda name: _bold(name, most), value=escape)
    return Markdown(writer(*rules))


def rule_word(key: str) -> str:
    """Give a word that rules are said with, such as ``unit.days``, as plain text."""
    return words_of(language())(f"rules.{key}")


def _bold(name: str, most: int | None) -> str:
    return f"**{escape(short(name, most) if most else name)}**"
