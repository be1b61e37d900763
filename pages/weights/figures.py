"""Figures of the page Risk weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import plotly.graph_objects as go

from pages.shared.figures import BAR_HEIGHT, figure, letters_beside, margins, safe, unit_below
from pages.shared.palette import palette
from pages.words.catalogue import with_percent

Line = TypeVar("Line")
MOST_LINES = 24
LEAST_REACH = 0.1
"""How far the axis reaches at least on either side of 100 %: a shift of a hundredth must not look large."""


def both_ends(lines: Sequence[Line]) -> list[Line]:
    """Those lines of an order that are drawn: half from each end where they are too many.

    Of one end alone every mark may lie on the same side, and the largest share, which a sentence names, is
    not in the figure.
    """
    half = MOST_LINES // 2
    return list(lines) if len(lines) <= MOST_LINES else [*lines[:half], *lines[-half:]]


def dumbbells(
    labels: Sequence[str],
    ratios: Sequence[float],
    *,
    names: tuple[str, str],
    unit: str,
) -> go.Figure:
    """Two marks a line: a ring at 100 % for uniform noise, a filled mark for the risk weights.

    Both are shown over the value under uniform noise: the values themselves differ by far more from one
    attribute to the next than by their weights, so that the shift could not be seen.

    Args:
        labels: One a line.
        ratios: Values under the risk weights over those under uniform noise.
        names: What the two marks are called.
        unit: Title of the axis.
    """
    look = palette()
    uniform, weighted = [100.0] * len(labels), [100 * ratio for ratio in ratios]
    reach = 1.15 * max([LEAST_REACH, *(abs(ratio - 1) for ratio in ratios)])
    ticks = _three_ticks(100 * reach)
    places = list(range(len(labels)))
    ways_x: list[float | None] = []
    ways_y: list[float | None] = []
    for place, a, b in zip(places, uniform, weighted, strict=True):
        ways_x += [a, b, None]
        ways_y += [place, place, None]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": ways_x,
            "y": ways_y,
            "mode": "lines",
            "line": {"color": look.line, "width": 3},
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]
    looks = (
        {"symbol": "circle-open", "size": 11, "color": look.other, "line": {"width": 2}},
        {"symbol": "diamond", "size": 11, "color": look.main},
    )
    traces += [
        {
            "type": "scatter",
            "x": list(values),
            "y": places,
            "mode": "markers",
            "name": safe(name),
            "marker": marker,
            "customdata": [safe(label) for label in labels],
            "hovertemplate": "%{customdata}: " + with_percent("%{x:.1f}") + "<extra>%{fullData.name}</extra>",
        }
        for name, values, marker in zip(names, (uniform, weighted), looks, strict=True)
    ]
    letters = letters_beside(labels, 26)
    shown = [safe(label, letters) for label in labels]
    return figure(
        90 + BAR_HEIGHT * len(labels),
        traces,
        x={
            "range": [max(0.0, 100 * (1 - reach)), 100 * (1 + reach)],
            "tickvals": ticks,
            "ticktext": [with_percent(f"{tick:g}") for tick in ticks],  # a suffix is left out beside places
            "tickangle": 0,
            "showgrid": True,
            "automargin": False,
        },
        annotations=[unit_below(unit)],
        y={
            "tickvals": places,
            "ticktext": shown,
            "range": [len(labels) - 0.4, -0.6],
            "showgrid": False,
            "zeroline": False,
            "automargin": False,
        },
        margin=margins(shown) | {"r": 26},  # the last tick stands at the end of the axis
    )


def _three_ticks(reach: float) -> list[float]:
    """An even share and a round step to both sides: in a narrow window more ticks lie under the title."""
    power = 10.0 ** math.floor(math.log10(reach))
    step = max(of * power for of in (1, 2, 5) if of * power <= reach)
    return [100 - step, 100, 100 + step]
