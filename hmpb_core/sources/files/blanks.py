"""Text files whose values stand apart by blanks: columns under each other, or what R's write.table writes.

One or several spaces or tabs separate two values, those at the ends of a line mean nothing, and what is in
quotes stays as it is. Each line is brought to one space between values, which any reader of csv takes.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from typing import Any

BLANK = " "
LEAST_COLUMNS = 3
"""Columns from which on blanks are taken for what separates values: names and sentences hold some too."""
_LOOKED_AT = 100
_FEWEST_FIXED, _SHORTEST_FIXED = 10, 20
"""Lines of one length, and characters of each, from which on they are no single column of codes."""
_BLOCK, _LONGEST = 1 << 20, 1 << 24
"""Bytes taken at once, and after how many of them without an end a line is cut."""
_RUN = re.compile(rb"[ \t]+")
_AT_ENDS = re.compile(rb"(?m)^ | (?=\r?$)")
_REST_OF_QUOTED = re.compile(rb'(?:[^"]|"")*"')
_PARTS = re.compile(rb'(?m)(?P<quoted>"(?:[^"]|"")*")|(?P<end>^[ \t]+|[ \t]+(?=\r?$))|[ \t]+')


def apart_by_blanks(text: str) -> bool:
    """Whether the first lines of a file are a table by blanks: as many values in each, but for the header.

    That may have one name less, since R names no column of row numbers.

    Example:
        >>> apart_by_blanks(chr(10).join(["age   sex  town", "41    f    Bern", "7     m    Basel"]))
        True
        >>> apart_by_blanks(chr(10).join(["remark", "all went well", "nothing to say"]))
        False
    """
    reader = csv.reader(io.StringIO(collapsed(text), newline=""), delimiter=BLANK, strict=True)
    try:
        widths = [len(row) for row in itertools.islice(reader, _LOOKED_AT) if row]
    except csv.Error:
        return False
    below = set(widths[1:])
    return len(below) == 1 and below <= {widths[0], widths[0] + 1} and max(below) >= LEAST_COLUMNS


def of_fixed_widths(text: str) -> int | None:
    """Give the length that all first lines have where it is all that could part values; None of other files.

    Such files come with a layout that says which characters are which column.

    Example:
        >>> of_fixed_widths(chr(10).join(f"{k:05d}M{k % 7} 0{k:9.2f}  06" for k in range(20)))
        22
    """
    lines = [line.rstrip("\r\n") for line in itertools.islice(io.StringIO(text, newline=""), _LOOKED_AT)]
    width = len(lines[0])
    alike = len(lines) >= _FEWEST_FIXED and width >= _SHORTEST_FIXED and {len(x) for x in lines} == {width}
    return width if alike and all(any(mark.isdecimal() for mark in line) for line in lines) else None


def collapsed(text: str) -> str:
    """Bring a text to one space between values and none at the ends of lines.

    Example:
        >>> collapsed(' 41  f   "St.  Gallen" ')
        '41 f "St.  Gallen"'
    """
    return _collapsed(text.encode()).decode()


def _collapsed(lines: bytes, *, inside: bool = False) -> bytes:
    """The same for whole lines, of which the first may begin inside quotes."""
    kept = b""
    if inside:
        closed = _REST_OF_QUOTED.match(lines)
        if closed is None:
            return lines
        kept, lines = closed[0], lines[closed.end() :]
    if lines.count(b'"') % 2:  # the last lines end inside quotes
        opening = lines.rfind(b'"')
        return kept + _outside(lines[:opening], before=inside, after=True) + lines[opening:]
    return kept + _outside(lines, before=inside, after=False)


def _outside(lines: bytes, *, before: bool, after: bool) -> bytes:
    """Lines with all their quotes closed; quotes may stand before the first and after the last."""
    lines = b"|" * before + lines + b"|" * after
    if b'"' in lines:
        lines = _PARTS.sub(lambda part: part["quoted"] or (b"" if part["end"] else b" "), lines)
    else:
        lines = _AT_ENDS.sub(b"", _RUN.sub(b" ", lines))
    return lines[before : len(lines) - after]


class CollapsedStream(io.RawIOBase):
    """The bytes of a text stream in UTF-8, each line brought to one space between values."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._kept = b""
        self._ready = b""
        self._inside = False

    def readable(self) -> bool:
        """It is to be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Give the next bytes; 0 at the end."""
        while not self._ready and (block := self._stream.read(_BLOCK)):
            self._kept += block
            end = self._kept.rfind(b"\n") + 1
            self._take(end or (len(self._kept) if len(self._kept) > _LONGEST else 0))
        if not self._ready:
            self._take(len(self._kept))
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def _take(self, n: int) -> None:
        lines, self._kept = self._kept[:n], self._kept[n:]
        self._ready = _collapsed(lines, inside=self._inside)
        self._inside ^= bool(lines.count(b'"') % 2)
