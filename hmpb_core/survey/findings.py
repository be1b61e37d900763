"""From noisy counts to a field of the codebook. Looks at paid counts alone: post-processing."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.codebook_fields import LEARNED, SHORTEST
from hmpb_core.domain import LARGEST_NUMBER
from hmpb_core.grid import default_step
from hmpb_core.sources.drafting.guesses import USUAL_MISSING
from hmpb_core.sources.drafting.numerals import USUAL_DECIMALS
from hmpb_core.sources.drafting.ordering import in_order, is_range
from hmpb_core.sources.drafting.place_codes import is_of_postcodes
from hmpb_core.survey.cells import (
    CODE_CELLS,
    FIRST_DATED,
    FIRST_YEAR,
    NUMBER_CELLS,
    NUMBERS,
    SCALE_CELLS,
    STEPS,
    TEXTS,
    WORD_CELLS,
    WRITTEN_NUMBERS,
    Kind,
    number_range,
)
from hmpb_core.survey.noisy import CHANCE, Noisy
from hmpb_core.survey.scales import (
    EARLIER,
    ONE,
    can_hold,
    holds_zeros,
    occupied,
    occupied_numbers,
    stretched,
    until_now,
    whole_range,
    widened_years,
    years_between,
)
from hmpb_core.survey.sketches import POINTED, Sketch
from hmpb_core.survey.words import CODES, LISTS, WORDS, WordList, code_groups, code_of
from hmpb_core.texts import text_of

OTHER = "(other)"
"""The category of texts that too few people share."""
BEYOND = 0.05
"""Part of a column's numbers beyond the bounds of a vocabulary from which on these give way."""
MOSTLY_DISTINCT = 0.5
"""A text column with more different values than this part of its rows holds identifiers or free text."""
FROM_LIST = 0.75
"""A public list holds at least this part of the rows of a column whose categories it is taken for."""
WITHIN_NOISE = 1.5
"""No list is looked for of which noise alone would have to pass this many times the column's rows."""
SHORT_LIST, LONGEST_CODE = 5, 3
"""Words of the longest list, and letters of the longest word, that may mean something else than the list."""
MOSTLY_EXPLAINED = 0.9
"""Codes that stand out make up at least this part of the rows where the others need no groups."""
STRAY = 0.01
"""Part of the usual chance that noise alone names a word or code, where no other of its public list is seen,
september among True and False, or where a column holds numbers, of all its columns together then; and that
it is a list, where nothing was seen beside missing codes: that may be numbers."""
_PLACES = {word: place for place, word in enumerate(WORDS)}
ANSWERS, FEWEST_ANSWERS, MOST_ANSWERS = 0.1, 2, 128
"""Part of a column's numbers that texts beside them make up, and how many different ones, from which on they
are answers; and what the numbers stay below. One is enough that reads as a range: 5 or more."""
COUNTED = 16
"""What numbers stay below that a range beside them ends, however few rows hold it: 1, 2, 3, 4 or more. Of
hours, or of ages, few ranges would cost all numbers what lies between them."""
SLACK = 2
"""Decimals that numbers of three or more get beyond those that cut their range in 10^5 to 10^6, four in all
at most: bounds that reach a hundred times too far would leave few values of theirs, of 40.684321 up to 1024
those of two decimals."""
LARGEST_EXACT = 10.0**15
"""How many steps from 0 a number of 64 bits tells apart, each of them."""
BREAKING = 0.1
"""Part of the rows that tell of a step which may break it, noise at its worst, where it is declared."""
_ZERO = len(NUMBER_CELLS) // 2
"""The place of 0 among the cells of numbers."""
KEPT = ("name", "title", "description", "missingValues", "labels", "sensitive")
"""What a field keeps, whatever a survey finds in its column."""


@dataclass(slots=True, kw_only=True)
class Look:
    """What is known of one column.

    Attributes:
        sketch: What it seems to be; None where noise hides it.
        cells: Noisy counts of the public cells, once they were counted.
        coarse: Noisy counts of its scale's coarse cells, where a second look counted those.
        texts: Texts without a public cell that were found, with their noisy counts.
        mixed: Whether small numbers were looked for beside texts: 1, 2, 3, 4 and "5 or more".
        columns: How many columns were surveyed with it.
    """

    sketch: Sketch | None
    cells: Noisy | None = None
    coarse: Noisy | None = None
    texts: dict[str, float]
    mixed: bool = False
    columns: int = 1

    @property
    def asked(self) -> bool:
        """Whether a count of cells can tell more."""
        return self.sketch is not None and not self.sketch.distinct

    @property
    def has_answers(self) -> bool:
        """Whether texts beside small numbers seem to be answers of their own, and no missing codes."""
        if not self.of_numbers or self.ends is None or self.years is not None:
            return False
        texts = {text: rows for text, rows in self.named.items() if text not in USUAL_MISSING}
        low, high = number_range(self.ends[0])[0], number_range(self.ends[1])[1]
        ranges = any(is_range(text) for text in texts)
        assert self.sketch is not None
        if low < 0 or high > MOST_ANSWERS or not (ranges or len(texts) >= FEWEST_ANSWERS):
            return False
        return (ranges and high <= COUNTED) or sum(texts.values()) > ANSWERS * self.sketch.rows

    @property
    def is_list(self) -> bool:
        """Whether it holds texts, or mostly small numbers beside answers."""
        if self.sketch is None or self.sketch.kind in TEXTS:
            return self.sketch is not None
        return self.by_name or bool(self.between)

    @property
    def by_name(self) -> bool:
        """Whether most small numbers beside texts were found one by one, as these were."""
        numbers = sum(rows for text, rows in self.texts.items() if text.isdecimal())
        return self.mixed and self.sketch is not None and numbers > FROM_LIST * self.sketch.rows

    @property
    def between(self) -> list[str]:
        """All whole numbers between the ends of few where a range is found beside them: 5 to 9, and "<5".

        The last look may be the first to find it: too late to look for each of them.
        """
        if self.by_name:
            return []
        plain = self.sketch is not None and self.sketch.kind is Kind.WHOLE and self.sketch.written is None
        if not (plain and self.has_answers and self.ends and any(map(is_range, self.named))):
            return []
        low, high = (int(number_range(end)[at]) for at, end in enumerate(self.ends))
        return [str(number) for number in range(low, max(high, low + 1))] if high <= COUNTED else []

    @property
    def of_numbers(self) -> bool:
        """Whether it holds numbers, however they are written."""
        return self.sketch is not None and self.sketch.kind in WRITTEN_NUMBERS

    @property
    def ends(self) -> tuple[int, int] | None:
        """First and last cell that hold more than noise, of dates by years; None where there is none."""
        return self._ends[0]

    @property
    def years(self) -> tuple[int, int] | None:
        """Of numbers the first and last of those from 1900 to 2099 that hold more than noise."""
        return self._ends[1]

    @property
    def _ends(self) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        if self.sketch is None or self.cells is None or not len(self.sketch.scale):
            return None, None
        noisy = self.cells.of(self.sketch.scale)
        if self.of_numbers:
            counts = noisy.counts.copy()
            counts[: len(NUMBER_CELLS)][~can_hold(min(self.sketch.smallest, 1.0))] = 0.0
            return occupied_numbers(replace(noisy, counts=counts), self.coarse)
        found = occupied(noisy, self.coarse)
        return (until_now(found, noisy, FIRST_DATED) if self.sketch.dated else found), None

    @property
    def step(self) -> int:
        """The largest number that clearly divides all whole numbers but few; 1 where noise hides that.

        Neither zeros nor the fullest cell of its scale tell of a step: one value may be all that is there,
        45 in nine of ten rows, and no other need be divided by 5.
        """
        if self.sketch is None or self.cells is None:
            return 1
        counts = self.cells.of(SCALE_CELLS).counts
        zeros, others = counts[_ZERO], np.delete(counts, _ZERO)
        telling = self.sketch.rows - max(zeros, 0.0) - others.max()
        steps = zip(STEPS.values(), self.sketch.breaking, strict=False)
        return max((step for step, most in steps if most <= BREAKING * telling), default=1)

    @property
    def explained(self) -> float:
        """The part of its rows that lie in cells that were found, at most 1."""
        if self.sketch is None or self.cells is None or self.sketch.rows <= 0:
            return 0.0
        if self.sketch.dated and not self.sketch.dated.has_years:
            return 1.0
        if len(self.sketch.scale):
            counts = self.cells.of(self.sketch.scale).counts
            parts = zip((0, len(NUMBER_CELLS)), self._ends, strict=True)
            found = sum(float(counts[at + e[0] : at + e[1] + 1].sum()) for at, e in parts if e)
            if self.of_numbers and self.ends and not self.years:
                found += years_between(counts, *self.ends)
        elif listed := self.listed:
            found = self.cells.counts[list_cells(listed)].sum() + sum(self.texts.values())
        else:
            found = sum(self.named.values())
        return float(np.clip(found / self.sketch.rows, 0.0, 1.0))

    @property
    def named(self) -> dict[str, float]:
        """Words, codes and texts that stand out, with their noisy counts."""
        found = dict(self.texts)
        of_texts = self.sketch is None or self.sketch.kind in TEXTS
        chances = (CHANCE, CHANCE * STRAY) if of_texts else 2 * (CHANCE * STRAY / self.columns,)
        if self.cells is not None:
            for cells, names, lists in (
                (WORD_CELLS, WORDS, [listed.words for listed in LISTS]),
                (CODE_CELLS, CODES, [CODES]),
            ):
                part = self.cells.of(cells)
                clear, surely = (part.clear(len(names), chance=chance) for chance in chances)
                seen = {names[i]: float(part.counts[i]) for i in np.flatnonzero(part.counts > clear)}
                mates = [set(seen).intersection(words) for words in lists]
                joined = set().union(*(words for words in mates if len(words) > 1))
                found |= {name: rows for name, rows in seen.items() if name in joined or rows > surely}
        return found

    def absent(self, words: Collection[str]) -> dict[str, float]:
        """Usual words for a missing value among the texts of a list, with their noisy counts.

        None beside empty cells is an answer of its own; so is what the list of its name knows.

        Args:
            words: The words of a vocabulary: NA is Namibia.
        """
        if self.sketch is None or self.sketch.missing > 0:
            return {}
        return {t: n for t, n in self.named.items() if t in USUAL_MISSING and t not in words}

    @property
    def listed(self) -> WordList | None:
        """The public list that nearly all of the column's texts come from; None where there is none.

        Nor is one looked for that noise would mostly hide with all of the column's rows in it: what passes
        there is noise, and the answers of a questionnaire become months.
        """
        if self.cells is None or self.sketch is None:
            return None
        unseen = self.sketch.rows <= self.sketch.marks
        found = self.from_list(LISTS, FROM_LIST, CHANCE * STRAY if unseen else CHANCE)
        if found is None:
            return None
        noise = self.cells.of(list_cells(found)).clear(len(LISTS), len(found.words))
        return found if noise < WITHIN_NOISE * self.sketch.rows else None

    def held(self, listed: WordList) -> set[str]:
        """The words of a list that a column is to have of which the name says nothing.

        All of a long list of words. Of a short one and of one of codes, which may mean anything, only those
        that stand out where they are few and the others together are within noise: F and M need not be sexes,
        nor need "other" and "unknown". But of two opposites, FALSE and TRUE, the other one is no stranger,
        unless another text was found beside the one: what is steady or not is neither yes nor no.
        """
        assert self.cells is not None
        part = self.cells.of(list_cells(listed))
        seen = part.counts > part.clear(len(listed.words))
        others = int((~seen).sum())
        within = part.counts[~seen].sum() <= part.clear(1, others)
        few = 2 * int(seen.sum()) <= len(listed.words)
        short = len(listed.words) <= SHORT_LIST or are_short(listed.words)
        opposites = len(listed.words) == 2 and min(map(len, listed.words)) > 1  # Y and N may be letters
        beside = self.named.keys() - {*listed.words, *USUAL_MISSING}
        chosen = few and within and short and (beside or not opposites)
        return {word for word, one in zip(listed.words, seen, strict=True) if one or not chosen}

    def from_list(self, lists: Sequence[WordList], part: float, chance: float = CHANCE) -> WordList | None:
        """The list that most of the column's texts come from, if it holds this part of them; else None."""
        if self.cells is None or self.sketch is None or not lists:
            return None
        sums = {}
        for place, words in enumerate(lists):
            cells = self.cells.of(list_cells(words, marks=False))
            sums[place] = float(cells.counts.sum()), cells.clear(len(LISTS), len(words.words), chance)
        best = max(sums, key=lambda place: sums[place][0] - sums[place][1])
        rows, noise = sums[best]
        return lists[best] if rows > max(noise, part * (self.sketch.rows - self.sketch.marks)) else None


def are_short(words: Sequence[str]) -> bool:
    """Whether words are codes so short that they may mean anything."""
    return all(len(word) <= LONGEST_CODE for word in words)


def list_cells(listed: WordList, *, marks: bool = True) -> NDArray[np.int64]:
    """The cells of a list's words, with or without those that usually mean a missing value."""
    return _cells_of(listed.words, marks)


@cache
def _cells_of(words: tuple[str, ...], marks: bool) -> NDArray[np.int64]:
    kept = [word for word in words if marks or word not in USUAL_MISSING]
    places: NDArray[np.int64] = WORD_CELLS[[_PLACES[word] for word in kept]]
    places.flags.writeable = False
    return places


def field_of(draft: Mapping[str, Any], look: Look) -> dict[str, Any] | None:
    """Give a column's field, without its source; None where noise hides what it would say.

    Args:
        draft: The field as it stands.
        look: What is known of the column.
    """
    sketch = look.sketch
    if sketch is None:
        return None
    kept = {key: draft[key] for key in KEPT if key in draft}
    if look.is_list:
        if sketch.distinct:
            role = "text" if sketch.kind is Kind.PHRASE else "identifier"
            return kept | {"type": "string", "role": role, "publish": False}
        listed = _listed(str(draft.get("name", "")), look)
        absent = look.absent(look.listed.words if look.listed else ())
        return kept | listed | missing_codes(draft, absent, sketch) if listed else None
    kept |= missing_codes(draft, look.named, sketch)  # NA is a word of a public list as well: Namibia
    kept["unknown"] = ""  # nobody looked: a word among numbers would stop every run
    if sketch.dated and not sketch.dated.has_years:
        return kept | sketch.dated.field(FIRST_YEAR, FIRST_YEAR)
    if sketch.dated:
        if look.ends is None:
            return None
        years = widened_years(*look.ends, 1 - look.explained)
        return kept | sketch.dated.field(*(FIRST_DATED + year for year in years))
    if look.ends is None and look.years is None:
        return None
    if sketch.lasting and look.ends:
        ends = _reach(look, sketch, *look.ends)
        return kept | sketch.lasting.field(number_range(ends[0])[0], number_range(ends[1])[1])
    bounds, sketch = [], replace(_of_years(look, sketch), step=look.step)
    if look.ends is not None:
        if max(abs(bound) for end in look.ends for bound in number_range(end)) <= sketch.step:
            sketch = replace(sketch, step=1)  # 0 alone is a multiple of everything
        of_years = bool(look.years) and sketch.kind is Kind.WHOLE
        ends = (EARLIER, EARLIER) if of_years and _earlier(look) else _reach(look, sketch, *look.ends)
        within = whole_range if of_years else number_range
        bounds += [within(ends[0])[0], within(ends[1])[1]]
    if look.years is not None:
        bounds += [float(FIRST_YEAR + look.years[0]), float(FIRST_YEAR + look.years[1] + 1)]
    assert look.cells is not None
    return kept | number_field(
        min(bounds), max(bounds), sketch, zeros=holds_zeros(look.cells.of(NUMBER_CELLS))
    )


def _of_years(look: Look, sketch: Sketch) -> Sketch:
    """A column of which years alone were found has no decimals: whole numbers alone lie in their cells."""
    if look.ends is not None or sketch.kind is Kind.WHOLE:
        return sketch
    return replace(sketch, kind=Kind.WHOLE, written=None if sketch.written == SHORTEST else sketch.written)


def _earlier(look: Look) -> bool:
    """Whether the numbers beside years are those of 1024 to 1899, as far as noise lets others be seen."""
    assert look.cells is not None
    assert look.ends is not None
    first, last = look.ends
    noisy = look.cells.of(NUMBER_CELLS)
    others = noisy.counts[first : last + 1].sum() - noisy.counts[EARLIER]
    return first <= EARLIER <= last and bool(others <= noisy.clear(1, max(1, last - first)))


def _reach(look: Look, sketch: Sketch, first: int, last: int) -> tuple[int, int]:
    """The cells that bound a column's numbers: those found, and those beside them."""
    assert look.cells is not None
    noisy = look.cells.of(NUMBER_CELLS)
    least = _ZERO if sketch.kind is not Kind.WHOLE or holds_zeros(noisy) else ONE
    low, high = stretched(first, last, noisy, smallest=sketch.smallest)
    low = min(max(low, least), high) if low == _ZERO else low
    if low == high == ONE and sketch.kind is Kind.WHOLE and noisy.counts[_ZERO] > noisy.counts[ONE + 1]:
        low = _ZERO  # 1 alone was found: of the numbers beside it the likelier one, however loud the noise
    return low, high


def missing_codes(draft: Mapping[str, Any], found: Mapping[str, float], sketch: Sketch) -> dict[str, Any]:
    """The missing codes of a field with those that were found, the commonest first; nothing without any.

    A text that reads as a range of numbers is none, nor is a code such as V57: it counts as missing only
    where it cannot be read, and the steward is told so.

    Args:
        draft: The field as it stands.
        found: Texts that mean a missing value, with about how many rows hold each.
        sketch: What the column seems to be.
    """
    known = draft.get("missingValues", [""])
    codes = [text_of(m["value"] if isinstance(m, dict) else m) for m in known]
    told = {text for text in found if text.isdecimal() or is_range(text) or code_of(text)}
    others = found.keys() - told - set(codes)
    more = sorted(others, key=lambda text: (-found[text], text))
    commoner = any(found[text] > sketch.missing for text in more)  # than all that was known
    return {"missingValues": [*more, *known] if commoner else [*known, *more]} if more else {}


def _listed(name: str, look: Look) -> dict[str, Any] | None:
    """Categories: a public list, or what stands out; rare codes fold into their groups, the rest into one."""
    words = look.listed
    absent = look.absent(words.words if words else ())
    named = [text for text in look.named if text != OTHER and text not in absent]
    named += [number for number in look.between if number not in named]
    texts = sorted(named, key=lambda text: (0, int(text), text) if text.isdecimal() else (1, 0, text))
    items: list[Any]
    ordered = words is not None and words.ordered
    if words is not None:
        kept = look.held(words)
        told = len(kept) == len(words.words) or not are_short(words.words)  # N, S, W: states of Austria?
        items = [i if told else w for i, w in zip(words.categories(), words.words, strict=True) if w in kept]
        items += [text for text in texts if text not in words.words]
    elif is_of_postcodes(name):
        groups = code_groups(name) if look.explained < MOSTLY_EXPLAINED else []
        items = [*texts, *(group for group in groups if group["value"] not in texts)]
    elif look.sketch is not None and look.sketch.kind is Kind.CODE:
        codes = [text for text in texts if text in CODES]
        groups = code_groups(name) if look.explained < MOSTLY_EXPLAINED else []
        items = [*({"value": code, "prefixes": [code]} for code in codes), *groups]
        items += [text for text in texts if text not in CODES]
    elif any(text.isdecimal() for text in texts):
        items = texts
    else:
        items, ordered = in_order(texts)
    if not items:
        return None
    return {
        "type": "string",
        "categories": [*items, OTHER],
        "categoriesOrdered": ordered,
        "unknown": OTHER,
    }


def number_field(low: float, high: float, sketch: Sketch, *, zeros: bool = True) -> dict[str, Any]:
    """A field of numbers between bounds, with decimals, steps and writing as they were seen.

    Args:
        low: The lower bound.
        high: The upper bound.
        sketch: What the column seems to be.
        zeros: Whether bounds that reach down to small numbers hold 0: where it was seen, it has a cell of its
            own.
    """
    kind, step = sketch.kind, sketch.step
    written = {} if sketch.written in (None, POINTED) else {"written": sketch.written}
    if 0 < low <= high / 4:
        # Few small values are stray ones; so wide a range loses nothing by holding them.
        low = 0.0 if zeros or kind is not Kind.WHOLE else min(low, step)
    low, high = max(low, -float(LARGEST_NUMBER)), min(high, float(LARGEST_NUMBER))
    if low == high:
        high = low + 1
    if max(-low, high) <= step:
        step = 1  # 0 alone is a multiple of everything
    if kind is Kind.WHOLE:
        high -= 1 if high > max(low + 1, 1) else 0
        first, most = math.floor(low / step) * step, math.ceil(high)
        bounds = {"minimum": first, "maximum": max(first + step, most // step * step)}
        of = {"multipleOf": step} if step > 1 else {}
        if sketch.written is not None:  # 3.0
            return {"type": "number", "constraints": bounds, "bins": LEARNED, "multipleOf": 1, **written}
        return {"type": "integer", "constraints": bounds, "bins": LEARNED, **of}
    resolution = {"decimals": sketch.decimals or NUMBERS.index(kind)}
    if kind is Kind.DECIMALS and (
        sketch.decimals is None or max(-low, high) * 10.0**sketch.decimals > LARGEST_EXACT
    ):
        usual = -round(math.log10(default_step(low, high)))
        decimals = min(USUAL_DECIMALS, usual + SLACK)
        resolution = {"decimals": decimals} if decimals > max(usual, 0) else {}
    least = 10.0 ** -resolution["decimals"] if resolution else float(default_step(low, high))
    low = 0.0 if -least < low < 0 < high else low  # noise alone showed in a number that would be written as 0
    return {
        "type": "number",
        "constraints": {"minimum": low, "maximum": high},
        "bins": LEARNED,
        **resolution,
        **written,
    }
