"""Files that commands write: what stands in their place is kept beside them."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from hmpb_core.commands.console import remark, say
from hmpb_core.errors import InputError, SourceError
from hmpb_core.publishing.files import write_whole

OTHER_ENDINGS = (".zip", ".json", ".html", ".toml")
"""Endings of files that commands write beside tables."""


def write_keeping(out: Path, content: bytes) -> None:
    """Write a file of a command. What stood there is kept beside it.

    Raises:
        SourceError: the folder cannot be written to.
    """
    with keeping(out):
        write_whole(out, content)


def write_paid(out: Path, text: str, *, entry: int) -> None:
    """Write what a charge has bought; where the file cannot be written print it, so that nobody pays twice.

    Args:
        out: The file.
        text: What was bought.
        entry: Number of the charge's entry.

    Raises:
        SourceError: the file cannot be written.
    """
    try:
        write_keeping(out, text.encode())
    except SourceError as error:
        say(text)
        raise SourceError(
            "{reason} It was charged (entry {number} of the ledger), and what the file would hold is printed "
            "instead: keep it, and do not pay for it again.",
            reason=error.sentence,
            number=entry,
        ) from None


def require_folder_name(out: Path, allowed: str) -> None:
    """Refuse to make a folder whose name is a file's: who typed people.xlsx wants no folder of that name.

    Args:
        out: Where a folder would be made.
        allowed: What to name in its place.

    Raises:
        InputError: the name ends as a file's does, and no such folder is there.
    """
    from hmpb_core.sources.files import ENDINGS  # loads in a while, which an audit need not wait for

    if out.name.lower().endswith((*ENDINGS, *OTHER_ENDINGS)) and not out.is_dir():
        raise InputError(
            "{file!r} ends as a file does that this command does not write; name {allowed}.",
            file=out.name,
            allowed=allowed,
        )


@contextmanager
def keeping(*places: Path, folders: bool = False) -> Iterator[None]:
    """Keep what stands where the block writes, as NAME.1, NAME.2 and so on, and say so.

    A run without a seed cannot be repeated, and a codebook may hold an afternoon's work. What belongs
    together gets one number. All is put back where the block fails, and nothing is kept where the block
    writes the same again.

    Args:
        places: Files that the block writes; the first says whether it is the same, for accounts of the same
            rows differ in the memory that the run took.
        folders: Whether a place may be a folder, which the block makes anew.

    Raises:
        SourceError: what stands there cannot be moved.
    """
    there = [place for place in dict.fromkeys(places) if _is_kept(place, folders)]
    number = next(n for n in count(1) if not any(os.path.lexists(_beside(place, n)) for place in there))
    moved: list[Path] = []
    try:
        for place in there:
            _move(place, _beside(place, number))
            moved.append(place)
        yield
    except BaseException:
        for place in moved:
            with suppress(OSError):
                if not os.path.lexists(place):
                    _beside(place, number).rename(place)
        _say_kept(moved, number)
        raise
    if places[0] in moved and _alike(places[0], _beside(places[0], number)):
        for place in moved:
            with suppress(OSError):
                _beside(place, number).unlink()
    _say_kept(moved, number)


def _is_kept(place: Path, folders: bool) -> bool:
    try:
        return place.is_file() or (folders and place.is_dir() and any(place.iterdir()))
    except (OSError, ValueError):
        return False  # writing it says what is wrong


def _beside(place: Path, number: int) -> Path:
    return place.with_name(f"{place.name}.{number}")


def _move(place: Path, kept: Path) -> None:
    try:
        place.rename(kept)
    except OSError:
        raise SourceError(
            "{file!r} is there already and cannot be kept as {kept!r}; name another file to write.",
            file=place.name,
            kept=kept.name,
        ) from None


def _alike(place: Path, kept: Path) -> bool:
    try:
        return filecmp.cmp(place, kept, shallow=False)
    except OSError:  # a folder, or gone
        return False


def _say_kept(moved: list[Path], number: int) -> None:
    for place in moved:
        if os.path.lexists(_beside(place, number)):
            remark(f"{place.name} was there already: it is kept as {_beside(place, number).name}.")
