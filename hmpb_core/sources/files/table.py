"""The one entrance for tables in files: the format by the file's ending, checked before it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pandas as pd
import pyarrow as pa

from hmpb_core.errors import HmpbError, SourceError
from hmpb_core.sources.files.columnar import columnar_header, read_columnar, to_frame
from hmpb_core.sources.files.labelled import VariableLabels, labelled_header, read_labelled
from hmpb_core.sources.files.opening import Readable, ending_of, label_of, require_cells, require_file
from hmpb_core.sources.files.reading import FileReading
from hmpb_core.sources.files.sheets import read_sheet, sheet_header
from hmpb_core.sources.files.text import header_of, read_text

PARQUET_ENDINGS = (".parquet", ".pq")
_KINDS = {
    "csv": (".csv", ".tsv", ".txt", ".dat", ".data", ".csv.gz", ".tsv.gz", ".txt.gz"),
    "parquet": PARQUET_ENDINGS,
    "arrow": (".arrow", ".feather", ".ipc"),
    "workbook": (".xlsx", ".xlsm", ".xls", ".ods"),
    "labelled": (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt"),
}
TEXT_ENDINGS = _KINDS["csv"]
ENDINGS = tuple(ending for endings in _KINDS.values() for ending in endings)
"""Endings of the files that are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTable:
    """A table and how it was read. Its repr shows no row.

    Attributes:
        frame: The rows; csv and workbooks give texts, other files typed and nullable values.
        reading: How the file was read.
        labels: What the file itself says of its variables (SPSS, Stata, SAS; types of Parquet and Arrow).
    """

    frame: pd.DataFrame = field(repr=False)
    reading: FileReading
    labels: tuple[VariableLabels, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHeader:
    """What a file says of its columns, without a row.

    Attributes:
        names: The columns' names.
        reading: How the file is read, as far as its header tells.
        labels: What the file itself says of its variables (SPSS, Stata, SAS; types of Parquet and Arrow).
    """

    names: tuple[str, ...]
    reading: FileReading
    labels: tuple[VariableLabels, ...] = ()


def read_table(
    file: Readable,
    *,
    name: str | None = None,
    reading: FileReading | None = None,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Read a table; a csv file or a workbook gives texts, other files typed values.

    Args:
        file: A path, or the content of a file.
        name: The file's name, where ``file`` is its content.
        reading: What is known of its writing; the rest is detected.
        progress: Called with the part read so far, 0 to 1.

    Raises:
        SourceError: the file cannot be read, or is not a rectangular table.
    """
    return read_file(file, name=name, reading=reading, progress=progress).frame


def read_file(
    file: Readable,
    *,
    name: str | None = None,
    reading: FileReading | None = None,
    progress: Callable[[float], None] | None = None,
) -> FileTable:
    """Read a table, and tell how it was read.

    Raises:
        SourceError: the file cannot be read, or is not a rectangular table.
    """
    known = _kind(file, name)
    with _guarded(known[0]):
        return _read(file, known, reading or FileReading(), progress)


def _read(
    file: Readable,
    known: tuple[str, str, str],
    told: FileReading,
    progress: Callable[[float], None] | None,
) -> FileTable:
    label, kind, ending = known
    labels: tuple[VariableLabels, ...] = ()
    table: pa.Table
    if kind == "csv":
        table, found = read_text(file, label, told, progress)
    elif kind == "workbook":
        table, found = read_sheet(file, label, told)
    elif kind == "labelled":
        table, found, labels = read_labelled(file, ending, label, told)
    else:
        table, found, labels = read_columnar(file, label, kind)
    if table.num_columns == 0:
        raise SourceError("{file} has no columns; its first line must name them.", file=label)
    require_cells(label, table.num_rows, table.num_columns)
    if table.num_rows == 0:
        raise SourceError("{file} has a header but no rows; there is nothing to publish.", file=label)
    return FileTable(frame=to_frame(table), reading=found, labels=labels)


def read_header(
    file: Readable, *, name: str | None = None, reading: FileReading | None = None, any_size: bool = False
) -> FileHeader:
    """Give the names (and labels) of a file's columns, reading nothing of its rows.

    Args:
        file: A path, or the content of a file.
        name: The file's name, where ``file`` is its content.
        reading: What is known of its writing; the rest is detected.
        any_size: Take a file that is too large to be read whole.

    Raises:
        SourceError: the file cannot be read.
    """
    label, kind, ending = _kind(file, name, any_size=any_size)
    told = reading or FileReading()
    labels: tuple[VariableLabels, ...] = ()
    with _guarded(label):
        if kind == "csv":
            names, found = header_of(file, label, told)
        elif kind == "workbook":
            names, found = sheet_header(file, label, told)
        elif kind == "labelled":
            names, found, labels = labelled_header(file, ending, label, told)
        else:
            names, found, labels = columnar_header(file, label, kind)
    if not names:
        raise SourceError("{file} has no columns; its first line must name them.", file=label)
    return FileHeader(names=tuple(names), reading=found, labels=labels)


@contextmanager
def _guarded(label: str) -> Iterator[None]:
    """Let nothing of a file out in an error that no reader foresaw: a backend's text may hold a value."""
    try:
        yield
    except HmpbError:
        raise
    except Exception:  # noqa: BLE001
        raise SourceError(
            "{file} cannot be read; save it again in the program it came from, or as csv.", file=label
        ) from None


def _kind(file: Readable, name: str | None, *, any_size: bool = False) -> tuple[str, str, str]:
    label = label_of(file, name)
    require_file(file, label, any_size=any_size)
    text = ending_of(file, name)
    for kind, endings in _KINDS.items():
        for ending in endings:
            if text.endswith(ending):
                return label, kind, ending
    if text.endswith(".zip"):
        raise SourceError(
            "{file} is an archive: unpack it, and give a table of it, of a bundle data.csv.", file=label
        )
    raise SourceError(
        "{file} is no table by its ending; save it as .csv, .xlsx, .ods, .parquet, .feather, .sav, .dta, "
        ".sas7bdat or .xpt.",
        file=label,
    )
