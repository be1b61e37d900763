"""A small file whole, if it is a file at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

MOST_TEXT_BYTES = 1 << 28
"""A codebook of the largest size allowed (1000 attributes of 4096 categories) has about half of it."""


def read_plain(path: str | os.PathLike[str]) -> bytes:
    """Read a file, which neither waits for a writer nor never ends.

    Raises:
        OSError: it cannot be read, is a device or a pipe, or is larger than ``MOST_TEXT_BYTES``.
    """
    try:
        status = Path(path).stat()
    except ValueError:  # a NUL in the name
        raise FileNotFoundError from None
    if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_TEXT_BYTES:
        raise OSError
    return Path(path).read_bytes()


def read_plain_text(path: str | os.PathLike[str]) -> str:
    """Read a text file in UTF-8, with or without a byte order mark.

    Raises:
        OSError: as ``read_plain`` has it.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_plain(path).decode("utf-8-sig")
