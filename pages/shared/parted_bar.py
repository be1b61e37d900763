"""One bar cut into named parts, as plain HTML: it is there at once, and its numbers are text."""

from __future__ import annotations

from collections.abc import Sequence

from pages.shared.palette import Palette
from pages.words.assets import template
from pages.words.catalogue import number

PATTERNS = (
    "",
    "repeating-linear-gradient(45deg, {0} 0 1px, transparent 1px 7px)",
    "radial-gradient({0} 1.2px, transparent 1.6px) 0 0/8px 8px",
    "repeating-linear-gradient(45deg, {0} 0 1px, transparent 1px 6px),"
    "repeating-linear-gradient(-45deg, {0} 0 1px, transparent 1px 6px)",
    "repeating-linear-gradient(90deg, {0} 0 1px, transparent 1px 6px)",
)
"""Parts differ by pattern as well as by colour."""
PART_DIGITS = 6
"""Digits of what has to add up: with fewer, parts of a limit of 0.9 come to 0.89998."""


def parted_bar(names: Sequence[str], values: Sequence[float], look: Palette) -> str:
    """Draw a bar whose parts are as long as their values, and below it each part's name and value.

    Args:
        names: Names of the parts.
        values: Their values, none negative; a part of zero is named but has no length.
        look: The theme's colours.
    """
    parts = [
        {"name": name, "value": value, "shown": number(value, PART_DIGITS), "paint": _paint(place, look)}
        for place, (name, value) in enumerate(zip(names, values, strict=True))
    ]
    return template("parted_bar.html.j2").render(parts=parts, look=look)


def _paint(place: int, look: Palette) -> str:
    pattern = PATTERNS[place % len(PATTERNS)].format(look.back)
    return f"{pattern} {look.of(place)}" if pattern else look.of(place)
