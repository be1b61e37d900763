"""Codebook files of other programs: Data Package, DDI-Codebook, REDCap and ODK data dictionaries."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

import pandas as pd
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from hmpb_core.errors import SourceError
from hmpb_core.provenance import Origin, Provenance
from hmpb_core.sources.files import FileReading, Readable, read_content, read_table

MAX_BYTES = 64 << 20
Field = dict[str, Any]


def fields_of_codebook_file(file: Readable, *, name: str | None = None) -> dict[str, Field]:
    """Read the fields that a codebook file declares, by the variables' names.

    Args:
        file: A path, or the content of a file.
        name: The file's name, where ``file`` is its content.

    Raises:
        SourceError: it is no codebook file of a known kind.
    """
    known_as = name or ("" if isinstance(file, bytes) else Path(file).name)
    content = file if isinstance(file, bytes) else read_content(file)
    if len(content) > MAX_BYTES:
        raise SourceError(
            "The codebook file {file!r} is larger than {limit} MB; that is no codebook.",
            file=known_as,
            limit=MAX_BYTES >> 20,
        )
    reader = _READERS.get(Path(known_as).suffix.lower())
    if reader is None:
        raise SourceError(
            "{file!r} is no codebook file by its ending; give a Data Package (.json), a DDI-Codebook (.xml), "
            "or a data dictionary of REDCap (.csv) or ODK (.xlsx).",
            file=known_as,
        )
    fields = {field["name"]: field for field in reader(content, known_as) if field.get("name")}
    if not fields:
        raise SourceError(
            "{file!r} describes no variable; give the data dictionary itself, whole.", file=known_as
        )
    source = Provenance(origin=Origin.FILE, name=known_as).to_dict()
    return {n: _sourced(field, source) for n, field in fields.items()}


def _sourced(field: Field, source: dict[str, Any]) -> Field:
    """Add the source to a field that declares something; what another codebook marks as a guess stays one."""
    constraints = field.get("constraints") or {}
    says = (
        field.get("categories")
        or field.get("type") == "boolean"
        or (isinstance(constraints, dict) and "minimum" in constraints and "maximum" in constraints)
        or (isinstance(constraints, dict) and constraints.get("enum"))
    )
    if field.get("publish") is False or not says or "source" in field or field.get("declared") is False:
        return field
    return {**field, "source": source}


# Data Package


def _data_package(content: bytes, label: str) -> Iterator[Field]:
    try:
        schema = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise SourceError(
            "{file!r} is not JSON; give a Data Package or a Table Schema.", file=label
        ) from None
    if isinstance(schema, dict) and isinstance(schema.get("resources"), list):
        resources = [r.get("schema") for r in schema["resources"] if isinstance(r, dict)]
        schema = next((s for s in resources if isinstance(s, dict)), {})
    fields = schema.get("fields") if isinstance(schema, dict) else None
    for field in fields if isinstance(fields, list) else []:
        if isinstance(field, dict) and isinstance(field.get("name"), str):
            yield field


# DDI-Codebook 2.x


def _ddi(content: bytes, label: str) -> Iterator[Field]:
    try:
        root = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, RecursionError):
        raise SourceError(
            "{file!r} is not well-formed XML without document types; give a DDI-Codebook file.", file=label
        ) from None
    for variable in _all(root, "var"):
        field: Field = {"name": (variable.get("name") or "").strip()}
        if title := _child_text(variable, "labl"):
            field["title"] = title
        numeric = all(f.get("type", "numeric") == "numeric" for f in _all(variable, "varFormat"))
        categories: list[Field] = []
        missing: list[Field] = []
        for category in _all(variable, "catgry"):
            value = _child_text(category, "catValu")
            if value:
                item = {"value": _number(value) if numeric else value}
                if text := _child_text(category, "labl"):
                    item["label"] = text
                (missing if category.get("missing") == "Y" else categories).append(item)
        bounds = next((r for r in _all(variable, "range")), None)
        if categories and variable.get("intrvl") != "contin":
            field |= _listed(categories)
        elif bounds is not None:
            field |= _bounded(bounds.get("min"), bounds.get("max"), kind=None)
        if missing:
            field["missingValues"] = [*missing, ""]
        yield field


def _all(element: Element, name: str) -> Iterator[Element]:
    return (e for e in element.iter() if str(e.tag).rpartition("}")[2] == name)


def _child_text(element: Element, name: str) -> str:
    for child in element:
        if str(child.tag).rpartition("}")[2] == name:
            return " ".join("".join(child.itertext()).split())
    return ""


# REDCap and ODK

_REDCAP = {
    "variable / field name": "field_name",
    "field type": "field_type",
    "field label": "field_label",
    "choices, calculations, or slider labels": "select_choices_or_calculations",
    "text validation type or show slider number": "text_validation_type_or_show_slider_number",
    "text validation min": "text_validation_min",
    "text validation max": "text_validation_max",
    "identifier?": "identifier",
}


def _dictionary(content: bytes, label: str) -> Iterator[Field]:
    rows = _records(content, label)
    if rows and "field_name" in rows[0] and "field_type" in rows[0]:
        for row in rows:
            yield from _redcap(row)
    elif rows and {"type", "name"} <= set(rows[0]):
        yield from _odk(rows, {})


def _redcap(row: Mapping[str, str]) -> Iterator[Field]:
    kind = row.get("field_type", "").lower()
    field: Field = {"name": row["field_name"]}
    if title := re.sub(r"<[^>]*>", " ", row.get("field_label", "")).strip():
        field["title"] = title
    choices = [
        {"value": _number(value.strip()), "label": text.strip()}
        for value, _, text in (
            part.partition(",") for part in row.get("select_choices_or_calculations", "").split("|")
        )
        if value.strip()
    ]
    if kind == "checkbox":  # one column of 0 and 1 a choice
        for choice in choices:
            name = f"{row['field_name']}___{str(choice['value']).lower().replace('-', '_')}"
            yield {"name": name, "title": f"{title}: {choice['label']}", "type": "boolean"}
        return
    if row.get("identifier", "").lower() in ("y", "yes", "1"):
        field |= {"type": "string", "role": "identifier", "publish": False}
    elif kind in ("yesno", "truefalse"):
        field["type"] = "boolean"
    elif kind in ("radio", "dropdown") and choices:
        field |= _listed(choices)
    elif kind == "notes":
        field |= {"type": "string", "role": "text", "publish": False}
    elif kind == "slider":
        field |= _bounded("0", "100", kind="integer")
    elif kind == "text":
        kinds = {"integer": "integer", "number": "number"}
        checked = row.get("text_validation_type_or_show_slider_number", "").split("_")[0]
        if checked in kinds:
            bounds = row.get("text_validation_min"), row.get("text_validation_max")
            field |= _bounded(*bounds, kind=kinds[checked])
    yield field


def _workbook(content: bytes, label: str) -> Iterator[Field]:
    survey = _records(content, label, sheet="survey")
    choices: dict[str, list[Field]] = {}
    for row in _records(content, label, sheet="choices"):
        value, text = row.get("name") or row.get("value", ""), _text_of_label(row)
        if value:
            item = {"value": _number(value), **({"label": text} if text else {})}
            choices.setdefault(row.get("list_name") or row.get("list name", ""), []).append(item)
    yield from _odk(survey, choices)


def _odk(rows: list[dict[str, str]], choices: Mapping[str, list[Field]]) -> Iterator[Field]:
    for row in rows:
        kind, _, rest = row.get("type", "").strip().partition(" ")
        field: Field = {"name": row.get("name", "").strip()}
        if title := _text_of_label(row):
            field["title"] = title
        if kind == "select_one" and choices.get(rest.strip().split(" ")[0]):
            field |= _listed(choices[rest.strip().split(" ")[0]])
        elif kind in ("text", "note", "barcode", "image", "audio", "geopoint", "deviceid"):
            field |= {"type": "string", "role": "text", "publish": False}
        elif kind == "range":
            bounds = dict(re.findall(r"(start|end)=(-?[\d.]+)", row.get("parameters", "")))
            field |= _bounded(bounds.get("start"), bounds.get("end"), kind=None)
        elif kind in ("begin", "end", "begin_group", "end_group", "calculate", ""):
            continue
        yield field


def _text_of_label(row: Mapping[str, str]) -> str:
    return next((text for key, text in row.items() if key.split("::")[0] == "label" and text), "").strip()


def _records(content: bytes, label: str, sheet: str | None = None) -> list[dict[str, str]]:
    name = label if sheet is not None else "dictionary.csv"
    reading = FileReading.told(sheet=sheet, decimal=".", thousands="none")
    frame: pd.DataFrame = read_table(content, name=name, reading=reading)
    columns = [_REDCAP.get(str(c).strip().lower(), str(c).strip().lower()) for c in frame.columns]
    return [dict(zip(columns, map(str, row), strict=True)) for row in frame.itertuples(index=False)]


# What all have in common


def _listed(categories: list[Any]) -> Field:
    values = [category["value"] for category in categories]
    if not all(isinstance(value, int) for value in values):
        categories = [{**category, "value": str(category["value"])} for category in categories]
        return {"type": "string", "categories": categories}
    return {"type": "integer", "categories": categories}


def _bounded(low: str | None, high: str | None, *, kind: str | None) -> Field:
    bounds = [_number(text.strip()) if text else "" for text in (low, high)]
    if any(isinstance(bound, str) for bound in bounds) or not bounds[0] < bounds[1]:
        return {}
    whole = all(isinstance(bound, int) for bound in bounds)
    constraints = {"minimum": bounds[0], "maximum": bounds[1]}
    return {"type": kind or ("integer" if whole else "number"), "constraints": constraints}


def _number(text: str) -> Any:
    """Give a number where a text is the plain way to write one: 01 is no number but a code."""
    if re.fullmatch(r"-?(0|[1-9]\d{0,14})", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?(0|[1-9]\d{0,14})\.\d{1,15}", text) else text


_READERS: dict[str, Callable[[bytes, str], Iterator[Field]]] = {
    ".json": _data_package,
    ".xml": _ddi,
    ".csv": _dictionary,
    ".xlsx": _workbook,
}
