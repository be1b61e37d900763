"""Numbers and dates as people type them into a card: 250,000 or $1,250.50 or 06/30/2015."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from hmpb_core.amounts import MONEY, SPACED, TYPOGRAPHIC
from hmpb_core.dates import padded, read_value, write_value
from hmpb_core.sources.drafting.writings import dates_of

_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)
_BY_COMMAS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", re.ASCII)
_BY_POINTS = re.compile(r"[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?", re.ASCII)
_BY_SPACES = re.compile(rf"[-+]?[1-9]\d{{0,2}}([{SPACED}]\d{{3}})+([.,]\d*)?", re.ASCII)


def as_number(text: str, decimal: str | None = None) -> Any:
    """Read a number as people write it; a text that is none stays.

    Args:
        text: What was typed: with a point or a comma, with marks between thousands, beside a sign of money.
        decimal: The decimal mark of the table's file; it decides what 1,250 and 1.250 mean. None: nothing is
            known, and both are read the English way.

    Example:
        >>> as_number("$250,000"), as_number("0,5"), as_number("1.250", ","), as_number("1.250")
        (250000, 0.5, 1250, 1.25)
    """
    bare = text.strip().replace(TYPOGRAPHIC, "-").strip(MONEY).strip()
    sign = bare[:1] if bare[:1] in "+-" else ""
    plain = _without_groups(sign + bare[len(sign) :].strip().strip(MONEY).strip(), decimal)
    if not _NUMBER.fullmatch(plain):
        return text.strip()
    number = float(plain.replace(",", "."))
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def _without_groups(text: str, decimal: str | None) -> str:
    if _BY_SPACES.fullmatch(text):
        return re.sub(rf"[{SPACED}]", "", text)
    if _BY_COMMAS.fullmatch(text) and (decimal != "," or "." in text or text.count(",") > 1):
        return text.replace(",", "")
    if _BY_POINTS.fullmatch(text) and (decimal == "," or "," in text or text.count(".") > 1):
        return text.replace(".", "")
    return text


_EXAMPLES: dict[str, tuple[Literal["date", "datetime", "time"], str]] = {
    "date": ("date", "1997-01-05"),
    "datetime": ("datetime", "1997-01-05T09:05:00"),
    "time": ("time", "09:05:00"),
}
"""A public moment for which a format with leading zeros and one without them differ."""


def formats_of(bounds: Sequence[str], kind: str) -> list[str]:
    """Give the formats in which two typed bounds are dates or times; the standard one is not among them.

    Example:
        >>> formats_of(["01/01/1940", "06/30/2015"], "date"), formats_of(["1.5.1940", "30.6.2015"], "date")
        (['%m/%d/%Y'], ['%-d.%-m.%Y'])
        >>> formats_of(["01/02/1940", "06/05/2015"], "date")
        ['%d/%m/%Y', '%m/%d/%Y']
    """
    found = [way for way in dates_of(list(bounds), {}) if way["type"] == kind]
    return list(dict.fromkeys(way["format"] for way in found if way.get("format")))


def short_and_padded(pattern: str, kind: str) -> tuple[str, str] | None:
    """Write a moment in a format without leading zeros, and with them; None where the format has them.

    People type 1.5.1940 where a file may hold 01.05.1940, and both are read alike.

    Example:
        >>> short_and_padded("%-d.%-m.%Y", "date"), short_and_padded("%d.%m.%Y", "date")
        (('5.1.1997', '05.01.1997'), None)
    """
    if "%-" not in pattern or kind not in _EXAMPLES:
        return None
    what, moment = _EXAMPLES[kind]
    value = read_value(moment, what)
    assert value is not None
    return write_value(value, what, pattern), write_value(value, what, padded(pattern))
