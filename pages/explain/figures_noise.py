"""The figures of the page Explain about a release: where counts land, and what the data set has left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pages.shared.figures import figure
from pages.shared.palette import palette

BARE = {"showgrid": False, "showticklabels": False, "zeroline": False, "showline": False, "ticks": ""}


def finish(drawn: Any, *, height: int, legend: bool = False, bottom: int = 40) -> Any:
    """Give a figure with subplots what all figures have in common."""
    base = figure(height)
    drawn.update_layout(
        {k: v for k, v in base.to_plotly_json()["layout"].items() if k not in ("xaxis", "yaxis", "template")}
    )
    drawn.update_layout(
        margin={"l": 10, "r": 28, "t": 40, "b": bottom},
        showlegend=legend,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
    )
    for axes in (drawn.update_xaxes, drawn.update_yaxes):
        axes(
            automargin=True, gridcolor=base.layout.xaxis.gridcolor, zerolinecolor=base.layout.xaxis.gridcolor
        )
    return drawn


def landing(places: Sequence[tuple[str, float, Sequence[float]]], *, axis: str) -> Any:
    """Twenty evenly likely places of each count, as stacked dots; a line at the true count.

    Args:
        places: For each count its title, its value and its places.
        axis: Title of the horizontal axis.
    """
    look = palette()
    drawn = make_subplots(
        rows=len(places), cols=1, subplot_titles=[title for title, _, _ in places], vertical_spacing=0.14
    )
    for row, (_, count, values) in enumerate(places, start=1):
        spread = max(max(values) - min(values), 0.1 * count, 1.0)
        width = spread / 11
        heights: dict[int, int] = {}
        x, y = [], []
        for value in values:
            bin_of = round((value - count) / width)
            heights[bin_of] = heights.get(bin_of, 0) + 1
            x.append(count + bin_of * width)
            y.append(heights[bin_of])
        drawn.add_scatter(
            x=x, y=y, mode="markers", marker={"color": look.main, "size": 10}, hoverinfo="x", row=row, col=1
        )
        drawn.add_vline(x=count, line={"color": look.other, "width": 2, "dash": "dash"}, row=row, col=1)
        drawn.update_yaxes(**BARE, range=[0, max(y) + 1], fixedrange=True, row=row, col=1)
        half = 0.62 * spread
        drawn.update_xaxes(range=[count - half, count + half], fixedrange=True, row=row, col=1)
    drawn.update_xaxes(title=axis, row=len(places), col=1)
    drawn.update_annotations(font_size=13, x=0, xanchor="left")
    return finish(drawn, height=150 * len(places) + 60)


def lifetime(
    totals: Sequence[float], *, spent: float, cap: float | None, axes: tuple[str, str], names: Sequence[str]
) -> Any:
    """What the data set has lost after this release, and after further ones like it.

    Args:
        totals: Total epsilon after 1, 2, ... releases like this one.
        spent: What earlier releases cost together.
        cap: The lifetime cap, where there is one.
        axes: Titles of both axes.
        names: Spent before, this release, further releases, cap.
    """
    look = palette()
    drawn = go.Figure()
    steps = list(range(len(totals) + 1))
    heights = [spent, *totals]
    kinds = [(0, names[0], look.soft, "x"), (1, names[1], look.main, ""), (2, names[2], look.main, "/")]
    for first, name, colour, pattern in kinds:
        chosen = steps[first : first + 1] if first < 2 else steps[2:]
        if first == 0 and spent == 0:
            continue
        drawn.add_bar(
            x=chosen,
            y=[heights[i] for i in chosen],
            name=name,
            marker={
                "color": colour if not pattern else "rgba(0,0,0,0)",
                "line": {"color": colour, "width": 1.5},
                "pattern": {"shape": pattern, "fgcolor": colour},
            },
            hovertemplate="%{y:.3g}<extra></extra>",
        )
    if cap is not None:
        drawn.add_scatter(
            x=[-0.5, len(totals) + 0.5],
            y=[cap, cap],
            mode="lines",
            name=names[3],
            line={"color": look.other, "width": 2.5, "dash": "dash"},
        )
    drawn.update_xaxes(title=axes[0], dtick=1, fixedrange=True)
    drawn.update_yaxes(title=axes[1], rangemode="tozero", fixedrange=True)
    return finish(drawn, height=330, legend=True)


def context_strip(
    facets: Sequence[tuple[str, Sequence[tuple[float, str]]]],
    *,
    ours: tuple[int, float, str] | None,
    axis: str,
) -> Any:
    """Published limits as dots, one strip for each unit of protection.

    Args:
        facets: For each unit its name and its entries: epsilon and label.
        ours: The strip, epsilon and label of this plan, where its unit is among them.
        axis: Title of the horizontal axis.
    """
    look = palette()
    drawn = make_subplots(
        rows=len(facets),
        cols=1,
        shared_xaxes=True,
        subplot_titles=[name for name, _ in facets],
        vertical_spacing=0.16,
    )
    top = max([epsilon for _, entries in facets for epsilon, _ in entries] + ([ours[1]] if ours else []))
    for row, (_, entries) in enumerate(facets, start=1):
        drawn.add_scatter(
            x=[epsilon for epsilon, _ in entries],
            y=[0] * len(entries),
            mode="markers+text",
            text=[f"{label}  " for _, label in entries],
            textposition="middle left",
            marker={"color": look.main, "size": 12},
            hoverinfo="skip",
            row=row,
            col=1,
        )
        if ours is not None and ours[0] == row - 1:
            drawn.add_scatter(
                x=[ours[1]],
                y=[-0.6],  # below the others: the name of a larger limit stands beside its mark
                mode="markers+text",
                text=[f"  {ours[2]}"],
                textposition="middle right",
                marker={"color": look.other, "size": 13, "symbol": "diamond-open", "line": {"width": 2.5}},
                hoverinfo="skip",
                row=row,
                col=1,
            )
        drawn.update_yaxes(**BARE, range=[-1, 1], fixedrange=True, row=row, col=1)
    drawn.update_xaxes(range=[0, 1.15 * top], fixedrange=True)
    drawn.update_xaxes(title=axis, showticklabels=True, row=len(facets), col=1)
    drawn.update_annotations(font_size=13, x=0, xanchor="left")
    return finish(drawn, height=90 * len(facets) + 70)
