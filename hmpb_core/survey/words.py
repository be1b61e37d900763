"""Words and codes that are public before any table is seen: the vocabularies' lists, and A00 to Z99.

A row that holds one of them lies in a cell with a public name. Such a cell needs no threshold, and a whole
list is recognised by the sum of its cells, however rare some of its words are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase, digits
from typing import Any

from hmpb_core.sources.drafting import VOCABULARIES
from hmpb_core.sources.drafting.place_codes import is_of_postcodes
from hmpb_core.sources.drafting.signs import LETTER_CODE
from hmpb_core.sources.drafting.vocabularies import plain_name

CODES = tuple(f"{letter}{number:02d}" for letter in ascii_uppercase for number in range(100))
"""The first three characters of a code such as those of ICD-10."""
TRUTHS = ("true", "false"), ("True", "False"), ("TRUE", "FALSE")
"""How programs write what is so and what is not."""
_OF_DISEASES = re.compile(r"(.*_)?(icd|diag|dx|cim|cie)\w*")


@dataclass(frozen=True, slots=True, kw_only=True)
class WordList:
    """A public list of categories, in one way of writing.

    Attributes:
        words: The words.
        labels: What some of them mean.
        ordered: Whether their order means something.
    """

    words: tuple[str, ...]
    labels: Mapping[str, str]
    ordered: bool

    def categories(self) -> list[Any]:
        """The categories as a codebook writes them."""
        labelled = [(word, self.labels.get(word)) for word in self.words]
        return [{"value": word, "label": label} if label else word for word, label in labelled]


def code_of(text: str) -> str | None:
    """Give the first three characters of a code; None for what is none.

    Example:
        >>> code_of("I10.90"), code_of("M54"), code_of("I1")
        ('I10', 'M54', None)
    """
    return text[:3] if LETTER_CODE.fullmatch(text) else None


def code_groups(name: str) -> list[dict[str, Any]]:
    """Groups into which rare codes fold: first digits of postcodes, ICD-10's chapters, or first letters."""
    if is_of_postcodes(name):
        return [{"value": digit, "prefixes": [digit]} for digit in digits]
    if _OF_DISEASES.fullmatch(plain_name(name)):
        chapters = next(vocabulary for vocabulary in VOCABULARIES if vocabulary.key == "diagnosis")
        return [dict(category) for category in chapters.field["categories"]]
    return [{"value": f"{letter}00-{letter}99", "prefixes": [letter]} for letter in ascii_uppercase]


def _lists() -> tuple[WordList, ...]:
    lists = []
    for vocabulary in VOCABULARIES:
        ordered = vocabulary.field.get("categoriesOrdered") is True
        categories = vocabulary.field.get("categories", ())
        values = tuple(str(category["value"]) for category in categories)
        plain = any("prefixes" in category for category in categories)
        writings = [writing.words for writing in vocabulary.writings] or ([] if plain else [values])
        names = [str(category.get("label", category["value"])) for category in categories]
        for words in (*writings, *vocabulary.words):
            labels = dict(zip(words, names, strict=False)) if len(words) == len(names) else {}
            told = {word: label for word, label in labels.items() if label != word}
            # numbers are counted by size, not by name: a list of them needs no words
            if words and not any(re.fullmatch(r"-?\d+", word) and not word.startswith("0") for word in words):
                lists.append(WordList(words=words, labels=told, ordered=ordered))
    lists += [WordList(words=words, labels={}, ordered=False) for words in TRUTHS]
    return tuple(lists)


LISTS = _lists()
WORDS = tuple(dict.fromkeys(word for listed in LISTS for word in listed.words))
"""Every listed word once."""
