"""Text files: csv in its dialects. Values stay texts, so that the codebook decides what they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv

from hmpb_core.errors import SourceError
from hmpb_core.sources.files import opening
from hmpb_core.sources.files.beginnings import Start, first_bytes, no_text, start_of
from hmpb_core.sources.files.blanks import BLANK, CollapsedStream
from hmpb_core.sources.files.encodings import encoding_before_unicode
from hmpb_core.sources.files.numbers import (
    amounts_of,
    in_plain_numbers,
    marks_of,
    mixed_marks,
    of_several_currencies,
)
from hmpb_core.sources.files.opening import Readable, too_large_unpacked
from hmpb_core.sources.files.reading import UNICODE, FileReading
from hmpb_core.sources.files.streams import CutStream, UnwrappedStream, compression, decoded, packed_or_plain

_BLOCK = 1 << 23
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def header_of(file: Readable, label: str, told: FileReading) -> tuple[list[str], FileReading]:
    """Give the names of the columns, looking at the header, and at the last lines for some below the table.

    Raises:
        SourceError: there is no header.
    """
    start = start_of(file, label, told)
    return start.names, start.reading


def read_text(
    file: Readable, label: str, told: FileReading, progress: Callable[[float], None] | None
) -> tuple[pa.Table, FileReading]:
    """Read a text file; what is not told of its writing is detected.

    Raises:
        SourceError: it is not a rectangular table.
    """
    start = start_of(file, label, told)
    try:
        start, table = _read_as_lines(file, label, start, progress)
    except _NotDecodableError:
        if told.encoding is not None or start.reading.encoding != "utf-8":
            raise _wrong_encoding(label, start.reading.encoding or "", file, told) from None
        start, table = _read_before_unicode(file, label, told, progress)
    reading = start.reading
    if reading.decimal is None or reading.thousands is None:
        reading = _with_marks(table, reading, label)
        reading = replace(reading, mixed=mixed_marks(table, reading))
    if not reading.plain:
        several = of_several_currencies(table, reading)
        reading = replace(reading, amounts=amounts_of(table, reading), currencies=several)
        table = in_plain_numbers(table, reading)
    return table, reading


def text_batches(file: Readable, label: str, told: FileReading) -> Iterator[pa.RecordBatch]:
    """Read a text file some rows at a time, as ``read_text`` reads it whole; the first tell what is not told.

    Raises:
        SourceError: it is not a rectangular table, or its encoding has to be told.
    """
    start = start_of(file, label, told)
    reading = start.reading
    try:
        for batch in _batches_as_lines(file, label, start):
            table = pa.Table.from_batches([batch])
            if reading.decimal is None or reading.thousands is None:
                reading = _with_marks(table, reading, label)
            yield from (table if reading.plain else in_plain_numbers(table, reading)).to_batches()
    except _NotDecodableError:
        raise _wrong_encoding(label, start.reading.encoding or "utf-8", file, told) from None


def _with_marks(table: pa.Table, told: FileReading, label: str) -> FileReading:
    """How the numbers of a file are written: told, or detected of a file that no codebook was made for.

    Where one was, one row could decide how all others are read. Then they are plain ones, between semicolons
    with a decimal comma beside the point.

    Raises:
        SourceError: a codebook leaves it to the rows, and they have other numbers.
    """
    found = marks_of(table, told)
    if not told.settled:
        return found
    point = replace(told, decimal=told.decimal or ".", thousands=told.thousands or "")
    usual = point
    if told.decimal is None and told.delimiter == ";" and point.thousands != ",":
        usual = replace(point, decimal=",")
    if found.number_options not in (point.number_options, usual.number_options):
        if mixed_marks(table, found):
            found = replace(found, thousands="")  # reads both
        raise SourceError(
            "How the numbers of {file} are written is told by its rows alone, and one of them could decide "
            "it for all; add {options} if they are written so, else {usual}, or keep it in the codebook's "
            "'reading'.",
            file=label,
            options=found.number_options,
            usual=usual.number_options,
        )
    return usual


class _NotDecodableError(Exception):
    """The bytes are not of this encoding."""


class _WrappedLineError(Exception):
    """A line is one value where there should be several: it may stand in quotes as a whole."""


def _read_before_unicode(
    file: Readable, label: str, told: FileReading, progress: Callable[[float], None] | None
) -> tuple[Start, pa.Table]:
    """Read what is not UTF-8; Latin-1 where it seems Windows-1252, which has no such character."""
    found = encoding_before_unicode(first_bytes(file, label))
    for encoding in (found, "iso8859-1") if found == "cp1252" else (found,):
        try:
            start = start_of(file, label, replace(told, encoding=encoding))
            if _CONTROL.search(start.text[:4096]):
                raise no_text(label)
            return _read_as_lines(file, label, start, progress)
        except _NotDecodableError:
            continue
    raise _wrong_encoding(label, "utf-8" if found == "cp1252" else found, file, told)


def _read_as_lines(
    file: Readable, label: str, start: Start, progress: Callable[[float], None] | None
) -> tuple[Start, pa.Table]:
    """Read the rows, and where a line is one value alone, lines in quotes as a whole as the others."""
    try:
        return start, _read(file, label, start, progress)
    except _WrappedLineError:
        start = replace(start, reading=replace(start.reading, wrapped=True))
        return start, _read(file, label, start, progress)


def _batches_as_lines(file: Readable, label: str, start: Start) -> Iterator[pa.RecordBatch]:
    """The rows some at a time; from a line in quotes as a whole on the file is read once more."""
    given = 0
    try:
        for batch in _batches(file, label, start, most=1 << 62):
            given += batch.num_rows
            yield batch
    except _WrappedLineError:
        start = replace(start, reading=replace(start.reading, wrapped=True))
        for batch in _batches(file, label, start, most=1 << 62):
            again = min(given, batch.num_rows)
            given -= again
            yield batch.slice(again)


def _read(file: Readable, label: str, start: Start, progress: Callable[[float], None] | None) -> pa.Table:
    size = len(file) if isinstance(file, bytes) else Path(file).stat().st_size
    schema = pa.schema([(name, pa.string()) for name in start.names])
    batches = []
    read = 0
    for batch in _batches(file, label, start):
        batches.append(batch)
        read += batch.nbytes
        if progress is not None:
            progress(min(0.99, read / max(size, 1)))
    return pa.Table.from_batches(batches, schema=schema)


def _batches(
    file: Readable, label: str, start: Start, *, most: int | None = None
) -> Iterator[pa.RecordBatch]:
    """Read the rows of a text file, some at a time."""
    ragged: list[pacsv.InvalidRow] = []

    def note_ragged(row: pacsv.InvalidRow) -> str:
        ragged.append(row)
        return "error"

    names = start.names
    packed = compression(label) is not None
    last: pa.RecordBatch | None = None
    try:
        with packed_or_plain(file, label) as raw, decoded(raw, start.reading.encoding) as stream:
            rows = stream
            if start.reading.delimiter == BLANK:
                rows = pa.PythonFile(CollapsedStream(stream), mode="r")
            elif start.below:
                rows = pa.PythonFile(CutStream(stream, start.below), mode="r")
            if start.reading.wrapped:
                own = start.reading.delimiter or ","
                rows = pa.PythonFile(UnwrappedStream(rows, own, len(names)), mode="r")
            reader = pacsv.open_csv(
                rows,
                read_options=pacsv.ReadOptions(
                    use_threads=False, column_names=names, skip_rows=start.skip, block_size=_BLOCK
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter=start.reading.delimiter,
                    newlines_in_values=True,
                    invalid_row_handler=note_ragged,
                ),
                convert_options=pacsv.ConvertOptions(
                    column_types={name: pa.string() for name in names}, strings_can_be_null=False
                ),
            )
            read = 0
            for batch in reader:
                read += batch.nbytes
                if packed and read > (opening.MAX_UNPACKED_BYTES if most is None else most):
                    raise too_large_unpacked(label)
                last = batch if batch.num_rows else last
                yield batch
    except pa.ArrowInvalid as error:
        refusal = _refusal(str(error), [row.number for row in ragged], label, len(names))
        if ragged and ragged[0].actual_columns == 1 and not start.reading.wrapped:
            raise _WrappedLineError from None
        raise refusal from None
    except UnicodeError:
        raise _NotDecodableError from None
    except (OSError, pa.ArrowException):
        raise SourceError(
            "{file} cannot be read as csv; save it again as csv with UTF-8.", file=label
        ) from None
    if last is not None and _ends_inside_quotes(last, file, label, start.reading.encoding):
        raise SourceError(
            "{file} opens a quote that it never closes, so that its last lines run together; close it, or "
            "write a quote inside a value twice.",
            file=label,
        )


def _refusal(error: str, ragged: list[int | None], label: str, n_columns: int) -> Exception:
    if ragged and ragged[0]:
        return SourceError(
            "{file} has {columns} columns in its header but not in line {line}; every line needs "
            "as many values as the header, with values that hold the separator in quotes.",
            file=label,
            columns=n_columns,
            line=ragged[0],
        )
    if ragged:
        return SourceError(
            "{file} has {columns} columns in its header but not in a line; every line needs "
            "as many values as the header, with values that hold the separator in quotes.",
            file=label,
            columns=n_columns,
        )
    if "UTF8" in error or "UTF-8" in error:
        return _NotDecodableError()
    if "Empty CSV" in error or "Could not skip" in error:
        return SourceError("{file} has a header but no rows; there is nothing to publish.", file=label)
    return SourceError("{file} is not a well-formed csv file; save it again as csv with UTF-8.", file=label)


def _wrong_encoding(label: str, encoding: str, file: Readable, told: FileReading) -> SourceError:
    if told.encoding == UNICODE:  # a codebook left it to the rows
        return SourceError(
            "{file} holds bytes that are no text in {encoding}; name its encoding (add --encoding {seems} if "
            "it is that, or keep it in the codebook's 'reading'), or save it again as UTF-8.",
            file=label,
            encoding=encoding,
            seems=encoding_before_unicode(first_bytes(file, label)),
        )
    return SourceError(
        "{file} holds bytes that are no text in {encoding}; name its encoding, or save it again as UTF-8.",
        file=label,
        encoding=encoding,
    )


def _ends_inside_quotes(table: pa.RecordBatch, file: Readable, label: str, encoding: str | None) -> bool:
    """Whether the last row swallowed lines: it holds a line break, and the file an odd number of quotes."""
    last = table.slice(max(0, table.num_rows - 1)).to_pylist()
    if not any("\n" in value or "\r" in value for row in last for value in row.values()):
        return False
    quotes = 0
    with packed_or_plain(file, label) as raw, decoded(raw, encoding) as stream:
        while block := stream.read(_BLOCK):
            quotes += block.count(b'"')
    return quotes % 2 == 1
