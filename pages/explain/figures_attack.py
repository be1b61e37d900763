"""Attacks under the ceiling of their limit: what was measured, with the bars that chance leaves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from hmpb_core.audit.bounds import Rate
from pages.explain.figures import shares, veil
from pages.explain.figures_noise import finish
from pages.shared.palette import SYMBOLS, palette

EDGE = 5e-4
"""Where logarithmic axes begin; rates below it, also 0, stand at the edge."""
_TICKS = (0.001, 0.01, 0.1, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One attack's points.

    Attributes:
        name: Its name, for the legend.
        points: False alarms and hits.
    """

    name: str
    points: Sequence[tuple[Rate, Rate]] = field(repr=False)


def roc(
    rates: Sequence[float],
    ceilings: Sequence[float],
    *,
    axes: tuple[str, str],
    names: tuple[str, str],
    wider: Sequence[float] | None = None,
    wider_name: str = "",
    measured: Sequence[Measured] = (),
    few: bool = False,
) -> Any:
    """The ceiling that no attacker's curve crosses, above the diagonal of guessing.

    Args:
        rates: Rates of false alarms.
        ceilings: The ceiling at each.
        axes: Titles of both axes.
        names: Ceiling, guessing.
        wider: The ceiling of (epsilon, delta) alone, where rho gives a sharper one.
        wider_name: Its name.
        measured: What attacks reached.
        few: Draw few false alarms large: both axes logarithmic.
    """
    look = palette()
    drawn = go.Figure()
    if wider is not None:
        drawn.add_scatter(
            x=rates, y=wider, name=wider_name, line={"color": look.other, "width": 2, "dash": "dash"}
        )
    drawn.add_scatter(
        x=rates,
        y=ceilings,
        name=names[0],
        line={"color": look.main, "width": 3},
        fill="none" if few else "tozeroy",
        fillcolor=veil(look.main),
    )
    drawn.add_scatter(
        x=[EDGE if few else 0, 1],
        y=[EDGE if few else 0, 1],
        name=names[1],
        line={"color": look.soft, "width": 1.5, "dash": "dot"},
    )
    for number, attack in enumerate(measured):
        across, up = zip(*attack.points, strict=True)
        drawn.add_scatter(
            x=[_placed(rate.value, few) for rate in across],
            y=[_placed(rate.value, few) for rate in up],
            error_x=_bars(across, few),
            error_y=_bars(up, few),
            mode="markers",
            name=attack.name,
            marker={
                "symbol": "diamond" if len(measured) == 1 else SYMBOLS[number % len(SYMBOLS)],
                "size": 9,
                "color": look.text if len(measured) == 1 else look.of(number + 1),
            },
        )
    shares(drawn, axes)
    if few:
        drawn.update_xaxes(type="log", range=[math.log10(EDGE), 0], tickvals=_TICKS, tickformat="~%")
        drawn.update_yaxes(type="log", range=[math.log10(EDGE), 0.05], tickvals=_TICKS, tickformat="~%")
    return finish(drawn, height=400, legend=True)


def _placed(rate: float, few: bool) -> float:
    return max(rate, EDGE) if few else rate


def _bars(rates: Sequence[Rate], few: bool) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [_placed(rate.high, few) - _placed(rate.value, few) for rate in rates],
        "arrayminus": [_placed(rate.value, few) - _placed(rate.low, few) for rate in rates],
        "thickness": 1.5,
    }
