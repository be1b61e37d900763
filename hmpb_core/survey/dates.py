"""Dates and times as kinds of a survey: by the way they are written, as a draft of the rows tells them apart.

The list of ways is public (``sources.drafting.writings``). Of each way those with a day, month or hour of one
digit, those at midnight, and other whole minutes with seconds behind them, are counted apart; and where the
day or the month may come first, those of which the numbers do not say it. Dates and months that are written
as numbers, 19860412, 12041986 and 198604, have kinds of their own: a column is of them where nearly all its
numbers are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, groupby, product
from time import strptime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.codebook_fields import LEARNED
from hmpb_core.dates import ANY_ZONE, DAY, EPOCH, ZONE_WORD, read_value, write_value
from hmpb_core.sources.drafting.date_forms import MOMENTS, Moments
from hmpb_core.sources.drafting.writings import step_of, whole_years


@dataclass(frozen=True, slots=True)
class DateKind:
    """Dates or times that a survey counts together.

    Attributes:
        ways: The ways in which they are written: one, or both where no part is above 12.
        short: Whether a day, month or hour has one digit.
        step: What they are multiples of, as far as they say so: days in seconds, minutes, or 1.
    """

    ways: tuple[Moments, ...]
    short: bool = False
    step: int = 1


def _example(way: Moments, *, short: bool = False) -> str:
    """A date that no narrower way reads: September is written in full and by three letters."""
    months = 1996 * 12 + 8
    days = (EPOCH.replace(year=1996, month=9, day=14) - EPOCH).days
    value = {"yearmonth": months, "date": days, "time": 5400}.get(way.kind, days * DAY + 5400)
    return write_value(value, way.kind, _unpadded(way.format) if short else way.format)


def _unpadded(form: str) -> str:
    """The format without a zero before numbers of one digit."""
    return re.sub("%([dmHI])", r"%-\1", form)


AS_NUMBERS = ("%Y%m%d", "%d%m%Y", "%m%d%Y", "%Y%m")
"""Ways to write dates as numbers of which few other numbers are dates; of 860412 too many are."""


OF_TWO_DIGITS = (1969, 2068)
"""The years that two digits mean to POSIX."""


_OF_FORMS = tuple(
    replace(
        way,
        pattern=re.compile(way.pattern.pattern + ZONE_WORD.pattern, re.ASCII),
        format=way.format + ANY_ZONE,
    )
    for way in MOMENTS
    if way.format == "%Y/%m/%d %I:%M:%S %p"
)
"""As Google Forms writes moments, with the word of a zone behind them: the clock counts."""


def _groups() -> tuple[tuple[Moments, ...], ...]:
    """The ways in which dates and no numbers may be written; those with one pattern are one group."""
    groups: list[tuple[Moments, ...]] = []
    for _, ways in groupby((*MOMENTS, *_OF_FORMS), key=lambda way: way.pattern):
        group = tuple(ways)
        text = _example(group[0])
        told = any(g[0].pattern.fullmatch(text) for g in groups) and not _may_be_short(group)
        number = re.fullmatch(r"\d+(\.\d+)?", text) and group[0].format not in AS_NUMBERS
        if not told and not number:
            groups.append(group)
    return tuple(groups)


def _may_be_short(group: tuple[Moments, ...]) -> bool:
    return r"\d{1,2}" in group[0].pattern.pattern


def _kinds(group: tuple[Moments, ...]) -> list[DateKind]:
    orders = [(way,) for way in group] + ([group] if len(group) > 1 else [])
    short = (False, True) if _may_be_short(group) else (False,)
    steps = [group[0].step or 1]
    if group[0].kind in ("datetime", "time"):
        steps = sorted({*steps, 60, *([DAY] if group[0].kind == "datetime" else [])})
    return [DateKind(*one) for one in product(orders, short, steps)]


_GROUPS = _groups()
DATE_KINDS: tuple[DateKind, ...] = tuple(chain.from_iterable(map(_kinds, _GROUPS)))
DATE_WAYS: tuple[Moments, ...] = tuple(chain.from_iterable(_GROUPS))
"""The narrower before the wider."""
_PLACES = {kind: place for place, kind in enumerate(DATE_KINDS)}
NUMBERED_KINDS = tuple(n for n, kind in enumerate(DATE_KINDS) if kind.ways[0].format in AS_NUMBERS)
"""Places of the dates that are written as numbers."""
CLOCK_KINDS = tuple(
    tuple(
        n
        for n, kind in enumerate(DATE_KINDS)
        if kind.ways[0].format in ("", "%H:%M:%S") and kind.ways[0].kind == "time" and kind.step == step
    )
    for step in (60, 1)
)
"""Places of times of day with seconds, which may be lengths of time, of whole minutes and of others."""
_ANY = re.compile("|".join(f"(?:{group[0].pattern.pattern})" for group in _GROUPS), re.ASCII)
_ONE_DIGIT = re.compile(r"(?<!\d)\d(?=[./, 月日월일-]|$)|^\d[:h]", re.ASCII)
"""Of a date; the hour says it only where it stands alone."""


def date_kind(text: str) -> tuple[int, int | None] | None:
    """Give the place of a date or time among ``DATE_KINDS``, and its year; None for what is neither.

    Example:
        >>> place, year = date_kind("08/27/1996 12:00 AM")
        >>> kind = DATE_KINDS[place]
        >>> [way.format for way in kind.ways], kind.short, kind.step, year
        (['%m/%d/%Y %I:%M %p'], False, 86400, 1996)
    """
    if not _ANY.fullmatch(text):
        return None
    for group in _GROUPS:
        if not group[0].pattern.fullmatch(text):
            continue
        if group[0].format.endswith(ANY_ZONE):
            text = ZONE_WORD.sub("", text)
        years = _years(text, group)
        if not years:
            continue
        kind = DateKind(
            ways=tuple(years),
            short=_may_be_short(group) and bool(_ONE_DIGIT.search(text)),
            step=step_of([text], group[0]) or 1,
        )
        return _PLACES[kind], next(iter(years.values()))
    return None


def _years(text: str, group: tuple[Moments, ...]) -> dict[Moments, int | None]:
    """The ways of a group that read a text of its pattern, each with the year that it gives."""
    clock = _CLOCK.search(text)
    if clock is not None:
        hours = range(1, 13) if clock.group(2) else range(24)
        if int(clock.group(1)) not in hours or re.search(":[6-9]", clock.group(0)):
            return {}
    if group[0].kind == "time":
        return dict.fromkeys(group)
    day = text[: clock.start()].rstrip(" T") if clock and not _with_weekday(group[0]) else text
    return {way: year for way in group if (year := _year(day, _DAYS[way])) is not None}


def _with_weekday(way: Moments) -> bool:
    """Whether the day stands around the clock, so that both are read at once."""
    return "%a" in way.format


def _year(day: str, form: str) -> int | None:
    """A date's year; None where it is not written so, or no date. Not cached: dates of rows would stay."""
    try:
        return strptime(day, form).tm_year
    except ValueError:
        return None


_CLOCK = re.compile(
    r"(\d{1,2})[:h][0-9]\d(?::[0-9]\d)?(?:\.\d+)?( [AP]M)?(?:Z| UTC|[+-]\d{2}:?\d{2})?$", re.ASCII
)
_STANDARD = {"yearmonth": "%Y-%m", "time": ""}
_DAYS = {
    way: way.format
    if _with_weekday(way)
    else re.split("[ T]%[HI]", way.format)[0] or _STANDARD.get(way.kind, "%Y-%m-%d")
    for way in DATE_WAYS
}
"""How the day is written, for each way."""


def _reads(wider: Moments, way: Moments, *, short: bool) -> bool:
    """Whether one way reads what it or another writes, as ISO 8601 without a format does."""
    text = _example(way, short=short)
    return wider == way or (
        wider.pattern != way.pattern
        and bool(wider.pattern.fullmatch(text))
        and read_value(text, wider.kind, wider.format) is not None
    )


_ALONE = {way: [n for n, kind in enumerate(DATE_KINDS) if kind.ways == (way,)] for way in DATE_WAYS}
"""Places of the kinds that a way reads, and no other order of day and month."""


@cache
def _read_by(way: Moments) -> list[int]:
    """Places of all kinds that a way reads. Worked out when asked for: for all ways it takes a second."""
    return [
        n for n, kind in enumerate(DATE_KINDS) if any(_reads(way, one, short=kind.short) for one in kind.ways)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """How the dates or times of a column are written.

    Attributes:
        way: The way.
        rows: About how many rows it reads.
        step: What divides all of them: seconds, where nothing else was seen a minute or a day.
        short: Whether days, months and hours of one digit have no 0 before them.
    """

    way: Moments
    rows: float
    step: int = 1
    short: bool = False

    @property
    def as_numbers(self) -> bool:
        """Whether they are written as numbers, 19860412."""
        return self.way.format in AS_NUMBERS

    @property
    def has_years(self) -> bool:
        """Whether they lie in years; times of day do not."""
        return self.way.kind != "time"

    @property
    def short_years(self) -> bool:
        """Whether their years have two digits."""
        return "%y" in self.way.format

    def field(self, first: int, last: int, century: int | None = None) -> dict[str, Any]:
        """What a codebook says of them.

        Args:
            first: The first year.
            last: The last year.
            century: The first of the hundred years that two digits mean, where these are not POSIX's.
        """
        form = _unpadded(self.way.format) if self.short else self.way.format
        if self.short_years:
            start = century or OF_TWO_DIGITS[0]
            first, last = (min(max(year, start), start + 99) for year in (first, last))
            form = form.replace("%y", f"%y{{{century}}}") if century else form
        return {
            "type": self.way.kind,
            "constraints": whole_years(first, last, self.way.kind, form),
            "bins": LEARNED,
            **({"format": form} if form else {}),
            **({"multipleOf": self.step} if self.step > 1 else {}),
        }


def dated_of(seen: NDArray[np.float64]) -> Dated | None:
    """Tell how most dates or times of a column are written; None where there are none.

    Where the day and the month cannot be told apart they are read as those where they can: a file writes all
    its dates alike. Of two ways that read the same rows the narrower is told.

    Args:
        seen: Rows of each of ``DATE_KINDS``, 0 where noise may hide them.
    """
    rows = {way: float(seen[_read_by(way)].sum()) for way in DATE_WAYS if seen[_ALONE[way]].any()}
    if not rows:
        return None
    way = max(rows, key=lambda one: rows[one])
    read = [place for place in _read_by(way) if seen[place] > 0]
    few = 20 if way.kind == "time" else 4  # by day few hours have one digit, of the days and months many do
    return Dated(
        way=way,
        rows=rows[way],
        step=min(DATE_KINDS[place].step for place in read),
        short=few * sum(seen[place] for place in read if DATE_KINDS[place].short) > rows[way],
    )
