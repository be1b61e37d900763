"""Numbers that are codes, as the words beside them say: of units, symbols, towns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.categories import texts_of
from hmpb_core.provenance import Origin, provenance_of
from hmpb_core.sources.drafting.place_codes import place_code_fields
from hmpb_core.sources.drafting.signs import MANY_VALUES, NUMBER, OFTEN, distinct
from hmpb_core.sources.drafting.vocabularies import plain_name

ONE_WORD_EACH = 0.9
"""Part of the codes that have words of their own; two towns may be called the same."""
_CODED = (
    "code|kode|kod|cd|cod|co|codigo|codice|no|nr|num|nro|nbr|number|nummer|numero|id|schlussel|schluessel"
)
_CODE = re.compile(
    rf"(?!(number|num|no|nr|n)_of_)((.*_)?({_CODED})(_.*)?|.*(code|kode|codigo|schlussel|schluessel))"
)
_SURELY = re.compile(
    r"(.*_)?(code|kode|codigo|codice|schlussel|schluessel|kennziffer)s?|.*(code|kode)s?|(.*_)?item_?id"
)


def with_codes_beside_words(
    fields: Sequence[dict[str, Any]], frame: pd.DataFrame, missing: Sequence[str]
) -> list[dict[str, Any]]:
    """List guessed whole numbers that by their name are codes, or may be and a column of words says which.

    Each number stands beside one word alone, and nearly each word beside one number, or the other way round,
    as where a country changed its name: between two such numbers there is none, whatever is measured.

    Args:
        fields: A draft's fields, in the order of the columns.
        frame: The table.
        missing: Texts that mean a missing value where a field names none.
    """
    places = [i for i, entry in enumerate(fields) if _may_be_codes(entry)]
    words = [coded for i in range(frame.shape[1]) if places and (coded := _words(frame.iloc[:, i]))]
    found = list(fields)
    for i in places:
        absent = {"", *(texts_of(fields[i]["missingValues"]) if "missingValues" in fields[i] else missing)}
        column = frame.iloc[:, i]
        counts = Counter({text: n for text, n in distinct(column).counts.items() if text not in absent})
        often = counts.total() >= OFTEN * len(counts) and len(counts) > MANY_VALUES // 2
        surely = _SURELY.fullmatch(plain_name(fields[i]["name"]))
        if often and (surely or any(_says_which(column, absent, len(counts), some) for some in words)):
            found[i] = _listed(fields[i], counts, len(column))
    return found


def _may_be_codes(entry: Mapping[str, Any]) -> bool:
    whole = entry.get("type") == "integer" or (entry.get("type") == "number" and entry.get("multipleOf") == 1)
    guessed = provenance_of(entry).origin is Origin.GUESS and "bins" in entry and "unknown" not in entry
    name = plain_name(entry["name"])
    return guessed and whole and any(named.fullmatch(name) for named in (_CODE, _SURELY))


def _words(column: pd.Series) -> tuple[NDArray[np.int64], int] | None:
    """A column's words as numbers, -1 where it has none; nothing for a column of other values."""
    if column.dtype != object and not pd.api.types.is_string_dtype(column.dtype):
        return None
    codes, values = pd.factorize(column, use_na_sentinel=True)
    if len(values) <= MANY_VALUES // 2 or any(NUMBER.fullmatch(str(value)) for value in values[:OFTEN]):
        return None
    return codes, len(values)


def _says_which(
    column: pd.Series, absent: set[str], n_codes: int, words: tuple[NDArray[np.int64], int]
) -> bool:
    codes, n_words = words
    fewer, more = sorted((n_codes, n_words))
    if fewer < ONE_WORD_EACH * more:
        return False
    numbers, values = pd.factorize(column, use_na_sentinel=True)
    gone = [i for i, value in enumerate(values) if str(value) in absent]
    there = (numbers >= 0) & ~np.isin(numbers, gone)
    pairs = np.unique(numbers[there] * (n_words + 1) + codes[there] + 1)
    return len(pairs) <= more


def _listed(entry: dict[str, Any], counts: Counter[str], rows: int) -> dict[str, Any]:
    limits = {"required": True} if "required" in entry.get("constraints", {}) else {}
    found = next(iter(place_code_fields(entry["name"], counts, rows, limits)), None)
    kept = ("name", "title", "labels", "missingValues", "source", "declared")
    return {key: entry[key] for key in kept if key in entry} | found if found else entry
