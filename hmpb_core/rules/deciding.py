"""Rules that decide a column by others: what follows from a category, copies, and sums."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical, Numeric, Scalar
from hmpb_core.errors import DomainError, Sentence
from hmpb_core.rules.conditions import Condition, Conditions, Flags
from hmpb_core.rules.kinds import Attributes, Rule, all_present
from hmpb_core.rules.reading import SINGLE, View, absent_texts, is_single, meanings, number_of, ranges_of
from hmpb_core.texts import text_of

TOLERANCE = 1e-9
"""Relative difference below which a sum is exact: the rounding of floating-point additions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfOne:
    """One column decides another.

    Attributes:
        column: What is decided.
        source: What decides it.
    """

    column: str
    source: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Both columns."""
        return (self.source, self.column)

    @property
    def target(self) -> str | None:
        """What is decided."""
        return self.column


@dataclass(frozen=True, slots=True, kw_only=True)
class Follows(OfOne):
    """One column follows from another: ``education-num`` from ``education``.

    Attributes:
        column: What follows.
        source: What it follows from: a column with listed categories.
        values: Value of ``column`` for each text of ``source``; None where a mapping exists that nobody
            listed: then it is taken from the model (``obeying.py``).
        emptied: Whether ``column`` is missing just where ``source`` is; None where the model has not told.
    """

    kind: ClassVar[str] = "follows"
    values: Mapping[str, Scalar] | None = field(default=None, hash=False)
    emptied: bool | None = field(default=None, compare=False, repr=False)

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

    def _by_category(self, attributes: Attributes) -> dict[str | None, Scalar]:
        """The values, each by the text of the category that it follows from."""
        values = self.values or {}
        return dict(zip(meanings(list(values), attributes[self.source]), values.values(), strict=True))

    def broken(self, view: View) -> Flags:
        """Where there is a value, and not the mapped one."""
        if self.values is None:
            return np.zeros(len(view), dtype=bool)
        place, texts = view.parts(self.source)
        other, others = view.parts(self.column)
        values, column = self._by_category(view.attributes), view.attributes[self.column]
        known = [text for text in texts if text in values]
        means = dict(zip(known, meanings([values[text] for text in known], column), strict=True))
        wanted = [means.get(text) for text in texts]
        number = {text: i for i, text in enumerate({*wanted, *others})}
        of_source = np.array([-1 if text is None else number[text] for text in wanted])
        of_column = np.array([-2 if text is None else number[text] for text in others])
        due = of_source[place]
        absent = absent_texts(column)
        names_missing = np.array([text in absent for text in wanted])[place]
        told = view.present(self.column) | names_missing
        broken: Flags = (due != -1) & (due != of_column[other]) & told
        return broken

    def assigned(self, view: View) -> pd.Series | None:
        """The mapped values; the present ones where nothing is mapped, or none."""
        if self.values is None:
            return None
        column, attributes = view.frame[self.column], view.attributes
        by_category = self._by_category(attributes)
        places, texts = view.parts(self.source)
        known = np.array([text is not None and text in by_category for text in texts])
        values = [by_category.get(text) if text is not None else None for text in texts]
        mapped = pd.Series(
            pd.Series(as_written(values, attributes[self.column]), dtype=column.dtype).array[places],
            index=column.index,
        )
        followed = column.where(~known[places], mapped)
        return followed.mask(~view.present(self.source)) if self.emptied else followed

    def is_whole(self, attributes: Attributes) -> bool:
        """Whether a value follows from every category."""
        source = attributes[self.source]
        categories = source.categories if isinstance(source, Categorical) else ()
        known = self._by_category(attributes)
        return all(text_of(category) in known for category in categories)

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Every pair of codes that is none of the mapping, a missing value too: ``assigned`` gives one."""
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
class Equal(OfOne):
    """A column says the same as another: the day of a screening, written twice.

    Attributes:
        column: The copy.
        source: What it is a copy of; of the same type.
        emptied: Whether the copy is missing just where the other is; where it is not, as a date of death
            that is the discharge's, the model tells who has one. None where the model has not told.
    """

    kind: ClassVar[str] = "equal"
    emptied: bool | None = field(default=None, compare=False, repr=False)

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        return Sentence("{column!r} equals {source!r}", {"column": self.column, "source": self.source})

    def check(self, attributes: Attributes) -> None:
        """Refuse columns of which one cannot hold what the other says."""
        if self.column == self.source:
            raise _of_itself(self.column)
        if not _can_copy(attributes[self.source], attributes[self.column]):
            raise DomainError(
                "{column!r} is declared equal to {source!r}, but is of another type, format or resolution, "
                "or lacks some of its categories; declare both alike.",
                column=self.column,
                source=self.source,
            )

    def broken(self, view: View) -> Flags:
        """Where both have a value, and not the same."""
        both = view.present(self.source) & view.present(self.column)
        if isinstance(view.attributes[self.column], Numeric):
            first, second = view.numbers(self.source), view.numbers(self.column)
            differs = np.abs(first - second) > TOLERANCE * np.maximum(1.0, np.abs(first))
        else:
            (place, texts), (other, others) = view.parts(self.source), view.parts(self.column)
            number = {text: i for i, text in enumerate({*texts, *others})}
            differs = (
                np.array([number[text] for text in texts])[place]
                != np.array([number[text] for text in others])[other]
            )
        broken: Flags = both & differs
        return broken

    def assigned(self, view: View) -> pd.Series | None:
        """The other column's values, where the copy's range holds them; missing where they are."""
        source, attribute = view.attributes[self.source], view.attributes[self.column]
        column, present = view.frame[self.column], view.present(self.source)
        if isinstance(attribute, Numeric):
            low, high = ranges_of(attribute)
            numbers = view.numbers(self.source)
            fits = present & (numbers >= np.nanmin(low)) & (numbers <= np.nanmax(high))
            copy = view.frame[self.source].where(fits, column).astype(column.dtype)
            if attribute.kind == "number":  # what was settled on the bound may lie a rounding beyond it
                copy = copy.clip(attribute.minimum, attribute.maximum)
        else:
            places, texts = view.parts(self.source)
            absent = absent_texts(source)
            written = as_written([None if text in absent else text for text in texts], attribute)
            copies = pd.Series(written, dtype=column.dtype).array[places]
            copy = pd.Series(copies, index=column.index).where(present, column)
        if not attribute.nullable:
            return copy
        return copy.mask(~present if self.emptied is not False else ~(present & view.present(self.column)))

    def impossible(self, attributes: Attributes) -> Flags | None:
        """Pairs of codes of which no value is the same."""
        source, column = attributes[self.source], attributes[self.column]
        if isinstance(source, Numeric) and isinstance(column, Numeric):
            (low, high), (least, most) = ranges_of(source), ranges_of(column)
            apart: Flags = (low[:, None] > most) | (high[:, None] < least)
            return apart
        table = np.zeros((source.size, column.size), dtype=bool)
        for code, category in enumerate(source.categories if isinstance(source, Categorical) else ()):
            if text_of(category) not in absent_texts(source):
                wanted = Condition(column=self.column, test="among", values=(category,))
                table[code] = ~(wanted.of_codes(column)[0] | absent_codes(self.column, column))
        return table

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """Both columns have a value."""
        return [all_present(self.columns)]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        return {"kind": self.kind, "column": self.column, "to": self.source}


def _rounding(attribute: Attribute) -> float:
    """How far a number may be rounded of which nobody has said what it is a multiple of."""
    if not isinstance(attribute, Numeric) or not attribute.learned or attribute.integer or attribute.listed:
        return 0.0
    return float(attribute.grid.step) / 2 if attribute.resolution is None else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """A column is the sum of others.

    Attributes:
        column: The total.
        parts: What it is the sum of.
        missing_is_zero: Whether a missing part counts as 0, as in a payroll that leaves out what nobody got;
            else it leaves open what the total is.
        emptied: Whether the total is missing just where a part is; None where the model has not told.
    """

    kind: ClassVar[str] = "sum"
    column: str
    parts: tuple[str, ...]
    missing_is_zero: bool = False
    emptied: bool | None = field(default=None, compare=False, repr=False)

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
        if self.missing_is_zero:
            return Sentence(
                "{column!r} is the sum of {parts}, a missing one counting as 0",
                {"column": self.column, "parts": tuple(map(repr, self.parts))},
            )
        return Sentence(
            "{column!r} is the sum of {parts}",
            {"column": self.column, "parts": tuple(map(repr, self.parts))},
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
                columns=tuple(map(repr, self.columns)),
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
        parts = self._summands(view)
        total, due = view.numbers(self.column), np.sum(parts, axis=0)
        size = np.maximum(1.0, np.sum(np.abs(parts), axis=0))
        rounded = sum(_rounding(view.attributes[name]) for name in self.columns)
        near = SINGLE if any(is_single(view.attributes[name]) for name in self.columns) else TOLERANCE
        broken: Flags = np.abs(total - due) > near * size + rounded
        return broken

    def assigned(self, view: View) -> pd.Series | None:
        """The sum, where it lies in the total's range, and the total is not to be missing."""
        attribute, column = view.attributes[self.column], view.frame[self.column]
        due = np.round(np.sum(self._summands(view), axis=0), 9)
        if not isinstance(attribute, Numeric):
            return None
        present, known = view.present(self.column), ~np.isnan(due)
        fits = (due >= attribute.minimum) & (due <= attribute.maximum)
        values = attribute.stored(np.where(fits, due, attribute.minimum))
        whole = np.rint(values).astype(np.int64) if attribute.integer else values
        given = known & ~present if self.emptied else np.zeros(len(view), dtype=bool)
        total = column.where(
            ~(fits & present | given), pd.Series(whole, index=column.index).astype(column.dtype)
        )
        return total.mask(~known) if self.emptied else total

    def _summands(self, view: View) -> NDArray[np.float64]:
        """The parts' numbers, shape (parts, rows)."""
        parts = np.array([view.numbers(name) for name in self.parts])
        return np.nan_to_num(parts) if self.missing_is_zero else parts

    def impossible(self, attributes: Attributes) -> Flags | None:
        """None: nearly every cell can hold an exact sum or not; the total is assigned."""
        return None

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """All columns have a value."""
        return [all_present(self.columns)]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        written = {"kind": self.kind, "column": self.column, "parts": list(self.parts)}
        return {**written, "missingIsZero": True} if self.missing_is_zero else written


def left_open_by(rule: Rule) -> tuple[str, ...]:
    """The columns of which a missing value leaves open what a rule says."""
    return (rule.column,) if isinstance(rule, Sum) and rule.missing_is_zero else rule.columns


def _of_itself(column: str) -> DomainError:
    return DomainError(
        "A rule has {column!r} decide itself; take it out of what it follows from or is the sum of.",
        column=column,
    )


def _can_copy(source: Attribute, column: Attribute) -> bool:
    """Whether a column can hold what another one says, written as that one writes it."""
    if isinstance(source, Categorical) and isinstance(column, Categorical):
        held = {text_of(category) for category in column.categories}
        return source.boolean == column.boolean and held.issuperset(
            text_of(category) for category in source.categories if category not in source.apart
        )
    if not (isinstance(source, Numeric) and isinstance(column, Numeric)):
        return False
    alike = all(getattr(source, a) == getattr(column, a) for a in ("kind", "format", "integer", "digits"))
    if column.listed:
        return alike and bool(source.listed) and set(column.listed).issuperset(source.listed)
    return alike and (column.resolution is None or _on_grid(source, column))


def absent_codes(name: str, attribute: Attribute) -> Flags:
    """Give the codes that stand for a missing value."""
    return Condition(column=name, test="missing", values=(True,)).of_codes(attribute)[1]


def _on_grid(part: Numeric, total: Numeric) -> bool:
    """Whether every value of a part is a multiple of the total's step."""
    if part.listed:
        return all((Fraction(str(value)) / total.grid.step).denominator == 1 for value in part.listed)
    return part.on_grid and (part.grid.step / total.grid.step).denominator == 1


def as_written(values: list[Any], attribute: Attribute) -> list[Any]:
    """Give values as the column's type has them: an equal text is the category itself."""
    if isinstance(attribute, Categorical):
        decoded = [False, True] if attribute.boolean else attribute.categories
        categories = {text_of(c): kept for c, kept in zip(attribute.categories, decoded, strict=True)}
        known = [value for value in values if value is not None]
        texts = iter(meanings(known, attribute))
        return [None if value is None else categories[str(next(texts))] for value in values]
    if attribute.kind not in ("number", "year"):
        return [None if value is None else text_of(value) for value in values]
    if attribute.integer:
        return [None if value is None else round(number_of(value)) for value in values]
    numbers = [math.nan if value is None else number_of(value) for value in values]
    return [None if math.isnan(n) else n for n in attribute.stored(np.array(numbers, dtype=float)).tolist()]
