"""Rules against each other, before anything runs: contradictions, and a row that keeps all of them.

All of it looks at the rules and the public domain alone. The values that can matter of a column are few: its
categories, its bounds, what a rule names and its neighbours.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.dates import DAY
from hmpb_core.domain import Attribute, Categorical, Numeric
from hmpb_core.errors import DomainError
from hmpb_core.rules.bands import BandOf
from hmpb_core.rules.between import TimeBetween
from hmpb_core.rules.computed import Computed
from hmpb_core.rules.conditions import BOUNDS, Conditions
from hmpb_core.rules.deciding import Equal, Follows, Sum
from hmpb_core.rules.kinds import Ascending, AskedIf, Implies, Rule
from hmpb_core.rules.parts import PartOf
from hmpb_core.rules.reading import View, number_of

FEW_MISSING = 0.03
"""Largest part of missing values with which a column counts as decided by others."""
MOST_COMBINATIONS = 20_000
"""Combinations of values that two rules are tried on; above them the pair is not compared case by case."""
_STARTS, _SWEEPS, _STEPS = 20, 30, 5
_STEPS_WORKED_OUT = 33
"""Numbers of a column that a formula names: of few none may give a number that lies in its column's range."""

Attributes = Mapping[str, Attribute]
Row = Mapping[str, Any]


def assign(
    frame: pd.DataFrame,
    rules: Sequence[Rule],
    attributes: Attributes,
    order: NDArray[np.intp] | None = None,
) -> View:
    """Set every column that others decide, in an order in which what decides comes first.

    Args:
        frame: The rows; they are changed.
        rules: The rules.
        attributes: What the columns are.
        order: Of drawn rows an order, in which answers that are taken from who was not asked go to who was;
            else they are lost.

    Returns:
        The table as rules read it: each column is read once, since reading takes most of the time.
    """
    view = View(frame, attributes)
    for rule in in_order(rules):
        if order is not None and isinstance(rule, AskedIf):
            values: pd.Series | None = rule.moved(view, order)
        else:
            values = rule.assigned(view)
        if values is not None and rule.target is not None:
            view.put(rule.target, values)
        if isinstance(rule, Computed) and rule.solved_for is not None:  # what it is now, and not nearly
            view.put(rule.column, rule.worked_out(view))
    return view


def in_order(rules: Sequence[Rule]) -> list[Rule]:
    """The rules that decide a column, each column's value once; what depends on another comes after it.

    Whether a question was asked empties a column whatever else decides its values, and after that. Rules that
    decide a value a second time, or in a circle, are left out: rows are drawn until they hold.
    """
    chosen: list[Rule] = []
    for rule in dict.fromkeys(rules):
        if rule.target is None or (not isinstance(rule, AskedIf) and rule.target in _given(chosen)):
            continue
        if not in_a_circle([*chosen, rule], rule.target):
            chosen.append(rule)
    order: list[Rule] = []
    while waiting := [rule for rule in chosen if rule not in order]:
        targets, given = set().union(*map(_set_by, waiting)), _given(waiting)
        order.append(
            next(
                rule
                for rule in waiting
                if not targets & (set(rule.columns) - _set_by(rule))
                and not (isinstance(rule, AskedIf) and rule.target in given)
            )
        )
    return order


def _set_by(rule: Rule) -> set[str | None]:
    """The columns that a rule sets: its target, and the number of a formula that is solved for it."""
    again = {rule.column} if isinstance(rule, Computed) and rule.solved_for is not None else set()
    return {rule.target} | again


def _given(rules: Sequence[Rule]) -> set[str | None]:
    """The columns whose values rules give, and not only whether there is one."""
    return {rule.target for rule in rules if not isinstance(rule, AskedIf)}


def decided(rules: Sequence[Rule], attributes: Attributes) -> tuple[Rule, ...]:
    """The rules that decide a column wholly by others: sums, copies, times, years, bands and so on.

    A model need not know how such a column hangs together with others: of parts that have nothing to do with
    each other it would believe that they have, since each has to do with their sum.
    """
    drawn = drawn_parts(rules, attributes)
    return tuple(
        rule
        for rule in in_order(rules)
        if isinstance(rule, Equal | Sum | TimeBetween | Computed)
        or (isinstance(rule, PartOf) and rule not in drawn)
        or (isinstance(rule, Follows | BandOf) and rule.is_whole(attributes))
    )


def drawn_parts(rules: Sequence[Rule], attributes: Attributes) -> tuple[PartOf, ...]:
    """The rules of parts that are drawn: their dates' codes do not tell them, and no rule gives the dates."""
    order = in_order(rules)
    parts = (rule for rule in order if isinstance(rule, PartOf) and rule.source not in _given(order))
    return tuple(rule for rule in parts if not rule.is_told(attributes))


def in_a_circle(rules: Sequence[Rule], start: str) -> bool:
    """Say whether a column decides itself through the others."""
    seen: set[str] = set()
    front = [start]
    while front:
        name = front.pop()
        for rule in rules:
            if rule.target is not None and name in rule.columns and name != rule.target:
                if rule.target == start:
                    return True
                if rule.target not in seen:
                    seen.add(rule.target)
                    front.append(rule.target)
    return False


def broken(view: View, rules: Iterable[Rule]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether each row breaks a rule."""
    flags = np.zeros(len(view), dtype=bool)
    for rule in rules:
        flags |= rule.broken(view)
    return flags


def components(rules: Sequence[Rule]) -> list[tuple[Rule, ...]]:
    """The rules in groups that share no column."""
    groups: list[tuple[set[str], list[Rule]]] = []
    for rule in rules:
        columns, members = set(rule.columns), [rule]
        for group in [g for g in groups if g[0] & columns]:
            groups.remove(group)
            columns |= group[0]
            members = [*group[1], *members]
        groups.append((columns, members))
    return [tuple(members) for _, members in groups]


def require_consistent(rules: Sequence[Rule], attributes: Attributes) -> tuple[Row, ...]:
    """Refuse rules that cannot all hold; give for each group of rules a row that keeps them.

    Rules contradict each other where one speaks of a case that the others leave no row for: two of them, or
    all that share columns.

    Raises:
        DomainError: a rule cannot hold, or some contradict each other: they are named.
    """
    for rule in rules:
        _require_open([rule], attributes)
        if isinstance(rule, Follows) and rule.values is None:
            _require_alone(rule, rules)
    for one, other in itertools.combinations(rules, 2):
        if set(one.columns) & set(other.columns) and not _are_apart(one, other):
            _require_open([one, other], attributes)
    for group in components(rules):
        if len(group) > 2:
            _require_open(group, attributes)
    return tuple(witness(group, attributes) for group in components(rules))


def _are_apart(one: Rule, other: Rule) -> bool:
    """Whether they are questions of which neither says if the other is asked: no answer keeps both rules."""
    both = isinstance(one, AskedIf) and isinstance(other, AskedIf)
    return both and one.target not in other.columns and other.target not in one.columns


def _require_alone(rule: Follows, rules: Sequence[Rule]) -> None:
    """Refuse a mapping that nobody listed where another rule names what follows: nobody can compare them.

    Not where that only says when there is a value, for the mapping says which one.
    """
    for other in rules:
        asks = isinstance(other, AskedIf) and other.column == rule.column
        if other is not rule and not asks and rule.column in other.columns:
            raise DomainError(
                "The rules “{one}” and “{other}” both name {column!r}, but the first lists no values; list "
                "them.",
                one=rule.words,
                other=other.words,
                column=rule.column,
            )


def _require_open(rules: Sequence[Rule], attributes: Attributes) -> None:
    """Refuse a case that one of the rules speaks of and that together they leave no row for."""
    columns = list(dict.fromkeys(c for rule in rules for c in rule.columns))
    values = {c: critical_values(c, rules, attributes) for c in columns}
    if np.prod([len(v) for v in values.values()], dtype=float) > MOST_COMBINATIONS:
        return
    grid = _table(itertools.product(*values.values()), columns, attributes)
    cases = View(grid.copy(), attributes)
    spoken = [(rule, case) for rule in rules for case in rule.situations(attributes)]
    asked = [case.of(cases) for _, case in spoken]
    view = assign(grid, rules, attributes)
    kept = ~broken(view, rules)
    alone = [~rule.broken(cases) for rule in rules] if len(rules) > 1 else []
    if not kept.any():
        if len(rules) > 2:
            raise _no_row(rules)
        raise _contradiction(rules)
    for (rule, case), before in zip(spoken, asked, strict=True):
        if before.any() and not (kept & case.of(view)).any():
            others = [flags for other, flags in zip(rules, alone, strict=False) if other is not rule]
            if all((before & flags).any() or not flags.any() for flags in others):
                raise _contradiction(rules)


def _contradiction(rules: Sequence[Rule]) -> DomainError:
    if len(rules) == 1:
        return DomainError(
            "The rule “{rule}” can never hold with the declared values; correct it.", rule=rules[0].words
        )
    if len(rules) > 2:
        return DomainError(
            "Together the rules {rules} leave no row for a case that one of them speaks of; correct one of "
            "them.",
            rules="; ".join(f"'{rule.words}'" for rule in rules),
        )
    return DomainError(
        "The rules “{one}” and “{other}” contradict each other: one speaks of rows that the other forbids. "
        "Correct one of them.",
        one=rules[0].words,
        other=rules[1].words,
    )


def witness(rules: Sequence[Rule], attributes: Attributes) -> Row:
    """Give values of the rules' columns that keep all of the rules, found by local search.

    Raises:
        DomainError: none was found.
    """
    columns = list(dict.fromkeys(c for rule in rules for c in rule.columns))
    values = {c: critical_values(c, rules, attributes) for c in columns}
    rng = np.random.default_rng(crc32(repr(rules).encode()))  # public: the same search for everybody
    for _ in range(_STARTS):
        row = [values[c][rng.integers(len(values[c]))] for c in columns]
        for _ in range(_SWEEPS):
            place = int(rng.integers(len(columns)))
            tried = values[columns[place]]
            rows = ([*row[:place], value, *row[place + 1 :]] for value in tried)
            view = assign(_table(rows, columns, attributes), rules, attributes)
            faults = np.sum([rule.broken(view) for rule in rules], axis=0)
            best = int(rng.choice(np.flatnonzero(faults == faults.min())))
            if faults[best] == 0:
                return {str(name): view.frame[name].iloc[best] for name in columns}
            row[place] = tried[best]
    raise _no_row(rules)


def _no_row(rules: Sequence[Rule]) -> DomainError:
    return DomainError(
        "No row keeps all of the rules {rules} together; correct one of them.",
        rules="; ".join(str(rule.words) for rule in rules),
    )


def critical_values(name: str, rules: Sequence[Rule], attributes: Attributes) -> list[Any]:
    """The values of a column that can make a difference to the rules, the missing one as None."""
    attribute = attributes[name]
    if isinstance(attribute, Categorical):
        found: list[Any] = [False, True] if attribute.boolean else list(attribute.categories)
    else:
        grid = attribute.grid
        unit = DAY if attribute.kind == "datetime" else 1
        worked_out = any(isinstance(rule, Computed) and name in rule.columns for rule in rules)
        steps = _STEPS_WORKED_OUT if worked_out else _STEPS
        ends = np.linspace(attribute.minimum, attribute.maximum, steps)
        places = {
            int(grid.positions(np.array([n]))[0])
            for n in (*ends, 0.0, *_shared(attribute, rules, attributes))
        }
        for number in _named(name, rules, attributes):
            at = int(grid.positions(np.array([number * unit]))[0])
            places |= {at - 1, at, at + 1}
        inside = np.array(sorted(place for place in places if 0 <= place < grid.size))
        numbers = grid.values(inside).tolist()
        if attribute.kind not in ("number", "year"):
            found = [attribute.text(number) for number in numbers]
        else:
            found = [round(number) for number in numbers] if attribute.integer else numbers
    return [*found, None] if attribute.nullable else found


def _shared(attribute: Numeric, rules: Sequence[Rule], attributes: Attributes) -> Iterator[float]:
    """The least number that all columns of an order can have: in a circle of orders they are equal."""
    for rule in rules:
        if isinstance(rule, Ascending) and attribute.name in rule.columns:
            numbers = [a for a in map(attributes.__getitem__, rule.columns) if isinstance(a, Numeric)]
            yield max(a.minimum for a in numbers if a.kind == attribute.kind)


def _named(name: str, rules: Sequence[Rule], attributes: Attributes) -> set[float]:
    """The numbers that rules name for a column."""
    attribute = attributes[name]
    numbers: set[float] = set()
    for rule in rules:
        if isinstance(rule, Follows) and rule.values is not None and rule.column == name:
            numbers |= {number_of(value, attribute) for value in rule.values.values()}
        if isinstance(rule, BandOf) and rule.source == name:
            numbers |= set(rule.starts(attributes).tolist())
        if isinstance(rule, TimeBetween) and rule.end == name:
            numbers |= rule.ends(attributes)
        sides: list[Conditions | None] = []
        if isinstance(rule, Implies):
            sides = [rule.given, rule.then]
        elif isinstance(rule, AskedIf):
            sides = [rule.given]
        for condition in itertools.chain.from_iterable(side.items for side in sides if side is not None):
            if condition.column == name and condition.test in (*BOUNDS, "among", "not"):
                numbers |= {number_of(value, attribute) for value in condition.values}
    return {number for number in numbers if not np.isnan(number)}


def _table(rows: Iterable[Sequence[Any]], columns: Sequence[str], attributes: Attributes) -> pd.DataFrame:
    """Rows as a table with the types that decoded columns have."""
    listed = list(rows)
    return pd.DataFrame(
        {
            c: pd.Series([row[i] for row in listed], dtype=dtype_of(attributes[c]))
            for i, c in enumerate(columns)
        }
    )


def dtype_of(attribute: Attribute) -> str:
    """The type that a decoded column has."""
    if isinstance(attribute, Categorical):
        if attribute.boolean:
            return "boolean"
        if all(isinstance(category, int) for category in attribute.categories):
            return "Int64"
        return "Float64" if not any(isinstance(c, str) for c in attribute.categories) else "str"
    if attribute.kind not in ("number", "year"):
        return "str"
    return "Int64" if attribute.integer else "Float64"
