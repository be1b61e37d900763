"""What noisy counts tell of one column. Looks at paid counts alone: post-processing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hmpb_core.sources.drafting.guesses import USUAL_MISSING
from hmpb_core.sources.drafting.ordering import is_range
from hmpb_core.sources.drafting.writings import LATEST
from hmpb_core.survey.cells import (
    CODE_CELLS,
    FIRST_DATED,
    NUMBER_CELLS,
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
    can_hold,
    in_century,
    occupied,
    occupied_numbers,
    this_year,
    until_now,
    years_between,
)
from hmpb_core.survey.sketches import Sketch
from hmpb_core.survey.words import CODES, LISTS, WORDS, WordList

FROM_LIST = 0.75
"""A public list holds at least this part of the rows of a column whose categories it is taken for."""
WITHIN_NOISE = 1.5
"""No list is looked for of which noise alone would have to pass this many times the column's rows."""
SHORT_LIST, LONGEST_CODE = 5, 3
"""Words of the longest list, and letters of the longest word, that may mean something else than the list."""
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
BREAKING = 0.1
"""Part of the rows that tell of a step which may break it, noise at its worst, where it is declared."""
_ZERO = len(NUMBER_CELLS) // 2
"""The place of 0 among the cells of numbers."""


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
    def century(self) -> int | None:
        """The first of the hundred years up to now that years of two digits mean; None where POSIX says.

        That reads births of 51 as 2051: so they are where years beyond 2049 show more than noise.
        """
        dated = self.sketch.dated if self.sketch is not None else None
        if self.sketch is None or self.cells is None or dated is None or not dated.short_years:
            return None
        noisy = self.cells.of(self.sketch.scale)
        late = np.arange(FIRST_DATED, FIRST_DATED + len(noisy.counts)) > LATEST
        ahead = occupied(replace(noisy, counts=np.where(late, noisy.counts, 0.0)))
        return None if ahead is None else this_year() - 99

    def _on_scale(self, cells: Noisy, sketch: Sketch) -> Noisy:
        """The noisy counts of its scale, years of two digits in their century."""
        noisy, century = cells.of(sketch.scale), self.century
        return noisy if century is None else replace(noisy, counts=in_century(noisy.counts, century))

    @property
    def _ends(self) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        if self.sketch is None or self.cells is None or not len(self.sketch.scale):
            return None, None
        noisy = self._on_scale(self.cells, self.sketch)
        if self.of_numbers:
            counts = noisy.counts.copy()
            counts[: len(NUMBER_CELLS)][~can_hold(min(self.sketch.smallest, 1.0))] = 0.0
            return occupied_numbers(replace(noisy, counts=counts), self.coarse)
        found = occupied(noisy, self.coarse if self.century is None else None)
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
            counts = self._on_scale(self.cells, self.sketch).counts
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
