"""The public cells of a survey: what kind of value each row has, and where on that kind's scale it lies.

Both are fixed before any table is seen. Kinds: nothing; what usually means that; text without and with a
blank; numbers of 0, 1, 2 or more decimals, whole ones by the largest of 1, 5, 10, 100 and 1000 that divides
them, and apart from them numbers with a needless 0 behind (3.0, 3.00, 3.50); dates and times by the ways of
writing them. The scale: for numbers 0, plus and minus [2^k, 2^(k+1)), and each whole one of 1900 to 2099,
which may be a year; for dates each year of 1600 to 2099; for texts the words of public lists and the codes
A00 to Z99. Every row of a column has one kind, and lies in one of these cells or in a cell of its own text.
A number that is a date as well, 19860412, lies among the numbers; among the years where the column's kinds
say that it holds dates.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.encoding import told_apart
from hmpb_core.sources.drafting.guesses import USUAL_MISSING
from hmpb_core.sources.drafting.place_codes import is_code
from hmpb_core.survey.dates import CLOCK_KINDS, DATE_KINDS, NUMBERED_KINDS, date_kind
from hmpb_core.survey.lengths import N_LENGTHS, length_of
from hmpb_core.survey.words import CODES, WORDS, code_of
from hmpb_core.texts import text_of


class Kind(IntEnum):
    """What a value is, by the way in which it is written; ``DATE_KINDS`` tell dates apart."""

    MISSING = 0
    WORD = 1
    PHRASE = 2
    """A text with a blank."""
    CODE = 3
    """A letter and two digits, and what may follow."""
    WHOLE = 4
    ONE_DECIMAL = 5
    TWO_DECIMALS = 6
    DECIMALS = 7
    """Three decimals or more."""
    FIVES = 8
    """A whole number that 5 divides, and 10 does not; and so on."""
    TENS = 9
    HUNDREDS = 10
    THOUSANDS = 11
    """These, and 0."""
    WHOLE_ONE = 12
    """3.0: a whole number written with a decimal; and with two; and one decimal written with two, 3.50."""
    WHOLE_TWO = 13
    TENTH_TWO = 14
    DATE = 15
    """A date or time. Here, and in the places that follow, lie the ``DATE_KINDS``."""


LENGTH = Kind.DATE + len(DATE_KINDS)
"""The first of the kinds of lengths of time."""
MARK = LENGTH + N_LENGTHS
"""The kind of usual texts for a missing value, as NA: they do not tell what a column holds."""
N_KINDS = MARK + 1
TEXTS = (Kind.WORD, Kind.PHRASE, Kind.CODE)
NUMBERS = (Kind.WHOLE, Kind.ONE_DECIMAL, Kind.TWO_DECIMALS, Kind.DECIMALS)
"""By their decimals."""
STEPS = {Kind.FIVES: 5, Kind.TENS: 10, Kind.HUNDREDS: 100, Kind.THOUSANDS: 1000}
"""What divides whole numbers of these kinds, ascending."""
PADDED = {Kind.WHOLE_ONE: Kind.WHOLE, Kind.WHOLE_TWO: Kind.WHOLE, Kind.TENTH_TWO: Kind.ONE_DECIMAL}
"""Numbers with a needless 0 behind, and what they are without it."""
WRITTEN_NUMBERS = (*NUMBERS, *STEPS, *PADDED)
SMALLEST, LARGEST = -40, 49
"""Powers of two: numbers from 10^-12 to 10^15."""
FIRST_YEAR, LAST_YEAR = 1900, 2099
FIRST_DATED = 1600
"""Dates of earlier years than numbers: 1750 is a date where it is written as one, and else an amount."""

_SIZES = LARGEST - SMALLEST + 1
_YEARS = LAST_YEAR - FIRST_YEAR + 1
OTHER_CELL = 0
"""The cell of whatever lies on no scale and has no cell of its own."""
NUMBER_CELLS = 1 + np.arange(2 * _SIZES + 1)
"""From the smallest number to the largest."""
YEAR_CELLS = 1 + NUMBER_CELLS[-1] + np.arange(_YEARS)
_OLD_CELLS = 1 + YEAR_CELLS[-1] + np.arange(FIRST_YEAR - FIRST_DATED)
DATED_CELLS = np.concatenate([_OLD_CELLS, YEAR_CELLS])
"""The years of dates."""
CODE_CELLS = 1 + _OLD_CELLS[-1] + np.arange(len(CODES))
WORD_CELLS = 1 + CODE_CELLS[-1] + np.arange(len(WORDS))
N_CELLS = int(WORD_CELLS[-1]) + 1

FEWEST_DECIMALS, MOST_DECIMALS = NUMBERS.index(Kind.DECIMALS), 8
"""Decimals that are told apart beyond two; numbers of more were computed."""
_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*|(?=\.))(\.(\d+))?")  # 01067 is a code, not a number; .5 is one
_POWERED = re.compile(r"[+-]?\d((\.\d+)?[eE][+-]|\.\d+[eE])\d{1,2}")
"""6.8e-04 and 3.37E7, as programs write very small and very large numbers; 6e4 may be a flat."""
_SMALL = re.compile(r"[1-9]?\d", re.ASCII)
_NUMBERED = frozenset(Kind.DATE + place for place in NUMBERED_KINDS)
_CLOCKS = frozenset(Kind.DATE + place for kinds in CLOCK_KINDS for place in kinds)
_TEXTS = frozenset(TEXTS)
_PADDED = {(0, 1): Kind.WHOLE_ONE, (0, 2): Kind.WHOLE_TWO, (1, 2): Kind.TENTH_TWO}
"""By the decimals that a number needs and has."""
_OF_WORD = dict(zip(WORDS, WORD_CELLS.tolist(), strict=True))
_OF_CODE = dict(zip(CODES, CODE_CELLS.tolist(), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A column's rows by kinds and by cells. Private: its repr shows none.

    Attributes:
        kinds: Rows of each kind.
        distinct: Number of different texts; one row more or less moves it by one at most.
        cells: Rows in each cell: the public ones, then one for each text.
        texts: The texts in order, each a cell after the public ones; none where they share one cell.
        small: Rows of the whole numbers 0 to 99, by their text, those that mean a missing value apart; none
            where texts share one cell.
        dated: Rows of numbers that may be dates, by their cell and the one of their year.
        lasting: Of each text that may be a length of time the cell of its seconds, and its rows.
        decimals: Rows of numbers of three decimals, of four and so on; in the last place those of more.
    """

    kinds: NDArray[np.int64] = field(repr=False)
    distinct: int = field(repr=False)
    cells: NDArray[np.int64] = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)
    small: Mapping[str, int] = field(default_factory=dict, repr=False)
    dated: Mapping[tuple[int, int], int] = field(default_factory=dict, repr=False)
    lasting: Mapping[str, tuple[int, int]] = field(default_factory=dict, repr=False)
    decimals: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)

    def as_words(self) -> Counted:
        """The same rows with a cell for each small number, as texts have: a partition as before."""
        cells = self.cells.copy()
        for text, rows in self.small.items():
            cells[cell_of(text)[1]] -= rows
        own = np.array(list(self.small.values()), dtype=np.int64)
        return replace(self, cells=np.append(cells, own), texts=(*self.texts, *self.small), small={})

    def as_lengths(self) -> Counted:
        """The same rows with lengths of time in the cells of their seconds: a partition as before."""
        own = dict(zip(self.texts, self.cells[N_CELLS:].tolist(), strict=True))
        cells = self.cells[:N_CELLS].copy()
        for text, (cell, rows) in self.lasting.items():
            if own.pop(text, None) is None:
                cells[OTHER_CELL] -= rows
            cells[cell] += rows
        left = np.array(list(own.values()), dtype=np.int64)
        return replace(self, cells=np.append(cells, left), texts=tuple(own), lasting={})

    def as_dates(self) -> Counted:
        """The same rows with numbers that may be dates in the cells of their years: a partition as before."""
        cells = self.cells.copy()
        for (number, year), rows in self.dated.items():
            cells[number] -= rows
            cells[year] += rows
        return replace(self, cells=cells, dated={})


SCALE_CELLS = np.concatenate([NUMBER_CELLS, YEAR_CELLS])
"""All cells of numbers, one behind the other."""


def number_range(place: int) -> tuple[float, float]:
    """Bounds of the numbers in a cell, by its place among ``NUMBER_CELLS``.

    Example:
        >>> number_range(90), number_range(90 + 41), number_range(90 - 42)
        ((0.0, 0.0), (1.0, 2.0), (-4.0, -2.0))
    """
    side = place - _SIZES
    if side == 0:
        return 0.0, 0.0
    low = 2.0 ** (abs(side) - 1 + SMALLEST)
    return (low, 2 * low) if side > 0 else (-2 * low, -low)


def cell_of(text: str) -> tuple[int, int]:
    """Give the kind of a value, and its public cell; ``OTHER_CELL`` for what has none.

    Example:
        >>> [Kind(cell_of(text)[0]).name for text in ("01067", "3.5", "3200", "15", "3.00", "3.50")]
        ['WORD', 'ONE_DECIMAL', 'HUNDREDS', 'FIVES', 'WHOLE_TWO', 'TENTH_TWO']
        >>> DATE_KINDS[cell_of("7.8.1996")[0] - Kind.DATE].short
        True
    """
    if not text:
        return Kind.MISSING, OTHER_CELL
    written = _NUMBER.fullmatch(text)
    if written:
        part = written.group(3) or ""
        digits = len(part.rstrip("0"))
        if (padded := _PADDED.get((digits, len(part)))) is not None:
            return padded, _number_cell(float(text))
        if date := date_kind(text):
            return Kind.DATE + date[0], _number_cell(float(text))
        kind = NUMBERS[min(digits, len(NUMBERS) - 1)] if digits else _whole(written.group(1) or "0")
        return kind, _number_cell(float(text))
    if _POWERED.fullmatch(text):
        number = float(text)
        kind = _whole(str(int(number))) if number.is_integer() else Kind.DECIMALS
        return kind, _number_cell(number)
    if date := date_kind(text):
        place, year = date
        if year is None:
            return Kind.DATE + place, OTHER_CELL
        if Kind.DATE + place in _NUMBERED:  # 03091996, as 13091996
            return Kind.DATE + place, _number_cell(float(text))
        return Kind.DATE + place, _year_cell(year)
    if length := length_of(text):
        return LENGTH + length[0], OTHER_CELL
    if code := code_of(text):
        return Kind.CODE, _OF_CODE[code]
    return (Kind.PHRASE if re.search(r"\s", text) else Kind.WORD), _OF_WORD.get(text, OTHER_CELL)


def code_cell_of(text: str, digits: int) -> tuple[int, int]:
    """The same for a column of codes by its name: of postcodes 59369 is no number; 0.17 and 12 are.

    Args:
        text: A value.
        digits: Digits from which on its whole numbers are codes (``code_digits``); 0: never.

    Example:
        >>> [Kind(code_cell_of(text, 3)[0]).name for text in ("59369", "0.17", "")]
        ['WORD', 'TWO_DECIMALS', 'MISSING']
    """
    return (Kind.WORD, OTHER_CELL) if is_code(text, digits) else cell_of(text)


def count(column: pd.Series, missing: frozenset[str], *, with_texts: bool, code_digits: int = 0) -> Counted:
    """Count a column's rows by kinds and by cells.

    Args:
        column: The private column.
        missing: Texts that mean a missing value.
        with_texts: Give each text that is not public a cell of its own; else they share one.
        code_digits: Digits from which on its whole numbers are codes; 0: never.
    """
    places, values = pd.factorize(told_apart(column).astype(object), use_na_sentinel=True)
    rows = np.bincount(places + 1, minlength=len(values) + 1).tolist()  # -1 marks a missing one
    texts = [text_of(value) for value in values]
    told = [(*code_cell_of("" if text in missing else text, code_digits), text) for text in texts]
    return tally(zip([(Kind.MISSING, OTHER_CELL, ""), *told], rows, strict=True), with_texts=with_texts)


def tally(values: Iterable[tuple[tuple[int, int, str], int]], *, with_texts: bool) -> Counted:
    """Add up values, each with its kind, its public cell, its text, and the rows that hold it.

    Args:
        values: The values. A text may come more than once; of numbers it tells decimals and which are small.
        with_texts: Give each text that is not public a cell of its own; else they share one.
    """
    kinds, cells = np.zeros(N_KINDS, dtype=np.int64), np.zeros(N_CELLS, dtype=np.int64)
    names: dict[str, int] = {}
    small: dict[str, int] = {}
    dated: dict[tuple[int, int], int] = {}
    lasting: dict[str, tuple[int, int]] = {}
    decimals = np.zeros(MOST_DECIMALS - FEWEST_DECIMALS + 2, dtype=np.int64)
    different = set()
    for (kind, cell, text), rows in values:
        kinds[MARK if kind == Kind.WORD and text in USUAL_MISSING else kind] += rows
        is_text = kind in _TEXTS or kind >= LENGTH
        if kind == Kind.DECIMALS:
            decimals[_decimals(text) - FEWEST_DECIMALS] += rows
        if is_text and rows:
            different.add(text)
        if with_texts and cell == OTHER_CELL and is_text:
            names[text] = names.get(text, 0) + rows
        else:
            cells[cell] += rows
        if with_texts and not is_text and kind != Kind.MISSING and _SMALL.fullmatch(text):
            small[text] = small.get(text, 0) + rows
        if kind >= LENGTH or kind in _CLOCKS:
            length = length_of(text)
            seconds = 0.0 if length is None else length[1]
            lasting[text] = _size_cell(seconds), lasting.get(text, (0, 0))[1] + rows
        if kind in _NUMBERED and (date := date_kind(text)) and date[1]:
            places = cell, _year_cell(date[1])
            dated[places] = dated.get(places, 0) + rows
    # Sorted: told texts become categories, and which of them the table holds first was not paid for.
    names, small = dict(sorted(names.items())), dict(sorted(small.items()))
    return Counted(
        kinds=kinds,
        distinct=len(different),
        cells=np.append(cells, np.array(list(names.values()), dtype=np.int64)),
        texts=tuple(names),
        small=small,
        dated=dated,
        lasting=lasting,
        decimals=decimals,
    )


def _decimals(text: str) -> int:
    """Decimals of a number that needs three or more; one more than are told apart where they are more."""
    written = _NUMBER.fullmatch(text)
    needed = len(written.group(3).rstrip("0")) if written else MOST_DECIMALS + 1  # 6.8e-04
    return min(needed, MOST_DECIMALS + 1)


def _whole(written: str) -> Kind:
    """The kind of a whole number, by what divides it: by its last digits, however many it has."""
    number = int(written[-3:])
    return next((kind for kind, step in reversed(STEPS.items()) if number % step == 0), Kind.WHOLE)


def _year_cell(year: int) -> int:
    return int(DATED_CELLS[min(max(year, FIRST_DATED), LAST_YEAR) - FIRST_DATED])


def _number_cell(number: float) -> int:
    if FIRST_YEAR <= number <= LAST_YEAR and number.is_integer():
        return int(YEAR_CELLS[int(number) - FIRST_YEAR])
    return _size_cell(number)


def _size_cell(number: float) -> int:
    size = 0
    if number != 0:
        power = LARGEST if math.isinf(number) else math.frexp(abs(number))[1] - 1
        size = min(max(power, SMALLEST), LARGEST) - SMALLEST + 1  # 2^power <= |number| < 2^(power + 1)
    return int(NUMBER_CELLS[_SIZES + (size if number > 0 else -size)])
