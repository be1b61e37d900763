"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from hmpb_core.errors import SourceError

_PART = ".hmpb-part"


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the target, then move into place: nobody ever sees half a file.

    Raises:
        SourceError: the folder cannot be written to.
    """
    try:
        part = path.with_name(f".{path.name}.{os.getpid()}{_PART}")
    except ValueError:
        raise SourceError("{file!r} is not the name of a file; name one.", file=str(path)) from None
    try:
        if path.exists() and not path.is_file():  # moved into place, it would take a device's place
            raise IsADirectoryError
        sweep(path.parent)
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _sync_folder(path.parent)
    except (OSError, ValueError):  # a NUL in the name is a ValueError
        with suppress(OSError, ValueError):
            part.unlink(missing_ok=True)
        raise SourceError(
            "{file!r} cannot be written; choose a folder you may write to.", file=path.name
        ) from None


def require_new(path: Path) -> None:
    """Refuse a target before anything is spent on it.

    Raises:
        SourceError: it is there already, or its folder is not.
    """
    if path.exists():
        raise SourceError(
            "{file!r} is there already; choose another name, releases are not overwritten.", file=path.name
        )
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise SourceError(
            "The folder of {file!r} is not there or cannot be written to; choose another.", file=path.name
        )


def sweep(folder: Path) -> None:
    """Remove what killed processes left behind."""
    for part in folder.glob(f".*{_PART}"):
        pid = part.name.removesuffix(_PART).rpartition(".")[2]
        if pid.isdecimal() and not _alive(int(pid)):
            part.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _sync_folder(folder: Path) -> None:
    """Make the move itself durable, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
