"""Pages for readers: one self-contained HTML file each, without a script or a request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { border: 1px solid #8886; padding: .35rem .6rem; text-align: left; vertical-align: top; }
th { background: #8882; } code { overflow-wrap: anywhere; }
.watermark { border: 3px solid #b45309; padding: .6rem 1rem; font-weight: 700; }
"""


def page(title: str, body: Iterable[str], *, watermark: str = "") -> str:
    """Give a page. The parts of the body are HTML; title and watermark are text."""
    banner = f'<p class="watermark" role="note">{escape(watermark)}</p>' if watermark else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src '
        "'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n{banner}\n" + "\n".join(body) + "\n</main>\n</body>\n</html>\n"
    )


def heading(text: str) -> str:
    """A heading of a section."""
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str) -> str:
    """A paragraph."""
    return f"<p>{escape(text)}</p>"


def bullets(items: Iterable[str]) -> str:
    """A list."""
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def table(header: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = "") -> str:
    """A table; every cell is text."""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>\n" for row in rows
    )
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"
