"""A temporary folder of an engine: private to its user, and removed later if its process was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_BEGINNING = "hmpb-"
_LOCK = "in-use"


def new_folder() -> tuple[str, int]:
    """Make a folder that only this user can read, and remove those that killed processes left.

    Returns:
        The folder, and the open file whose lock says that it is in use.
    """
    for old in Path(tempfile.gettempdir()).glob(f"{_BEGINNING}*"):
        _remove_if_left(old)
    while True:
        folder = tempfile.mkdtemp(prefix=_BEGINNING)
        held = os.open(Path(folder) / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        with suppress(OSError):  # a file system without locks: nobody can take the folder away either
            if not _locks(held) or not os.fstat(held).st_nlink:
                os.close(held)  # before the lock was taken another process took it for one that was left
                continue
        return folder, held


def _remove_if_left(folder: Path) -> None:
    """Remove a folder of this user that no process holds; one without a lock file is just being made."""
    with suppress(OSError):
        if folder.stat().st_uid != os.getuid():
            return
        held = os.open(folder / _LOCK, os.O_RDWR)
        try:
            if _locks(held):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(held)


def _locks(held: int) -> bool:
    """Take the lock of an open file; whether nobody else has it."""
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
