"""How a file writes dates and times: read off the rows."""

from __future__ import annotations

import calendar
import datetime as dt
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.codebook_fields import LEARNED
from hmpb_core.dates import DAY, EPOCH, OF_FLOATS, ZONE_WORD, NumericKind, read_value, write_value
from hmpb_core.sources.drafting.date_forms import (
    BLANK,
    GREENWICH,
    MIXED,
    MOMENTS,
    SELDOM,
    YEAR_FIRST,
    Moments,
)
from hmpb_core.sources.drafting.half_days import half_days_of
from hmpb_core.sources.drafting.lengths import lengths_of
from hmpb_core.sources.drafting.month_words import month_words_of
from hmpb_core.sources.drafting.numerals import USUAL
from hmpb_core.sources.drafting.signs import MANY_MULTIPLES
from hmpb_core.sources.drafting.vocabularies import plain_name

_OF_TWO_DIGITS = ("%d-%m-%y", "%m-%d-%y", YEAR_FIRST)
_FEWEST = 6
"""Different ones of three numbers that have to be read so until they are dates: 10-11-12 may be a code."""


def dates_of(texts: Sequence[str], constraints: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the readings under which every text is a date or time, within whole months or the whole day."""
    if days := _at_one_clock(texts, constraints):
        return days
    texts, found, ways = _with_times(texts), [], []
    for usual in (*MOMENTS, *SELDOM, *MIXED):
        if not texts or not all(usual.pattern.fullmatch(text) for text in texts):
            continue
        if usual.format in _OF_TWO_DIGITS and len(texts) < _FEWEST:
            continue
        way = _at_its_zone(usual, texts)
        form = _with_parts(_unpadded(texts, way), texts)
        moments = moments_of(texts, way)
        if moments.isna().any():
            continue
        years = moments.dt.year
        if "%y" in form and (first := _first_of_century(years.unique().tolist())):
            form = form.replace("%y", f"%y{{{first}}}")
            years = first + (years - first) % 100
        months = 12 * years + moments.dt.month - 1
        bounds = _whole_months(int(months.min()), int(months.max()), way.kind, form)
        step = step_of(texts, way)
        ways.append(way)
        # Bounds are written as the field's values are.
        found.append(
            {
                "type": way.kind,
                **({"format": form} if form else {}),
                "constraints": {**bounds, **constraints},
                "bins": LEARNED,
                **({"multipleOf": step} if step else {}),
            }
        )
    if len(found) > 1 and starts_with(found[0]) == "d" and starts_with(found[1]) == "m":
        found[:2] = found[1::-1] if _months_lead(texts, *ways[:2]) else found[:2]
    if len(found) > 1 and found[0]["type"] == "datetime" and "format" not in found[0]:
        found.sort(key=lambda entry: entry.get("format") != BLANK or "T" in texts[0])
    if len(found) > 1 and ways[-1].format == YEAR_FIRST and _months_lead(texts, ways[0], ways[-1]):
        found.insert(0, found.pop())
    return (
        found
        or _with_zone_words(texts, constraints)
        or _with_half_words(texts, constraints)
        or _with_month_words(texts, constraints)
        or lengths_of(texts, constraints)
    )


def starts_with(entry: Mapping[str, Any]) -> str:
    """Whether a field's dates are numbers that begin with the day or the month; else empty.

    Example:
        >>> [starts_with({"format": form}) for form in ("%-d/%m/%Y", "%m-%d-%y %H:%M", "%d.%m.%Y", "%m/%Y")]
        ['d', 'm', '', '']
    """
    found = _EITHER_FIRST.match(entry.get("format", ""))
    return found[1] if found else ""


def _at_one_clock(texts: Sequence[str], constraints: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Read moments that are all at the same time of their day as days: the clock is part of the format.

    So programs write days that begin elsewhere, 2020-02-27T08:00:00.000Z. Midnight is left to moments.
    """
    found = _CLOCK_BEHIND.search(texts[0]) if len(texts) >= _FEWEST else None
    if found is None or not all(text.endswith(found[0]) for text in texts) or MIDNIGHT.search(found[0]):
        return []
    clock, entries = found[0], []
    for entry in dates_of([text.removesuffix(clock) for text in texts], {}):
        if entry["type"] == "date":
            bounds = {bound: text + clock for bound, text in entry["constraints"].items()}
            form = entry.get("format", "%Y-%m-%d") + clock
            entries.append({**entry, "format": form, "constraints": {**bounds, **constraints}})
    return entries


_CLOCK_BEHIND = re.compile(
    r"(?<=\d)[T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?(Z| UTC|[+-]\d{2}(:?\d{2})?)?$", re.ASCII
)
_EITHER_FIRST = re.compile("%-?([dm])[/-]%-?[dm]")
_NEARER = 2
"""How many times as near each other dates lie where they are read in the other order than usual."""


def _months_lead(texts: Sequence[str], usual: Moments, other: Moments) -> bool:
    """Whether dates that can be read either way have the month first, since so they lie near each other.

    7/9/14 and 7/10/14 are two days of July, not of two months. But 01/01/14 to 01/12/14 are months by their
    first days as often as days of January.
    """
    days, months = moments_of(texts, usual), moments_of(texts, other)
    firsts = bool((days.dt.day == 1).all())
    return not firsts and _NEARER * (months.max() - months.min()) < days.max() - days.min()


def _with_zone_words(texts: Sequence[str], constraints: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Read what stands before a zone's word: one for all is part of the format, of several none stays."""
    zones = [ZONE_WORD.search(text) for text in texts]
    words = {zone[0] if zone else "" for zone in zones}
    if not texts or "" in words:
        return []
    word = words.pop() if len(words) == 1 else ""
    found = []
    for entry in dates_of([ZONE_WORD.sub("", text) for text in texts], constraints):
        if entry["type"] in ("datetime", "time") and (form := entry.get("format")):
            bounds = {bound: entry["constraints"][bound] + word for bound in ("minimum", "maximum")}
            limits = {"constraints": {**entry["constraints"], **bounds}}
            found.append({**entry, "format": form + (word or " %Z"), **limits})
    return found


def _with_half_words(texts: Sequence[str], constraints: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Read moments that tell the half of the day in words of their own."""
    halves = half_days_of(texts)
    return _in_own_words(halves.usual, halves.format_of, constraints) if halves else []


def _with_month_words(texts: Sequence[str], constraints: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Read dates with names of months in other languages."""
    months = month_words_of(texts)
    return _in_own_words(months.usual, months.format_of, constraints) if months else []


def _in_own_words(
    usual: Sequence[str], format_of: Callable[[str], str], constraints: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Read what the usual words say, and write the format and the bounds in the file's own ones."""
    entries = []
    for entry in dates_of(usual, {}):
        form = entry.get("format", "")
        written = format_of(form)
        if written == form:
            continue
        ends = {bound: read_value(text, entry["type"], form) for bound, text in entry["constraints"].items()}
        bounds = {bound: write_value(end or 0, entry["type"], written) for bound, end in ends.items()}
        entries.append({**entry, "format": written, "constraints": {**bounds, **constraints}})
    return entries


_TIME_OF_DAY = re.compile(r"(time|hhmm|zeit|heure|hora|clock)(_|$)|时间|时刻")
_CLOCK_NUMBER = re.compile(r"([01]\d|2[0-3])[0-5]\d", re.ASCII)
_MISPRINTED = 0.01
"""Part of the different numbers, and of the rows, that may be none; of amounts 40 in a hundred would be."""
_FEWEST_CLOCK_NUMBERS = 20
"""Different ones from one o'clock on; of so many numbers hardly all could be times by chance."""


def clock_numbers(
    name: str, counts: Mapping[str, int], constraints: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Read times of day without a colon, 0730 or 730, where the column's name tells such a time.

    A few misprints count as missing; in a column that a program wrote as fractions they are 730.0.
    """
    floats = OF_FLOATS if counts and all(text.endswith(OF_FLOATS) for text in counts) else ""
    read = {text: text.removesuffix(floats) for text in counts}
    clocks = {text: clock for text, clock in read.items() if _CLOCK_NUMBER.fullmatch(clock.zfill(4))}
    late = sum(len(clock.lstrip("0")) > 2 for clock in clocks.values())
    misprints = len(counts) - len(clocks)
    rows = sum(counts.values()) - sum(counts[text] for text in clocks)
    if (
        late < _FEWEST_CLOCK_NUMBERS
        or not _TIME_OF_DAY.search(plain_name(name))
        or misprints > _MISPRINTED * len(counts)
        or rows > _MISPRINTED * sum(counts.values())
    ):
        return []
    zeros = sum(len(clock) == len("0730") for clock in clocks.values() if clock.zfill(4) < "1000")
    bare = sum(len(clock) < len("0730") for clock in clocks.values())
    form = ("%-H%M" if bare > zeros else "%H%M") + floats
    bounds = whole_years(EPOCH.year, EPOCH.year, "time", form)
    limits = {"constraints": {**bounds, **({} if misprints else constraints)}}
    entry = {"type": "time", "format": form, **limits, "bins": LEARNED, "multipleOf": 60}
    return [entry | ({"unknown": ""} if misprints else {})]


def in_usual_minutes(entry: dict[str, Any], counts: Mapping[str, int]) -> dict[str, Any]:
    """Take moments and times for whole minutes where nearly all rows have such, as numbers take decimals.

    Of the others the seconds are lost; else all but a few rows would get some that are made up.
    """
    if entry["type"] not in ("datetime", "time") or "multipleOf" in entry:
        return entry
    minutes = sum(rows for text, rows in counts.items() if _WHOLE_MINUTE.search(text))
    return entry | ({"multipleOf": 60} if minutes >= USUAL * sum(counts.values()) else {})


def step_of(texts: Sequence[str], way: Moments) -> int | None:
    """What all are multiples of: days, and minutes, that a program writes with zeros behind them are such.

    Of many different ones also 5, 10, 15, 20 and 30 minutes, and hours: appointments at the quarters.
    """
    if way.kind == "datetime" and all(MIDNIGHT.search(text) for text in texts):
        return DAY
    timed = way.step is None and way.kind in ("datetime", "time")
    step = 60 if timed and all(_WHOLE_MINUTE.search(text) for text in texts) else way.step
    minutes = [_MINUTE.search(text) for text in texts] if step == 60 and len(texts) >= MANY_MULTIPLES else []
    if not minutes or None in minutes:
        return step
    apart = math.gcd(*(int(minute[1]) for minute in minutes if minute), 60)
    return 60 * next(many for many in (60, 30, 20, 15, 10, 5, 1) if apart % many == 0)


_MINUTE = re.compile(r"\d:(\d{2})", re.ASCII)


def _with_times(texts: Sequence[str]) -> Sequence[str]:
    """The same texts, days without a time at midnight where most have one: so workbooks show midnight."""
    timed = [text for text in texts if TIMED.fullmatch(text)]
    if not len(texts) > len(timed) > len(texts) / 2:
        return texts
    midnight = re.sub(r"\d", "0", min(timed, key=len)[len("2014-10-01") :])
    return [text + midnight if _ISO_DAY.fullmatch(text) else text for text in texts]


_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
TIMED = re.compile(_ISO_DAY.pattern + r"[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?", re.ASCII)


def _at_its_zone(way: Moments, texts: Sequence[str]) -> Moments:
    """The same way as local times, where all are as much ahead of Greenwich: 08:00+02:00 stays at eight."""
    zones = {_zone(text) for text in texts} if way.format.endswith(GREENWICH) else set()
    return replace(way, format=way.format.removesuffix(GREENWICH) + zones.pop()) if len(zones) == 1 else way


def _zone(text: str) -> str:
    """How a moment, or its format, names the time zone; empty where it names none."""
    found = _ZONE.search(text)
    return found[0] if found else ""


_ZONE = re.compile(r"(Z| UTC|[+-]\d{2}(:?\d{2})?)$", re.ASCII)
"""How a moment ends that names its time zone; Postgres writes +00."""


def _unpadded(texts: Sequence[str], way: Moments) -> str:
    """The format with days, months and hours as most texts write them: 5 or 05, AUG or Aug."""
    named = re.search("%[bB]", way.format) and any(text.isupper() for text in texts)
    if "%" not in way.format or not (named or any(_SINGLE.search(text) for text in texts)):
        return way.format
    ways = [way.format, *(re.sub(f"%([{of}])", r"%-\1", way.format) for of in ("dm", "d", "m", "HI", "dmHI"))]
    ways += [re.sub("%([bB])", r"%^\1", form) for form in ways if named]
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    try:
        moments = [dt.datetime.strptime(text, way.format) for text in sample]  # noqa: DTZ007 - as written
    except ValueError:
        return way.format
    values = [_number(moment, way.kind) for moment in moments]
    hits = [
        sum(write_value(value, way.kind, form) == text for value, text in zip(values, sample, strict=True))
        for form in ways
    ]
    return ways[hits.index(max(hits))]


def _with_parts(form: str, texts: Sequence[str]) -> str:
    """The format with as many zeros behind the seconds as all texts have digits there."""
    digits = {len(found[1]) for text in texts if (found := _PARTS_OF_SECOND.search(text))}
    return re.sub(r"%S\.0+", f"%S.{'0' * digits.pop()}", form) if len(digits) == 1 else form


_PARTS_OF_SECOND = re.compile(r":\d{2}\.(\d+)", re.ASCII)
_SAMPLE = 200
_SINGLE = re.compile(r"(?<!\d)\d(?!\d)", re.ASCII)
MIDNIGHT = re.compile(r"[T ](0?0:00(:00(\.0+)?)?(Z| UTC|[+-]00(:?00)?)?|12:00(:00)? AM)$")
"""How a moment ends that is a day without a time."""
_WHOLE_MINUTE = re.compile(r"\d:\d{2}:00(\.0+)?(Z| UTC|[+-]\d{2}(:?\d{2})?| [AP]M)?$", re.ASCII)


def moments_of(texts: Sequence[str], way: Moments) -> pd.Series:
    """Read texts that look like a way of writing dates or times; NaT where there is no such one."""
    if way.iso:
        zone = _zone(way.format)
        local = [text.removesuffix(zone) for text in texts] if zone != GREENWICH else texts
        moments = pd.to_datetime(pd.Series(local, dtype=object), format="ISO8601", errors="coerce", utc=True)
        return moments.dt.tz_localize(None)
    read = pd.Series(texts, dtype=object)
    if way.kind == "yearmonth" and not way.format:
        read = read + "-01"
    if way.kind == "time" and not way.format:
        read = read.str[: len("00:00:00")] + np.where(read.str.len() == len("00:00"), ":00", "")
    form = "ISO8601" if not way.format and way.kind != "time" else way.format or "%H:%M:%S"
    moments = pd.to_datetime(read, format=form, errors="coerce")
    if way.kind == "date" and way.format and moments.isna().any():  # ISO 8601 is read beside every format
        moments = moments.fillna(pd.to_datetime(read, format="%Y-%m-%d", errors="coerce"))
    return moments


def _first_of_century(years: Sequence[int]) -> int | None:
    """The first of the hundred years that two digits mean, where POSIX reads some beyond 2049; else none.

    Few dates lie there, and many births lie a hundred years before. Where the others are of other years, the
    hundred years begin in the largest gap: 51 to 92 are 1951 to 1992, and 2051 to 2068 beside 1969 to 1992
    would be two lives.

    Example:
        >>> _first_of_century([2051, 2060, 1972, 1992]), _first_of_century([2055, 2061])
        (1950, 1950)
        >>> _first_of_century([2022, 2045, 2068, 1990, 2015]), _first_of_century([2015, 2031, 2055])
        (1910, None)
    """
    if max(years) <= LATEST:
        return None
    if min(years) > LATEST:
        start, gap = min(years) - 100, 99 - (max(years) - min(years))
    else:
        digits = sorted({year % 100 for year in years})
        gaps = [
            (after - before - 1) % 100 for before, after in zip([digits[-1], *digits], digits, strict=False)
        ]
        gap = max(gaps)
        start = 1900 + digits[gaps.index(gap)]
        if not gap or start % 100 == min(years) % 100 or start + 99 - gap > LATEST:
            return None
    decade = start - start % 10
    return decade if start - decade <= gap else start


LATEST = 2049
"""The last year that two digits are taken for, as databases do."""


def whole_years(first: int, last: int, kind: NumericKind, written: str) -> dict[str, str]:
    """Give the bounds of dates of whole years, or of times of the whole day, as a format writes them.

    Example:
        >>> whole_years(2019, 2021, "date", "%d.%m.%Y")
        {'minimum': '01.01.2019', 'maximum': '31.12.2021'}
    """
    return _between(12 * first, 12 * last + 11, kind, written)


def _whole_months(first: int, last: int, kind: NumericKind, written: str) -> dict[str, str]:
    """Give the bounds of days as whole months, of more than ``MOST_MONTHS`` as whole years: to two digits.

    Within whole years what lasts from one date to another would end after the last day of a table's export.

    Args:
        first: The first month, counted from the year 0.
        last: The last one.
        kind: What is bounded.
        written: The format.
    """
    if kind == "yearmonth" or last - first >= MOST_MONTHS:
        return whole_years(first // 12, last // 12, kind, written)
    return _between(first, last, kind, written)


MOST_MONTHS = 100
"""Months up to which dates are bounded by whole ones."""


def _between(first: int, last: int, kind: NumericKind, written: str) -> dict[str, str]:
    """Write the first and the last second of months that are counted from the year 0."""
    low = dt.datetime(first // 12, first % 12 + 1, 1)  # noqa: DTZ001
    days = calendar.monthrange(last // 12, last % 12 + 1)[1]
    high = dt.datetime(last // 12, last % 12 + 1, days, 23, 59, 59)  # noqa: DTZ001
    return {
        bound: write_value(_number(moment, kind), kind, written)
        for bound, moment in (("minimum", low), ("maximum", high))
    }


def _number(moment: dt.datetime, kind: NumericKind) -> float:
    if kind == "yearmonth":
        return moment.year * 12 + moment.month - 1
    since = moment - EPOCH
    if kind == "time":
        return moment.hour * 3600 + moment.minute * 60 + moment.second
    return since.days if kind == "date" else since.days * DAY + since.seconds
