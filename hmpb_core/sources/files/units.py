"""Units and signs of money beside numbers in texts: 45.7 kg, CHF 12.50, 3,2 TL/m²."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache

from hmpb_core.amounts import CURRENCIES, MONEY, SAME_UNITS, SPACED, TYPOGRAPHIC, UNIT_WORD

POWER = r"(?:[eE][-+]?\d{1,3})?"
"""What programs write behind the decimals of very small and very large numbers: 1,12e-05."""
MANY, NEARLY_ALL = 40, 0.9
"""Different numbers that a column needs before a unit or a minus of its own may tell how they are written (a
few are a list as they stand), and the part of its values that must be such numbers."""
FEW_WORDS = 3
"""Words that may stand for missing values beside numbers."""
_SLIPS = 0.02
"""The part of the rows of numbers that may hold more words than these."""
_NUMBER = rf"\d(?:[\d.,{SPACED}]*\d)?{POWER}"
_WITH_UNIT = re.compile(
    rf"[-+{TYPOGRAPHIC}]?(?:[{MONEY}][{SPACED}]?)?{_NUMBER}[{SPACED}]{{0,2}}"
    rf"(?![{MONEY}](?:$|[{SPACED}]))({UNIT_WORD}(?:[{SPACED}]{UNIT_WORD})?)"
)
"""A number and its unit, of one word or two, as millions of money have; a sign of money alone is none."""
_ANY_CURRENCY = "|".join(sorted(map(re.escape, CURRENCIES), key=len, reverse=True))
_WITH_CURRENCY = re.compile(rf"[-+{TYPOGRAPHIC}]?({_ANY_CURRENCY})[{SPACED}]?[-+{TYPOGRAPHIC}]?({_NUMBER})")
_CODED = re.compile(r"0\d")
"""How a number behind letters begins that is a code: CHF 0012."""
_SEVERAL_NUMBERS = re.compile(r"\d\s*[^\W\d_]+\.?[\s,]*\d")
"""2 h 30 min is a length of time, which is read otherwise."""
_ALIKE = {word: words for words in SAME_UNITS for word in words}


@lru_cache(maxsize=64)
def amount_pattern(signs: tuple[str, ...]) -> re.Pattern[str]:
    """Give the pattern of a sign, a sign of money or a unit, a number, and one or two other such signs.

    Args:
        signs: The signs of money and the units.
    """
    sign = "|".join(map(re.escape, sorted(signs, key=len, reverse=True))) or "(?!)"
    return re.compile(
        rf"([-+]?)(?:({sign})[{SPACED}]?)?([-+]?\d(?:[\d.,{SPACED}]*\d)?)"
        rf"(?:[{SPACED}]{{0,2}}({sign})(?:[{SPACED}]({sign}))?)?"
    )


AMOUNT = amount_pattern(tuple(MONEY))
"""A number with a sign of money or without."""


def is_amount(text: str) -> bool:
    """Say whether a text is a number, with a sign of money or a unit or without.

    Args:
        text: The text.
    """
    return bool(AMOUNT.fullmatch(text) or _WITH_UNIT.fullmatch(text))


def units_of(columns: Sequence[Collection[str]]) -> tuple[str, ...]:
    """Give the units and names of money that stand beside nearly all of many different numbers of a column.

    Not those that other columns have behind numbers too, among texts (5 mg of a drug; a row that slipped is
    none), and none of a column with more than a few words beside its numbers, which stays a list: 1598 cc
    beside 1401 - 1600 cm3.

    Args:
        columns: The texts of each column, the empty ones too.
    """
    units: dict[str, None] = {}
    elsewhere: set[str] = set()
    for column in columns:
        values = Counter(value for value in column if value)
        behind = {value: " ".join(m[1].split()) for value in values if (m := _WITH_UNIT.fullmatch(value))}
        found = _money_before(values) + Counter(behind.values())
        words = {unit: _ALIKE.get(unit, (unit,)) for unit in found}
        often = {unit: sum(found[word] for word in words[unit]) for unit in found}
        unit = max(found, key=lambda word: (often[word], found[word]), default="")
        alone = unit not in _ALIKE or not any(_SEVERAL_NUMBERS.search(value) for value in values)
        if (
            unit
            and often[unit] >= NEARLY_ALL * len(values)
            and alone
            and _few_words(values, {value for value, word in behind.items() if word in words[unit]})
        ):
            for word in words[unit]:
                if found.pop(word, 0) and often[unit] > MANY:
                    units |= dict.fromkeys(word.split())
        rows = Counter[str]()
        for value, word in behind.items():
            rows[word] += values[value]
        slips = _SLIPS * values.total()
        elsewhere.update(word for unit in found if not 0 < rows[unit] <= slips for word in unit.split())
    return tuple(unit for unit in units if unit not in elsewhere and unit not in MONEY)


def _few_words(values: Counter[str], numbers: Collection[str]) -> bool:
    """Whether a column has no more texts among these numbers, and plain ones, than can be missing codes."""
    words = [
        value
        for value in values
        if not (value in numbers or AMOUNT.fullmatch(value) or _WITH_CURRENCY.fullmatch(value))
    ]
    return len(words) <= FEW_WORDS or sum(values[word] for word in words) <= _SLIPS * values.total()


def _money_before(values: Collection[str]) -> Counter[str]:
    """Count the names of money before numbers.

    Letters before whole numbers may be a code, RM101: some of the numbers must have a mark, and none a zero
    in front.
    """
    found: dict[str, list[str]] = {}
    for value in values:
        if match := _WITH_CURRENCY.fullmatch(value):
            found.setdefault(match[1], []).append(match[2])
    return Counter(
        {
            name: len(numbers)
            for name, numbers in found.items()
            if name[-1] in MONEY or not (all(map(str.isdecimal, numbers)) or any(map(_CODED.match, numbers)))
        }
    )
