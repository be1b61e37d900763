"""Public rules in words, and under another column's name: as the codebook writes them, read for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hmpb_core.sources.drafting import OF_ONE
from hmpb_core.texts import text_of
from pages.words.catalogue import Markdown, escape, listed, names_listed, plain, t

Rule = Mapping[str, Any]
SHOWN = 4
"""Pairs of values that a rule shows."""
SHOWN_COLUMNS = 12
"""Columns that are named where rules are said at once."""
TESTS = ("among", "not", "below", "atMost", "above", "atLeast", "missing", "present")
"""What a condition may ask; ``present`` is the codebook's ``{"missing": false}``."""


def rule_words(rule: Rule) -> Markdown:
    """Say a rule of a codebook."""
    kind = str(rule.get("kind"))
    if kind == "follows":
        columns = {"column": rule["column"], "source": rule["from"]}
        pairs = [f"{text_of(k)} → {text_of(v)}" for k, v in (rule.get("values") or {}).items()]
        if not pairs:
            return t("data.rules.say.follows", **columns)
        shown = listed(pairs, SHOWN)
        return t("data.rules.say.follows_pairs", **columns, pairs=shown)
    if kind == "equal":
        return t("data.rules.say.equal", column=rule["column"], source=rule["to"])
    if kind == "partOf":
        part = plain(f"data.rules.part.{rule['part']}")
        return t("data.rules.say.partOf", column=rule["column"], part=part, source=rule["of"])
    if kind == "ascending":
        return t("data.rules.say.ascending", columns=" ≤ ".join(rule["columns"]))
    if kind == "sum":
        said = "sum_of_known" if rule.get("missingIsZero") else "sum"
        return t(f"data.rules.say.{said}", column=rule["column"], parts=" + ".join(rule["parts"]))
    if kind == "timeBetween":
        unit = plain(f"data.rules.unit.{rule['unit']}")
        said = f"time_{rule['rounded']}" if rule.get("rounded", "down") != "down" else "time"
        columns = {"column": rule["column"], "start": rule["from"], "end": rule["to"]}
        return t(f"data.rules.say.{said}", unit=unit, **columns)
    if kind == "nonNegative":
        return t("data.rules.say.nonNegative", column=rule["column"])
    if kind == "implies":
        return t("data.rules.say.implies", given=_all(rule["if"]), then=_all(rule["then"]))
    if kind == "forbidden":
        return t("data.rules.say.forbidden", given=_all(rule["if"]))
    if kind == "askedIf":
        return t("data.rules.say.askedIf", column=rule["column"], given=_all(rule["if"]))
    return escape(str(dict(rule)))


def asked_alike_words(rules: Sequence[Rule]) -> Markdown:
    """Say rules ``askedIf`` of one condition at once."""
    columns = names_listed([str(rule["column"]) for rule in rules], SHOWN_COLUMNS)
    return t("data.rules.say.asked_alike", columns=columns, given=_all(rules[0]["if"]))


def _all(conditions: Mapping[str, Any]) -> Markdown:
    return Markdown(t("data.rules.say.and").join(_one(str(c), wanted) for c, wanted in conditions.items()))


def _one(column: str, wanted: Any) -> Markdown:
    test, values = test_of(wanted)
    named = {"values": listed(map(text_of, values))} if values else {}
    return t(f"data.rules.say.{test}", column=column, **named)


def test_of(wanted: Any) -> tuple[str, list[Any]]:
    """What a condition asks, one of ``TESTS``, and the values that it names."""
    test, value = "among", wanted
    if isinstance(wanted, Mapping) and len(wanted) == 1:
        [(test, value)] = wanted.items()
    if test == "missing":
        return ("missing" if value else "present"), []
    return test, list(value) if isinstance(value, list) else [value]


def with_name(rules: list[Any], old: str, new: str) -> list[Any]:
    """Give the rules for a column that has another name now."""

    def named(value: Any) -> Any:
        return new if value == old else value

    changed = []
    for rule in rules:
        fields = dict(rule)
        for key in OF_ONE:
            if key in fields:
                fields[key] = named(fields[key])
        for key in ("columns", "parts"):
            if key in fields:
                fields[key] = [named(name) for name in fields[key]]
        for key in ("if", "then"):
            if key in fields:
                fields[key] = {named(name): wanted for name, wanted in fields[key].items()}
        changed.append(fields)
    return changed
