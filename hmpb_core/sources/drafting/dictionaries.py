"""Data dictionaries of REDCap (csv) and forms of ODK (xlsx, or csv with the same sheets below each other)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hmpb_core.errors import SourceError
from hmpb_core.sources.drafting.codebook_entries import Columns, Found
from hmpb_core.sources.drafting.odk import fields_of_form
from hmpb_core.sources.drafting.redcap import COLUMNS, fields_of_redcap
from hmpb_core.sources.files import FileReading, read_table

_SHEETS = ("survey", "choices", "settings")


def read_dictionary(content: bytes, label: str, _: Columns) -> Found:
    """Read a data dictionary of REDCap, or a form of ODK that is kept as csv.

    Raises:
        SourceError: it is no csv file.
    """
    sheets = _sheets(_lines(content, label))
    rows = sheets.get("", [])
    if rows and "field_name" in rows[0] and "field_type" in rows[0]:
        return fields_of_redcap(rows)
    if rows and {"type", "name"} <= set(rows[0]):
        sheets["survey"] = rows
    return fields_of_form(sheets.get("survey", []), sheets.get("choices", []))


def read_form(content: bytes, label: str, _: Columns) -> Found:
    """Read a form of ODK.

    Raises:
        SourceError: it is no workbook with a sheet ``survey``.
    """
    survey = _records(_lines(content, label, "survey"))
    try:
        choices = _records(_lines(content, label, "choices"))
    except SourceError:  # a form that lets nobody choose has no such sheet, or an empty one
        choices = []
    return fields_of_form(survey, choices)


def _lines(content: bytes, label: str, sheet: str | None = None) -> list[list[str]]:
    reading = FileReading.told(sheet=sheet, decimal=".", thousands="none", header="none", footer="0")
    frame: pd.DataFrame = read_table(content, name=label, reading=reading)
    return [[str(cell).strip() for cell in row] for row in frame.itertuples(index=False)]


def _sheets(lines: Sequence[Sequence[str]]) -> dict[str, list[dict[str, str]]]:
    """The sheets of a form below each other, each below its name in the first cell; else all as one."""
    found: dict[str, list[Sequence[str]]] = {}
    sheet = ""
    for line in lines:
        if line and line[0] in _SHEETS and not any(line[1:]):
            sheet = line[0]
        else:
            found.setdefault(sheet, []).append(line)
    return {name: _records(rows) for name, rows in found.items()}


def _records(lines: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """Lines by the names in the first of them."""
    if not lines:
        return []
    names = [COLUMNS.get(name.lower(), name.lower()) for name in lines[0]]
    return [dict(zip(names, line, strict=False)) for line in lines[1:] if any(line)]
