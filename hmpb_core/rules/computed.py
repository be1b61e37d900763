"""Rules that work a number out of others by a formula: a BMI, price by quantity, a mean score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical, Numeric
from hmpb_core.errors import DomainError, Sentence
from hmpb_core.rules.conditions import Conditions, Flags
from hmpb_core.rules.deciding import as_written
from hmpb_core.rules.formulas import Formula
from hmpb_core.rules.kinds import Attributes, Rule, all_present
from hmpb_core.rules.reading import SINGLE, View, absent_texts, is_number, is_single, number_of
from hmpb_core.texts import text_of

Rounded = Literal["nearest", "down"]
ROUNDED: tuple[Rounded, ...] = ("nearest", "down")
"""How what the formula gives became a value of the column."""
_CLOSE, _BINARY = 1e-6, 1e-9
"""Part of a step, and of the number, by which it may be off: formulas are worked out in binary."""

_MAY_NAME = ("bandOf", "nonNegative", "computed")
"""Kinds of other rules that may name what a formula is solved for, and what it gives."""
TRIED, GOLDEN = 20, (5**0.5 - 1) / 2
"""Numbers between 1 and 2 on which it is tried whether a formula rises or falls, and what spreads them."""

Floats = NDArray[np.float64]
Values = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """A number is worked out of others.

    Attributes:
        column: The number.
        formula: How.
        rounded: How it became a multiple of the column's step.
        solved_for: The column of the formula that rows are given so that it gives the drawn number; None
            where the drawn columns give the number. See ``solved``.
        emptied: Whether what is decided is missing just where one of the others is; None where the model has
            not told.
    """

    kind: ClassVar[str] = "computed"
    column: str
    formula: Formula
    rounded: Rounded = "nearest"
    solved_for: str | None = field(default=None, compare=False, repr=False)
    emptied: bool | None = field(default=None, compare=False, repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the formula, then the number."""
        return (*self.formula.columns, self.column)

    @property
    def target(self) -> str | None:
        """What is decided: the number, or the column that the formula is solved for."""
        return self.solved_for or self.column

    @property
    def words(self) -> Sentence:
        """The rule in words."""
        return Sentence("{column!r} = {formula}", {"column": self.column, "formula": self.formula.text})

    def check(self, attributes: Attributes) -> None:
        """Refuse columns that are no numbers, and one that is worked out of itself."""
        kinds = {a.kind for name in self.columns if isinstance(a := attributes[name], Numeric)}
        lists = (a for name in self.columns if isinstance(a := attributes[name], Categorical))
        plain = kinds <= {"number", "year"} and all(map(holds_numbers, lists))
        if self.column in self.formula.columns or not plain:
            raise DomainError(
                "{column!r} is declared as {formula}, but is part of that itself, or not all of its columns "
                "are numbers; work numbers out of other numbers.",
                column=self.column,
                formula=self.formula.text,
            )

    def broken(self, view: View) -> Flags:
        """Where all have a value, and the number is not what the formula gives."""
        value, due = numbers_of(view, self.column), self._due(view)
        off, step = value - due, step_of(view.attributes[self.column])
        slack, single = _slack(step, due), self._single(view, value, due)
        if self.rounded == "down":
            below = off <= slack - step - single if step else off < -slack - single
            broken: Flags = (off > slack + single) | below
        else:
            broken = np.abs(off) > step / 2 + slack + single
        return broken & ~np.isnan(off)

    def _single(self, view: View, value: Floats, due: Floats) -> Floats:
        """How far numbers of 32 bits may put the number and what the formula gives off each other."""
        narrow = {name for name in self.columns if is_single(view.attributes[name])}
        off = SINGLE * np.abs(value) if self.column in narrow else np.zeros(len(view))
        own = {name: numbers_of(view, name) for name in self.formula.columns}
        for name in narrow & set(own):
            off = off + np.abs(self.formula.of({**own, name: own[name] * (1 + SINGLE)}) - due)
        return np.nan_to_num(off)

    def assigned(self, view: View) -> pd.Series | None:
        """What is decided, where the column can hold it; what was drawn where it has no value."""
        return self.worked_out(view) if self.solved_for is None else self._solution(view, self.solved_for)

    def worked_out(self, view: View) -> pd.Series:
        """What the formula gives, where the column can hold it; what was drawn where it has no value."""
        return self._held(
            view, self.column, self._due(view), self.emptied if self.solved_for is None else False
        )

    def _solution(self, view: View, operand: str) -> pd.Series:
        """What the formula needs to give the drawn number, as near as the column's step allows."""
        others = {name: numbers_of(view, name) for name in self.formula.columns if name != operand}
        least, slope = _line_of(self.formula, operand, others)
        with np.errstate(all="ignore"):
            due = (numbers_of(view, self.column) - least) / slope
        return self._held(view, operand, np.where(np.isfinite(due), due, np.nan), self.emptied, "nearest")

    def _held(
        self, view: View, name: str, due: Floats, emptied: bool | None, rounded: Rounded | None = None
    ) -> pd.Series:
        """What is due, where a column can hold it."""
        column, attribute = view.frame[name], view.attributes[name]
        if isinstance(attribute, Numeric) and not attribute.listed:
            values, holds = _on_grid(due, attribute, rounded or self.rounded)
        else:
            values, holds = self._listed(due, attribute)
        worked_out = column.where(~holds, pd.Series(values, index=column.index).astype(column.dtype))
        if not attribute.nullable or emptied is None:
            return worked_out
        return worked_out.mask(np.isnan(due) if emptied else ~view.present(name))

    def _due(self, view: View) -> Floats:
        return self.formula.of({name: numbers_of(view, name) for name in self.formula.columns})

    def _listed(self, due: Floats, attribute: Attribute) -> tuple[Values, Flags]:
        """The values of a list that what is due rounds to, and where there are such."""
        known, step = np.where(np.isnan(due), 0.0, due), step_of(attribute)
        slack = _slack(step, known)
        if isinstance(attribute, Categorical):
            absent = absent_texts(attribute)
            kept = [category for category in attribute.categories if text_of(category) not in absent]
            written: list[Any] = as_written(list(map(text_of, kept)), attribute)
            numbers = _numbers(attribute)[[attribute.categories.index(category) for category in kept]]
        else:
            numbers = np.array(attribute.listed)
            written = attribute.stored(numbers).tolist()
        order = np.argsort(numbers)
        lowest = known - step / 2 - slack if self.rounded == "nearest" else known - step + slack
        place = np.minimum(np.searchsorted(numbers[order], lowest, side="left"), len(order) - 1)
        found = numbers[order][place]
        top = known + slack + (step / 2 if self.rounded == "nearest" else 0.0)
        holds = (found >= lowest) & (found <= top) & ~np.isnan(due)
        return np.array(written, dtype=object)[order][place], holds

    def impossible(self, attributes: Attributes) -> Flags | None:
        """None: nearly every cell can hold an exact result or not; the number is assigned."""
        return None

    def situations(self, attributes: Attributes) -> list[Conditions]:
        """All columns have a value."""
        return [all_present(self.columns)]

    def to_dict(self) -> dict[str, Any]:
        """The rule as a codebook writes it."""
        written = {"kind": self.kind, "column": self.column, "formula": self.formula.text}
        return written if self.rounded == "nearest" else {**written, "rounded": self.rounded}


def _slack(step: float, numbers: Floats) -> Floats:
    return _CLOSE * step + _BINARY * np.abs(numbers)


def solved(rules: Sequence[Rule], attributes: Attributes) -> tuple[Rule, ...]:
    """Say of each formula which of its columns it is solved for, if any.

    A rate of two numbers that rise together would have the noise of both, far from its own spread and its
    frequent values (100 %). Drawn by itself it has them, and gives with what it is a rate of the number that
    was divided, as a product. That number must be as finely told.
    """
    found: list[Rule] = []
    for place, rule in enumerate(rules):
        if isinstance(rule, Computed):
            others = [*found, *rules[place + 1 :]]
            free = (name for name in rule.formula.columns if _is_free(rule, name, others))
            best = next((name for name in free if _solves(rule, name, attributes)), None)
            found.append(replace(rule, solved_for=best))
        else:
            found.append(rule)
    return tuple(found)


def _is_free(rule: Computed, operand: str, others: Sequence[Rule]) -> bool:
    """Whether other rules leave a formula's column and the number to be drawn, and decide nothing by them."""
    both, reached = {operand, rule.column}, {operand, rule.column}
    for other in others:
        if both & set(other.columns) and other.kind not in _MAY_NAME:
            return False
    while more := {str(r.target) for r in others if reached & set(r.columns) and r.target} - reached:
        reached |= more
    return not reached & (set(rule.columns) - both) and not any(r.target in both for r in others)


def _solves(rule: Computed, operand: str, attributes: Attributes) -> bool:
    """Whether a formula with a divisor rises in this column, and the solution in all the others.

    Tried on numbers above zero.
    """
    drawn, number = attributes[operand], attributes[rule.column]
    if not (isinstance(drawn, Numeric) and isinstance(number, Numeric)) or len(rule.formula.columns) < 2:
        return False
    if drawn.listed or number.listed or drawn.grid.size < number.grid.size:
        return False
    steps = np.array([GOLDEN * step for step in range(1, TRIED + 1)])
    at: dict[str, Floats] = {name: 1 + steps * i % 1 for i, name in enumerate(rule.formula.columns, 1)}
    (zero, one), there = _line_of(rule.formula, operand, at), rule.formula.of(at)
    others = [name for name in at if name != operand]
    rises = np.allclose(zero + one * at[operand], there) and (one > 0).all()
    if not rises or not any(_is_divisor(rule.formula, name, at) for name in others):
        return False

    def solution(of: Mapping[str, Floats]) -> Floats:
        least, slope = _line_of(rule.formula, operand, of)
        return (there - least) / slope

    return all((solution({**at, name: 1.1 * at[name]}) > at[operand]).all() for name in others)


def _is_divisor(formula: Formula, name: str, at: Mapping[str, Floats]) -> bool:
    """Whether a formula falls where a column rises, and ever less."""
    here, more, most = (formula.of({**at, name: by * at[name]}) for by in (1.0, 1.5, 2.0))
    return bool((more < here - _CLOSE).all() and (here - more > more - most + _CLOSE).all())


def _line_of(formula: Formula, operand: str, others: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """What a formula gives where a column is 0, and by how much more where it is 1."""
    rows = len(next(iter(others.values())))
    zero, one = (formula.of({**others, operand: np.full(rows, value)}) for value in (0.0, 1.0))
    return zero, one - zero


def _on_grid(due: Floats, attribute: Numeric, rounded: Rounded) -> tuple[Values, Flags]:
    """The values nearest to what is due, or next below it, and where there are such."""
    known, size = np.where(np.isnan(due), 0.0, due), float(attribute.grid.step)
    slack = _slack(size, known)
    steps = np.floor((known + slack) / size) if rounded == "down" else np.rint(known / size)
    inside = (steps >= attribute.grid.first) & (steps < attribute.grid.first + attribute.grid.size)
    values = attribute.grid.values(np.where(inside, steps - attribute.grid.first, 0).astype(np.int64))
    holds = inside & ~np.isnan(due)
    return (np.rint(values).astype(np.int64) if attribute.integer else attribute.stored(values)), holds


def holds_numbers(attribute: Categorical) -> bool:
    """Say whether all that a list holds are numbers, or yes and no, apart from what means a missing value."""
    texts = set(map(text_of, attribute.categories)) - absent_texts(attribute)
    return attribute.boolean or (bool(texts) and all(map(is_number, texts)))


def numbers_of(view: View, name: str) -> Floats:
    """Give the numbers of a column, yes as 1 and no as 0; not a number where a value is missing."""
    attribute = view.attributes[name]
    if not isinstance(attribute, Categorical) or not attribute.boolean:
        return view.numbers(name)
    places, texts = view.parts(name)
    known = dict(zip(map(text_of, attribute.categories), _numbers(attribute), strict=True))
    return np.array([known.get(str(text), np.nan) for text in texts])[places]


def _numbers(attribute: Categorical) -> Floats:
    """The numbers that a list holds."""
    if attribute.boolean:
        return np.array([0.0, 1.0])
    return np.array([number_of(category) for category in attribute.categories])


def step_of(attribute: Attribute) -> float:
    """Give the distance of neighbouring values of a number; of a list what all are multiples of, or 0."""
    if isinstance(attribute, Numeric) and not attribute.listed:
        return float(attribute.grid.step)
    numbers = np.array(attribute.listed) if isinstance(attribute, Numeric) else _numbers(attribute)
    known = np.unique(numbers[~np.isnan(numbers)])
    for step in (1.0, 0.5, 0.1, 0.05, 0.01, 0.001):
        if np.allclose(known / step, np.rint(known / step), rtol=0, atol=_CLOSE):
            return step
    return 0.0
