"""The kinds of columns that a card offers: one row a kind, and nothing else asks for their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Part(StrEnum):
    """What a card asks of a kind of column."""

    LIST = "list"
    """The categories, and whether their order means something."""
    BOUNDS = "bounds"
    """Minimum, maximum and bins."""
    WRITTEN = "written"
    """How a date or time is written."""
    AMOUNT = "amount"
    """How csv files write a number."""
    TRUTHS = "truths"
    """How yes and no are written."""
    FRESH = "fresh"
    """The format of identifiers that are made up anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of column.

    Attributes:
        key: Its name in the catalogue (``data.kind.<key>``).
        type: The field's type in the Table Schema.
        parts: What its card asks.
        role: The role of a column that is never published; empty where the kind can be.
        numeric: Whether its bounds are numbers; else they are texts as the column writes them.
    """

    key: str
    type: str
    parts: tuple[Part, ...] = ()
    role: str = ""
    numeric: bool = False


KINDS = (
    Kind(key="category", type="string", parts=(Part.LIST,)),
    Kind(key="integer", type="integer", parts=(Part.BOUNDS, Part.AMOUNT), numeric=True),
    Kind(key="number", type="number", parts=(Part.BOUNDS, Part.AMOUNT), numeric=True),
    Kind(key="date", type="date", parts=(Part.WRITTEN, Part.BOUNDS)),
    Kind(key="datetime", type="datetime", parts=(Part.WRITTEN, Part.BOUNDS)),
    Kind(key="time", type="time", parts=(Part.WRITTEN, Part.BOUNDS)),
    Kind(key="year", type="year", parts=(Part.BOUNDS,), numeric=True),
    Kind(key="yearmonth", type="yearmonth", parts=(Part.BOUNDS,)),
    Kind(key="duration", type="duration", parts=(Part.BOUNDS,)),
    Kind(key="boolean", type="boolean", parts=(Part.TRUTHS,)),
    Kind(key="identifier", type="string", parts=(Part.FRESH,), role="identifier"),
    Kind(key="text", type="string", role="text"),
)
BY_KEY = {kind.key: kind for kind in KINDS}
CATEGORY = BY_KEY["category"]


def kind_of(entry: Mapping[str, Any]) -> Kind:
    """Find the kind of a field; what is listed is a category, whatever its type."""
    if entry.get("publish") is False and entry.get("role"):
        return next((kind for kind in KINDS if kind.role == entry["role"]), CATEGORY)
    constraints = entry.get("constraints")
    if entry.get("categories") or (isinstance(constraints, Mapping) and "enum" in constraints):
        return CATEGORY
    kinds = (kind for kind in KINDS if kind.type == entry.get("type") and not kind.role)
    return next(kinds, CATEGORY)
