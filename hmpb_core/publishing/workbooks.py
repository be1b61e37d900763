"""Rows as an Excel workbook: days and times as such, codes as texts, and no text that is run as a formula."""

from __future__ import annotations

import datetime as dt
import io
import re
from typing import Any

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Numeric
from hmpb_core.errors import SourceError
from hmpb_core.moments import read_values
from hmpb_core.publishing.cells import cells_of
from hmpb_core.publishing.tables import CsvForm

MOST_ROWS = 1_048_575
"""Rows of a worksheet below the line of names."""
MOST_LETTERS = 32_767
"""Characters of a cell: Excel's library cuts what is beyond."""
_SHEET = "data"
_LONGEST_NAME, _NO_NAME = 31, re.compile(r"[\[\]:*?/\\]|^'|'$|^history$", re.IGNORECASE)
_FIRST_DAY, _FIRST_MOMENT = dt.date(1900, 1, 1), pd.Timestamp(1900, 1, 2)
"""What is before them is none of Excel's and a text: to its library a moment of the first day is a time."""
_FORMATS = {pd.Timestamp: 22, dt.date: 14, dt.time: 21, dt.timedelta: 46}
"""Excel's own formats, which each Excel shows in its language: 27.08.1996 in German, 8/27/1996 in English."""


def workbook_of(frame: pd.DataFrame, codebook: Codebook) -> bytes:
    """Write rows as a workbook of one sheet, of the name that the table's sheet has.

    Args:
        frame: The rows, as ``decode`` gives them.
        codebook: Their codebook.

    Raises:
        SourceError: there are more rows, or longer texts, than a worksheet holds.
    """
    from xlsxwriter import Workbook

    if len(frame) > MOST_ROWS:
        raise SourceError(
            "A worksheet holds {most:,} rows; ask for as many at most, or write a .csv or a .parquet file.",
            most=MOST_ROWS,
        )
    columns = _columns(frame, codebook)
    buffer = io.BytesIO()
    plain = {f"strings_to_{kind}": False for kind in ("formulas", "urls", "numbers")}
    with Workbook(buffer, {"constant_memory": True, "in_memory": True, **plain}) as book:
        sheet = book.add_worksheet(_sheet(codebook.sheet))
        formats = {kind: book.add_format({"num_format": number}) for kind, number in _FORMATS.items()}

        def write(row: int, place: int, value: Any) -> None:
            if isinstance(value, bool):
                refused = sheet.write_boolean(row, place, value)
            elif isinstance(value, int | float):
                refused = sheet.write_number(row, place, value)
            elif type(value) in formats and not _is_too_early(value):
                refused = sheet.write_datetime(row, place, value, formats[type(value)])
            else:
                refused = sheet.write_string(row, place, str(value))
            if refused:
                raise SourceError(
                    "A cell of a worksheet holds {most:,} characters, and a text has more; write a .csv or a "
                    ".parquet file.",
                    most=MOST_LETTERS,
                )

        for place, name in enumerate(columns):
            write(0, place, name)
        for number, row in enumerate(zip(*columns.values(), strict=True), start=1):
            for place, value in enumerate(row):
                if _is_there(value):
                    write(number, place, value)
    return buffer.getvalue()


def _columns(frame: pd.DataFrame, codebook: Codebook) -> dict[str, list[Any]]:
    """The cells of each column; truths and lengths of time as Excel has them, where it has."""
    cells, truths = cells_of(frame, codebook), CsvForm.of(codebook).truths
    columns = {str(name): cells[name].tolist() for name in cells}
    for attribute in codebook.domain.attributes:
        values = columns[attribute.name]
        if isinstance(attribute, Categorical) and attribute.boolean:
            words = truths.get(attribute.name)
            if words is None or tuple(map(str.casefold, words)) == ("false", "true"):
                truth = dict(zip(words or (0, 1), (False, True), strict=True))
                columns[attribute.name] = [truth.get(value, value) for value in values]
        elif isinstance(attribute, Numeric) and attribute.kind == "duration" and attribute.minimum >= 0:
            there = frame[attribute.name].notna().to_numpy()
            seconds = read_values(list(map(str, values)), "duration", attribute.format)
            lengths = zip(values, there.tolist(), seconds.tolist(), strict=True)
            columns[attribute.name] = [
                dt.timedelta(seconds=second) if known else value for value, known, second in lengths
            ]
    return columns


def _is_too_early(value: dt.date | dt.time | dt.timedelta) -> bool:
    if isinstance(value, pd.Timestamp):  # which is a date, too
        return value < _FIRST_MOMENT
    return isinstance(value, dt.date) and value < _FIRST_DAY


def _is_there(value: Any) -> bool:
    return value is not None and value != "" and value == value  # noqa: PLR0124 - NaN and NaT are not


def _sheet(name: str) -> str:
    """A name that Excel takes for a sheet."""
    taken = 0 < len(name) <= _LONGEST_NAME and not _NO_NAME.search(name)
    return name if taken else _SHEET
