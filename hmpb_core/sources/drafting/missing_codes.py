"""What among a column's values means a missing one: words beside numbers or dates, codes such as -9."""

from __future__ import annotations

import itertools
import re
from collections import Counter

from hmpb_core.sources.drafting.signs import (
    FEW_WORDS,
    LETTER_CODE,
    MANY_VALUES,
    MARKED,
    NUMBER,
    OFTEN,
    are_codes,
    have_leading_zeros,
)


def words_among_numbers(counts: Counter[str]) -> list[str]:
    """Give the few words of a column that holds many different numbers beside them.

    What is a number in another way of writing, 1,400 beside 900, is none of them, nor is a code, V57, nor
    what stands beside sections of a law, 17.1.2. What has digits and is of fewer than five rows is a misprint
    or somebody's own number (0656O, 12:60), and not named.
    """
    words = [text for text in counts if not NUMBER.fullmatch(text) and not MARKED.fullmatch(text)]
    few = 0 < len(words) <= FEW_WORDS and len(counts) - len(words) > MANY_VALUES // 2
    few = few and not any(map(LETTER_CODE.fullmatch, words)) and not any(map(_SECTION.fullmatch, counts))
    few = few and not have_leading_zeros(counts) and not any(map(_COUNTS.search, words))
    named = (text for text in words if counts[text] >= OFTEN or not any(map(str.isdecimal, text)))
    return sorted(named) if few else []


def words_among_dates(counts: Counter[str]) -> list[str]:
    """Give the few frequent words of a column of which many values may be dates, by their two marks.

    Those of fewer than five rows are strays, as misprints are.
    """
    words = [text for text in counts if not any(map(str.isdecimal, text))]
    named = sorted(text for text in words if counts[text] >= OFTEN)
    dates = sum(bool(_MARKED_TWICE.search(text)) for text in counts)
    few = 0 < len(named) <= FEW_WORDS and len(counts) - len(words) > MANY_VALUES // 2
    return named if few and 2 * dates > len(counts) else []


_SECTION = re.compile(r"\d+(?:\.\d{1,2}){2,}", re.ASCII)
"""A section of a law or a book, 11.6.1: no number with marks between its thousands."""
_MARKED_TWICE = re.compile(r"\d[-/.: ]\w+[-/.: ]\d", re.ASCII)
_COUNTS = re.compile(r"(?![\x00-\x7f])[\W\d_]|[¼-¾⅐-⅞一二三四五六七八九十百千万]")
"""What beside ASCII may be part of a number: ½, a hard blank, − or a numeral."""


def codes_among_numbers(counts: Counter[str]) -> list[str]:
    """Give the few usual codes such as -9 or 99 that lie apart from many different numbers.

    Below numbers of which none is negative, by more than one or as much as they span, as -1 is below parts of
    1; or above them by as much as they go up to.
    """
    numbers = {text: float(text) for text in counts if NUMBER.fullmatch(text)}
    if len(numbers) < len(counts) or are_codes(counts):
        return []
    low = {text for text in numbers if _BELOW_ALL.fullmatch(text)}
    high = _codes_above(numbers) or _crowded_nines(counts, numbers)
    rest = [number for text, number in numbers.items() if text not in low]
    gap = min(rest, default=0) - max((numbers[text] for text in low), default=0)
    if not rest or min(rest) < 0 or gap < min(2, max(rest) - min(rest)):
        low = set()
    found = sorted(low | high)
    apart = len(found) <= FEW_WORDS and len(counts) - len(found) > MANY_VALUES // 2
    plain = {text for text in low if _PLAIN.fullmatch(text) and -numbers[text] >= FAR * max(rest)}
    return found if apart and all(counts[text] >= OFTEN for text in found if text not in plain) else []


_PLAIN, FAR = re.compile(r"-9{3,}(\.0+)?", re.ASCII), 10
"""Codes of which one row is enough, and how many times as far from 0 as the largest number they then lie."""
_BELOW_ALL = re.compile(r"-(([1-9])\2*|99[78])(\.0+)?", re.ASCII)
_ABOVE_ALL = re.compile(r"(([789])\2{1,3}|9{1,3}[78]|9{6,9}|9{5,8}[78])(\.0+)?", re.ASCII)
"""Not 99999, which is as often the most that a form takes."""


def _codes_above(numbers: dict[str, float]) -> set[str]:
    """The largest numbers, as many as are codes and lie apart from all others.

    At twice of these at least; long ones at five times, since 9999999 may be the most of a form as well.
    """
    falling = sorted(numbers, key=lambda text: -numbers[text])
    top = list(itertools.takewhile(_ABOVE_ALL.fullmatch, falling))
    for few in range(min(len(top), len(falling) - 1), 0, -1):
        least, rest = numbers[top[few - 1]], numbers[falling[few]]
        if least >= (2 if least < _LONG else 5) * rest:
            return set(top[:few])
    return set()


_LONG = 10_000


def _crowded_nines(counts: Counter[str], numbers: dict[str, float]) -> set[str]:
    """The largest number, if it is one of nines that many rows have, and hardly any row one close below it.

    99 among ages up to 95, 9999 among hours worked. Prices end in nines, too.
    """
    top = max(numbers, key=lambda text: numbers[text], default="")
    if not _NINES.fullmatch(top):
        return set()
    part = top.partition(".")[2].rstrip("0")
    if part and any(text != top and text.partition(".")[2].rstrip("0") == part for text in numbers):
        return set()
    close = sum(counts[text] for text, number in numbers.items() if CLOSE <= number / numbers[top] < 1)
    crowded = counts[top] >= max(CROWDED * counts.total(), CROWD * close)
    return {top} if crowded else set()


_NINES = re.compile(r"(99|999|9999)(\.0+)?|(99\.9|99\.99|999\.9)0*", re.ASCII)
CLOSE, CROWDED, CROWD = 0.9, 0.01, 10
"""From which part of the code on a number is close to it, the part of the rows that the code must have, and
how many times as many as all close ones."""
