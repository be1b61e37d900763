"""Data dictionaries of REDCap: types, bounds, choices, and when a question is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hmpb_core.dates import NumericKind
from hmpb_core.errors import DomainError
from hmpb_core.rules.formulas import Formula, columns_named
from hmpb_core.sources.drafting.codebook_entries import (
    Field,
    Found,
    bounded,
    dated,
    listed,
    number,
    unique,
)
from hmpb_core.sources.drafting.skip_logic import add_rules

Row = Mapping[str, str]

COLUMNS = {
    "variable / field name": "field_name",
    "form name": "form_name",
    "field type": "field_type",
    "field label": "field_label",
    "choices, calculations, or slider labels": "select_choices_or_calculations",
    "text validation type or show slider number": "text_validation_type_or_show_slider_number",
    "text validation min": "text_validation_min",
    "text validation max": "text_validation_max",
    "identifier?": "identifier",
    "branching logic (show field only if...)": "branching_logic",
}
"""What the columns of a dictionary are called where it is exported for people, and what REDCap calls them."""
_TRUTHS: Field = {"type": "boolean", "trueValues": ["1"], "falseValues": ["0"]}
"""Yes and no as REDCap stores them."""
_STATUS = ("Incomplete", "Unverified", "Complete")
"""What REDCap stores as 0, 1 and 2 in a column of its own behind each form."""
_MOMENTS: Mapping[str, tuple[NumericKind, str]] = {
    "date": ("date", ""),
    "datetime": ("datetime", "%Y-%m-%d %H:%M"),
    "datetime_seconds": ("datetime", "%Y-%m-%d %H:%M:%S"),
    "time": ("time", "%H:%M"),
    "time_hh_mm": ("time", "%H:%M"),
    "time_hh_mm_ss": ("time", "%H:%M:%S"),
}
"""How REDCap exports dates and times, whichever way its forms show them (``date_dmy``)."""
_IDS = re.compile(r"(phone|mrn)\w*|email|ssn|vmrn", re.ASCII)
_ROUNDED = re.compile(r"(?P<way>round|rounddown) *\((?P<formula>.*?)(?:, *(?P<digits>\d))?\)", re.IGNORECASE)
"""A calculation that says to how many decimals."""
_PLACES = re.compile(r"zipcode|postalcode\w*", re.ASCII)
"""Validations of what is somebody's own, and of postcodes, which are no numbers."""


def fields_of_redcap(rows: Sequence[Row]) -> Found:
    """Read the questions of a data dictionary, each a row by the names that REDCap has for its columns."""
    found = Found()
    boxes: dict[str, list[str]] = {}
    for row in rows:
        fields = list(_fields(row))
        found.fields += fields
        if row.get("field_type", "").lower() == "checkbox":
            boxes[row["field_name"]] = [str(field["name"]) for field in fields]
    names = {str(field["name"]) for field in found.fields}
    states = [{"value": value, "label": label} for value, label in enumerate(_STATUS)]
    forms = dict.fromkeys(form for row in rows if (form := row.get("form_name", "").strip()))
    found.fields += [
        {"name": name, **listed(states)} for form in forms if (name := f"{form}_complete") not in names
    ]

    def column_of(name: str) -> str | None:
        box = re.fullmatch(r"(\w+)\((-?\w+)\)", name, re.ASCII)
        column = _box(box[1], box[2]) if box else None if name in boxes else name
        return column if column in names else None

    calculated = [_calculated(row)[1] for row in rows if row.get("field_type", "").lower() == "calc"]
    found.rules += [rule for rule in calculated if rule and columns_named(rule["formula"]) <= names]
    asked = [(row["field_name"], row.get("branching_logic", "")) for row in rows]
    add_rules(found, asked, column_of, boxes)
    return found


def _fields(row: Row) -> Iterator[Field]:
    kind = row.get("field_type", "").lower()
    field: Field = {"name": row["field_name"]}
    if title := re.sub(r"<[^>]*>", " ", row.get("field_label", "")).strip():
        field["title"] = title
    choices = [
        {"value": number(value.strip()), "label": text.strip()}
        for value, _, text in (
            part.partition(",") for part in row.get("select_choices_or_calculations", "").split("|")
        )
        if value.strip()
    ]
    if kind == "checkbox":  # one column of 0 and 1 a choice
        for choice in choices:
            name = _box(row["field_name"], str(choice["value"]))
            yield {"name": name, "title": f"{title}: {choice['label']}", **_TRUTHS}
        return
    if kind == "descriptive":  # a text that the form shows
        return
    if row.get("identifier", "").lower() in ("y", "yes", "1"):
        field |= {"type": "string", "role": "identifier", "publish": False}
    elif kind in ("yesno", "truefalse"):
        field |= _TRUTHS
    elif kind in ("radio", "dropdown") and choices:
        field |= listed(unique(choices))
    elif kind in ("notes", "file"):
        field |= {"type": "string", "role": "text", "publish": False}
    elif kind == "slider":
        bounds = (row.get(f"text_validation_{end}", "").strip() for end in ("min", "max"))
        low, high = (bound or usual for bound, usual in zip(bounds, ("0", "100"), strict=True))
        field |= bounded(low, high, kind="integer")
    elif kind == "calc":
        field |= _calculated(row)[0]
    elif kind == "text":
        field |= _validated(row)
    yield field


def _calculated(row: Row) -> tuple[Field, dict[str, Any] | None]:
    """A calculated field, and the rule that works it out of other numbers; REDCap writes names as rules do.

    Dates, conditions and functions are left: such a field is a number of which nothing more is known.
    """
    text = row.get("select_choices_or_calculations", "").strip()
    rounded = _ROUNDED.fullmatch(text)
    formula = (rounded["formula"] if rounded else text).strip()
    try:
        Formula.read(formula)
    except DomainError:
        return {"type": "number"}, None
    rule = {"kind": "computed", "column": row["field_name"], "formula": formula}
    if rounded is None:
        return {"type": "number"}, rule
    cut = {"rounded": "down"} if rounded["way"].lower() == "rounddown" else {}
    return {"type": "number", "decimals": int(rounded["digits"] or 0)}, {**rule, **cut}


def _validated(row: Row) -> Field:
    """What the validation of a text says it is."""
    checked = row.get("text_validation_type_or_show_slider_number", "").strip().lower()
    low, high = (row.get(f"text_validation_{end}", "").strip() for end in ("min", "max"))
    if checked == "integer":
        return bounded(low, high, kind="integer")
    if found := re.fullmatch(r"number(?:_(\d)dp)?(_comma_decimal)?", checked, re.ASCII):
        decimals = {"decimals": int(found[1])} if found[1] else {}
        low, high = (bound.replace(",", ".") if found[2] else bound for bound in (low, high))
        return {**bounded(low, high, kind="number"), **decimals}
    if _IDS.fullmatch(checked):
        return {"type": "string", "role": "identifier", "publish": False}
    if _PLACES.fullmatch(checked):
        return {"type": "string"}
    if moment := _MOMENTS.get(re.sub(r"_(ymd|dmy|mdy)$", "", checked)):
        kind, pattern = moment
        return dated(kind, low, high, pattern=pattern)
    return {}


def _box(question: str, choice: str) -> str:
    """The column of one box of a question."""
    return f"{question}___{choice.lower().replace('-', '_')}"
