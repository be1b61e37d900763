"""A data dictionary for people: what each column holds, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hmpb_core.catalogue import Words
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Attribute, Numeric
from hmpb_core.publishing.origins import source_words
from hmpb_core.publishing.words.catalogue import ENGLISH

SHOWN = 12
_HAN = re.compile(r"[\u4e00-\u9fff]")


def dictionary_of(codebook: Codebook, words: Words = ENGLISH) -> list[tuple[str, str, str, str, str]]:
    """Give a line a column: its name, title, type, values, and where they come from."""
    made_up = [
        (
            form.name,
            "",
            words("type.identifier"),
            words("dictionary.pattern", pattern=form.pattern),
            words("dictionary.made_up"),
        )
        for form in codebook.rules.identifiers
    ]
    return made_up + [
        (
            attribute.name,
            codebook.titles.get(attribute.name, ""),
            words(f"type.{_type(attribute)}"),
            _values(attribute, meanings_of(codebook, attribute, words), words),
            source_words(codebook.sources[attribute.name], words),
        )
        for attribute in codebook.domain.attributes
    ]


def _type(attribute: Attribute) -> str:
    if isinstance(attribute, Numeric):
        if attribute.kind != "number":
            return attribute.kind
        return "integer" if attribute.integer else "number"
    if attribute.boolean:
        return "boolean"
    return "ordered" if attribute.ordered else "categories"


def meanings_of(codebook: Codebook, attribute: Attribute, words: Words = ENGLISH) -> dict[str, str]:
    """Give what listed values mean, as the codebook says; a missing code that is told apart means missing."""
    apart = codebook.missing_codes.get(attribute.name, ()) if attribute.name in codebook.apart else ()
    told = codebook.value_labels.get(attribute.name, {})
    if words.language == "zh":
        told = {value: meaning for value, meaning in told.items() if not _translates(value, meaning)}
    return dict.fromkeys(apart, words("missing")) | dict(told)


def _translates(value: str, meaning: str) -> bool:
    """Whether a meaning is a vocabulary's English word for one in Chinese, whose readers need none."""
    return meaning.isascii() and _HAN.search(value) is not None


def _values(attribute: Attribute, meanings: Mapping[str, str], words: Words) -> str:
    if isinstance(attribute, Numeric):
        low, high = attribute.text(attribute.minimum), attribute.text(attribute.maximum)
        text = words("dictionary.range", low=low, high=high)
        if attribute.listed:
            text = _first([attribute.text(value) for value in attribute.listed], words)
    else:
        labels = attribute.labels[: len(attribute.categories)]
        told = [
            words("dictionary.meaning", value=value, meaning=meanings[value]) if value in meanings else value
            for value in labels
        ]
        text = _first(told, words)
    return words("dictionary.nullable", values=text) if attribute.nullable else text


def _first(values: Sequence[str], words: Words) -> str:
    """The first values of a list, and how many more there are."""
    text = words.row(values[:SHOWN])
    return words("more", shown=text, more=len(values) - SHOWN) if len(values) > SHOWN else text
