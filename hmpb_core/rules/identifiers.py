r"""Identifiers made up anew in a declared format: unique in a table, and of no row.

The format is a small part of a regular expression: letters, digits and marks as they are, classes in
brackets, ``\d``, and a number of times in braces. So ``P-[0-9]{6}`` gives P-000000 to P-999999.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.errors import DomainError, PlanError

LONGEST = 64
BLOCK = 2**31
"""Different texts that the last places of a format hold at most: their numbers multiply without overflow."""
EXAMPLE = "P-[0-9]{6}"
_PART = re.compile(r"(\[[^\[\]^]+\]|\\.|[^\\\[\]{}()*+?.|^$])(?:\{(\d{1,2})\})?")
_RANGE = re.compile(r"\\?(.)(?:-\\?(.))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifierFormat:
    """How the identifiers of a column are written.

    Attributes:
        name: The column's name.
        pattern: The format as it is declared.
        places: For each place of an identifier the letters that may stand there.

    Example:
        >>> form = IdentifierFormat.read("case", "P-[0-9]{2}")
        >>> form.capacity, sorted(form.texts(100, np.random.default_rng(0)))[:2]
        (100, ['P-00', 'P-01'])
    """

    name: str
    pattern: str
    places: tuple[str, ...] = field(repr=False)

    @classmethod
    def read(cls, name: str, pattern: object) -> IdentifierFormat:
        """Read a format.

        Raises:
            DomainError: it is none.
        """
        places: list[str] = []
        if isinstance(pattern, str):
            end = 0
            for found in _PART.finditer(pattern):
                if found.start() != end:
                    break
                end = found.end()
                places += [_letters(found.group(1))] * int(found.group(2) or 1)
            if end != len(pattern) or not all(places):
                places = []
        if not places or len(places) > LONGEST or not all(letter.isalnum() for letter in places[0]):
            raise DomainError(
                "The format {pattern!r} of {name!r} cannot be read; write it like {example}: it begins with "
                "a letter or a digit, has at most {most} places, and names classes in brackets and how often "
                "in braces.",
                pattern=str(pattern),
                name=name,
                example=EXAMPLE,
                most=LONGEST,
            )
        return cls(name=name, pattern=str(pattern), places=tuple(places))

    @property
    def capacity(self) -> int:
        """Number of different identifiers."""
        return math.prod(len(letters) for letters in self.places)

    def require_room(self, n_rows: int) -> None:
        """Refuse more rows than there are identifiers.

        Raises:
            PlanError: there are.
        """
        if n_rows > self.capacity:
            raise PlanError(
                "The format of {name!r} holds {ids} different identifiers, fewer than there are rows; give "
                "it more places.",
                name=self.name,
                ids=self.capacity,
            )

    def texts(self, n_rows: int, rng: np.random.Generator, *, first: int = 0, step: int = 1) -> list[str]:
        """Make up identifiers; the same generator gives different ones to different numbers.

        Rows are numbered ``first``, ``first + step``, ...: the parts of one table, each with a generator of
        the same seed, share no identifier.

        Args:
            n_rows: How many.
            rng: Scatters them over all that the format holds.
            first: Number of the first row.
            step: Distance of two rows' numbers.

        Raises:
            PlanError: the format does not hold so many.
        """
        self.require_room(first + step * (n_rows - 1) + 1)
        numbers = first + step * np.arange(n_rows, dtype=np.int64)
        columns: list[NDArray[np.str_]] = []
        held = 1  # by the places so far: with far more than there are rows, the others may be anything
        for block in reversed(_blocks(self.places)):  # the last places first
            size = math.prod(len(letters) for letters in block)
            if held > 16 * step * n_rows:
                codes = rng.integers(size, size=n_rows)
            else:
                turns, rest = np.divmod(numbers, size)
                codes = (rest * _coprime(size, rng) + int(rng.integers(size))) % size
                numbers = turns
            held *= size
            for letters in reversed(block):
                codes, place = np.divmod(codes, len(letters))
                columns.append(np.array(list(letters))[place])
        columns.reverse()
        text = columns[0]
        for column in columns[1:]:
            text = np.char.add(text, column)
        made: list[str] = text.tolist()
        return made


def with_identifiers(
    frame: pd.DataFrame,
    formats: Sequence[IdentifierFormat],
    rng: np.random.Generator,
    *,
    first: int = 0,
    step: int = 1,
) -> pd.DataFrame:
    """Put made-up identifiers before the columns of a synthetic table. Free: they are of no row.

    Args:
        frame: The rows.
        formats: The formats; none gives the rows as they are.
        rng: Makes them up.
        first: Number of the first row, where this is a part of a larger table.
        step: Distance of two rows' numbers.
    """
    made = {
        form.name: pd.array(form.texts(len(frame), rng, first=first, step=step), dtype="str")
        for form in formats
    }
    return pd.concat([pd.DataFrame(made, index=frame.index), frame], axis=1) if made else frame


def require_room(formats: Sequence[IdentifierFormat], n_rows: int | None) -> None:
    """Refuse formats that hold fewer identifiers than there are to be rows.

    Args:
        formats: The formats.
        n_rows: Rows that will be made; None where nobody may know: whether a private number fits is private.

    Raises:
        PlanError: one does, or nobody said how many rows there are to be.
    """
    if formats and n_rows is None:
        raise PlanError(
            "Identifiers are made up for as many rows as are made, and the table's number of rows is "
            "private; say how many rows to make."
        )
    for form in formats:
        form.require_room(n_rows or 0)


def _blocks(places: Sequence[str]) -> list[list[str]]:
    """Cut the places into blocks of at most ``BLOCK`` texts, from the right."""
    blocks: list[list[str]] = [[]]
    for letters in reversed(places):
        if math.prod(map(len, blocks[0])) * len(letters) > BLOCK:
            blocks.insert(0, [])
        blocks[0].insert(0, letters)
    return blocks


def _coprime(size: int, rng: np.random.Generator) -> int:
    """A random factor whose multiples run through all of 0 to size - 1."""
    while True:
        factor = int(rng.integers(1, size + 1))
        if math.gcd(factor, size) == 1:
            return factor


def _letters(part: str) -> str:
    """The letters that a part of a format allows, each once; none where it is no class."""
    if part in (r"\d", r"[\d]"):
        return "0123456789"
    if part.startswith("\\"):
        return part[1] if not part[1].isalnum() else ""
    if not part.startswith("["):
        return part
    inside = part[1:-1]
    if "\\d" in inside or "\\w" in inside:
        inside = inside.replace("\\d", "0-9").replace("\\w", "A-Za-z0-9_")
    found: list[str] = []
    end = 0
    for match in _RANGE.finditer(inside):
        if match.start() != end:
            return ""
        end = match.end()
        low, high = match.group(1), match.group(2) or match.group(1)
        if not low.isascii() or not high.isascii() or low > high:
            return ""
        found += [chr(code) for code in range(ord(low), ord(high) + 1)]
    return "".join(dict.fromkeys(itertools.chain(found))) if end == len(inside) else ""
