"""Reading a table from a csv or Parquet file, without a word of its rows in any error."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as papq

from hmpb_core.errors import Sentence, SourceError
from hmpb_core.plain_file import read_plain

CSV_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")
PARQUET_ENDINGS = (".parquet", ".pq")
MAX_CONTENT_BYTES = 4 * 2**30
_DELIMITERS = (",", "\t", ";", "|")

Readable = str | os.PathLike[str] | bytes


def read_table(
    file: Readable, *, name: str | None = None, progress: Callable[[float], None] | None = None
) -> pd.DataFrame:
    """Read a table; a csv file gives texts, a Parquet file typed values.

    Args:
        file: A path, or the content of a file.
        name: The file's name, where ``file`` is its content.
        progress: Called with the part read so far, 0 to 1.

    Raises:
        SourceError: the file cannot be read, or is not a rectangular table.
    """
    label, kind = _kind(file, name)
    table = _read_parquet(file, label) if kind == "parquet" else _read_csv(file, label, progress)
    if table.num_columns == 0:
        raise SourceError("{file} has no columns; its first line must name them.", file=label)
    if len(set(table.column_names)) < table.num_columns:
        raise SourceError("{file} has two columns of one name; names must differ.", file=label)
    if table.num_rows == 0:
        raise SourceError("{file} has a header but no rows; there is nothing to publish.", file=label)
    frame: pd.DataFrame = table.to_pandas(strings_to_categorical=False)
    return frame


def read_header(file: Readable, *, name: str | None = None) -> list[str]:
    """Give the column names of a file, reading nothing of its rows.

    Raises:
        SourceError: the file cannot be read.
    """
    label, kind = _kind(file, name)
    if kind == "parquet":
        try:
            return list(papq.read_schema(_opened(file)).names)
        except (OSError, pa.ArrowException):
            raise SourceError(
                "{file} is not a Parquet file; save it again as csv or Parquet.", file=label
            ) from None
    return _csv_header(file, label)[0]


def read_content(path: str | os.PathLike[str]) -> bytes:
    """Read a file as it is.

    Raises:
        SourceError: it cannot be read.
    """
    try:
        return read_plain(path, most=MAX_CONTENT_BYTES)
    except OSError:
        raise SourceError(
            "{file!r} cannot be read; check the path and your right to read it.", file=Path(path).name
        ) from None


def _kind(file: Readable, name: str | None) -> tuple[str, str]:
    label = name if name is not None else ("" if isinstance(file, bytes) else Path(file).name)
    lower = label.lower()
    if not isinstance(file, bytes):
        path = Path(file)
        if path.is_dir() or not path.exists():
            raise SourceError(
                "{file!r} is not a file here; give the path of a csv or Parquet file.", file=label
            )
    if lower.endswith(PARQUET_ENDINGS):
        return repr(label), "parquet"
    if lower.endswith(CSV_ENDINGS):
        return repr(label), "csv"
    raise SourceError(
        "{file} is neither csv nor Parquet by its ending; save it as .csv or .parquet.",
        file=repr(label) if label else Sentence("The upload"),
    )


def _opened(file: Readable) -> Any:
    return io.BytesIO(file) if isinstance(file, bytes) else os.fspath(file)


def _csv_header(file: Readable, label: str) -> tuple[list[str], str]:
    try:
        with pa.input_stream(_arrow_input(file), compression=_compression(label)) as stream:
            start = stream.read(1 << 20)
    except (OSError, pa.ArrowException):
        raise SourceError(
            "{file} cannot be opened; check the path and your right to read it.", file=label
        ) from None
    start = start.removeprefix(b"\xef\xbb\xbf")
    if not start.strip():
        raise SourceError("{file} is empty; its first line must name the columns.", file=label)
    if b"\x00" in start[:4096]:
        raise SourceError(
            "{file} holds binary data, not text; save it as csv (UTF-8) or Parquet.", file=label
        )
    try:
        line = start.splitlines()[0].decode("utf-8")
    except UnicodeDecodeError:
        raise SourceError(
            "{file} is not UTF-8 text; save it again with the encoding UTF-8.", file=label
        ) from None
    delimiter = max(_DELIMITERS, key=line.count)
    if line.count(delimiter) == 0:
        delimiter = ","
    options = pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    try:
        header = pacsv.open_csv(
            io.BytesIO(line.encode() + b"\n"), parse_options=options, read_options=pacsv.ReadOptions()
        ).schema.names
    except pa.ArrowException:
        raise SourceError(
            "{file} has a first line that is not a csv header; name the columns there.", file=label
        ) from None
    return [name.strip() for name in header], delimiter


def _read_csv(file: Readable, label: str, progress: Callable[[float], None] | None) -> pa.Table:
    names, delimiter = _csv_header(file, label)
    if len(set(names)) < len(names):
        raise SourceError("{file} has two columns of one name; names must differ.", file=label)
    ragged: list[int | None] = []

    def note_ragged(row: pacsv.InvalidRow) -> str:
        ragged.append(row.number)
        return "error"

    size = len(file) if isinstance(file, bytes) else Path(file).stat().st_size
    try:
        with pa.input_stream(_arrow_input(file), compression=_compression(label)) as stream:
            reader = pacsv.open_csv(
                stream,
                read_options=pacsv.ReadOptions(
                    use_threads=False, column_names=names, skip_rows=1, block_size=1 << 23
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter=delimiter, newlines_in_values=True, invalid_row_handler=note_ragged
                ),
                convert_options=pacsv.ConvertOptions(
                    column_types={name: pa.string() for name in names}, strings_can_be_null=False
                ),
            )
            batches = []
            read = 0
            for batch in reader:
                batches.append(batch)
                read += batch.nbytes
                if progress is not None:
                    progress(min(0.99, read / max(size, 1)))
            table = pa.Table.from_batches(batches, schema=reader.schema)
    except pa.ArrowInvalid as error:
        if ragged:
            where = Sentence("line {number}", {"number": ragged[0]}) if ragged[0] else Sentence("a line")
            raise SourceError(
                "{file} has {columns} columns in its header but not in {line}; every line needs as many "
                "values as the header, with values that hold the separator in quotes.",
                file=label,
                columns=len(names),
                line=where,
            ) from None
        if "UTF8" in str(error) or "UTF-8" in str(error):
            raise SourceError(
                "{file} is not UTF-8 text; save it again with the encoding UTF-8.", file=label
            ) from None
        if "Empty CSV" in str(error) or "Could not skip" in str(error):
            raise SourceError(
                "{file} has a header but no rows; there is nothing to publish.", file=label
            ) from None
        raise SourceError(
            "{file} is not a well-formed csv file; save it again as csv with UTF-8.", file=label
        ) from None
    except (OSError, pa.ArrowException):
        raise SourceError(
            "{file} cannot be read as csv; save it again as csv with UTF-8.", file=label
        ) from None
    if _ends_inside_quotes(table, file, label):
        raise SourceError(
            "{file} opens a quote that it never closes, so that its last lines run together; close it, or "
            "write a quote inside a value twice.",
            file=label,
        )
    return table


def _ends_inside_quotes(table: pa.Table, file: Readable, label: str) -> bool:
    """Whether the last row swallowed lines: it holds a line break, and the file an odd number of quotes."""
    last = table.slice(max(0, table.num_rows - 1)).to_pylist()
    if not any("\n" in value or "\r" in value for row in last for value in row.values()):
        return False
    quotes = 0
    with pa.input_stream(_arrow_input(file), compression=_compression(label)) as stream:
        while block := stream.read(1 << 23):
            quotes += block.count(b'"')
    return quotes % 2 == 1


def _read_parquet(file: Readable, label: str) -> pa.Table:
    try:
        names = papq.read_schema(_opened(file)).names
        if len(set(names)) < len(names):
            raise SourceError("{file} has two columns of one name; names must differ.", file=label)
        return papq.read_table(_opened(file))
    except (OSError, pa.ArrowException):
        raise SourceError(
            "{file} is not a Parquet file; save it again as csv or Parquet.", file=label
        ) from None


def _arrow_input(file: Readable) -> Any:
    return pa.BufferReader(file) if isinstance(file, bytes) else os.fspath(file)


def _compression(label: str) -> str | None:
    return "gzip" if label.rstrip("'\"").lower().endswith(".gz") else None
