"""Public rules that the rows suggest, as a draft holds them: guesses until somebody declares them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.errors import HmpbError
from hmpb_core.publishing.kept_following import pairs_of
from hmpb_core.publishing.kept_rules import kept_rules
from hmpb_core.publishing.repeats import repeated_columns
from hmpb_core.publishing.zones import Labelled, steward_only
from hmpb_core.rules.declared import MOST_RULES, read_off_rows
from hmpb_core.rules.reading import View

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
    try:
        codebook = Codebook.from_dict(schema)
    except HmpbError:
        return steward_only(())
    copies = _copies(frame, schema, codebook)
    kept = kept_rules(frame, Codebook.from_dict(_with(schema, copies))).value
    found = [*copies, *as_guesses(frame, codebook, kept).value]
    room = MOST_RULES - len(codebook.rules.items)
    return steward_only(tuple(_that_fit(schema, found[:room])))


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
    view = View(frame, attributes, {name: codebook.missing_of(name) for name in attributes})
    return steward_only(tuple(read_off_rows(rule | pairs_of(rule, view)) for rule in rules))


def rules_of_copy(frame: pd.DataFrame, schema: Schema, name: str, other: str) -> Iterator[Written]:
    """Give the rules by which one of two columns that say the same may be decided by the other, best first.

    Args:
        frame: The private table.
        schema: A codebook, as it is written.
        name: One column.
        other: The other one.

    Yields:
        Each rule that the codebook may have beside its own, marked as a guess.
    """
    listed = {field["name"] for field in schema["fields"] if field.get("categories")}
    ways = [
        {"kind": "follows", "column": c, "from": s} for c, s in ((name, other), (other, name)) if s in listed
    ]
    if frame[name].astype(str).equals(frame[other].astype(str)):
        ways.insert(0, {"kind": "equal", "column": name, "to": other})
    for rule in ways:
        if _fit(schema, [rule]):
            yield from as_guesses(frame, Codebook.from_dict(schema), [rule]).value


def _copies(frame: pd.DataFrame, schema: Schema, codebook: Codebook) -> list[Written]:
    """A rule for each column that says the same as an earlier one, where there can be one."""
    ways = (
        rules_of_copy(frame, schema, *pair) for pair in repeated_columns(frame, codebook.domain.names).value
    )
    found = [rule for rule in map(next, ways, itertools.repeat(None)) if rule is not None]
    return _that_fit(schema, found)


def _that_fit(schema: Schema, rules: Sequence[Written]) -> list[Written]:
    """Those of the rules that a codebook may have together: where all cannot be, the earlier ones first."""
    if not rules or _fit(schema, rules):
        return list(rules)
    if len(rules) == 1:
        return []
    first = _that_fit(schema, rules[: len(rules) // 2])
    return [*first, *_that_fit(_with(schema, first), rules[len(rules) // 2 :])]


def _with(schema: Schema, rules: Sequence[Written]) -> dict[str, Any]:
    return {**schema, "rules": [*(schema.get("rules") or ()), *rules]}


def _fit(schema: Schema, rules: Sequence[Written]) -> bool:
    """Whether a codebook may have further rules."""
    try:
        Codebook.from_dict(_with(schema, rules))
    except HmpbError:
        return False
    return True
