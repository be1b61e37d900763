"""Dates and times in the files of statistics packages: numbers that a display format gives their meaning.

Each program counts seconds, days, milliseconds or months since a day of its own. What a format shows as a
month or a quarter becomes one; a time may be longer than a day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hmpb_core.dates import DAY, clock_text

_YEARS_1_TO_9999 = (-719_162 * DAY, 2_932_897 * DAY)
"""Seconds since 1970 that a calendar has."""
_EPOCHS = {"spss": -141_428 * DAY, "stata": -3653 * DAY, "sas": -3653 * DAY}
"""What each program counts from, in seconds since 1970: 14 October 1582, and 1 January 1960."""

Kind = Literal["date", "moment", "time", "month", "quarter", "half", "week"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a display format makes of a variable's numbers.

    Attributes:
        kind: What it shows; ``week`` are Stata's, of which each year has 52.
        seconds: What a number counts, in seconds; 0 for Stata's months, quarters, half-years and weeks.
        epoch: What it counts from, in seconds since 1970.
        of_day: Whether a time is what a moment has left of its day.
    """

    kind: Kind
    seconds: float
    epoch: int
    of_day: bool = False


_SPSS: dict[Kind, str] = {
    "date": "DATE ADATE EDATE JDATE SDATE WKYR",
    "month": "MOYR",
    "quarter": "QYR",
    "moment": "DATETIME YMDHMS",
    "time": "TIME DTIME MTIME",
}
_SAS_OF_DAYS: dict[Kind, str] = {
    "date": "B8601DA DATE DDMMYY DDMMYYB DDMMYYC DDMMYYD DDMMYYN DDMMYYP DDMMYYS E8601DA EURDFDD EURDFDE "
    "EURDFWDX EURDFWKX IS8601DA JULIAN MINGUO MMDDYY MMDDYYB MMDDYYC MMDDYYD MMDDYYN MMDDYYP MMDDYYS NLDATE "
    "PDJULG WEEKDATE WEEKDATX WORDDATE WORDDATX YYMMDD YYMMDDB YYMMDDC YYMMDDD YYMMDDN YYMMDDP YYMMDDS",
    "month": "EURDFMY MMYY MMYYC MMYYD MMYYN MMYYP MMYYS MONYY YYMM YYMMC YYMMN YYMMP YYMMS YYMON",
    "quarter": "YYQ YYQC YYQD YYQN YYQP YYQS",
}
_SAS_OF_SECONDS: dict[Kind, str] = {
    "date": "B8601DN DTDATE E8601DN",
    "month": "DTMONYY",
    "quarter": "DTYYQC",
    "moment": "B8601DT B8601DZ DATEAMPM DATETIME E8601DT E8601DZ EURDFDT IS8601DT MDYAMPM NLDATM",
    "time": "B8601TM E8601TM HHMM IS8601TM MMSS TIME TIMEAMPM TOD",
}
_NAME = re.compile(r"[A-Z]+(?:8601[A-Z]+)?")
_STATA = re.compile(
    r"%-?(?:t?(?P<date>d)|t[cC](?P<clock>HH:MM(:SS)?$)|t(?P<moment>[cC])|t(?P<period>[mqhw]))"
)
_PERIODS: dict[str, Kind] = {"m": "month", "q": "quarter", "h": "half", "w": "week"}
_MONTHS: dict[Kind, int] = {"month": 1, "quarter": 3, "half": 6}
_WEEKS = 52


def _named() -> dict[tuple[str, str], Shown]:
    found: dict[tuple[str, str], Shown] = {}
    for program, seconds, formats in (
        ("spss", 1, _SPSS),
        ("sas", DAY, _SAS_OF_DAYS),
        ("sas", 1, _SAS_OF_SECONDS),
    ):
        for kind, names in formats.items():
            shown = Shown(kind=kind, seconds=seconds, epoch=_EPOCHS[program])
            found |= {(program, name): shown for name in names.split()}
    return found


_NAMED = _named()


def shown_as(program: str, form: str) -> Shown | None:
    """Say what a display format makes of numbers; None where it leaves them numbers.

    Args:
        program: ``spss``, ``stata`` or ``sas``.
        form: The format, such as ``ADATE10``, ``%tdNN/DD/CCYY`` or ``MONYY7``.

    Example:
        >>> shown_as("stata", "%tq").kind, shown_as("spss", "DATE11").kind, shown_as("sas", "BEST12")
        ('quarter', 'date', None)
    """
    if program != "stata":
        name = _NAME.match(form)
        return _NAMED.get((program, name[0])) if name else None
    found = _STATA.match(form)
    if found is None:
        return None
    epoch = _EPOCHS["stata"]
    if found["date"]:
        return Shown(kind="date", seconds=DAY, epoch=epoch)
    if found["period"]:
        return Shown(kind=_PERIODS[found["period"]], seconds=0, epoch=epoch)
    return Shown(
        kind="time" if found["clock"] else "moment",
        seconds=0.001,
        epoch=epoch,
        of_day=bool(found["clock"]),
    )


def texts_of(numbers: NDArray[np.float64], shown: Shown) -> list[str | None]:
    """Write numbers as the dates, times or periods they are.

    A week is written as its first day. Fractions of a second are kept down to a thousandth.

    Args:
        numbers: The numbers; one that is not finite is missing.
        shown: What they are.

    Raises:
        OverflowError: one lies outside of the years 1 to 9999.

    Example:
        >>> texts_of(np.array([657.0, np.nan]), shown_as("stata", "%tm"))
        ['2014-10', None]
    """
    known = np.isfinite(numbers)
    values = numbers[known]
    texts = iter(_clocks(values, shown) if shown.kind == "time" else _calendar(values, shown))
    return [next(texts) if one else None for one in known.tolist()]


def _calendar(values: NDArray[np.float64], shown: Shown) -> list[str]:
    if shown.seconds:
        seconds = values * shown.seconds + shown.epoch
    elif shown.kind == "week":
        years, weeks = np.divmod(np.floor(values), _WEEKS)
        seconds = DAY * (_first_days(12 * years) + 7 * weeks)
    else:
        seconds = DAY * _first_days(np.floor(values) * _MONTHS[shown.kind])
    first, after = _YEARS_1_TO_9999
    if not ((seconds >= first) & (seconds < after)).all():
        raise OverflowError
    if shown.kind == "moment":
        written = np.datetime_as_string(np.rint(1000 * seconds).astype(np.int64).astype("datetime64[ms]"))
        return [text.replace("T", " ").rstrip("0").rstrip(".") if "." in text else text for text in written]
    days: list[str] = np.datetime_as_string(
        np.floor(seconds / DAY).astype(np.int64).astype("datetime64[D]")
    ).tolist()
    if shown.kind == "month":
        return [day[:7] for day in days]
    if shown.kind in ("quarter", "half"):
        length = _MONTHS[shown.kind]
        return [f"{day[:4]}{shown.kind[0]}{(int(day[5:7]) - 1) // length + 1}" for day in days]
    return days


def _first_days(months: NDArray[np.float64]) -> NDArray[np.float64]:
    """First days of months counted from January 1960, as days since 1970."""
    since = np.clip(months - 120, -1e6, 1e6).astype(np.int64)
    return since.astype("datetime64[M]").astype("datetime64[D]").astype(np.float64)


def _clocks(values: NDArray[np.float64], shown: Shown) -> list[str]:
    seconds = shown.seconds * values
    return [clock_text(one) for one in (np.mod(seconds, DAY) if shown.of_day else seconds).tolist()]
