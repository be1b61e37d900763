"""The form on the page Data that asks for a public rule: its kind's columns, values and conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.publishing.rule_words import test_of
from hmpb_core.rules.between import ROUNDINGS, UNITS
from hmpb_core.rules.conditions import BOUNDS
from hmpb_core.rules.parts import PARTS
from hmpb_core.texts import text_of
from pages.data.lists import read_list, write_list
from pages.data.typed import as_number
from pages.session.widgets import choosing
from pages.words.catalogue import Markdown, plain, t
from pages.words.rules import rule_word

CONDITIONS = 2
"""Conditions that a side of a rule has at most here; a codebook file may have more."""
_SIDES = {"implies": ("if", "then"), "forbidden": ("if",), "askedIf": ("if",)}
_TESTS = ("among", "not", *BOUNDS, "missing", "present")
_WITHOUT_VALUE = ("missing", "present")


def asked_rule(
    domain: Domain, kind: str, old: dict[str, Any], stem: str, decimal: str | None
) -> dict[str, Any] | None:
    """Ask for what a kind of rule needs; None while something is missing."""
    rule: dict[str, Any] = {"kind": kind}
    if kind == "ascending":
        rule["columns"] = _columns(domain, "columns", old, stem)
        return rule if len(rule["columns"]) > 1 else None
    if kind in (
        "follows",
        "equal",
        "bandOf",
        "partOf",
        "sum",
        "computed",
        "timeBetween",
        "nonNegative",
        "askedIf",
    ):
        rule["column"] = _column(domain, "column", old, stem)
    if kind in ("follows", "equal", "bandOf", "partOf"):
        rule |= _by_one(domain, kind, rule["column"], old, stem, decimal=decimal)
    if kind == "sum":
        rule["parts"] = _columns(domain, "parts", old, stem)
        if st.checkbox(t("data.rules.zero"), bool(old.get("missingIsZero")), key=f"{stem}_zero"):
            rule["missingIsZero"] = True
    if kind == "computed":
        rule |= _worked_out(old, stem)
    if kind == "timeBetween":
        rule["from"] = _column(domain, "from", old, stem, label="begins")
        rule["to"] = _column(domain, "to", old, stem, label="ends")
        rule["unit"] = _choice("unit", UNITS, old.get("unit", "days"), stem, partial(_said, "unit"))
        rounded = _choice(
            "rounded",
            ROUNDINGS,
            old.get("rounded", "down"),
            stem,
            lambda way: plain(f"data.rules.rounded.{way}"),
        )
        if rounded != "down":
            rule["rounded"] = rounded
    for side in _SIDES.get(kind, ()):
        words = t(f"data.rules.side.{side if kind == 'implies' else kind}")
        rule[side] = _conditions(domain, words, old.get(side) or {}, f"{stem}_{side}", decimal)
    return rule if all(rule.values()) else None


def _by_one(
    domain: Domain, kind: str, column: str | None, old: dict[str, Any], stem: str, *, decimal: str | None
) -> dict[str, Any]:
    """Ask what decides a column, where that is one other column."""
    if kind == "equal":
        return {"to": _column(domain, "to", old, stem)}
    if kind == "partOf":
        source = _column(domain, "of", old, stem)
        said = partial(_said, "part")
        return {"of": source, "part": _choice("part", PARTS, old.get("part"), stem, said)}
    categories = _categories(domain, column)
    if kind == "follows":
        source = _column(domain, "from", old, stem)
        pairs = _pairs("values", old, categories, stem, decimal)
        return {"from": source, "values": pairs} if pairs else {"from": source}
    source = _column(domain, "of", old, stem, label="of_number")
    pairs = _pairs("starts", old, categories, stem, decimal)
    return {"of": source, "values": {text_of(as_number(start, decimal)): pairs[start] for start in pairs}}


def _worked_out(old: dict[str, Any], stem: str) -> dict[str, Any]:
    """Ask for a formula, and what becomes of what is left over."""
    label, about = t("data.rules.formula"), t("data.rules.formula_help")
    formula = st.text_input(label, str(old.get("formula", "")), key=f"{stem}_formula", help=about)
    cut = st.checkbox(t("data.rules.cut"), old.get("rounded") == "down", key=f"{stem}_cut")
    return {"formula": formula, "rounded": "down"} if cut else {"formula": formula}


def _said(key: str, one: str) -> str:
    return rule_word(f"{key}.{one}")


def _pairs(
    key: str, old: dict[str, Any], categories: Mapping[str, Any], stem: str, decimal: str | None
) -> dict[str, Any]:
    """Ask what belongs to what, a pair a line; the second is a value of a column."""
    written = "\n".join(f"{text_of(k)} = {text_of(v)}" for k, v in (old.get("values") or {}).items())
    label, about = t(f"data.rules.{key}"), t(f"data.rules.{key}_help")
    text = st.text_area(label, written, key=f"{stem}_{key}", help=about)
    lines = (line for line in text.splitlines() if line.strip())
    pairs = [line.partition("\t" if "\t" in line else "=") for line in lines]
    return {one.strip(): categories.get(other.strip(), as_number(other, decimal)) for one, _, other in pairs}


def _categories(domain: Domain, name: str | None) -> dict[str, Any]:
    """A column's categories by the texts that name them: 01 and 73.0 are such texts as well as numbers."""
    attribute = next((a for a in domain.attributes if a.name == name), None)
    if not isinstance(attribute, Categorical):
        return {}
    return {text_of(category): category for category in attribute.categories}


def _choice(key: str, values: Iterable[str], chosen: object, stem: str, said: Callable[[str], str]) -> str:
    """Ask for one of a rule's own words."""
    words = list(values)
    return choosing(
        st.selectbox,
        t(f"data.rules.which_{key}"),
        words,
        first=words.index(chosen) if chosen in words else 0,
        format_func=said,
        key=f"{stem}_{key}",
        help=t(f"data.rules.which_{key}_help"),
    )


def _column(domain: Domain, key: str, old: dict[str, Any], stem: str, label: str | None = None) -> str | None:
    names = list(domain.names)
    index = names.index(old[key]) if old.get(key) in names else None
    which = plain("data.chosen.alike_which")
    shown = t(f"data.rules.{label or key}")
    return st.selectbox(shown, names, index=index, key=f"{stem}_{key}", placeholder=which)


def _columns(domain: Domain, key: str, old: dict[str, Any], stem: str) -> list[str]:
    chosen = [name for name in old.get(key, []) if name in domain.names]
    return st.multiselect(
        t(f"data.rules.{key}"),
        list(domain.names),
        chosen,
        key=f"{stem}_{key}",
        help=t("data.rules.order"),
        placeholder=plain("data.rules.some_columns"),
    )


def _conditions(
    domain: Domain, words: Markdown, old: dict[str, Any], stem: str, decimal: str | None
) -> dict[str, Any]:
    """Ask for the conditions of one side; unfinished ones are left out."""
    st.markdown(words)
    known = list(old.items())
    found: dict[str, Any] = {}
    for place in range(max(CONDITIONS, len(known))):
        column, wanted = known[place] if place < len(known) else (None, None)
        told = _condition(domain, column, wanted, f"{stem}_{place}", decimal)
        if told is not None:
            found[told[0]] = told[1]
    return found


def _condition(
    domain: Domain, column: str | None, wanted: Any, stem: str, decimal: str | None
) -> tuple[str, Any] | None:
    names = list(domain.names)
    test, values = test_of(wanted) if column is not None else ("among", ())
    left, middle, right = st.columns(3)
    name = left.selectbox(
        t("data.rules.column"),
        names,
        index=names.index(column) if column in names else None,
        key=f"{stem}_column",
        placeholder=plain("data.chosen.alike_which"),
    )
    chosen = choosing(
        middle.selectbox,
        t("data.rules.test"),
        _TESTS,
        first=_TESTS.index(test),
        format_func=lambda one: plain(f"data.rules.tests.{one}"),
        key=f"{stem}_test",
    )
    if chosen in _WITHOUT_VALUE:
        return None if name is None else (name, {"missing": chosen == "missing"})
    attribute = next((a for a in domain.attributes if a.name == name), None)
    if isinstance(attribute, Categorical) and chosen in ("among", "not"):
        texts = _categories(domain, name)
        now = [text_of(value) for value in values if text_of(value) in texts and name == column]
        picked = right.multiselect(
            t("data.rules.value"),
            list(texts),
            now,
            key=f"{stem}_{name}_values",
            placeholder=plain("data.rules.some_values"),
        )
        told: list[Any] = [texts[text] for text in picked]
    else:
        written = write_list(values, "; ") if name == column else ""
        text = right.text_input(t("data.rules.value"), written, key=f"{stem}_{name}_value")
        mark = decimal if isinstance(attribute, Numeric) else None
        listed = (text,) if chosen in BOUNDS else read_list(text, decimal=mark).values
        told = [as_number(str(value), mark) for value in listed if str(value).strip()]
    if name is None or not told:
        return None
    value = told[0] if len(told) == 1 or chosen not in ("among", "not") else told
    return name, value if chosen == "among" else {chosen: value}
