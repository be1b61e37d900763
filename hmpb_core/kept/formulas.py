"""Numbers that are worked out of others in every row of the private table: for the steward's eyes only."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.kept.bands import roundest
from hmpb_core.kept.telling import PART, ROWS, fits
from hmpb_core.publishing.repeats import repeated_columns
from hmpb_core.rules.computed import ROUNDED, Computed, Rounded, step_of
from hmpb_core.rules.consistency import in_a_circle
from hmpb_core.rules.formulas import Formula, can_be_named, columns_named, named, renamed
from hmpb_core.rules.kinds import Attributes, Rule
from hmpb_core.rules.reading import View

MOST_NUMBERS, MOST_PAIRED = 150, 40
"""Numbers beyond which no formula is looked for, and none of one or two others."""
KNOWN = 0.8
"""Part of a number's rows in which its formula must have a value, and each answer of a score."""
TIED = 0.9
"""Part of the rows in which a formula may lie halfway between two values: 0 and 1 are both 0.5, rounded."""
FIRST = 200
"""Rows that part most formulas from what a column holds, which spares a look at all of them."""
OF_TWO = tuple(
    map(
        Formula.read,
        (
            "a * b",
            "a / b",
            "100 * a / b",
            "1000 * a / b",
            "a / b ^ 2",
            "a / (b / 100) ^ 2",
            "703 * a / b ^ 2",
        ),
    )
)
"""What may be made of two numbers: a price and a quantity, a rate, a body mass index."""
POWERS = tuple(map(Formula.read, ("a ^ 2", "a ^ 2 / 100", "a ^ 3")))
"""What regressions have of an age, of years at work or of years since a war beside them."""
FEW = 10
"""Numbers of which a column must have more, to be told by a factor: of few any line is near enough."""
MOST_TIMES = 100
"""Times that a number may count in a sum: 3 points of a win, 12 months, 30 an hour."""
DIGITS = 6
"""Digits of a factor that is looked for beside a shift: 1.8 of degrees."""

Floats = NDArray[np.float64]
Numbers = Mapping[str, Floats]


@dataclass(frozen=True, slots=True, order=True)
class _Tried:
    """A formula that may give a number; the least is the first to be taken."""

    rank: int
    place: int
    name: str = field(compare=False)
    text: str = field(compare=False)
    rounded: Rounded = field(default="nearest", compare=False)


def kept_formulas(view: View, numbers: Numbers, rules: Sequence[Rule]) -> list[Computed]:
    """Find numbers that a factor, a product, a rate or a mean score of others gives in every row.

    Of what can be said of the same columns in several ways the first is kept, of the last column: an amount
    is price by quantity, and the quantity is not told by the amount. None is worked out of itself by others.

    Args:
        view: The private table.
        numbers: The columns that are looked at, in order; not a number where a value is missing.
        rules: What is said already: what a rule decides is left out, and of a sum each part is the total
            less the others.
    """
    taken = {rule.target for rule in rules}
    numbers = {
        name: values for name, values in numbers.items() if _distinct(values) > 1 and can_be_named(name)
    }
    if not 2 <= len(numbers) <= MOST_NUMBERS:
        return []
    again = {name for name, _ in repeated_columns(view.frame, list(numbers)).value}
    own = {name: values for name, values in numbers.items() if name not in again}
    paired = _paired(own)
    targets = {name: numbers[name] for name in numbers if name not in taken and _distinct(numbers[name]) > 2}
    added = {name for rule in rules if rule.kind == "sum" for name in rule.columns}
    place = {name: i for i, name in enumerate(numbers)}
    of_one = list(_of_one(paired, targets, view.attributes))
    added |= {one.name for one in of_one if all(place[c] < place[one.name] for c in columns_named(one.text))}
    tried = [
        *_of_flags({name: own[name] for name in own if name not in taken}),
        *of_one,
        *_of_two(paired, targets, view.attributes),
        *_of_many({name: own[name] for name in own if name not in added}, targets, added),
    ]
    found: dict[str, Computed] = {}
    first = view.beginning(FIRST)
    for one in sorted(tried):
        for rounded in (one.rounded,) if one.rounded == "down" else ROUNDED:
            rule = Computed(column=one.name, formula=Formula.read(one.text), rounded=rounded)
            before = [*rules, *found.values()]
            said = any(set(rule.columns) <= set(other.columns) for other in before)
            if (
                one.name in found
                or said
                or in_a_circle([*before, rule], one.name)
                or rule.broken(first).any()
                or rule.broken(view).any()
            ):
                continue
            if _tells(rule, numbers) and fits(rule, view):
                found[one.name] = rule
    return [found[name] for name in numbers if name in found]


def _distinct(values: Floats) -> int:
    return len(np.unique(values[~np.isnan(values)][:FIRST]))


def _paired(own: Numbers) -> Numbers:
    """The numbers of which formulas of one or two are looked for.

    All but flags; where these are many without the answers of a questionnaire, which hold few numbers.
    """
    for least in (2, FEW):
        few = {name: values for name, values in own.items() if _distinct(values) > least}
        if len(few) <= MOST_PAIRED:
            return few
    return {}


def _of_flags(own: Numbers) -> Iterator[_Tried]:
    """The last of neighbouring columns of 0 and 1 of which just one is 1, as where a list was taken apart."""
    names = list(own)
    flags = [bool(np.isin(values[~np.isnan(values)], (0, 1)).all()) for values in own.values()]
    for first in range(len(names)):
        total, place = np.zeros(len(own[names[first]])), first
        while place < len(names) and flags[place]:
            total = total + own[names[place]]
            if (total > 1).any():
                break
            if place > first + 1 and (total == 1).all():
                others = " - ".join(map(named, names[first:place]))
                yield _Tried(0, -place, names[place], f"1 - {others}")
                break
            place += 1


def _of_one(own: Numbers, targets: Numbers, attributes: Attributes) -> Iterator[_Tried]:
    """A factor and a shift by which one number gives another, or its square or cube."""
    many = {name: values for name, values in own.items() if _distinct(values) > FEW}
    for place, (name, target) in enumerate(targets.items()):
        step = step_of(attributes[name])
        for other in (other for other in many if other != name and _distinct(target) > FEW):
            if found := _linear(named(other), own[other], target, step):
                yield _Tried(1, -place, name, *found)
            for power in POWERS:
                off = np.abs(power.of({"a": own[other][:FIRST]}) - target[:FIRST])
                near = off[~np.isnan(off)] <= step + 1e-6 * np.nanmax(np.abs(target))
                if len(near) >= ROWS and near.all():
                    yield _Tried(1, -place, name, renamed(power.text, {"a": other}))


def _of_two(own: Numbers, targets: Numbers, attributes: Attributes) -> Iterator[_Tried]:
    """The patterns of two numbers that come near to a third one in the first rows."""
    if not targets:
        return
    names, order = list(targets), {name: place for place, name in enumerate(own)}
    values = np.stack([targets[name][:FIRST] for name in names], axis=1)
    far = np.array([step_of(attributes[name]) for name in names]) + 1e-6 * np.abs(values)
    for one, other in itertools.permutations(own, 2):
        a, b = own[one][:FIRST], own[other][:FIRST]
        for rank, pattern in enumerate(OF_TWO):
            if rank == 0 and order[one] > order[other]:
                continue
            off = np.abs(pattern.of({"a": a, "b": b})[:, None] - values)
            near = ~(off > far).any(axis=0) & ((~np.isnan(off)).sum(axis=0) >= ROWS)
            for place in np.flatnonzero(near):
                if (name := names[place]) not in (one, other):
                    text = renamed(pattern.text, {"a": one, "b": other})
                    yield _Tried(rank and 1 + rank, -int(place), name, text)


def _of_many(own: Numbers, targets: Numbers, added: Collection[str]) -> Iterator[_Tried]:
    """A mean, or a sum, of those that are not told by others already."""
    for place, name in enumerate(targets):
        if name not in added and (text := _scored(name, {**own, name: targets[name]})) is not None:
            yield _Tried(1 + len(OF_TWO), -place, name, text)


def _linear(name: str, values: Floats, target: Floats, step: float) -> tuple[str, Rounded] | None:
    """A factor, and else a shift, by which one number gives another one, rounded to its step.

    Without a shift each row bounds the factor, and the roundest that holds in all is taken; with one the
    factor of fewest digits, and the roundest shift. A number itself is a formula where it is rounded.
    """
    known = ~np.isnan(values) & ~np.isnan(target)
    x, y = values[known], target[known]
    if len(x) < ROWS or (x == y).all():
        return None
    of_x, of_y = x[:FIRST] - x[:FIRST].mean(), y[:FIRST] - y[:FIRST].mean()
    if not of_x.any():
        return None
    slope = float(of_x @ of_y / (of_x @ of_x))
    slack = 1e-9 * np.abs(y).max()
    if np.abs(slope * of_x - of_y).max() > step + slack:
        return None
    ends: tuple[tuple[Rounded, float, float], ...] = (("nearest", step / 2, step / 2), ("down", 0.0, step))
    more = x > 0
    for rounded, below, above in ends if (x >= 0).all() else ():
        least, most = y - below - slack, y + above + slack
        low, high = (least[more] / x[more]).max(), (most[more] / x[more]).min()
        if low < high and (least[~more] <= 0).all() and (most[~more] >= 0).all():
            return _line(name, roundest(float(low), float(high)), 0.0), rounded
    for digits in range(1, DIGITS + 1):
        factor = float(f"{slope:.{digits}g}")
        low, high = (y - step / 2 - slack - factor * x).max(), (y + step / 2 + slack - factor * x).min()
        if factor and low < high:
            added = roundest(float(low), float(high))
            beside = np.abs(y - factor * x - added) > step / 2 - 2 * slack
            return None if beside.mean() > TIED else (_line(name, factor, added), "nearest")
    return None


def _line(name: str, factor: float, added: float) -> str:
    """Write a factor and a shift: 2.2046 * kg, 2021 - born."""
    if factor == -1 and added:
        return f"{added:.12g} - {name}"
    product = name if factor == 1 else f"-{name}" if factor == -1 else f"{factor:.12g} * {name}"
    if not added:
        return product
    return f"{product} {'-' if added < 0 else '+'} {abs(added):.12g}"


def _scored(name: str, numbers: Numbers) -> str | None:
    """A mean, or a sum in which some count several times, or the other way round: a questionnaire's score."""
    there = ~np.isnan(numbers[name])
    known = {other for other in numbers if np.isnan(numbers[other][there]).mean() <= 1 - KNOWN}
    others = [other for other in numbers if other in known and other != name]
    rows = np.stack([numbers[other] for other in (*others, name)], axis=1)
    rows = rows[~np.isnan(rows).any(axis=1)][: max(FIRST, 3 * len(others))]
    copied = len(rows) and (rows[:, :-1] == rows[:, -1:]).all(axis=0).any()
    if not others or len(rows) < max(ROWS, 2 * len(others)) or copied:
        return None
    centred = rows - rows.mean(axis=0)  # a constant beside them would part among columns that add up to one
    items, *_ = np.linalg.lstsq(centred[:, :-1], centred[:, -1])
    largest = float(np.abs(items).max())
    size = 1 if largest > 0.75 else round(1 / largest) if largest > 0 else 0
    if not 1 <= size <= MOST_NUMBERS:
        return None
    counts = np.rint(items * size)
    clear = np.abs(items * size - counts).max() < 0.05 and np.abs(counts).max() <= MOST_TIMES
    times = {other: int(count) for other, count in zip(others, counts, strict=True) if count}
    if not clear or len(times) < 2 or size not in (1, len(times)):  # a mean is one of as many as it has
        return None
    constant = np.median(rows[:, -1] * size - rows[:, :-1] @ counts)
    return _score(times, round(float(constant)), size)


def _score(times: Mapping[str, int], constant: int, size: int) -> str:
    parts = {n: named(n) if abs(count) == 1 else f"{abs(count)} * {named(n)}" for n, count in times.items()}
    first, *others = sorted(times, key=lambda name: times[name] < 0)
    text = parts[first] if times[first] > 0 else f"-{parts[first]}"
    for name in others:
        text += f" {'+' if times[name] > 0 else '-'} {parts[name]}"
    if constant:
        text += f" {'-' if constant < 0 else '+'} {abs(constant)}"
    return f"({text}) / {size}" if size > 1 else text


def _tells(rule: Computed, numbers: Numbers) -> bool:
    """Whether many rows would break the rule if each number stood beside the others of another row."""
    due = rule.formula.of({name: numbers[name] for name in rule.formula.columns})
    there = ~np.isnan(numbers[rule.column])
    both = there & ~np.isnan(due)
    due, values = due[both], numbers[rule.column][both]
    if len(due) < max(ROWS, KNOWN * there.sum()):
        return False
    moved = np.abs(np.roll(values, len(values) // 2) - due) > np.abs(values - due).max() + 1e-9
    return bool(moved.sum() >= max(ROWS, PART * len(due)))
