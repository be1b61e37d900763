"""Rules that every row of the private table keeps, though rows that came together by chance would not.

For the steward's eyes only: a rule is public by what a form asks or by what can be, never because rows keep
it. Of an order that no rule names a quarter of the synthetic rows, and more, may be what nobody can be.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Attribute, Categorical, Numeric
from hmpb_core.kept.bands import kept_bands
from hmpb_core.kept.following import kept_following, places_of
from hmpb_core.kept.formulas import kept_formulas
from hmpb_core.kept.implied import kept_alone, kept_days, kept_implied
from hmpb_core.kept.parts import kept_parts
from hmpb_core.kept.telling import PART, ROWS, START, fits
from hmpb_core.publishing.repeats import repeated_columns
from hmpb_core.publishing.zones import Labelled, steward_only
from hmpb_core.rules.between import ROUNDINGS, UNITS, TimeBetween, counts_time, has_time_between, times_of
from hmpb_core.rules.computed import holds_numbers, numbers_of
from hmpb_core.rules.deciding import Equal, Follows, Sum
from hmpb_core.rules.kinds import Rule
from hmpb_core.rules.reading import View
from hmpb_core.several_answers import apart

MOST_ANSWERS = 12
"""Answers of a question that may decide whether another one is asked."""
ANSWERED = 0.95
"""Part of those who were asked that have a value; where few have none, part of these who were not asked."""
MOST_NUMBERS, TOLD_BY = 40, 2000
"""Numbers beyond which no sum is looked for, and rows, spread over the table, that tell which add up."""
MET = 0.75
"""Part of the pairs of two lists' other answers from which on neither decides the other."""

Flags = NDArray[np.bool_]
Numbers = Mapping[str, NDArray[np.float64]]


def kept_rules(frame: pd.DataFrame, codebook: Codebook) -> Labelled[tuple[dict[str, Any], ...]]:
    """Find sums, times, copies, parts of dates, bands, orders, questions asked, what follows, joint answers.

    What a rule of the codebook says already is left out, and so are columns that repeat another.

    Args:
        frame: The private table, as it was read.
        codebook: Its codebook, which the table fits.

    Returns:
        The rules, as a codebook writes them.
    """
    frame = apart(frame, codebook.answers)
    attributes = {attribute.name: attribute for attribute in codebook.domain.attributes}
    missing = {name: codebook.missing_of(name) for name in attributes}
    with threadpool_limits(limits=1, user_api="blas"):  # several wait for a busy machine 30 times as long
        return steward_only(tuple(_kept(View(frame, attributes, missing), codebook)))


def _kept(view: View, codebook: Codebook) -> Iterator[dict[str, Any]]:
    sums = _sums(view, codebook)
    times = _times(view, codebook, [total.column for total in sums])
    numbers = _numbers(view, codebook)
    copies = _copies(view, codebook, numbers, [*sums, *times])
    said = {rule.target for rule in (*codebook.rules.items, *sums, *times, *copies)}
    parts = kept_parts(view, codebook.domain, said)
    bands = kept_bands(view, codebook.domain, *_of_bands(codebook, numbers, parts))
    asked = _asked(view, codebook)
    before: list[Rule] = [*codebook.rules.items, *sums, *times, *copies, *parts]
    formulas = kept_formulas(view, _of_formulas(view, codebook), before)
    told: list[Rule] = [*sums, *formulas, *times, *copies, *parts, *bands]
    orders = _orders(codebook, numbers, told)
    following = kept_following(view, codebook, {rule.target for rule in told})
    together = _together(view, codebook, [*asked, *following], {rule.target for rule in told})
    yield from (rule.to_dict() for rule in told)
    yield from orders
    yield from asked
    yield from following
    yield from together
    decided = {rule.target for rule in (*codebook.rules.items, *told)}
    decided |= {rule["column"] for rule in following}
    pairs = _named_together(codebook, [*asked, *together])
    alone = kept_alone(view, codebook.domain, pairs)
    yield from alone
    pairs |= _named_together(codebook, alone)
    yield from kept_days(view, codebook.domain, decided, pairs)
    yield from kept_implied(view, codebook.domain, decided, pairs)


def _named_together(codebook: Codebook, found: Sequence[Mapping[str, Any]]) -> set[frozenset[str]]:
    """Pairs of columns that a rule names together."""
    said = [pair for rule in codebook.rules.items for pair in itertools.combinations(rule.columns, 2)]
    for rule in found:
        names = [*rule["if"], *rule.get("then", ()), *([rule["column"]] if "column" in rule else ())]
        said += itertools.combinations(names, 2)
    return {frozenset(pair) for pair in said}


def _sums(view: View, codebook: Codebook) -> list[Sum]:
    """Numbers that are the sum of others, of those before them or else of those behind, totals left out.

    Where the rows tell only if a missing part counts as 0, the rule says that it does.
    """
    numeric = [a.name for a in codebook.domain.attributes if isinstance(a, Numeric) and a.kind == "number"]
    again = {name for name, _ in repeated_columns(view.frame, numeric).value}
    names = [name for name in numeric if name not in again]
    if not 3 <= len(names) <= MOST_NUMBERS:
        return []
    said = {rule.target for rule in codebook.rules.items}
    numbers = np.stack([view.numbers(name) for name in names], axis=1)
    found: list[Sum] = []
    for place, name in enumerate(names):
        totals = {total.column for total in found}
        sides = (range(place), range(place + 1, len(names)))
        for side in sides if name not in said else ():
            others = [i for i in side if names[i] not in totals]
            if (total := _sum_of(numbers, place, others, names, view)) is not None:
                found.append(total)
                break
    return found


def _sum_of(
    numbers: NDArray[np.float64], place: int, others: list[int], names: list[str], view: View
) -> Sum | None:
    """The sum of some of the others that a number is in every row, where rows tell it."""
    known = ~np.isnan(numbers[:, place])
    whole = known & ~np.isnan(numbers[:, others]).any(axis=1)
    for rows in (known, whole):
        total, parts = numbers[rows, place], numbers[rows][:, others]
        lacking, parts = np.isnan(parts), np.nan_to_num(parts)
        if len(others) < 2 or len(total) < ROWS:
            return None
        spread = slice(None, None, max(1, len(total) // TOLD_BY))
        weights, *_ = np.linalg.lstsq(parts[spread], total[spread])
        added = np.rint(weights) == 1
        rule = Sum(
            column=names[place],
            parts=tuple(names[others[i]] for i in np.flatnonzero(added)),
            missing_is_zero=bool(lacking[:, added].any()),
        )
        told = int(((parts[:, added] != 0).sum(axis=1) > 1).sum())
        if told >= max(ROWS, PART * len(total)) and not rule.broken(view).any():
            return rule if fits(rule, view) else None
    return None


def _times(view: View, codebook: Codebook, sums: list[str]) -> list[TimeBetween]:
    """Numbers and durations that are the time from one date to another, each once."""
    said = {rule.target for rule in codebook.rules.items}.union(sums)
    said |= {rule.column for rule in codebook.rules.items if isinstance(rule, TimeBetween)}
    dated = [a for a in codebook.domain.attributes if has_time_between(a, a)]
    pairs = itertools.permutations(dated, 2)
    counts = [a.name for a in codebook.domain.attributes if a.name not in said and counts_time(a)]
    numbers = {name: view.counted(name) for name in counts}
    beginnings = np.array([numbers[name][:START] for name in counts]).reshape(
        len(counts), min(len(view), START)
    )
    first = view.beginning(START)
    found: dict[str, TimeBetween] = {}
    for start, end in [(one.name, other.name) for one, other in pairs if has_time_between(one, other)]:
        for unit in UNITS:
            time = times_of(view, start, end, unit)
            far = (np.abs(time[:START] - beginnings) > 2).any(axis=1)
            near = [n for n, off in zip(counts, far, strict=True) if not off and n not in found]
            for name in (n for n in near if _tells(time, numbers[n])):
                rules = (
                    TimeBetween(column=name, start=start, end=end, unit=unit, rounded=rounded)
                    for rounded in ROUNDINGS
                )
                rule = next((r for r in rules if not (r.broken(first).any() or r.broken(view).any())), None)
                if rule is not None and fits(rule, view):
                    found[name] = rule
    return list(found.values())


def _tells(time: NDArray[np.float64], number: NDArray[np.float64]) -> bool:
    """Whether rows enough have another time than most, so that by chance many would break it."""
    known = ~np.isnan(time) & ~np.isnan(number)
    if not known.any():
        return False
    # the time, too: parts of a second are cut off, and between two dates that are the same any part fits
    most = max(np.unique(values[known], return_counts=True)[1].max() for values in (time, number))
    return bool(known.sum() - most >= max(ROWS, PART * known.sum()))


def _numbers(view: View, codebook: Codebook) -> Numbers:
    """The dates and numbers that repeat no earlier one, in the order of the columns."""
    numeric = [a.name for a in codebook.domain.attributes if isinstance(a, Numeric)]
    again = {name for name, _ in repeated_columns(view.frame, numeric).value}
    return {name: view.numbers(name) for name in numeric if name not in again}


def _copies(
    view: View, codebook: Codebook, numbers: Numbers, found: Sequence[Sum | TimeBetween]
) -> list[Equal]:
    """Dates and numbers that say the same as another one where they have a value, and more seldom have one.

    A date of death is that of the discharge of whoever died in hospital.
    """
    said = {rule.target for rule in (*codebook.rules.items, *found)}
    known = {name: np.isfinite(values).sum() for name, values in numbers.items()}
    copies: dict[str, Equal] = {}
    for name, other in _alike(codebook, numbers):
        free = known[name] < known[other] and not {name, other} & set(copies)
        if free and name not in said and _same(numbers[name], numbers[other]):
            rule = Equal(column=name, source=other)
            if fits(rule, view):
                copies[name] = rule
    return list(copies.values())


def _alike(codebook: Codebook, numbers: Numbers) -> list[tuple[str, str]]:
    """Pairs of these that are of one kind, both ways round."""
    kinds = {a.name: a.kind for a in codebook.domain.attributes if isinstance(a, Numeric)}
    return [pair for pair in itertools.permutations(numbers, 2) if kinds[pair[0]] == kinds[pair[1]]]


def _same(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Whether two numbers never differ, though many rows would if any first came with any second one."""
    return _never_falls(first, second) and _never_falls(second, first)


def _of_formulas(view: View, codebook: Codebook) -> Numbers:
    """The numbers, years and lists of numbers."""
    names = [
        a.name
        for a in codebook.domain.attributes
        if (isinstance(a, Numeric) and a.kind in ("number", "year"))
        or (isinstance(a, Categorical) and holds_numbers(a))
    ]
    return {name: numbers_of(view, name) for name in names}


def _of_bands(
    codebook: Codebook, numbers: Numbers, parts: Sequence[Rule]
) -> tuple[list[str], set[str | None]]:
    """The numbers that a list may be a band of, and the columns that the codebook or a date decides."""
    plain = {a.name for a in codebook.domain.attributes if isinstance(a, Numeric) and a.kind == "number"}
    return [name for name in numbers if name in plain], {
        rule.target for rule in (*codebook.rules.items, *parts)
    }


def _orders(codebook: Codebook, numbers: Numbers, found_before: Sequence[Rule]) -> list[dict[str, Any]]:
    """Pairs of one kind that never fall, without what follows from two others, a sum, a formula or a time.

    Of a copy no order is said: it is that of what it is a copy of.
    """
    attributes = {attribute.name: attribute for attribute in codebook.domain.attributes}
    said = {
        pair
        for rule in (*codebook.rules.items, *found_before)
        if rule.kind in ("ascending", "sum", "computed", "timeBetween")
        for pair in itertools.combinations(rule.columns, 2)
        if not (isinstance(rule, TimeBetween) and pair == rule.columns[:2]) or rule.never_falls(attributes)
    }
    copies = {rule.column for rule in (*codebook.rules.items, *found_before) if isinstance(rule, Equal)}
    found = set(said)
    for one, other in _alike(codebook, numbers):
        if not {one, other} & copies and _never_falls(numbers[one], numbers[other]):
            found.add((one, other))
    longer = {(a, d) for (a, b), (c, d) in itertools.product(found, repeat=2) if b == c}
    place = {name: i for i, name in enumerate(codebook.domain.names)}
    short = sorted(found - longer - said, key=lambda pair: (place[pair[0]], place[pair[1]]))
    return [{"kind": "ascending", "columns": list(pair)} for pair in short]


def _never_falls(first: NDArray[np.float64], last: NDArray[np.float64]) -> bool:
    """Whether no row has a larger first number, though many would if any first came with any last one."""
    if (first[:START] > last[:START]).any() or (first > last).any():
        return False
    known = ~np.isnan(first) & ~np.isnan(last)
    rows = int(known.sum())
    below = np.searchsorted(np.sort(last[known]), first[known], side="left").sum() / max(1, rows)
    return bool(below >= max(ROWS, PART * rows))


def _asked(view: View, codebook: Codebook) -> list[dict[str, Any]]:
    """Questions without a value wherever an earlier one has another answer than some, or none."""
    said = {rule.target for rule in codebook.rules.items}
    names = codebook.domain.names
    there = np.stack([view.present(name) for name in names], axis=1).astype(np.float32)
    values = there.sum(axis=0)
    shares = values / max(1, len(there))
    open_ones = [
        i
        for i, name in enumerate(names)
        if name not in said
        and ROWS <= values[i] <= len(there) - ROWS
        and codebook.domain.attributes[i].nullable
    ]
    of_open = np.asfortranarray(there[:, open_ones])
    best: dict[int, tuple[float, Any]] = dict.fromkeys(open_ones, (ANSWERED, None))
    for place, other in enumerate(names):
        start = bisect_right(open_ones, place)
        later = open_ones[start:]
        if not later:
            break
        answers, flags = _answers(view, other)
        rows = flags.sum(axis=1)
        with_value = flags.astype(np.float32) @ of_open[:, start:]  # rows of each answer that have a value
        asked = with_value > 0
        inside, of = with_value.sum(axis=0), rows @ asked
        everybody = (inside < values[later]) | ((len(there) - of) * shares[later] < ROWS)
        told = np.where(
            values[later] > (1 - PART) * len(there),  # nearly everybody has a value, asked or not
            (len(there) - of) / (len(there) - values[later]),
            inside / np.maximum(1, of),
        )
        answered = np.where(everybody, 0.0, told)
        for column in np.flatnonzero(answered > [best[i][0] for i in later]):
            given = [value for value, yes in zip(answers, asked[:, column], strict=True) if yes]
            known = of[column] == rows.sum()
            condition = {"missing": False} if known else given[0] if len(given) == 1 else given
            best[later[column]] = float(answered[column]), {other: condition}
    found = ((names[i], condition) for i, (_, condition) in best.items() if condition is not None)
    return [{"kind": "askedIf", "column": name, "if": condition} for name, condition in found]


def _answers(view: View, name: str) -> tuple[list[Any], Flags]:
    """The answers of a column that may be named, and who gave each; of others only who has a value."""
    attribute, there = view.attributes[name], view.present(name)
    if isinstance(attribute, Categorical) and len(attribute.categories) <= MOST_ANSWERS:
        answers = list(attribute.categories)
        return answers, np.stack([view.among(name, [value]) & there for value in answers])
    return [None], there[np.newaxis]


def _together(
    view: View, codebook: Codebook, found: Sequence[Mapping[str, Any]], decided: set[str | None]
) -> list[dict[str, Any]]:
    """Answers that are given wherever an earlier column has one: no internet, and no backup over it.

    So may a number be 0: an income, of whoever is unemployed. Of two lists only where their other answers
    meet as they like: a country beside its only city merely happens. Of a list that follows no rule may name
    the values, since nobody has listed them; and of those that other rules decide none needs to.
    """
    rules = codebook.rules.items
    follow = {rule["column"] for rule in found if rule["kind"] == "follows"}
    follow |= {rule.column for rule in rules if isinstance(rule, Follows) and rule.values is None}
    said = {frozenset((rule["column"], other)) for rule in found for other in rule.get("if", ())}
    said |= {frozenset(pair) for rule in rules for pair in itertools.combinations(rule.columns, 2)}
    lists = {a.name for a in codebook.domain.attributes if isinstance(a, Categorical)}
    names = [a.name for a in codebook.domain.attributes if a.name in lists or _may_be_zero(a)]
    again = {name for name, _ in repeated_columns(view.frame, names).value}
    first: dict[bytes, tuple[str, Any]] = {}
    together = []
    for name in (name for name in names if name not in again | follow | decided):
        answered = _answers(view, name) if name in lists else ([0], (view.numbers(name) == 0)[np.newaxis])
        for value, flags in zip(*answered, strict=True):
            rows = int(flags.sum())
            by_chance = 2 * rows * (1 - rows / max(1, len(flags)))
            if value is None or rows < ROWS or by_chance < max(ROWS, PART * len(flags)):
                continue
            other, its = first.setdefault(np.packbits(flags).tobytes(), (name, value))
            if other == name or frozenset((name, other)) in said:
                continue
            both = {name, other} <= lists
            if not both or _cross(places_of(view, other)[~flags], places_of(view, name)[~flags]):
                pair = {other: its}, {name: value}
                together += [{"kind": "implies", "if": a, "then": b} for a, b in (pair, pair[::-1])]
    return together


def _may_be_zero(attribute: Attribute) -> bool:
    """Whether a number may be 0 and something else."""
    return isinstance(attribute, Numeric) and attribute.kind == "number" and attribute.minimum <= 0


def _cross(first: NDArray[np.intp], last: NDArray[np.intp]) -> bool:
    """Whether two lists meet in most ways in which they can: neither decides the other."""
    known = (first >= 0) & (last >= 0)
    sizes = len(np.unique(first[known])), len(np.unique(last[known]))
    pairs = len(np.unique(np.stack([first[known], last[known]]), axis=1).T)
    return pairs > max(sizes) and pairs >= MET * sizes[0] * sizes[1]
