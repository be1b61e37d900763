"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hmpb_core.errors import SourceError
from hmpb_core.privacy.ledger import digest_of

_PART = ".hmpb-part"
_CLAIM = ".hmpb-claim"
LONGEST_NAME = 255
"""Bytes of a file's name that every usual file system takes."""
SPARE_BYTES = 32 * 2**20
"""Free space that must remain beside a bundle."""


def _unwritten(name: str, error: Exception | None = None) -> SourceError:
    """The sentence for a file that could not be written."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return SourceError("{file!r} cannot be written: its disk is full; make room there.", file=name)
    return SourceError("{file!r} cannot be written; choose a folder you may write to.", file=name)


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the target, then move into place: nobody ever sees half a file.

    Raises:
        SourceError: the folder cannot be written to.
    """
    try:  # a short name, whatever the target's
        part = path.with_name(f".{uuid.uuid4().hex[:12]}.{os.getpid()}{_PART}")
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
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        with suppress(OSError, ValueError):
            part.unlink(missing_ok=True)
        raise _unwritten(path.name, error) from None


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give a path beside the target to write to; what is there at the end is moved into place.

    Raises:
        SourceError: the folder cannot be written to.
    """
    part = target.with_name(f".{uuid.uuid4().hex[:12]}.{os.getpid()}{_PART}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep(target.parent)
        if target.exists() and not target.is_file():
            raise IsADirectoryError
        yield part
        part.replace(target)
    except OSError as error:
        raise _unwritten(target.name, error) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def replacing_folder(target: Path) -> Iterator[Path]:
    """Give a folder beside the target to fill; at the end it takes the target's place.

    Raises:
        SourceError: the target holds other files than Parquet parts, or cannot be written to.
    """
    part, old = (target.with_name(f".{uuid.uuid4().hex[:12]}.{os.getpid()}{_PART}") for _ in range(2))
    try:
        sweep(target.parent)
        require_parts(target)
        part.mkdir(parents=True)
        yield part
        if target.is_dir():
            target.rename(old)
        part.rename(target)
    except OSError as error:
        raise _unwritten(target.name, error) from None
    finally:
        for folder in (part, old):
            shutil.rmtree(folder, ignore_errors=True)


def require_parts(folder: Path) -> None:
    """Refuse to replace a folder that holds anything but Parquet parts.

    Raises:
        SourceError: it does.
    """
    if folder.is_dir() and any(not _is_part(path) for path in folder.iterdir()):
        raise SourceError(
            "{folder!r} holds other files than Parquet parts; name a new folder.", folder=folder.name
        )


def _is_part(path: Path) -> bool:
    return path.is_file() and path.name.startswith("part-") and path.suffix == ".parquet"


def require_new(path: Path) -> None:
    """Refuse a target before anything is spent on it.

    Raises:
        SourceError: its name cannot be one, it is there already, or its folder is not.
    """
    if _is_there(path):
        raise SourceError("{file!r} is there already; choose another name.", file=path.name)
    _require_folder(path)


def require_place(path: Path) -> None:
    """Refuse a target that may replace a file, before anything is spent on it.

    Raises:
        SourceError: its name cannot be one, it is there and is no file, or its folder is not there.
    """
    if _is_there(path) and not path.is_file():
        raise SourceError("{file!r} is not a file; choose another name.", file=path.name)
    _require_folder(path)


def _is_there(path: Path) -> bool:
    try:
        length = 0 if "\0" in str(path) else len(os.fsencode(path.name))
        there = os.path.lexists(path)
    except (ValueError, OSError):  # a lone surrogate, a path that is too long
        length, there = LONGEST_NAME + 1, False
    if not 0 < length <= LONGEST_NAME:
        raise SourceError(
            "The name of the file to write is none that a disk takes; choose one of at most {most} bytes "
            "without special characters.",
            most=LONGEST_NAME,
        )
    return there


def _require_folder(path: Path) -> None:
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise SourceError(
            "The folder of {file!r} is not there or cannot be written to; choose another.",
            file=str(path),
        )


@contextmanager
def claimed(path: Path | None) -> Iterator[None]:
    """Keep a target's name from all other releases until the block ends; None claims nothing.

    The claim is a locked file beside the target. The system gives the lock back when its process dies.

    Raises:
        SourceError: the target is refused by ``require_new``, or another release is about to write it.
    """
    if path is None:
        yield
        return
    require_new(path)
    claim = path.with_name(f".{digest_of(os.fsencode(path.name))[:16]}{_CLAIM}")
    try:
        handle = os.open(claim, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        raise SourceError(
            "The folder of {file!r} is not there or cannot be written to; choose another.",
            file=str(path),
        ) from None
    try:
        if not _locked(handle, claim):
            raise SourceError(
                "Another release is about to write {file!r}; choose another name.", file=path.name
            )
        try:
            require_new(path)  # whoever held the claim before may have written it
            yield
        finally:
            with suppress(OSError):
                claim.unlink(missing_ok=True)
    finally:
        os.close(handle)


def require_writable(folder: Path) -> None:
    """Refuse a folder in which no file can be made, by making one.

    Raises:
        SourceError: it cannot be written to.
    """
    probe = folder / f".{uuid.uuid4().hex[:12]}.{os.getpid()}{_PART}"
    try:
        write_whole(probe, b"")
    except SourceError:
        raise SourceError(
            "The folder {folder!r} of the workspace cannot be written to; check its rights and the space on "
            "its disk. Nothing was charged.",
            folder=folder.name,
        ) from None
    probe.unlink(missing_ok=True)


def require_space(folder: Path, size: int) -> None:
    """Refuse a folder whose disk could not take a bundle.

    Raises:
        SourceError: its disk is nearly full.
    """
    if shutil.disk_usage(folder).free < size + SPARE_BYTES:
        raise SourceError(
            "The disk of the folder {folder!r} is nearly full, so that the bundle could not be kept; make "
            "room and try again. Nothing was charged.",
            folder=folder.resolve().name,
        )


def sweep(folder: Path) -> None:
    """Remove what killed processes left behind."""
    for part in folder.glob(f".*{_PART}"):
        pid = part.name.removesuffix(_PART).rpartition(".")[2]
        if pid.isdecimal() and not _alive(int(pid)):
            if part.is_dir():
                shutil.rmtree(part, ignore_errors=True)
            else:
                part.unlink(missing_ok=True)
    for claim in folder.glob(f".*{_CLAIM}"):
        with suppress(OSError):
            handle = os.open(claim, os.O_RDWR)
            try:
                if _locked(handle, claim):
                    claim.unlink(missing_ok=True)
            finally:
                os.close(handle)


def _locked(handle: int, claim: Path) -> bool:
    """Take the lock of a claim; not where somebody holds it, or has just let it go and removed it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.fstat(handle).st_ino == claim.stat().st_ino
    except OSError:
        return False


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
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
