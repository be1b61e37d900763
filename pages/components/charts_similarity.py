"""Figures of the page Similarity: the noisy matrix with its noise band, and the eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from pages.components.charts import figure, safe
from pages.components.palette import palette

MOST_LABELS = 80


def heatmap(
    values: NDArray[np.float64],
    names: Sequence[str],
    groups: Sequence[int],
    noise: NDArray[np.bool_],
    *,
    unit: str,
    cluster: str,
) -> go.Figure:
    """The matrix in the order of its clusters; cells that noise alone could have made are hatched.

    Args:
        values: Square array, ordered.
        names: Names in that order.
        groups: Cluster of each, in that order.
        noise: Which cells noise alone could have made.
        unit: Title of the colour bar.
        cluster: Word for a cluster.
    """
    look = palette()
    d = len(names)
    shown = np.clip(values, 0.0, 1.0)
    np.fill_diagonal(shown, np.nan)
    labels = [safe(name, 24) for name in names]
    side = min(920, 180 + max(15, min(24, 640 // max(d, 1))) * d)
    drawn = figure(side, margin={"l": 8, "r": 8, "t": 30, "b": 8})
    top = float(np.nanmax(shown)) if d > 1 else 1.0
    drawn.add_heatmap(
        z=shown,
        colorscale=[list(step) for step in look.scale],
        zmin=0.0,
        zmax=max(top, 1e-3),
        customdata=np.array([[f"{a} × {b}" for b in labels] for a in labels]),
        hovertemplate="%{customdata}<br>%{z:.4f}<extra></extra>",
        colorbar={"title": {"text": safe(unit), "side": "right"}, "thickness": 12, "outlinewidth": 0},
    )
    x, y = _hatching(noise)
    drawn.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": look.soft, "width": 0.8},
        hoverinfo="skip",
        showlegend=False,
    )
    for label, first, last in _blocks(groups):
        drawn.add_shape(
            type="rect",
            x0=first - 0.5,
            x1=last + 0.5,
            y0=first - 0.5,
            y1=last + 0.5,
            line={"color": look.other, "width": 2},
        )
        drawn.add_annotation(
            x=first - 0.4,
            y=first - 0.5,
            text=f"{safe(cluster)} {label + 1}",
            showarrow=False,
            xanchor="left",
            yanchor="bottom",
            font={"size": 11, "color": look.text},
            bgcolor=look.back,
        )
    ticks = (
        {"tickvals": list(range(d)), "ticktext": labels} if d <= MOST_LABELS else {"showticklabels": False}
    )
    drawn.update_xaxes(**ticks, tickangle=-60, showgrid=False, zeroline=False, range=[-0.5, d - 0.5])
    drawn.update_yaxes(**ticks, showgrid=False, zeroline=False, range=[d - 0.5, -0.5])
    drawn.update_layout(font_size=11 if d > 30 else 12)
    return drawn


def eigenvalues(
    values: NDArray[np.float64], *, suggested: int, chosen: int, words: dict[str, str]
) -> go.Figure:
    """The smallest eigenvalues, the gap after the suggested number of clusters marked.

    Args:
        values: Ascending.
        suggested: The number of clusters that the largest gap suggests.
        chosen: The number in use.
        words: Words for ``x``, ``y``, ``suggested`` and ``chosen``.
    """
    look = palette()
    shown = values[1:16]  # the first is 0 whatever the data
    drawn = figure(280, xaxis_title=words["x"], yaxis_title=words["y"])
    drawn.add_scatter(
        x=list(range(2, len(shown) + 2)),
        y=list(shown),
        mode="lines+markers",
        marker={"size": 9, "color": look.main},
        line={"color": look.main},
        hovertemplate="%{x}: %{y:.4f}<extra></extra>",
        showlegend=False,
    )
    marks = {suggested: words["suggested"]}
    marks[chosen] = f"{marks[chosen]}, {words['chosen']}" if chosen in marks else words["chosen"]
    for i, (k, text) in enumerate(sorted(marks.items())):
        drawn.add_vline(
            x=k + 0.5,
            line={"color": look.other, "dash": "dash" if i else "solid", "width": 1.5},
            annotation={
                "text": f"{safe(text)}: {k}",
                "font": {"color": look.text},
                "bgcolor": look.back,
                "y": 0.35 - 0.2 * i,
                "xanchor": "left",
            },
        )
    drawn.update_xaxes(dtick=1)
    return drawn


def _hatching(noise: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """One line of many strokes: a single path is drawn at once, however many cells there are."""
    i, j = np.nonzero(noise & ~np.eye(len(noise), dtype=bool))
    gap = np.full(len(i), np.nan)
    x = np.column_stack([j - 0.4, j + 0.4, gap]).ravel()
    y = np.column_stack([i + 0.4, i - 0.4, gap]).ravel()
    return x, y


def _blocks(groups: Sequence[int]) -> list[tuple[int, int, int]]:
    blocks = []
    start = 0
    for i in range(1, len(groups) + 1):
        if i == len(groups) or groups[i] != groups[start]:
            blocks.append((groups[start], start, i - 1))
            start = i
    return blocks
