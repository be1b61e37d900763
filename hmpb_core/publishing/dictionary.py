"""A data dictionary for people: what each column holds, in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from hmpb_core.catalogue import Words
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Attribute, Numeric
from hmpb_core.publishing.origins import source_words
from hmpb_core.publishing.tables import missing_code
from hmpb_core.publishing.words.catalogue import ENGLISH
from hmpb_core.texts import text_of

SHOWN = 12
_HAN = re.compile(r"[\u4e00-\u9fff]")


def dictionary_of(
    codebook: Codebook, words: Words = ENGLISH, *, elsewhere: Collection[str] = ()
) -> list[tuple[str, str, str, str, str]]:
    """Give a line a column: its name, title, type, values, and where they come from.

    Args:
        codebook: The codebook.
        words: In which language.
        elsewhere: Columns whose survey the table's ledger has not.
    """
    several = {one.column for one in codebook.answers.values()}
    codebook = codebook.in_whole_columns()
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
            words("type.answers" if attribute.name in several else f"type.{_type(attribute)}"),
            _values(codebook, attribute, words),
            source_words(codebook.sources[attribute.name], words, elsewhere=attribute.name in elsewhere),
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
        told = {value: meaning for value, meaning in told.items() if not translates(value, meaning)}
    return dict.fromkeys(apart, words("missing")) | dict(told)


def translates(value: str, meaning: str) -> bool:
    """Whether a meaning is a vocabulary's English word for one in Chinese, whose readers need none."""
    return meaning.isascii() and _HAN.search(value) is not None


def _values(codebook: Codebook, attribute: Attribute, words: Words) -> str:
    meanings = meanings_of(codebook, attribute, words)

    def told(values: Iterable[str]) -> str:
        return _first([_with_meaning(value, meanings, words) for value in values], words)

    if isinstance(attribute, Numeric):
        low, high = attribute.text(attribute.minimum), attribute.text(attribute.maximum)
        text = words("dictionary.range", low=low, high=high)
        if attribute.listed:
            text = _first([attribute.text(value) for value in attribute.listed], words)
        if labelled := codebook.labelled_numbers(attribute):
            numbers = told(text_of(item["value"]) for item in labelled)
            text = words("dictionary.labelled", values=text, labelled=numbers)
    else:
        if attribute.unknown not in (None, ""):  # a value of the files, so one word in every language
            meanings = {text_of(attribute.unknown): words("dictionary.unlisted"), **meanings}
        text = told(attribute.labels[: len(attribute.categories)])
    if not attribute.nullable:
        return text
    code = missing_code(codebook, attribute.name)
    if code not in meanings:
        return words("dictionary.nullable", values=text)
    return words("dictionary.nullable_code", values=text, code=_with_meaning(code, meanings, words))


def _with_meaning(value: str, meanings: Mapping[str, str], words: Words) -> str:
    if value not in meanings:
        return value
    return words("dictionary.meaning", value=value, meaning=meanings[value])


def _first(values: Sequence[str], words: Words) -> str:
    """The first values of a list, and how many more there are."""
    text = words.row(values[:SHOWN])
    return words("more", shown=text, more=len(values) - SHOWN) if len(values) > SHOWN else text
