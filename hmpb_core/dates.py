"""Dates and times as numbers, and back: days, seconds, years or months.

A date is days since 1970-01-01, a datetime seconds since then, a time seconds since midnight, a duration
seconds, a year itself and a yearmonth months since the year 0. Formats are those of the Table Schema: empty
or ``default`` for ISO 8601, else a pattern such as ``%d.%m.%Y``; ``%-d``, ``%-m``, ``%-H`` and ``%-I`` are
written without a leading zero, ``%^b`` and ``%^B``, names of months, in capitals, on every system. Of hours
and minutes without a colon (``%H%M``) 730 and 0730 are read; ``%-H%M`` writes them as a whole number, 730
and 5 for five past midnight, and ``%-H%M.0`` as programs do in a column of fractions. Zeros behind the
seconds (``%S.000``) read any parts of a second, and leave them away. ``%p{a.m.|p.m.}`` writes the halves of
a day in these words, ``%B{enero|febrero|...}`` with twelve the months, read in any letters. Years of two
digits (``%y``) are those of 1969 to 2068, with ``%y{1930}`` those of 1930 to 2029. ``%Z`` stands for any
zone word (MDT, GMT+1): the clock counts, and the word is left away. A duration is written as ISO 8601
(``PT1H30M``), as a clock shows it (``clock``: 1:30:00), with days before the clock as pandas does (``days``:
0 days 01:30:00), or in words as an example says: ``1h 30m`` leaves away hours and minutes that are 0,
``0h 30m`` does not.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from typing import Literal

NumericKind = Literal["number", "date", "datetime", "time", "year", "yearmonth", "duration"]
"""What the numbers of an attribute are: themselves, or days, seconds, years or months."""

KINDS: tuple[NumericKind, ...] = ("date", "datetime", "time", "year", "yearmonth", "duration")
"""The kinds that are no plain numbers."""

STANDARD = ("", "default", "any")
"""Formats that mean ISO 8601."""

DAY = 86_400
SHORT = 8
"""A time since another date is short that is at most this part of a date's own range."""
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
_DAYS_CLOCK = re.compile(
    r"(?P<days>[+-]?\d+) days?,?"
    r"(?: (?P<sign>[+-]?)(?P<hours>\d+):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d(?:\.\d+)?))?"
)
_SPELT = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<days>\d+) ?d[a-z]*\.?)?[ ,]*(?:(?P<hours>\d+) ?h[a-z]*\.?)?[ ,]*"
    r"(?:(?P<minutes>\d+) ?m[a-z]*\.?)?[ ,]*(?:(?P<seconds>\d+(?:\.\d+)?) ?s[a-z]*\.?)?",
    re.IGNORECASE,
)
_SPELT_FORM = re.compile(r"(?P<hours>[01])(?P<after_hours>[^\d]+)30(?P<after_minutes>[^\d]+)")
_PARTS_OF_A_SECOND = 1_000_000
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
    # Of a time of day the clock counts: it has no day on which another is told. Greenwich may lie beyond the
    # calendar's ends.
    zone = dt.timedelta() if kind == "time" else moment.utcoffset() or dt.timedelta()
    since = moment.replace(tzinfo=None) - EPOCH - zone
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
        >>> write_value(9735, "date", "%-d %B{ene|feb|mar|abr|may|jun|jul|ago|sep|oct|nov|dic} %Y")
        '27 ago 1996'
        >>> write_value(-6839, "date", "%d.%m.%y{1950}"), read_value("12.04.51", "date", "%d.%m.%y{1950}")
        ('12.04.51', -6839.0)
        >>> write_value(9735, "date", "%d-%^b-%y"), write_value(54000, "time", "%-I:%M %p{a. m.|p. m.}")
        ('27-AUG-96', '3:00 p. m.')
        >>> write_value(83.25, "duration", "clock"), write_value(83.25, "duration", "clock", decimals=2)
        ('0:01:23', '0:01:23.25')
    """
    if kind in ("number", "year"):
        return f"{int(value)}" if float(value).is_integer() else f"{round(value, max(decimals, 0)):.15g}"
    if kind == "duration":
        return _duration(value, pattern, min(decimals, 3))
    if kind == "yearmonth":
        moment = EPOCH.replace(year=int(value) // 12, month=int(value) % 12 + 1)
    else:
        moment = EPOCH + dt.timedelta(seconds=value * DAY if kind == "date" else value)
    if pattern in STANDARD:
        if kind == "datetime":
            return moment.isoformat()
        if kind == "time":
            return moment.time().isoformat()
        return moment.date().isoformat()[: len("1996-08") if kind == "yearmonth" else None]
    pattern = pattern.replace("%z", "+0000")  # moments are kept as those of Greenwich
    pattern = pattern.replace("%Y", f"{moment.year:04d}")  # Linux writes 1 for 0001, which none reads
    bare = CENTURY.sub("%y", pattern.removesuffix(ANY_ZONE)).replace(
        _CLOCK_NUMBER, str(moment.hour * 100 + moment.minute)
    )
    bare = _UNPADDED.sub(lambda found: str(int(moment.strftime("%" + found[1]))), bare)
    bare = _CAPITALS.sub(lambda found: moment.strftime("%" + found[1]).upper(), bare)
    bare = HALF_WORDS.sub(lambda found: found[1 + (moment.hour >= 12)], bare)
    bare = MONTH_WORDS.sub(lambda found: found[1].split("|")[moment.month - 1], bare)
    return moment.strftime(bare)


def is_format(pattern: str, kind: NumericKind) -> bool:
    """Whether a format writes values so that they can be told apart and read again.

    Two days of dates and moments, two months, two hours: a finer one may leave minutes away.

    Example:
        >>> is_format("%d.%m.%Y", "date"), is_format("dd.mm.yyyy", "date"), is_format("%Y", "date")
        (True, False, False)
    """
    if pattern in STANDARD or kind in ("number", "year"):
        return True
    if kind == "duration":
        return pattern in ("clock", "days") or _SPELT_FORM.fullmatch(pattern) is not None
    step = {"datetime": DAY, "time": 3600}.get(kind, 1)
    first = {"date": 9735, "datetime": 9735 * DAY, "time": 0, "yearmonth": 1996 * 12 + 7}[kind]
    try:
        texts = [write_value(first + step * i, kind, pattern) for i in range(2)]
    except ValueError:
        return False
    return texts[0] != texts[1] and all(read_value(text, kind, pattern) is not None for text in texts)


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
    """Give the format that reads what a format writes: with and without leading zeros, in any letters.

    Of what ``as_read`` gives: a zone's word is no part of it.

    Example:
        >>> padded("%-d.%-m.%Y"), padded("%d-%^b-%Y"), padded("%-I:%M%p{am|pm}")
        ('%d.%m.%Y', '%d-%b-%Y', '%I:%M%p')
    """
    bare = MONTH_WORDS.sub("%B", HALF_WORDS.sub("%p", pattern.removesuffix(ANY_ZONE)))
    bare = CENTURY.sub("%y", bare)
    return _CAPITALS.sub(r"%\1", _UNPADDED.sub(r"%\1", bare))


ANY_ZONE, _CLOCK_NUMBER = " %Z", "%-H%M"
OF_FLOATS = ".0"
"""Behind a clock's number where a program wrote the column as floating-point numbers."""
ZONE_WORD = re.compile(r" (?!(?:AM|PM|SA|CH)$)(?:[A-Z]{2,5}|(?:GMT|UTC)[+-]\d{1,2}(?::?\d{2})?)$", re.ASCII)
"""What forms write behind a moment in the hours of a place; not the halves of a Vietnamese day."""
HALF_WORDS = re.compile(r"%p\{([^|{}%]+)\|([^|{}%]+)\}")
"""Words for the halves of a day where a file has others than AM and PM."""
MONTH_WORDS = re.compile(r"%B\{((?:[^|{}%]+\|){11}[^|{}%]+)\}")
"""Words for the months where a file has others than English ones."""
CENTURY = re.compile(r"%y\{(\d{4})\}", re.ASCII)
"""The first of the hundred years that two digits mean, where these are not those of POSIX."""
ENGLISH_MONTHS = tuple(dt.date(1970, month, 1).strftime("%B") for month in range(1, 13))
_UNPADDED = re.compile(r"%-([dmHI])")
_YEAR = re.compile(r"%[YyGcx]")
_CAPITALS = re.compile(r"%\^([bB])")


def _moment(text: str, kind: NumericKind, pattern: str) -> dt.datetime:
    if pattern not in STANDARD:
        try:
            moment = parsed(text, pattern)
            return moment.replace(year=1970, month=1, day=1) if kind == "time" else moment
        except ValueError:
            pass  # ISO 8601 is understood beside every declared format: typed columns come so
    text = full_hour(text)
    if kind == "time":
        return dt.datetime.combine(EPOCH.date(), dt.time.fromisoformat(text))
    if kind == "yearmonth" and re.fullmatch(r"\d{4}-\d{2}", text):
        text += "-01"
    return dt.datetime.fromisoformat(text)


def parsed(text: str, pattern: str) -> dt.datetime:
    """Read a text in a declared format; where that has no year, in 1900.

    Raises:
        ValueError: it is not written so.

    Example:
        >>> parsed("3.2.2020", "%-d.%-m.%Y").isoformat(), parsed("3.2.", "%-d.%-m.").isoformat()
        ('2020-02-03T00:00:00', '1900-02-03T00:00:00')
        >>> [parsed(text, "%d.%m.%y{1930}").year for text in ("01.01.30", "01.01.68", "01.01.29")]
        [1930, 1968, 2029]
    """
    text, form = as_read(text, pattern), padded(pattern)
    if not _YEAR.search(form):  # Python 3.13 warns of days without a year
        text, form = f"1900 {text}", f"%Y {form}"
    moment = dt.datetime.strptime(text, form)  # noqa: DTZ007 - as written
    if own := CENTURY.search(pattern):
        first = int(own[1])
        moment = moment.replace(year=first + (moment.year - first) % 100)
    return moment


def full_hour(text: str) -> str:
    """A time or moment with two digits of its hour, as ISO 8601 has them: 9:10 counts as 09:10.

    Example:
        >>> full_hour("9:10:00"), full_hour("2021-05-03 9:10"), full_hour("19:10")
        ('09:10:00', '2021-05-03 09:10', '19:10')
    """
    return _ONE_DIGIT_HOUR.sub("0", text)


_ONE_DIGIT_HOUR = re.compile(r"(?:^|(?<=[ T]))(?=\d:)", re.ASCII)


def as_read(text: str, pattern: str) -> str:
    """A moment as its padded format reads it.

    Parts of a second are left away where the format writes zeros for them; hours and minutes without a colon
    have four digits.

    Example:
        >>> as_read("08:15:00.25", "%H:%M:%S.0"), as_read("730", "%-H%M"), as_read("1 5", "%d %H%M")
        ('08:15:00.0', '0730', '1 0005')
        >>> as_read("730.0", "%-H%M.0"), as_read("5", "%-H%M.0")
        ('0730.0', '0005.0')
        >>> as_read("3:05 PM MDT", "%I:%M %p %Z"), as_read("3:05 PM", "%I:%M %p %Z")
        ('3:05 PM', '3:05 PM')
        >>> as_read("3:05 p.m.", "%I:%M %p{a.m.|p.m.}")
        '3:05 PM'
        >>> as_read("3 Ago. 96", "%-d %B{ene.|feb.|mar.|abr.|may.|jun.|jul.|ago.|sep.|oct.|nov.|dic.} %y")
        '3 August 96'
    """
    if pattern.endswith(ANY_ZONE):
        return as_read(ZONE_WORD.sub("", text), pattern.removesuffix(ANY_ZONE))
    if own := MONTH_WORDS.search(pattern):
        text = _in_english(text, own[1])
    if words := HALF_WORDS.search(pattern):
        text = text.replace(words[1], "AM").replace(words[2], "PM")
    if pattern.endswith(("%H%M", _CLOCK_NUMBER, "%H%M" + OF_FLOATS, _CLOCK_NUMBER + OF_FLOATS)):
        end = OF_FLOATS if pattern.endswith(OF_FLOATS) else ""
        text = _LAST_DIGITS.sub(lambda found: found[0].zfill(4), text.removesuffix(OF_FLOATS)) + end
    zeros = _ZEROS.search(pattern)
    return _PARTS.sub(rf"\1{zeros[1]}", text, count=1) if zeros else text


def _in_english(text: str, words: str) -> str:
    """The text with the first of these months' words as English has it."""
    months = {word.casefold(): month for word, month in zip(words.split("|"), ENGLISH_MONTHS, strict=True)}
    return _any_of(words).sub(lambda found: months[found[0].casefold()], text, count=1)


@functools.cache
def _any_of(words: str) -> re.Pattern[str]:
    """These words, the longest first, none of them inside another one."""
    longest = "|".join(map(re.escape, sorted(words.split("|"), key=len, reverse=True)))
    return re.compile(rf"(?<![^\W\d_])(?:{longest})(?![^\W\d_])", re.IGNORECASE)


_LAST_DIGITS = re.compile(r"(?<![^ T])\d{1,3}$", re.ASCII)
_ZEROS = re.compile(r"%S(\.0+)")
_PARTS = re.compile(r"(:\d{2})\.\d+", re.ASCII)


def _seconds(text: str) -> float:
    with_days = _DAYS_CLOCK.fullmatch(text)
    found = with_days or _DURATION.fullmatch(text) or _CLOCK.fullmatch(text) or _SPELT.fullmatch(text)
    if found is None or not any(map(str.isdigit, text)):
        return float(text)
    parts = found.groupdict()
    days = float(parts.pop("days") or 0) * DAY if with_days else 0.0
    sign = -1.0 if parts.pop("sign") == "-" else 1.0
    return days + sign * sum(float(number) * _SECONDS[unit] for unit, number in parts.items() if number)


def _duration(value: float, pattern: str, decimals: int) -> str:
    if pattern == "clock":
        shown = round(value, decimals)
        return ("-" if shown < 0 else "") + clock_text(abs(shown)).removeprefix("0")
    if pattern == "days":
        parts, of_day = round(value * 10**decimals), DAY * 10**decimals
        whole, seconds_left = parts // of_day, parts % of_day / 10**decimals
        return f"{whole} days {'+' if whole < 0 else ''}{clock_text(seconds_left)}"
    if form := _SPELT_FORM.fullmatch(pattern):
        return _spelt(round(value / 60), form)
    sign, whole = "-" if value < 0 else "", round(abs(value) * _PARTS_OF_A_SECOND)
    minutes, parts = divmod(whole, 60 * _PARTS_OF_A_SECOND)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    date = f"{days}D" if days else ""
    time = "".join(f"{number}{unit}" for number, unit in ((hours, "H"), (minutes, "M")) if number)
    time += f"{parts / _PARTS_OF_A_SECOND:.6f}".rstrip("0").rstrip(".") + "S" if parts else ""
    return f"{sign}P{date}{'T' + time if time else ''}" if date or time else "PT0S"


def _spelt(minutes: int, form: re.Match[str]) -> str:
    """Hours and minutes, each with its unit; where the format is one of an hour, not those that are 0."""
    hours, rest = divmod(abs(minutes), 60)
    after_hours, after_minutes = form["after_hours"], form["after_minutes"]
    sign = "-" if minutes < 0 else ""
    if form["hours"] == "1" and not rest and hours:
        return f"{sign}{hours}{after_hours.rstrip(' ,')}"
    if form["hours"] == "1" and not hours:
        return f"{sign}{rest}{after_minutes}"
    return f"{sign}{hours}{after_hours}{rest}{after_minutes}"
