"""What a column seems to be, by noisy counts of its kinds. Looks at paid counts alone: post-processing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.codebook_fields import SHORTEST
from hmpb_core.survey.cells import (
    DATED_CELLS,
    FEWEST_DECIMALS,
    MARK,
    MOST_DECIMALS,
    NUMBER_CELLS,
    NUMBERS,
    PADDED,
    SCALE_CELLS,
    STEPS,
    TEXTS,
    WRITTEN_NUMBERS,
    Kind,
)
from hmpb_core.survey.dates import CLOCK_KINDS, DATE_KINDS, NUMBERED_KINDS, Dated, dated_of
from hmpb_core.survey.lengths import N_LENGTHS, Lasting, lasting_of
from hmpb_core.survey.noisy import Floats, Noisy

NEARLY_ALL = 0.95
"""Part of a column's numbers that are dates as well, 19860412, from which on it holds dates."""
COMPUTED = 0.05
"""Part of the numbers with decimals that a computer may have made of others: 4.1000000000000005."""
POINTED = "pointed"
"""Whole numbers are written as 3.0, as numbers with decimals usually are."""
_TESTS, _DATE_TESTS = 2 * Kind.DATE, 2 * (len(DATE_KINDS) + N_LENGTHS)
"""Dates, of so many kinds, get half of the chance that noise alone is taken for a kind, all others half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """What a column seems to be.

    Attributes:
        kind: The kind of most of its values; the one of most decimals for numbers.
        rows: About how many rows are of that kind, or of one that is read alike.
        distinct: Whether it holds identifiers or free text: hardly two values are equal.
        step: What divides all its whole numbers, as far as noise lets others be seen.
        breaking: For each of ``STEPS`` up to this one how many rows it may not divide, noise at its worst.
        missing: About how many rows hold a text known to mean a missing value; 0 where noise hides it.
        texts: About how many rows of numbers or dates hold texts beside them.
        marks: About how many rows of a list hold a usual text for a missing value.
        written: How the file writes numbers, as a codebook says it; None where that is the usual way.
        dated: How dates and times are written; None of other kinds.
        lasting: How lengths of time are written; None of other kinds.
        beyond: Whether a fair part lies clearly beyond the bounds of the vocabulary of its name.
        decimals: How many its numbers of three or more have; None where noise hides it, or of computed ones.
    """

    kind: Kind
    rows: float
    distinct: bool = False
    step: int = 1
    breaking: tuple[float, ...] = ()
    missing: float = 0.0
    texts: float = 0.0
    marks: float = 0.0
    written: str | int | None = None
    dated: Dated | None = None
    lasting: Lasting | None = None
    beyond: bool = False
    decimals: int | None = None

    @property
    def smallest(self) -> float:
        """The smallest number but 0 that it may hold, by its decimals and its step."""
        if self.kind is Kind.DECIMALS:
            return 0.0
        return 10.0 ** -NUMBERS.index(self.kind) if self.kind in NUMBERS[1:] else float(self.step)

    @property
    def scale(self) -> NDArray[np.int64]:
        """The public cells that bound it; none for texts and times of day."""
        if self.kind in NUMBERS:
            return SCALE_CELLS
        if self.lasting:
            return NUMBER_CELLS
        return DATED_CELLS if self.dated and self.dated.has_years else np.empty(0, dtype=np.int64)


def sketch_of(kinds: Noisy) -> Sketch | None:
    """Tell a column's kind from the noisy counts of all kinds; None where noise hides it."""
    counts = kinds.counts
    clear = kinds.clear(_TESTS)
    seen = np.where(counts[: Kind.DATE] > clear, counts[: Kind.DATE], 0.0)
    moments = np.where(counts[Kind.DATE :] > kinds.clear(_DATE_TESTS), counts[Kind.DATE :], 0.0)
    dates, lengths = moments[: len(DATE_KINDS)], moments[len(DATE_KINDS) : -1]
    numbered = _numbered(seen, dates)
    seen[Kind.WHOLE] += numbered
    texts, numbers = (float(seen[list(group)].sum()) for group in (TEXTS, WRITTEN_NUMBERS))
    marks = float(counts[MARK]) if counts[MARK] > clear else 0.0
    dated = dated_of(dates)
    missing = float(seen[Kind.MISSING])
    lasting = lasting_of(lengths, np.array([dates[list(kinds)].sum() for kinds in CLOCK_KINDS]))
    if lasting and lasting.rows >= max(texts, numbers, dated.rows if dated else 0.0):
        return Sketch(
            kind=Kind.DATE, rows=lasting.rows, missing=missing, texts=texts + marks, lasting=lasting
        )
    seen[Kind.PHRASE] += lengths.sum()  # texts like others
    texts += float(lengths.sum())
    if max(texts, numbers, marks, dated.rows if dated else 0.0) <= 0:
        return None
    if dated and dated.rows >= max(texts, numbers):
        return Sketch(kind=Kind.DATE, rows=dated.rows, missing=missing, texts=texts + marks, dated=dated)
    if numbers and numbers >= texts:
        padded = {one: float(seen[one]) for one in PADDED if seen[one] > 0}
        if seen[Kind.DECIMALS] <= COMPUTED * seen[list(NUMBERS[1:])].sum():
            seen[Kind.DECIMALS] = 0.0
        finest = max(
            [*(one for one in NUMBERS if seen[one] > 0), *(PADDED[one] for one in padded)], default=Kind.WHOLE
        )
        breaking = _breaking(kinds, clear, numbered) if finest is Kind.WHOLE and not padded else ()
        step = [1, *STEPS.values()][len(breaking)]
        if padded:
            written = _written(finest, float(seen[[Kind.WHOLE, *STEPS]].sum()), padded)
        else:  # few are whole, or none: which way is the likelier one, however loud the noise
            bare = counts[[Kind.WHOLE, *STEPS]].sum() + numbered > counts[list(PADDED)].sum()
            written = SHORTEST if bare and finest is not Kind.WHOLE else None
        beside = texts + marks
        return Sketch(
            kind=finest,
            rows=numbers,
            missing=missing,
            texts=beside,
            step=step,
            breaking=breaking,
            written=written,
        )
    kind = max(TEXTS, key=lambda one: seen[one])
    return Sketch(kind=kind, rows=texts + marks, missing=missing, marks=marks)


def decimals_of(rows: Noisy) -> int | None:
    """How many decimals a column's numbers have, by the noisy rows of three, four and so on, and of more.

    The most that more than a few rows have: of numbers of six decimals one in ten ends with a zero.

    Example:
        >>> decimals_of(Noisy(counts=np.array([1.0, 9.0, 90.0, 2.0, 0.0, -1.0, 0.0]), sd=1.0))
        5
        >>> decimals_of(Noisy(counts=np.array([1.0, 0.0, 0.0, 0.0, 0.0, 9.0, 90.0]), sd=1.0)) is None
        True
    """
    clear = max(rows.clear(len(rows.counts)), COMPUTED * float(rows.counts.sum()))
    told = np.flatnonzero(rows.counts > clear)
    finest = int(told[-1]) + FEWEST_DECIMALS if len(told) else None
    return None if finest is None or finest > MOST_DECIMALS else finest


def _written(finest: Kind, bare: float, padded: Mapping[Kind, float]) -> str | int | None:
    """How a file writes numbers, by its whole ones and by those with a needless 0 behind.

    Args:
        finest: The kind of most decimals.
        bare: Rows with whole numbers without decimals.
        padded: Rows with needless zeros, by their kind.
    """
    if sum(padded.values()) > bare:
        two = {Kind.WHOLE_TWO, Kind.TENTH_TWO} & set(padded)
        return 2 if two and finest is not Kind.DECIMALS else POINTED
    return SHORTEST if bare and finest is not Kind.WHOLE else None


def _numbered(seen: Floats, dates: Floats) -> float:
    """Take dates that are written as numbers away where the column holds other numbers; give their rows.

    0, 19860000 and 99990000 are no other numbers, but dates of which the file does not know all.
    """
    places = list(NUMBERED_KINDS)
    rows, unknown = float(dates[places].sum()), seen[Kind.THOUSANDS]
    others = seen[list(WRITTEN_NUMBERS)].sum() - unknown
    if rows > unknown and rows >= NEARLY_ALL * (rows + others):
        return 0.0
    dates[places] = 0.0
    return rows


def _breaking(kinds: Noisy, clear: float, numbered: float) -> tuple[float, ...]:
    """For each step how many rows it may not divide, as far as these are no more than noise.

    What noise may hide is added: where it is loud, a tenth of all rows is no more than noise.
    """
    others, most = kinds.counts[Kind.WHOLE] + numbered, []
    for passed, kind in enumerate(STEPS, start=1):
        if others > clear * math.sqrt(passed):
            break
        most.append(float(max(others, 0.0) + kinds.clear(1, passed)))
        others += kinds.counts[kind]
    return tuple(most)
