"""Columns whose values are those of an identifier: who infected somebody, a mother, a manager."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from hmpb_core.categories import texts_of
from hmpb_core.provenance import Origin, Provenance, provenance_of
from hmpb_core.sources.drafting.signs import distinct
from hmpb_core.sources.drafting.vocabularies import plain_name
from hmpb_core.texts import plain_number

FEWEST_IDS, FEWEST = 20, 5
"""Different identifiers, and different values of another column, that tell anything."""
OF_THEM = 0.9
"""Part of these values that are identifiers; the others say that there is none: 0, -1, index."""
BY_CHANCE = 1e-4
"""Chance with which numbers that lie among the identifiers are all such, up to which they are no others."""
_NUMBER = re.compile(r"\d+", re.ASCII)
_GUESS = Provenance(origin=Origin.GUESS).to_dict()
_WHO = (
    "by|from|parents?|mother|father|mum|mom|dad|sire|dam|spouse|partner|husband|wife|sibling|twin|manager|"
    "supervisor|boss|leader|head|mentor|source|contact|infector|referrer|referral|linked|related|matched|match|"
    "mutter|vater|eltern|vorgesetzter?|quelle|kontakt|madre|padre|jefe|pareja|mere|pere|conjoint|chef|moeder|"
    "vader|capo|pai|mae|chefe"
)
_OF_SOMEBODY = re.compile(rf"(.*_)?({_WHO})(_(id|no|nr|num|number|key|case|person))?")


def with_references(
    fields: Sequence[dict[str, Any]], frame: pd.DataFrame, missing: Sequence[str]
) -> list[dict[str, Any]]:
    """Leave out guessed columns that hold the values of an identifier: each names another row.

    As a number or a list, such a column would name people, and none of the synthetic rows.

    Args:
        fields: A draft's fields, in the order of the columns.
        frame: The table.
        missing: Texts that mean a missing value where a field names none.
    """
    named = references(fields, frame, missing)
    return [
        {
            **{key: entry[key] for key in ("name", "title") if key in entry},
            "type": "string",
            "role": "identifier",
            "publish": False,
            "source": _GUESS,
        }
        if entry["name"] in named and entry.get("publish") is not False
        else entry
        for entry in fields
    ]


def references(
    fields: Sequence[Mapping[str, Any]], frame: pd.DataFrame, missing: Sequence[str]
) -> dict[str, str]:
    """Give the guessed columns whose values are those of an identifier, each with its name.

    Args:
        fields: A draft's fields.
        frame: The table.
        missing: Texts that mean a missing value where a field names none.
    """
    there = [entry for entry in fields if entry["name"] in frame.columns]
    ids = {
        str(entry["name"]): _values(frame, entry, missing)
        for entry in there
        if entry.get("role") == "identifier"
    }
    ids = {name: values for name, values in ids.items() if len(values) >= FEWEST_IDS}
    found = {}
    for entry in there if ids else ():
        guessed = provenance_of(entry).origin is Origin.GUESS
        if not guessed or entry.get("type") not in ("integer", "number", "string"):
            continue
        values = _values(frame, entry, missing)
        names = (name for name, own in ids.items() if _are_of(values, own, str(entry["name"])))
        if (name := next(names, None)) is not None:
            found[str(entry["name"])] = name
    return found


def _values(frame: pd.DataFrame, entry: Mapping[str, Any], missing: Sequence[str]) -> set[str]:
    absent = {"", *(texts_of(entry["missingValues"]) if "missingValues" in entry else missing)}
    return {plain_number(text) for text in distinct(frame[entry["name"]]).counts if text not in absent}


def _are_of(values: set[str], ids: set[str], name: str) -> bool:
    """Whether values are identifiers, and not merely numbers that lie among them, as ages among 1 to 900."""
    shared = values & ids
    if len(values) >= len(ids) or len(shared) < FEWEST or len(shared) < OF_THEM * len(values):
        return False
    if not all(_NUMBER.fullmatch(value) for value in shared):
        return True
    numbers = [int(value) for value in ids if _NUMBER.fullmatch(value)]
    own = [int(value) for value in shared]
    density = sum(min(own) <= number <= max(own) for number in numbers) / (max(own) - min(own) + 1)
    low, high = min(numbers), max(numbers)
    if len(shared) * math.log(density) < math.log(BY_CHANCE) or low > high - low:
        return True
    far = max(own) > high / 2
    return far and len(shared) >= FEWEST_IDS and _OF_SOMEBODY.fullmatch(plain_name(name)) is not None
