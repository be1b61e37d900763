"""Text files: csv in its dialects. Values stay texts, so that the codebook decides what they are."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv

from hmpb_core.dialect import TEXTS
from hmpb_core.errors import SourceError
from hmpb_core.sources.files import opening
from hmpb_core.sources.files.blanks import BLANK, CollapsedStream, apart_by_blanks, collapsed, of_fixed_widths
from hmpb_core.sources.files.encodings import encoding_before_unicode, encoding_of
from hmpb_core.sources.files.footers import footer_of_text, footer_setting
from hmpb_core.sources.files.headers import (
    LAST_LINE,
    NO_NAMES,
    first_filled,
    found_lines,
    header_lines,
    lines_of_names,
    looks_like_values,
    names_in,
    setting_for,
    unique_names,
)
from hmpb_core.sources.files.numbers import amounts_of, in_plain_numbers, marks_of, mixed_marks
from hmpb_core.sources.files.opening import Readable, too_large_unpacked
from hmpb_core.sources.files.reading import DELIMITERS, UNICODE, FileReading
from hmpb_core.sources.files.streams import CutStream, compression, decoded, last_lines, packed_or_plain

_START_BYTES = 1 << 20
_BLOCK = 1 << 23
_MARKS_BETWEEN = tuple(mark for mark in DELIMITERS if mark != BLANK)
"""What may separate values by itself."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True, slots=True)
class _Start:
    """The beginning of a text file: how it is read, its header, and how many lines that takes."""

    reading: FileReading
    names: list[str]
    skip: int
    text: str
    below: int = 0
    """Bytes of the lines below the table, in UTF-8."""


def header_of(file: Readable, label: str, told: FileReading) -> tuple[list[str], FileReading]:
    """Give the names of the columns, looking at the header, and at the last lines for some below the table.

    Raises:
        SourceError: there is no header.
    """
    start = _start(file, label, told)
    return start.names, start.reading


def read_text(
    file: Readable, label: str, told: FileReading, progress: Callable[[float], None] | None
) -> tuple[pa.Table, FileReading]:
    """Read a text file; what is not told of its writing is detected.

    Raises:
        SourceError: it is not a rectangular table.
    """
    start = _start(file, label, told)
    try:
        table = _read(file, label, start, progress)
    except _NotDecodableError:
        if told.encoding is not None or start.reading.encoding != "utf-8":
            raise _wrong_encoding(label, start.reading.encoding or "", file, told) from None
        start, table = _read_before_unicode(file, label, told, progress)
    reading = start.reading
    if reading.decimal is None or reading.thousands is None:
        reading = _with_marks(table, reading, label)
        reading = replace(reading, mixed=mixed_marks(table, reading))
    if not reading.plain:
        reading = replace(reading, amounts=amounts_of(table, reading))
        table = in_plain_numbers(table, reading)
    return table, reading


def text_batches(file: Readable, label: str, told: FileReading) -> Iterator[pa.RecordBatch]:
    """Read a text file some rows at a time, as ``read_text`` reads it whole; the first tell what is not told.

    Raises:
        SourceError: it is not a rectangular table, or its encoding has to be told.
    """
    start = _start(file, label, told)
    reading = start.reading
    try:
        for batch in _batches(file, label, start, most=1 << 62):
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


def _read_before_unicode(
    file: Readable, label: str, told: FileReading, progress: Callable[[float], None] | None
) -> tuple[_Start, pa.Table]:
    """Read what is not UTF-8; Latin-1 where it seems Windows-1252, which has no such character."""
    found = encoding_before_unicode(_beginning(file, label))
    for encoding in (found, "iso8859-1") if found == "cp1252" else (found,):
        try:
            start = _start(file, label, replace(told, encoding=encoding))
            if _CONTROL.search(start.text[:4096]):
                raise _binary(label)
            return start, _read(file, label, start, progress)
        except _NotDecodableError:
            continue
    raise _wrong_encoding(label, "utf-8" if found == "cp1252" else found, file, told)


def _beginning(file: Readable, label: str) -> bytes:
    try:
        with packed_or_plain(file, label) as stream:
            content: bytes = stream.read(_START_BYTES)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(error, label) from None
    return content


def _unreadable(error: Exception, label: str) -> SourceError:
    """Say why the bytes of a file cannot be had: what the system did not refuse is not packed as it says."""
    if compression(label) is not None and not getattr(error, "errno", None):
        return SourceError(
            "{file} is no whole gzip file inside; pack it again, or give the text itself.", file=label
        )
    return SourceError("{file} cannot be opened; check the path and your right to read it.", file=label)


def _start(file: Readable, label: str, told: FileReading) -> _Start:
    content = _beginning(file, label)
    # Marks and zeros tell the other forms of Unicode, whatever one row holds.
    encoding = encoding_of(content) if told.encoding in (None, UNICODE, "utf-8") else told.encoding
    if encoding is None:
        raise _binary(label)
    # The part that was read may end inside a character.
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(content).removeprefix("\ufeff")
    if not text.strip():
        raise SourceError("{file} is empty; its first line must name the columns.", file=label)
    if "\x00" in text[:4096]:
        raise _binary(label)
    lines = io.StringIO(text, newline="")
    skip = 0
    delimiter = told.delimiter
    first = text.split("\n", 1)[0].strip()
    if match := re.fullmatch(r'"?sep=(.)"?', first):  # Excel's own way to tell the delimiter
        delimiter = delimiter or match[1]
        lines.readline()
        skip = 1
    elif "\ufffd" in first and told.encoding is None and encoding == "utf-8":
        return _start(file, label, replace(told, encoding=encoding_before_unicode(content)))
    rest = lines.read()
    if len(content) == _START_BYTES:  # without its last line, which may be cut
        rest = rest[: rest.rfind("\n") + 1] or rest
    if delimiter == BLANK or (delimiter is None and _only_blanks(rest)):
        rest, delimiter = collapsed(rest), BLANK
    header = _header(rest, delimiter, told.header, skip, label)
    if len(header.names) == 1 and told.delimiter is None and (width := of_fixed_widths(rest)) is not None:
        raise SourceError(
            "{file} has lines of {width} characters each and nothing that separates columns: which are at "
            "which place is told by a layout that came with it. Save it as csv with the program or the "
            "syntax that reads this layout; if it is a single column, say so by a delimiter.",
            file=label,
            width=width,
        )
    nameless = told.header == NO_NAMES
    names, renamed = unique_names([""] * len(header.names) if nameless else header.names)
    opening.require_cells(label, 0, len(names))
    reading = replace(
        told,
        format="csv",
        encoding=encoding,
        delimiter=header.delimiter,
        sheet=None,
        lines=told.lines or _line_end(header.raw),
        quotes=_quoting(header.raw, header.last, header.delimiter) if told.quotes is None else told.quotes,
        header=told.header or header.setting,
        renamed=renamed,
        headless=told.header is None
        and looks_like_values(header.names, _first_rows(rest, header.below, header.delimiter)),
    )
    above = 0 if nameless else header.above
    text = "".join(itertools.islice(io.StringIO(rest, newline=""), above, None))
    last = (
        text
        if len(content) < _START_BYTES
        else last_lines(file, label, content, encoding, far=bool(told.footer))
    )
    if header.delimiter == BLANK:
        count, below = 0, ""
    else:
        count, below = footer_of_text(last, header.delimiter, len(names), told.footer)
    return _Start(
        reading=replace(reading, footer=footer_setting(told.footer, count)),
        names=names,
        skip=skip if nameless else skip + header.below,
        text=text.removesuffix(below),
        below=len(below.encode()),
    )


def _only_blanks(text: str) -> bool:
    """Whether nothing but blanks can separate the values of a file."""
    first = text.lstrip("\r\n").partition("\n")[0]
    return not any(mark in first for mark in _MARKS_BETWEEN) and apart_by_blanks(text)


def _first_rows(text: str, header_lines: int, delimiter: str) -> Iterator[list[str]]:
    """A few rows, until one that cannot be read."""
    lines = itertools.islice(io.StringIO(text, newline=""), header_lines, header_lines + _LOOKED_AT)
    with contextlib.suppress(csv.Error):
        yield from csv.reader(lines, delimiter=delimiter)


_LOOKED_AT = 200
"""Lines below the header that may show it to be one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    """The lines that name the columns, under one delimiter.

    Attributes:
        names: What they name the columns.
        last: The cells of the last of them.
        raw: That line as it stands in the file.
        above: How many lines stand above it.
        setting: Which lines they are, where that is not the first alone.
    """

    delimiter: str
    names: list[str]
    last: list[str]
    raw: str
    above: int
    setting: str | None

    @property
    def below(self) -> int:
        """How many lines stand above the first row."""
        return self.above + len(io.StringIO(self.raw, newline="").readlines())


def _header(text: str, delimiter: str | None, told: str | None, skipped: int, label: str) -> _Header:
    """Find the header and what separates its values: what makes most columns of the first line."""
    records = {
        candidate: found
        for candidate in ([delimiter] if delimiter is not None else _MARKS_BETWEEN)
        if (found := _records(text, candidate))
    }
    if not records:
        raise SourceError(
            "{file} has a first line that is not a csv header; name the columns there.", file=label
        )
    rows = {candidate: [row for row, _ in found] for candidate, found in records.items()}
    asked = header_lines(told)

    def columns(candidate: str) -> int:
        lines = rows[candidate]
        place = first_filled(lines) if asked is None else asked.stop - skipped - 1
        return len(lines[place]) if 0 <= place < len(lines) else 0

    best = max(rows, key=columns)
    if told is None and len({len(row) for row in rows[best] if row}) > 1:
        # Titles without their empty cells: it is the lines below that show what separates values.
        starts = {candidate: found_lines(lines).start for candidate, lines in rows.items()}
        titled = [c for c, lines in rows.items() if starts[c] > first_filled(lines)]
        best = min(titled, key=lambda c: (starts[c], -len(rows[c][starts[c]])), default=best)
    lines = lines_of_names(rows[best], told, skipped, label)
    named = rows[best][lines.start : lines.stop]
    names = names_in(named)
    rest = [row for row in rows[best][lines.stop :] if row]
    if best in (BLANK, "\t") and rest and all(len(row) == len(names) + 1 for row in rest):
        names = ["", *names]  # R's write.table gives the column of row names none
    above = records[best][lines[-1] - 1][1] if lines[-1] else 0
    end = records[best][lines[-1]][1]
    return _Header(
        delimiter=best,
        names=names,
        last=named[-1],
        raw="".join(itertools.islice(io.StringIO(text, newline=""), above, end)),
        above=above,
        setting=setting_for(lines, rows[best], skipped),
    )


def _records(text: str, delimiter: str) -> list[tuple[list[str], int]]:
    """Give the first lines as cells, each with the line of the file where it ends.

    They end before one that cannot be read; nothing where that is the first, or nothing stands in any.
    """
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    found: list[tuple[list[str], int]] = []
    with contextlib.suppress(csv.Error):
        for row in itertools.islice(lines, LAST_LINE):
            found.append((row, lines.line_num))  # noqa: PERF401 - what stands before an error is kept
    return found if any(cell.strip() for row, _ in found for cell in row) else []


def _line_end(header: str) -> str:
    """What ends the header as it stands in the file; a line feed where nothing does."""
    found = re.search(r"(\r\n|\n|\r)$", header)
    return found[1] if found else "\n"


def _quoting(header: str, names: list[str], delimiter: str) -> str:
    """Whether the header has every name in quotes: then its texts are, whether they need it or not."""
    quoted = delimiter.join('"' + name.replace('"', '""') + '"' for name in names)
    return TEXTS if header.strip("\r\n") == quoted else ""


def _read(file: Readable, label: str, start: _Start, progress: Callable[[float], None] | None) -> pa.Table:
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
    file: Readable, label: str, start: _Start, *, most: int | None = None
) -> Iterator[pa.RecordBatch]:
    """Read the rows of a text file, some at a time."""
    ragged: list[int | None] = []

    def note_ragged(row: pacsv.InvalidRow) -> str:
        ragged.append(row.number)
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
        raise _refusal(str(error), ragged, label, len(names)) from None
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


def _binary(label: str) -> SourceError:
    return SourceError(
        "{file} holds binary data, not text; save it as csv or Parquet, with its own ending.", file=label
    )


def _wrong_encoding(label: str, encoding: str, file: Readable, told: FileReading) -> SourceError:
    if told.encoding == UNICODE:  # a codebook left it to the rows
        return SourceError(
            "{file} holds bytes that are no text in {encoding}; name its encoding (add --encoding {seems} if "
            "it is that, or keep it in the codebook's 'reading'), or save it again as UTF-8.",
            file=label,
            encoding=encoding,
            seems=encoding_before_unicode(_beginning(file, label)),
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
