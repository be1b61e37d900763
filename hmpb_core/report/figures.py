"""Figures of the handout as plain shapes, drawn once as SVG (templates/figure.svg.j2) and once in the PDF.

Full and hollow marks tell yes from no, so that nothing rests on colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from hmpb_core.report.html import templates_in

Anchor = Literal["start", "middle", "end"]
INK = "#12181c"
TEAL = "#1f6f78"
FAINT = "#7c898f"
COLOURS = {"ink": INK, "teal": TEAL, "faint": FAINT}
TEMPLATES = Path(__file__).parent / "templates"
LABEL_ROOM = 200.0
"""Width that the words above a grid may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A circle, full or hollow."""

    kind: ClassVar[str] = "dot"
    x: float
    y: float
    radius: float
    full: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A rectangle from its upper left corner, full, hatched or hollow."""

    kind: ClassVar[str] = "bar"
    x: float
    y: float
    width: float
    height: float
    fill: Literal["full", "hatched", "hollow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A line of text; y is its baseline."""

    kind: ClassVar[str] = "words"
    x: float
    y: float
    text: str
    size: float = 10.0
    anchor: Anchor = "start"
    bold: bool = False


Shape = Dot | Bar | Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Shapes on a canvas, and what they show in words."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    description: str


def twin_icons(
    *, without: int, with_person: int, of: int, labels: tuple[str, str], description: str
) -> Figure:
    """Two grids with one denominator: 100 dots in tens, or 1,000 in rows of forty.

    Args:
        without: Full dots of the first grid.
        with_person: Full dots of the second.
        of: Dots in each grid: 100 or 1000.
        labels: What each grid counts, numbers written out.
        description: The figure in words.
    """
    across, step, radius = (10, 16.0, 5.5) if of == 100 else (40, 6.2, 2.2)
    side = max(across * step, LABEL_ROOM)
    shapes: list[Shape] = []
    for place, (count, label) in enumerate(zip((without, with_person), labels, strict=True)):
        left = place * (side + 30)
        shapes.append(Words(x=left, y=11, text=label, size=10, bold=True))
        shapes += [
            Dot(
                x=left + (i % across + 0.5) * step,
                y=20 + (i // across + 0.5) * step,
                radius=radius,
                full=i < count,
            )
            for i in range(of)
        ]
    height = 22 + -(-of // across) * step
    return Figure(width=2 * side + 30, height=height, shapes=tuple(shapes), description=description)


def gauge(*, accuracy: float, labels: tuple[str, str, str], description: str, beyond: float = 0.95) -> Figure:
    """A scale from 50 % (a coin) to 100 %, full up to the ceiling, hatched beyond ``beyond``.

    Args:
        accuracy: The ceiling.
        labels: At 50 %, at the ceiling, and at the hatched part.
        description: The figure in words.
        beyond: Where the ceiling stops to reassure.
    """
    width, left, top = 400.0, 4.0, 22.0

    def at(value: float) -> float:
        return left + width * (min(max(value, 0.5), 1.0) - 0.5) / 0.5

    needle = at(accuracy)
    needle_anchor: Anchor = "start" if accuracy < 0.6 else "end" if accuracy > 0.9 else "middle"
    shapes: tuple[Shape, ...] = (
        Bar(x=left, y=top, width=width, height=18, fill="hollow"),
        Bar(x=at(beyond), y=top, width=at(1.0) - at(beyond), height=18, fill="hatched"),
        Bar(x=left, y=top + 4, width=max(needle - left, 0.5), height=10, fill="full"),
        Words(x=needle, y=top - 7, text=labels[1], size=11, anchor=needle_anchor, bold=True),
        Words(x=left, y=top + 33, text=labels[0], size=9),
        Words(x=left + width, y=top + 33, text=labels[2], size=9, anchor="end"),
    )
    return Figure(width=width + 8, height=top + 40, shapes=shapes, description=description)


def to_svg(figure: Figure) -> str:
    """Draw a figure as SVG. All text is escaped."""
    return templates_in(TEMPLATES).get_template("figure.svg.j2").render(figure=figure, **COLOURS)
