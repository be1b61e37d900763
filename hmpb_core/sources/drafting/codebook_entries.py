"""What fields of codebook files have in common, whatever program wrote them: lists, bounds, missing codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hmpb_core.dates import NumericKind, read_value
from hmpb_core.errors import Sentence

Field = dict[str, Any]

_SHOWN = 5
MOST_APART = 10
"""Missing codes of a list up to which they are told apart."""
_WHOLE_DAY = {"minimum": "00:00:00", "maximum": "23:59:59"}


@dataclass(slots=True)
class Found:
    """What a codebook file says.

    Attributes:
        fields: One entry a variable.
        rules: What every row obeys, as a codebook writes it.
        remarks: What of the file was not understood, or is left to a person, in a sentence each.
    """

    fields: list[Field] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[Sentence] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Columns:
    """The table that a codebook file is read for, as far as everybody knows it.

    Attributes:
        table: The name of its file; may be empty.
        names: The names of its columns; none where nothing is known of them.
    """

    table: str = ""
    names: tuple[str, ...] = ()


def shown(names: Sequence[str]) -> str:
    """Name a few.

    Example:
        >>> shown(["a"]), shown(["a", "b", "c", "d", "e", "f"])
        ('a', 'a, b, c, d, e, ...')
    """
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")


def listed(categories: Sequence[Mapping[str, Any]]) -> Field:
    """Declare a list: of whole numbers where all are such; of texts, as they are written, elsewhere."""
    if all(isinstance(category["value"], int) for category in categories):
        return {"type": "integer", "categories": list(categories)}
    return {"type": "string", "categories": [{**c, "value": str(c["value"])} for c in categories]}


def bounded(low: str | None, high: str | None, *, kind: str | None = None) -> Field:
    """Declare a number by its bounds, or by the one that is said; nothing where neither is a number.

    Args:
        low: The least value, as it is written.
        high: The largest.
        kind: ``integer`` or ``number``; what the bounds are, where nothing says it.
    """
    bounds = {"minimum": number((low or "").strip()), "maximum": number((high or "").strip())}
    bounds = {name: bound for name, bound in bounds.items() if not isinstance(bound, str)}
    if len(bounds) == 2 and not bounds["minimum"] < bounds["maximum"]:
        bounds = {}
    if not bounds:
        return {"type": kind} if kind else {}
    whole = all(isinstance(bound, int) for bound in bounds.values())
    return {"type": kind or ("integer" if whole else "number"), "constraints": bounds}


def dated(kind: NumericKind, low: str = "", high: str = "", *, pattern: str = "") -> Field:
    """Declare a date, time or moment by its bounds, as far as they can be read; a time of day has its own."""
    bounds = {"minimum": low.strip(), "maximum": high.strip()}
    bounds = {name: text for name, text in bounds.items() if read_value(text, kind, pattern) is not None}
    if kind == "time":
        bounds = {**_WHOLE_DAY, **bounds}
    return {
        "type": kind,
        **({"format": pattern} if pattern else {}),
        **({"constraints": bounds} if bounds else {}),
    }


def with_missing(entry: Field, codes: Sequence[Any]) -> Field:
    """The field with its missing codes: those of a list apart where two have labels, else folded into one.

    Several that are folded leave as the empty cell: one of them would state a reason that most do not have.

    Args:
        entry: The field, with its categories where it has some.
        codes: The codes, each alone or an object with its label.
    """
    labelled = sum(isinstance(code, dict) and "label" in code for code in codes)
    if "categories" in entry and 1 < labelled <= len(codes) <= MOST_APART:
        return {**entry, "missingValues": list(codes), "missingApart": True}
    return {**entry, "missingValues": ["", *codes] if len(codes) > 1 else [*codes, ""]}


def unique(values: Iterable[Any]) -> list[Any]:
    """Codes, each once, the first one with a label before another of its value."""
    found: dict[Any, Any] = {}
    for value in values:
        key = value["value"] if isinstance(value, dict) else value
        if key not in found or (isinstance(value, dict) and not isinstance(found[key], dict)):
            found[key] = value
    return list(found.values())


def number(text: str) -> Any:
    """Give a number where a text is the plain way to write one: 01 is no number but a code."""
    if re.fullmatch(r"-?(0|[1-9]\d{0,14})", text, re.ASCII):
        return int(text)
    return float(text) if re.fullmatch(r"-?(0|[1-9]\d{0,14})\.\d{1,15}", text, re.ASCII) else text
