"""Figures of the page Risk weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from pages.shared.figures import BAR_HEIGHT, figure, margins, safe
from pages.shared.palette import palette


def dumbbells(
    labels: Sequence[str],
    uniform: Sequence[float],
    weighted: Sequence[float],
    *,
    names: tuple[str, str],
    unit: str,
) -> go.Figure:
    """Two marks a line: a ring for uniform noise, a filled mark for the risk weights, and the way between.

    Args:
        labels: One a line.
        uniform: Values under uniform noise.
        weighted: Values under the risk weights.
        names: What the two marks are called.
        unit: Title of the axis.
    """
    look = palette()
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
            "hovertemplate": "%{customdata}: %{x:.4g}<extra>%{fullData.name}</extra>",
        }
        for name, values, marker in zip(names, (uniform, weighted), looks, strict=True)
    ]
    shown = [safe(label, 26) for label in labels]
    return figure(
        90 + BAR_HEIGHT * len(labels),
        traces,
        x={"title": {"text": unit}, "rangemode": "tozero", "automargin": False},
        y={
            "tickvals": places,
            "ticktext": shown,
            "range": [len(labels) - 0.4, -0.6],
            "showgrid": False,
            "automargin": False,
        },
        margin=margins(shown),
    )
