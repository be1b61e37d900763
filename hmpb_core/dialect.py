"""How the csv files that leave are written: as the table's own file was, unless told otherwise."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hmpb_core.errors import DomainError

_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvDialect:
    """What a csv file is written with.

    Attributes:
        delimiter: The character between the values of a line.
        decimal: The decimal mark.
        encoding: Python's name of the encoding.

    Example:
        >>> CsvDialect(delimiter=";", decimal=",", encoding="cp1252").words
        'semicolons, decimal comma, cp1252'
    """

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        mark = self.delimiter
        usual = len(mark) == 1 and mark.isascii() and not mark.isalnum() and mark not in '"\r\n. -'
        if not (usual and self.decimal in (".", ",") and _is_encoding(self.encoding)):
            raise DomainError(
                "'dialect' of the codebook is the delimiter {delimiter!r}, the decimal mark {decimal!r} and "
                "the encoding {encoding!r}, and no csv file has all of them; correct it or leave it out.",
                delimiter=mark,
                decimal=self.decimal,
                encoding=self.encoding,
            )

    @classmethod
    def of_schema(cls, schema: Mapping[str, Any]) -> CsvDialect:
        """Take a codebook's ``dialect``; else what it keeps of how its table's file is read (``reading``).

        Raises:
            DomainError: its ``dialect`` is impossible.
        """
        told = schema.get("dialect")
        if told is not None and not isinstance(told, Mapping):
            told = {"delimiter": ""}  # refused like any other that is none
        found = schema.get("reading") if told is None else told
        if not isinstance(found, Mapping):
            return cls()
        keys = [key for key in ("delimiter", "decimal", "encoding") if found.get(key) is not None]
        try:
            return cls(**{key: str(found[key]) for key in keys})
        except DomainError:
            if told is not None:
                raise
            return cls()  # a reading that is none is refused where the file is read

    def able(self, texts: Iterable[str]) -> CsvDialect:
        """Give the dialect for these texts: in UTF-8 where its encoding lacks a character, or is alike.

        Texts of ASCII alone are the same bytes in most encodings: then it is not said which the table has.
        """
        text = "".join(texts)
        try:
            alike = text.isascii() and "a".encode(self.encoding) == b"a"
            text.encode(self.encoding)
        except UnicodeEncodeError:
            alike = True
        return replace(self, encoding="utf-8") if alike else self

    def to_dict(self) -> dict[str, str]:
        """Give it as a codebook writes it."""
        return {"delimiter": self.delimiter, "decimal": self.decimal, "encoding": self.encoding}

    @property
    def words(self) -> str:
        """What it is, for the reader of a file."""
        mark = _NAMES.get(self.delimiter, f"values separated by {self.delimiter!r}")
        decimal = "decimal comma" if self.decimal == "," else "decimal point"
        encoding = "UTF-8" if self.encoding == "utf-8" else self.encoding
        return f"{mark}, {decimal}, {encoding}"


def _is_encoding(name: str) -> bool:
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return False
    return bool(getattr(codec, "_is_text_encoding", True))


PLAIN = CsvDialect()
"""Commas, decimal points, UTF-8."""
