"""The bytes of a text file: unpacked, decoded, its last lines, and what stands above some of them."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pyarrow as pa

from hmpb_core.sources.files import opening
from hmpb_core.sources.files.opening import Readable

_END_BYTES = 1 << 16
_BLOCK = 1 << 23


def packed_or_plain(file: Readable, label: str) -> Any:
    """Open a file for its bytes, unpacked where its name says that it is packed."""
    source = pa.BufferReader(file) if isinstance(file, bytes) else file
    return pa.input_stream(source, compression=compression(label))


def decoded(stream: Any, encoding: str | None) -> Any:
    """Give a stream's text in UTF-8."""
    # UTF-8 is decoded as well: a byte that is none must stop the reading here, not inside Arrow's callbacks.
    # (By its other name: from UTF-8 to UTF-8 Arrow decodes nothing.)
    return pa.transcoding_input_stream(
        stream, "utf-8-sig" if encoding in (None, "utf-8") else encoding, "utf-8"
    )


def compression(label: str) -> str | None:
    """Say how a file is packed, by its name; None where it is not."""
    return "gzip" if label.rstrip("'\"").lower().endswith(".gz") else None


def last_lines(file: Readable, label: str, beginning: bytes, encoding: str, *, far: bool) -> str:
    """Give the whole lines among the last bytes of a file; none of a packed one that goes on and on.

    Args:
        file: A path, or the content of a file.
        label: Its name in messages.
        beginning: Its first bytes, which may say the order of those of a character.
        encoding: Python's name of its encoding.
        far: Unpack it to its end, however far that is.
    """
    last, seen = b"", 0
    with packed_or_plain(file, label) as stream:
        if compression(label) is None:
            stream.seek(max(0, stream.size() - _END_BYTES) // 4 * 4)  # not inside a character of UTF-16
        while block := stream.read(_BLOCK):
            last, seen = (last + block)[-_END_BYTES:], seen + len(block)
            if seen > opening.MAX_UNPACKED_BYTES and not far:
                return ""
    mark = {"utf-16": 2, "utf-32": 4}.get(encoding, 0)
    text = (beginning[:mark] + last).decode(encoding, errors="replace")
    return text[text.find("\n") + 1 :]


class CutStream(io.RawIOBase):
    """The bytes of a stream without the last of them."""

    def __init__(self, stream: Any, size: int) -> None:
        self._stream = stream
        self._size = size
        self._kept = b""

    def readable(self) -> bool:
        """It is to be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Give the next bytes; 0 at the end."""
        while len(self._kept) <= self._size and (block := self._stream.read(max(len(buffer), self._size))):
            self._kept += block
        n = max(0, min(len(buffer), len(self._kept) - self._size))
        buffer[:n] = self._kept[:n]
        self._kept = self._kept[n:]
        return n


_WRAPPED = re.compile(rb'(?m)^"((?:[^"\r\n]|"")*)"(?=\r?$)')
"""A line in quotes as a whole, with the quotes inside it written twice."""
_LOOKED_AT, _LEAST_COLUMNS = 100, 3


def unwrapped(text: str) -> str:
    """The first lines of a file as they are without the quotes in which all of them stand; else nothing.

    Each holds as many values then, three at least, also the names of the columns.

    Example:
        >>> unwrapped(chr(10).join(['"name,age,city"', '"A,3,""X, Y"",4"', '"B,4,Z"']))
        ''
        >>> unwrapped(chr(10).join(['"name,city,age"', '"A,""X, Y"",3"', '"B,Z,4"'])).split(chr(10))
        ['name,city,age', 'A,"X, Y",3', 'B,Z,4']
    """
    lines = text.splitlines()[:_LOOKED_AT]
    found = [_WRAPPED.fullmatch(line.encode()) for line in lines if line]
    if len(found) < 2 or None in found:
        return ""
    inside = [line[1:-1].replace('""', '"') for line in lines if line]
    for delimiter in ",;\t|":
        widths = {len(row) for row in csv.reader(inside, delimiter=delimiter)}
        if len(widths) == 1 and widths.pop() >= _LEAST_COLUMNS:
            return _WRAPPED.sub(lambda line: line[1].replace(b'""', b'"'), text.encode()).decode()
    return ""


class UnwrappedStream(io.RawIOBase):
    """The bytes of a stream, lines that stand in quotes as a whole as the others are.

    So spreadsheets write again a line in which they could not tell a value with commas in quotes. It is one
    value to any reader of csv; what it holds is a line only if it has as many values as the header.
    """

    def __init__(self, stream: Any, delimiter: str, columns: int) -> None:
        self._stream = stream
        self._delimiter = delimiter
        self._columns = columns
        self._begun = b""
        self._ready = b""

    def readable(self) -> bool:
        """It is to be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Give the next bytes; 0 at the end."""
        block = b"more"
        while not self._ready and block:
            block = self._stream.read(_BLOCK)
            read = self._begun + block
            whole = read.rfind(b"\n") + 1 if block else len(read)
            self._ready, self._begun = _WRAPPED.sub(self._unwrapped, read[:whole]), read[whole:]
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def _unwrapped(self, line: re.Match[bytes]) -> bytes:
        inside = line[1].replace(b'""', b'"')
        values = next(csv.reader([inside.decode()], delimiter=self._delimiter), [])
        return inside if len(values) == self._columns else line[0]
