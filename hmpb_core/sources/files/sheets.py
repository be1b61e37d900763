"""Workbooks: xlsx, ods and the older xls, one sheet of them. Every cell becomes a text, as in a csv file."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import python_calamine as calamine

from hmpb_core.dates import clock_text
from hmpb_core.errors import SourceError
from hmpb_core.sources.files import opening
from hmpb_core.sources.files.footers import footer_lines, footer_setting
from hmpb_core.sources.files.headers import (
    LAST_LINE,
    NO_NAMES,
    lines_of_names,
    looks_like_values,
    names_in,
    setting_for,
    unique_names,
)
from hmpb_core.sources.files.numbers import texts_in_plain_numbers
from hmpb_core.sources.files.opening import Readable
from hmpb_core.sources.files.reading import FileReading
from hmpb_core.sources.files.workbook_size import require_small

_FEW_LINES, _TIMES, _FEWEST_LINES = 50, 10, 5
"""Lines of a sheet in front of the table's, at most; how many times as many that one has; and of fewer lines
than these as if it were so many."""
_LOOKED_AT = 200
"""Last lines of a sheet among which those below the table are looked for."""


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
    rows, reading = _without_footer(rows[below:], width, reading)
    filled = [row for row in rows if any(cell != "" for cell in row)]
    cells = [[row[i] if i < len(row) else "" for row in filled] for i in range(width)]
    table = pa.table([pa.array(map(_text, column), pa.string()) for column in cells], names=names)
    return _in_plain_numbers(table, cells, replace(reading, renamed=renamed))


def _in_plain_numbers(
    table: pa.Table, cells: list[list[Any]], reading: FileReading
) -> tuple[pa.Table, FileReading]:
    """Read numbers that stand as texts, 1,400.00 beside 990.125: a cell that is a number stays what it is."""
    written = [
        [cell if isinstance(cell, str) else None for cell in column]  # only texts have marks
        for column in cells
    ]
    texts = pa.table([pa.array(column, pa.string()) for column in written], names=table.column_names)
    numbers = {
        name for name, column in zip(table.column_names, cells, strict=True) if _mostly_numbers(column)
    }
    plain, found = texts_in_plain_numbers(texts, reading, kept=numbers)
    whole = [pc.coalesce(*pair) for pair in zip(plain.columns, table.columns, strict=True)]
    return pa.table(whole, names=table.column_names), found


def _mostly_numbers(cells: list[Any]) -> bool:
    filled = [cell for cell in cells if cell != ""]
    return 2 * sum(isinstance(cell, str) for cell in filled) <= len(filled)


def sheet_header(file: Readable, label: str, told: FileReading) -> tuple[list[str], FileReading]:
    """Give the names of the columns of a sheet; of its other rows only whether some are none is looked at.

    Raises:
        SourceError: it is no workbook, is locked, too large, or has no such sheet.
    """
    rows, top, reading = _rows(file, label, told)
    header, below, reading = _header(rows, top, label, reading)
    _, reading = _without_footer(rows[below:], max(map(len, rows), default=0), reading)
    names, renamed = unique_names(header)
    return names, replace(reading, renamed=renamed)


def _header(
    rows: list[list[Any]], top: int, label: str, reading: FileReading
) -> tuple[list[str], int, FileReading]:
    """Give the columns' names, how many rows stand above the first of the table, and the reading."""
    texts = [[_text(cell) for cell in row] for row in rows[:LAST_LINE]]
    if not any(map(any, texts)):
        return [], 0, reading
    if any("\x00" in text for row in texts for text in row):  # texts of two bytes, taken for one
        raise opening.broken_workbook(label)
    lines = lines_of_names(texts, reading.header, top, label)
    if reading.header == NO_NAMES:
        return [""] * len(texts[lines.start]), lines.start, reading
    names = names_in(texts[lines.start : lines.stop])
    headless = reading.header is None and looks_like_values(names, texts[lines.stop :])
    header = reading.header or setting_for(lines, texts, top)
    return names, lines.stop, replace(reading, header=header, headless=headless)


def _without_footer(
    rows: list[list[Any]], width: int, reading: FileReading
) -> tuple[list[list[Any]], FileReading]:
    """Leave away the lines below the table, and say how many hold something."""
    last = [[_text(cell) for cell in row] for row in rows[-_LOOKED_AT:]]
    left = count = footer_lines(last, width, reading.footer)
    end = len(rows)
    while left and end:
        end -= 1
        left -= any(cell != "" for cell in rows[end])
    return rows[:end], replace(reading, footer=footer_setting(reading.footer, count))


def _rows(file: Readable, label: str, told: FileReading) -> tuple[list[list[Any]], int, FileReading]:
    """Give the cells of the sheet's filled rectangle, the lines above it, and how it is read."""
    kind = require_small(file, label)
    try:
        workbook = calamine.CalamineWorkbook.from_object(opening.opened(file))
        sheet, reading = _sheet(workbook, label, told, kind)
        rows = sheet.to_python()
        return _as_shown(rows) if kind == "xls" else rows, (sheet.start or (0, 0))[0], reading
    except calamine.PasswordError:
        raise opening.locked_workbook(label) from None
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
        shown = tuple(repr(name) for name in names[:10])
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
    opened = []
    for name in candidates:
        opened.append(workbook.get_sheet_by_name(name))
        if opened[-1].height and opened[-1].width > 1:
            break  # one column in front of others are remarks on the table
    wide = opened[-1].height and opened[-1].width > 1
    chosen = opened[-1] if wide else next((sheet for sheet in opened if sheet.height), opened[-1])
    if wide and chosen.height < _FEW_LINES:  # settings or a summary in front of the table, perhaps
        later = (workbook.get_sheet_by_name(name) for name in candidates[len(opened) : len(visible)])
        least = _TIMES * max(chosen.height, _FEWEST_LINES)
        chosen = next((sheet for sheet in later if sheet.width > 1 and sheet.height >= least), chosen)
    reading = replace(told, format=kind, sheet=chosen.name, sheets=names)
    return chosen, replace(reading, encoding=None, delimiter=None, lines=None, quotes=None)


def _as_shown(rows: list[list[Any]]) -> list[list[Any]]:
    """Numbers of 15 digits, as Excel shows them: xls keeps .3 as 30 hundredths, which is .3 and noise."""
    return [[float(f"{cell:.15g}") if isinstance(cell, float) else cell for cell in row] for row in rows]


def _text(cell: Any) -> str:
    if isinstance(cell, str):  # first: most cells are texts, and of a sheet with one cell far away empty ones
        return cell
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
