"""The beginning of a text file: its encoding, what separates its values, and the names of its columns."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa

from hmpb_core.dialect import TEXTS
from hmpb_core.errors import SourceError
from hmpb_core.sources.files import opening
from hmpb_core.sources.files.blanks import BLANK, apart_by_blanks, collapsed, of_fixed_widths
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
from hmpb_core.sources.files.opening import Readable
from hmpb_core.sources.files.reading import DELIMITERS, UNICODE, FileReading
from hmpb_core.sources.files.streams import compression, last_lines, packed_or_plain, unwrapped

_START_BYTES = 1 << 20
_MARKS_BETWEEN = tuple(mark for mark in DELIMITERS if mark != BLANK)
"""What may separate values by itself."""
_LOOKED_AT = 200
"""Lines below the header that may show it to be one of them."""


@dataclass(frozen=True, slots=True)
class Start:
    """The beginning of a text file: how it is read, its header, and how many lines that takes."""

    reading: FileReading
    names: list[str]
    skip: int
    text: str
    below: int = 0
    """Bytes of the lines below the table, in UTF-8."""


def first_bytes(file: Readable, label: str) -> bytes:
    """Give the first million bytes of a file, unpacked.

    Raises:
        SourceError: it cannot be opened, or is not packed as its name says.
    """
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


def start_of(file: Readable, label: str, told: FileReading) -> Start:
    """Find how a text file is written, as far as it was not told, and its header.

    Args:
        file: The file.
        label: What errors call it.
        told: How it is written, as far as that is known.

    Raises:
        SourceError: it is empty, no text, or has no header.
    """
    content = first_bytes(file, label)
    # Marks and zeros tell the other forms of Unicode, whatever one row holds.
    encoding = encoding_of(content) if told.encoding in (None, UNICODE, "utf-8") else told.encoding
    if encoding is None:
        raise no_text(label)
    # The part that was read may end inside a character.
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(content).removeprefix("\ufeff")
    if not text.strip():
        raise SourceError("{file} is empty; its first line must name the columns.", file=label)
    if "\x00" in text[:4096]:
        raise no_text(label)
    lines = io.StringIO(text, newline="")
    skip = 0
    delimiter = told.delimiter
    first = text.split("\n", 1)[0].strip()
    if match := re.fullmatch(r'"?sep=(.)"?', first):  # Excel's own way to tell the delimiter
        delimiter = delimiter or match[1]
        lines.readline()
        skip = 1
    elif "\ufffd" in first and told.encoding is None and encoding == "utf-8":
        return start_of(file, label, replace(told, encoding=encoding_before_unicode(content)))
    rest = lines.read()
    if len(content) == _START_BYTES:  # without its last line, which may be cut
        rest = rest[: rest.rfind("\n") + 1] or rest
    wrapped = unwrapped(rest)
    rest = wrapped or rest
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
        wrapped=bool(wrapped),
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
    if header.delimiter == BLANK or wrapped:
        count, below = 0, ""
    else:
        count, below = footer_of_text(last, header.delimiter, len(names), told.footer)
    return Start(
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


def no_text(label: str) -> SourceError:
    """Give the refusal of a file that holds no text."""
    return SourceError(
        "{file} holds binary data, not text; save it as csv or Parquet, with its own ending.", file=label
    )
