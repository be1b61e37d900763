"""The handout: one page about a release for one kind of reader, as HTML and as PDF."""

from __future__ import annotations

from dataclasses import dataclass

from hmpb_core.report.figures import COLOURS, TEMPLATES, Figure
from hmpb_core.report.html import templates_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a handout.

    Attributes:
        heading: Its heading.
        paragraphs: Its text, in plain sentences.
        figure: A figure below the text.
        table: Rows of cells, the first row the headings.
    """

    heading: str
    paragraphs: tuple[str, ...] = ()
    figure: Figure | None = None
    table: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Handout:
    """One page for one kind of reader. Everything in it is text: nothing is markup.

    Attributes:
        language: Code of its language.
        title: Its title.
        lead: What to take away, in one or two sentences.
        sections: Its parts.
        footer: The promise in full: epsilon, delta, per whom, neighbours.
    """

    language: str
    title: str
    lead: str
    sections: tuple[Section, ...]
    footer: str


def to_html(handout: Handout) -> str:
    """Give a handout as one HTML file: no script, nothing fetched, every text escaped."""
    return templates_in(TEMPLATES).get_template("handout.html.j2").render(handout=handout, **COLOURS)
