"""What is checked of a file before it is read: that it is one, of a known kind, and not too large."""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from hmpb_core.errors import SourceError

Readable = str | os.PathLike[str] | bytes

MAX_FILE_BYTES = 4 << 30
MAX_UNPACKED_BYTES = 2 << 30
"""What a packed file may unpack to; a table of that size is beyond this program's memory in any case."""
MAX_CELLS = 1_000_000_000
MAX_COLUMNS = 100_000
BROKEN_ZIP = (OSError, ValueError, zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError)
"""What zipfile raises where a container is broken; the last but one of an unknown compression."""


def label_of(file: Readable, name: str | None) -> str:
    """Give a file's name as messages quote it: every character printable."""
    if name is None:
        name = "the upload" if isinstance(file, bytes) else os.path.basename(os.fspath(file))  # noqa: PTH119
    text = name if len(name) <= 120 else name[:80] + "…" + name[-30:]
    return repr(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def ending_of(file: Readable, name: str | None) -> str:
    """Give a file's name in lower case, to judge its kind by."""
    return (name if name is not None else "" if isinstance(file, bytes) else os.fspath(file)).lower()


def require_file(file: Readable, label: str, *, any_size: bool = False) -> None:
    """Refuse what is no plain file, or too large a one, without opening it.

    Args:
        file: A path, or the content of a file.
        label: Its name in messages.
        any_size: Take a large one: it is not read whole.

    Raises:
        SourceError: it is a folder, a pipe, a device, absent, or too large.
    """
    if isinstance(file, bytes):
        size = len(file)
    else:
        try:
            status = os.stat(file)  # noqa: PTH116 - a path may hold what Path does not take
        except (OSError, ValueError):
            raise SourceError(
                "{file} is not a file here; give the path of a table, such as a csv or Parquet file.",
                file=label,
            ) from None
        if not stat.S_ISREG(status.st_mode):
            raise SourceError(
                "{file} is not a plain file but a folder, a pipe or a device; give the path of a table.",
                file=label,
            )
        size = status.st_size
    if size > MAX_FILE_BYTES and not any_size:
        raise SourceError(
            "{file} is larger than {limit} GB, the largest that is read; leave out columns it does not need.",
            file=label,
            limit=MAX_FILE_BYTES >> 30,
        )


def require_cells(label: str, n_rows: int, n_columns: int) -> None:
    """Refuse a table that would not fit into memory.

    Raises:
        SourceError: it has too many columns or cells.
    """
    if n_columns > MAX_COLUMNS or n_rows * n_columns > MAX_CELLS:
        raise SourceError(
            "{file} claims a table too large to be read; at most {columns} columns and {cells} cells are. "
            "Leave out columns or rows.",
            file=label,
            columns=MAX_COLUMNS,
            cells=MAX_CELLS,
        )


def opened(file: Readable) -> Any:
    """Give what the readers of other libraries take: a stream over content, or a path."""
    return io.BytesIO(file) if isinstance(file, bytes) else os.fspath(file)


def stream_of(file: Readable) -> BinaryIO:
    """Open a file for its bytes."""
    return io.BytesIO(file) if isinstance(file, bytes) else Path(file).open("rb")


def read_content(path: str | os.PathLike[str]) -> bytes:
    """Read a file as it is.

    Raises:
        SourceError: it is no plain file, is too large or cannot be read.
    """
    label = label_of(path, None)
    require_file(path, label)
    try:
        return Path(path).read_bytes()
    except OSError:
        raise SourceError(
            "{file} cannot be read; check the path and your right to read it.", file=label
        ) from None


def require_unpackable(file: Readable, label: str) -> None:
    """Refuse a zip container (xlsx, ods) that unpacks to too much, whatever its header claims.

    Raises:
        SourceError: it is no zip container, or a bomb.
    """
    total = 0
    try:
        with stream_of(file) as raw, zipfile.ZipFile(raw) as container:
            members = container.infolist()
            if len(members) > 10_000:
                raise too_large_unpacked(label)
            for member in members:
                total += _unpacked_size(raw, member, MAX_UNPACKED_BYTES - total)
                if total > MAX_UNPACKED_BYTES:
                    raise too_large_unpacked(label)
    except BROKEN_ZIP:
        raise broken_workbook(label) from None


def broken_workbook(label: str) -> SourceError:
    """Give the error of a workbook that cannot be taken apart."""
    return SourceError(
        "{file} is not a whole workbook; open it in the program it came from and save it again.", file=label
    )


def locked_workbook(label: str) -> SourceError:
    """Give the error of a workbook that nobody reads without its password."""
    return SourceError("{file} is locked with a password; save it without one, or as csv.", file=label)


def _unpacked_size(raw: BinaryIO, member: zipfile.ZipInfo, limit: int) -> int:
    """Unpack a member only to count: the size that its header gives may be a lie."""
    if member.compress_type != zipfile.ZIP_DEFLATED:
        return member.compress_size
    raw.seek(member.header_offset + 26)
    lengths = raw.read(4)
    raw.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), os.SEEK_CUR)
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    left, size = member.compress_size, 0
    while left > 0 and size <= limit and (block := raw.read(min(left, 1 << 16))):
        left -= len(block)
        while block and size <= limit:
            size += len(unpacker.decompress(block, 1 << 20))
            block = unpacker.unconsumed_tail
    return size


def too_large_unpacked(label: str) -> SourceError:
    """Give the refusal of a file that unpacks to too much."""
    return SourceError(
        "{file} unpacks to more than {limit} GB, the most that is read; leave out columns it does not need.",
        file=label,
        limit=MAX_UNPACKED_BYTES >> 30,
    )
