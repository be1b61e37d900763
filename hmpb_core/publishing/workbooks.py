"""Rows as an Excel workbook: days and times as such, codes as texts, and no text that is run as a formula."""

from __future__ import annotations

import datetime as dt
import io
import re
from collections.abc import Callable
from typing import Any

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical
from hmpb_core.errors import SourceError
from hmpb_core.publishing.cells import cells_of
from hmpb_core.publishing.tables import CsvForm

MOST_ROWS = 1_048_575
"""Rows of a worksheet below the line of names."""
_SHEET = "data"
_LONGEST_NAME, _NO_NAME = 31, re.compile(r"[\[\]:*?/\\]|^'|'$|^history$", re.IGNORECASE)
_FIRST_YEAR = 1900
"""Days before it are none of Excel's; they are texts."""
_DAY, _MOMENT, _TIME = 14, 22, 21
"""Excel's own formats, which each Excel shows in its language: 27.08.1996 in German, 8/27/1996 in English."""


def workbook_of(frame: pd.DataFrame, codebook: Codebook) -> bytes:
    """Write rows as a workbook of one sheet, of the name that the table's sheet has.

    Args:
        frame: The rows, as ``decode`` gives them.
        codebook: Their codebook.

    Raises:
        SourceError: there are more rows than a worksheet holds.
    """
    from xlsxwriter import Workbook

    if len(frame) > MOST_ROWS:
        raise SourceError(
            "A worksheet holds {most:,} rows; ask for as many at most, or write a .csv or a .parquet file.",
            most=MOST_ROWS,
        )
    cells = cells_of(frame, codebook)
    buffer = io.BytesIO()
    plain = {f"strings_to_{kind}": False for kind in ("formulas", "urls", "numbers")}
    with Workbook(buffer, {"constant_memory": True, "in_memory": True, **plain}) as book:
        sheet = book.add_worksheet(_sheet(codebook.sheet))
        formats = {number: book.add_format({"num_format": number}) for number in (_DAY, _MOMENT, _TIME)}
        for place, name in enumerate(cells):
            sheet.write_string(0, place, name)
        truths = _truths(codebook)
        writers = [_writer(sheet, cells[name], formats, truths.get(str(name))) for name in cells]
        for number, row in enumerate(zip(*(cells[name].tolist() for name in cells), strict=True), start=1):
            for place, (write, value) in enumerate(zip(writers, row, strict=True)):
                if _is_there(value):
                    write(number, place, value)
    return buffer.getvalue()


def _truths(codebook: Codebook) -> dict[str, str | int]:
    """What stands for true in columns of Excel's own truth values: their word, or 1 where none is named."""
    truths = CsvForm.of(codebook).truths
    found: dict[str, str | int] = {}
    for attribute in codebook.domain.attributes:
        if isinstance(attribute, Categorical) and attribute.boolean:
            false, true = truths.get(attribute.name, ("false", "true"))
            if (false.casefold(), true.casefold()) == ("false", "true"):
                found[attribute.name] = true if attribute.name in truths else 1
    return found


def _writer(
    sheet: Any, column: pd.Series, formats: dict[int, Any], true: str | int | None
) -> Callable[[int, int, Any], Any]:
    """What writes the cells of a column."""
    if true is not None:
        return lambda row, place, value: sheet.write_boolean(row, place, value == true)
    if column.dtype.kind in "if":
        number: Callable[[int, int, Any], Any] = sheet.write_number
        return number
    first = next((value for value in column.tolist() if _is_there(value)), "")
    shown = (
        _MOMENT
        if column.dtype.kind == "M"
        else next(
            (number for kind, number in ((dt.date, _DAY), (dt.time, _TIME)) if isinstance(first, kind)), None
        )
    )

    def write(row: int, place: int, value: Any) -> None:
        if shown is None or getattr(value, "year", _FIRST_YEAR) < _FIRST_YEAR:
            sheet.write_string(row, place, str(value))
        else:
            sheet.write_datetime(row, place, value, formats[shown])

    return write


def _is_there(value: Any) -> bool:
    return value is not None and value != "" and value == value  # noqa: PLR0124 - NaN and NaT are not


def _sheet(name: str) -> str:
    """A name that Excel takes for a sheet."""
    taken = 0 < len(name) <= _LONGEST_NAME and not _NO_NAME.search(name)
    return name if taken else _SHEET
