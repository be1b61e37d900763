"""The kinds of rules. A rule that cannot be told of a row, because a value is missing, holds there."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import pandas as pd

from hmpb_core.domain import Attribute, Categorical, Numeric, Scalar, text_of
from hmpb_core.errors import DomainError, Sentence
from hmpb_core.rules.conditions import Condition, Conditions, Flags, require_numbers, spread
from hmpb_core.rules.reading import View, meaning, number_of, ranges_of, read_number

TOLERANCE = 1e-9
"""Relative difference below which a sum is exact: the rounding of floating-point additions."""

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

    def assigned(self, frame: pd.DataFrame, attributes: Attributes) -> pd.Series | None:
        """The target's values as the others decide them; None where nothing is decided."""

    def whole(self, attributes: Attributes) -> bool:
        """Whether it decides its target wherever no value is missing."""

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Whether each cell over the columns' codes breaks it whatever it is decoded to; None if none."""

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """The cases it speaks of: each of them must leave some row possible."""

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Follows:
    """One column follows from another: ``education-num`` from ``education``.

    Attributes:
        column: What follows.
        source: What it follows from: a column with listed categories.
        values: Value of ``column`` for each text of ``source``; None where a mapping exists that nobody
            listed: then it is taken from the model (``obeying.py``).
    """

    kind: ClassVar[str] = "follows"
    column: str
    source: str
    values: Mapping[str, Scalar] | None = field(default=None, hash=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Both columns."""
        return (self.source, self.column)

    @property
    def target(self) -> str | None:
        """What follows."""
        return self.column

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        return Sentence("{column!r} follows from {source!r}", {"column": self.column, "source": self.source})

    def check(self, attributes: Attributes) -> None:
        """Refuse a source without categories, and values that are not declared."""
        source = attributes[self.source]
        if self.column == self.source:
            raise _of_itself(self.column)
        if not isinstance(source, Categorical):
            raise DomainError(
                "{column!r} follows from {source!r}, which lists no categories; only from categories can "
                "another column follow.",
                column=self.column,
                source=self.source,
            )
        if self.values is not None:
            Condition(column=self.source, test="among", values=tuple(self.values)).check(source)
            wanted = Condition(column=self.column, test="among", values=tuple(self.values.values()))
            wanted.check(attributes[self.column])
            _require_within(self.column, tuple(self.values.values()), attributes[self.column])

    def _by_category(self, attributes: Attributes) -> dict[str | None, Scalar]:
        """The values, each by the text of the category that it follows from."""
        return {meaning(text, attributes[self.source]): value for text, value in (self.values or {}).items()}

    def broken(self, view: View) -> Flags:
        """Where the value is not the mapped one."""
        if self.values is None:
            return np.zeros(len(view), dtype=bool)
        place, texts = view.parts(self.source)
        other, others = view.parts(self.column)
        values, column = self._by_category(view.attributes), view.attributes[self.column]
        wanted = [meaning(values[text], column) if text in values else None for text in texts]
        number = {
            text: i for i, text in enumerate(dict.fromkeys([*filter(None, wanted), *filter(None, others)]))
        }
        of_source = np.array([-1 if text is None else number[text] for text in wanted])
        of_column = np.array([-2 if text is None else number[text] for text in others])
        due = of_source[place]
        broken: Flags = (due != -1) & (due != of_column[other])
        return broken

    def assigned(self, frame: pd.DataFrame, attributes: Attributes) -> pd.Series | None:
        """The mapped values; the present ones where nothing is mapped."""
        if self.values is None:
            return None
        column, by_category = frame[self.column], self._by_category(attributes)
        places, texts = View(frame, attributes).parts(self.source)
        known = np.array([text is not None and text in by_category for text in texts])
        values = [by_category.get(text) if text is not None else None for text in texts]
        mapped = pd.Series(
            pd.Series(_as_written(values, attributes[self.column]), dtype=column.dtype).array[places],
            index=frame.index,
        )
        return column.where(~known[places], mapped)

    def whole(self, attributes: Attributes) -> bool:
        """Where every category has a value that follows."""
        source = attributes[self.source]
        categories = source.categories if isinstance(source, Categorical) else ()
        known = self._by_category(attributes)
        return bool(known) and all(text_of(category) in known for category in categories)

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Every pair of codes that cannot be a pair of the mapping."""
        if self.values is None:
            return None
        source, column = attributes[self.source], attributes[self.column]
        table = np.zeros((source.size, column.size), dtype=bool)
        values = self._by_category(attributes)
        for code, category in enumerate(source.categories if isinstance(source, Categorical) else ()):
            if text_of(category) in values:
                wanted = Condition(column=self.column, test="among", values=(values[text_of(category)],))
                table[code] = ~wanted.of_codes(column)[0]
        return table

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """Every value that something follows from."""
        return [
            Conditions((Condition(column=self.source, test="among", values=(text,)),))
            for text in self.values or ()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        written: dict[str, Any] = {"kind": self.kind, "column": self.column, "from": self.source}
        return written if self.values is None else {**written, "values": dict(self.values)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ascending:
    """Numbers or dates that never fall: the first column is at most the second, and so on."""

    kind: ClassVar[str] = "ascending"
    columns: tuple[str, ...]
    target: ClassVar[None] = None

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        return Sentence("{columns} never fall", {"columns": ", ".join(map(repr, self.columns))})

    def check(self, attributes: Attributes) -> None:
        """Refuse columns that are no numbers and no dates, and those of different kinds."""
        _require_numbers(self.columns, attributes)
        kinds = {_compared_as(attributes[name]) for name in self.columns} - {""}
        if len(kinds) > 1:
            raise DomainError(
                "A rule compares {columns}, which are of different kinds: {kinds}; compare numbers with "
                "numbers and dates with dates.",
                columns=", ".join(map(repr, self.columns)),
                kinds=", ".join(sorted(kinds)),
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

    def assigned(self, frame: pd.DataFrame, attributes: Attributes) -> pd.Series | None:
        """Nothing is decided."""
        return None

    def whole(self, attributes: Attributes) -> bool:
        """Nothing is decided wholly."""
        return False

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Cells whose smallest value of a column is above the largest of a later one."""
        table = np.zeros(tuple(attributes[name].size for name in self.columns), dtype=bool)
        ends = [ranges_of(attributes[name]) for name in self.columns]
        for i, j in itertools.combinations(range(len(ends)), 2):
            table |= spread(ends[i][0], i, len(ends)) > spread(ends[j][1], j, len(ends))
        return table

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """All columns have a value."""
        return [_all_present(self.columns)]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        return {"kind": self.kind, "columns": list(self.columns)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """A column is the sum of others.

    Attributes:
        column: The total.
        parts: What it is the sum of.
    """

    kind: ClassVar[str] = "sum"
    column: str
    parts: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The parts, then the total."""
        return (*self.parts, self.column)

    @property
    def target(self) -> str | None:
        """The total."""
        return self.column

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        return Sentence(
            "{column!r} is the sum of {parts}",
            {"column": self.column, "parts": ", ".join(map(repr, self.parts))},
        )

    def check(self, attributes: Attributes) -> None:
        """Refuse columns that are no numbers, and a whole total of broken parts."""
        numeric = [attributes[name] for name in self.columns]
        if self.column in self.parts:
            raise _of_itself(self.column)
        if not all(isinstance(one, Numeric) and one.kind == "number" for one in numeric):
            raise DomainError(
                "{column!r} is declared as a sum, but not all of {columns} are numbers with a minimum and a "
                "maximum; declare them so.",
                column=self.column,
                columns=", ".join(map(repr, self.columns)),
            )
        whole = [isinstance(attribute, Numeric) and attribute.integer for attribute in numeric]
        if whole[-1] and not all(whole):
            raise DomainError(
                "{column!r} is a whole number but the sum of numbers that are not; declare its "
                "type 'number'.",
                column=self.column,
            )
        total = numeric[-1]
        if isinstance(total, Numeric) and total.resolution is not None:
            for name, part in zip(self.parts, numeric, strict=False):
                if isinstance(part, Numeric) and not _on_grid(part, total):
                    raise DomainError(
                        "{column!r} is a multiple of {step:g} but the sum of numbers that need not be, such "
                        "as {part!r}; declare for both the same decimals, or a multiple for the parts.",
                        column=self.column,
                        step=float(total.grid.step),
                        part=name,
                    )

    def broken(self, view: View) -> Flags:
        """Where the total is not the sum."""
        parts = [view.numbers(name) for name in self.parts]
        total, due = view.numbers(self.column), np.sum(parts, axis=0)
        size = np.maximum(1.0, np.sum(np.abs(parts), axis=0))
        broken: Flags = np.abs(total - due) > TOLERANCE * size
        return broken

    def assigned(self, frame: pd.DataFrame, attributes: Attributes) -> pd.Series | None:
        """The sum, where it lies in the total's range."""
        attribute = attributes[self.column]
        column, view = frame[self.column], View(frame, attributes)
        due = np.round(np.sum([view.numbers(name) for name in self.parts], axis=0), 9)
        if not isinstance(attribute, Numeric):
            return None
        fits = (due >= attribute.minimum) & (due <= attribute.maximum) & view.present(self.column)
        values = np.where(fits, due, attribute.minimum)
        whole = np.rint(values).astype(np.int64) if attribute.integer else values
        return column.where(~fits, pd.Series(whole, index=frame.index).astype(column.dtype))

    def whole(self, attributes: Attributes) -> bool:
        """Always: the sum is the sum."""
        return True

    def impossible(self, attributes: Attributes) -> Flags | None:
        """None: nearly every cell can hold an exact sum or not; the total is assigned."""
        return None

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """All columns have a value."""
        return [_all_present(self.columns)]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        return {"kind": self.kind, "column": self.column, "parts": list(self.parts)}


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
            return Sentence("{given} is forbidden", {"given": str(self.given.written())})
        return Sentence(
            "{given} implies {then}", {"given": str(self.given.written()), "then": str(self.then.written())}
        )

    def check(self, attributes: Attributes) -> None:
        """Refuse values that are not declared."""
        for condition in (*self.given.items, *(self.then.items if self.then else ())):
            condition.check(attributes[condition.column])

    def broken(self, view: View) -> Flags:
        """Where the one holds and the other does not."""
        given = self.given.of(view)
        return given if self.then is None else given & ~self.then.of(view)

    def assigned(self, frame: pd.DataFrame, attributes: Attributes) -> pd.Series | None:
        """Nothing is decided."""
        return None

    def whole(self, attributes: Attributes) -> bool:
        """Nothing is decided wholly."""
        return False

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Cells where the one always holds and the other never does."""
        shape = tuple(attributes[name].size for name in self.columns)
        _, given = self.given.of_cells(attributes, self.columns)
        then = np.False_ if self.then is None else self.then.of_cells(attributes, self.columns)[0]
        return np.broadcast_to(given & ~then, shape)

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """Where its conditions hold; a forbidden combination speaks of no row."""
        return [] if self.then is None else [self.given]

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
        """Refuse a column that is no number."""
        _require_numbers(self.columns, attributes)

    def broken(self, view: View) -> Flags:
        """Where it is below 0."""
        broken: Flags = view.numbers(self.column) < 0
        return broken

    def assigned(self, frame: pd.DataFrame, attributes: Attributes) -> pd.Series | None:
        """Nothing is decided."""
        return None

    def whole(self, attributes: Attributes) -> bool:
        """Nothing is decided wholly."""
        return False

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Codes that lie below 0."""
        impossible: Flags = ranges_of(attributes[self.column])[1] < 0
        return impossible

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """The column has a value."""
        return [_all_present(self.columns)]

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
            "{column!r} is asked only if {given}", {"column": self.column, "given": str(self.given.written())}
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
        """Where it has a value though it was not asked."""
        return ~self.given.of(view) & view.present(self.column)

    def assigned(self, frame: pd.DataFrame, attributes: Attributes) -> pd.Series | None:
        """Missing where it was not asked."""
        return frame[self.column].mask(self.broken(View(frame, attributes)))

    def whole(self, attributes: Attributes) -> bool:
        """Nothing is decided wholly."""
        return False

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
        return [self.given, _all_present((self.column,))]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        return {"kind": self.kind, "column": self.column, "if": self.given.written()}


def _all_present(columns: tuple[str, ...]) -> Conditions:
    return Conditions(tuple(Condition(column=c, test="missing", values=(False,)) for c in columns))


def _of_itself(column: str) -> DomainError:
    return DomainError(
        "A rule has {column!r} decide itself; take it out of what it follows from or is the sum of.",
        column=column,
    )


def _require_within(column: str, values: tuple[Scalar, ...], attribute: Attribute) -> None:
    """Refuse values that follow and lie outside the declared range, or are broken where it is whole."""
    if not isinstance(attribute, Numeric):
        return
    for value in values:
        number = read_number(value, attribute)
        whole = not attribute.integer or attribute.kind != "number" or number == round(number)
        if not (attribute.minimum <= number <= attribute.maximum and whole):
            raise DomainError(
                "A rule gives {column!r} the value {value!r}, which lies outside its declared range, or is "
                "broken where it is whole; correct the rule or the range.",
                column=column,
                value=value,
            )


def _compared_as(attribute: Attribute) -> str:
    """What values are compared as; empty for categories, which are read as what they look like."""
    if not isinstance(attribute, Numeric):
        return ""
    return {"datetime": "date", "year": "number"}.get(attribute.kind, attribute.kind)


def _on_grid(part: Numeric, total: Numeric) -> bool:
    """Whether every value of a part is a multiple of the total's step."""
    told = part.integer or part.resolution is not None or part.learned
    return told and (part.grid.step / total.grid.step).denominator == 1


def _as_written(values: list[Any], attribute: Attribute) -> list[Any]:
    """Values as the column's type has them: an equal text is the category itself."""
    if isinstance(attribute, Categorical):
        decoded = [False, True] if attribute.boolean else attribute.categories
        categories = {text_of(c): kept for c, kept in zip(attribute.categories, decoded, strict=True)}
        return [None if value is None else categories[str(meaning(value, attribute))] for value in values]
    if attribute.kind not in ("number", "year"):
        return [None if value is None else text_of(value) for value in values]
    if attribute.integer:
        return [None if value is None else round(number_of(value)) for value in values]
    return [None if value is None else number_of(value) for value in values]


def _require_numbers(columns: tuple[str, ...], attributes: Attributes) -> None:
    for name in columns:
        require_numbers(name, attributes[name])
