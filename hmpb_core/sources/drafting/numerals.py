"""How a file writes numbers: decimals, what a computer made of them, needless zeros. Read off the rows."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from hmpb_core.codebook_fields import SHORTEST
from hmpb_core.sources.drafting.signs import MANY_MULTIPLES

MOST_GUESSED_DECIMALS = 6
"""Decimals beyond which numbers were computed, not written down."""
USUAL_DECIMALS = 4
"""Decimals that numbers which were written down hardly ever exceed."""
USUAL = 0.95
"""Share of the rows whose numbers say how fine all of them are."""
MULTIPLES = (1000, 100, 10, 5)
FINE_MULTIPLES = (50, 25, 20, 10, 5, 2)
"""What may divide numbers with decimals, in units of their last decimal: halves, quarters, fifths."""
_POWERED = re.compile(r"[-+]?\d+((\.\d+)?[eE][-+]|\.\d+[eE])\d{1,2}", re.ASCII)
NAMED_ROWS, USUAL_NAMED, MOST_NAMED = 5, 0.98, 1000
"""Rows of each number of a list of those that occur, the part of the rows, beside those of the commonest one,
that must have one of them, and the most numbers that are listed."""
ROWS_OF_VALUE, FEW_OF_GRID = 20, 8
"""Rows that each of them has on average, and how many times as many numbers the grid has at least."""
LOOKED_AT = 1000
"""Numbers of which each may tell that all are of 32 bits."""
_NOISY, _SMALLEST, _LARGEST = 11, 1e-3, 1e9
"""Letters of a number from which on its last digits may be a computer's, and the sizes looked at."""
_DECIMALS = re.compile(r"[-+]?(?=\.?\d)\d*\.?(\d*)", re.ASCII)


def has_points(counts: Counter[str]) -> bool:
    """Whether a file writes most of its whole numbers with a decimal point: 1.0, not 1."""
    return 2 * sum(rows for text, rows in counts.items() if "." in text) > counts.total()


def decimals_of(counts: Counter[str]) -> dict[str, int]:
    """The decimals that nearly all numbers have at most; nothing where one is written otherwise.

    A few finer numbers (an infant's age among ages in years) do not make all others fine: they are rounded.
    How many rows have the commonest of many numbers, as a zero, says nothing of the others; but where it has
    more decimals than they, and is no rarity, all have as many: 24.7 among whole numbers.

    Args:
        counts: How often each text occurs.
    """
    rows: Counter[int] = Counter()
    least = 0
    common = counts.most_common(1)[0][0] if len(counts) > MANY_MULTIPLES else None
    for original, number in counts.items():
        found = _DECIMALS.fullmatch(text := without_noise(original))
        if found is None:
            return {}
        digits = len(found.group(1).rstrip("0")) if whole_decimals(text) else len(found.group(1))
        rows[digits] += 1 if original == common else number
        if original == common and digits <= MOST_GUESSED_DECIMALS and number > (1 - USUAL) * counts.total():
            least = digits
    below = 0
    for digits in sorted(rows):
        below += rows[digits]
        if below >= USUAL * rows.total():
            return {"decimals": max(digits, least)} if digits <= MOST_GUESSED_DECIMALS else {}
    return {}


def precision_of(counts: Counter[str]) -> dict[str, str]:
    """Whether numbers are of 32 bits, written as 64 bits hold them: 6.199999809265137 for 6.2; else nothing.

    Example:
        >>> precision_of(Counter({"6.199999809265137": 2, "6.5": 1, "0.8600000143051147": 4}))
        {'precision': 'single'}
        >>> precision_of(Counter({"6.19999980926514": 2, "6.5": 1})), precision_of(Counter({"6.2": 1}))
        ({'precision': 'single, 15 digits'}, {})
    """
    numbers = [text for text in counts if _DECIMALS.fullmatch(text) and "." in text]
    narrow = _are_narrow(np.array(numbers, dtype=float))
    if np.count_nonzero(narrow) < USUAL * len(numbers):
        return {}
    held = (text for text, told in zip(numbers, narrow.tolist(), strict=True) if told and len(text) >= _NOISY)
    noisy = [text for text in itertools.islice(held, LOOKED_AT) if without_noise(text) != text]
    if not noisy:
        return {}
    exact = sum(float(np.float32(text)) == float(text) for text in noisy)
    return {"precision": "single" if 2 * exact > len(noisy) else "single, 15 digits"}


def _are_narrow(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether 32 bits hold each number, as far as 15 digits tell."""
    with np.errstate(over="ignore"):
        held = numbers.astype(np.float32).astype(np.float64)
    narrow: NDArray[np.bool_] = np.abs(held - numbers) <= 1e-14 * np.abs(numbers)
    return narrow


def without_noise(text: str) -> str:
    """Give a number of many digits as it was before a computer kept it in 64 or 32 bits.

    Example:
        >>> [without_noise(text) for text in ("6.904679999999999", "0.5199999809265137", "40.71958611647166")]
        ['6.90468', '0.52', '40.71958611647166']
        >>> without_noise("2.5e-04"), without_noise("4473242.000")
        ('0.00025', '4473242.0')
    """
    if _POWERED.fullmatch(text):
        text = format(Decimal(text), "f")
    if len(text) < _NOISY or not _DECIMALS.fullmatch(text) or "." not in text:
        return text
    number = float(text)
    if not number or not _SMALLEST <= abs(number) <= _LARGEST:
        return text
    narrow = np.float32(number)
    if abs(float(narrow) - number) <= 1e-14 * abs(number):
        return np.format_float_positional(narrow, trim="0")
    for digits in (14, 12, 10):
        short = f"{number:.{digits}g}"
        if sum(letter.isdigit() for letter in short.lstrip("-0.")) <= digits - 3:
            return short
    return text


def whole_decimals(text: str) -> bool:
    """Whether a number is whole but written with decimals, such as 22.0."""
    return not text.partition(".")[2].strip("0")


def numbers_written(counts: Counter[str]) -> dict[str, str | int]:
    """How a file writes numbers with decimals: always so many (7.50), no needless ones (7.5, 3), or 3.0.

    Stata and SAS leave the zero before the point away: ``.5``, and ``.50`` where all have two decimals.

    Of the whole numbers most decide, each counted once: -200 among 12.0 and 13.0 is a missing code. So does a
    0 of more rows than all with a point: 0 beside 907.60, and few beside 12.00.

    Args:
        counts: Rows of each of the column's numbers.
    """
    found = [match.group(0) for text in counts if (match := _DECIMALS.fullmatch(text))]
    digits = {len(text.partition(".")[2]) for text in found}
    small = [text.lstrip("+-") for text in found if abs(float(text)) < 1 and "." in text]
    bare = bool(small) and all(text.startswith(".") for text in small)
    if len(digits) == 1 and 1 < min(digits) <= MOST_GUESSED_DECIMALS:
        return {"written": ".5".ljust(min(digits) + 1, "0") if bare else min(digits)}
    if bare:
        return {"written": ".5"}
    whole = [text for text in found if whole_decimals(text)]
    pointed = [text for text in whole if "." in text]
    plain = len(whole) - len(pointed)
    mostly = plain >= len(pointed) or counts["0"] > sum(counts[text] for text in pointed)
    return {"written": SHORTEST} if plain and mostly else {}


def always_decimals(counts: Counter[str]) -> dict[str, int]:
    """How many decimals all whole numbers of a file have, where that is more than one: 3.00; else nothing.

    Example:
        >>> always_decimals(Counter(["32458.00", "12078.00"])), always_decimals(Counter(["3.0", "4.0"]))
        ({'written': 2}, {})
    """
    written = numbers_written(counts).get("written")
    return {"written": written} if isinstance(written, int) else {}


def step_of(numbers: Sequence[float], decimals: int) -> float | None:
    """What divides all of many numbers with decimals, where that is more than one of the last decimal.

    Args:
        numbers: The column's different numbers.
        decimals: The decimals that it has.

    Example:
        >>> step_of([half / 2 for half in range(41)], 1), step_of([tenth / 10 for tenth in range(41)], 1)
        (0.5, None)
    """
    if len(numbers) < MANY_MULTIPLES or not decimals:
        return None
    last = [number * 10**decimals for number in numbers]
    if any(abs(number - round(number)) > 1e-6 * max(1.0, abs(number)) for number in last):
        return None
    found = (step for step in FINE_MULTIPLES if all(round(number) % step == 0 for number in last))
    step = next(found, None)
    return None if step is None else round(step / 10**decimals, decimals)


def values_of(numbers: NDArray[np.float64], rows: NDArray[np.int64], *, positions: float) -> list[float]:
    """The values of a column in which few numbers come again and again: rates, prices, means of answers.

    Noise would spread them over their grid, where they are few among many. Those that few rows have are not
    named: they count as the nearest one. Beyond the others the list goes on to them in its usual steps.

    Args:
        numbers: The column's numbers.
        rows: Rows of each of them.
        positions: Numbers that its grid has between the bounds.

    Returns:
        The values, ascending; none where all of the grid's may occur.

    Example:
        >>> values_of(np.array([5.31, 5.32, 6.0]), np.array([40, 30, 50]), positions=100)
        [5.31, 5.32, 6.0]
        >>> values_of(np.array([5.31, 5.32, 6.0]), np.array([40, 30, 50]), positions=20)
        []
    """
    values, of = np.unique(numbers + 0.0, return_inverse=True)
    often = np.bincount(of, rows)
    held = often >= NAMED_ROWS
    beside = often.sum() - often.max()  # zeros of nearly all rows say nothing of the others
    if held.sum() < 2 or often[held].sum() - often.max() < USUAL_NAMED * beside:
        return []
    named = values[held]
    step = float(np.median(np.diff(named)))
    tails = (values[-1] - named[-1]) / step, (named[0] - values[0]) / step
    if named.size + sum(tails) > min(MOST_NAMED, rows.sum() / ROWS_OF_VALUE, positions / FEW_OF_GRID):
        return []
    digits = 0 if (named % 1 == 0).all() else min(MOST_GUESSED_DECIMALS, 3 - math.floor(math.log10(step)))
    computed = not np.array_equal(np.round(named, digits), named)
    if computed and not np.allclose(np.round((named - named[0]) / step), (named - named[0]) / step):
        return [float(value) for value in named]  # thirds beside fifths: steps beyond them are neither
    above, below = (step * np.arange(1, math.floor(steps + 1e-6) + 1) for steps in tails)
    beyond = np.concatenate([named[0] - below, named[-1] + above])
    found: list[float] = np.union1d(named, beyond if computed else np.round(beyond, digits)).tolist()
    return found


def multiple_of(numbers: Sequence[float]) -> int:
    """The largest of 1000, 100, 10 and 5 that divides all of many whole numbers; else 1."""
    if len(numbers) < MANY_MULTIPLES:
        return 1
    return next((step for step in MULTIPLES if all(number % step == 0 for number in numbers)), 1)
