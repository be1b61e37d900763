"""Rules that read a list off a number: the age group beside the age, passed or failed beside the points."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical, Domain, Numeric, Scalar
from hmpb_core.errors import DomainError, Sentence
from hmpb_core.rules.conditions import Condition, Conditions, Flags, require_numbers
from hmpb_core.rules.deciding import TOLERANCE, OfOne, absent_codes, as_written
from hmpb_core.rules.kinds import Attributes, Rule, all_present
from hmpb_core.rules.reading import View, meanings, number_of, ranges_of, unit_of

Floats = NDArray[np.float64]
ROUNDING = 1e-3
"""Part of a number's step by which it may lie below a band's start and be in it: 18.5 may be stored as
18.499999999999996."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BandOf(OfOne):
    """A column says in which band a number, a date or a time lies: ``age_group`` beside ``age``.

    Attributes:
        column: The column of bands, a list.
        source: What it is read off.
        values: For each start, as a text, the category from there to below the next start. Below the first
            one nothing is said.
        emptied: Whether ``column`` is missing just where ``source`` is; None where the model has not told.
    """

    kind: ClassVar[str] = "bandOf"
    values: Mapping[str, Scalar] = field(hash=False)
    emptied: bool | None = field(default=None, compare=False, repr=False)

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        return Sentence("{column!r} is a band of {source!r}", {"column": self.column, "source": self.source})

    def check(self, attributes: Attributes) -> None:
        """Refuse what is no number, starts that are none, and values that are not declared."""
        source, column = attributes[self.source], attributes[self.column]
        require_numbers(self.source, source)
        if not isinstance(column, Categorical) or self.column == self.source or not self.values:
            raise DomainError(
                "{column!r} is declared as a band of {source!r}, but is no list of categories, or no band is "
                "named; declare its categories, and for each the number at which it begins.",
                column=self.column,
                source=self.source,
            )
        for start in self.values:
            Condition(column=self.source, test="atLeast", values=(start,)).check(source)
        if len({start for start, _ in self._in_order(source)}) < len(self.values):
            raise DomainError(
                "{column!r} is declared as a band of {source!r}, of which two begin at the same place; give "
                "each a start of its own.",
                column=self.column,
                source=self.source,
            )
        Condition(column=self.column, test="among", values=tuple(self.values.values())).check(column)

    def starts(self, attributes: Attributes) -> Floats:
        """Where each band begins, ascending, less what a computer rounds; of moments in days."""
        source = attributes[self.source]
        starts: Floats = np.array([start for start, _ in self._in_order(source)])
        if isinstance(source, Numeric) and not source.listed:
            starts -= ROUNDING * float(source.grid.step) / unit_of(source)
        else:
            starts -= TOLERANCE * np.maximum(1.0, np.abs(starts))
        return starts

    def _in_order(self, source: Attribute) -> list[tuple[float, str]]:
        """Where each band begins, as a number and as it is written, ascending."""
        numbers = source if isinstance(source, Numeric) else None
        return sorted((number_of(text, numbers), text) for text in self.values)

    def _categories(self, source: Attribute) -> list[Scalar]:
        """The category of each band, in the order of their starts."""
        return [self.values[text] for _, text in self._in_order(source)]

    def is_whole(self, attributes: Attributes) -> bool:
        """Whether every number that the source may hold lies in a band."""
        low, _ = ranges_of(attributes[self.source])
        return bool(np.nanmin(low) >= self.starts(attributes)[0])

    def broken(self, view: View) -> Flags:
        """Where both have a value, and the number lies in another band."""
        categories = self._categories(view.attributes[self.source])
        wanted = meanings(categories, view.attributes[self.column])
        other, texts = view.parts(self.column)
        number = {text: i for i, text in enumerate({*wanted, *texts})}
        due = np.array([-1, *(number[text] for text in wanted)])[self._places(view) + 1]
        found = np.array([-1 if text is None else number[text] for text in texts])[other]
        broken: Flags = (due >= 0) & view.present(self.column) & (due != found)
        return broken

    def assigned(self, view: View) -> pd.Series | None:
        """The bands of the numbers; what was drawn where a number is missing, or lies in none."""
        column, attribute = view.frame[self.column], view.attributes[self.column]
        places = self._places(view)
        written = as_written(self._categories(view.attributes[self.source]), attribute)
        bands = pd.Series(
            pd.Series(written, dtype=column.dtype).array[np.maximum(places, 0)], index=column.index
        )
        read = column.where(places < 0, bands)
        if not attribute.nullable or self.emptied is None:
            return read
        there = view.present(self.source)
        return read.mask(~there if self.emptied else ~view.present(self.column))

    def _places(self, view: View) -> NDArray[np.intp]:
        """The place of each row's band among those by their starts; -1 where it has none."""
        numbers = view.numbers(self.source)
        places = np.searchsorted(self.starts(view.attributes), numbers, side="right") - 1
        return np.where(np.isnan(numbers), -1, places)

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Pairs of codes of which no number of the one lies in the band of the other; a missing one may."""
        column = attributes[self.column]
        low, high = ranges_of(attributes[self.source])
        starts = self.starts(attributes)
        table = np.zeros((low.size, column.size), dtype=bool)
        known = ~np.isnan(low)
        first, last = (np.searchsorted(starts, ends, side="right") - 1 for ends in (low, high))
        table[np.ix_(known & (first >= 0), ~absent_codes(self.column, column))] = True
        for place, value in enumerate(self._categories(attributes[self.source])):
            own = Condition(column=self.column, test="among", values=(value,)).of_codes(column)[0]
            table[np.ix_(known & (first <= place) & (place <= last), own)] = False
        return table

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """Every band in which a number of the source may lie."""
        (low, high), bands = ranges_of(attributes[self.source]), self._in_order(attributes[self.source])
        cases = []
        for (start, text), (end, next_text) in itertools.pairwise([*bands, (math.inf, "")]):
            if start <= np.nanmax(high) and end > np.nanmin(low):
                below = [self._bound("below", next_text)] if next_text else []
                present = all_present((self.column,)).items
                cases.append(Conditions((*present, self._bound("atLeast", text), *below)))
        return cases

    def _bound(self, test: str, text: str) -> Condition:
        return Condition(column=self.source, test=test, values=(text,))

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        return {"kind": self.kind, "column": self.column, "of": self.source, "values": dict(self.values)}


def cuts_of(rules: Sequence[Rule], domain: Domain) -> dict[int, NDArray[np.int64]]:
    """Positions at which a code of learned bins is to begin, since a band of a public rule does.

    So a band follows from the code of its number, and is modelled beside it.

    Args:
        rules: The public rules.
        domain: The domain.
    """
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    found: dict[int, NDArray[np.int64]] = {}
    for rule in rules:
        source = attributes.get(rule.source) if isinstance(rule, BandOf) else None
        if (
            isinstance(rule, BandOf)
            and isinstance(source, Numeric)
            and source.learned
            and source.since is None
        ):
            places = source.grid.first_from(rule.starts(attributes) * unit_of(source))
            index = domain.index(rule.source)
            inside = places[(places > 0) & (places < source.grid.size)]
            if len(inside) < source.bins:
                found[index] = np.union1d(found.get(index, inside), inside)
    return found
