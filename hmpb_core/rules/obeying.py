"""Rows that keep every rule: drawn, redrawn, and at last put right.

Everything here works on rows drawn from a paid model and on public rules: post-processing, free.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Categorical, Codes, Domain, Numeric, Scalar
from hmpb_core.rules.bands import BandOf
from hmpb_core.rules.between import TimeBetween
from hmpb_core.rules.completing import completed
from hmpb_core.rules.computed import Computed
from hmpb_core.rules.conditions import Condition
from hmpb_core.rules.consistency import FEW_MISSING, assign, broken, components, decided, in_order
from hmpb_core.rules.deciding import Equal, Follows, Sum, left_open_by
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.exchanging import exchanged
from hmpb_core.rules.kinds import Ascending, AskedIf, Attributes, Implies, Rule
from hmpb_core.rules.reading import View, meaning, meanings
from hmpb_core.texts import text_of

Draw = Callable[[int, np.random.Generator], Codes]
Values = Callable[[Codes, np.random.Generator], pd.DataFrame]
Places = NDArray[np.intp]
Floats = NDArray[np.float64]

INSIDE_TRIES = 5
"""Times that values are drawn again inside the bins of a row that breaks a rule."""
MODEL_TRIES = 12
"""Times that rows which still break one are drawn again from the model."""
SPARE, MOST_SPARE = 30, 2
"""Rows to choose from, for each row that breaks a rule, and at most for each row."""
TILTS = 20
"""Rounds of fitting the chances with which rows are kept."""
_BATCH, _MOST = 1_000, 2_000_000
_Emptied = Follows | Sum | Equal | TimeBetween | BandOf | Computed
"""Rules that say of what they decide whether it is missing just where others are."""
_MAPPING_ROWS = 50_000
"""Rows that an unlisted mapping is taken from."""


def obedient_rows(
    rules: Rules,
    domain: Domain,
    n_rows: int,
    *,
    draw: Draw,
    values: Values,
    rng: np.random.Generator,
    redraws: bool = True,
) -> pd.DataFrame:
    """Draw rows of which none breaks a rule.

    1. Numbers and dates that never fall change places within their codes (``exchanging.py``). What other
       columns decide is set: a value that follows, a sum, a question that was not asked.
    2. Where a rule is still broken, values are drawn again inside the row's bins.
    3. Then whole rows are drawn again: together they follow the model given the rules. Beside them the broken
       rows are completed by what the rules imply (``completing.py``). Of all these rows and the others
       as many are kept as are wanted, so that the columns of the rules keep the distributions that were drawn
       at first (``tilted``): else long stays would go where the model does not know that somebody who stays
       long is last seen late, and children where it does not know what is asked of nobody below 15.
    4. After a bounded number of tries the columns of the broken rules are taken from rows that keep
       them, in turn; if the model gave none, from the row that was found when the rules were read.

    Args:
        rules: The public rules.
        domain: The codebook's domain.
        n_rows: Rows to draw.
        draw: Draws codes from the model.
        values: Turns codes into values.
        rng: Draws the rows.
        redraws: Whether whole rows may be drawn again, and values change places between rows; else each row
            has its own draws alone.
    """
    if not rules.items:
        return values(draw(n_rows, rng), rng)
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    known = bound(rules, domain, draw=draw, values=values)
    codes = draw(n_rows, rng)
    moves = any(isinstance(rule, AskedIf) for rule in known.items)

    def made(of: Codes) -> tuple[pd.DataFrame, Places]:
        order = rng.permutation(len(of)) if moves else None  # a model may draw rows in an order
        own = values(of, rng)
        if redraws:
            own = exchanged(own, of, rules=known.items, domain=domain, rng=rng)
        view = assign(own, known.items, attributes, order)
        return view.frame, np.flatnonzero(broken(view, known.items))

    frame, bad = made(codes)
    same = _same(frame, known.items, attributes)
    for _ in range(INSIDE_TRIES):
        if not len(bad):
            return frame
        again, still = made(codes[bad])
        good = np.setdiff1d(np.arange(len(bad)), still)
        _put(frame, bad[good], again.iloc[good])
        bad = bad[still]
    if not len(bad):
        return frame
    if not redraws:
        return _put_right(frame, bad, known)
    own = np.setdiff1d(np.arange(n_rows), bad)
    spare = min(SPARE * len(bad), MOST_SPARE * n_rows)
    pool, pool_codes = _more_rows(spare, draw, made, rng)
    mended, mended_codes = completed(frame, codes, bad, rules=known.items, attributes=attributes, rng=rng)
    pool, pool_codes = (
        pd.concat([pool, mended], ignore_index=True),
        np.concatenate([pool_codes, mended_codes]),
    )
    missing = len(bad) - len(pool)
    if missing > 0:
        _put(frame, bad[missing:], pool)
        return _put_right(frame, bad[:missing], known)
    free = _undecided(known.items)
    shared = [i for i, name in enumerate(domain.names) if name in free]
    first = np.hstack([codes[:, shared], same])
    candidates = np.hstack(
        [
            np.concatenate([codes[own], pool_codes])[:, shared],
            np.concatenate([_same(rows, known.items, attributes) for rows in (frame.iloc[own], pool)]),
        ]
    )
    chosen = drawn(tilted(first, candidates), candidates, n_rows, rng)
    stay = own[chosen[: len(own)]]
    _put(frame, np.setdiff1d(np.arange(n_rows), stay), pool[chosen[len(own) :]])
    return frame


def _more_rows(
    wanted: int,
    draw: Draw,
    made: Callable[[Codes], tuple[pd.DataFrame, Places]],
    rng: np.random.Generator,
) -> tuple[pd.DataFrame, Codes]:
    """Rows of the model that keep the rules, as many as wanted or as a bounded number of tries gives."""
    frames, codes, found, kept = [], [], 0, 1.0
    for _ in range(MODEL_TRIES):
        count = int(min(_MOST, max(_BATCH, math.ceil(1.2 * (wanted - found) / max(kept, 1e-3)))))
        of = draw(count, rng)
        frame, broke = made(of)
        good = rng.permutation(np.setdiff1d(np.arange(count), broke))  # a model may draw rows in an order
        good = good[: wanted - found]
        frames.append(frame.iloc[good])
        codes.append(of[good])
        kept = 1 - len(broke) / count
        found += len(good)
        if found == wanted:
            break
    return pd.concat(frames, ignore_index=True), np.concatenate(codes)


def _same(rows: pd.DataFrame, rules: Sequence[Rule], attributes: Attributes) -> Codes:
    """In which rows each number that repeats another one holds its value, where rules put them in order.

    Rows in which it does keep the order, of others many do not: refused, they would leave too many of those.
    """
    ordered = {name for rule in rules if isinstance(rule, Ascending) for name in rule.columns}
    view, found = View(rows, attributes), []
    for name in sorted(ordered):
        entry = attributes[name]
        if isinstance(entry, Numeric) and entry.repeats in ordered:
            found.append(view.numbers(name) == view.numbers(entry.repeats))
    return np.array(found, dtype=np.int32).reshape(len(found), len(rows)).T


def _undecided(rules: Sequence[Rule]) -> set[str]:
    """The columns of the rules that no rule decides."""
    return {name for rule in rules for name in rule.columns} - {rule.target for rule in in_order(rules)}


def tilted(drawn_first: Codes, candidates: Codes) -> Floats:
    """Chances to keep candidates, with which each column's codes are as often as they were drawn at first.

    Of all distributions with these columns the one nearest to the candidates' own: each of their rows
    weighed by a factor of each of its codes, found by iterative proportional fitting [Deming1940].
    No chance is above 1, so no row is kept twice; where the columns cannot all be had, they are
    had as nearly as the rounds get.

    Args:
        drawn_first: Codes that were drawn, before any row was refused, shape (rows, columns).
        candidates: Codes of the rows that keep the rules, at least as many, shape (candidates, columns).

    Returns:
        Chances, shape (candidates,), which sum to the number of rows.
    """
    n_rows = len(drawn_first)
    chances = np.full(len(candidates), n_rows / len(candidates))
    columns = [np.ascontiguousarray(column) for column in candidates.T]
    for _ in range(TILTS):
        for column, first in zip(columns, drawn_first.T, strict=True):
            size = int(max(column.max(), first.max())) + 1
            wanted = np.bincount(first, minlength=size)
            now = np.bincount(column, weights=chances, minlength=size)
            chances *= (wanted / np.where(now > 0, now, 1.0))[column]
        chances = _at_most_one(chances, n_rows)
    return chances


def _at_most_one(chances: Floats, total: int) -> Floats:
    """Scale chances so that they sum to a total and none is above 1."""
    chances = np.maximum(chances, 1e-9)
    for _ in range(TILTS):
        whole = chances >= 1
        left = total - int(whole.sum())
        rest = float(chances[~whole].sum())
        chances = np.where(whole, 1.0, chances * (left / rest if rest > 0 else 1.0))
        if (chances <= 1 + 1e-9).all():
            break
    return np.minimum(chances, 1.0)


def drawn(chances: Floats, candidates: Codes, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Choose as many as asked for, each with its chance: a systematic sample in the order of their codes."""
    order = rng.permutation(len(chances))
    order = order[np.lexsort(candidates[order].T)]
    reached = np.cumsum(chances[order])
    marks = (rng.random() + np.arange(count)) * (reached[-1] / count)
    chosen = np.zeros(len(chances), dtype=bool)
    chosen[order[np.minimum(np.searchsorted(reached, marks, side="right"), len(chances) - 1)]] = True
    again = np.flatnonzero(~chosen)  # two marks fall into one row where chances are rounded
    chosen[rng.permutation(again)[: count - int(chosen.sum())]] = True
    return chosen


def _put(frame: pd.DataFrame, places: Places, rows: pd.DataFrame) -> None:
    for name in frame.columns:
        column = frame[name].array.copy()
        column[places] = rows[name].array
        frame[name] = column


def _put_right(frame: pd.DataFrame, bad: Places, rules: Rules) -> pd.DataFrame:
    """Give broken rows the columns of rows that keep the rules; each group of rules by itself."""
    good = np.ones(len(frame), dtype=bool)
    good[bad] = False
    donors = np.flatnonzero(good)
    broken_rows = frame.iloc[bad].reset_index(drop=True)
    for group, row in zip(components(rules.items), rules.witnesses, strict=True):
        places = bad[broken(View(broken_rows, rules.attributes), group)]
        for name in dict.fromkeys(c for rule in group for c in rule.columns):
            column = frame[name].array.copy()
            if len(donors):
                column[places] = column[donors[np.arange(len(places)) % len(donors)]]
            else:
                column[places] = _value(row[name])
            frame[name] = column
    return frame


def _value(value: Any) -> Any:
    return pd.NA if pd.isna(value) else value


def bound(rules: Rules, domain: Domain, *, draw: Draw, values: Values) -> Rules:
    """Fill in what rules leave to the model, always alike for one model: the rules seed the draws.

    These are mappings that nobody listed, and whether a column is missing just where what decides it is. No
    other rule says which value follows by such a mapping (``consistency.py``): any leaves them as they are.
    """
    rules = _emptied(rules, domain, draw)
    if not any(_is_open(rule) for rule in rules.items):
        return rules
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    rng = np.random.default_rng(crc32(repr(rules.items).encode()))
    frame = values(draw(_MAPPING_ROWS, rng), rng)
    least = values(np.zeros((1, len(domain)), dtype=np.int32), rng)
    items = tuple(_mapped(rule, frame, least, attributes) for rule in rules.items)
    rows = [dict(row) for row in rules.witnesses]
    for rule in items:
        if isinstance(rule, Follows) and rule.values is not None:
            for row in rows:
                said = meaning(row[rule.source], attributes[rule.source]) if rule.column in row else None
                if said is not None and said in rule.values and not pd.isna(row[rule.column]):
                    row[rule.column] = rule.values[said]
    return replace(rules, items=items, witnesses=tuple(rows), attributes=attributes)


def _emptied(rules: Rules, domain: Domain, draw: Draw) -> Rules:
    """Say of each column that others decide whether it is missing just where these are.

    So it is where hardly a value of any of them is missing: no model then knows where both are
    (``pipeline.fit``). A copy and what a time decides may as well be missing together with many; they are not
    where they are missing more often, as a date of death that is the discharge's, unless another rule says of
    whom it is asked. Where a rule asks whether the column is missing, that is left to the model.
    """
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    asked = {c.column for rule in rules.items for c in _conditions(rule) if c.test == "missing"}
    of_some = {rule.column for rule in rules.items if isinstance(rule, AskedIf)}
    open_rules = [
        rule
        for rule in decided(rules.items, attributes)
        if isinstance(rule, _Emptied) and rule.emptied is None and attributes[str(rule.target)].nullable
    ]
    if not open_rules:
        return rules
    codes = draw(_MAPPING_ROWS, np.random.default_rng(crc32(repr(rules.items).encode())))
    missing = {
        a.name: float((codes[:, i] == a.size - 1).mean()) if a.nullable else 0.0
        for i, a in enumerate(domain.attributes)
    }

    def told(rule: Rule) -> Rule:
        if not isinstance(rule, _Emptied) or rule not in open_rules:
            return rule
        target = str(rule.target)
        if isinstance(rule, Equal | TimeBetween | BandOf | Computed):
            more = missing[target] - max(missing[name] for name in rule.columns if name != target)
            if not isinstance(rule, Equal) and more < -FEW_MISSING:  # known where the others are not
                return rule
            together = target in of_some or more <= FEW_MISSING
        else:
            together = all(missing[name] <= FEW_MISSING for name in left_open_by(rule))
        return replace(rule, emptied=together and target not in asked)

    return replace(rules, items=tuple(map(told, rules.items)), attributes=attributes)


def _conditions(rule: Rule) -> tuple[Condition, ...]:
    """What a rule of combinations asks."""
    if not isinstance(rule, Implies):
        return ()
    return (*rule.given.items, *(rule.then.items if rule.then else ()))


def _is_open(rule: Rule) -> bool:
    return isinstance(rule, Follows) and rule.values is None


def _mapped(rule: Rule, frame: pd.DataFrame, least: pd.DataFrame, attributes: Attributes) -> Rule:
    """The rule with a value for each category: those first that most rows have together.

    A value is given to about as many rows as have it, as long as there are such: else all categories get the
    commonest of all where the model does not know how the two columns hang together. What was never drawn
    gets that one. Where no row has both, as of few rows noise may have it, all get the least value.
    """
    if not isinstance(rule, Follows) or rule.values is not None:
        return rule
    source = attributes[rule.source]
    assert isinstance(source, Categorical)
    columns = [rule.source, rule.column]
    pairs = frame[columns].dropna()
    pairs = least[columns] if pairs.empty else pairs
    places, values = pd.factorize(pairs[rule.source])
    texts = np.array(meanings(list(values), source), dtype=object)[places]
    own: list[Scalar] = pairs[rule.column].tolist()
    of_text, left = Counter(texts), Counter(own)
    commonest = min(left, key=lambda value: (-left[value], text_of(value)))
    together = Counter(zip(texts, own, strict=True))
    cells = sorted(together, key=lambda cell: (-together[cell], cell[0], text_of(cell[1])))
    found: dict[str, Scalar] = {}
    for text, value in cells:
        if text not in found and left[value] >= of_text[text] / 2:
            found[text] = value
            left[value] -= of_text[text]
    for text, value in cells:  # of a category that no value has rows enough for
        found.setdefault(text, value)
    return replace(rule, values={text_of(c): found.get(text_of(c), commonest) for c in source.categories})
