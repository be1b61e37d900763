"""What a report is made of: sections of sentences, pictures and tables, all as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hmpb_core.catalogue import Words
from hmpb_core.utility.charts import BarPair, bars
from hmpb_core.utility.conclusion import times_text


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A table.

    Attributes:
        label: What it shows.
        head: Headings.
        rows: Rows of cells; the first cell names its row.
        words: Number of first columns that hold words and not numbers.
    """

    label: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterPart:
    """A picture and what it shows, a table, or both, under a heading of their own where they have one."""

    heading: str = ""
    picture: str = ""
    caption: str = ""
    table: ReportTable | None = None

    @classmethod
    def of_bars(cls, key: str, lines: Sequence[BarPair], description: str) -> ChapterPart:
        """Give a chart of bars with its caption."""
        return cls(picture=bars(key, lines, description), caption=description)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A part of the report.

    Attributes:
        key: Names it on its page.
        title: Its heading.
        paragraphs: Sentences before its parts.
        parts: Pictures and tables.
        notes: Sentences after them.
    """

    key: str
    title: str
    paragraphs: tuple[str, ...] = ()
    parts: tuple[ChapterPart, ...] = ()
    notes: tuple[str, ...] = ()


def percent(value: float | None, words: Words) -> str:
    """A share in percent, without the sign."""
    if value is None:
        return words("none")
    return f"{100 * value:.2f}" if abs(value) < 0.1 else f"{100 * value:.1f}"


def number(value: float | None, words: Words, digits: int = 3) -> str:
    """A number with so many decimals."""
    return words("none") if value is None or value != value else f"{value:.{digits}f}"  # noqa: PLR0124 - not-a-number


def multiple(value: float | None, words: Words) -> str:
    """A multiple of the second sample's figure."""
    return words("none") if value is None else times_text(value)


def share(value: float | None, words: Words) -> str:
    """A share of the rows, as a percentage with its sign."""
    if value is None:
        return words("none")
    if value < 1e-4:
        return words("below_one")
    return words("with_sign", figure=f"{100 * value:.2g}" if value < 0.1 else f"{100 * value:.0f}")


def rows_text(rows: int | None, least: int, words: Words) -> str:
    """A number of real rows that teach as much as the synthetic ones."""
    if rows is None:
        return words("none")
    return words("rows_under" if rows <= least else "rows_about", rows=f"{rows:,}")
