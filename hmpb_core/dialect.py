"""How the csv files that leave are written: as the table's own file was, unless told otherwise."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from hmpb_core.errors import DomainError

LINE_ENDS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
PACKAGES = ("spss", "stata")
"""Statistics packages as whose files rows leave, too, where the table came as one."""
TEXTS = "texts"
"""Every text in quotes, numbers bare: as R writes csv files."""
UTF8_WITH_MARK = "utf-8-sig"
"""UTF-8 that begins with a byte order mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvDialect:
    """What a csv file is written with.

    Attributes:
        delimiter: The character between the values of a line.
        decimal: The decimal mark.
        encoding: Python's name of the encoding; ``utf-8-sig`` begins with a byte order mark, by which Excel
            knows UTF-8.
        lines: What ends a line.
        quotes: ``texts`` where every text is in quotes and numbers are not; empty: only what needs them.

    """

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    lines: str = "\n"
    quotes: str = ""

    def __post_init__(self) -> None:
        mark = self.delimiter
        usual = len(mark) == 1 and mark.isascii() and not mark.isalnum() and mark not in '"\r\n. -'
        usual = usual and self.lines in LINE_ENDS and self.quotes in ("", TEXTS)
        if not (usual and self.decimal in (".", ",") and _is_encoding(self.encoding)):
            raise DomainError(
                "'dialect' of the codebook is the delimiter {delimiter!r}, the decimal mark {decimal!r}, the "
                "encoding {encoding!r}, the line end {lines!r} and the quotes {quotes!r}, and no csv file "
                "has all of them; correct it or leave it out.",
                delimiter=mark,
                decimal=self.decimal,
                encoding=self.encoding,
                lines=self.lines,
                quotes=self.quotes,
            )

    @classmethod
    def of_schema(cls, schema: Mapping[str, Any]) -> CsvDialect:
        """Take a codebook's ``dialect``; else what it keeps of how its table's file is read (``reading``).

        A file whose values stand apart by blanks leaves with commas: a blank cell has to show.

        Raises:
            DomainError: its ``dialect`` is impossible.
        """
        told = schema.get("dialect")
        if told is not None and not isinstance(told, Mapping):
            told = {"delimiter": ""}  # refused like any other that is none
        found = schema.get("reading") if told is None else told
        if not isinstance(found, Mapping):
            return cls()
        keys = [key for key in _KEYS if found.get(key) is not None]
        if told is None and found.get("delimiter") == " ":
            keys.remove("delimiter")
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
        usual = {"lines": PLAIN.lines, "quotes": PLAIN.quotes}
        return {key: getattr(self, key) for key in _KEYS if getattr(self, key) != usual.get(key)}

    @property
    def registered_encoding(self) -> str:
        """The encoding by a name that the standards know: they have none for one with a byte order mark."""
        return "utf-8" if self.encoding == UTF8_WITH_MARK else self.encoding


_KEYS = tuple(one.name for one in fields(CsvDialect))


def _is_encoding(name: str) -> bool:
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return False
    return bool(getattr(codec, "_is_text_encoding", True))


PLAIN = CsvDialect()
"""Commas, decimal points, UTF-8."""
