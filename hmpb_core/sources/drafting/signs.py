"""Signs by which a column is told: row numbers, codes, lists of values, words among numbers, free text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from hmpb_core.domain import MAX_ATTRIBUTE_SIZE, text_of

MANY_VALUES = 40
MANY_ROWS = 50
"""Rows a column needs before the share of its values that occur once says anything."""
MOSTLY_DISTINCT = 0.5
OFTEN = 5
"""Rows that each of many values must have on average to be a list; and that each long text must have."""
LONG_TEXT = 60
SHORT_TEXT, GRADE = 16, 4
"""Letters of the longest text, and digits of the longest number, that are no sentence of somebody's own."""
FEW_WORDS = 3
"""Most words among numbers that are taken for missing codes."""
YEARS = (1500, 2200)
LONG_NUMBER, ALL_DIFFERENT = 9, 0.98
"""Digits, and share of different values, from which on whole numbers name somebody."""
MANY_NAMES = 1000
LETTERED = re.compile(r"[A-Za-z]{1,4}\d{5,}", re.ASCII)
"""More digits than codes of towns, diseases and occupations have behind their letters."""
SECONDS = (631_152_000, 2_524_608_000)
"""1990 to 2050 in seconds since 1970."""
WHOLE = re.compile(r"[1-9]\d*", re.ASCII)
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+|(\d+(\.\d+)?[eE][-+]|\d+\.\d+[eE])\d{1,3})", re.ASCII)
"""A number; 6.8e-04 and 3.37E7 as programs write very small and very large ones. 6e4 may be a flat."""
CODE = re.compile(r"0\d+", re.ASCII)
"""A number with a leading zero is a code: of a town, a county, an institution."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """The values of a column, each once: whether a field fits them does not depend on how often they occur.

    Attributes:
        counts: How often each text occurs.
        has_null: Whether a value is missing without a text.
    """

    counts: Counter[str] = field(repr=False)
    has_null: bool


def distinct(column: pd.Series) -> Distinct:
    """Give the texts of a column, as the encoder sees them."""
    if column.dtype == object:
        column = column.map(text_of, na_action="ignore")  # True, 1 and 1.0 are one key to pandas
    codes, values = pd.factorize(column, use_na_sentinel=True)
    numbers = np.bincount(codes[codes >= 0], minlength=len(values))
    counts: Counter[str] = Counter()
    for value, number in zip(np.asarray(values, dtype=object).tolist(), numbers.tolist(), strict=True):
        counts[text_of(value)] += number
    return Distinct(counts, has_null=bool((codes < 0).any()))


def is_neither_after_all(
    column: pd.Series, role: str, missing: Sequence[str], *, grades: bool = False
) -> bool:
    """Whether a column with the name of an identifier or of free text holds something else.

    A few values, each often, or, under a name of free text ("address", "IP"), measured numbers.

    Args:
        column: Its values.
        role: What its name says it is: ``identifier`` or ``text``.
        missing: Texts that mean a missing value.
        grades: Whether its name may also mean a grade, as German "Note" does.
    """
    counts = Counter({text: n for text, n in distinct(column).counts.items() if text not in missing})
    short = grades and all(len(text) <= SHORT_TEXT for text in counts)
    most = MANY_VALUES // 2 if short or role == "identifier" else OFTEN
    if counts.total() < MANY_ROWS:
        return False
    measured = sum("." in text for text in counts) > len(counts) / 2
    if role == "text" and measured and all(NUMBER.fullmatch(text) for text in counts):
        return True
    if not 0 < len(counts) <= most:
        return False
    if grades and all(len(text) <= GRADE and NUMBER.fullmatch(text) for text in counts):
        return True  # 1.3 or 5 is nobody's own words, however rare
    return min(counts.values()) >= OFTEN


def numbers_rows(column: pd.Series, counts: Counter[str]) -> bool:
    """Whether whole numbers count the rows, or grow from row to row: of no use, or an identifier."""
    if len(column) < MANY_ROWS or len(counts) != len(column):
        return False
    if not all(text.isascii() and text.isdecimal() for text in counts):
        return False
    numbers = np.array([int(text_of(value)) for value in column], dtype=float)
    if YEARS[0] <= numbers.min() and numbers.max() <= YEARS[1]:
        return False
    return bool((np.diff(numbers) > 0).all() or numbers.max() - numbers.min() + 1 == len(numbers))


def name_somebody(counts: Counter[str]) -> bool:
    """Whether a column holds numbers of persons or cases, whatever it is called.

    Over a thousand of a few letters and five digits or more, as ``A000012``; or whole numbers of equally
    many digits, nine at least, that are nearly all different and no seconds or milliseconds since 1970.
    """
    if len(counts) > MANY_NAMES and all(LETTERED.fullmatch(text) for text in counts):
        return True
    if counts.total() < MANY_ROWS or len(counts) < ALL_DIFFERENT * counts.total():
        return False
    digits = {len(text) if WHOLE.fullmatch(text) else 0 for text in counts}
    if len(digits) > 1 or min(digits) < LONG_NUMBER:
        return False
    least, most = min(map(int, counts)), max(map(int, counts))
    return not any(SECONDS[0] * unit <= least and most <= SECONDS[1] * unit for unit in (1, 1000))


def words_among_numbers(counts: Counter[str]) -> list[str]:
    """Give the few words of a column that holds many different numbers beside them."""
    words = [text for text in counts if not NUMBER.fullmatch(text)]
    codes = any(CODE.fullmatch(text) for text in counts)
    few = 0 < len(words) <= FEW_WORDS and len(counts) - len(words) > MANY_VALUES // 2
    return sorted(words) if few and not codes and all(text.isascii() for text in words) else []


def is_listed(counts: Counter[str], n_rows: int) -> bool:
    """Whether values may be listed as categories: not too many, and not mostly of one row each."""
    if not counts or len(counts) >= MAX_ATTRIBUTE_SIZE:
        return False
    if any(rows < OFTEN for text, rows in counts.items() if len(text) > LONG_TEXT):
        return False  # an answer to choose is long and frequent; what somebody wrote is long and rare
    if len(counts) > MANY_VALUES:
        once = sum(rows == 1 for rows in counts.values())
        return n_rows >= OFTEN * len(counts) and once <= MOSTLY_DISTINCT * len(counts)
    return n_rows < MANY_ROWS or len(counts) <= MOSTLY_DISTINCT * n_rows


def is_text(counts: Counter[str]) -> bool:
    """Whether a column that is no list holds text rather than identifiers: there is a blank in it."""
    return any(" " in text for text in counts)
