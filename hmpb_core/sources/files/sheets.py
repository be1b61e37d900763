"""Workbooks: xlsx and ods, one sheet of them. Every cell becomes a text, as in a csv file."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import ParseError

import pyarrow as pa
import python_calamine as calamine
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from hmpb_core.dates import clock_text
from hmpb_core.errors import SourceError
from hmpb_core.sources.files import opening
from hmpb_core.sources.files.headers import (
    LAST_LINE,
    NO_NAMES,
    lines_of_names,
    names_in,
    setting_for,
    unique_names,
)
from hmpb_core.sources.files.opening import Readable
from hmpb_core.sources.files.reading import FileReading

MAX_SHEET_CELLS = 50_000_000
"""Cells of the smallest rectangle that holds a sheet: what reading it takes memory for."""
_REFERENCE = re.compile(rb'\br="([A-Z]{1,7})(\d{1,10})"')
_ROW = re.compile(rb'<(?:\w+:)?row\b[^>]*?\br="(\d{1,10})"')
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE_VALUE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}value-type"


def read_sheet(file: Readable, label: str, told: FileReading) -> tuple[pa.Table, FileReading]:
    """Read one sheet: the one that is told, or the first that is visible and holds something.

    Raises:
        SourceError: it is no workbook, is locked, too large, or has no such sheet.
    """
    rows, top, reading = _rows(file, label, told)
    width = max(map(len, rows), default=0)
    if not any(cell != "" for row in rows for cell in row):
        raise SourceError("{file} has an empty sheet; its first line must name the columns.", file=label)
    header, below, reading = _header(rows, top, label, reading)
    names, renamed = unique_names(header + [""] * (width - len(header)))
    filled = [row for row in rows[below:] if any(cell != "" for cell in row)]
    columns = [
        pa.array([_text(row[i]) if i < len(row) else "" for row in filled], type=pa.string())
        for i in range(width)
    ]
    return pa.table(columns, names=names), replace(reading, renamed=renamed)


def sheet_header(file: Readable, label: str, told: FileReading) -> tuple[list[str], FileReading]:
    """Give the names of the columns of a sheet; of its other rows only where the names stand is looked at.

    Raises:
        SourceError: it is no workbook, is locked, too large, or has no such sheet.
    """
    rows, top, reading = _rows(file, label, told)
    header, _, reading = _header(rows, top, label, reading)
    names, renamed = unique_names(header)
    return names, replace(reading, renamed=renamed)


def _header(
    rows: list[list[Any]], top: int, label: str, reading: FileReading
) -> tuple[list[str], int, FileReading]:
    """Give the columns' names, how many rows stand above the first of the table, and the reading."""
    texts = [[_text(cell) for cell in row] for row in rows[:LAST_LINE]]
    if not any(map(any, texts)):
        return [], 0, reading
    lines = lines_of_names(texts, reading.header, top, label)
    if reading.header == NO_NAMES:
        return [""] * len(texts[lines.start]), lines.start, reading
    reading = replace(reading, header=reading.header or setting_for(lines, texts, top))
    return names_in(texts[lines.start : lines.stop]), lines.stop, reading


def _rows(file: Readable, label: str, told: FileReading) -> tuple[list[list[Any]], int, FileReading]:
    """Give the cells of the sheet's filled rectangle, the lines above it, and how it is read."""
    opening.require_unpackable(file, label)
    kind = _require_small(file, label)
    try:
        workbook = calamine.CalamineWorkbook.from_object(opening.opened(file))
        sheet, reading = _sheet(workbook, label, told, kind)
        return sheet.to_python(), (sheet.start or (0, 0))[0], reading
    except calamine.PasswordError:
        raise SourceError(
            "{file} is locked with a password; save it without one, or as csv.", file=label
        ) from None
    except (calamine.CalamineError, OSError, ValueError, OverflowError):
        raise opening.broken_workbook(label) from None
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # the reader gave up on a malformed file
            raise opening.broken_workbook(label) from None
        raise


def _sheet(
    workbook: calamine.CalamineWorkbook, label: str, told: FileReading, kind: str
) -> tuple[calamine.CalamineSheet, FileReading]:
    names = tuple(
        sheet.name for sheet in workbook.sheets_metadata if sheet.typ is calamine.SheetTypeEnum.WorkSheet
    )
    if not names:
        raise SourceError("{file} has no worksheet; save the table as one, or as csv.", file=label)
    if told.sheet is not None and told.sheet not in names:
        shown = ", ".join(repr(name) for name in names[:10])
        raise SourceError(
            "{file} has no sheet {sheet!r}; choose one of {sheets}.",
            file=label,
            sheet=told.sheet,
            sheets=shown,
        )
    visible = [
        sheet.name
        for sheet in workbook.sheets_metadata
        if sheet.name in names and sheet.visible is calamine.SheetVisibleEnum.Visible
    ]
    candidates = [told.sheet] if told.sheet is not None else [*visible, *names]
    chosen = workbook.get_sheet_by_name(candidates[0])
    for name in candidates[1:]:
        if chosen.height:
            break
        chosen = workbook.get_sheet_by_name(name)
    reading = FileReading(format=kind, sheet=chosen.name, sheets=names, header=told.header)
    return chosen, reading


def _require_small(file: Readable, label: str) -> str:
    """Refuse a sheet whose rectangle would not fit into memory; give the workbook's kind."""
    try:
        with opening.stream_of(file) as raw, zipfile.ZipFile(raw) as container:
            members = container.namelist()
            if "content.xml" in members:
                with container.open("content.xml") as content:
                    _require_small_ods(content, label)
                return "ods"
            for name in members:
                if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                    with container.open(name) as content:
                        _require_small_xlsx(content, label)
    except (*opening.BROKEN_ZIP, ParseError, DefusedXmlException):
        raise opening.broken_workbook(label) from None
    return "xlsx"


def _require_small_xlsx(content: Any, label: str) -> None:
    rows, columns = 1, 1
    tail = b""
    seen: set[bytes] = set()
    while block := content.read(1 << 20):
        block = tail + block
        for match in _ROW.finditer(block):
            rows = max(rows, int(match[1]))
        for letters, row in _REFERENCE.findall(block):
            rows = max(rows, int(row))
            seen.add(letters)
        tail = block[-64:]
    columns = max((_column_number(letters) for letters in seen), default=1)
    if rows * columns > MAX_SHEET_CELLS:
        raise _too_many(label)


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _require_small_ods(content: Any, label: str) -> None:
    rows = width = row_width = trailing = 0
    pending = 0
    filled = False
    for _, element in iterparse(content, events=("end",), forbid_dtd=True):
        tag = element.tag
        if tag in (_TABLE + "table-cell", _TABLE + "covered-table-cell"):
            repeat = _repeat(element, "number-columns-repeated")
            if element.get(_OFFICE_VALUE) or len(element):
                row_width += trailing + repeat
                trailing = 0
                filled = True
            else:
                trailing += repeat
        elif tag == _TABLE + "table-row":
            repeat = _repeat(element, "number-rows-repeated")
            if filled:
                rows += pending + repeat
                pending = 0
                width = max(width, row_width)
            else:
                pending += repeat
            row_width = trailing = 0
            filled = False
            element.clear()
        elif tag == _TABLE + "table":
            rows = width = pending = 0
            element.clear()
        if rows * width > MAX_SHEET_CELLS:
            raise _too_many(label)


def _repeat(element: Any, what: str) -> int:
    text = element.get(_TABLE + what, "1")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else 1


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**63 else repr(cell)
    if isinstance(cell, dt.datetime):
        return cell.isoformat(sep=" ")
    if isinstance(cell, dt.date | dt.time):
        return cell.isoformat()
    if isinstance(cell, dt.timedelta):
        return clock_text(cell.total_seconds())
    return str(cell)


def _too_many(label: str) -> SourceError:
    return SourceError(
        "{file} has a sheet of more than {cells} cells; delete empty rows and columns, or save it as csv.",
        file=label,
        cells=MAX_SHEET_CELLS,
    )
