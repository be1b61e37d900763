"""The ways in which files write dates and times, the commonest first."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hmpb_core.dates import NumericKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """One way to write dates or times.

    Attributes:
        pattern: What every text looks like.
        kind: The type of the field.
        format: The field's format; empty for the standard way.
        step: What its values are multiples of; None: nothing is said.
        iso: Whether it is ISO 8601 but for how a time zone is written.
    """

    pattern: re.Pattern[str]
    kind: NumericKind
    format: str = ""
    step: int | None = None
    iso: bool = False


def _of(
    pattern: str, kind: NumericKind, form: str = "", step: int | None = None, *, iso: bool = False
) -> Moments:
    return Moments(pattern=re.compile(pattern, re.ASCII), kind=kind, format=form, step=step, iso=iso)


_DAY, _CLOCK, _SECONDS, _HALF = r"\d{1,2}", r"\d{1,2}:\d{2}", r":\d{2}", " [AP]M"
_SHORT, _LONG = r"[A-Za-z]{3}", r"[A-Z][A-Za-z]{2,8}"
_DAY_AND_MONTH = r"(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])|(1[3-9]|2\d|3[01])(0[1-9]|1[0-2])"
_MONTH_AND_DAY = r"(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
_CHINESE, _KOREAN = rf"\d{{4}}年{_DAY}月{_DAY}日", rf"\d{{4}}년 {_DAY}월 {_DAY}일"


YEAR_FIRST = "%y-%m-%d"
"""Of three numbers of two digits: which is the year, the others say."""
BLANK = "%Y-%m-%d %H:%M:%S"
"""ISO 8601 but for the T, which leaves as it came."""


def _at_any_time(pattern: str, form: str) -> list[Moments]:
    """Dates with a time of day: with seconds and without, of 24 hours or 12."""
    return [
        _of(f"{pattern} {_CLOCK}", "datetime", f"{form} %H:%M", 60),
        _of(f"{pattern} {_CLOCK}{_SECONDS}", "datetime", f"{form} %H:%M:%S"),
        _of(f"{pattern} {_CLOCK}{_HALF}", "datetime", f"{form} %I:%M %p", 60),
        _of(f"{pattern} {_CLOCK}{_SECONDS}{_HALF}", "datetime", f"{form} %I:%M:%S %p"),
    ]


def _to_the_second() -> list[Moments]:
    """ISO 8601 with parts of a second, which leave as zeros, and as time of Greenwich or beside it."""
    day, clock = r"\d{4}-\d{2}-\d{2}", r"\d{2}:\d{2}:\d{2}"
    parts = {"": "", ".0": r"\.\d", ".000": r"\.\d{2,3}", ".000000": r"\.\d{4,9}"}
    return [
        _of(f"{day}{between}{clock}{parts[part]}{zones}", "datetime", f"{form}{part}{zone}", iso=True)
        for between, form in ((" ", "%Y-%m-%d %H:%M:%S"), ("T", "%Y-%m-%dT%H:%M:%S"))
        for zone, zones in (("", ""), ("Z", "Z"), (" UTC", " UTC"), (GREENWICH, r"[+-]\d{2}:?\d{2}"))
        for part in (parts if zone or between == " " else [*parts][1:])
    ]


def _of_databases() -> list[Moments]:
    """Moments as Postgres and Python write them: +00 for the zone, parts of a second where there are some."""
    parts = r"(?:\.\d{1,9})?"
    return [
        _of(
            rf"\d{{4}}-\d{{2}}-\d{{2}}{between}\d{{2}}:\d{{2}}:\d{{2}}{parts}{zones}",
            "datetime",
            f"%Y-%m-%d{between}%H:%M:%S{zone}",
            iso=True,
        )
        for between in (" ", "T")
        for zone, zones in (("", ""), ("Z", "Z"), (GREENWICH, r"[+-]\d{2}(?::?\d{2})?"))
    ]


GREENWICH = "+00:00"
"""How much a moment is written to be ahead of the time of Greenwich, where it is as late as there."""


def _mailed() -> list[Moments]:
    """Moments as C's ``ctime``, mails and Twitter write them, with the day of the week."""
    clock = r"\d{2}:\d{2}:\d{2}"
    zones = {"": "", "GMT ": "GMT ", "UTC ": "UTC ", "+0000 ": r"\+0000 "}
    return [
        *(
            _of(
                rf"{_SHORT} {_SHORT} {_DAY} {clock} {zones[zone]}\d{{4}}",
                "datetime",
                f"%a %b %d %H:%M:%S {zone}%Y",
            )
            for zone in zones
        ),
        *(
            _of(
                rf"{_SHORT}, {_DAY} {_SHORT} \d{{4}} {clock} {re.escape(zone)}",
                "datetime",
                f"%a, %d %b %Y %H:%M:%S {zone}",
            )
            for zone in ("GMT", "+0000")
        ),
    ]


def _either_first(between: str, year: str, letter: str) -> list[Moments]:
    """Numbers with the day first and with the month first, without and with a time: in pairs."""
    pattern = between.join((_DAY, _DAY, year))
    forms = [between.join((first, second, letter)) for first, second in (("%d", "%m"), ("%m", "%d"))]
    timed = zip(*(_at_any_time(pattern, form) for form in forms), strict=True)
    return [*(_of(pattern, "date", form) for form in forms), *(way for pair in timed for way in pair)]


MOMENTS = (
    _of(r"\d{4}-\d{2}-\d{2}", "date"),
    _of(r"(1[6-9]|20)\d{6}", "date", "%Y%m%d"),
    _of(rf"({_DAY_AND_MONTH})(1[6-9]|20)\d{{2}}", "date", "%d%m%Y"),
    _of(rf"({_DAY_AND_MONTH})(1[6-9]|20)\d{{2}}", "date", "%m%d%Y"),
    _of(r"\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])", "date", "%y%m%d"),
    _of(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}", "datetime", "%Y-%m-%d %H:%M", 60),
    _of(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}", "datetime", "%Y-%m-%dT%H:%M", 60),
    *_to_the_second(),
    _of(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?", "datetime"),
    _of(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?", "date"),  # some days without a time
    _of(rf"\d{{4}}-{_DAY}-{_DAY}", "date", "%Y-%m-%d"),
    *_at_any_time(rf"\d{{4}}-{_DAY}-{_DAY}", "%Y-%m-%d"),  # 0:04 where ISO 8601 has 00:04
    _of(rf"\d{{4}}/{_DAY}/{_DAY}", "date", "%Y/%m/%d"),
    *_at_any_time(rf"\d{{4}}/{_DAY}/{_DAY}", "%Y/%m/%d"),
    _of(rf"\d{{4}}\.{_DAY}\.{_DAY}", "date", "%Y.%m.%d"),
    _of(rf"\d{{4}}\. {_DAY}\. {_DAY}\.", "date", "%Y. %m. %d."),
    _of(rf"{_DAY}\.{_DAY}\.\d{{4}}", "date", "%d.%m.%Y"),
    _of(rf"{_DAY}\.{_DAY}\.\d{{2}}", "date", "%d.%m.%y"),
    *_at_any_time(rf"{_DAY}\.{_DAY}\.\d{{4}}", "%d.%m.%Y")[:2],
    *_either_first("/", r"\d{4}", "%Y"),
    *_either_first("/", r"\d{2}", "%y"),
    *_either_first("-", r"\d{4}", "%Y"),
    _of(rf"{_DAY}-{_SHORT}-\d{{4}}", "date", "%d-%b-%Y"),
    _of(rf"{_DAY}-{_SHORT}-\d{{2}}", "date", "%d-%b-%y"),
    _of(rf"{_DAY} {_SHORT} \d{{4}}", "date", "%d %b %Y"),
    _of(rf"{_DAY} {_LONG} \d{{4}}", "date", "%d %B %Y"),
    _of(rf"{_SHORT} {_DAY}, \d{{4}}", "date", "%b %d, %Y"),
    _of(rf"{_LONG} {_DAY}, \d{{4}}", "date", "%B %d, %Y"),
    *_mailed(),
    _of(_CHINESE, "date", "%Y年%m月%d日"),
    *_at_any_time(_CHINESE, "%Y年%m月%d日")[:2],
    _of(_KOREAN, "date", "%Y년 %m월 %d일"),
    _of(r"\d{4}-\d{2}", "yearmonth"),
    _of(r"\d{4}/\d{2}", "yearmonth", "%Y/%m"),
    _of(r"(19|20)\d{2}(0[1-9]|1[0-2])", "yearmonth", "%Y%m"),
    _of(r"\d{1,2}/\d{4}", "yearmonth", "%m/%Y"),
    _of(r"\d{1,2}\.\d{4}", "yearmonth", "%m.%Y"),
    _of(rf"{_SHORT}-\d{{4}}", "yearmonth", "%b-%Y"),
    _of(rf"{_SHORT}-\d{{2}}", "yearmonth", "%b-%y"),
    _of(rf"{_SHORT} \d{{4}}", "yearmonth", "%b %Y"),
    _of(rf"{_LONG} \d{{4}}", "yearmonth", "%B %Y"),
    _of(rf"\d{{4}}年{_DAY}月", "yearmonth", "%Y年%m月"),
    _of(_CLOCK, "time", "%H:%M", 60),
    _of(r"\d{2}:\d{2}:\d{2}", "time"),
    _of(_CLOCK + _SECONDS, "time", "%H:%M:%S"),
    _of(_CLOCK + _HALF, "time", "%I:%M %p", 60),
    _of(r"\d{1,2}h\d{2}", "time", "%Hh%M", 60),
    _of(_CLOCK + _SECONDS + _HALF, "time", "%I:%M:%S %p"),
    _of(r"\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})?", "time"),  # as ODK exports what the clock showed
)
"""Ways to write dates and times, the narrower before the wider, days before months where both may be."""

SELDOM = (
    *_either_first("/", r"\d{4},", "%Y,"),
    *(
        way
        for pattern, form in (
            (rf"{_DAY}\.{_DAY}\.\d{{2}}", "%d.%m.%y"),
            (rf"{_DAY}\.{_DAY}\.\d{{4}},", "%d.%m.%Y,"),
            (rf"\d{{4}}\.{_DAY}\.{_DAY}", "%Y.%m.%d"),
            (rf"\d{{4}}\. {_DAY}\. {_DAY}", "%Y. %m. %d"),
            (rf"{_DAY}\. {_DAY}\. \d{{4}}", "%d. %m. %Y"),
            (rf"{_DAY}-{_SHORT}-\d{{4}}", "%d-%b-%Y"),
            (rf"{_DAY}-{_SHORT}-\d{{2}}", "%d-%b-%y"),
            (rf"{_DAY} {_SHORT} \d{{4}}", "%d %b %Y"),
            (rf"{_DAY} {_LONG} \d{{4}}", "%d %B %Y"),
            (rf"{_SHORT} {_DAY}, \d{{4}}", "%b %d, %Y"),
            (rf"{_SHORT} {_DAY}, \d{{4}},", "%b %d, %Y,"),
            (rf"{_LONG} {_DAY}, \d{{4}}", "%B %d, %Y"),
        )
        for way in _at_any_time(pattern, form)
    ),
    _of(rf"{_SHORT} {_DAY} \d{{4}}", "date", "%b %d %Y"),
    _of(rf"{_LONG} {_DAY} \d{{4}}", "date", "%B %d %Y"),
    _of(rf"{_LONG}, {_LONG} {_DAY}, \d{{4}}", "date", "%A, %B %d, %Y"),
    _of(rf"{_SHORT} {_SHORT} {_DAY} \d{{4}}", "date", "%a %b %d %Y"),
    _of(rf"{_DAY}{_SHORT}\d{{4}}", "date", "%d%b%Y"),
    _of(rf"{_DAY}{_SHORT}\d{{2}}", "date", "%d%b%y"),
    _of(rf"{_DAY}{_SHORT}\d{{4}}:\d{{2}}:\d{{2}}:\d{{2}}", "datetime", "%d%b%Y:%H:%M:%S"),
    _of(rf"{_LONG}, \d{{4}}", "yearmonth", "%B, %Y"),
    _of(rf"{_DAY} {_SHORT} \d{{2}}", "date", "%d %b %y"),
    _of(rf"{_DAY}\. {_DAY}\. \d{{4}}", "date", "%d. %m. %Y"),
    _of(rf"{_DAY}\.{_DAY}\.\d{{4}}\.", "date", "%d.%m.%Y."),
    _of(rf"\d{{4}}\.{_DAY}\.{_DAY}\.", "date", "%Y.%m.%d."),
    _of(_CLOCK + " Uhr", "time", "%H:%M Uhr", 60),
    _of(rf"{_DAY}\.{_DAY}\.\d{{4}} {_CLOCK} Uhr", "datetime", "%d.%m.%Y %H:%M Uhr", 60),
    _of(rf"\d{{4}}/{_DAY}/{_DAY} {_CLOCK}{_SECONDS}\+00", "datetime", "%Y/%m/%d %H:%M:%S+00"),  # ArcGIS
    *_of_databases(),
    *(  # as programs stamp files
        _of(pattern + parts, "datetime", form + end, step)
        for pattern, form in (
            (r"\d{4}-\d{2}-\d{2}-", "%Y-%m-%d-"),
            (r"\d{4}-\d{2}-\d{2}_", "%Y-%m-%d_"),
            (rf"(19|20)\d{{2}}({_MONTH_AND_DAY})_", "%Y%m%d_"),
            (rf"(19|20)\d{{2}}({_MONTH_AND_DAY})T", "%Y%m%dT"),
        )
        for parts, end, step in (
            (r"\d{2}-\d{2}", "%H-%M", 60),
            (r"\d{2}-\d{2}-\d{2}", "%H-%M-%S", None),
            (r"([01]\d|2[0-3])[0-5]\d", "%H%M", 60),
            (r"([01]\d|2[0-3])[0-5]\d[0-5]\d", "%H%M%S", None),
        )
    ),
    *(
        _of(rf"{_DAY}/{_DAY}/\d{{4}}\d{{2}}:\d{{2}}{seconds}", "datetime", f"{form}%H:%M{end}", step)
        for seconds, end, step in ((_SECONDS, ":%S", None), ("", "", 60))
        for form in ("%d/%m/%Y", "%m/%d/%Y")
    ),
    *(
        _of(rf"(19|20)\d{{2}}({_MONTH_AND_DAY})([01]\d|2[0-3]){parts}", "datetime", form, step)
        for parts, form, step in (
            ("", "%Y%m%d%H", 3600),
            (r"[0-5]\d", "%Y%m%d%H%M", 60),
            (r"[0-5]\d[0-5]\d", "%Y%m%d%H%M%S", None),
        )
    ),
    *_either_first("-", r"\d{2}", "%y")[:2],
    _of(r"\d{2}-\d{2}-\d{2}", "date", YEAR_FIRST),
)
"""Further ways, which no survey looks for: as browsers, SAS and letters write dates."""


MIXED = (
    _of(r"\d{2}:\d{2}(:00)?", "time", step=60),
    _of(r"\d{2}:\d{2}(:\d{2})?", "time"),
    *(
        _of(rf"\d{{4}}-\d{{2}}-\d{{2}}|{between.join((_DAY, _DAY, year))}", "date", form)
        for between, year, form in (
            ("/", r"\d{4}", "%d/%m/%Y"),
            ("/", r"\d{4}", "%m/%d/%Y"),
            (r"\.", r"\d{4}", "%d.%m.%Y"),
        )
    ),
)
"""Two ways in one column: what leaves is written in one of them."""
NUMBERED = {"%Y%m%d": 1, "%d%m%Y": 6, "%m%d%Y": 6, "%Y%m": 6} | dict.fromkeys(
    ("%y%m%d", "%Y%m%d%H", "%Y%m%d%H%M", "%Y%m%d%H%M%S"), 20
)
"""Ways that may be numbers as well, and how many different ones have to be read so until they are dates."""
