"""The figures of the page Explain about one person: shapes and words carry what colours do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from hmpb_core.report.explain import ALMOST_CERTAIN
from pages.explain.figures_noise import BARE, finish
from pages.shared.palette import palette

ACROSS = {100: 10, 1000: 25}


def icons(*, without: int, with_person: int, of: int, titles: tuple[str, str], names: Sequence[str]) -> Any:
    """Two grids with one denominator.

    Args:
        without: Full marks of the left grid.
        with_person: Full marks of the right grid; those beyond the left grid's are diamonds.
        of: Marks in each grid, 100 or 1000.
        titles: What each grid shows, counts written out.
        names: Legend: believed anyway, believed because of the person, not believed.
    """
    look = palette()
    across = ACROSS[of]
    size = 10 if of == 100 else 5  # apart from one another in a narrow window as well
    drawn = make_subplots(rows=1, cols=2, subplot_titles=[*titles], horizontal_spacing=0.06)
    looks = [("circle", look.main), ("diamond", look.other), ("circle-open", look.soft)]
    for column, count in enumerate((without, with_person), start=1):
        edges = [0, min(without, count), count, of]
        for kind, (symbol, colour) in enumerate(looks):
            places = range(edges[kind], edges[kind + 1])
            drawn.add_scatter(
                x=[i % across for i in places],
                y=[i // across for i in places],
                mode="markers",
                marker={"symbol": symbol, "color": colour, "size": size, "line": {"width": size / 10}},
                name=names[kind],
                legendgroup=str(kind),
                showlegend=column == 2,
                hoverinfo="skip",
                row=1,
                col=column,
            )
    rows = of // across
    drawn.update_xaxes(**BARE, range=[-0.8, across - 0.2], fixedrange=True, constrain="domain")
    drawn.update_yaxes(**BARE, range=[rows - 0.2, -0.8], fixedrange=True)
    for column in (1, 2):  # square cells, whatever the page's width
        drawn.update_yaxes(scaleanchor=f"x{column if column > 1 else ''}", row=1, col=column)
    drawn.update_annotations(font_size=14)
    finish(drawn, height=390 if of == 100 else 480, legend=True, bottom=60)
    return drawn.update_layout(
        legend={"itemsizing": "constant", "yanchor": "top", "y": -0.04, "x": 0.5, "xanchor": "center"}
    )


def gauge(*, accuracy: float, coin: str, here: str, beyond: str) -> Any:
    """A scale from a coin to certainty with the ceiling on it, hatched where it stops to reassure.

    Args:
        accuracy: The ceiling.
        coin: What 50 % is called.
        here: The ceiling in words.
        beyond: What the hatched part is called.
    """
    look = palette()
    drawn = go.Figure()
    hatched = {"color": "rgba(0,0,0,0)", "line": {"color": look.soft, "width": 1}, "pattern": {"shape": ""}}
    drawn.add_bar(x=[0.45], base=[0.5], y=[""], orientation="h", marker=hatched, hoverinfo="skip", width=0.5)
    drawn.add_bar(
        x=[0.05],
        base=[ALMOST_CERTAIN],
        y=[""],
        orientation="h",
        width=0.5,
        hoverinfo="skip",
        marker={
            "color": "rgba(0,0,0,0)",
            "line": {"color": look.soft, "width": 1},
            "pattern": {"shape": "/", "fgcolor": look.soft, "size": 8},
        },
    )
    drawn.add_bar(
        x=[accuracy - 0.5],
        base=[0.5],
        y=[""],
        orientation="h",
        width=0.3,
        marker_color=look.main,
        hoverinfo="skip",
    )
    drawn.add_scatter(
        x=[accuracy],
        y=[""],
        mode="markers",
        marker={"symbol": "line-ns", "size": 56, "line": {"width": 3, "color": look.main}},
        hoverinfo="skip",
    )
    side = "left" if accuracy < 0.62 else "right" if accuracy > 0.88 else "center"
    drawn.add_annotation(
        x=accuracy,
        y=1.02,
        yref="paper",
        text=f"<b>{here}</b>",
        showarrow=False,
        xanchor=side,
        yanchor="bottom",
    )
    drawn.add_annotation(
        x=0.5, y=-0.42, yref="paper", text=coin, showarrow=False, xanchor="left", yanchor="top"
    )
    drawn.add_annotation(
        x=1.0, y=-0.42, yref="paper", yshift=-20, text=beyond, showarrow=False, xanchor="right", yanchor="top"
    )
    drawn.update_layout(barmode="overlay")
    drawn.update_xaxes(
        range=[0.49, 1.01], tickformat=".0%", tickvals=[0.5, 0.6, 0.7, 0.8, 0.9, 1.0], fixedrange=True
    )
    drawn.update_yaxes(**BARE, fixedrange=True)
    return finish(drawn, height=210, bottom=90)


def belief_curve(
    priors: Sequence[float],
    highest: Sequence[float],
    lowest: Sequence[float],
    *,
    at: tuple[float, float, float],
    axes: tuple[str, str],
    names: tuple[str, str, str],
    here: str,
) -> Any:
    """How far a belief can move: between the curves, whatever is released.

    Args:
        priors: Beliefs before.
        highest: The most that can be believed afterwards.
        lowest: The least.
        at: The reader's belief before, and both limits after.
        axes: Titles of both axes.
        names: Highest, lowest, unchanged.
        here: The reader's point in words.
    """
    look = palette()
    drawn = go.Figure()
    drawn.add_scatter(x=priors, y=highest, name=names[0], line={"color": look.main, "width": 3})
    drawn.add_scatter(
        x=priors,
        y=lowest,
        name=names[1],
        line={"color": look.other, "width": 2, "dash": "dash"},
        fill="tonexty",
        fillcolor=veil(look.main),
    )
    drawn.add_scatter(
        x=[0, 1], y=[0, 1], name=names[2], line={"color": look.soft, "width": 1.5, "dash": "dot"}
    )
    prior, top, bottom = at
    drawn.add_scatter(
        x=[prior, prior],
        y=[bottom, top],
        mode="lines+markers",
        marker={"size": 11, "color": [look.other, look.main], "symbol": ["diamond", "circle"]},
        line={"color": look.soft, "width": 1},
        showlegend=False,
        name=here,
    )
    # near the top a label at the left would lie on the curve, which is flat there
    aside = (-40, -22) if top <= 0.9 else (52 if prior < 0.7 else -52, 24)
    drawn.add_annotation(x=prior, y=top, text=here, showarrow=True, ax=aside[0], ay=aside[1])
    shares(drawn, axes)
    return finish(drawn, height=380, legend=True)


def shares(drawn: Any, axes: tuple[str, str]) -> None:
    """Give both axes percents from 0 to 100.

    Args:
        drawn: The figure.
        axes: Titles of both axes.
    """
    drawn.update_xaxes(title=axes[0], range=[0, 1], tickformat=".0%", fixedrange=True)
    drawn.update_yaxes(title=axes[1], range=[0, 1.02], tickformat=".0%", fixedrange=True)


def veil(colour: str) -> str:
    """Give a colour thin enough to fill an area."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.13)"
