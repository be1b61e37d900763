"""Figures of the page Risk weights."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from pages.components.charts import BAR_HEIGHT, figure, safe
from pages.components.palette import palette


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
    drawn = figure(90 + BAR_HEIGHT * len(labels), xaxis_title=unit)
    ways_x: list[float | None] = []
    ways_y: list[float | None] = []
    for place, a, b in zip(places, uniform, weighted, strict=True):
        ways_x += [a, b, None]
        ways_y += [place, place, None]
    drawn.add_scatter(
        x=ways_x,
        y=ways_y,
        mode="lines",
        line={"color": look.line, "width": 3},
        hoverinfo="skip",
        showlegend=False,
    )
    looks = (
        {"symbol": "circle-open", "size": 11, "color": look.other, "line": {"width": 2}},
        {"symbol": "diamond", "size": 11, "color": look.main},
    )
    for name, values, marker in zip(names, (uniform, weighted), looks, strict=True):
        drawn.add_scatter(
            x=list(values),
            y=places,
            mode="markers",
            name=safe(name),
            marker=marker,
            customdata=[safe(label) for label in labels],
            hovertemplate="%{customdata}: %{x:.4g}<extra>%{fullData.name}</extra>",
        )
    drawn.update_yaxes(
        tickvals=places,
        ticktext=[safe(label, 26) for label in labels],
        range=[len(labels) - 0.4, -0.6],
        showgrid=False,
    )
    drawn.update_xaxes(rangemode="tozero")
    return drawn
