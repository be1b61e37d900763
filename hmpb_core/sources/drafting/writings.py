"""How a file writes: decimals, dates and times, the words of a vocabulary: read off the rows."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from hmpb_core.codebook import LEARNED
from hmpb_core.provenance import Origin, Provenance
from hmpb_core.sources.drafting.vocabularies import vocabulary_for

MOST_GUESSED_DECIMALS = 6
"""Decimals beyond which numbers were computed, not written down."""
MULTIPLES = (1000, 100, 10, 5)
MANY_MULTIPLES = 20
"""Different values that a column needs before what divides them all says anything."""
_GUESS = Provenance(origin=Origin.GUESS).to_dict()
_DECIMALS = re.compile(r"[-+]?\d+\.?(\d*)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """One way to write dates or times.

    Attributes:
        pattern: What every text looks like.
        kind: The type of the field.
        format: The field's format; empty for the standard way.
        step: What its values are multiples of; None: nothing is said.
    """

    pattern: re.Pattern[str]
    kind: str
    format: str = ""
    step: int | None = None


def _of(pattern: str, kind: str, form: str = "", step: int | None = None) -> Moments:
    return Moments(pattern=re.compile(pattern, re.ASCII), kind=kind, format=form, step=step)


MOMENTS = (
    _of(r"\d{4}-\d{2}-\d{2}", "date"),
    _of(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}", "datetime", "%Y-%m-%d %H:%M", 60),
    _of(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}", "datetime", "%Y-%m-%d %H:%M:%S"),
    _of(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?", "datetime"),
    _of(r"\d{1,2}\.\d{1,2}\.\d{4}", "date", "%d.%m.%Y"),
    _of(r"\d{1,2}\.\d{1,2}\.\d{2}", "date", "%d.%m.%y"),
    _of(r"\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{2}", "datetime", "%d.%m.%Y %H:%M", 60),
    _of(r"\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{2}:\d{2}", "datetime", "%d.%m.%Y %H:%M:%S"),
    _of(r"\d{1,2}/\d{1,2}/\d{4}", "date", "%d/%m/%Y"),
    _of(r"\d{1,2}/\d{1,2}/\d{4}", "date", "%m/%d/%Y"),
    _of(r"\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}", "datetime", "%d/%m/%Y %H:%M", 60),
    _of(r"\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}", "datetime", "%m/%d/%Y %H:%M", 60),
    _of(r"\d{1,2}-\d{1,2}-\d{4}", "date", "%d-%m-%Y"),
    _of(r"\d{4}/\d{1,2}/\d{1,2}", "date", "%Y/%m/%d"),
    _of(r"\d{4}-\d{2}", "yearmonth"),
    _of(r"\d{1,2}/\d{4}", "yearmonth", "%m/%Y"),
    _of(r"\d{1,2}\.\d{4}", "yearmonth", "%m.%Y"),
    _of(r"\d{2}:\d{2}", "time", "%H:%M", 60),
    _of(r"\d{2}:\d{2}:\d{2}", "time"),
)
"""Ways to write dates and times, the narrower before the wider, days before months where both may be."""


def dates_of(texts: Sequence[str], constraints: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the readings under which every text is a date or time, bounded by whole years or the whole day."""
    found = []
    for way in MOMENTS:
        if not texts or not all(way.pattern.fullmatch(text) for text in texts):
            continue
        bounds = _bounds(texts, way)
        if bounds is None:
            continue
        # Bounds are written as the field's values are.
        found.append(
            {
                "type": way.kind,
                **({"format": way.format} if way.format else {}),
                "constraints": {**bounds, **constraints},
                "bins": LEARNED,
                **({"multipleOf": way.step} if way.step else {}),
            }
        )
    return found


def _bounds(texts: Sequence[str], way: Moments) -> dict[str, str] | None:
    read = pd.Series(texts)
    if way.kind == "yearmonth" and not way.format:
        read = read + "-01"
    form = "ISO8601" if not way.format and way.kind != "time" else way.format or "%H:%M:%S"
    moments = pd.to_datetime(read, format=form, errors="coerce")
    if moments.isna().any():
        return None
    if way.kind == "time":
        return {"minimum": "00:00", "maximum": "23:59"} if way.format else _WHOLE_DAY
    low, high = (dt.datetime(int(moments.min().year), 1, 1), dt.datetime(int(moments.max().year), 12, 31))  # noqa: DTZ001
    if way.kind == "datetime":
        high = high.replace(hour=23, minute=59, second=59)
    style = way.format or {"date": "%Y-%m-%d", "yearmonth": "%Y-%m"}.get(way.kind, "%Y-%m-%dT%H:%M:%S")
    return {"minimum": low.strftime(style), "maximum": high.strftime(style)}


_WHOLE_DAY = {"minimum": "00:00:00", "maximum": "23:59:59"}


def has_points(counts: Counter[str]) -> bool:
    """Whether a file writes most of its whole numbers with a decimal point: 1.0, not 1."""
    return 2 * sum(rows for text, rows in counts.items() if "." in text) > counts.total()


def decimals_of(texts: Sequence[str]) -> dict[str, int]:
    """The decimals that numbers are written with; nothing where one is written otherwise or has many."""
    most = 0
    for text in texts:
        found = _DECIMALS.fullmatch(text)
        if found is None:
            return {}
        most = max(most, len(found.group(1)))
    return {"decimals": most} if most <= MOST_GUESSED_DECIMALS else {}


def multiple_of(numbers: Sequence[float]) -> int:
    """The largest of 1000, 100, 10 and 5 that divides all of many whole numbers; else 1."""
    if len(numbers) < MANY_MULTIPLES:
        return 1
    return next((step for step in MULTIPLES if all(number % step == 0 for number in numbers)), 1)


def as_written(entry: Mapping[str, Any], counts: Counter[str]) -> dict[str, Any] | None:
    """Give a vocabulary's field in the words that the file uses; None where it has them already.

    Which words a file uses is read off its rows, so the field becomes a guess.

    Args:
        entry: The field as the column's name alone suggests it.
        counts: How often each text of the column occurs.
    """
    vocabulary = vocabulary_for(str(entry["name"]))
    if vocabulary is None:
        return None
    title = {"title": entry["title"]} if "title" in entry else {}
    if vocabulary.writings:
        rows = [sum(counts[word] for word in writing.words) for writing in vocabulary.writings]
        values = tuple(str(category["value"]) for category in entry["categories"])
        now = sum(counts[value] for value in values)
        best = max(range(len(rows)), key=lambda place: rows[place])
        if rows[best] <= now:
            return None
        found = vocabulary.field_for(str(entry["name"]), vocabulary.writings[best])
        return {**found, **title, "source": _GUESS, "declared": False}
    for words in vocabulary.words if vocabulary.field.get("type") == "boolean" else ():
        if set(counts) <= set(words) and counts:
            listed = {"type": "string", "categories": list(words), "categoriesOrdered": False}
            return {"name": entry["name"], **title, **listed, "source": _GUESS, "declared": False}
    return None
