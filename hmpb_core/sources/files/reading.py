"""How a file is written: what was detected of it, or told by the steward."""

from __future__ import annotations

import codecs
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hmpb_core.amounts import BLANKS, BRACKETS, TYPOGRAPHIC, UNIT_WORD, signs_of
from hmpb_core.dialect import LINE_ENDS, PACKAGES, TEXTS
from hmpb_core.errors import SourceError
from hmpb_core.sources.files.blanks import BLANK
from hmpb_core.sources.files.headers import LAST_LINE, NAMES, NO_NAMES, header_lines

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", BLANK: "blank"}
_SPACES = {
    " ": "space",
    "\u00a0": "hard space",
    "\u202f": "narrow space",
    "'": "apostrophe",
    "’": "apostrophe",
}
UNICODE = "unicode"
"""An encoding that nobody told: texts are UTF-8 or as their first bytes say; other files say their own."""
DECIMALS = {".": "decimal point", ",": "decimal comma"}
SHOWN_SHEETS = 5
"""Sheets of a workbook that are named where it is said which one was read."""
THOUSANDS = ("", ",", ".", *_SPACES)
WRITING = (
    "encoding",
    "delimiter",
    "decimal",
    "thousands",
    "money",
    "minus",
    "sheet",
    "lines",
    "quotes",
    "header",
    "footer",
)
"""What may be said of how a file is written."""
FORMATS = {"spss": "SPSS", "stata": "Stata", "sas": "SAS", "parquet": "Parquet", "arrow": "Arrow"}
"""What formats are called, where not by the ending of their files."""
_ENCODING_WORDS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with a byte order mark",
    "cp1252": "Windows-1252 (Western European)",
    "iso8859-1": "Latin-1",
    "mac-roman": "Mac Roman",
    "cp1250": "Windows-1250 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "cp932": "Shift JIS (Japanese)",
    "cp949": "EUC-KR (Korean)",
    "iso8859-2": "ISO 8859-2 (Central European)",
    "cp1253": "Windows-1253 (Greek)",
    "iso8859-7": "ISO 8859-7 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "cp1257": "Windows-1257 (Baltic)",
    "cp874": "Windows-874 (Thai)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "koi8-u": "KOI8-U (Cyrillic)",
    "cp866": "DOS 866 (Cyrillic)",
    "cp850": "DOS 850 (Western European)",
    "cp852": "DOS 852 (Central European)",
    "euc_jp": "EUC-JP (Japanese)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """How a file is read; what is None is still to be detected, or means nothing to its format.

    Detection looks at how a file is written, and a file in which one row is written otherwise may be
    read otherwise as a whole. A codebook therefore keeps the reading (``reading``), and whatever it
    keeps is not detected again: then one row's bytes decide about one row's values. What it does not keep of
    how numbers are written is ``settled``: the rows may not tell it.

    Attributes:
        format: ``csv``, ``xlsx``, ``ods``, ``xls``, ``parquet``, ``arrow``, ``spss``, ``stata``, ``sas``.
        encoding: Python's name of the text's encoding, or ``UNICODE``.
        delimiter: The character between the values of a line; a blank stands for one or several.
        decimal: ``.`` or ``,``.
        thousands: The character between groups of three digits; empty for none.
        money: Signs that stand beside amounts and are left away, and units, apart by blanks; empty for none.
        minus: What tells numbers below zero beside a hyphen: U+2212, ``()`` or both; empty for none.
        sheet: Name of the worksheet.
        lines: What ends a line: CRLF, LF or CR, as characters. Any of them is read.
        quotes: ``texts`` where every text is in quotes, needed or not; else empty.
        header: Which lines name the columns: ``names`` for the first, ``2`` for another, ``1-2`` for several;
            ``none`` where the first line is a row like the others, so that columns are named by their place.
        footer: How many lines below the table hold no row, as digits.
        sheets: All worksheets there are.
        renamed: Columns that had no name, the name of another, or blanks around it: the header's text and the
            name given.
        amounts: Columns whose numbers have a sign of money or marked thousands, each with the way in which
            it would write 1234.5.
        mixed: Columns with a decimal comma and columns with a decimal point, where the file has both and some
            are misread; else empty.
        currencies: Columns with amounts in several currencies, which are read as if they were in one.
        headless: Whether the first line looks like a row of values rather than like names of columns.
        wrapped: Whether some lines stand in quotes as a whole, and are read as the others.
        zoned: Columns of moments in the hours of a place, whose time zone changes with the season.
        lists: Columns whose cells are lists, each read as one text.
        settled: Whether numbers are plain ones where nothing is told of them; a file whose rows say otherwise
            is refused.

    Example:
        >>> FileReading(format="csv", encoding="cp1252", delimiter=";", decimal=",").words
        'csv, Windows-1252 (Western European), semicolons, decimal comma'
    """

    format: str = ""
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    money: str | None = None
    minus: str | None = None
    sheet: str | None = None
    lines: str | None = None
    quotes: str | None = None
    header: str | None = None
    footer: str | None = None
    sheets: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    headless: bool = False
    wrapped: bool = False
    amounts: tuple[tuple[str, str], ...] = ()
    mixed: tuple[tuple[str, ...], ...] = ()
    currencies: tuple[str, ...] = ()
    zoned: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    settled: bool = False

    def __post_init__(self) -> None:
        _check(self)

    @property
    def warning(self) -> str:
        """What to do about numbers that are written in two ways; empty where they are not. Holds no value."""
        if not self.mixed:
            return self._of_currencies
        commas, points = (_few(names) for names in self.mixed)
        return (
            f"Numbers have a decimal comma in {commas}, and a decimal point in {points}: one of them is "
            "misread. Add --decimal comma --thousands none, which reads both, or write them alike."
        )

    @property
    def _of_currencies(self) -> str:
        if not self.currencies:
            return ""
        return (
            f"Amounts in several currencies stand in {_few(self.currencies)}: they are read as if they were "
            "in one. Bring them into one in the file."
        )

    @property
    def unnamed(self) -> tuple[str, ...]:
        """The names that columns without one got."""
        return tuple(name for text, name in self.renamed if not text)

    @property
    def trimmed(self) -> tuple[str, ...]:
        """The names around which the header has blanks."""
        return tuple(name for text, name in self.renamed if text.strip() == name)

    @classmethod
    def told(
        cls,
        *,
        encoding: str | None = None,
        delimiter: str | None = None,
        decimal: str | None = None,
        thousands: str | None = None,
        money: str | None = None,
        minus: str | None = None,
        sheet: str | None = None,
        lines: str | None = None,
        quotes: str | None = None,
        header: str | None = None,
        footer: str | None = None,
    ) -> FileReading:
        """Take what a person says: characters by name (``tab``, ``semicolon``) or as they are.

        Raises:
            SourceError: a setting is impossible.
        """
        names = {word: mark for mark, word in DELIMITERS.items()} | {"\\t": "\t"}
        ends = {word: mark for mark, word in LINE_ENDS.items()}
        groups = {"none": "", **{word: mark for mark, word in _SPACES.items()}}
        marks = {"comma": ",", "point": "."}
        return cls(
            encoding=None if encoding is None else _codec(encoding),
            delimiter=None if delimiter is None else names.get(delimiter, delimiter),
            decimal=None if decimal is None else marks.get(decimal, decimal),
            thousands=None if thousands is None else (marks | groups).get(thousands, thousands),
            money=None if money is None else groups.get(money, money),
            minus=None if minus is None else groups.get(minus, minus),
            sheet=sheet,
            lines=None if lines is None else ends.get(lines, lines),
            quotes=quotes,
            header=header,
            footer=footer,
        )

    @classmethod
    def from_dict(cls, values: Any) -> FileReading:
        """Read the settings that a codebook keeps; anything else in it is passed over.

        Raises:
            SourceError: a setting is impossible.
        """
        if not isinstance(values, Mapping):
            return cls()
        return cls.told(**{k: values[k] for k in WRITING if isinstance(values.get(k), str)})

    def to_dict(self) -> dict[str, str]:
        """Give the settings, for a codebook to keep."""
        settings = {name: getattr(self, name) for name in WRITING}
        usual = {"lines": "\n", "quotes": "", "minus": ""}
        package = {"format": self.format} if self.format in PACKAGES else {}
        told = {name: value for name, value in settings.items() if value not in (None, usual.get(name))}
        return package | told

    def over(self, other: FileReading) -> FileReading:
        """Take the other's settings where this one has none."""
        missing = {name: getattr(other, name) for name in WRITING if getattr(self, name) is None}
        return replace(self, **missing)

    @property
    def plain(self) -> bool:
        """Whether numbers are written as digits and a decimal point alone."""
        return self.decimal != "," and not self.thousands and not self.money and not self.minus

    @property
    def number_options(self) -> str:
        """The options that tell how numbers are written."""
        names = {"": "none", ".": "point", ",": "comma", **dict.fromkeys(BLANKS, "space")}
        told = {"decimal": self.decimal or ".", "thousands": self.thousands or ""}
        told |= {name: value for name in ("money", "minus") if (value := getattr(self, name))}
        return " ".join(f"--{name} {shlex.quote(names.get(mark, mark))}" for name, mark in told.items())

    @property
    def words(self) -> str:
        """What was read, in one line; holds names of columns and sheets, and no value."""
        parts = [FORMATS.get(self.format, self.format)] if self.format else []
        if self.encoding is not None:
            parts.append(_ENCODING_WORDS.get(self.encoding, self.encoding.upper()))
        if self.delimiter is not None:
            name = DELIMITERS.get(self.delimiter)
            parts.append(f"{name}s" if name else f"values separated by {self.delimiter!r}")
        parts += _number_words(self)
        if self.lines not in (None, "\n"):
            parts.append(f"lines end with {LINE_ENDS[self.lines]}")
        if self.quotes:
            parts.append("texts in quotes")
        parts += _header_words(self.header)
        if self.footer not in (None, "0"):
            parts.append(f"{self.footer} line{'s' if self.footer != '1' else ''} below the table left away")
        if self.sheet is not None:
            parts.append(f"sheet {self.sheet!r}{_others(self.sheets)}")
        if called := [new for text, new in self.renamed if text.strip() != new]:
            parts.append(f"columns without a name of their own are called {_called(called)}")
        if self.trimmed:
            parts.append(f"blanks around names are left away: {_called(self.trimmed)}")
        if self.zoned:
            parts.append(
                f"moments in the hours of a place leave as those of Greenwich, whose zone they name: "
                f"{_called(self.zoned)} (for local hours, write the column without a zone first)"
            )
        if self.wrapped:
            parts.append("lines in quotes as a whole are read as the others")
        if self.headless:
            parts.append(
                "the first line looks like somebody's values, and names of columns are published: "
                "--no-header says that it is a row"
            )
        return ", ".join(parts)


def _called(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more


def _others(sheets: tuple[str, ...]) -> str:
    """All sheets of a workbook, if there are several: the table may be on another one than was taken."""
    if len(sheets) < 2:
        return ""
    names = ", ".join(map(repr, sheets[:SHOWN_SHEETS]))
    return f" (of {len(sheets)}: {names}{', ...' if len(sheets) > SHOWN_SHEETS else ''})"


def _number_words(reading: FileReading) -> list[str]:
    """How numbers are written."""
    parts = [DECIMALS[","]] if reading.decimal == "," else []
    if reading.thousands:
        parts.append(f"thousands marked by {_SPACES.get(reading.thousands, repr(reading.thousands))}")
    if reading.money:
        parts.append(f"numbers written with {' '.join(signs_of(reading.money))}")
    if reading.minus:
        looks = {TYPOGRAPHIC: f"{TYPOGRAPHIC}12", BRACKETS: "(12)"}
        shown = " or ".join(look for mark, look in looks.items() if mark in reading.minus)
        parts.append(f"numbers below zero written {shown}")
    return parts


def _header_words(header: str | None) -> list[str]:
    if header == NO_NAMES:
        return ["no line of names"]
    lines = header_lines(header)
    if lines is None:
        return []
    return [
        f"names in line {lines.stop}"
        if len(lines) == 1
        else f"names in lines {lines.start + 1} to {lines.stop}"
    ]


def _codec(name: str) -> str:
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        raise SourceError(
            "The encoding {name!r} is not known; name one such as utf-8, cp1252, latin-1 or utf-16.",
            name=name,
        ) from None
    if not getattr(codec, "_is_text_encoding", True):
        raise SourceError(
            "The encoding {name!r} is not one of texts; name one such as utf-8, cp1252, latin-1 or utf-16.",
            name=name,
        )
    return "utf-8" if codec.name == "ascii" else codec.name


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN_SHEETS} more" if len(names) > SHOWN_SHEETS else ""
    return ", ".join(map(repr, names[:SHOWN_SHEETS])) + more


def _check(reading: FileReading) -> None:
    mark = reading.delimiter
    if mark is not None and (len(mark) != 1 or mark.isalnum() or mark in '"\r\n.-' or ord(mark) > 127):
        raise SourceError(
            "The delimiter {mark!r} cannot separate values; use a comma, semicolon, tab, bar or blanks.",
            mark=mark,
        )
    if reading.decimal is not None and reading.decimal not in DECIMALS:
        raise SourceError(
            "The decimal mark {mark!r} is not known; it must be a point or a comma.", mark=reading.decimal
        )
    if reading.thousands is not None and reading.thousands not in THOUSANDS:
        raise SourceError(
            "The thousands mark {mark!r} is not known; use a point, a comma, a space or 'none'.",
            mark=reading.thousands,
        )
    if reading.lines not in (None, *LINE_ENDS) or reading.quotes not in (None, "", TEXTS):
        raise SourceError(
            "The line end {lines!r} or the quoting {quotes!r} is not known; lines end with CRLF, LF or CR, "
            "and the quoting is 'texts' or empty.",
            lines=reading.lines or "",
            quotes=reading.quotes or "",
        )
    if reading.header not in (None, NAMES, NO_NAMES) and header_lines(reading.header) is None:
        raise SourceError(
            "The lines that name the columns ('header') can be 'names' for the first, 'none', one up to "
            "{last} such as '2', or several such as '1-2', not {header!r}; say which they are.",
            header=reading.header,
            last=LAST_LINE,
        )
    if reading.footer is not None and not re.fullmatch(r"\d{1,2}", reading.footer, re.ASCII):
        raise SourceError(
            "The lines below the table ('footer') can be a number from 0 to 99, not {footer!r}; say how many "
            "of the last lines that hold something are no rows.",
            footer=reading.footer,
        )
    if not all(re.fullmatch(UNIT_WORD, sign) for sign in signs_of(reading.money or "")):
        raise SourceError(
            "The sign beside amounts {signs!r} is not known; use €, $, £, ¥, %, several of them, a unit such "
            "as kg, or 'none'.",
            signs=reading.money,
        )
    if reading.minus not in (None, "", TYPOGRAPHIC, BRACKETS, TYPOGRAPHIC + BRACKETS):
        raise SourceError(
            "The way {minus!r} of telling numbers below zero is not known; use {known}, or 'none'; a hyphen "
            "is always read.",
            minus=reading.minus,
            known=f"{TYPOGRAPHIC}, {BRACKETS}",
        )
    if reading.thousands and reading.thousands == (reading.decimal or "."):
        raise SourceError(
            "{mark!r} cannot mark both decimals and thousands; give one of them another mark.",
            mark=reading.thousands,
        )
