"""A small file whole, if it is a file at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

MOST_TEXT_BYTES = 1 << 28
"""A codebook of the largest size allowed (1000 attributes of 4096 categories) has about half of it."""


def read_plain(path: str | os.PathLike[str], *, most: int) -> bytes:
    """Read a file, which neither waits for a writer nor never ends.

    Args:
        path: The file.
        most: The largest size, in bytes.

    Raises:
        OSError: it cannot be read, is a device or a pipe, or is larger.
    """
    try:
        status = Path(path).stat()
    except ValueError:  # a NUL in the name
        raise FileNotFoundError from None
    if not stat.S_ISREG(status.st_mode) or status.st_size > most:
        raise OSError
    return Path(path).read_bytes()


def read_plain_text(path: str | os.PathLike[str]) -> str:
    """Read a text file in UTF-8, with or without a byte order mark.

    Raises:
        OSError: it cannot be read, or is no file of ``MOST_TEXT_BYTES`` at most.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_plain(path, most=MOST_TEXT_BYTES).decode("utf-8-sig")
