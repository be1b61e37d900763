"""The handout: one page about a release for one kind of reader, as HTML and as PDF."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from hmpb_core.report.figures import Figure, to_svg

_STYLE = """
:root{color-scheme:light}
body{font:11pt/1.5 system-ui,-apple-system,"Segoe UI","Noto Sans","Noto Sans CJK SC","PingFang SC",
"Microsoft YaHei",sans-serif;color:#12181c;background:#fff;max-width:46rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.05rem;margin:1.25rem 0 .25rem}
p{margin:.35rem 0}
.lead{font-size:1.1rem}
svg{max-width:100%;height:auto;margin:.5rem 0}
table{border-collapse:collapse;margin:.5rem 0;width:100%}
th,td{border-bottom:1px solid #7c898f;padding:.25rem .5rem .25rem 0;text-align:left;vertical-align:top}
footer{border-top:1px solid #7c898f;margin-top:1.25rem;padding-top:.5rem;font-size:.85rem;color:#3d484e}
@media print{body{margin:0 auto;font-size:10pt}@page{size:A4;margin:16mm}}
"""


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
    parts = "".join(_section(section) for section in handout.sections)
    return (
        f'<!doctype html>\n<html lang="{escape(handout.language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(handout.title)}</title><style>{_STYLE}</style></head>"
        f'<body><main><h1>{escape(handout.title)}</h1><p class="lead">{escape(handout.lead)}</p>'
        f"{parts}</main><footer><p>{escape(handout.footer)}</p></footer></body></html>\n"
    )


def _section(section: Section) -> str:
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in section.paragraphs)
    figure = to_svg(section.figure) if section.figure else ""
    return (
        f"<section><h2>{escape(section.heading)}</h2>{text}{figure}{_table(section.table, section.heading)}"
        "</section>"
    )


def _table(rows: tuple[tuple[str, ...], ...], caption: str) -> str:
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:])
    return (
        f'<table aria-label="{escape(caption)}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )
