"""SDNist's data dictionaries: the JSON that comes with NIST's excerpts of census data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hmpb_core.sources.drafting.codebook_entries import Field, listed, number, with_missing

_BOUNDS = ("min", "max")


def is_sdnist(schema: Any) -> bool:
    """Whether JSON is such a dictionary: of each variable a description, or values."""
    entries = list(schema.values()) if isinstance(schema, Mapping) else []
    return bool(entries) and all(
        isinstance(entry, Mapping) and ("description" in entry or "values" in entry) for entry in entries
    )


def fields_of_sdnist(schema: Mapping[str, Mapping[str, Any]]) -> list[Field]:
    """Give the field of each variable.

    Values with labels are its categories. Beside ``min`` and ``max`` a labelled number lies within the
    bounds, which are widened where it does not, and a labelled word (``N``) is a missing code.

    Example:
        >>> values = {"N": "not asked", "min": 0, "max": 500, "501": "above"}
        >>> fields_of_sdnist({"ratio": {"values": values}})[0]["constraints"]
        {'minimum': 0, 'maximum': 501}
    """
    return [_field(str(name), entry) for name, entry in schema.items()]


def _field(name: str, entry: Mapping[str, Any]) -> Field:
    field: Field = {"name": name}
    if isinstance(title := entry.get("description"), str) and title.strip():
        field["title"] = " ".join(title.split())
    values = entry.get("values")
    if not isinstance(values, Mapping):
        return field
    labels = [
        {"value": number(str(value)), "label": str(text)}
        for value, text in values.items()
        if value not in _BOUNDS
    ]
    low, high = (number(str(values.get(bound, ""))) for bound in _BOUNDS)
    if isinstance(low, str) or isinstance(high, str):
        return field | (listed(labels) if labels else {})
    numbers = [item for item in labels if not isinstance(item["value"], str)]
    ends = [low, high, *(item["value"] for item in numbers)]
    if min(ends) == max(ends):
        return field
    field |= {
        "type": "integer" if all(isinstance(end, int) for end in ends) else "number",
        "constraints": {"minimum": min(ends), "maximum": max(ends)},
    }
    if numbers:
        field["labels"] = numbers
    words = [item for item in labels if isinstance(item["value"], str)]
    return with_missing(field, words) if words else field
