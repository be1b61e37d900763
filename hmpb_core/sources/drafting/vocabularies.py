"""Public vocabularies, offered by a column's name alone: nothing of its rows is looked at."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from hmpb_core.provenance import Origin, Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """One way to write a vocabulary's categories: in a language, or as codes.

    Attributes:
        words: A word for each category.
        names: Names of columns for which it is taken, as ``plain_name`` writes them.
        labels: What each word means, where that is not the category's own: 9 is no other sex in ISO/IEC 5218.
    """

    words: tuple[str, ...]
    names: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What a column of certain names holds, by a public source.

    Attributes:
        key: Its short name.
        source: Where it comes from.
        source_in: The same in other languages, by their codes.
        names: Names of columns that it is offered for, as ``plain_name`` writes them.
        prefixes: Beginnings of such names.
        suffixes: Ends of such names.
        unless: Ends of names that mean something else: visits per month.
        field: The field of a Table Schema, without a name.
        writings: The ways to write its categories, the usual one first; none where there is only one.
        words: Lists of words that mean what the field says otherwise: those of yes and no.
    """

    key: str
    source: str
    source_in: Mapping[str, str]
    names: frozenset[str]
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    field: Mapping[str, Any] = field(repr=False)
    writings: tuple[Writing, ...] = ()
    words: tuple[tuple[str, ...], ...] = ()

    def fits(self, name: str) -> bool:
        """Whether it is offered for a column of this plain name."""
        affixed = name.startswith(self.prefixes) or name.endswith(self.suffixes)
        return name in self.names or (affixed and not name.endswith(self.unless))

    def field_for(self, name: str, writing: Writing | None = None) -> dict[str, Any]:
        """Give the field for a column, in the words that a file uses, or in those of the column's name.

        Other ways to write the categories are understood, and become those words.

        Args:
            name: The column's name.
            writing: How its values are written; the one that the column's name suggests unless given.

        Example:
            >>> vocabulary = vocabulary_for("Geschlecht")
            >>> [category["value"] for category in vocabulary.field_for("Geschlecht")["categories"]][:2]
            ['weiblich', 'männlich']
        """
        source = Provenance(origin=Origin.VOCABULARY, name=self.source)
        if not self.writings:
            return {"name": name, **self.field, **self._asked(name), "source": source.to_dict()}
        plain = plain_name(name)
        used = writing or next((w for w in self.writings if plain in w.names), self.writings[0])
        categories = [
            self._category(place, entry, used) for place, entry in enumerate(self.field["categories"])
        ]
        kind = self.field["type"] if used == self.writings[0] else "string"
        return {
            "name": name,
            **self.field,
            "type": kind,
            "categories": categories,
            "source": source.to_dict(),
        }

    def _asked(self, name: str) -> dict[str, list[str]]:
        """Yes and no in the words that a column's name asks with, before others: 是否 is answered by 是."""
        plain = plain_name(name)
        affixes = [*filter(plain.startswith, self.prefixes), *filter(plain.endswith, self.suffixes)]
        asked = "".join([plain] if plain in self.names else affixes)
        pair = next((pair for pair in self.words if asked and all(word in asked for word in pair)), ())
        return {
            key: list(dict.fromkeys([word, *self.field[key]]))
            for key, word in zip(("trueValues", "falseValues"), pair, strict=False)
        }

    def _category(self, place: int, entry: Mapping[str, Any], used: Writing) -> dict[str, Any]:
        """A category in the words of a writing; what else means it becomes a spelling, 8 where one has 08."""
        value = entry["value"] if used == self.writings[0] else used.words[place]
        words = [writing.words[place] for writing in self.writings]
        bare = [str(int(word)) for word in words if word.isdecimal()]
        others = [*entry.get("spellings", ()), *words, *bare]
        spellings = [text for text in dict.fromkeys(map(str, others)) if text != str(value)]
        label = used.labels[place] if used.labels else entry.get("label", str(entry["value"]))
        return {
            "value": value,
            **({"label": label} if label != str(value) else {}),
            **({"spellings": spellings} if spellings else {}),
        }


def vocabulary_for(name: str) -> Vocabulary | None:
    """Find the vocabulary for a column by its name.

    Example:
        >>> vocabulary_for("Geschlecht").key, vocabulary_for("hauptdiagnose_icd").key
        ('sex', 'diagnosis')
    """
    plain = plain_name(name)
    by_name = _BY_NAME.get(plain)
    if by_name is not None:
        return by_name
    return next((vocabulary for vocabulary in VOCABULARIES if vocabulary.fits(plain)), None)


def vocabulary_name(source: str, language: str) -> str:
    """Name a public source in a reader's language; as it is where it has no name in it.

    Args:
        source: Its name, as a codebook has it.
        language: The language's code.

    Example:
        >>> [vocabulary_name(source, "zh") for source in ("Yes and no", "Our own list")]
        ['是与否', 'Our own list']
    """
    shipped = _BY_SOURCE.get(source)
    return shipped.source_in.get(language, source) if shipped else source


def plain_name(name: str) -> str:
    """Write a column's name in lower case, without accents, its words joined by underscores.

    Example:
        >>> plain_name("Länder-Code"), plain_name("birthMonth"), plain_name("Case #")
        ('lander_code', 'birth_month', 'case_no')
    """
    counted = (
        name.strip().replace("\u200d", "").replace("#", " no ").replace("n°", "no ").replace("N°", "no ")
    )
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", counted)
    bare = "".join(c for c in unicodedata.normalize("NFKD", spaced) if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "_", bare.casefold()).strip("_")


def _plain_affix(affix: str) -> str:
    """A beginning or an end of a name as ``plain_name`` writes it, with the underscores at its own ends."""
    return affix if affix.isascii() else plain_name(affix)


def _read() -> tuple[Vocabulary, ...]:
    text = resources.files(__package__).joinpath("vocabularies.json").read_text(encoding="utf-8")
    return tuple(
        Vocabulary(
            key=entry["key"],
            source=entry["source"],
            source_in=entry["source_in"],
            names=frozenset(map(plain_name, entry["names"])),
            prefixes=tuple(map(_plain_affix, entry.get("prefixes", ()))),
            suffixes=tuple(map(_plain_affix, entry.get("suffixes", ()))),
            unless=tuple(entry.get("unless", ())),
            field=entry["field"],
            writings=tuple(
                Writing(
                    words=tuple(w["words"]),
                    names=frozenset(map(plain_name, w.get("names", ()))),
                    labels=tuple(w.get("labels", ())),
                )
                for w in entry.get("writings", ())
            ),
            words=tuple(tuple(words.split("|")) for words in entry.get("words", ())),
        )
        for entry in json.loads(text)
    )


VOCABULARIES = _read()
"""All vocabularies that are shipped."""
_BY_NAME = {name: vocabulary for vocabulary in VOCABULARIES for name in vocabulary.names}
_BY_SOURCE = {vocabulary.source: vocabulary for vocabulary in VOCABULARIES}
