"""Rows that break a rule, completed: what is implied of them is taken from other rows. Free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Codes
from hmpb_core.rules.conditions import Condition, Conditions
from hmpb_core.rules.consistency import assign, broken
from hmpb_core.rules.kinds import Attributes, Implies, Rule
from hmpb_core.rules.reading import View

TURNS = 2
"""Times that the rules are gone through: what one implies may be the condition of another."""


def completed(
    frame: pd.DataFrame,
    codes: Codes,
    bad: NDArray[np.intp],
    *,
    rules: Sequence[Rule],
    attributes: Attributes,
    rng: np.random.Generator,
) -> tuple[pd.DataFrame, Codes]:
    """Give broken rows what the rules imply of them; the rest of each row stays.

    A model that hardly knows how columns hang together draws few whole rows of a small group that rules tell
    much about: of children of whom four columns say that they were not asked. Drawing until all four do
    would leave the table without children.

    Args:
        frame: Rows that were drawn; its index counts them.
        codes: Their codes.
        bad: Those that break a rule.
        rules: The public rules, none of them open.
        attributes: The codebook's attributes by name, in the order of the codes.
        rng: Chooses the rows that values are taken from.

    Returns:
        The rows that keep all rules then, and their codes.
    """
    place = {name: i for i, name in enumerate(attributes)}
    rows, own = frame.iloc[bad].reset_index(drop=True), codes[bad].copy()
    implied = [rule for rule in rules if isinstance(rule, Implies) and rule.then is not None]
    whole, view = View(frame, attributes), View(rows, attributes)
    donors: dict[tuple[int, Condition], NDArray[np.intp]] = {}
    for _ in range(TURNS):
        for number, rule in enumerate(implied):
            wrong = rule.broken(view)
            for condition in rule.then.items if rule.then is not None and wrong.any() else ():
                if (number, condition) not in donors:
                    donors[number, condition] = _having(condition, rule, whole)
                broken_by_it = wrong & ~Conditions((condition,)).hold_or_open(view)
                lacking, having = np.flatnonzero(broken_by_it), donors[number, condition]
                if not len(lacking) or not len(having):
                    continue
                name, chosen = condition.column, rng.choice(having, len(lacking))
                values = rows[name].array.copy()
                values[lacking] = frame[name].array[chosen]
                view.put(name, pd.Series(values))
                own[lacking, place[name]] = codes[chosen, place[name]]
    view = assign(rows, rules, attributes)
    kept = np.flatnonzero(~broken(view, rules))
    return view.frame.iloc[kept].reset_index(drop=True), own[kept]


def _having(condition: Condition, rule: Implies, whole: View) -> NDArray[np.intp]:
    """Rows with what a rule implies: those of whom it does, if there are any."""
    having = condition.of(whole)
    alike = having & rule.given.of(whole)
    return np.flatnonzero(alike if alike.any() else having)
