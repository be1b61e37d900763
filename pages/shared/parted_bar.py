"""One bar cut into named parts, as plain HTML: it is there at once, and its numbers are text."""

from __future__ import annotations

import html
from collections.abc import Sequence

from pages.shared.palette import Palette
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


def parted_bar(names: Sequence[str], values: Sequence[float], look: Palette) -> str:
    """Draw a bar whose parts are as long as their values, and below it each part's name and value.

    Args:
        names: Names of the parts.
        values: Their values, none negative; a part of zero is named but has no length.
        look: The theme's colours.
    """
    paints = [_paint(i, look) for i in range(len(names))]
    edge = f"min-width:2px;border-right:1px solid {look.back}"
    parts = "".join(
        f'<div style="flex:{value:.6g} 0 0;{edge};background:{paint}"></div>'
        for value, paint in zip(values, paints, strict=True)
        if value > 0
    )
    keys = "".join(
        '<li style="display:flex;align-items:center;gap:.45rem;margin:0">'
        f'<span aria-hidden="true" style="width:1rem;height:1rem;background:{paint}"></span>'
        f"<span>{html.escape(name)} <strong>{number(value)}</strong></span></li>"
        for name, value, paint in zip(names, values, paints, strict=True)
    )
    return (
        f'<div aria-hidden="true" style="display:flex;height:2.2rem;background:{look.line}">{parts}</div>'
        '<ul style="display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;list-style:none;margin:.6rem 0 0;padding:0">'
        f"{keys}</ul>"
    )


def _paint(place: int, look: Palette) -> str:
    pattern = PATTERNS[place % len(PATTERNS)].format(look.back)
    return f"{pattern} {look.of(place)}" if pattern else look.of(place)
