"""Rules that read a list off a number: the age group beside the age, passed or failed beside the points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Categorical, Domain, Numeric, Scalar
from hmpb_core.errors import DomainError, Sentence
from hmpb_core.rules.conditions import Condition, Conditions, Flags, require_numbers
from hmpb_core.rules.deciding import OfOne, as_written
from hmpb_core.rules.kinds import Attributes, Rule, all_present
from hmpb_core.rules.reading import View, meanings, number_of, ranges_of, unit_of

Floats = NDArray[np.float64]
TOLERANCE = 1e-9
"""Part of a number by which it may lie below a band's start and be in it: the rounding of decimals."""


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
        starts = [number_of(start, source if isinstance(source, Numeric) else None) for start in self.values]
        if len(set(starts)) < len(starts):
            raise DomainError(
                "{column!r} is declared as a band of {source!r}, of which two begin at the same place; give "
                "each a start of its own.",
                column=self.column,
                source=self.source,
            )
        Condition(column=self.column, test="among", values=tuple(self.values.values())).check(column)

    def starts(self, attributes: Attributes) -> Floats:
        """Where each band begins, ascending."""
        return np.sort(list(self._by_start(attributes)))

    def _by_start(self, attributes: Attributes) -> dict[float, Scalar]:
        """The category of each band by its start, ascending; of moments in days."""
        source = attributes[self.source]
        read = {
            number_of(text, source if isinstance(source, Numeric) else None): text for text in self.values
        }
        return {start: self.values[read[start]] for start in sorted(read)}

    def is_whole(self, attributes: Attributes) -> bool:
        """Whether every number that the source may hold lies in a band."""
        low, _ = ranges_of(attributes[self.source])
        return bool(np.nanmin(low) >= _from(self.starts(attributes))[0])

    def broken(self, view: View) -> Flags:
        """Where both have a value, and the number lies in another band."""
        categories = self._by_start(view.attributes).values()
        wanted = meanings(list(categories), view.attributes[self.column])
        other, texts = view.parts(self.column)
        number = {text: i for i, text in enumerate(dict.fromkeys([*wanted, *filter(None, texts)]))}
        due = np.array([-1, *(number[text] for text in wanted)])[self._places(view) + 1]
        found = np.array([-1 if text is None else number[text] for text in texts])[other]
        broken: Flags = (due >= 0) & view.present(self.column) & (due != found)
        return broken

    def assigned(self, view: View) -> pd.Series | None:
        """The bands of the numbers; what was drawn where a number is missing, or lies in none."""
        column, attribute = view.frame[self.column], view.attributes[self.column]
        places = self._places(view)
        written = as_written(list(self._by_start(view.attributes).values()), attribute)
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
        starts = _from(self.starts(view.attributes))
        numbers = view.numbers(self.source)
        places = np.searchsorted(starts, numbers, side="right") - 1
        return np.where(np.isnan(numbers), -1, places)

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Pairs of codes of which no number of the one lies in the band of the other."""
        column = attributes[self.column]
        low, high = ranges_of(attributes[self.source])
        starts = _from(self.starts(attributes))
        table = np.zeros((low.size, column.size), dtype=bool)
        known = ~np.isnan(low)
        first, last = (np.searchsorted(starts, ends, side="right") - 1 for ends in (low, high))
        table[known & (first >= 0)] = True
        for place, value in enumerate(self._by_start(attributes).values()):
            own = Condition(column=self.column, test="among", values=(value,)).of_codes(column)[0]
            table[np.ix_(known & (first <= place) & (place <= last), own)] = False
        return table

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """Both columns have a value."""
        return [all_present(self.columns)]

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
            places = source.grid.first_from(_from(rule.starts(attributes)) * unit_of(source))
            index = domain.index(rule.source)
            inside = places[(places > 0) & (places < source.grid.size)]
            if len(inside) < source.bins:
                found[index] = np.union1d(found.get(index, inside), inside)
    return found


def _from(starts: Floats) -> Floats:
    """Starts, lowered by a rounding: 18.5 may be stored as 18.499999999999996."""
    return starts - TOLERANCE * np.maximum(1.0, np.abs(starts))
