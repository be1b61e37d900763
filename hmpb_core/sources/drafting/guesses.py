"""Guesses from the rows: marked as such for ever, and never one that does not fit its own column."""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.codebook_fields import LEARNED, MOST_DECIMALS, SHORTEST
from hmpb_core.dates import CENTURY
from hmpb_core.declared import LARGEST_NUMBER
from hmpb_core.encoding import encode
from hmpb_core.errors import InputError
from hmpb_core.grid import default_step
from hmpb_core.provenance import Origin, Provenance
from hmpb_core.sources.drafting.calendar_words import calendar_list
from hmpb_core.sources.drafting.date_forms import NUMBERED
from hmpb_core.sources.drafting.labels import label_every
from hmpb_core.sources.drafting.missing_codes import (
    codes_among_numbers,
    words_among_dates,
    words_among_numbers,
)
from hmpb_core.sources.drafting.never_published import may_be_an_id
from hmpb_core.sources.drafting.numerals import (
    MOST_GUESSED_DECIMALS,
    always_decimals,
    decimals_of,
    has_points,
    multiple_of,
    numbers_written,
    precision_of,
    step_of,
    values_of,
    without_noise,
)
from hmpb_core.sources.drafting.ordering import in_order
from hmpb_core.sources.drafting.place_codes import OTHER, are_place_codes, place_code_fields
from hmpb_core.sources.drafting.signs import (
    LONG_TEXT,
    MANY_VALUES,
    NUMBER,
    OFTEN,
    Distinct,
    are_codes,
    are_long_codes,
    are_signs,
    are_terms,
    distinct,
    have_gaps,
    have_leading_zeros,
    have_padded_points,
    is_listed,
    is_text,
    name_people,
    name_somebody,
    number_groups,
    numbers_rows,
)
from hmpb_core.sources.drafting.spelling import truths_of
from hmpb_core.sources.drafting.strays import STRAYS, numbers_as_dates, without_absurd, without_strays
from hmpb_core.sources.drafting.writings import clock_numbers, dates_of, in_usual_minutes
from hmpb_core.texts import plain_number, text_of

_MARKS = (
    "? NA N/A n/a n.a. N.A. NaN nan NaT null NULL (null) None "
    "- – — ― − － ‐ ー . .. ... … : \\N <NA> н/д Н/Д н.д."
)
_FAILED = "#N/A #NULL! #VALUE! #DIV/0! #REF! #NUM! #NAME? #NULO #NULO# #NE #NE#"
_NO_ANSWERS = ("##N/A##", "-999999999", "-999999999.0")
"""What Survey Solutions exports for what was asked and not told: never an answer of a list."""
_TAGGED = tuple(f".{letter}" for letter in (*string.ascii_lowercase, *string.ascii_uppercase, "_"))
"""The missing values of Stata and SAS that have a letter: .a to .z, .A to .Z and ._"""
USUAL_MISSING = ("", *_MARKS.split(), *_FAILED.split(), *_NO_ANSWERS, *_TAGGED)
"""What spreadsheets, statistics programs and statistics offices (.. and :) write for a missing value."""
SMALL = 0.1
"""The part of a column's different numbers whose size its grid may lose."""
FROM_MEASURED = 100
"""The middle one of a few whole numbers from which on they were measured, and are no codes of answers."""
FEW_CODES = 8
"""Whole numbers of at most so many different values are taken for codes."""
_GUESS = Provenance(origin=Origin.GUESS).to_dict()


def guessed_missing(frame: pd.DataFrame) -> tuple[str, ...]:
    """Give the usual texts for missing values that occur in a table, and the empty one: the commonest first.

    The first is what the csv files hold that leave.
    """
    found: Counter[str] = Counter()
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if column.dtype == object or pd.api.types.is_string_dtype(column.dtype):
            for text, rows in column.value_counts(sort=False).items():
                if isinstance(text, str) and (mark := text.strip()) in _MISSING:
                    found[mark] += int(rows)
        found[""] += int(column.isna().sum())
    usual = [text for text in USUAL_MISSING if text == "" or text in found]
    return _commonest_first(usual, found.__getitem__)


def _commonest_first(codes: Iterable[str], often: Callable[[str], int]) -> tuple[str, ...]:
    return tuple(sorted(codes, key=lambda code: -often(code)))


def _code(missing: Any) -> str:
    """The text of a missing code, which may have a label."""
    return text_of(missing["value"] if isinstance(missing, dict) else missing)


_MISSING = frozenset(USUAL_MISSING)
_PROGRAMS_SAY = frozenset({"NaN", "nan", "NaT", "null", "NULL", "(null)", "\\N", "<NA>"})
"""What nobody answers."""
_WAYS_TO_SAY_NOTHING = frozenset({"NA", "N/A", "n/a", "#N/A"})


def guess(
    name: str, column: pd.Series, missing: Sequence[str], kept: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Guess a field from its column; one that can be neither listed nor bounded is not published.

    Args:
        name: The column's name.
        column: Its values.
        missing: Texts that mean a missing value.
        kept: Parts of the field that are known, such as its title.
    """
    entry = {"name": name, **(kept or {})}
    own = kept.get("missingValues") if kept else None
    absent = set(map(_code, own)) if own else set(missing)
    values = distinct(column)
    counts = Counter({text: n for text, n in values.counts.items() if text not in absent})
    n_rows = counts.total()
    counts = without_absurd(counts)
    full = n_rows == len(column)
    named = may_be_an_id(name)
    counted = (full and numbers_rows(column, counts, named=named)) or name_somebody(counts)
    counted = counted or (full and named and number_groups(column, counts))
    numbered = counted and not dates_of(sorted(counts), {})
    constraints: dict[str, Any] = {"required": True} if full else {}
    labelled = label_every(entry.get("labels"), counts)
    of_places = not labelled and are_place_codes(name, counts)
    dated = [word for word in words_among_dates(counts) if word != name]  # names repeated in a row are none
    words = [] if of_places else words_among_numbers(counts) or dated  # K1A 0B1 is a place
    if not own and not labelled and (words := words or codes_among_numbers(counts)):
        told = {"missingValues": list(_commonest_first(dict.fromkeys([*missing, *words]), values.often))}
        folded = guess(name, column, missing, {**(kept or {}), **told})
        if folded.get("publish") is not False and (words != dated or "bins" in folded):
            return folded
    empty = values.has_null or bool(values.counts[""])
    marks = {text for text in missing if text and values.counts[text]}
    box = set(values.counts) - {""} == {"None"}
    said_by_r = {"NA"} if missing[0] == "NA" else set()  # most columns write it: in none is it an answer
    if (
        not own
        and empty
        and marks - {*_NO_ANSWERS, *_PROGRAMS_SAY, *said_by_r}
        and (box or _are_words(counts, len(column)))
    ):
        # None beside empty cells is an answer of its own; among numbers and dates it stays a missing one
        codes = ["", *(code for code in (*_NO_ANSWERS, *sorted(_PROGRAMS_SAY)) if code in marks)]
        return guess(name, column, missing, {**(kept or {}), "missingValues": codes})
    signs = values.counts["-"] and are_signs(counts)
    # R writes no None, and what has other codes, or more empty cells, knows another way to say nothing
    others = not _WAYS_TO_SAY_NOTHING.isdisjoint(missing)
    otherwise = others or tuple(missing).index("") < [*missing, "None"].index("None")
    none = otherwise and "None" in missing and values.counts["None"] and _are_words(counts, len(column))
    if not own and (signs or none):
        codes = [code for code in missing if code != ("-" if signs else "None")]
        return guess(name, column, missing, {**(kept or {}), "missingValues": codes})
    if not own:
        entry |= own_missing(values, missing)
    elif len(own) == 2:  # one code and the empty cell; of several none is written, whichever is commonest
        entry["missingValues"] = sorted(own, key=lambda code: -values.often(_code(code)))
    if labelled:
        readings: Iterable[dict[str, Any]] = [labelled | ({"constraints": constraints} if full else {})]
    elif of_places:
        readings = place_code_fields(name, counts, len(column), constraints)
    elif clock := clock_numbers(name, counts, constraints):
        readings = clock
    else:
        readings = () if numbered else _readings(counts, len(column), constraints)
    for found in readings:
        candidate = entry | found | {"source": _GUESS, "declared": False}
        if _plainly_fits(candidate, counts) or fits(values, candidate, missing):
            return candidate
    role = "text" if n_rows and is_text(counts) else "identifier" if n_rows else ""
    return entry | {"type": "string", **({"role": role} if role else {}), "publish": False, "source": _GUESS}


def _are_words(counts: Counter[str], table_rows: int) -> bool:
    """Whether values are a list of texts, and no numbers or dates."""
    return next(iter(_candidates(counts, table_rows, {})), {}).get("type") == "string"


def own_missing(values: Distinct, missing: Sequence[str]) -> dict[str, list[str]]:
    """The missing codes of a column that writes another one than most other columns do; else nothing.

    A synthetic row writes the first of them.

    Args:
        values: The column's values.
        missing: The table's missing codes, the commonest first.
    """
    codes = _commonest_first(missing, values.often)
    if values.has_null or values.counts[codes[0]] <= values.counts[missing[0]]:
        return {}
    return {"missingValues": list(codes)}


def fits(values: Distinct, entry: Mapping[str, Any], missing: Sequence[str]) -> bool:
    """Whether a field can be used and the column of these values fits it."""
    texts = [*values.counts, *([None] if values.has_null else [])]
    try:
        book = Codebook.from_dict({"fields": [dict(entry)], "missingValues": list(missing)})
        encode(pd.DataFrame({entry["name"]: pd.Series(texts, dtype=object)}), book)
    except InputError:
        return False
    return True


def _plainly_fits(entry: Mapping[str, Any], counts: Counter[str]) -> bool:
    """Whether a guess fits at sight, which spares thousands of columns the encoder."""
    if not entry["name"].strip():
        return False
    if "categories" in entry:
        listed = {text_of(category) for category in entry["categories"]}
        numbers = entry["type"] in ("integer", "number")
        return all(text in listed or (numbers and plain_number(text) in listed) for text in counts)
    plain = entry["type"] in ("integer", "number") and all(NUMBER.fullmatch(text) for text in counts)
    bounds = entry.get("constraints", {})
    return plain and -LARGEST_NUMBER <= bounds["minimum"] < bounds["maximum"] <= LARGEST_NUMBER


def _readings(counts: Counter[str], table_rows: int, constraints: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give what a column may hold, the likeliest first: a few misprints make no list of dates."""
    for kept in numbers_as_dates(counts):
        yield from (entry | {"unknown": ""} for entry in _candidates(kept, table_rows, {})[:1])
    found = _candidates(counts, table_rows, constraints)
    lists = [e for e in found if len(e.get("categories", ())) > MANY_VALUES and e["type"] != "number"]
    yield from (entry for entry in found if entry not in lists)
    for kept in without_strays(counts):
        some = _candidates(kept, table_rows, {})
        yield from (entry | {"unknown": ""} for entry in some if "bins" in entry)
    yield from lists
    yield from _common_texts(counts, table_rows, constraints)


def _common_texts(
    counts: Counter[str], table_rows: int, constraints: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Give the list of what nearly all rows hold, where only long texts of few rows keep it from being one.

    Kinds of accidents have names of a line each. What is rare among such may be somebody's own words, and no
    codebook holds it, whatever its length.
    """
    kept = Counter({text: n for text, n in counts.items() if n >= OFTEN})
    few = 0 < counts.total() - kept.total() <= STRAYS * counts.total()
    long = any(len(text) > LONG_TEXT for text in counts.keys() - kept.keys())
    if few and long and len(kept) >= _COMMON and is_listed(kept, table_rows):
        categories = [*sorted(kept), OTHER]
        extra = {"constraints": dict(constraints)} if constraints else {}
        yield {
            "type": "string",
            "categories": categories,
            "categoriesOrdered": False,
            "unknown": OTHER,
            **extra,
        }


_COMMON = 3
"""Texts that a list needs at least beside what is rare."""


def _candidates(counts: Counter[str], table_rows: int, constraints: dict[str, Any]) -> list[dict[str, Any]]:
    texts = sorted(counts)
    extra = {"constraints": constraints} if constraints else {}
    found: list[dict[str, Any]] = []
    if (truths := truths_of(counts)) is not None:
        return [{"type": "boolean", **truths, **extra}]
    coded = have_leading_zeros(counts) or are_long_codes(counts)
    coded = coded or (have_padded_points(counts) and is_listed(counts, table_rows))
    numbers = np.full(len(texts), math.nan) if coded else _numbers(texts)
    numeric = bool(texts) and bool(np.isfinite(numbers).all())
    whole = numeric and bool((numbers % 1 == 0).all()) and float(abs(numbers).max()) <= LARGEST_NUMBER
    pointed = has_points(counts)
    always = always_decimals(counts) if whole and pointed else {}
    distinct = len(np.unique(numbers)) if numeric else len(texts)
    moments = [in_usual_minutes(entry, counts) for entry in dates_of(texts, constraints)]
    form = CENTURY.sub("%y", moments[0].get("format", "")) if moments else ""
    if whole and moments and len(texts) >= NUMBERED.get(form, len(texts) + 1):
        found.append(moments.pop(0))
    listed = numeric and not whole and are_terms(counts)
    many = distinct > MANY_VALUES // 2 and not listed
    alone = numeric and _stand_alone(numbers, counts, whole=whole)
    if numeric and ((many and not are_codes(counts)) or alone or (whole and _tallies(numbers))):
        bounded = _bounded(numbers, counts, whole=whole, constraints=constraints)
        if whole and pointed:
            bounded = {"multipleOf": 1, **bounded} if "values" not in bounded else bounded
            bounded |= {"type": "number"}
        found.append(bounded | always)
    elif whole:
        found.append(
            {
                "type": "number" if pointed else "integer",
                "categories": sorted({(float if pointed else int)(number) for number in numbers}),
                "categoriesOrdered": True,
                **always,
                **extra,
            }
        )
    elif numeric and len({plain_number(text) for text in texts}) < len({_unsigned(text) for text in texts}):
        pass  # 7.50 beside 7.5 are two texts
    elif numeric and len({without_noise(text) for text in texts}) < distinct:
        # 0.3, and the 0.299999999999999 that a computer made of it
        found.append(_bounded(numbers, counts, whole=False, constraints=constraints))
    elif numeric:
        values = {"categories": np.unique(numbers + 0.0).tolist(), "categoriesOrdered": True}
        found.append({"type": "number", **values, **numbers_written(counts), **extra})
    found += moments
    if is_listed(counts, table_rows) and not name_people(counts):
        listed_texts: Sequence[Any]
        listed_texts, ordered = in_order(texts)
        if days := calendar_list(texts):
            listed_texts, ordered = days, True
        if not ordered and any(NUMBER.fullmatch(text) for text in texts):
            listed_texts = sorted(texts, key=_by_number)
        found.append(
            {"type": "string", "categories": listed_texts, "categoriesOrdered": ordered, **extra},
        )
    return found


def _unsigned(text: str) -> str:
    """Write -0.0, which programs make of small numbers below zero, as the 0.0 that it is."""
    return text if float(text) else text.lstrip("-")


def _tallies(numbers: NDArray[np.float64]) -> bool:
    """Whether whole numbers count something: most run without a gap from the lowest, the rest lie beyond.

    Listed one by one, each rare value far away would get its share of the noise, and spoil the mean. Codes
    such as 99 behind a gap are no numbers, but 8 and 9 are where 20 lies beyond.
    """
    values = np.unique(numbers).astype(np.int64)
    run = int(np.argmax(np.append(np.diff(values), 2) > 1)) + 1
    beyond = [str(value) for value in values[run:].tolist()]
    told = any(len(set(text)) == 1 and text[0] in "789" for text in beyond) and set(beyond[-1]) <= set("789")
    return values.size > FEW_CODES and 2 * run > values.size and not told


def _stand_alone(numbers: NDArray[np.float64], counts: Counter[str], *, whole: bool) -> bool:
    """Whether most rows of a small table have a number of their own: it was measured, and a list names it.

    Whole numbers lie far apart then, and half of them have three digits: 9, 12 and 97 may be answers, and 999
    beside 1 to 4 says that there is none.
    """
    values = np.unique(numbers)
    far = not whole or (np.median(values) >= FROM_MEASURED and values[-1] - values[0] > 2 * values.size)
    return bool(values.size > 2 and 2 * values.size > counts.total() and far)


def _by_number(text: str) -> tuple[float, str]:
    """Sort 2 before 10, and words after numbers."""
    return (float(text) if NUMBER.fullmatch(text) else math.inf, text)


def _numbers(texts: list[str]) -> NDArray[np.float64]:
    """Read texts as numbers; not a number where one is none."""
    try:
        return np.array([float(text) if text.isascii() and "_" not in text else math.nan for text in texts])
    except ValueError:
        return np.full(len(texts), math.nan)


def _bounded(
    numbers: NDArray[np.float64], counts: Counter[str], *, whole: bool, constraints: dict[str, Any]
) -> dict[str, Any]:
    low, high = _outwards(float(numbers.min()), float(numbers.max()), whole=whole)
    step = multiple_of(numbers.tolist()) if whole else 1
    grids = () if whole else (decimals_of(counts), _fine_enough(numbers, high - low))
    digits = next((grid for grid in grids if grid and _positions(high - low, grid) <= LARGEST_NUMBER), {})
    form = {} if whole else numbers_written(counts)
    if not digits and form.get("written") not in (SHORTEST, ".5"):
        form = {}
    fine = step_of(numbers.tolist(), digits.get("decimals", 0))
    grid: dict[str, Any] = {"multipleOf": step} if step > 1 else {"multipleOf": fine} if fine else digits
    usual = {} if whole or grid else {"multipleOf": float(default_step(low, high))}
    rows = np.array([counts[text] for text in sorted(counts)])
    precision = {} if whole else precision_of(counts)
    positions = math.inf if have_gaps(counts) else _positions(high - low, grid or usual)
    if few := values_of(numbers, rows, positions=positions):
        plain = [float(str(np.float32(value))) for value in few] if precision else few
        inside = np.unique(np.clip(plain, low, high)).tolist()  # a rounding may lie beyond, or join two
        grid = {"values": [int(value) for value in inside] if whole else inside}
    return {
        "type": "integer" if whole else "number",
        "constraints": {"minimum": low, "maximum": high, **constraints},
        "bins": LEARNED,
        **grid,
        **precision,
        **form,
    }


def _positions(span: float, grid: Mapping[str, float]) -> float:
    return float(span * 10.0 ** grid.get("decimals", 0) / grid.get("multipleOf", 1))


def _fine_enough(numbers: NDArray[np.float64], span: float) -> dict[str, int]:
    """A grid for numbers of which some are so large that the usual one of the range loses the small ones."""
    sizes = np.abs(numbers[numbers != 0])
    if not sizes.size:
        return {}
    usual = default_step(0, span)
    tiny = usual < Fraction(10) ** -MOST_GUESSED_DECIMALS  # six decimals of 2e-9 leave nothing
    most = MOST_DECIMALS if tiny else MOST_GUESSED_DECIMALS
    wanted = 2 - math.floor(math.log10(float(np.quantile(sizes, SMALL))))
    digits = min(wanted, most)
    if usual <= Fraction(10) ** -wanted or usual < Fraction(10) ** -digits:
        return {}
    return {"decimals": digits} if digits >= 0 else {"multipleOf": 10**-digits}


def _outwards(low: float, high: float, *, whole: bool) -> tuple[float, float]:
    """Round bounds outwards to two digits of the range, to one below 1; never to a single point.

    To either side of 0 each to its own: a few corrections below 0, of 762, beside amounts of 230,000.
    """
    span = (high - low) or 1.0
    either = low < 0 < high
    below, above = (_two_digits(abs(end) if either else span, whole=whole) for end in (low, high))
    low, high = math.floor(low / below) * below, math.ceil(high / above) * above
    if low == high:
        high = low + above
    if whole:
        return int(low), int(high)
    digits = (max(0, -math.floor(math.log10(step))) for step in (below, above))
    low, high = (round(end, places) for end, places in zip((low, high), digits, strict=True))
    return low, high


def _two_digits(size: float, *, whole: bool) -> float:
    """What is rounded to: two digits of a size, one below 1."""
    step: float = 10.0 ** (math.floor(math.log10(size)) - (size >= 1))
    return max(step, 1.0) if whole else step
