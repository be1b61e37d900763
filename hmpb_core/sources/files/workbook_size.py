"""What is checked of a workbook before it is read: which kind it is, and that its sheets fit into memory.

A sheet is read as the smallest rectangle that holds its cells, and two cells may span one of billions.
"""

from __future__ import annotations

import re
import struct
import zipfile
from typing import Any
from xml.etree.ElementTree import ParseError

import olefile
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from hmpb_core.errors import SourceError
from hmpb_core.sources.files import opening
from hmpb_core.sources.files.opening import Readable

MAX_SHEET_CELLS = 50_000_000
"""Cells of the smallest rectangle that holds a sheet: what reading it takes memory for."""
_REFERENCE = re.compile(rb'\br="([A-Z]{1,7})(\d{1,10})"')
_ROW = re.compile(rb'<(?:\w+:)?row\b[^>]*?\br="(\d{1,10})"')
_PLACE = re.compile(r"([A-Z]{1,7})(\d{1,10})", re.ASCII)
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE_VALUE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}value-type"
_MANIFEST = "META-INF/manifest.xml"
_PASSWORD = 0x2F
_OLD_STREAMS = ("Workbook", "Book")
_CELL_RECORDS = frozenset({0x06, 0xBD, 0xBE, 0xD6, 0xFD, 0x201, 0x203, 0x204, 0x205, 0x27E})
"""Records of an xls file that begin with a row and a column: formulas, texts, numbers, blanks."""
_MOST_OLD_COLUMNS = 256
"""Columns that an xls file may have: with its 65,536 rows they fit. A cell beyond them is damage."""
_SEVERAL_CELLS = frozenset({0xBD, 0xBE})
"""Those that go on to a last column, which is their last word."""


def require_small(file: Readable, label: str) -> str:
    """Refuse a workbook with a sheet whose rectangle would not fit into memory.

    Returns:
        The workbook's kind by its content, whatever its name says: ``xlsx``, ``ods`` or ``xls``.

    Raises:
        SourceError: it is too large, locked, broken, or no workbook.
    """
    with opening.stream_of(file) as raw:
        start = raw.read(len(olefile.MAGIC))
    if start == olefile.MAGIC:
        _require_small_xls(file, label)
        return "xls"
    if not start.startswith(b"PK"):
        raise SourceError(
            "{file} is no workbook inside, but perhaps a web page or a text by that name; open it in a "
            "spreadsheet program and save it as .xlsx.",
            file=label,
        )
    opening.require_unpackable(file, label)
    try:
        with opening.stream_of(file) as raw, zipfile.ZipFile(raw) as container:
            members = container.namelist()
            if "content.xml" in members:
                if _MANIFEST in members and b"encryption-data" in container.read(_MANIFEST):
                    raise opening.locked_workbook(label)
                with container.open("content.xml") as content:
                    _require_small_ods(content, label)
                return "ods"
            for name in members:
                if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                    with container.open(name) as content:
                        small = _is_surely_small(content)
                    if not small:  # formats, of cells that hold nothing, may reach far below the table
                        with container.open(name) as content:
                            _require_small_xlsx(content, label)
    except (*opening.BROKEN_ZIP, ParseError, DefusedXmlException):
        raise opening.broken_workbook(label) from None
    return "xlsx"


def _require_small_xls(file: Readable, label: str) -> None:
    """Go through the records of an old workbook, all sheets as one; a locked xlsx file looks like one."""
    try:
        with opening.stream_of(file) as raw, olefile.OleFileIO(raw) as container:
            if container.exists("EncryptedPackage"):
                raise opening.locked_workbook(label)
            name = next(name for name in _OLD_STREAMS if container.exists(name))
            content = container.openstream(name).read()
    except (OSError, ValueError, TypeError, LookupError, StopIteration, struct.error):
        raise opening.broken_workbook(label) from None
    place = 0
    while place + 4 <= len(content):
        kind, size = struct.unpack_from("<HH", content, place)
        place += 4
        if kind == _PASSWORD and content[place : place + 2].strip(b"\0"):
            raise opening.locked_workbook(label)
        if kind in _CELL_RECORDS and size >= 4 and place + size <= len(content):
            _, column = struct.unpack_from("<HH", content, place)
            if kind in _SEVERAL_CELLS:
                column = max(column, *struct.unpack_from("<H", content, place + size - 2))
            if column >= _MOST_OLD_COLUMNS:
                raise opening.broken_workbook(label)
        place += size


def _is_surely_small(content: Any) -> bool:
    """Whether the rectangle of all cells that a sheet names fits, filled or not: a quick look."""
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
    return rows * columns <= MAX_SHEET_CELLS


def _require_small_xlsx(content: Any, label: str) -> None:
    """Refuse a sheet whose filled cells span too many; a cell without a place stands right of the last."""
    row = column = rows = columns = 0
    for event, element in iterparse(content, events=("start", "end"), forbid_dtd=True):
        tag = element.tag.rpartition("}")[2]
        if event == "start" and tag == "row":
            place = element.get("r", "")
            row, column = int(place) if _is_number(place) else row + 1, 0
        elif event == "end" and tag == "c":
            found = _PLACE.fullmatch(element.get("r", ""))
            column = _column_number(found[1].encode()) if found else column + 1
            if len(element):
                rows, columns = max(rows, int(found[2]) if found else row), max(columns, column)
            element.clear()
        elif event == "end" and tag == "row":
            element.clear()
        if rows * columns > MAX_SHEET_CELLS:
            raise _too_many(label)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 12


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
    return int(text) if _is_number(text) else 1


def _too_many(label: str) -> SourceError:
    return SourceError(
        "{file} has a sheet of more than {cells} cells; delete empty rows and columns, or save it as csv.",
        file=label,
        cells=MAX_SHEET_CELLS,
    )
