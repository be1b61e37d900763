"""Values that the encoder does not take as they are: for the steward alone.

Those outside the declared bounds are moved to the nearest bound; those that are no whole numbers, or no
multiples of the declared step, to the nearest one; those that cannot be read count as missing where the
codebook says so.

A missing code that nobody declared is the usual reason: -9 in a column of 0 to 120 would be published as 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Numeric
from hmpb_core.encoding import missing_texts, read_numbers
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.repeats import shared_ids
from hmpb_core.publishing.rule_breaks import rule_breaks
from hmpb_core.publishing.unlisted import FAIR, counted, unlisted_shares
from hmpb_core.publishing.zones import Labelled, steward_only
from hmpb_core.sources.files.footers import TOTAL
from hmpb_core.sources.locations import PrivateTable
from hmpb_core.sources.people import surplus_share

USUAL_CODES = frozenset(
    [float(-digit) for digit in range(1, 10)]
    + [float(digit) for digit in range(7, 10)]
    + [float(sign * int(digit * times)) for sign in (-1, 1) for digit in "6789" for times in range(2, 7)]
    + [sign * code for sign in (-1.0, 1.0) for code in (97, 98, 997, 998)]
)
"""Numbers that questionnaires use for a missing value: -9, 9, 99, -888 and the like. Public."""
MOSTLY = 0.9
"""Codes are named where they hold this part of the rows that lie on their side of the bounds."""
ROUNDING = 1e-6
"""Part of a step by which a computer's rounding may move a multiple of it."""
MOST_NAMED = 5
FEWEST_COLUMNS = 2
"""Of a single column, boxes to tick aside, an empty cell, or its name, is a value like others."""
FEWEST_SUMMED = 10
"""Rows from which on a sum of all others is no chance."""
FEWEST_TOTALS = 0.01
"""Part of the rows from which on a word for a total is no name, and no word among others."""
MOST_CODES = 3
"""Different codes on one side of the bounds: a questionnaire has few, a column of small numbers has many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeyondBounds:
    """What lies outside the bounds of a column. Private: its repr shows the column alone.

    Attributes:
        name: The column.
        minimum: Its declared minimum, as the column writes it.
        maximum: Its declared maximum.
        share: Part of its present values that lie outside.
        codes: Those of them that look like missing codes.
        unread: Part of its present values that cannot be read and count as missing.
        step: What its values are declared to be multiples of, 1 or more; 0 where nothing is.
        uneven: Part of its present values that are no such multiples, or not among those listed.
    """

    name: str
    minimum: str
    maximum: str
    share: float = field(repr=False)
    codes: tuple[str, ...] = field(repr=False)
    unread: float = field(default=0.0, repr=False)
    step: float = 0.0
    uneven: float = field(default=0.0, repr=False)

    @property
    def words(self) -> tuple[str, ...]:
        """What the steward is told."""
        unread = (
            f"{self.name!r}: {_percent(self.unread)} of its values cannot be read; they count as missing."
        )
        multiples = f"no multiples of {self.step:g}"
        wanted = {0: "not among those listed", 1: "no whole numbers"}.get(int(self.step), multiples)
        uneven = (
            f"{self.name!r}: {_percent(self.uneven)} of its values are {wanted}; they are moved to the "
            "nearest one."
        )
        told = ((self.share, self._beyond), (self.uneven, uneven), (self.unread, unread))
        return tuple(words for share, words in told if share)

    @property
    def _beyond(self) -> str:
        said = (
            f"{self.name!r}: {_percent(self.share)} of its values lie outside {self.minimum} to "
            f"{self.maximum} and are moved to the nearest bound."
        )
        if not self.codes:
            return said
        looks = "looks like a missing code" if len(self.codes) == 1 else "look like missing codes"
        return (
            f"{said} {', '.join(self.codes)} {looks}: if the questionnaire says so, list "
            f"{'it' if len(self.codes) == 1 else 'them'} under 'missingValues'."
        )


def _percent(share: float) -> str:
    """A share, told roughly."""
    return "less than 1 %" if share < 0.01 else f"about {100 * share:.0f} %"


def outside_bounds(table: PrivateTable, codebook: Codebook) -> Labelled[tuple[BeyondBounds, ...]]:
    """Find the columns that have values outside their declared bounds or step, or that cannot be read.

    Exact and private: nothing is refused or changed because of it, and it reaches no file.

    Args:
        table: The private table. One that stays in an engine is not looked at.
        codebook: Its public codebook.
    """
    if not isinstance(table, pd.DataFrame):
        return steward_only(())
    found = (
        outside_of(table[attribute.name], attribute, missing_texts(codebook, attribute))
        for attribute in codebook.domain.attributes
        if isinstance(attribute, Numeric) and attribute.name in table.columns
    )
    return steward_only(tuple(one for one in found if one is not None))


def outside_of(column: pd.Series, attribute: Numeric, missing: frozenset[str]) -> BeyondBounds | None:
    """Look for such values in one column; None where there are none. Private."""
    values, rows = counted(column)
    numbers, is_missing = read_numbers(values, attribute, missing)
    readable = ~np.isnan(numbers)
    present = ~is_missing & readable
    sides = (present & (numbers < attribute.minimum), present & (numbers > attribute.maximum))
    beyond = int(rows[sides[0] | sides[1]].sum())
    unread = int(rows[~is_missing & ~readable].sum()) if attribute.unknown is not None else 0
    step = _step_of(attribute)
    uneven = int(rows[present][_are_uneven(numbers[present], attribute, step)].sum())
    if not beyond and not unread and not uneven:
        return None
    codes = [code for side in sides for code in _codes(numbers[side], rows[side], attribute)]
    return BeyondBounds(
        name=attribute.name,
        minimum=attribute.text(attribute.minimum),
        maximum=attribute.text(attribute.maximum),
        share=beyond / max(1, int(rows[present].sum())),
        codes=tuple(codes[:MOST_NAMED]),
        unread=unread / max(1, int(rows[~is_missing].sum())),
        step=step,
        uneven=uneven / max(1, int(rows[present].sum())),
    )


def _step_of(attribute: Numeric) -> float:
    """The declared step of numbers, from 1 on; 0 where there is none: decimals are rounded anyway."""
    declared = (attribute.integer or attribute.resolution is not None) and not attribute.listed
    return (
        float(attribute.grid.step)
        if declared and attribute.kind == "number" and attribute.grid.step >= 1
        else 0.0
    )


def _are_uneven(numbers: NDArray[np.float64], attribute: Numeric, step: float) -> NDArray[np.bool_]:
    """Which numbers are no multiples of the step, or are inside the bounds and not among those listed."""
    if attribute.listed:
        inside = (attribute.minimum <= numbers) & (numbers <= attribute.maximum)
        found: NDArray[np.bool_] = inside & ~np.isin(attribute.grid.settled(numbers), attribute.listed)
        return found
    if not step:
        return np.zeros(len(numbers), dtype=bool)
    return ~np.isclose(numbers, np.rint(numbers / step) * step, rtol=0, atol=ROUNDING * step)


def lines_for(table: PrivateTable, codebook: Codebook) -> list[str]:
    """What a command tells the steward about such values, those of no category, and rules that rows break."""
    found = outside_bounds(table, codebook).value
    beyond = [f"Only for you: {words}" for one in found for words in one.words]
    return heading_lines(table) + beyond + _unlisted_lines(table, codebook) + rule_lines(table, codebook)


def heading_lines(table: PrivateTable) -> list[str]:
    """What the steward is told where rows repeat the line of names, hold nothing or sums: nobody's rows.

    Args:
        table: The private table. One that stays in an engine is not looked at.
    """
    if not isinstance(table, pd.DataFrame):
        return []
    named, filled = np.zeros(len(table), dtype=np.int64), np.zeros(len(table), dtype=bool)
    totals = np.zeros(len(table), dtype=bool)
    telling = 0
    for place, name in enumerate(table.columns):
        column = table.iloc[:, place]
        there = column.notna().to_numpy(dtype=bool)
        own = np.zeros(len(table), dtype=bool)
        if column.dtype == object or pd.api.types.is_string_dtype(column.dtype):
            own = (column == str(name)).fillna(False).to_numpy(dtype=bool)
            there = there & ~(column == "").fillna(False).to_numpy(dtype=bool)
            called = [text for text in column.dropna().unique() if TOTAL.fullmatch(str(text).strip())]
            sums = column.isin(called).to_numpy(dtype=bool)
            totals |= sums & bool((there & ~sums).any())  # a table of totals alone has no others
        if (there & ~own).any():  # else its name is what a box says that is ticked, and it tells nothing
            telling += 1
            named += own
        filled |= there
    if telling < FEWEST_COLUMNS:
        return []
    shares = {
        "repeat the names of the columns, as in files that were put together": named > telling // 2,
        "are empty in every column": ~filled,
    }
    told = [
        f"Only for you: {_percent(float(rows.mean()))} of the rows {what}. Each counts as a person: take "
        "them out of the file first."
        for what, rows in shares.items()
        if rows.any()
    ]
    told += [
        f"Only for you: the {where} row holds sums of all others and nothing else. It counts as a person: "
        "take it out of the file first."
        for where, place in (("first", 0), ("last", -1))
        if _holds_sums(table, place)
    ]
    if totals.mean() >= FEWEST_TOTALS:
        told.append(
            f"Only for you: {_percent(float(totals.mean()))} of the rows are called a total in a column. "
            "Where they are sums of other rows, take them out of the file first: each counts as a person."
        )
    return told


def _holds_sums(table: pd.DataFrame, place: int) -> bool:
    """Whether a row has values in half of the columns at most, each the sum of all others of its column."""
    if len(table) < FEWEST_SUMMED:
        return False
    filled = [number for number, value in enumerate(table.iloc[place]) if pd.notna(value) and value != ""]
    if not 0 < 2 * len(filled) <= table.shape[1]:
        return False
    for number in filled:
        column = pd.to_numeric(table.iloc[:, number], errors="coerce").to_numpy(dtype=float)
        total, others = column[place], float(np.nansum(np.delete(column, place)))
        if not others or not math.isclose(total, others, rel_tol=1e-9):
            return False
    return True


def surplus_lines(table: PrivateTable, unit: Unit) -> list[str]:
    """What a command tells the steward about rows that are left out because a person has too many.

    Args:
        table: The private table. One that stays in an engine is not looked at.
        unit: The unit of protection, which the table fits.
    """
    share = surplus_share(table, unit) if isinstance(table, pd.DataFrame) else 0.0
    if not share:
        return []
    return [
        f"Only for you: {_percent(share)} of the rows are left out: of each person at most {unit.rows} are "
        "used, drawn at random. Shares and means are those of the rows used, in which who has many rows "
        f"counts for less; a larger number than {unit.rows} leaves fewer out and asks for more noise."
    ]


def shared_id_lines(table: PrivateTable, unit: Unit) -> list[str]:
    """What a command tells the steward about identifiers of several rows where a row is to be a person.

    Args:
        table: The private table. One that stays in an engine is not looked at.
        unit: The unit of protection.
    """
    if unit.column is not None or not isinstance(table, pd.DataFrame):
        return []
    return [
        f"Only for you: several rows have the same {name!r}. If it tells people apart, register with --unit "
        f"{name}:m, m being the most rows of one person: else each row is protected by itself, and somebody "
        "with several is protected less."
        for name in shared_ids(table).value
    ]


def _unlisted_lines(table: PrivateTable, codebook: Codebook) -> list[str]:
    """What a command tells the steward about values that no category lists."""
    return [
        f"Only for you: {one.name!r}: {_percent(share)} of its values are none of its categories; they "
        + ("count as missing." if one.unknown == "" else f"become {str(one.unknown)!r}.")
        for one, share in unlisted_shares(table, codebook).value
        if one.unknown == "" or share >= FAIR
    ]


def rule_lines(table: PrivateTable, codebook: Codebook) -> list[str]:
    """What a command tells the steward about each rule that rows break.

    Every synthetic row obeys it, so one that does not hold changes its columns: of two random numbers of 0 to
    99 that are said to ascend, the mean of the first falls by .7 standard deviations.

    Args:
        table: The private table. One that stays in an engine is not looked at.
        codebook: Its public codebook, which the table fits.
    """
    if not isinstance(table, pd.DataFrame):
        return []
    return [
        f"Only for you: {_percent(count / len(table))} of the rows break the rule: {rule}. Every synthetic "
        "row obeys it, so their values come out changed; take it out of 'rules' unless everybody knows that "
        "it holds."
        for rule, count in rule_breaks(table, codebook).value
        if count
    ]


def _codes(numbers: NDArray[np.float64], rows: NDArray[np.int64], attribute: Numeric) -> list[str]:
    """The usual missing codes on one side of the bounds, if hardly anything else is there.

    Next to the bounds lies what they forgot, as 7 beyond 6; but below bounds without a sign -1 may be a code.
    """
    if attribute.kind not in ("number", "year") or not numbers.size:
        return []
    gap = float(abs(numbers - np.clip(numbers, attribute.minimum, attribute.maximum)).min())
    if gap <= 1 and not numbers.max() < 0 <= attribute.minimum:
        return []
    held: Mapping[float, int] = {
        float(number): int(count)
        for number, count in zip(numbers, rows, strict=True)
        if float(number) in USUAL_CODES
    }
    if len(held) > MOST_CODES or sum(held.values()) < MOSTLY * rows.sum():
        return []
    return [f"{number:.0f}" for number in sorted(held)]
