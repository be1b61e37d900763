"""Answers that bring another one with them or none, days that a month lacks: for the steward's eyes only."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical, Domain, Scalar
from hmpb_core.kept.telling import PART, ROWS, START
from hmpb_core.publishing.repeats import repeated_columns
from hmpb_core.rules.reading import View, numbered
from hmpb_core.several_answers import GIVEN, NOT_GIVEN

MOST_LISTS = 300
"""Lists of two answers beyond which none is looked at."""

Flags = NDArray[np.bool_]
Answer = tuple[str, Scalar]


def kept_implied(
    view: View, domain: Domain, decided: Collection[str | None], said: Collection[frozenset[str]]
) -> list[dict[str, Any]]:
    """Find answers that are never given together, of lists of two: who has one has the other one's opposite.

    The rarer answer is the condition. What follows from two others is left out: young children are children,
    and children dependants.

    Args:
        view: The private table.
        domain: The published columns.
        decided: Columns that rules decide, which are left out.
        said: Pairs of columns of which a rule is told already.
    """
    two = {a.name: a for a in domain.attributes if isinstance(a, Categorical) and len(a.categories) == 2}
    again = {name for name, _ in repeated_columns(view.frame, list(two)).value}
    names = [name for name in two if name not in again and name not in decided]
    if not 2 <= len(names) <= MOST_LISTS:
        return []
    answers = [(name, value) for name in names for value in two[name].categories]
    given = np.stack([view.among(name, [value]) & view.present(name) for name, value in answers])
    start = given[:, :START].astype(np.float32)
    apart = np.argwhere(np.triu(start @ start.T == 0, 1))
    found: dict[tuple[Answer, Answer], bool] = {}
    for one, other in apart:
        if answers[one][0] != answers[other][0] and _never_together(given, one, other):
            rarer, then = sorted((one, other), key=lambda answer: int(given[answer].sum()))
            for given_one, never in ((rarer, then), (then, rarer)):
                found[answers[given_one], answers[never ^ 1]] = given_one == rarer
    after: dict[Answer, set[Answer]] = {}
    for condition, implied in found:
        after.setdefault(condition, set()).add(implied)
    longer = {(a, d) for a, implied in after.items() for b in implied for d in after.get(b, ())}
    new = (pair for pair in found if pair not in longer and frozenset(name for name, _ in pair) not in said)
    return [_rule(*pair) for pair in new if found[pair]]


def _never_together(given: Flags, one: int, other: int) -> bool:
    """Whether no row has both answers, though by chance many would, and all three other pairs occur."""
    counts = [[int((given[a] & given[b]).sum()) for b in (other, other ^ 1)] for a in (one, one ^ 1)]
    (both, left), (right, rest) = counts
    if both or not (left and right and rest):
        return False
    by_chance = left * right / (left + right + rest)
    return bool(by_chance >= max(ROWS, PART * given.shape[1]))


def kept_alone(view: View, domain: Domain, said: Collection[frozenset[str]]) -> list[dict[str, Any]]:
    """Find answers that no cell holds beside another one, where cells hold several: none of these.

    They would if cells with the answer held others as often as cells with those do.

    Args:
        view: The private table, its answers apart.
        domain: The published columns.
        said: Pairs of columns of which a rule is told already.
    """
    cells: dict[str, list[str]] = {}
    for attribute in domain.attributes:
        if isinstance(attribute, Categorical) and attribute.answer_to:
            cells.setdefault(attribute.answer_to, []).append(attribute.name)
    found = []
    for names in cells.values():
        given = np.stack([view.among(name, [GIVEN]) for name in names])
        counts = given.sum(axis=0)
        for name, flags in zip(names, given, strict=True):
            others = counts[~flags & (counts > 0)]
            by_chance = flags.sum() * (others > 1).mean() if len(others) else 0.0
            if by_chance >= max(ROWS, PART * flags.sum()) and not (counts[flags] > 1).any():
                free = [other for other in names if other != name and {name, other} not in said]
                if free:
                    then = dict.fromkeys(free, NOT_GIVEN)
                    found.append({"kind": "implies", "if": {name: GIVEN}, "then": then})
    return found


def _rule(condition: Answer, implied: Answer) -> dict[str, Any]:
    return {"kind": "implies", "if": dict([condition]), "then": dict([implied])}


def kept_days(
    view: View, domain: Domain, decided: Collection[str | None], said: Collection[frozenset[str]]
) -> list[dict[str, Any]]:
    """Find days beside their month, in columns of their own: no 31 April, and no 30 February.

    Where they stand beside the date that they are parts of, they are decided.

    Args:
        view: The private table.
        domain: The published columns.
        decided: Columns that rules decide, which are left out.
        said: Pairs of columns of which a rule is told already.
    """
    free = [a for a in domain.attributes if a.name not in decided and _counts(a)]
    numbers = {a.name: view.counted(a.name) for a in free}
    last = {name: np.nanmax(values, initial=0) for name, values in numbers.items()}
    found = []
    for months in (a for a in free if last[a.name] == len(_LONGEST)):
        for days in (a for a in free if last[a.name] == max(_LONGEST)):
            if frozenset((months.name, days.name)) in said:
                continue
            month, day = numbers[months.name], numbers[days.name]
            for longest in sorted({*_LONGEST} - {max(_LONGEST)}, reverse=True):
                short = [place for place, length in enumerate(_LONGEST, 1) if length == longest]
                inside, beyond = np.isin(month, short), day > longest
                known = max(1, int((~np.isnan(month) & ~np.isnan(day)).sum()))
                if inside.sum() * beyond.sum() >= ROWS * known and not (inside & beyond).any():
                    above = range(longest + 1, max(_LONGEST) + 1)
                    given, never = _written(months, short), _written(days, above)
                    found.append(
                        {"kind": "implies", "if": {months.name: given}, "then": {days.name: {"not": never}}}
                    )
    return found


_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""Days of each month."""


def _counts(attribute: Attribute) -> bool:
    """Whether a column holds whole numbers, or a list that has some."""
    if isinstance(attribute, Categorical):
        return bool(numbered(attribute))
    return attribute.kind == "number" and attribute.integer


def _written(attribute: Attribute, numbers: Iterable[int]) -> Scalar | list[Scalar]:
    """Numbers as a rule names them: a list by its categories, of those that it has."""
    if isinstance(attribute, Categorical):
        categories = numbered(attribute)
        values = [categories[number] for number in numbers if number in categories]
    else:
        values = list(numbers)
    return values[0] if len(values) == 1 else values
