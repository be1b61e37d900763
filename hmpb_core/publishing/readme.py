"""The first page a reader of a bundle opens."""

from __future__ import annotations

from collections.abc import Mapping

from hmpb_core.catalogue import Words
from hmpb_core.dialect import LINE_ENDS, UTF8_WITH_MARK, CsvDialect
from hmpb_core.publishing.page import page_of
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.publishing.tables import CsvForm
from hmpb_core.publishing.words.catalogue import ENGLISH
from hmpb_core.publishing.zones import Zone


def readme_page(record: ReleaseRecord, zones: Mapping[str, Zone]) -> str:
    """Give the page.

    Args:
        record: What is to be said.
        zones: The zone of each file of the bundle.
    """
    words = record.words
    files = [(path, _what(path, words), words(f"zone.{zone}")) for path, zone in zones.items()]
    return page_of(
        "readme.html.j2",
        record,
        files=files,
        learned="model/values.json" in zones,
        dialect=dialect_words(CsvForm.of(record.codebook).dialect, words),
    )


def dialect_words(dialect: CsvDialect, words: Words = ENGLISH) -> str:
    """Say what csv files are written with.

    Example:
        >>> dialect_words(CsvDialect(delimiter=";", decimal=",", encoding="cp1252"))
        'semicolons, decimal comma, cp1252'
    """
    mark = dialect.delimiter
    return words("list.comma").join(
        [
            words(f"csv.{mark}") if words.has(f"csv.{mark}") else words("csv.other", mark=mark),
            words("csv.decimal_comma" if dialect.decimal == "," else "csv.decimal_point"),
            {"utf-8": "UTF-8", UTF8_WITH_MARK: words("csv.marked")}.get(dialect.encoding, dialect.encoding),
            *([words("csv.ends", end=LINE_ENDS[dialect.lines])] if dialect.lines != "\n" else []),
            *([words("csv.quotes")] if dialect.quotes else []),
        ]
    )


def _what(path: str, words: Words) -> str:
    """What a file is: by the longest beginning of its path that the catalogue knows."""
    plain = path.removeprefix("rehearsal-")
    ends = range(len(plain), 0, -1)
    return next((words(key) for end in ends if words.has(key := f"files.{plain[:end]}")), "")
