"""The public grid of a survey: a cell for every value that a number or a date may have.

The grid is fixed before any table is seen: missing; text; for 0, 1, 2 or more decimals the number 0 and
plus and minus [2^k, 2^(k+1)); for three ways of writing a date each year of two centuries. Every row of a
column lies in exactly one cell, or in a cell of its own text.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import text_of

MISSING, TEXT = 0, 1
DECIMALS = (0, 1, 2, 3)
"""Decimals told apart; the last stands for three or more."""
SMALLEST, LARGEST = -10, 49
"""Powers of two: numbers from 1/1024 to 10^15."""
FORMATS = ("", "%d.%m.%Y", "%m/%d/%Y")
"""ISO 8601, and dates as written in much of Europe and in the United States."""
FIRST_YEAR, LAST_YEAR = 1900, 2099

_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.(\d+))?")  # 01067 is a code, not a number
_DATES = (
    (re.compile(r"\d{4}-\d\d-\d\d"), "%Y-%m-%d"),
    (re.compile(r"\d\d?\.\d\d?\.\d{4}"), FORMATS[1]),
    (re.compile(r"\d\d?/\d\d?/\d{4}"), FORMATS[2]),
)
_SIZES = LARGEST - SMALLEST + 1
_SIGNED = 2 * _SIZES + 1
_YEARS = LAST_YEAR - FIRST_YEAR + 1
_DATES_FROM = 2 + len(DECIMALS) * _SIGNED
N_CELLS = _DATES_FROM + len(FORMATS) * _YEARS


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """A column's rows by cells. Private: its repr shows none.

    Attributes:
        counts: Rows in each cell: the public ones, then one for each text.
        texts: The texts, each a cell after the public ones; none where texts share one cell.
    """

    counts: NDArray[np.int64] = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)


def number_cells(decimals: int) -> NDArray[np.int64]:
    """The cells of the numbers of so many decimals, from the smallest number to the largest."""
    return 2 + decimals * _SIGNED + np.arange(_SIGNED)


def number_range(place: int) -> tuple[float, float]:
    """Bounds of the numbers in a cell, by its place among those of ``number_cells``.

    Example:
        >>> number_range(60), number_range(60 + 11), number_range(60 - 12)
        ((0.0, 0.0), (1.0, 2.0), (-4.0, -2.0))
    """
    side = place - _SIZES
    if side == 0:
        return 0.0, 0.0
    low = 2.0 ** (abs(side) - 1 + SMALLEST)
    return (low, 2 * low) if side > 0 else (-2 * low, -low)


def date_cells(way: int) -> NDArray[np.int64]:
    """The cells of the dates that are written this way, the first year first."""
    return _DATES_FROM + way * _YEARS + np.arange(_YEARS)


def cell_of(text: str) -> int:
    """Give the public cell of a value; ``TEXT`` for anything but a number, a date or nothing."""
    if not text:
        return MISSING
    written = _NUMBER.fullmatch(text)
    if written:
        digits = len((written.group(3) or "").rstrip("0"))
        return _number_cell(float(text), min(digits, DECIMALS[-1]))
    for way, (pattern, form) in enumerate(_DATES):
        if pattern.fullmatch(text):
            try:
                year = datetime.strptime(text, form).year  # noqa: DTZ007 - a date alone
            except ValueError:
                return TEXT
            return int(date_cells(way)[min(max(year, FIRST_YEAR), LAST_YEAR) - FIRST_YEAR])
    return TEXT


def histogram_of(column: pd.Series, missing: frozenset[str], *, with_texts: bool) -> Histogram:
    """Count a column's rows by cells.

    Args:
        column: The private column.
        missing: Texts that mean a missing value.
        with_texts: Give each text a cell of its own; else they share one.
    """
    places, values = pd.factorize(column.astype(object), use_na_sentinel=True)
    written = [text_of(value) for value in values]
    texts = ["" if text in missing else text for text in written]
    cells = np.array([*(cell_of(text) for text in texts), MISSING], dtype=np.int64)  # -1 marks a missing one
    names: dict[str, int] = {}
    if with_texts:
        for i, text in enumerate(texts):
            if cells[i] == TEXT:
                cells[i] = names.setdefault(text, N_CELLS + len(names))
    counts = np.bincount(cells[places], minlength=N_CELLS + len(names)).astype(np.int64)
    return Histogram(counts=counts, texts=tuple(names))


def _number_cell(number: float, decimals: int) -> int:
    size = 0
    if number != 0:
        power = math.frexp(abs(number))[1] - 1  # 2^power <= |number| < 2^(power + 1)
        size = min(max(power, SMALLEST), LARGEST) - SMALLEST + 1
    return int(number_cells(decimals)[_SIZES + (size if number > 0 else -size)])
