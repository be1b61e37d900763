"""Lists of which a longer one decides every value, as a city does the country: for the steward alone."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Attribute, Categorical, Scalar
from hmpb_core.kept.telling import ROWS, START
from hmpb_core.publishing.repeats import repeated_columns
from hmpb_core.rules.deciding import Follows
from hmpb_core.rules.kinds import AskedIf
from hmpb_core.rules.reading import View, number_of
from hmpb_core.sources.drafting.never_published import means_somebody
from hmpb_core.texts import text_of

FEW = 0.05
"""Largest part of the rows with categories beside which there are several values."""
HARDLY = 0.02
"""Of the rows that by chance would differ from others of their category, the largest part that may."""
OFTEN = 5
"""Rows of a category from which on a number that all of them have is told to follow from it."""
FIRST = START // 10
"""Rows that part most lists from each other, which spares a look at each two of them."""

Written = dict[str, Any]


def places_of(view: View, name: str) -> NDArray[np.intp]:
    """Give which category each row has; -1 for none.

    Args:
        view: The table.
        name: A column with listed categories.
    """
    return np.where(view.present(name), view.parts(name)[0], -1)


def kept_following(view: View, codebook: Codebook, decided: Collection[str | None]) -> list[dict[str, Any]]:
    """Find the columns of which a longer list decides every value, each with the pairs, by the shortest such.

    Where there is none, one that decides nearly all: a few cities have their name in two countries, or one
    was misspelt. Of these the rule says nothing, and of numbers and dates nothing of categories that few rows
    have, or that are people: what all pupils of a school have is the school's, what its only pupil has may be
    hers. What goes one to one with an earlier column repeats it, which is told elsewhere; where only the
    later one is a list, others may follow from it.

    Args:
        view: The private table.
        codebook: Its codebook.
        decided: Columns that rules found before decide, which are left out.
    """
    rules = codebook.rules.items
    said = {rule.target for rule in rules if not isinstance(rule, AskedIf)}
    unlisted = {r.column for r in rules if isinstance(r, Follows) and r.values is None}
    again = dict(repeated_columns(view.frame, codebook.domain.names).value)
    declared = {a.name: a for a in codebook.domain.attributes}
    only_list = {name for name, first in again.items() if _only_list(declared[name], declared[first])}
    attributes = [a for a in declared.values() if a.name not in again or a.name in only_list]
    places = {a.name: _values_of(view, a) for a in attributes}
    # a vocabulary lists what no row has: of all countries a table of ten cities lies in three
    sizes = {name: len(np.unique(found[found >= 0])) for name, found in places.items()}
    lists = [a.name for a in attributes if isinstance(a, Categorical) and a.name not in unlisted]
    often = {name: None if means_somebody(name) else _often(places[name]) for name in lists}
    found: list[Written] = []
    follow = [name for name in places if name not in said.union(decided, again) and _varies(places[name])]
    followed = {other: _may_follow(other, follow, places) for other in lists}
    for name in follow:
        longer = [other for other, names in followed.items() if sizes[other] > sizes[name] and name in names]
        sources = places if name in lists else often
        left_open = {
            other: _left_open(places[name], of) for other in longer if (of := sources[other]) is not None
        }
        exact = [other for other, rows in left_open.items() if rows == 0]
        nearly = [other for other, rows in left_open.items() if rows is not None]
        source = min(exact or nearly, key=sizes.__getitem__, default=None)
        if source is not None:
            found.append({"kind": "follows", "column": name, "from": source})
    return [rule | pairs_of(rule, view, 1 if rule["column"] in lists else OFTEN) for rule in found]


def _only_list(attribute: Attribute, first: Attribute) -> bool:
    return isinstance(attribute, Categorical) and not isinstance(first, Categorical)


def _values_of(view: View, attribute: Attribute) -> NDArray[np.intp]:
    """Which of its values each row has; -1 for none."""
    if isinstance(attribute, Categorical):
        return places_of(view, attribute.name)
    return pd.factorize(view.numbers(attribute.name))[0]


def _often(places: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """Which category each row has, -1 for those of few rows; None where these are too many."""
    counts = np.bincount(places[places >= 0], minlength=1)
    kept = np.where((places >= 0) & (counts[places] >= OFTEN), places, -1)
    return kept if (kept >= 0).sum() >= (1 - FEW) * (places >= 0).sum() else None


def _varies(column: NDArray[np.intp]) -> bool:
    """Whether so many rows have another value than most that by chance many would differ."""
    counts = np.bincount(column[column >= 0], minlength=1)
    return bool(counts.sum() - counts.max() >= ROWS)


def _may_follow(source: str, names: Sequence[str], places: Mapping[str, NDArray[np.intp]]) -> set[str]:
    """Those of the columns that the first rows let follow from a list, looked at all at once.

    Not where hardly any row shares its category: chance alone would tell nothing.
    """
    _, counts = np.unique(places[source][places[source] >= 0], return_counts=True)
    if not names or (counts - 1).sum() < ROWS:
        return set()
    first = places[source][:FIRST]
    order = np.argsort(first, kind="stable")[(first < 0).sum() :]
    if not len(order):
        return set(names)
    starts = np.flatnonzero(np.diff(first[order], prepend=-1))
    values = np.stack([places[name][order] for name in names], axis=1)
    known = values >= 0
    sizes = np.add.reduceat(known, starts, axis=0, dtype=np.intp)
    least = np.minimum.reduceat(np.where(known, values, values.max() + 1), starts, axis=0)
    several = (sizes > 0) & (np.maximum.reduceat(values, starts, axis=0) > least)
    open_to_all = (sizes * several).sum(axis=0) <= np.maximum(ROWS, FEW * known.sum(axis=0))
    return set(itertools.compress(names, open_to_all))


def _left_open(column: NDArray[np.intp], source: NDArray[np.intp]) -> int | None:
    """How many rows have a category beside which not all rows have one value; None where they are too many.

    Many rows would differ if the two columns met by chance. Of these hardly any may.
    """
    width = int(column.max(initial=0)) + 1
    for rows in (slice(START), slice(None)):
        known = (column[rows] >= 0) & (source[rows] >= 0)
        values, categories = column[rows][known], source[rows][known]
        if not len(values):
            return None
        pairs, counts = np.unique(categories * width + values, return_counts=True)
        starts = np.flatnonzero(np.diff(pairs // width, prepend=-1))
        of_category, commonest = np.add.reduceat(counts, starts), np.maximum.reduceat(counts, starts)
        others = int((of_category - commonest).sum())
        left_open = int(of_category[of_category > commonest].sum())
        if others and left_open > max(ROWS, FEW * len(values)):
            return None
    differ = len(values) - np.bincount(values).max()
    by_chance = differ * (1 - len(starts) / len(values))  # the first row of a category breaks nothing
    return left_open if by_chance >= ROWS and others <= HARDLY * by_chance else None


def pairs_of(rule: Written, view: View, rows: int = 1) -> Written:
    """Give the value that goes with each category in the rows, where a column follows and nobody listed how.

    Args:
        rule: The rule; of another kind, or with its pairs, it has none to give.
        view: The private table.
        rows: Rows that have a category and its value at least.
    """
    if rule["kind"] != "follows" or "values" in rule:
        return {}
    places, sources = view.parts(rule["from"])
    others, texts = view.parts(rule["column"])
    listed = _values(view.attributes[rule["from"]], sources)
    known = _values(view.attributes[rule["column"]], texts)
    pairs: Counter[tuple[str | None, str | None]] = Counter()
    for (of, to), count in Counter(zip(places.tolist(), others.tolist(), strict=True)).items():
        pairs[sources[of], texts[to]] += count
    times = Counter(of for of, to in pairs if to in known)  # what takes unlisted values has several
    told = [(of, to) for (of, to), count in pairs.items() if to in known and count >= rows]
    values = {of: known[to] for of, to in told if of in listed and times[of] == 1}
    return {"values": values} if values else {}


def _values(attribute: Attribute, texts: Iterable[str | None]) -> dict[str, Scalar]:
    """The values that a column may have, by their texts; of numbers and dates those that it has."""
    if isinstance(attribute, Categorical):
        return {text_of(category): category for category in attribute.categories}
    found = [text for text in texts if text is not None and not math.isnan(number_of(text, attribute))]
    if attribute.kind != "number":
        return {text: text for text in found}
    return {text: int(text) if attribute.integer else float(text) for text in found}
