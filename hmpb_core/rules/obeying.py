"""Rows that keep every rule: drawn, redrawn, and at last put right.

Everything here works on rows drawn from a paid model and on public rules: post-processing, free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from hmpb_core.domain import Categorical, Codes, Domain, Scalar, text_of
from hmpb_core.rules.consistency import assign, broken, components
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.kinds import Attributes, Follows, Rule
from hmpb_core.rules.reading import View

Draw = Callable[[int, np.random.Generator], Codes]
Values = Callable[[Codes, np.random.Generator], pd.DataFrame]

INSIDE_TRIES = 5
"""Times that values are drawn again inside the bins of a row that breaks a rule."""
MODEL_TRIES = 12
"""Times that rows which still break one are drawn again from the model."""
_BATCH, _MOST = 1_000, 2_000_000
_MAPPING_ROWS = 50_000
"""Rows that an unlisted mapping is taken from."""


def obedient_rows(
    rules: Rules, domain: Domain, n_rows: int, *, draw: Draw, values: Values, rng: np.random.Generator
) -> pd.DataFrame:
    """Draw rows of which none breaks a rule.

    1. What other columns decide is set: a value that follows, a sum, a question that was not asked.
    2. Where a rule is still broken, values are drawn again inside the row's bins.
    3. Then whole rows are drawn again: together they follow the model given the rules.
    4. After a bounded number of tries the columns of the broken rules are taken from rows that keep
       them, in turn; if the model gave none, from the row that was found when the rules were read.

    Args:
        rules: The public rules.
        domain: The codebook's domain.
        n_rows: Rows to draw.
        draw: Draws codes from the model.
        values: Turns codes into values.
        rng: Draws the rows.
    """
    if not rules.items:
        return values(draw(n_rows, rng), rng)
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    known = bound(rules, domain, draw=draw, values=values)
    codes = draw(n_rows, rng)

    def made(of: Codes) -> tuple[pd.DataFrame, np.ndarray[tuple[int], np.dtype[np.intp]]]:
        frame = assign(values(of, rng), known.items, attributes)
        return frame, np.flatnonzero(broken(View(frame, attributes), known.items))

    frame, bad = made(codes)
    for _ in range(INSIDE_TRIES):
        if not len(bad):
            return frame
        again, still = made(codes[bad])
        good = np.setdiff1d(np.arange(len(bad)), still)
        _put(frame, bad[good], again.iloc[good])
        bad = bad[still]
    kept = 1.0
    for _ in range(MODEL_TRIES):
        if not len(bad):
            return frame
        count = int(min(_MOST, max(_BATCH, math.ceil(1.2 * len(bad) / max(kept, 1e-3)))))
        again, still = made(draw(count, rng))
        good = np.setdiff1d(np.arange(count), still)
        kept = len(good) / count
        good = rng.permutation(good)[: len(bad)]
        _put(frame, bad[: len(good)], again.iloc[good])
        bad = bad[len(good) :]
    return _put_right(frame, bad, known) if len(bad) else frame


def _put(frame: pd.DataFrame, places: np.ndarray[tuple[int], np.dtype[np.intp]], rows: pd.DataFrame) -> None:
    for name in frame.columns:
        column = frame[name].array.copy()
        column[places] = rows[name].array
        frame[name] = column


def _put_right(
    frame: pd.DataFrame, bad: np.ndarray[tuple[int], np.dtype[np.intp]], rules: Rules
) -> pd.DataFrame:
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
    """Fill in the mappings that nobody listed, always alike for one model: the rules seed the draw.

    No other rule names what follows so (``consistency.py``): any mapping leaves the others as they are.
    """
    if not any(_is_open(rule) for rule in rules.items):
        return rules
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    rng = np.random.default_rng(crc32(repr(rules.items).encode()))
    frame = values(draw(_MAPPING_ROWS, rng), rng)
    items = tuple(_mapped(rule, frame, attributes) for rule in rules.items)
    rows = [dict(row) for row in rules.witnesses]
    for rule in items:
        if isinstance(rule, Follows) and rule.values is not None:
            for row in rows:
                if rule.column in row and text_of(row[rule.source]) in rule.values:
                    row[rule.column] = rule.values[text_of(row[rule.source])]
    return replace(rules, items=items, witnesses=tuple(rows), attributes=attributes)


def _is_open(rule: Rule) -> bool:
    return isinstance(rule, Follows) and rule.values is None


def _mapped(rule: Rule, frame: pd.DataFrame, attributes: Attributes) -> Rule:
    """The rule with each category's commonest value; what was never drawn gets the commonest of all."""
    if not isinstance(rule, Follows) or rule.values is not None:
        return rule
    source = attributes[rule.source]
    assert isinstance(source, Categorical)
    pairs = frame[[rule.source, rule.column]].dropna()
    commonest = _commonest(pairs[rule.column])
    by_text = dict(iter(pairs.groupby(pairs[rule.source].map(text_of))[rule.column]))
    found: dict[str, Scalar] = {}
    for category in source.categories:
        text = text_of(category)
        found[text] = _commonest(by_text[text]) if text in by_text else commonest
    return replace(rule, values=found)


def _commonest(values: Sequence[Scalar] | pd.Series) -> Scalar:
    counts = pd.Series(values).value_counts()
    best: Scalar = min(counts.index[counts == counts.max()], key=text_of)
    return best.item() if hasattr(best, "item") else best
