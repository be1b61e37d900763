"""The figures that several pages share, and what all figures have in common."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from pages.components.palette import palette

BAR_HEIGHT = 26


def safe(text: object, longest: int = 40) -> str:
    """Write a foreign text into a figure: plotly would read its markup."""
    short = str(text)
    if len(short) > longest:
        short = short[: longest - 1] + "…"
    return html.escape(short, quote=False)


def figure(height: int, **layout: Any) -> go.Figure:
    """An empty figure in the reader's theme."""
    look = palette()
    base: dict[str, Any] = {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 28, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": look.text, "size": 13},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0},
        "hoverlabel": {"font": {"size": 13}},
        "dragmode": False,
    }
    drawn = go.Figure(layout=base | layout)
    drawn.update_xaxes(automargin=True, gridcolor=look.line, zerolinecolor=look.line, linecolor=look.line)
    drawn.update_yaxes(automargin=True, gridcolor=look.line, zerolinecolor=look.line, linecolor=look.line)
    return drawn


def stacked_bar(names: Sequence[str], rows: dict[str, Sequence[float]], *, unit: str) -> go.Figure:
    """One or several bars cut into named parts, the part's value written on it.

    Args:
        names: Names of the parts.
        rows: For each bar its parts.
        unit: Title of the axis.
    """
    look = palette()
    legend = {"orientation": "h", "traceorder": "normal", "y": -0.9 / len(rows), "yanchor": "top", "x": 0.0}
    drawn = figure(150 + 46 * len(rows), barmode="stack", xaxis_title=unit, legend=legend)
    shapes = ("", "/", ".", "x", "-")
    for i, name in enumerate(names):
        values = [parts[i] for parts in rows.values()]
        drawn.add_bar(
            y=[safe(row) for row in rows],
            x=values,
            name=safe(name),
            orientation="h",
            visible=True if any(values) else "legendonly",
            showlegend=any(values),
            marker={
                "color": look.of(i),
                "pattern": {
                    "shape": shapes[i % len(shapes)],
                    "fgcolor": look.back,
                    "fgopacity": 0.45,
                    "fillmode": "overlay",
                    "size": 7,
                },
                "line": {"color": look.back, "width": 1},
            },
            hovertemplate="%{fullData.name}: %{x:.4g}<extra></extra>",
        )
    drawn.update_yaxes(autorange="reversed")
    return drawn


def bars(
    labels: Sequence[str],
    series: dict[str, Sequence[float]],
    *,
    unit: str,
    error: Sequence[float] | None = None,
    log: bool = False,
) -> go.Figure:
    """Horizontal bars, one group a label; several series differ by colour and by pattern.

    Args:
        labels: A label a group.
        series: Values by name of the series.
        unit: Title of the axis.
        error: Half-lengths of error bars of the first series.
        log: Draw the axis in powers of ten.
    """
    look = palette()
    step = BAR_HEIGHT if len(series) == 1 else 16 * len(series) + 8
    drawn = figure(80 + step * len(labels), barmode="group", xaxis_title=unit, bargap=0.25)
    for i, (name, values) in enumerate(series.items()):
        drawn.add_bar(
            y=[safe(label) for label in labels],
            x=list(values),
            name=safe(name),
            orientation="h",
            marker={
                "color": look.of(i),
                "pattern": {
                    "shape": "/" if i else "",
                    "fgcolor": look.back,
                    "fgopacity": 0.5,
                    "fillmode": "overlay",
                    "size": 6,
                },
            },
            error_x={"array": list(error), "color": look.soft} if error is not None and i == 0 else None,
            hovertemplate="%{y}: %{x:.4g}<extra>%{fullData.name}</extra>",
            showlegend=len(series) > 1,
        )
    drawn.update_yaxes(autorange="reversed", type="category")
    if log:
        drawn.update_xaxes(type="log")
    return drawn
