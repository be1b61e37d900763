"""Signs by which a column is told: row numbers, codes, lists of values, words among numbers, free text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from hmpb_core.amounts import AMOUNT, SPACED
from hmpb_core.declared import LARGEST_NUMBER, MAX_ATTRIBUTE_SIZE
from hmpb_core.texts import single_text, text_of

MANY_VALUES = 40
MANY_ROWS = 50
"""Rows a column needs before the share of its values that occur once says anything."""
FEWEST_NAMED = 10
"""Rows that it needs where its name says that they are numbered."""
MOSTLY_DISTINCT = 0.5
MANY_MULTIPLES = 20
"""Different values that a column needs before what divides them all says anything."""
OFTEN = 5
"""Rows that each of many values must have on average to be a list; and that each long text must have."""
OF_A_LIST, NAMED = 20, 3
"""Rows a value from which on texts are a list of names, and those that each long one must have then."""
LONG_TEXT = 60
SHORT_TEXT, GRADE = 16, 4
"""Letters of the longest text, and digits of the longest number, that are no sentence of somebody's own."""
FEW_WORDS = 3
"""Most words among numbers that are taken for missing codes."""
YEARS = (1500, 2200)
LONG_NUMBER, ALL_DIFFERENT = 9, 0.98
"""Digits, and share of different values, from which on whole numbers name somebody."""
LONG_CODE = 10
"""Digits from which on whole numbers of equally many are codes: of a person, a firm, a case."""
ROUND = 0.4
"""Part of the values that are fives and tens, a fifth by chance, from which on people rounded."""
ALIKE = 0.6
"""Correlation of each value's rows with the next one's: 20 codes have it once in 1,000 times by chance."""
BY_CHANCE, FEWER = 12, 0.1
"""Pairs of rows that chance makes alike, and the part of them up to which numbers were given out."""
NEIGHBOURS = 50
"""Different numbers among which the density of a column is about the same."""
MANY_NAMES = 1000
LETTERED = re.compile(r"[A-Za-z]{1,4}\d{5,}", re.ASCII)
"""More digits than codes of towns, diseases and occupations have behind their letters."""
_HASHED = re.compile(
    r"(?=.*\d)(?=.*[a-f])([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    re.IGNORECASE | re.ASCII,
)
"""Of MD5, SHA-1 or SHA-256, and a UUID."""
LETTER_CODE = re.compile(r"[A-Z]\d\d(\.?\d{1,3})?[-+*!†]?")
"""A code such as those of ICD-10, and V57 or E888.1 among the numbers of ICD-9."""
SECONDS = (631_152_000, 2_524_608_000)
"""1990 to 2050 in seconds since 1970."""
WHOLE = re.compile(r"[1-9]\d*", re.ASCII)
_OF_FEW_DIGITS = re.compile(r"\d\d?", re.ASCII)
_COUNTED = re.compile(r"(0|[1-9]\d*)(\.0+)?", re.ASCII)
_GIVEN = re.compile(r"\d+(\.0+)?", re.ASCII)
"""A number that somebody was given: 000764 beside 999481 is one, too."""
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+|(\d+(\.\d+)?[eE][-+]|\d+\.\d+[eE])\d{1,3})", re.ASCII)
"""A number; 6.8e-04 and 3.37E7 as programs write very small and very large ones. 6e4 may be a flat."""
MARKED = re.compile(rf"{AMOUNT.pattern}|[-+]?\d+(?:[.,{SPACED}]\d+)+", re.ASCII)
"""A number with a sign of money, marks between its thousands or a decimal comma."""
SLIPS = 0.02
"""Largest part of the rows with a leading zero that nobody meant, or a code of another length."""
CODE = re.compile(r"0\d+", re.ASCII)
"""A number with a leading zero is a code: of a town, a county, an institution."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """The values of a column, each once: whether a field fits them does not depend on how often they occur.

    Attributes:
        counts: How often each text occurs.
        nulls: How often a value is missing without a text.
    """

    counts: Counter[str] = field(repr=False)
    nulls: int = field(repr=False)

    @property
    def has_null(self) -> bool:
        """Whether a value is missing without a text."""
        return self.nulls > 0

    def often(self, code: str) -> int:
        """Give how often a text, or the empty one for what has none, occurs."""
        return self.counts[code] + (0 if code else self.nulls)


def distinct(column: pd.Series) -> Distinct:
    """Give the texts of a column, as the encoder sees them: of numbers of 32 bits the shortest."""
    if column.dtype == object:
        column = column.map(text_of, na_action="ignore")  # True, 1 and 1.0 are one key to pandas
    codes, values = pd.factorize(column, use_na_sentinel=True)
    numbers = np.bincount(codes[codes >= 0], minlength=len(values))
    counts: Counter[str] = Counter()
    written = single_text if column.dtype == np.float32 else text_of
    for value, number in zip(np.asarray(values, dtype=object).tolist(), numbers.tolist(), strict=True):
        counts[written(value)] += number
    return Distinct(counts, nulls=int((codes < 0).sum()))


def is_neither_after_all(
    column: pd.Series, role: str, missing: Sequence[str], *, grades: bool = False
) -> bool:
    """Whether a column with the name of an identifier or of free text holds something else.

    A few values, each often, or, under a name of free text ("address", "IP"), measured numbers, or years from
    0 on, as those at an address.

    Args:
        column: Its values.
        role: What its name says it is: ``identifier`` or ``text``.
        missing: Texts that mean a missing value.
        grades: Whether its name may also mean a grade, as German "Note" does.
    """
    counts = Counter({text: n for text, n in distinct(column).counts.items() if text not in missing})
    short = grades and all(len(text) <= SHORT_TEXT for text in counts)
    numbered = all(len(text) <= GRADE and NUMBER.fullmatch(text) for text in counts)
    most = MANY_VALUES // 2 if short or numbered or role == "identifier" else OFTEN
    if counts.total() < MANY_ROWS:
        return False
    measured = sum("." in text for text in counts) > len(counts) / 2
    if role == "text" and measured and all(NUMBER.fullmatch(text) for text in counts):
        return True
    few_digits = all(map(_OF_FEW_DIGITS.fullmatch, counts))
    if role == "text" and counts["0"] and few_digits and counts.total() >= OFTEN * len(counts):
        return True  # no house has the number 0
    if not 0 < len(counts) <= most:
        return False
    if grades and numbered:
        return True  # 1.3 or 5 is nobody's own words, however rare
    return min(counts.values()) >= OFTEN


def numbers_rows(column: pd.Series, counts: Counter[str], *, named: bool = False) -> bool:
    """Whether whole numbers count the rows, or grow from row to row: of no use, or an identifier.

    Of a few rows ten do, under a name that says so (``Subject``).
    """
    if len(column) < (FEWEST_NAMED if named else MANY_ROWS) or len(counts) != len(column):
        return False
    if not all(text.isascii() and text.isdecimal() for text in counts):
        return False
    numbers = np.array([float(text_of(value)) for value in column])
    if np.isinf(numbers).any() or (YEARS[0] <= numbers.min() and numbers.max() <= YEARS[1]):
        return False
    return bool((np.diff(numbers) > 0).all() or numbers.max() - numbers.min() + 1 == len(numbers))


def number_groups(column: pd.Series, counts: Counter[str]) -> bool:
    """Whether whole numbers tell groups of rows apart: all have as many, or those of each stand together.

    So are people in a panel, each with the rows of some years. Amounts are so too where somebody sorted the
    rows by them.
    """
    if len(counts) <= MANY_VALUES or len(counts) == len(column) or not all(map(_COUNTED.fullmatch, counts)):
        return False
    if len(set(counts.values())) == 1:
        return True
    texts = column.astype(str)
    return int((texts != texts.shift()).sum()) == len(counts)


def name_somebody(counts: Counter[str]) -> bool:
    """Whether a column holds numbers of persons or cases, whatever it is called.

    Over a thousand of a few letters and five digits or more, as ``A000012``; whole numbers of equally
    many digits, nine at least, that are nearly all different; long ones that nearly all begin alike, as those
    of mobile telephones; numbers that were given out; or what programs make of somebody's number, however
    often it occurs: a hash, a UUID.
    """
    if len(counts) > 1 and all(map(_HASHED.fullmatch, counts)):
        return True
    if len(counts) > MANY_NAMES and all(LETTERED.fullmatch(text) for text in counts):
        return True
    if counts.total() < MANY_ROWS:
        return False
    differ = len(counts) >= ALL_DIFFERENT * counts.total()
    return (differ and _digits(counts) >= LONG_NUMBER) or _begin_alike(counts) or _were_given_out(counts)


def _begin_alike(counts: Counter[str]) -> bool:
    """Whether nearly all rows hold whole numbers of as many digits, ten at least, that begin alike."""
    whole = {text.removesuffix(".0"): n for text, n in counts.items()}
    if len(whole) <= MANY_VALUES or not all(map(WHOLE.fullmatch, whole)):
        return False
    if _are_moments(map(int, whole)):
        return False
    beginnings = Counter[tuple[int, str]]()
    for text, n in whole.items():
        beginnings[len(text), text[0]] += n
    (length, _), rows = beginnings.most_common(1)[0]
    return length >= LONG_CODE and rows >= ALIKE_ROWS * counts.total()


ALIKE_ROWS = 0.95
"""The part of the rows whose long numbers must begin alike."""


def name_people(counts: Collection[str]) -> bool:
    """Whether texts are names of people, the surname first: ``Doe, Jane Ann``.

    So are cities with their state, and drugs with their kind; but of these many have the same words on one
    side.
    """
    found = [match for text in counts if (match := _SURNAME_FIRST.fullmatch(text))]
    if len(counts) <= MANY_VALUES or len(found) < ALL_DIFFERENT * len(counts):
        return False
    surnames, others = ({match[side] for match in found} for side in (1, 2))
    return min(len(surnames), len(others)) >= MANY_SIDES * len(found)


_SURNAME_FIRST = re.compile(r"((?=[^\W\d_a-zß-ÿ])[^\d,;:/()]+), ?((?=[^\W\d_a-zß-ÿ])[^\d,;:/()]+)")
MANY_SIDES = 0.3
"""How many different words stand before and behind the comma of names, of as many different names."""


def are_long_codes(counts: Counter[str]) -> bool:
    """Whether whole numbers are so long, and all as long, that none of them is an amount of anything.

    A few rows may hold others: a number that somebody cut, two in one cell. Where they are one digit longer
    or shorter, amounts happen to lie about a power of ten.
    """
    rows = Counter[int]()
    for text, n in counts.items():
        rows[len(text)] += n
    length, most = rows.most_common(1)[0] if rows else (0, 0)
    alike = [text for text in counts if len(text) == length]
    apart = not rows.keys() & {length - 1, length + 1}
    return apart and most >= (1 - SLIPS) * counts.total() and _digits(alike) >= LONG_CODE


def _digits(texts: Collection[str]) -> int:
    """How many digits all of these whole numbers have; 0 where they differ, or may be seconds since 1970."""
    whole = [text.removesuffix(".0") for text in texts]  # so files of types write them where some are missing
    digits = {len(text) if WHOLE.fullmatch(text) else 0 for text in whole}
    return 0 if len(digits) != 1 or 0 in digits or _are_moments(map(int, whole)) else digits.pop()


def _are_moments(numbers: Iterable[int]) -> bool:
    """Whether numbers may be seconds or milliseconds since 1970."""
    ends = list(numbers)
    return any(SECONDS[0] * unit <= min(ends) and max(ends) <= SECONDS[1] * unit for unit in (1, 1000))


def _were_given_out(counts: Counter[str]) -> bool:
    """Whether whole numbers were given to the rows, so that hardly two of them are alike.

    Of what is measured or counted some values are alike by chance, however fine it is: among n values within
    w numbers, n (n - 1) / 2w pairs, and more where the values heap. Numbers that somebody gave out differ
    instead. How many pairs chance would make is told by how near each other the different numbers lie.
    Years and seconds of a series differ as well.
    """
    if len(counts) <= MOSTLY_DISTINCT * counts.total() or not all(map(_GIVEN.fullmatch, counts)):
        return False
    numbers = np.sort([float(text) for text in counts])
    years = YEARS[0] <= numbers[0] and numbers[-1] <= YEARS[1]
    if years or numbers[-1] > LARGEST_NUMBER or _are_moments((int(numbers[0]), int(numbers[-1]))):
        return False
    parts = np.array_split(numbers, max(1, len(numbers) // NEIGHBOURS))
    chance = sum(math.comb(len(part), 2) / (part[-1] - part[0] + 1) for part in parts)
    chance *= (counts.total() / len(counts)) ** 2
    alike = sum(math.comb(rows, 2) for rows in counts.values())
    return bool(chance >= BY_CHANCE and alike <= FEWER * chance)


def are_signs(counts: Counter[str]) -> bool:
    """Whether values are plus signs, as of a test's results: beside them ``-`` is an answer.

    Example:
        >>> are_signs(Counter({"+": 9})), are_signs(Counter({"+": 9, "+++": 2, "+/-": 4}))
        (True, True)
        >>> are_signs(Counter({"A+": 9})), are_signs(Counter())
        (False, False)
    """
    return bool(counts) and all("+" in text and set(text) <= set("+-/") for text in counts)


def have_leading_zeros(counts: Counter[str]) -> bool:
    """Whether numbers are codes by their leading zeros.

    They are not where a few rows of numbers of unlike lengths have some: 05 beside 7 and 12, 00 for 0; of
    many numbers, or where all of these stand without zeros as well.
    """
    padded = [text for text in counts if CODE.fullmatch(text)]
    numbers = [text for text in counts if NUMBER.fullmatch(text) and text not in padded]
    lengths = set(map(len, numbers))
    slips = len(lengths) > 1 and all(len(text) != min(lengths) or not text.strip("0") for text in padded)
    rows = sum(counts[text] for text in padded)
    known = len(numbers) > MANY_VALUES // 2 or all((text.lstrip("0") or "0") in counts for text in padded)
    return bool(padded) and not (slips and rows <= SLIPS * counts.total() and known)


def have_padded_points(counts: Counter[str]) -> bool:
    """Whether numbers with a point are codes, as 01.1 of a classification: all with zeros to one length."""
    found = [_PADDED_POINT.fullmatch(text) for text in counts]
    before = {found_one[1] for found_one in found if found_one}
    padded = any(digits.startswith("0") for digits in before)
    return bool(before) and None not in found and padded and len(set(map(len, before))) == 1


_PADDED_POINT = re.compile(r"(\d{2,3})\.\d{0,3}", re.ASCII)


def have_gaps(counts: Counter[str]) -> bool:
    """Whether numbers, all whole and not too many, are each frequent, and yet with gaps everywhere.

    What is counted or measured so often has no gaps but where people round, to fives and tens.
    """
    values = np.sort([float(text) for text in counts])
    if (
        not 2 < len(values) <= MANY_VALUES
        or np.abs(values).max() > LARGEST_NUMBER
        or (values % 1).any()
        or np.median(list(counts.values())) < 2 * OFTEN
    ):
        return False
    steps = np.diff(values).astype(np.int64)
    leaps = int((steps > np.gcd.reduce(steps)).sum())
    return 3 * leaps > len(steps) and int((values % 5 == 0).sum()) < ROUND * len(values)


def are_codes(counts: Counter[str]) -> bool:
    """Whether numbers that have gaps are codes; scores and squares are as frequent as those beside them."""
    return have_gaps(counts) and not _rise_and_fall([counts[text] for text in sorted(counts, key=float)])


def _rise_and_fall(rows: list[int]) -> bool:
    """Whether many values are about as frequent as those beside them, by rank."""
    if len(rows) <= MANY_VALUES // 2:
        return False
    ranks = np.unique(rows, return_inverse=True)[1]
    before, after = ranks[:-1], ranks[1:]
    return bool(np.ptp(before) and np.ptp(after)) and np.corrcoef(before, after)[0, 1] > ALIKE


def are_terms(counts: Counter[str]) -> bool:
    """Whether numbers are the terms of years, 2019.1 and 2019.2: most numbers between two would be none.

    Example:
        >>> are_terms(Counter({"2018.1": 9, "2018.2": 8, "2019.1": 9})), are_terms(Counter({"2018.5": 9}))
        (True, False)
    """
    often = counts.total() >= OFTEN * len(counts)
    return often and all(map(_TERM.fullmatch, counts)) and {"1", "2"} <= {text[-1] for text in counts}


_TERM = re.compile(r"(19|20)\d\d\.[1-4]", re.ASCII)
"""A year and one of its terms, at most four."""


def is_listed(counts: Counter[str], table_rows: int) -> bool:
    """Whether values may be listed as categories: not too many, and not mostly of one row each.

    Args:
        counts: Rows of each value that is not missing.
        table_rows: Rows of the table, those without a value included; of a few rows all may be listed,
            unless ten or more have each a value of its own.
    """
    if not counts or len(counts) >= MAX_ATTRIBUTE_SIZE:
        return False
    least = NAMED if counts.total() >= OF_A_LIST * len(counts) else OFTEN
    if any(rows < least for text, rows in counts.items() if len(text) > LONG_TEXT):
        return False  # an answer to choose is long and frequent; what somebody wrote is long and rare
    many = len(counts) > MANY_VALUES
    if table_rows < MANY_ROWS and not many:
        return not len(counts) == counts.total() >= FEWEST_NAMED
    if not many and all(len(text) <= GRADE for text in counts):
        return len(counts) <= MOSTLY_DISTINCT * max(MANY_ROWS, counts.total())
    once = sum(rows == 1 for rows in counts.values())
    often = counts.total() * (1 / OFTEN if many else MOSTLY_DISTINCT)
    return len(counts) <= often and once <= MOSTLY_DISTINCT * len(counts)


def is_text(counts: Counter[str]) -> bool:
    """Whether a column that is no list holds text rather than identifiers: there is a blank in it."""
    return any(" " in text for text in counts)
