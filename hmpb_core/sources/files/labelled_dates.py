"""Which variables of a statistics package hold dates: their display formats say it, in each program's way.

pyreadstat knows some of these formats; of a variable with another it gives the number that the program
counts days, seconds or months with. What a format shows as a month or a quarter becomes one.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

_STATA_DATE, _STATA_MOMENT = re.compile(r"%-?t?d"), re.compile(r"%-?t[cC]")
_STATA_PERIOD = re.compile(r"%-?t([mqhw])")
_MONTHS_SHOWN = {
    "spss": ("MOYR",),
    "sas": (
        "EURDFMY", "MMYY", "MMYYC", "MMYYD", "MMYYN", "MMYYP", "MMYYS", "MONYY",
        "YYMM", "YYMMC", "YYMMN", "YYMON",
    ),
}  # fmt: skip
_QUARTERS_SHOWN = {"spss": ("QYR",), "sas": ("YYQ", "YYQC", "YYQD", "YYQN", "YYQP", "YYQS")}
_DAYS_SHOWN = {
    "spss": ("WKYR",),
    "sas": (
        "EURDFDD", "EURDFDE", "EURDFWDX", "EURDFWKX", "JULIAN", "MINGUO", "NLDATE", "PDJULG", "WORDDATE",
        "WORDDATX",
    ),
}  # fmt: skip
_MOMENTS_SHOWN = {"spss": (), "sas": ("E8601DN", "E8601DZ", "EURDFDT", "NLDATM")}
_NAME = re.compile(r"[A-Z]+(?:8601[A-Z]+)?")
_WEEKS = 52
"""Weeks of each of Stata's years; the last has eight or nine days."""


def date_options(program: str, formats: Iterable[str]) -> dict[str, list[str]]:
    """Give what pyreadstat must be told to read dates as dates.

    Args:
        program: ``spss``, ``stata`` or ``sas``.
        formats: The display formats of a file's variables.

    Example:
        >>> date_options("stata", ["%tdNN/DD/CCYY", "%9.0g"])
        {'extra_date_formats': ['%tdNN/DD/CCYY']}
    """
    present = sorted(set(formats))
    if program == "stata":
        dates = [one for one in present if _STATA_DATE.match(one)]
        moments = [one for one in present if _STATA_MOMENT.match(one)]
    else:
        names = {_name(one) for one in present}
        of_dates = _MONTHS_SHOWN[program] + _QUARTERS_SHOWN[program] + _DAYS_SHOWN[program]
        dates = [name for name in of_dates if name in names]
        moments = [name for name in _MOMENTS_SHOWN[program] if name in names]
    options = {"extra_date_formats": dates, "extra_datetime_formats": moments}
    return {option: told for option, told in options.items() if told}


def period_of(program: str, form: str) -> str | None:
    """Give the period that a display format shows: a month, a quarter, half a year or a week of Stata's.

    Returns:
        ``m``, ``q``, ``h`` or ``w``; None where it shows days, or no date.

    Example:
        >>> period_of("stata", "%tq"), period_of("sas", "MONYY7"), period_of("spss", "DATE11")
        ('q', 'm', None)
    """
    if program == "stata":
        found = _STATA_PERIOD.match(form)
        return found[1] if found else None
    if _name(form) in _MONTHS_SHOWN[program]:
        return "m"
    return "q" if _name(form) in _QUARTERS_SHOWN[program] else None


def period_text(value: float | dt.date, period: str) -> str:
    """Write the period of a date, or of a number of periods since 1960, as Stata has it.

    A week is written as its first day: it is no more than a date that lies on one day in seven.

    Example:
        >>> period_text(657.0, "m"), period_text(219.0, "q"), period_text(dt.date(2014, 10, 9), "q")
        ('2014-10', '2014q4', '2014q4')
    """
    if isinstance(value, dt.date):
        year, month = value.year, value.month - 1
    elif period == "w":
        year, week = divmod(int(value), _WEEKS)
        return (dt.date(1960 + year, 1, 1) + dt.timedelta(days=7 * week)).isoformat()
    else:
        year, month = divmod(int(value) * {"m": 1, "q": 3, "h": 6}[period], 12)
        year += 1960
    if period == "m":
        return f"{year:04d}-{month + 1:02d}"
    return f"{year:04d}{period}{month // {'q': 3, 'h': 6}[period] + 1}"


def _name(form: str) -> str:
    found = _NAME.match(form)
    return found[0] if found else ""
