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
class Vocabulary:
    """What a column of certain names holds, by a public source.

    Attributes:
        key: Its short name.
        source: Where it comes from.
        names: Names of columns that it is offered for, as ``plain_name`` writes them.
        prefixes: Beginnings of such names.
        suffixes: Ends of such names.
        field: The field of a Table Schema, without a name.
    """

    key: str
    source: str
    names: frozenset[str]
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    field: Mapping[str, Any] = field(repr=False)

    def fits(self, name: str) -> bool:
        """Whether it is offered for a column of this plain name."""
        return name in self.names or name.startswith(self.prefixes) or name.endswith(self.suffixes)

    def field_for(self, name: str) -> dict[str, Any]:
        """Give the field for a column."""
        source = Provenance(origin=Origin.VOCABULARY, name=self.source)
        return {"name": name, **self.field, "source": source.to_dict()}


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


def plain_name(name: str) -> str:
    """Write a column's name in lower case, without accents, its words joined by underscores.

    Example:
        >>> plain_name("Länder-Code"), plain_name("birthMonth")
        ('lander_code', 'birth_month')
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    bare = "".join(c for c in unicodedata.normalize("NFKD", spaced) if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "_", bare.casefold()).strip("_")


def _read() -> tuple[Vocabulary, ...]:
    text = resources.files(__package__).joinpath("vocabularies.json").read_text(encoding="utf-8")
    return tuple(
        Vocabulary(
            key=entry["key"],
            source=entry["source"],
            names=frozenset(entry["names"]),
            prefixes=tuple(entry.get("prefixes", ())),
            suffixes=tuple(entry.get("suffixes", ())),
            field=entry["field"],
        )
        for entry in json.loads(text)
    )


VOCABULARIES = _read()
"""All vocabularies that are shipped."""
_BY_NAME = {name: vocabulary for vocabulary in VOCABULARIES for name in vocabulary.names}
