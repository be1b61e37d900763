"""Lengths of time: how a file writes them, read off the rows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hmpb_core.codebook_fields import LEARNED
from hmpb_core.dates import read_value, write_value
from hmpb_core.sources.drafting.signs import MANY_MULTIPLES

CLOCK_LENGTH = re.compile(r"-?\d{1,5}:[0-5]\d:[0-5]\d", re.ASCII)
DAYS_LENGTH = re.compile(r"-?\d{1,5} days?,? [+-]?\d{1,2}:[0-5]\d:[0-5]\d(\.\d+)?", re.ASCII)
ISO_LENGTH = re.compile(r"-?P(?=\d|T\d)(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?", re.ASCII)
"""Ways to write lengths of time: as a clock shows them, as pandas writes them, and ISO 8601."""
_SPELT_LENGTH = re.compile(
    r"(?=\d)(\d{1,4} ?h(ours?|rs?)?\.?)?([ ,]*\d{1,4} ?m(in(ute)?s?)?\.?)?", re.ASCII | re.IGNORECASE
)
LENGTHS = {CLOCK_LENGTH: "clock", ISO_LENGTH: "", DAYS_LENGTH: "days", _SPELT_LENGTH: None}
"""Each way to write lengths of time, and its format; that of words is read off the texts."""
_ROUNDING = 1e-6
_BOTH = re.compile(r"\d+( ?h[a-z]*\.?[ ,]*)\d+( ?m[a-z]*\.?)", re.ASCII | re.IGNORECASE)


def lengths_of(texts: Sequence[str], constraints: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the reading under which every text is a length of time, in whole hours at most.

    As a clock shows it (29:14:36), in ISO 8601 (PT5H), as pandas writes it (0 days 05:00:00), or in words
    (2h 50m).

    Example:
        >>> lengths_of(["29:14:36", "0:05:00"], {})[0]["constraints"]
        {'minimum': '0:00:00', 'maximum': '30:00:00'}
    """
    for pattern, form in LENGTHS.items():
        if texts and all(pattern.fullmatch(text) for text in texts):
            lengths = [length for text in texts if (length := read_value(text, "duration")) is not None]
            if len(lengths) < len(texts):
                return []
            hours = [length / 3600 for length in lengths]
            ends = min(0, math.floor(min(hours))), max(1, math.ceil(max(hours)))
            written = _spelt_like(texts) if form is None else form
            if written is None:
                return []
            bounds = {
                bound: write_value(3600 * end, "duration", written)
                for bound, end in zip(("minimum", "maximum"), ends, strict=True)
            }
            step = 60 if form is None or _in_minutes(lengths) else None
            return [
                {
                    "type": "duration",
                    **({"format": written} if written else {}),
                    "constraints": {**bounds, **constraints},
                    "bins": LEARNED,
                    **({"multipleOf": step} if step else _decimals(lengths)),
                }
            ]
    return []


def as_lengths(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The field of numbers as one of lengths in seconds; one that is neither bounded nor a list stays.

    Example:
        >>> as_lengths({"type": "integer", "constraints": {"minimum": 0, "maximum": 5400}})["constraints"]
        {'minimum': 'PT0S', 'maximum': 'PT1H30M'}
    """
    limits = entry.get("constraints", {})
    ends = entry["categories"] if "categories" in entry else [limits.get("minimum"), limits.get("maximum")]
    if entry["type"] not in ("integer", "number") or None in ends:
        return dict(entry)
    bounds = {"minimum": min(0, *ends), "maximum": max(1, *ends)}
    written = {bound: write_value(end, "duration") for bound, end in bounds.items()}
    kept = {key: value for key, value in entry.items() if key not in _OF_NUMBERS}
    return {**kept, "type": "duration", "constraints": {**limits, **written}, "bins": LEARNED}


_OF_NUMBERS = ("categories", "categoriesOrdered", "written", "precision")


def _in_minutes(lengths: Sequence[float]) -> bool:
    return len(lengths) >= MANY_MULTIPLES and all(length % 60 == 0 for length in lengths)


def _decimals(lengths: Sequence[float]) -> dict[str, int]:
    """The decimals of seconds where most lengths have parts of one: reactions would all be 0 or 1 s."""
    if 2 * sum(length % 1 > 0 for length in lengths) <= len(lengths):
        return {}
    off = (max(abs(round(length, digits) - length) for length in lengths) for digits in (1, 2))
    return {"decimals": next((digits for digits, far in enumerate(off, start=1) if far < _ROUNDING), 3)}


def _spelt_like(texts: Sequence[str]) -> str | None:
    """The format of lengths in words, by the first that has hours and minutes; None where none has."""
    whole = [found for text in texts if (found := _BOTH.fullmatch(text))]
    if not whole:
        return None
    after_hours, after_minutes = whole[0].groups()
    return f"{0 if len(whole) == len(texts) else 1}{after_hours}30{after_minutes}"
