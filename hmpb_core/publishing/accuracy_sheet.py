"""The accuracy sheet as its readers see it: for each column and pair what may be counted on, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hmpb_core.catalogue import Words
from hmpb_core.domain import MISSING_LABEL
from hmpb_core.planning.feasibility import Verdict
from hmpb_core.privacy.guarantee import power_of_ten
from hmpb_core.privacy.unit import ROW, Unit
from hmpb_core.publishing.dictionary import dictionary_of
from hmpb_core.publishing.page import page_of
from hmpb_core.publishing.record import ReleaseRecord, persons_of
from hmpb_core.publishing.rule_words import rules_told
from hmpb_core.publishing.words.catalogue import ENGLISH

FORMAT = "hmpb-accuracy/1"
SHOWN_PAIRS = 40
SMALL = 1e-3
"""Numbers from which on they are written out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAccuracy:
    """How well a column alone is known.

    Attributes:
        name: Its name.
        values: Number of its codes.
        noise: Half the width of the 95 % noise interval of a value's share, in shares of the rows; None where
            no paid table holds the whole column.
        rare_noise: The same for values that the column's own tables cannot tell from none, of which larger
            tables say only how many they are together; None where it has no two such values.
        hidden: Values that the rows lack because noise hid them, each with the largest share of the rows that
            may have it.
        mean_noise: The same for the column's mean, in its own unit; None where it is no number, or where its
            mean is not known.
        is_number: Whether it has a mean.
        follows: Whether a rule decides it.
        repeats: The column whose value many of its rows repeat; none where its codes are its own alone.
    """

    name: str
    values: int
    noise: float | None
    mean_noise: float | None
    is_number: bool = False
    rare_noise: float | None = None
    hidden: tuple[tuple[str, float], ...] = ()
    follows: bool = False
    repeats: str = ""

    @property
    def has_rare(self) -> bool:
        """Whether rare values have an interval of their own, wider than the others'."""
        return (
            not self.follows
            and self.noise is not None
            and self.rare_noise is not None
            and self.rare_noise > self.noise
        )

    def share_words(self, words: Words = ENGLISH) -> str:
        """The interval of a share as the page says it."""
        if self.follows:
            return words("accuracy.follows")
        if self.repeats:
            return words("accuracy.repeats", column=self.repeats)
        noise = _points(self.noise, words)
        if not self.has_rare:
            return noise
        return words("accuracy.rare", points=noise, rare=_points(self.rare_noise, words))

    @property
    def lacks_mean(self) -> bool:
        """Whether it was measured and noise hides its mean all the same."""
        return self.is_number and self.noise is not None and self.mean_noise is None

    def mean_words(self, words: Words = ENGLISH) -> str:
        """The mean's interval as the page says it."""
        if self.mean_noise is None:
            return words("accuracy.no_mean") if self.is_number else ""
        if self.mean_noise >= 100:
            return f"{float(f'{self.mean_noise:.3g}'):,.0f}"
        return f"{self.mean_noise:.3g}" if self.mean_noise >= SMALL else power_of_ten(self.mean_noise)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAccuracy:
    """How well two columns together are known.

    Attributes:
        names: Their names.
        cells: Cells of their table.
        noise: Half the width of the 95 % noise interval of a cell's share, in shares of the rows.
        error: Expected total variation distance that noise causes, in shares of the rows.
        verdict: What that error leaves of a relation of ordinary strength.
    """

    names: tuple[str, str]
    cells: int
    noise: float
    error: float
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """What readers may count on.

    Attributes:
        rows: Rows of the synthetic table.
        people: Rows of the private table, as far as the bundle knows them.
        drawing: Half the width of the 95 % interval that drawing the rows adds to a share, at most.
        columns: Each column alone.
        pairs: The pairs that were paid for together, the least accurate first.
        indirect: Number of pairs that no paid table holds together.
        lonely: Columns of which no pair was paid for, and which follow from no others by a rule.
        smallest: Smallest group in a typical paid pair of which the size is known to within one half; None
            without pairs.
        follows: Columns that declared rules decide, each with the columns that decide it.
        by_chance: Those of them of which noise decided what follows from which value.
        unit: Who is protected: a person may have several rows.
    """

    rows: int
    people: int
    drawing: float
    columns: tuple[ColumnAccuracy, ...]
    pairs: tuple[PairAccuracy, ...]
    indirect: int
    lonely: tuple[str, ...]
    smallest: int | None
    follows: tuple[tuple[str, tuple[str, ...]], ...] = ()
    by_chance: tuple[str, ...] = ()
    unit: Unit = ROW

    def headline(self, words: Words = ENGLISH) -> str:
        """The sheet in two sentences."""
        known = [column.noise for column in self.columns if column.noise is not None]
        drawing = words("accuracy.drawing", rows=f"{self.rows:,}", points=_points(self.drawing, words))
        if not known:
            return drawing
        worst = _points(max(known), words)
        if max(known) < 1:
            text = words("accuracy.known", points=worst, drawing=drawing)
        else:
            text = words("accuracy.unknown", unknown=worst, drawing=drawing)
        if self.pairs:
            weak = sum(pair.verdict is not Verdict.USABLE for pair in self.pairs)
            text = words("accuracy.pairs_weak", headline=text, pairs=len(self.pairs), weak=weak)
        return text

    def avoid(self, words: Words = ENGLISH) -> list[str]:
        """What the rows should not be used for."""
        found = []
        if self.smallest is not None:
            key = "groups_of_people" if self.unit.column is None else "groups_of_rows"
            key = key if self.smallest < self.people else "groups"
            found.append(words(f"avoid.{key}", smallest=f"{self.smallest:,}"))
        drowned = [words("list.and").join(p.names) for p in self.pairs if p.verdict is Verdict.DROWNED]
        if drowned:
            key = "avoid.drowned" if len(drowned) == 1 else "avoid.drowned_some"
            found.append(words(key, pairs=words("list.semicolon").join(drowned), n=len(drowned)))
        if self.lonely:
            key = "avoid.lonely" if len(self.lonely) == 1 else "avoid.lonely_some"
            found.append(words(key, names=words.row(self.lonely), n=len(self.lonely)))
        found += self._decided(words)
        hidden_values = dict.fromkeys(value for column in self.columns for value, _ in column.hidden)
        found += [self._hidden(value, words) for value in hidden_values]
        if hidden := [column.name for column in self.columns if column.lacks_mean]:
            key = "avoid.no_mean" if len(hidden) == 1 else "avoid.no_mean_some"
            found.append(words(key, names=words.row(hidden), n=len(hidden)))
        if self.indirect:
            found.append(words("avoid.indirect", pairs=self.indirect))
        return [*found, words("avoid.three"), *persons_of(self.unit, words), words("avoid.rows")]

    def _decided(self, words: Words) -> list[str]:
        """Of which columns rules alone say what they have to do with others, and where noise chose what."""
        measured = {name for pair in self.pairs for name in pair.names}
        sources = {name: words("list.and").join(of) for name, of in self.follows}
        found = [words("avoid.by_chance", name=name, sources=sources[name]) for name in self.by_chance]
        ruled = [name for name in sources if name not in measured.union(self.by_chance)]
        if len(ruled) == 1:
            found.append(words("avoid.follows", name=ruled[0], sources=sources[ruled[0]]))
        elif ruled:
            each = [words("avoid.follows_from", name=name, sources=sources[name]) for name in ruled]
            found.append(words("avoid.follows_some", n=len(each), names=words.row(each)))
        return found

    def _hidden(self, value: str, words: Words) -> str:
        """Of which columns no row has this value because noise hid it, and how common it may be."""
        most = {
            c.name: _points(dict(c.hidden)[value], words) for c in self.columns if value in dict(c.hidden)
        }
        shown = words("missing_value") if value == MISSING_LABEL else value
        if len(most) == 1:
            name, points = next(iter(most.items()))
            return words("avoid.hidden", value=shown, name=name, points=points)
        each = [words("avoid.hidden_in", name=name, points=points) for name, points in most.items()]
        return words("avoid.hidden_some", value=shown, n=len(each), names=words.row(each))

    def to_dict(self) -> dict[str, Any]:
        """Give the sheet as plain values, for programs: in English."""
        return {
            "format": FORMAT,
            "headline": self.headline(),
            "rows": self.rows,
            "drawing_interval": self.drawing,
            "columns": {
                column.name: {
                    "values": column.values,
                    "noise_interval": _capped(column.noise),
                    "rare_noise_interval": _capped(column.rare_noise),
                    "hidden": dict(column.hidden),
                    "mean_noise_interval": column.mean_noise,
                }
                for column in self.columns
            },
            "pairs": [
                {
                    "columns": list(pair.names),
                    "cells": pair.cells,
                    "noise_interval": _capped(pair.noise),
                    "expected_error": pair.error,
                    "verdict": pair.verdict.value,
                }
                for pair in self.pairs
            ],
            "pairs_not_measured": self.indirect,
            "do_not_use": self.avoid(),
        }


def accuracy_page(record: ReleaseRecord, sheet: Accuracy) -> str:
    """Give the sheet for people."""
    words = record.words
    return page_of(
        "accuracy.html.j2",
        record,
        headline=sheet.headline(words),
        avoid=sheet.avoid(words),
        drawing=f"{100 * sheet.drawing:.2g}",
        rare=any(column.has_rare for column in sheet.columns),
        columns=[
            (column.name, column.values, column.share_words(words), column.mean_words(words))
            for column in sheet.columns
        ],
        pairs=[
            (
                " x ".join(pair.names),
                f"{pair.cells:,}",
                _points(pair.noise, words),
                _points(pair.error, words),
                words(f"verdict.{pair.verdict}"),
            )
            for pair in sheet.pairs[:SHOWN_PAIRS]
        ],
        more=max(0, len(sheet.pairs) - SHOWN_PAIRS),
        dictionary=dictionary_of(record.codebook, words, elsewhere=record.elsewhere),
        rules=rules_told(record.codebook, words),
    )


def _points(share: float | None, words: Words) -> str:
    if share is None:
        return words("accuracy.not_alone")
    return words("points", points=f"{100 * share:.2g}") if share < 1 else words("accuracy.no_share")


def _capped(share: float | None) -> float | None:
    return None if share is None else min(1.0, share)
