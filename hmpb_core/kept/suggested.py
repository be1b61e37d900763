"""Public rules that the rows suggest, as a draft holds them: guesses until somebody declares them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical
from hmpb_core.errors import HmpbError
from hmpb_core.kept.following import pairs_of
from hmpb_core.kept.rules import kept_rules
from hmpb_core.publishing.repeats import repeated_columns
from hmpb_core.publishing.zones import Labelled, steward_only
from hmpb_core.rules.declared import MOST_RULES, Rules, read_off_rows
from hmpb_core.rules.reading import View
from hmpb_core.several_answers import apart

Schema = Mapping[str, Any]
Written = dict[str, Any]


def guessed_rules(frame: pd.DataFrame, schema: Schema) -> Labelled[tuple[Written, ...]]:
    """Find the rules that every row keeps and would not by chance, copies of columns among them.

    Args:
        frame: The private table, as it was read.
        schema: A codebook that the table fits, as it is written; where it is not usable yet nothing is found.

    Returns:
        The rules, each marked as a guess: those that can all hold, as many as the codebook has room for.
    """
    codebook = _read(schema)
    if codebook is None:
        return steward_only(())
    frame = apart(frame, codebook.answers)
    pairs = repeated_columns(frame, codebook.domain.names).value
    copies = [rule for pair in pairs if (rule := _of_copy(frame, codebook, *pair)) is not None]
    copies = _that_fit(codebook, as_guesses(frame, codebook, copies).value)
    kept = kept_rules(frame, replace(codebook, rules=_with(codebook, copies))).value
    found = [*copies, *as_guesses(frame, codebook, kept).value]
    room = MOST_RULES - len(codebook.rules.items)
    return steward_only(tuple(_that_fit(codebook, found[:room])))


def as_guesses(
    frame: pd.DataFrame, codebook: Codebook, rules: Iterable[Written]
) -> Labelled[tuple[Written, ...]]:
    """Mark rules as guesses; where a column follows from another one, the pairs are guessed with it.

    Args:
        frame: The private table, whose rows keep the rules.
        codebook: Its codebook.
        rules: The rules, as a codebook writes them.
    """
    attributes = {attribute.name: attribute for attribute in codebook.domain.attributes}
    listed = list(rules)
    named = {rule[key] for rule in listed if rule["kind"] == "follows" for key in ("column", "from")}
    view = View(frame, attributes, {name: codebook.missing_of(name) for name in named})
    return steward_only(tuple(read_off_rows(rule | pairs_of(rule, view)) for rule in listed))


def rule_of_copy(frame: pd.DataFrame, schema: Schema, name: str, other: str) -> Written | None:
    """Give the rule by which one of two columns that say the same is decided by the other.

    Args:
        frame: The private table.
        schema: A codebook, as it is written.
        name: One column.
        other: The other one.

    Returns:
        The rule, marked as a guess; None where the codebook may have none beside its own.
    """
    codebook = _read(schema)
    rule = None if codebook is None else _of_copy(frame, codebook, name, other)
    return None if codebook is None or rule is None else as_guesses(frame, codebook, [rule]).value[0]


def _of_copy(frame: pd.DataFrame, codebook: Codebook, name: str, other: str) -> Written | None:
    """The rule of a copy; none where only one of the columns has a value, since that says no value."""
    missing = {column: codebook.missing_of(column) for column in (name, other)}
    view = View(frame, {a.name: a for a in codebook.domain.attributes if a.name in missing}, missing)
    if (view.present(name) != view.present(other)).any():
        return None
    listed = {a.name for a in codebook.domain.attributes if isinstance(a, Categorical) and not a.boolean}
    ways = [
        {"kind": "follows", "column": c, "from": s} for c, s in ((name, other), (other, name)) if s in listed
    ]
    if frame[name].astype(str).equals(frame[other].astype(str)):
        ways.insert(0, {"kind": "equal", "column": name, "to": other})
    return next((rule for rule in ways if _fit(codebook, [rule])), None)


def _that_fit(codebook: Codebook, rules: Sequence[Written], first: Sequence[Written] = ()) -> list[Written]:
    """Those that a codebook may have beside the first ones: where all cannot be, the earlier ones first."""
    if not rules or _fit(codebook, [*first, *rules]):
        return list(rules)
    if len(rules) == 1:
        return []
    half = len(rules) // 2
    kept = _that_fit(codebook, rules[:half], first)
    return [*kept, *_that_fit(codebook, rules[half:], [*first, *kept])]


def _fit(codebook: Codebook, rules: Sequence[Written]) -> bool:
    """Whether a codebook may have further rules."""
    try:
        _with(codebook, rules)
    except HmpbError:
        return False
    return True


def _with(codebook: Codebook, rules: Sequence[Written]) -> Rules:
    return Rules.read([*codebook.rules.to_list(), *rules], codebook.domain, codebook.unpublished)


def _read(schema: Schema) -> Codebook | None:
    """A codebook; None where it is not usable yet."""
    try:
        return Codebook.from_dict(schema)
    except HmpbError:
        return None
