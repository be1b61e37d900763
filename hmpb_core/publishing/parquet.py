"""Rows as Parquet: typed, so that a program that reads them need not be told how a date is written."""

from __future__ import annotations

import io
import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.dates import ANY_ZONE, ZONE_WORD, NumericKind
from hmpb_core.domain import Domain, Numeric
from hmpb_core.moments import read_values
from hmpb_core.several_answers import together

_GREENWICH = ("Z", "%z", "+00:00", "+0000", " GMT", " UTC")
_AHEAD = re.compile(r"[+-]\d\d:?\d\d$", re.ASCII)


def parquet_of(frame: pd.DataFrame, codebook: Codebook) -> bytes:
    """Write rows as Parquet, typed.

    Args:
        frame: The rows, as ``decode`` gives them.
        codebook: Their codebook.
    """
    buffer = io.BytesIO()
    rows = together(with_days(frame, codebook.domain), codebook.answers, in_lists=True)
    rows.to_parquet(buffer, index=False)
    return buffer.getvalue()


def with_days(frame: pd.DataFrame, domain: Domain) -> pd.DataFrame:
    """Give dates and moments the types of Parquet, in place of the texts of their formats.

    Moments with Greenwich's zone have it, those without one have none. Moments in the hours of another place
    stay texts, which say whose; so do times of day and lengths of time, for which not every program that
    reads Parquet has a type.
    """
    typed: dict[str, pd.Series] = {}
    for attribute in domain.attributes:
        if attribute.name not in frame.columns or not isinstance(attribute, Numeric):
            continue
        if attribute.kind == "date":
            typed[attribute.name] = _days(frame[attribute.name], attribute.format)
        elif attribute.kind == "datetime" and (zone := _zone(attribute.format)) is not None:
            typed[attribute.name] = _moments(frame[attribute.name], attribute.format, zone)
    return frame.assign(**typed)


def _zone(pattern: str) -> str | None:
    """The zone of the moments of a format: ``UTC``, empty for none, None where it is another one."""
    if pattern.endswith(ANY_ZONE):  # the clock counts
        return ""
    if pattern.endswith(_GREENWICH):
        return "UTC"
    return None if _AHEAD.search(pattern) or ZONE_WORD.search(pattern) else ""


def _numbers(
    column: pd.Series, kind: NumericKind, pattern: str
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """What the texts mean, 0 where a value is missing; and where one is."""
    there = column.notna().to_numpy()
    numbers = np.zeros(len(column))
    numbers[there] = read_values(column[there].astype(object).tolist(), kind, pattern)
    return numbers, ~there


def _days(column: pd.Series, pattern: str) -> pd.Series:
    import pyarrow as pa

    days, absent = _numbers(column, "date", pattern)
    dates = pa.array(days.astype(np.int32), mask=absent).cast(pa.date32())
    return pd.Series(pd.arrays.ArrowExtensionArray(dates), index=column.index)


def _moments(column: pd.Series, pattern: str, zone: str) -> pd.Series:
    seconds, absent = _numbers(column, "datetime", pattern)
    micros = np.rint(seconds * 1e6).astype(np.int64).astype("datetime64[us]")
    micros[absent] = np.datetime64("NaT", "us")
    moments = pd.Series(micros, index=column.index)
    return moments.dt.tz_localize(zone) if zone else moments
