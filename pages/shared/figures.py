"""The figures that several pages share, and what all figures have in common."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from typing import Any
from unicodedata import east_asian_width

import plotly.graph_objects as go

from hmpb_core.sources.files.headers import unique_names
from hmpb_core.utility.charts import short, told_apart
from pages.shared.palette import palette

BAR_HEIGHT = 26
LINE = 30
"""Letters a line of a bar's label: a span of two moments needs two lines."""
FONT = '"Source Sans", sans-serif'


def safe(text: object, longest: int = 40) -> str:
    """Write a foreign text into a figure: plotly would read its markup."""
    return html.escape(short(str(text), longest), quote=False)


def axis_labels(names: Sequence[object], longest: int = 40) -> list[str]:
    """Write names as the places of an axis: no two alike, for plotly would draw those in one place."""
    texts = [str(name) for name in names]
    labels, _ = unique_names(told_apart(texts, letters_beside(texts, longest)))
    return [html.escape(label, quote=False) for label in labels]


def letters_beside(names: Sequence[str], longest: int) -> int:
    """How many letters of names have room beside a figure: half as many of Chinese, whose signs are wider.

    Else the names of a Chinese survey leave a narrow window no room for the figure.
    """
    for letters in range(longest, longest // 2, -1):
        cut = (short(name, letters) for name in names)
        if all(sum(1 + (east_asian_width(c) in "WF") for c in text) <= longest for text in cut):
            return letters
    return longest // 2


def figure(
    height: int,
    traces: Sequence[dict[str, Any]] = (),
    *,
    x: dict[str, Any] | None = None,
    y: dict[str, Any] | None = None,
    **layout: Any,
) -> go.Figure:
    """A figure in the reader's theme, made in one go: changing one takes plotly several times as long.

    Args:
        height: In pixels.
        traces: What is drawn.
        x: Settings of the horizontal axis.
        y: Settings of the vertical axis.
        layout: Settings of the rest.
    """
    look = palette()
    axis = {
        "automargin": True,
        "ticklabeloverflow": "allow",  # hiding the labels that stand out takes half of a heatmap's time
        "gridcolor": look.line,
        "zerolinecolor": look.line,
        "linecolor": look.line,
    }
    base: dict[str, Any] = {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 28, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": look.text, "size": 13, "family": FONT},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0},
        "hoverlabel": {
            "bgcolor": look.back,
            "bordercolor": look.soft,
            "font": {"size": 13, "color": look.text},
        },
        "dragmode": False,
        "datarevision": 1,  # spares the browser a second drawing of the same
        "xaxis": axis | {"showgrid": False, "zeroline": False} | (x or {}),
        "yaxis": axis | (y or {}),
    }
    return go.Figure(data=list(traces), layout=base | layout)


def lines_of(text: str, longest: int = 24) -> list[str]:
    """Break a label into lines of so many letters at most, between words where it has them."""
    lines, line, taken = [], "", 0
    for piece in re.findall(r"[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*|\s+", text):
        width = width_of(piece.rstrip())
        if line and taken + width > longest:
            lines.append(line.rstrip())
            line, taken = "", 0
        line, taken = line + piece, taken + width_of(piece)
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def width_of(text: str) -> int:
    """How many small letters take as much room as a text: a Chinese sign takes two, five capitals six."""
    return math.ceil(sum(2 if east_asian_width(c) in "WF" else 1.2 if c.isupper() else 1 for c in text))


def room(labels: Sequence[str], size: int = 13) -> int:
    """Pixels that the longest label takes.

    Where plotly has to find that out itself (``automargin``) it draws all labels several times.
    """
    wide = max(map(width_of, labels), default=0)
    return 14 + round(0.58 * size * wide)


def margins(labels: Sequence[str]) -> dict[str, Any]:
    """Margins for labels at the left and a titled axis below."""
    return {"l": room(labels), "r": 12, "t": 28, "b": 52}


def unit_below(unit: str) -> dict[str, Any]:
    """An axis' title that ends where the axis ends: centred, it would be cut off in a narrow window."""
    return {
        "text": safe(unit, 80),
        "xref": "paper",
        "x": 1,
        "xanchor": "right",
        "yref": "paper",
        "y": 0,
        "yanchor": "top",
        "yshift": -24,
        "showarrow": False,
        "font": {"size": 14},
    }


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
    whole, _ = unique_names([short(str(label), 2 * LINE - 4) for label in labels])
    broken = [[html.escape(line, quote=False) for line in lines_of(label, LINE)] for label in whole]
    names = ["<br>".join(lines) for lines in broken]
    traces = [
        {
            "type": "bar",
            "y": names,
            "x": list(values),
            "name": safe(name),
            "orientation": "h",
            "marker": {
                "color": look.of(i),
                "pattern": {
                    "shape": "/" if i else "",
                    "fgcolor": look.back,
                    "fgopacity": 0.5,
                    "fillmode": "overlay",
                    "size": 6,
                },
            },
            "error_x": {"array": list(error), "color": look.soft} if error is not None and i == 0 else None,
            "hovertemplate": "%{y}: %{x:.4g}<extra>%{fullData.name}</extra>",
            "showlegend": len(series) > 1,
        }
        for i, (name, values) in enumerate(series.items())
    ]
    step = BAR_HEIGHT if len(series) == 1 else 16 * len(series) + 8
    step = max([step, *(17 * len(lines) + 4 for lines in broken)])
    return figure(
        80 + step * len(labels),
        traces,
        x={"automargin": False, "showgrid": True} | ({"type": "log"} if log else {}),
        annotations=[unit_below(unit)],
        y={"autorange": "reversed", "type": "category", "automargin": False, "showgrid": False},
        barmode="group",
        bargap=0.25,
        margin=margins([line for lines in broken for line in lines]),
    )


def bar_below(title: str, y: float) -> dict[str, Any]:
    """A colour bar below a figure: beside it, it would take a third of a narrow window.

    Args:
        title: Its title, safe to be shown.
        y: Where its top is, in heights of the figure's inside.
    """
    return {
        "title": {"text": title, "side": "top"},
        "orientation": "h",
        "thickness": 12,
        "outlinewidth": 0,
        "nticks": 6,
        "x": 0.5,
        "xanchor": "center",
        "y": y,
        "yanchor": "top",
        "ypad": 0,
    }
