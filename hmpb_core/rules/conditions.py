"""What a rule asks of one column: ``{"age": {"below": 15}}``, ``{"sex": "male"}``, ``{"town": ["a"]}``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical, Numeric, Scalar
from hmpb_core.errors import DomainError, Sentence
from hmpb_core.rules.reading import View, absent_texts, meanings, number_of, ranges_of, read_number
from hmpb_core.texts import text_of

Flags = NDArray[np.bool_]

BOUNDS = ("below", "atMost", "above", "atLeast")
TESTS = (*BOUNDS, "missing", "not")
SHOWN_VALUES = 5
"""Values of a condition that a sentence names; 400 codes of diseases fill a screen."""
_EXAMPLE = '{"age": {"below": 15}}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A test of one column's value. A missing value passes ``missing`` alone.

    Attributes:
        column: The column.
        test: ``among``, ``not`` (neither missing nor among), ``below``, ``atMost``, ``above``, ``atLeast``
            or ``missing``.
        values: The values it names; the bound alone for a bound; whether it must be missing for ``missing``.
    """

    column: str
    test: str
    values: tuple[Scalar, ...]

    @classmethod
    def read(cls, column: str, wanted: Any) -> Condition:
        """Read a condition as a codebook writes it.

        Raises:
            DomainError: it is none.
        """
        if isinstance(wanted, Mapping) and len(wanted) == 1 and next(iter(wanted)) in TESTS:
            [(test, value)] = wanted.items()
        elif isinstance(wanted, Mapping):
            raise _unreadable(column)
        else:
            test, value = "among", wanted
        if test == "missing":
            if not isinstance(value, bool):
                raise _unreadable(column)
            return cls(column=column, test=test, values=(value,))
        values = tuple(value) if isinstance(value, list) else (value,)
        if not values or not all(isinstance(v, str | int | float) for v in values):
            raise _unreadable(column)
        if test in BOUNDS and (len(values) != 1 or isinstance(values[0], bool)):
            raise _unreadable(column)
        return cls(column=column, test=test, values=values)

    def written(self) -> Any:
        """Give the condition as a codebook writes it."""
        value: Any = self.values[0] if len(self.values) == 1 else list(self.values)
        return value if self.test == "among" else {self.test: value}

    @property
    def words(self) -> Sentence:
        """The condition in words; of many values the first alone."""
        column, shown = self.column, self._shown()
        return {
            "among": Sentence("{column!r} is {values}", {"column": column, "values": shown}),
            "not": Sentence("{column!r} is not {values}", {"column": column, "values": shown}),
            "below": Sentence("{column!r} is below {values}", {"column": column, "values": shown}),
            "atMost": Sentence("{column!r} is at most {values}", {"column": column, "values": shown}),
            "above": Sentence("{column!r} is above {values}", {"column": column, "values": shown}),
            "atLeast": Sentence("{column!r} is at least {values}", {"column": column, "values": shown}),
            "missing": Sentence("{column!r} is missing", {"column": column})
            if self.values[0]
            else Sentence("{column!r} has a value", {"column": column}),
        }[self.test]

    def _shown(self) -> object:
        values = [repr(value) for value in self.values]
        if len(values) > SHOWN_VALUES:
            first = tuple(values[:SHOWN_VALUES])
            return Sentence("{names} and {more} more", {"names": first, "more": len(values) - SHOWN_VALUES})
        if len(values) > 1:
            return Sentence("{names} or {last}", {"names": tuple(values[:-1]), "last": values[-1]})
        return values[0]

    def of(self, view: View) -> Flags:
        """Whether each row passes."""
        if self.test == "missing":
            return view.present(self.column) ^ bool(self.values[0])
        if self.test in BOUNDS:
            return self._within(view.numbers(self.column), view.number(self.column, self.values[0]))
        named = view.among(self.column, self.values)
        return named if self.test == "among" else view.present(self.column) & ~named

    def of_codes(self, attribute: Attribute) -> tuple[Flags, Flags]:
        """Whether each code of the column can pass, and whether it passes whatever it is decoded to."""
        if isinstance(attribute, Categorical):
            exact = self._of_categories(attribute)
            return exact, exact
        low, high = ranges_of(attribute)
        missing = np.isnan(low)
        if self.test == "missing":
            exact = missing == self.values[0]
            return exact, exact
        if self.test in BOUNDS:
            bound = number_of(self.values[0], attribute)
            ends = self._within(low, bound), self._within(high, bound)
            return ends[0] | ends[1], ends[0] & ends[1]
        numbers = [number_of(value, attribute) for value in self.values]
        hit = reduce(np.logical_or, [(low <= n) & (n <= high) for n in numbers])
        only = hit & (low == high)
        return (hit, only) if self.test == "among" else (~missing & ~only, ~missing & ~hit)

    def holds_or_open(self, view: View) -> Flags:
        """Whether each row passes, or has no value, which leaves open whether it would."""
        passed = self.of(view)
        if self.names_missing(view.attributes[self.column]):
            return passed
        return passed | ~view.present(self.column)

    def open_codes(self, attribute: Attribute) -> Flags:
        """The codes of a missing value that leave open whether they pass."""
        missing = Condition(column=self.column, test="missing", values=(True,)).of_codes(attribute)[1]
        return missing & (not self.names_missing(attribute))

    def names_missing(self, attribute: Attribute) -> bool:
        """Whether it says of a missing value itself whether it passes."""
        absent = absent_texts(attribute)
        named = () if self.test in BOUNDS else self.values
        return self.test == "missing" or bool(absent.intersection(meanings(named, attribute)))

    def check(self, attribute: Attribute) -> None:
        """Refuse a value that the column never has: most likely it is misspelt.

        Raises:
            DomainError: a value is not declared.
        """
        if self.test == "missing":
            return
        if self.test in BOUNDS:
            if np.isnan(number_of(self.values[0], attribute)):
                raise _unreadable(self.column)
            require_numbers(self.column, attribute)
            return
        if isinstance(attribute, Categorical):
            listed = set(map(text_of, attribute.categories))
            told = [text in listed for text in meanings(self.values, replace(attribute, unknown=None))]
        else:
            told = [not np.isnan(number_of(value, attribute)) for value in self.values]
        for value, known in zip(self.values, told, strict=True):
            if not known:
                raise DomainError(
                    "A rule names the value {value!r} of {column!r}, which the codebook does not declare; "
                    "correct the rule or declare the value.",
                    value=value,
                    column=self.column,
                )
            if not can_hold(attribute, value):
                raise DomainError(
                    "A rule names the value {value!r} for {column!r}, which lies outside its declared range, "
                    "or is broken where it is whole; correct the rule or the range.",
                    value=value,
                    column=self.column,
                )

    def _within(self, numbers: NDArray[np.float64], bound: float) -> Flags:
        passed: Flags = {
            "below": numbers < bound,
            "atMost": numbers <= bound,
            "above": numbers > bound,
            "atLeast": numbers >= bound,
        }[self.test]
        return passed

    def _of_categories(self, attribute: Categorical) -> Flags:
        texts = [text_of(category) for category in attribute.categories]
        absent = np.array([text in absent_texts(attribute) for text in texts])
        if self.test == "missing":
            exact = absent == bool(self.values[0])
        elif self.test in BOUNDS:
            numbers = np.array([number_of(text) for text in texts])
            exact = ~absent & self._within(numbers, number_of(self.values[0]))
        else:
            wanted = set(meanings(self.values, attribute))
            named = np.array([text in wanted for text in texts])
            exact = named if self.test == "among" else ~named & ~absent
        return (
            np.append(exact, self.test == "missing" and bool(self.values[0])) if attribute.nullable else exact
        )


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions that must all hold."""

    items: tuple[Condition, ...]

    @classmethod
    def read(cls, wanted: Any) -> Conditions:
        """Read conditions as a codebook writes them: an object, a column each.

        Raises:
            DomainError: they are none.
        """
        if not isinstance(wanted, Mapping) or not wanted:
            raise DomainError(
                "A rule's conditions are not an object; write one entry a column, such as {example}.",
                example=_EXAMPLE,
            )
        return cls(tuple(Condition.read(str(column), value) for column, value in wanted.items()))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns they look at."""
        return tuple(condition.column for condition in self.items)

    def written(self) -> dict[str, Any]:
        """Give them as a codebook writes them."""
        return {condition.column: condition.written() for condition in self.items}

    @property
    def words(self) -> Sentence:
        """Give them for a sentence; of a long list of values the first."""
        return reduce(
            lambda one, other: Sentence("{one} and {other}", {"one": one, "other": other}),
            [condition.words for condition in self.items],
        )

    def of(self, view: View) -> Flags:
        """Whether each row passes all of them."""
        return reduce(np.logical_and, [condition.of(view) for condition in self.items])

    def hold_or_open(self, view: View) -> Flags:
        """Whether each row passes all of them that no missing value leaves open."""
        return reduce(np.logical_and, [condition.holds_or_open(view) for condition in self.items])

    def of_cells(self, attributes: Mapping[str, Attribute], columns: Sequence[str]) -> tuple[Flags, Flags]:
        """Whether each cell over the columns can pass, and whether it always does.

        Args:
            attributes: The attributes by name.
            columns: The cells' axes, in order; every condition's column is among them.
        """
        found = [condition.of_codes(attributes[condition.column]) for condition in self.items]
        can, must = (self._spread([pair[k] for pair in found], columns) for k in (0, 1))
        return can, must

    def open_cells(self, attributes: Mapping[str, Attribute], columns: Sequence[str]) -> Flags:
        """Whether each cell over the columns can pass, or a missing value leaves that open."""
        named = [(condition, attributes[condition.column]) for condition in self.items]
        return self._spread([c.of_codes(a)[0] | c.open_codes(a) for c, a in named], columns)

    def _spread(self, found: Sequence[Flags], columns: Sequence[str]) -> Flags:
        places = [columns.index(condition.column) for condition in self.items]
        laid = [spread(flags, p, len(columns)) for flags, p in zip(found, places, strict=True)]
        together: Flags = reduce(np.logical_and, laid)
        return together


def can_hold(attribute: Attribute, value: Scalar) -> bool:
    """Whether a value lies in a number's declared range, and is whole where the number is."""
    if not isinstance(attribute, Numeric):
        return True
    number = read_number(value, attribute)
    whole = not attribute.integer or attribute.kind != "number" or number == round(number)
    return attribute.minimum <= number <= attribute.maximum and whole


def require_numbers(column: str, attribute: Attribute) -> None:
    """Refuse a column that is compared by size and holds nothing that has one.

    Raises:
        DomainError: it does.
    """
    if np.isnan(ranges_of(attribute)[0]).all():
        raise DomainError(
            "A rule compares {column!r}, which holds neither numbers nor dates; take it out of the rule.",
            column=column,
        )


def spread(values: NDArray[Any], axis: int, dimensions: int) -> NDArray[Any]:
    """Lay a vector along one axis of a table, so that it can be combined with others."""
    return values.reshape([-1 if i == axis else 1 for i in range(dimensions)])


def _unreadable(column: str) -> DomainError:
    return DomainError(
        "A rule's condition on {column!r} cannot be read; write a value, a list of values, or one of {tests} "
        "with its value.",
        column=column,
        tests=tuple(TESTS),
    )
