"""Postcodes: told by the column's name, since by their values they are numbers like any others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from string import digits
from typing import Any

from hmpb_core.sources.drafting.signs import MOSTLY_DISTINCT, OFTEN, is_listed
from hmpb_core.sources.drafting.vocabularies import plain_name

OTHER = "(other)"
_OF_PLACES = re.compile(
    r"(.*_)?(plz|postleitzahl(en)?|zip(_?codes?|5)?|postal(_?codes?)?|post_?codes?|codes?_postal|codigo_postal|"
    r"codice_postale|cod_postal|kod_pocztowy|postnr|postnummer|psc|pin_?codes?|posta_kodu|postinumero|"
    r"iranyitoszam|irsz|邮编|邮政编码|郵便番号)|cp|cep"
)
"""Italian cap is as often a capacity."""
_SPELLED = frozenset(map(plain_name, ("почтовый индекс", "우편번호")))
"""Names with letters that a plain name takes apart."""
_POSTCODE = re.compile(r"\d{3,}(\.0*)?", re.ASCII)
"""With .0 where a program read them as numbers beside missing ones."""


def is_of_postcodes(name: str) -> bool:
    """Whether a column holds postcodes by its name: 59369 is no number there, as 01067 is none.

    Example:
        >>> [is_of_postcodes(name) for name in ("PLZ", "Zip Code", "wohnort_plz", "zipper", "capacity")]
        [True, True, True, False, False]
        >>> [is_of_postcodes(name) for name in ("Pin Code", "Почтовый индекс", "郵便番号", "pin")]
        [True, True, True, False]
    """
    plain = plain_name(name)
    return plain in _SPELLED or _OF_PLACES.fullmatch(plain) is not None


def are_postcodes(name: str, counts: Counter[str]) -> bool:
    """Whether most rows of a column with such a name hold whole numbers of three digits or more.

    Args:
        name: The column's name.
        counts: Rows of each value that is not missing.
    """
    rows = sum(n for text, n in counts.items() if _POSTCODE.fullmatch(text)) if is_of_postcodes(name) else 0
    return 2 * rows > counts.total()


def postcode_fields(
    counts: Counter[str], table_rows: int, constraints: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Give the lists that postcodes may be, the longest first: a number between two of them is no place.

    Where they are too many for a list, those of fewer than five rows fold into their first digit; where more
    than half of the values differ there is none, as after a survey.

    Args:
        counts: Rows of each value that is not missing.
        table_rows: Rows of the table, those without a value included.
        constraints: Constraints of the field.
    """
    extra = {"constraints": dict(constraints)} if constraints else {}
    if is_listed(counts, table_rows):
        return [_listed(sorted(counts), []) | extra]
    if len(counts) > MOSTLY_DISTINCT * counts.total():
        return []
    often = sorted(text for text in counts if counts[text] >= OFTEN)
    return [_listed(kept, sorted(set(counts).difference(kept))) | extra for kept in (often, [])]


def _listed(kept: list[str], folded: list[str]) -> dict[str, Any]:
    """The list of some postcodes, and of the first digits of the others."""
    groups = [digit for digit in digits if digit not in kept and any(text[:1] == digit for text in folded)]
    others = any(text[:1] not in digits for text in folded)
    return {
        "type": "string",
        "categories": [
            *kept,
            *({"value": digit, "prefixes": [digit]} for digit in groups),
            *([OTHER] if others else []),
        ],
        "categoriesOrdered": False,
        **({"unknown": OTHER} if others else {}),
    }
