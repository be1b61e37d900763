"""The handout as a PDF of one A4 page."""

from __future__ import annotations

import io
import re
import unicodedata
from contextlib import suppress
from html import escape

from reportlab.graphics import shapes as drawn
from reportlab.lib import colors
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Flowable, KeepInFrame, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from hmpb_core.report.figures import FAINT, INK, TEAL, Bar, Dot, Figure, Words
from hmpb_core.report.handout import Handout, Section

CHINESE_FONT = "STSong-Light"
"""Every PDF reader brings its own face for this name, so no font file is needed."""

_RAISED = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_LETTERS = "±À-ÿ€‚ƒ„†‡ˆŠ‹ŒŽ•˜™š›œžŸ"
"""What stands in the Latin face beside ASCII: the letters of Windows-1252, and what GBK lacks of it."""
_LATIN = re.compile(f"[!-~{_LETTERS}](?:[ -~{_LETTERS}]*[!-~{_LETTERS}])?")
_BARE = str.maketrans("ŁłĐđĦħŦŧŊŋĿŀıſƏə", "LlDdHhTtNnLlisEe")
"""Letters whose strokes and dots are no marks of their own, without them."""
_MARGIN = 18 * mm
_WIDTH = A4[0] - 2 * _MARGIN


def to_pdf(handout: Handout) -> bytes:
    """Give a handout as a PDF. What does not fit on one page is made smaller, never cut off."""
    pdfmetrics.registerFont(UnicodeCIDFont(CHINESE_FONT))
    story: list[Flowable] = [
        _paragraph(handout.title, size=17, bold=True),
        Spacer(1, 6),
        _paragraph(handout.lead, size=11.5),
    ]
    for section in handout.sections:
        story += _section(section)
    story += [Spacer(1, 10), _paragraph(handout.footer, size=8.5)]
    page = KeepInFrame(_WIDTH, A4[1] - 2 * _MARGIN - 12, story, mode="shrink")
    target = io.BytesIO()
    SimpleDocTemplate(
        target,
        pagesize=A4,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN,
        title=handout.title,
        author="",
        lang=handout.language,
        invariant=1,
    ).build([page])
    return target.getvalue()


def _printable(text: str) -> str:
    """The text in letters that one of the two faces has: of others the nearest, with all marks it can have.

    Neither face has Ł, which would be an empty box. What has no such letter stays.
    """
    return "".join(c if _is_printed(c) else _nearest(c) for c in unicodedata.normalize("NFC", text))


def _nearest(character: str) -> str:
    parts = unicodedata.normalize("NFD", character).translate(_BARE)
    shorter = (unicodedata.normalize("NFC", parts[:end]) for end in range(len(parts), 0, -1))
    return next((letter for letter in shorter if _is_printed(letter)), character)


def _is_printed(character: str) -> bool:
    """Whether a face has it: the Latin one what Windows-1252 has, the Chinese one what GBK has."""
    if _RAISED.fullmatch(character):
        return True
    for encoding in ("cp1252", "gbk"):
        with suppress(UnicodeEncodeError):
            return bool(character.encode(encoding))
    return False


def _face(text: str, *, bold: bool = False) -> str:
    """The built-in Latin face where it has every letter, else the Chinese one."""
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return CHINESE_FONT
    return "Helvetica-Bold" if bold else "Helvetica"


def _raised(digits: re.Match[str]) -> str:
    """Powers as the built-in faces can print them: raised digits are not in every face."""
    return f"<super>{digits[0].translate(_LOWERED)}</super>"


def _paragraph(text: str, *, size: float, bold: bool = False) -> Paragraph:
    text = _printable(text)
    face = _face(_RAISED.sub("", text), bold=bold)
    style = ParagraphStyle(
        name="text",
        fontName=face,
        fontSize=size,
        leading=size * 1.4,
        textColor=colors.HexColor(INK),
        alignment=TA_LEFT,
        wordWrap="CJK" if face == CHINESE_FONT else None,
        spaceAfter=2,
    )
    marked = escape(text, quote=False)
    if face == CHINESE_FONT:  # its own Latin letters are narrow, and stand beside others in a table
        marked = _LATIN.sub(lambda found: f'<font name="Helvetica">{found[0]}</font>', marked)
    return Paragraph(_RAISED.sub(_raised, marked), style)


def _section(section: Section) -> list[Flowable]:
    story: list[Flowable] = [Spacer(1, 8), _paragraph(section.heading, size=12, bold=True)]
    story += [_paragraph(text, size=10) for text in section.paragraphs]
    if section.figure:
        story += [Spacer(1, 4), _drawing(section.figure)]
    if section.table:
        story += [Spacer(1, 4), _table(section.table)]
    return story


def _table(rows: tuple[tuple[str, ...], ...]) -> Table:
    cells = [[_paragraph(cell, size=9, bold=not place) for cell in row] for place, row in enumerate(rows)]
    table = Table(cells, colWidths=[_WIDTH / len(rows[0])] * len(rows[0]), hAlign="LEFT")
    table.setStyle(
        TableStyle(
            [
                ("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.HexColor(FAINT)),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LEFTPADDING", (0, 0), (-1, -1), 0),
                ("TOPPADDING", (0, 0), (-1, -1), 2),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
            ]
        )
    )
    return table


def _drawing(figure: Figure) -> drawn.Drawing:
    scale = min(1.0, _WIDTH / figure.width)
    drawing = drawn.Drawing(figure.width * scale, figure.height * scale)
    group = drawn.Group(transform=(scale, 0, 0, scale, 0, 0))
    for shape in figure.shapes:
        if isinstance(shape, Dot):
            group.add(_dot(shape, figure.height))
        elif isinstance(shape, Bar):
            for part in _bar(shape, figure.height):
                group.add(part)
        else:
            group.add(_words(shape, figure.height))
    drawing.add(group)
    return drawing


def _dot(dot: Dot, height: float) -> drawn.Circle:
    ink = colors.HexColor(TEAL if dot.full else FAINT)
    return drawn.Circle(
        dot.x,
        height - dot.y,
        dot.radius,
        fillColor=ink if dot.full else None,
        strokeColor=ink,
        strokeWidth=0.2 * dot.radius,
    )


def _bar(bar: Bar, height: float) -> list[drawn.Shape]:
    bottom = height - bar.y - bar.height
    faint = colors.HexColor(FAINT)
    fill = colors.HexColor(TEAL) if bar.fill == "full" else None
    parts: list[drawn.Shape] = [
        drawn.Rect(bar.x, bottom, bar.width, bar.height, fillColor=fill, strokeColor=faint, strokeWidth=1)
    ]
    if bar.fill == "hatched":
        place = 4.0
        while place < bar.width:
            parts.append(
                drawn.Line(bar.x + place, bottom, bar.x + place - 4, bottom + bar.height, strokeColor=faint)
            )
            place += 5
    return parts


def _words(words: Words, height: float) -> drawn.String:
    text = _printable(words.text)
    return drawn.String(
        words.x,
        height - words.y,
        text,
        fontName=_face(text, bold=words.bold),
        fontSize=words.size,
        textAnchor=words.anchor,
        fillColor=colors.HexColor(INK),
    )
