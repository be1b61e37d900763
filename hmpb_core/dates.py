"""Dates and times as numbers, and back: days, seconds, years or months.

A date is days since 1970-01-01, a datetime seconds since then, a time seconds since midnight, a duration
seconds, a year itself and a yearmonth months since the year 0. Formats are those of the
Table Schema: empty or ``default`` for ISO 8601, else a pattern such as ``%d.%m.%Y``; ``%-d``, ``%-m``,
``%-H`` and ``%-I`` are written without a leading zero, on every system.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Literal

NumericKind = Literal["number", "date", "datetime", "time", "year", "yearmonth", "duration"]
"""What the numbers of an attribute are: themselves, or days, seconds, years or months."""

KINDS: tuple[NumericKind, ...] = ("date", "datetime", "time", "year", "yearmonth", "duration")
"""The kinds that are no plain numbers."""

DAY = 86_400
EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - a table's times are as they are written

CALENDAR: dict[str, tuple[float, float]] = {
    "date": (-719_162, 2_932_896),
    "datetime": (-719_162 * DAY, 2_932_897 * DAY - 1),
    "yearmonth": (12, 9999 * 12 + 11),
}
"""Smallest and largest number of the kinds that a calendar writes: the years 1 to 9999."""

_DURATION = re.compile(
    r"(?P<sign>[+-]?)P(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?"
)
_CLOCK = re.compile(r"(?P<sign>[+-]?)(?P<hours>\d+):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d(?:\.\d+)?))?")
_SECONDS = {"weeks": 7 * DAY, "days": DAY, "hours": 3600, "minutes": 60, "seconds": 1}


def read_value(text: str, kind: NumericKind, pattern: str = "") -> float | None:
    """Give the number of a written value; None where it is not written so.

    Example:
        >>> read_value("27.08.1996", "date", "%d.%m.%Y"), read_value("PT1H30M", "duration")
        (9735.0, 5400.0)
        >>> read_value("1996-08", "yearmonth"), read_value("8 o'clock", "time")
        (23959.0, None)
    """
    text = text.strip()
    try:
        if kind == "duration":
            return _seconds(text)
        if kind in ("number", "year"):
            return float(text)
        moment = _moment(text, kind, pattern)
    except ValueError:
        return None
    if kind == "yearmonth":
        return float(moment.year * 12 + moment.month - 1)
    if moment.tzinfo is not None:
        moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
    since = moment - EPOCH
    if kind == "date":
        return float(since.days)
    seconds = since.days * DAY + since.seconds + since.microseconds / 1e6
    return seconds % DAY if kind == "time" else seconds


def write_value(value: float, kind: NumericKind, pattern: str = "", *, decimals: int = 0) -> str:
    """Write a number as what it means.

    Example:
        >>> write_value(9735, "date"), write_value(9735, "date", "%d.%m.%Y")
        ('1996-08-27', '27.08.1996')
        >>> write_value(23959, "yearmonth"), write_value(5400, "duration")
        ('1996-08', 'PT1H30M')
        >>> write_value(9735, "date", "%-m/%-d/%Y")
        '8/27/1996'
    """
    if kind in ("number", "year"):
        return f"{int(value)}" if float(value).is_integer() else f"{round(value, max(decimals, 0)):.15g}"
    if kind == "duration":
        return _duration(value, clock=pattern == "clock")
    if kind == "yearmonth":
        moment = EPOCH.replace(year=int(value) // 12, month=int(value) % 12 + 1)
    else:
        moment = EPOCH + dt.timedelta(seconds=value * DAY if kind == "date" else value)
    if pattern in _STANDARD:
        return {
            "date": f"{moment:%Y-%m-%d}".rjust(10, "0"),
            "datetime": moment.isoformat(),
            "time": moment.time().isoformat(),
            "yearmonth": f"{moment.year:04d}-{moment.month:02d}",
        }[kind]
    bare = _UNPADDED.sub(lambda found: str(int(moment.strftime("%" + found[1]))), pattern)
    return moment.strftime(bare)


def clock_text(seconds: float) -> str:
    """Write a time of day, or a length of time, as a clock shows it; down to thousandths of a second.

    Example:
        >>> clock_text(105_276.5), clock_text(-1), clock_text(59.9999)
        ('29:14:36.5', '-00:00:01', '00:01:00')
    """
    whole, rest = divmod(round(1000 * abs(seconds)), 1000)
    minutes, whole = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{rest:03d}".rstrip("0") if rest else ""
    return f"{'-' if seconds < 0 else ''}{hours:02d}:{minutes:02d}:{whole:02d}{fraction}"


def padded(pattern: str) -> str:
    """Give the format that reads what a format writes: numbers are read with and without leading zeros.

    Example:
        >>> padded("%-d.%-m.%Y")
        '%d.%m.%Y'
    """
    return _UNPADDED.sub(r"%\1", pattern)


_UNPADDED = re.compile(r"%-([dmHI])")
_STANDARD = ("", "default", "any")


def _moment(text: str, kind: NumericKind, pattern: str) -> dt.datetime:
    if pattern not in _STANDARD:
        try:
            moment = dt.datetime.strptime(text, padded(pattern))  # noqa: DTZ007 - as written
            return moment.replace(year=1970, month=1, day=1) if kind == "time" else moment
        except ValueError:
            pass  # ISO 8601 is understood beside every declared format: typed columns come so
    if kind == "time":
        return dt.datetime.combine(EPOCH.date(), dt.time.fromisoformat(text))
    if kind == "yearmonth" and re.fullmatch(r"\d{4}-\d{2}", text):
        text += "-01"
    return dt.datetime.fromisoformat(text)


def _seconds(text: str) -> float:
    found = _DURATION.fullmatch(text) or _CLOCK.fullmatch(text)
    if found is None or text in ("P", "PT"):
        return float(text)
    parts = found.groupdict()
    sign = -1.0 if parts.pop("sign") == "-" else 1.0
    return sign * sum(float(number) * _SECONDS[unit] for unit, number in parts.items() if number)


def _duration(value: float, *, clock: bool) -> str:
    if clock:
        whole = round(value)
        return ("-" if whole < 0 else "") + clock_text(abs(whole)).removeprefix("0")
    sign, rest = ("-", -value) if value < 0 else ("", value)
    hours, rest = divmod(rest, 3600)
    minutes, seconds = divmod(rest, 60)
    days, hours = divmod(hours, 24)
    date = f"{days:.0f}D" if days else ""
    time = "".join(
        f"{number:.15g}{unit}" for number, unit in ((hours, "H"), (minutes, "M"), (seconds, "S")) if number
    )
    return f"{sign}P{date}{'T' + time if time else ''}" if date or time else "PT0S"
