"""Rules, and the kinds that say what may stand together; ``deciding.py`` has those that decide a column.

A rule that cannot be told of a row, because a value is missing, holds there.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Numeric
from hmpb_core.errors import DomainError, Sentence
from hmpb_core.rules.conditions import Condition, Conditions, Flags, require_numbers, spread
from hmpb_core.rules.reading import View, absent_texts, is_number, ranges_of
from hmpb_core.texts import text_of

Attributes = Mapping[str, Attribute]


class Rule(Protocol):
    """What is asked of every row."""

    kind: ClassVar[str]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it looks at."""

    @property
    def target(self) -> str | None:
        """The column that the others decide, where there is one."""

    @property
    def words(self) -> Sentence:
        """The rule in words."""

    def check(self, attributes: Attributes) -> None:
        """Refuse a rule that does not fit its columns."""

    def broken(self, view: View) -> Flags:
        """Whether each row breaks it."""

    def assigned(self, view: View) -> pd.Series | None:
        """The target's values as the others decide them; None where nothing is decided."""

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Whether each cell over the columns' codes breaks it whatever it is decoded to; None if none."""

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """The cases it speaks of: each of them must leave some row possible."""

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ascending:
    """Numbers or dates that never fall: the first column is at most the second, and so on."""

    kind: ClassVar[str] = "ascending"
    columns: tuple[str, ...]
    target: ClassVar[None] = None

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        return Sentence("{columns} never fall", {"columns": tuple(map(repr, self.columns))})

    def check(self, attributes: Attributes) -> None:
        """Refuse columns that are no numbers and no dates, and those of different kinds."""
        _require_numbers(self.columns, attributes)
        kinds = {_compared_as(attributes[name]) for name in self.columns} - {""}
        if len(kinds) > 1:
            raise DomainError(
                "A rule compares {columns}, which are of different kinds: {kinds}; compare numbers with "
                "numbers and dates with dates.",
                columns=tuple(map(repr, self.columns)),
                kinds=tuple(sorted(kinds)),
            )

    def broken(self, view: View) -> Flags:
        """Where one column is above the next that has a value."""
        highest = view.numbers(self.columns[0])
        broken = np.zeros(len(view), dtype=bool)
        for name in self.columns[1:]:
            numbers = view.numbers(name)
            broken |= numbers < highest
            highest = np.fmax(highest, numbers)
        return broken

    def assigned(self, view: View) -> pd.Series | None:
        """Nothing is decided."""
        return None

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Cells whose smallest value of a column is above the largest of a later one."""
        table = np.zeros(tuple(attributes[name].size for name in self.columns), dtype=bool)
        ends = [ranges_of(attributes[name]) for name in self.columns]
        for i, j in itertools.combinations(range(len(ends)), 2):
            table |= spread(ends[i][0], i, len(ends)) > spread(ends[j][1], j, len(ends))
        return table

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """All columns have a value."""
        return [all_present(self.columns)]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        return {"kind": self.kind, "columns": list(self.columns)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Implies:
    """Where some conditions hold, others hold too: under 15 means never married.

    Attributes:
        given: When.
        then: What; None forbids the combination.
    """

    kind: ClassVar[str] = "implies"
    given: Conditions
    then: Conditions | None
    target: ClassVar[None] = None

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of both sides."""
        return tuple(dict.fromkeys((*self.given.columns, *(self.then.columns if self.then else ()))))

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        if self.then is None:
            return Sentence("no row where {given}", {"given": self.given.words})
        return Sentence("where {given}, {then}", {"given": self.given.words, "then": self.then.words})

    def check(self, attributes: Attributes) -> None:
        """Refuse values that are not declared."""
        for condition in (*self.given.items, *(self.then.items if self.then else ())):
            condition.check(attributes[condition.column])

    def broken(self, view: View) -> Flags:
        """Where the one holds and the other does not; a missing value leaves open whether the other does."""
        given = self.given.of(view)
        return given if self.then is None else given & ~self.then.hold_or_open(view)

    def assigned(self, view: View) -> pd.Series | None:
        """Nothing is decided."""
        return None

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Cells where the one always holds and the other never does."""
        shape = tuple(attributes[name].size for name in self.columns)
        _, given = self.given.of_cells(attributes, self.columns)
        then = np.False_ if self.then is None else self.then.open_cells(attributes, self.columns)
        return np.broadcast_to(given & ~then, shape)

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """Where its conditions hold, what they imply not left open; a forbidden combination has none."""
        if self.then is None:
            return []
        told = [c.column for c in self.then.items if not c.names_missing(attributes[c.column])]
        return [self.given, Conditions((*self.given.items, *all_present(tuple(told)).items))]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        if self.then is None:
            return {"kind": "forbidden", "if": self.given.written()}
        return {"kind": self.kind, "if": self.given.written(), "then": self.then.written()}


@dataclass(frozen=True, slots=True, kw_only=True)
class NonNegative:
    """A number is never below 0."""

    kind: ClassVar[str] = "nonNegative"
    column: str
    target: ClassVar[None] = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        return Sentence("{column!r} is not negative", {"column": self.column})

    def check(self, attributes: Attributes) -> None:
        """Refuse a column that is neither a number nor a duration."""
        _require_numbers(self.columns, attributes)
        if not _has_sign(attributes[self.column]):
            raise DomainError(
                "{column!r} is declared not negative, but holds dates or times, which have no sign; take the "
                "rule out, or declare its minimum.",
                column=self.column,
            )

    def broken(self, view: View) -> Flags:
        """Where it is below 0."""
        broken: Flags = view.numbers(self.column) < 0
        return broken

    def assigned(self, view: View) -> pd.Series | None:
        """Nothing is decided."""
        return None

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Codes that lie below 0."""
        impossible: Flags = ranges_of(attributes[self.column])[1] < 0
        return impossible

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """The column has a value."""
        return [all_present(self.columns)]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        return {"kind": self.kind, "column": self.column}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedIf:
    """A column is missing wherever its question was not asked.

    Attributes:
        column: The question's column.
        given: When it was asked; there a missing value stays allowed.
    """

    kind: ClassVar[str] = "askedIf"
    column: str
    given: Conditions

    @property
    def columns(self) -> tuple[str, ...]:
        """The question's column and those that decide whether it was asked."""
        return tuple(dict.fromkeys((*self.given.columns, self.column)))

    @property
    def target(self) -> str | None:
        """The question's column."""
        return self.column

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        return Sentence(
            "{column!r} is asked only if {given}", {"column": self.column, "given": self.given.words}
        )

    def check(self, attributes: Attributes) -> None:
        """Refuse a column that is never missing, and values that are not declared."""
        if not attributes[self.column].nullable or self.column in self.given.columns:
            raise DomainError(
                "{column!r} is asked only under a condition but is never missing in the codebook (or is part "
                "of the condition); take 'required' away.",
                column=self.column,
            )
        for condition in self.given.items:
            condition.check(attributes[condition.column])

    def broken(self, view: View) -> Flags:
        """Where it has a value though it was not asked, or nobody can tell whether it was."""
        return ~self.given.of(view) & view.present(self.column)

    def assigned(self, view: View) -> pd.Series | None:
        """Missing where it was not asked."""
        return view.frame[self.column].mask(self.broken(view))

    def moved(self, view: View, order: NDArray[np.intp]) -> pd.Series:
        """Missing where it was not asked, the values of these rows in those that were asked and have none.

        Of two columns that the model knows apart a fifth is missing in each, where a fifth was not asked:
        emptied alone, 36 % would be missing.

        Args:
            view: Drawn rows.
            order: The rows in the order in which they give and take.
        """
        gone, column = self.broken(view), view.frame[self.column]
        lacking = self.given.of(view) & ~view.present(self.column)
        givers, takers = (order[flags[order]] for flags in (gone, lacking))
        count = min(len(givers), len(takers))
        values = column.mask(gone).array.copy()
        values[takers[:count]] = column.array[givers[:count]]
        return pd.Series(values, index=column.index, name=column.name)

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Values where it is never asked."""
        shape = tuple(attributes[name].size for name in self.columns)
        asked, _ = self.given.of_cells(attributes, self.columns)
        missing = Condition(column=self.column, test="missing", values=(True,))
        absent = spread(
            missing.of_codes(attributes[self.column])[1], self.columns.index(self.column), len(shape)
        )
        return np.broadcast_to(~asked & ~absent, shape)

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """Where it was asked, and where it has a value."""
        return [self.given, all_present((self.column,))]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        return {"kind": self.kind, "column": self.column, "if": self.given.written()}


def all_present(columns: tuple[str, ...]) -> Conditions:
    """All of these columns have a value."""
    return Conditions(tuple(Condition(column=c, test="missing", values=(False,)) for c in columns))


def _has_sign(attribute: Attribute) -> bool:
    """Whether a column holds numbers or durations, or categories of which one is a number."""
    if isinstance(attribute, Numeric):
        return attribute.kind in ("number", "duration")
    texts = {text_of(category) for category in attribute.categories} - absent_texts(attribute)
    return any(is_number(text) for text in texts)


def _compared_as(attribute: Attribute) -> str:
    """What values are compared as; empty for categories, which are read as what they look like."""
    if not isinstance(attribute, Numeric):
        return ""
    return {"datetime": "date", "year": "number"}.get(attribute.kind, attribute.kind)


def _require_numbers(columns: tuple[str, ...], attributes: Attributes) -> None:
    for name in columns:
        require_numbers(name, attributes[name])
