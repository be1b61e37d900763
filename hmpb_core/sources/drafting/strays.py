"""Columns of which only a few values cannot be read: a misprinted time, remarks among numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from hmpb_core.dates import read_value
from hmpb_core.declared import LARGEST_NUMBER
from hmpb_core.sources.drafting.date_forms import MOMENTS, NUMBERED, Moments
from hmpb_core.sources.drafting.lengths import LENGTHS
from hmpb_core.sources.drafting.signs import (
    FEW_WORDS,
    LETTER_CODE,
    MANY_VALUES,
    MARKED,
    MOSTLY_DISTINCT,
    NUMBER,
    OFTEN,
    YEARS,
)
from hmpb_core.sources.drafting.writings import moments_of

STRAYS = 0.02
"""Largest part of the rows whose values may be taken for strays; of a few words it may be more."""
MONTHS_OR_YEARS = 0.1
"""Largest part of the rows of a date of which only the month or the year is known."""
_IN_PART = re.compile(r"\d{4}(-\d{1,2})?|\d{1,2}[/.-]\d{4}", re.ASCII)
LOOKED_AT = 200
"""Commonest values by which most ways to read a column are ruled out."""


def without_strays(counts: Counter[str]) -> Iterator[Counter[str]]:
    """Give the values that can be read as numbers, and as each way of writing dates or lengths of time.

    Only where few others are beside them.
    Whole numbers that mostly occur once are no numbers then, but what somebody numbered; unless the others
    are numbers too, written with marks. Beside several codes, V57 and E888, numbers are codes as well.

    Args:
        counts: Rows of each value that is not missing.
    """
    common = [text for text, _ in counts.most_common(LOOKED_AT)]
    if _mostly(NUMBER, common):
        kept = _kept(counts, {text for text in counts if NUMBER.fullmatch(text)})
        fractions = any("." in text for text in kept)
        marked = all(text in kept or MARKED.fullmatch(text) for text in counts)
        coded = sum(bool(LETTER_CODE.fullmatch(text)) for text in counts) > FEW_WORDS
        if kept and not coded and (fractions or marked or len(kept) <= MOSTLY_DISTINCT * kept.total()):
            yield kept
    for way in MOMENTS:
        if _mostly(way.pattern, common) and (kept := _kept(counts, _read_as(way, counts), in_part=True)):
            yield kept
    for pattern in LENGTHS:
        if _mostly(pattern, common) and (kept := _kept(counts, _lengths_in(pattern, counts))):
            yield kept


def without_absurd(counts: Counter[str]) -> Counter[str]:
    """Leave away a few values that no bounds are to hold; they count as the nearest bound, as others do.

    Numbers larger than any that is used: in a form somebody kept the 9 pressed. Fractions that lack their
    point, 8167222 for 81.67222: to hold them would cost the others their decimals. Days of years that are
    none, 3019 for 2019 or 2105 for 2015, where they are rare: 9999 in many rows says that there is no end.
    """
    if not all(NUMBER.fullmatch(text) for text in counts):
        return _without_odd_years(counts)
    usual = {text for text in counts if abs(float(text)) <= LARGEST_NUMBER}
    counts = _kept(counts, usual) or counts
    return _without_lost_points(counts)


def _without_lost_points(counts: Counter[str]) -> Counter[str]:
    """The values without up to a few that are a thousand times as large as all others, which are fractions.

    Only where the others are about as large as each other, as degrees are; amounts of money may lie so far.
    """
    if 2 * sum("." in text for text in counts) <= len(counts):
        return counts
    by_size = sorted(counts, key=lambda text: abs(float(text)), reverse=True)
    sizes = [abs(float(text)) for text in by_size]
    for few in range(1, min(FEW_WORDS, len(sizes) - 1) + 1):
        if sizes[few - 1] > _WITHOUT_POINT * sizes[few] and sizes[few] <= _ALIKE * sizes[-1]:
            return _rare(counts, set(by_size[:few]))
    return counts


def _without_odd_years(counts: Counter[str]) -> Counter[str]:
    years = {}
    for text in counts:
        if (day := _DAY_OF_YEAR.match(text)) is None:
            return counts
        years[text] = int(day[1] or day[2])
    usual = [year for year in years.values() if YEARS[0] <= year <= YEARS[1]] or list(YEARS)
    # Dates that a hospital moved to hide them go from 2110 to 2201; 2105 among days of 2015 is none of them.
    first, last = min(YEARS[0], min(usual) - _NEAR), max(YEARS[1], max(usual) + _NEAR)
    told = [year for year in usual if year < NEXT_CENTURY]
    if told and min((year for year in usual if year >= NEXT_CENTURY), default=0) > max(told) + _FAR:
        last = max(told)
    return _rare(counts, {text for text, year in years.items() if not first <= year <= last})


def _rare(counts: Counter[str], odd: set[str]) -> Counter[str]:
    """The values without the odd ones where each of these is in a few rows."""
    rare = all(counts[text] < OFTEN for text in odd)
    return (rare and _kept(counts, set(counts) - odd)) or counts


_WITHOUT_POINT, _ALIKE = 1000, 10
_NEAR = 20
"""Years beyond those that dates have, up to which they go on."""
NEXT_CENTURY, _FAR = 2100, 50
"""What year begins it, and how many years before its first day all others end where that is a misprint."""
_DAY_OF_YEAR = re.compile(
    r"(?:(\d{4})[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}))(?!\d)", re.ASCII
)


def numbers_as_dates(counts: Counter[str]) -> Iterator[Counter[str]]:
    """Give the whole numbers that are dates (19860314), where few others (19860000) are none."""
    common = [text for text, _ in counts.most_common(LOOKED_AT)]
    for way in MOMENTS:
        if way.format in NUMBERED and _mostly(way.pattern, common):
            kept = _kept(counts, _read_as(way, counts), few_words=0)
            if len(kept) >= NUMBERED[way.format]:
                yield kept


def _read_as(way: Moments, counts: Counter[str]) -> set[str]:
    shaped = [text for text in counts if way.pattern.fullmatch(text)]
    read = moments_of(shaped, way).notna()
    return {text for text, reads in zip(shaped, read, strict=True) if reads}


def _lengths_in(pattern: re.Pattern[str], counts: Counter[str]) -> set[str]:
    shaped = {text for text in counts if pattern.fullmatch(text)}
    return {text for text in shaped if read_value(text, "duration") is not None}


def _mostly(pattern: re.Pattern[str], texts: list[str]) -> bool:
    return sum(bool(pattern.fullmatch(text)) for text in texts) > len(texts) / 2


def _kept(
    counts: Counter[str], readable: set[str], few_words: int = FEW_WORDS, *, in_part: bool = False
) -> Counter[str]:
    """The values that can be read; none where all or too few can. Of dates more may be known in part."""
    kept = Counter({text: n for text, n in counts.items() if text in readable})
    others = len(counts) - len(kept)
    parts = in_part and all(_IN_PART.fullmatch(text) for text in counts.keys() - readable)
    most = (MONTHS_OR_YEARS if parts else STRAYS) * counts.total()
    few = counts.total() - kept.total() <= most or others <= few_words
    return kept if others and few and len(kept) > MANY_VALUES // 2 else Counter()
