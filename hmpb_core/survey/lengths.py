"""Lengths of time as kinds of a survey: by the way they are written, as a draft of the rows tells them apart.

The list of ways is public: as a clock shows them (29:14:36), in ISO 8601, as pandas writes them, and in
words. Of each those in whole minutes are counted apart. Times of day are lengths where others beside them
are longer than a day. Each has a cell of its own as texts have; where the column's kinds say that it holds
lengths it lies in the cell of its seconds.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.codebook_fields import LEARNED
from hmpb_core.dates import read_value, write_value
from hmpb_core.sources.drafting.lengths import CLOCK_LENGTH, DAYS_LENGTH, ISO_LENGTH

HOUR = 3600
CLOCK, ISO, DAYS, PART = "clock", "", "days", "part"
"""Formats of lengths; and those in words with hours or minutes alone, which do not say how others are."""
SPELT = tuple(
    f"1{hours}30{minutes}"
    for hours, minutes in (
        ("h ", "m"), ("h", "m"), ("h ", "min"), ("h", "min"), ("h ", " min"), (" h ", " min"), ("hr ", "min"),
        (" hr ", " min"), (" hrs ", " mins"), (" hours ", " minutes"), (" hour ", " minutes"),
    )
)  # fmt: skip
LENGTH_WAYS = (CLOCK, ISO, DAYS, *SPELT, PART)
N_LENGTHS = 2 * len(LENGTH_WAYS)
"""Each way in whole minutes, and in others."""
LONGER_THAN_A_DAY = 0.005
"""Part of what looks like times of day with seconds that is longer than a day, where all are lengths."""
_PATTERNS = (
    (CLOCK, CLOCK_LENGTH),
    (ISO, ISO_LENGTH),
    (DAYS, DAYS_LENGTH),
    *(
        (form, re.compile(r"\d{1,4}" + form[1:].replace("30", r"\d{1,4}"), re.ASCII | re.IGNORECASE))
        for form in SPELT
    ),
    (PART, re.compile(r"\d{1,4} ?(h(ours?|rs?)?|m(in(ute)?s?)?)", re.ASCII | re.IGNORECASE)),
)


def length_of(text: str) -> tuple[int, float] | None:
    """Give the place of a length of time among the kinds, and its seconds; None for what is none.

    Example:
        >>> length_of("29:14:36"), length_of("PT5H30M"), length_of("soon")
        ((1, 105276.0), (2, 19800.0), None)
    """
    if not text[:1].isdigit() and text[:1] not in ("P", "-"):
        return None
    for place, (_, pattern) in enumerate(_PATTERNS):
        if pattern.fullmatch(text):
            seconds = read_value(text, "duration")
            return None if seconds is None else (2 * place + (seconds % 60 != 0), seconds)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lasting:
    """How the lengths of time of a column are written.

    Attributes:
        form: The format, as a codebook says it.
        rows: About how many rows hold one.
        in_minutes: Whether all are whole minutes.
    """

    form: str
    rows: float
    in_minutes: bool

    def field(self, low: float, high: float) -> dict[str, Any]:
        """What a codebook says of them.

        Args:
            low: The least, in seconds.
            high: The largest.
        """
        ends = min(0, math.floor(low / HOUR)), max(1, math.ceil(high / HOUR))
        limits = [write_value(HOUR * end, "duration", self.form) for end in ends]
        return {
            "type": "duration",
            "constraints": dict(zip(("minimum", "maximum"), limits, strict=True)),
            "bins": LEARNED,
            **({"format": self.form} if self.form else {}),
            **({"multipleOf": 60} if self.in_minutes else {}),
        }


def lasting_of(seen: NDArray[np.float64], times: NDArray[np.float64]) -> Lasting | None:
    """Tell how most lengths of a column are written; None where there are none.

    Args:
        seen: Rows of each kind of lengths, 0 where noise may hide them.
        times: Rows of times of day with seconds, which may be lengths below a day: whole minutes, and others.
    """
    rows = seen.reshape(-1, 2).sum(axis=1)
    by_way = dict(zip(LENGTH_WAYS, rows.tolist(), strict=True))
    part = by_way.pop(PART)
    way = max(by_way, key=lambda one: by_way[one])
    found = by_way[way] + (part if way in SPELT else times.sum() if way == CLOCK else 0.0)
    if by_way[way] <= LONGER_THAN_A_DAY * found:
        return None
    odd = seen[2 * LENGTH_WAYS.index(way) + 1] > 0 or (way == CLOCK and times[1] > 0)
    form = "0" + way[1:] if way in SPELT and not part else way
    return Lasting(form=form, rows=found, in_minutes=way in SPELT or not odd)
