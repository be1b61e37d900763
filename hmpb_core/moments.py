"""Many dates and times at once, as ``dates.py`` reads and writes each.

A million moments are nearly all different, but lie on some thousand days, and at 86,400 seconds of a day at
most. Each day and each time is read and written once; Arrow cuts the texts and joins them.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.dates import (
    CALENDAR,
    DAY,
    EPOCH,
    STANDARD,
    NumericKind,
    full_hour,
    parsed,
    read_value,
    write_value,
)

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]
Halves = tuple[str, str, str]
"""The format of the day, what stands between, and the format of the time; both empty for ISO 8601."""

_ISO: tuple[Halves, ...] = (("", "T", ""), ("", " ", ""))
MANY = 5_000
"""Moments from which on each second of a day is written once and kept."""
_MICROSECONDS = 6
"""Digits of the parts of a second that are read."""
_NONE = (math.nan, math.nan)
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DIRECTIVE = re.compile(r"%[-^]?(.)")
_OF_DAYS, _OF_TIMES = frozenset("dmYybBjaA"), frozenset("HIMSpzZ")


def read_values(texts: Sequence[str] | pa.Array, kind: NumericKind, pattern: str = "") -> Floats:
    """Give the numbers of written values, as ``read_value`` does of each; not a number where it gives none.

    Example:
        >>> read_values(["1970-01-02T00:00:05", "1970-01-02 00:01", "never"], "datetime").tolist()
        [86405.0, 86460.0, nan]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(texts, pa.Array):
        texts = pa.array(texts, pa.large_string())
    if pattern in STANDARD and (steps := _cast(texts, kind)) is not None:
        return steps
    numbers, left = np.full(len(texts), math.nan), np.arange(len(texts))
    if kind == "datetime":
        texts = pc.utf8_trim_whitespace(texts)
        for halves in (*_halves(pattern), *_ISO):
            numbers[left] = _read_halves(texts.take(pa.array(left)), halves)
            left = left[np.isnan(numbers[left])]
            if not len(left):
                return numbers
        texts = texts.take(pa.array(left))

    def read(text: str) -> tuple[float, float]:
        number = read_value(text, kind, pattern)
        return _NONE if number is None else (number, 0.0)

    numbers[left] = _each(texts, read)[:, 0]
    return numbers


def write_values(values: Floats, kind: NumericKind, pattern: str = "", *, decimals: int = 0) -> pa.Array:
    """Write numbers as what they mean, as ``write_value`` does each.

    Moments and times in ISO 8601 that have parts of a second all have as many digits of them: programs that
    find out how a column is written refuse the one that has none.

    Example:
        >>> write_values(np.array([86405.0, 0.0]), "datetime", "%d.%m.%Y %H:%M").to_pylist()
        ['02.01.1970 00:00', '01.01.1970 00:00']
        >>> write_values(np.array([0.5, 60.0]), "time", decimals=1).to_pylist()
        ['00:00:00.5', '00:01:00.0']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimals and kind in ("datetime", "time") and pattern in STANDARD:
        digits = min(decimals, _MICROSECONDS)
        whole, parts = np.divmod(np.rint(values * 10**digits), 10**digits)
        texts = [f"{part:0{digits}.0f}" for part in parts.tolist()]
        return pc.binary_join_element_wise(
            write_values(whole, kind, pattern),
            pa.array(texts, pa.large_string()),
            pa.scalar(".", pa.large_string()),
        )
    halves = _ISO[0] if pattern in STANDARD else next(iter(_halves(pattern)), None)
    if kind != "datetime" or halves is None or (values % 1).any():
        return _written(values, kind, pattern, decimals)
    day, between, time = halves
    days = _written(values // DAY, "date", day)
    if len(values) < MANY:
        times = _written(values % DAY, "time", time)
    else:
        times = _clock(time)[0].take(pa.array((values % DAY).astype(np.int64)))
    return pc.binary_join_element_wise(days, times, pa.scalar(between, pa.large_string()))


def _written(values: Floats, kind: NumericKind, pattern: str, decimals: int = 0) -> pa.Array:
    import pyarrow as pa

    unique, rows = _counted(values)
    texts = [write_value(value, kind, pattern, decimals=decimals) for value in unique.tolist()]
    return pa.array(texts, pa.large_string()).take(pa.array(rows))


def _counted(values: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The different values in order, and the place of each; whole ones close together are not sorted."""
    if not len(values) or (values % 1).any() or np.ptp(values) > len(values) + DAY:
        return np.unique(values, return_inverse=True)
    places = (values - values.min()).astype(np.int64)
    there = np.bincount(places) > 0
    return np.flatnonzero(there) + values.min(), (np.cumsum(there) - 1)[places]


@lru_cache(maxsize=4)
def _clock(pattern: str) -> tuple[pa.Array, pa.Array, Floats]:
    """The text of each second of a day; the different ones, and the second that each is read as.

    Public: nothing of a table is kept.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    # Each minute is written once around its seconds, and read once, at its start.
    around = ("%H:%M:%S" if pattern in STANDARD else pattern).split("%S")
    minutes, seconds = np.arange(DAY) // 60, np.arange(DAY) % 60
    pieces = [_of_minutes(piece) for piece in around]
    of_seconds = pa.array([f"{second:02d}" for second in range(60)], pa.large_string())
    texts = pc.binary_join_element_wise(
        *(piece.take(pa.array(minutes)) for piece in pieces), of_seconds.take(pa.array(seconds))
    )
    starts = texts.take(pa.array(np.arange(0, DAY, 60))).to_pylist()
    read = np.array([sum(_seconds_of_time(text, pattern)) for text in starts])[minutes]
    if len(around) > 1:
        read += seconds
    coded = texts.dictionary_encode()
    first = np.unique(coded.indices.to_numpy(), return_index=True)[1]
    return texts, coded.dictionary, read[first]


def _of_minutes(pattern: str) -> pa.Array:
    """What a format without seconds writes at each minute of a day."""
    import pyarrow as pa

    return pa.array(
        [write_value(60 * minute, "time", pattern) if pattern else "" for minute in range(DAY // 60)],
        pa.large_string(),
    )


def _halves(pattern: str) -> list[Halves]:
    """A format cut in two where it writes a day, a blank or a T, and a time; else none."""
    for between in (" ", "T"):
        day, found, time = pattern.partition(between)
        of_days, of_times = (set(_DIRECTIVE.findall(half)) for half in (day, time))
        if found and of_days and of_times and of_days <= _OF_DAYS and of_times <= _OF_TIMES:
            return [(day, between, time)]
    return []


def _cast(texts: pa.Array, kind: NumericKind) -> Floats | None:
    """Dates or moments that all are written at full length, read by Arrow; None of others."""
    import pyarrow as pa
    import pyarrow.compute as pc

    length = {"date": len("2000-01-01"), "datetime": len("2000-01-01T00:00:00")}.get(kind)
    lengths = pc.min_max(pc.binary_length(texts)).as_py()
    if length is None or lengths["min"] != length or lengths["max"] != length:
        return None
    try:
        seconds = texts.cast(pa.timestamp("s"))
    except pa.ArrowInvalid:
        return None
    found: Floats = seconds.cast(pa.int64()).to_numpy(zero_copy_only=False).astype(np.float64)
    if np.nanmin(found) < CALENDAR["datetime"][0]:
        return None
    if kind == "date":
        found /= DAY
    return found


def _read_halves(texts: pa.Array, halves: Halves) -> Floats:
    """Seconds since 1970; not a number where one of the halves is not written so."""
    import pyarrow as pa
    import pyarrow.compute as pc

    day, between, time = halves
    cut = pc.split_pattern(texts, between, max_splits=1)
    both = np.flatnonzero(pc.fill_null(pc.equal(pc.list_value_length(cut), 2), False).to_numpy(False))
    cut = cut.take(pa.array(both))
    days = _each(pc.list_element(cut, 0), lambda text: _seconds_of_day(text, day))
    times = _times(pc.list_element(cut, 1), time)
    seconds = np.full(len(texts), math.nan)
    seconds[both] = days[:, 0] + times[:, 0] + times[:, 1]  # rounded as one reading of the whole is
    return seconds


def _times(texts: pa.Array, pattern: str) -> Floats:
    """The times of a day, shape (texts, 2): of many those at whole seconds are looked up."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def read(text: str) -> tuple[float, float]:
        return _seconds_of_time(text, pattern)

    if len(texts) < MANY:
        return _each(texts, read)
    _, known, seconds = _clock(pattern)
    places = pc.index_in(texts, value_set=known).fill_null(-1).to_numpy(zero_copy_only=False)
    found = np.column_stack([seconds[places], np.zeros(len(places))])
    rest = np.flatnonzero(places < 0)
    found[rest] = _each(texts.take(pa.array(rest)), read)
    return found


def _each(texts: pa.Array, read: Callable[[str], tuple[float, float]]) -> Floats:
    """What is read of each text, shape (texts, 2); each different one is read once."""
    coded: Any = texts.dictionary_encode()
    found = np.array([*map(read, coded.dictionary.to_pylist()), _NONE])
    places: NDArray[np.int64] = coded.indices.fill_null(len(found) - 1).to_numpy(zero_copy_only=False)
    return found[places]


def _seconds_of_day(text: str, pattern: str) -> tuple[float, float]:
    """A day as seconds since 1970; ISO 8601 by year, month and day alone."""
    try:
        if pattern:
            day = parsed(text, pattern)
        elif _ISO_DAY.fullmatch(text):
            day = dt.datetime.fromisoformat(text)
        else:
            return _NONE
    except ValueError:
        return _NONE
    return float((day - EPOCH).days * DAY), 0.0


def _seconds_of_time(text: str, pattern: str) -> tuple[float, float]:
    """The whole seconds of a time, those of Greenwich, and its part of a second."""
    try:
        if pattern:
            time = parsed(text, pattern).timetz()
        elif text[:1].isdigit():
            time = dt.time.fromisoformat(full_hour(text))
        else:
            return _NONE
    except ValueError:
        return _NONE
    zone = (time.utcoffset() or dt.timedelta()).total_seconds()
    return time.hour * 3600 + time.minute * 60 + time.second - zone, time.microsecond / 1e6
