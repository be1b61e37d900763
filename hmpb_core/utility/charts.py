"""The report's pictures, as SVG inside the page: no script, and nothing that rests on colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hmpb_core.report.html import templates_in

TEMPLATES = Path(__file__).parent / "templates"
LABEL_LETTERS = 44
MOST_MAPPED = 40
"""Attributes that a map of all pairs has room for."""
_WIDTH, _ROW, _LEFT = 760, 22, 270
_TEXT_ROOM = 60
_MAP_LEFT, _MAP_TOP, _MAP_WIDTH = 150, 110, 520


@dataclass(frozen=True, slots=True, kw_only=True)
class BarPair:
    """A line of the chart, in its own unit.

    Attributes:
        label: What it is.
        ours: The synthetic table's figure.
        second: The second sample's.
        text: The synthetic figure as it is written.
    """

    label: str
    ours: float
    second: float
    text: str


def bars(key: str, lines: Sequence[BarPair], description: str) -> str:
    """Draw pairs of bars: full for the synthetic table, hatched for the second sample.

    Args:
        key: Names the chart on its page.
        lines: The pairs.
        description: The chart in words.
    """
    largest = max((max(line.ours, line.second) for line in lines), default=0.0) or 1.0
    scale = (_WIDTH - _LEFT - _TEXT_ROOM) / largest
    chart = {
        "key": key,
        "width": _WIDTH,
        "height": _ROW * len(lines) + 4,
        "left": _LEFT,
        "description": description,
        "bars": [
            {
                "y": _ROW * place,
                "label": short(line.label),
                "ours": scale * line.ours,
                "second": scale * line.second,
                "text": line.text,
            }
            for place, line in enumerate(lines)
        ],
    }
    return templates_in(TEMPLATES).get_template("bars.svg.j2").render(chart=chart)


def pair_map(names: Sequence[str], values: Sequence[tuple[str, str, float]], description: str) -> str:
    """Draw a square for every pair, its area the size of the value; full above 0, hollow below.

    Args:
        names: The attributes, in their order.
        values: The two names and the value of each pair.
        description: The map in words.
    """
    step = min(_MAP_WIDTH / len(names), 30.0)
    largest = max((abs(value) for *_, value in values), default=0.0) or 1.0
    place = {name: i for i, name in enumerate(names)}
    cells = []
    for first, second, value in values:
        row, column = sorted((place[first], place[second]), reverse=True)
        side = 0.9 * step * math.sqrt(abs(value) / largest)
        for x, y in ((column, row), (row, column)):
            cells.append(
                {
                    "x": _MAP_LEFT + (x + 0.5) * step - side / 2,
                    "y": _MAP_TOP + (y + 0.5) * step - side / 2,
                    "side": side,
                    "more": value > 0,
                }
            )
    drawn = {
        "width": round(_MAP_LEFT + step * len(names) + 70),
        "height": round(_MAP_TOP + step * len(names) + 4),
        "left": _MAP_LEFT,
        "top": _MAP_TOP,
        "step": step,
        "size": round(min(11.0, 0.75 * step), 1),
        "description": description,
        "lines": [
            {"x": _MAP_LEFT + i * step, "y": _MAP_TOP + i * step, "label": short(name, 20)}
            for i, name in enumerate(names)
        ],
        "cells": cells,
    }
    return templates_in(TEMPLATES).get_template("map.svg.j2").render(map=drawn)


def short(text: str, letters: int = LABEL_LETTERS) -> str:
    """Cut a label that has no room, in its middle: questions of one survey begin alike.

    Example:
        >>> short("How much do you like the cuisine of Algeria?", 20)
        'How much do…Algeria?'
    """
    return _cut(text, letters, (letters - 1) * 2 // 5 + 1)


def told_apart(names: Sequence[str], letters: int = LABEL_LETTERS) -> list[str]:
    """Cut labels as ``short`` does; of different names that would look alike, more of one end is kept.

    Example:
        >>> told_apart(["How do you view Luke Skywalker?", "How do you view Anakin Skywalker?"], 18)
        ['How…uke Skywalker?', 'How…kin Skywalker?']
    """
    labels = {name: short(name, letters) for name in names}
    alike: dict[str, list[str]] = {}
    for name, label in labels.items():
        alike.setdefault(label, []).append(name)
    for group in (names for names in alike.values() if len(names) > 1):
        for end in (letters * 4 // 5, letters - 2, 1):
            cuts = {name: _cut(name, letters, end) for name in group}
            if len(set(cuts.values())) == len(group):
                labels |= cuts
                break
    return [labels[name] for name in names]


def _cut(text: str, letters: int, end: int) -> str:
    if len(text) <= letters:
        return text
    return f"{text[: letters - 1 - end].rstrip()}…{text[-end:].lstrip()}"
