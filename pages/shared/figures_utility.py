"""The figures of the pages Utility and Compare, from plain values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from pages.shared.figures import (
    BAR_HEIGHT,
    axis_labels,
    bar_below,
    figure,
    lines_of,
    margins,
    room,
    safe,
    unit_below,
)
from pages.shared.palette import SYMBOLS, palette

MOST_NAMES = 80
"""Attributes up to which each has its name; of more, plotly writes as many as have room."""
NAMES_BELOW = 14
"""Upright names that fit side by side in a narrow window; of more plotly writes as many as have room."""
_BAR = 72
"""Height of the colour bar with its figures and its title."""
_CELL = 18


def difference_heatmap(names: Sequence[str], values: NDArray[np.float64], *, scale_title: str) -> go.Figure:
    """Dependence of every pair, synthetic less real: one end too weak, the other too strong.

    Args:
        names: Names of the attributes.
        values: The differences, shape (d, d).
        scale_title: Title of the colour scale.
    """
    look = palette()
    labels = axis_labels(names, 24)
    most = max(float(np.abs(values).max()), 1e-6)
    shown = values.astype(float).copy()
    np.fill_diagonal(shown, np.nan)
    size = 11 if len(labels) > 30 else 12
    space, inside = room(labels, size), max(200, _CELL * len(labels))
    ticks: dict[str, Any] = {"showgrid": False, "automargin": False}
    beside, below = ({"dtick": 1} if len(labels) <= most else {} for most in (MOST_NAMES, NAMES_BELOW))
    matrix = {
        "type": "heatmap",
        "x": labels,
        "y": labels,
        "z": shown,
        "zmin": -most,
        "zmax": most,
        "colorscale": [list(stop) for stop in look.diverging],
        "colorbar": bar_below(safe(scale_title), -(space + 8) / inside),
        "text": _signs(shown, most),
        "texttemplate": "%{text}",
        "textfont": {"size": 11},
        "hovertemplate": "%{y}, %{x}: %{z:+.3f}<extra></extra>",
        "hoverongaps": False,
    }
    return figure(
        30 + inside + space + _BAR,
        [matrix],
        # slanted names need wider cells than a phone has
        x=ticks | below | {"type": "category", "tickangle": -90},
        y=ticks | beside | {"type": "category", "autorange": "reversed"},
        font={"color": look.text, "size": size},
        margin={"l": space, "r": 8, "t": 30, "b": space + _BAR},
    )


def _signs(values: NDArray[np.float64], most: float) -> list[list[str]]:
    """A sign on the cells that stand out, so that the direction does not rest on colour."""
    return [
        ["" if np.isnan(value) or abs(value) < most / 4 else "+" if value > 0 else "−" for value in row]
        for row in values
    ]


def protected_bars(
    labels: Sequence[str],
    values: Sequence[float],
    spreads: Sequence[float],
    protected: Sequence[bool],
    *,
    names: tuple[str, str],
    unit: str,
) -> go.Figure:
    """Error by method; a method without a full guarantee is hollow and hatched.

    Args:
        labels: Name of each method.
        values: Its mean error.
        spreads: Half the range of its runs.
        protected: Whether its output carries a guarantee.
        names: What is said of those that do, and of those that do not.
        unit: Title of the axis.
    """
    look = palette()
    broken = [lines_of(label) for label in labels]
    order = ["<br>".join(safe(line, 60) for line in lines) for lines in broken]
    step = max([BAR_HEIGHT, *(17 * len(lines) + 4 for lines in broken)])
    drawn = figure(
        130 + step * len(labels),
        barmode="overlay",
        bargap=0.25,
        x={"automargin": False, "rangemode": "tozero", "nticks": 6, "tickangle": 0, "showgrid": True},
        annotations=[unit_below(unit)],
        margin=margins([line for lines in broken for line in lines]),
    )
    for full, name, colour in ((True, names[0], look.main), (False, names[1], look.other)):
        kept = [i for i, carries in enumerate(protected) if carries is full]
        drawn.add_bar(
            y=[order[i] for i in kept],
            x=[values[i] for i in kept],
            name=name,
            orientation="h",
            marker={
                "color": colour if full else "rgba(0,0,0,0)",
                "line": {"color": colour, "width": 1.5},
                "pattern": {"shape": "" if full else "/", "fgcolor": colour, "size": 7},
            },
            error_x={"array": [spreads[i] for i in kept], "color": look.soft},
            hovertemplate="%{y}: %{x:.4g}<extra></extra>",
        )
    return drawn.update_yaxes(
        autorange="reversed",
        type="category",
        categoryorder="array",
        categoryarray=order,
        showgrid=False,
        automargin=False,
    )


def tradeoff(
    series: dict[str, tuple[Sequence[float], Sequence[float], Sequence[float]]],
    *,
    axes: tuple[str, str],
    log: bool,
    here: float | None = None,
    here_name: str = "",
) -> go.Figure:
    """Error against epsilon or k: a mark and its range for each point, joined by lines.

    Args:
        series: For each curve its places, means and half ranges.
        axes: Titles of both axes.
        log: Draw the horizontal axis in powers of ten.
        here: The plan's own place.
        here_name: What it is called.
    """
    look = palette()
    drawn = figure(400, xaxis_title=axes[0], yaxis_title=axes[1])
    for i, (name, (x, y, spread)) in enumerate(series.items()):
        drawn.add_scatter(
            x=list(x),
            y=list(y),
            name=safe(name),
            mode="lines+markers",
            line={"color": look.of(i), "width": 2, "dash": ("solid", "dash", "dot")[i % 3]},
            marker={"symbol": SYMBOLS[i % len(SYMBOLS)], "size": 9, "color": look.of(i)},
            error_y={"array": list(spread), "color": look.soft},
            hovertemplate="%{x:.3g}: %{y:.4f}<extra>%{fullData.name}</extra>",
        )
    if here is not None:
        drawn.add_vline(x=here, line={"color": look.other, "width": 2, "dash": "dash"})
        place = math.log10(here) if log else here  # plotly puts words of a log axis by their exponent
        drawn.add_annotation(
            x=place,
            y=1,
            yref="paper",
            text=here_name,
            showarrow=False,
            xanchor="left",
            yanchor="top",
            xshift=6,
        )
    drawn.update_yaxes(rangemode="tozero")
    if log:
        drawn.update_xaxes(type="log")
        ticks = sorted({value for x, _, _ in series.values() for value in x})
        drawn.update_xaxes(tickvals=ticks, ticktext=[f"{value:g}" for value in ticks])
    else:
        drawn.update_xaxes(dtick=1)
    return drawn
