"""Numbers and dates that never fall: values change places within their codes, so that rows keep the order.

Of two numbers that rise together most rows have both in one code, or in two that overlap, and drawn inside
these one by one many break the order. Drawn again until they keep it, the first number would lie low in its
code and the second one high, and both would lose their shape. A value that changes places with one of another
row of its code leaves its column, and all that is known of codes, as they were drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Codes, Domain, Numeric
from hmpb_core.rules.consistency import in_order
from hmpb_core.rules.kinds import Ascending, AskedIf, Rule
from hmpb_core.rules.reading import View

ROUNDS = 20
"""Times that each value which breaks an order is tried in another row."""
WORTH_IT = 0.1
"""Part of the values that break an order which a round must put right for another one to follow."""

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


def exchanged(
    frame: pd.DataFrame, codes: Codes, *, rules: Sequence[Rule], domain: Domain, rng: np.random.Generator
) -> pd.DataFrame:
    """Let values that break an order change places with others of their codes, where both rows then keep it.

    Args:
        frame: The rows as they were drawn, before rules decide any of their values.
        codes: Their codes, shape (rows, attributes).
        rules: The public rules.
        domain: What the codes are of.
        rng: Chooses the rows that values are exchanged with.

    Returns:
        The rows, of which some may break an order still.
    """
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    before, after = _neighbours(rules)
    view = View(frame, attributes)
    numbers = {name: view.numbers(name).copy() for name in {*before, *after}}
    moving = [name for name, entry in attributes.items() if name in numbers and _drawn_by_itself(entry)]
    sources = {name: np.arange(len(frame)) for name in moving}
    wrong = np.inf
    for _ in range(ROUNDS):
        found = 0
        for name in moving:
            low = _limit(np.fmax, -np.inf, (numbers[other] for other in before.get(name, ())), len(frame))
            high = _limit(np.fmin, np.inf, (numbers[other] for other in after.get(name, ())), len(frame))
            column = codes[:, domain.index(name)]
            found += _exchange(numbers[name], sources[name], column, low=low, high=high, rng=rng)
        if found > (1 - WORTH_IT) * wrong or not found:
            break
        wrong = found
    for name, source in sources.items():
        frame[name] = frame[name].array[source]
    return frame


def _neighbours(rules: Sequence[Rule]) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    """The columns that each is never below, and those that it is never above; decided ones left out."""
    decided = {rule.target for rule in in_order(rules) if not isinstance(rule, AskedIf)}
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    for rule in rules:
        if isinstance(rule, Ascending):
            drawn = [name for name in rule.columns if name not in decided]
            for earlier, later in itertools.combinations(drawn, 2):
                before.setdefault(later, []).append(earlier)
                after.setdefault(earlier, []).append(later)
    return before, after


def _drawn_by_itself(attribute: object) -> bool:
    """Whether a column is a number or date that is not drawn as what lies between it and another one."""
    return isinstance(attribute, Numeric) and attribute.since is None


def _limit(nearest: np.ufunc, start: float, columns: Iterable[Floats], rows: int) -> Floats:
    """The nearest of some columns' numbers in each row, or the start where none has one."""
    limit = np.full(rows, start)
    for column in columns:
        limit = nearest(limit, column)
    return limit


def _exchange(
    numbers: Floats, source: Places, codes: Codes, *, low: Floats, high: Floats, rng: np.random.Generator
) -> int:
    """Let each number outside its limits change places with one of its code that lies inside them.

    Returns:
        How many numbers were outside.
    """
    outside = rng.permutation(np.flatnonzero((numbers < low) | (numbers > high)))
    inside = np.flatnonzero((numbers >= low) & (numbers <= high))
    if not len(outside) or not len(inside):
        return len(outside)
    values, ranks = np.unique(numbers[inside], return_inverse=True)
    width = len(values) + 1
    keys = codes[inside].astype(np.int64) * width + ranks
    order = np.argsort(keys)
    keys, inside, own = keys[order], inside[order], codes[outside].astype(np.int64) * width
    first = np.searchsorted(keys, own + np.searchsorted(values, low[outside], side="left"))
    end = np.searchsorted(keys, own + np.searchsorted(values, high[outside], side="right"))
    some = end > first
    here, first, end = outside[some], first[some], end[some]
    there = inside[rng.integers(first, end)]
    once = np.unique(there, return_index=True)[1]
    here, there = here[once], there[once]
    fits = (numbers[here] >= low[there]) & (numbers[here] <= high[there])
    here, there = here[fits], there[fits]
    numbers[here], numbers[there] = numbers[there], numbers[here]
    source[here], source[there] = source[there], source[here]
    return len(outside)
