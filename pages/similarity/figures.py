"""Figures of the page Similarity: the noisy matrix with its noise band, and the eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from pages.shared.figures import axis_labels, bar_below, figure, lines_of, room, safe
from pages.shared.palette import palette

MOST_LABELS = 80
UPRIGHT = 12
"""Attributes from which on the names below stand upright: slanted ones need wider cells than a phone has."""
BAR = 72
"""Height of the colour bar with its figures and a title of one line."""
TITLE_LINE = 16
BAR_LETTERS = 22
"""Letters that a line of its title has room for in a narrow window."""


def heatmap(
    values: NDArray[np.float64],
    names: Sequence[str],
    groups: Sequence[int],
    noise: NDArray[np.bool_],
    *,
    unit: str,
    cluster: str,
) -> go.Figure:
    """The matrix in the order of its clusters; cells that noise alone could have made are hatched, as if 0.

    Args:
        values: Square array, ordered.
        names: Names in that order.
        groups: Cluster of each, in that order; empty where there are none.
        noise: Which cells noise alone could have made.
        unit: Title of the colour bar.
        cluster: Word for a cluster.
    """
    look = palette()
    d = len(names)
    shown = np.clip(values, 0.0, 1.0)
    np.fill_diagonal(shown, np.nan)
    # In the colour of their own values large noise would look like strong dependence.
    painted = np.where(noise & ~np.isnan(shown), 0.0, shown)
    labels = axis_labels(names, 24)
    title = lines_of(unit, BAR_LETTERS)  # in one line it would be cut off in a narrow window
    bar = BAR + TITLE_LINE * (len(title) - 1)
    top = (float(np.nanmax(painted)) or float(np.nanmax(shown))) if d > 1 else 1.0
    matrix = {
        "type": "heatmap",
        "x": labels,
        "z": painted.round(4).tolist(),
        "customdata": shown.round(4).tolist(),
        "colorscale": [list(step) for step in look.scale],
        "zmin": 0.0,
        "zmax": max(top, 1e-3),
        "hovertemplate": "%{y} × %{x}<br>%{customdata:.4f}<extra></extra>",
        "colorbar": bar_below("<br>".join(map(safe, title)), 0),
    }
    shapes: list[dict[str, Any]] = []
    if strokes := _hatching(noise):
        shapes.append({"type": "path", "path": strokes, "line": {"color": look.soft, "width": 0.8}})
    titles = []
    for label, first, last in _blocks(groups):
        low, high = first - 0.5, last + 0.5
        frame = {"type": "rect", "x0": low, "x1": high, "y0": low, "y1": high}
        shapes.append(frame | {"line": {"color": look.other, "width": 2}})
        titles.append(  # in the first cell, which is empty: above the frame it would hide another
            {
                "x": first,
                "y": first,
                "text": f"{label + 1}",
                "hovertext": f"{safe(cluster)} {label + 1}",
                "showarrow": False,
                "font": {"size": 11, "color": look.text},
            }
        )
    many = d > MOST_LABELS
    size = 11 if d > 30 else 12
    space = 8 if many else room(labels, size)
    upright = d > UPRIGHT
    below = space if many or upright else round(0.87 * space) + size
    ticks = {
        "showticklabels": not many,
        "showgrid": False,
        "zeroline": False,
        "automargin": False,
    }
    inside = min(740, max(15, min(24, 640 // max(d, 1))) * d)
    matrix["colorbar"]["y"] = -(below + 8) / inside
    return figure(
        30 + inside + below + bar,
        [matrix],
        # as categories, plotly writes only as many labels as have room: every third in a narrow window
        x=ticks | {"type": "category", "tickangle": -90 if upright else -60, "range": [-0.5, d - 0.5]},
        y=ticks | {"tickvals": list(range(d)), "ticktext": labels, "range": [d - 0.5, -0.5]},
        shapes=shapes,
        annotations=titles,
        font={"color": look.text, "size": size},
        margin={"l": space, "r": 8, "t": 30, "b": below + bar},
    )


def eigenvalues(
    values: NDArray[np.float64], *, suggested: int, chosen: int, words: dict[str, str]
) -> go.Figure:
    """The smallest eigenvalues, the gap after the suggested number of clusters marked.

    Args:
        values: Ascending.
        suggested: The number of clusters that the largest gap suggests.
        chosen: The number in use.
        words: Words for ``x``, ``y``, and the marks ``suggested``, ``chosen`` and ``both``, with their
        number.
    """
    look = palette()
    shown = values[1:16]  # the first is 0 whatever the data
    curve = {
        "type": "scatter",
        "x": list(range(2, len(shown) + 2)),
        "y": list(shown),
        "mode": "lines+markers",
        "marker": {"size": 9, "color": look.main},
        "line": {"color": look.main},
        "hovertemplate": "%{x}: %{y:.4f}<extra></extra>",
        "showlegend": False,
    }
    marks = {suggested: words["suggested"]}
    marks[chosen] = words["both" if chosen in marks else "chosen"]
    lines, labels = [], []
    for i, (k, text) in enumerate(sorted(marks.items())):
        place = {"x0": k + 0.5, "x1": k + 0.5, "y0": 0, "y1": 1.2 - 0.12 * i, "yref": "paper"}
        dash = "solid" if k == chosen else "dash"
        lines.append(place | {"line": {"color": look.other, "dash": dash, "width": 1.5}})
        labels.append(
            {
                "text": safe(text),
                "x": k + 0.5,
                "y": 1.12 - 0.12 * i,  # one below the other: the two numbers are often neighbours
                "yref": "paper",
                "xanchor": "left" if k <= len(shown) // 2 else "right",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"color": look.text},
                "bgcolor": look.back,  # in a narrow window the line of the other number runs behind
                "xshift": 3 if k <= len(shown) // 2 else -3,
            }
        )
    return figure(
        310,
        [curve],
        x={"title": {"text": words["x"]}, "dtick": 1},
        y={"title": {"text": words["y"]}},
        shapes=lines,
        annotations=labels,
        margin={"l": 8, "r": 8, "t": 58, "b": 8},
    )


def _hatching(noise: NDArray[np.bool_]) -> str:
    """One path of many strokes: a line with gaps would be as many elements as it has pieces."""
    rows, columns = np.nonzero(noise & ~np.eye(len(noise), dtype=bool))
    strokes = [
        f"M{j - 0.4:.1f},{i + 0.4:.1f}L{j + 0.4:.1f},{i - 0.4:.1f}"
        for i, j in zip(rows, columns, strict=True)
    ]
    return "".join(strokes)


def _blocks(groups: Sequence[int]) -> list[tuple[int, int, int]]:
    blocks = []
    start = 0
    for i in range(1, len(groups) + 1):
        if i == len(groups) or groups[i] != groups[start]:
            blocks.append((groups[start], start, i - 1))
            start = i
    return blocks
