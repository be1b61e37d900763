"""The network as an SVG drawing: parents above children, clusters told by shape and colour, names as text."""

from __future__ import annotations

import math

from pages.networks.facts import Graph, Node
from pages.networks.graph import DASHES, legend, shape_of
from pages.shared.palette import LIGHT
from pages.words.assets import template

STEP_X, STEP_Y, MARGIN = 150, 110, 70
LEGEND_STEP, LEGEND_WIDTH = 24, 560


def svg_of(graph: Graph, *, title: str, words: dict[str, str]) -> str:
    """Draw a graph in the light theme, for documents.

    Args:
        graph: What is drawn.
        title: Title of the picture.
        words: What the kinds of arrows are called.
    """
    places = _places(graph)
    width = 2 * MARGIN + STEP_X * max((x for x, _ in places.values()), default=0)
    height = 2 * MARGIN + STEP_Y * max((y for _, y in places.values()), default=0)
    at = {index: (MARGIN + STEP_X * x, MARGIN + STEP_Y * y) for index, (x, y) in places.items()}
    radius = {node.index: 9 + 14 * node.risk for node in graph.nodes}
    lines = []
    for arrow in graph.arrows:
        (x0, y0), (x, y) = at[arrow.parent], at[arrow.child]
        end = (radius[arrow.child] + 4) / (math.hypot(x - x0, y - y0) or 1.0)
        x1, y1 = x - (x - x0) * end, y - (y - y0) * end
        dash = " ".join(map(str, DASHES[arrow.kind])) or "none"
        lines.append({"x0": x0, "y0": y0, "x1": x1, "y1": y1, "width": 1 + 6 * arrow.strength, "dash": dash})
    nodes = [_node(node, *at[node.index], radius[node.index]) for node in graph.nodes]
    return template("network.svg.j2").render(
        title=title,
        width=max(width, LEGEND_WIDTH) if (told := legend(graph, words)) else width,
        height=height + LEGEND_STEP * len(told),
        look=LIGHT,
        lines=lines,
        nodes=nodes,
        legend=[item | {"y": height + LEGEND_STEP * i} for i, item in enumerate(told)],
    )


def _places(graph: Graph) -> dict[int, tuple[float, int]]:
    """Column and row of each node: a row below all its parents, rows centred."""
    row: dict[int, int] = {}
    nodes = {node.index: node for node in graph.nodes}

    def depth(index: int) -> int:
        if index not in row:
            shown = [p for p in nodes[index].parents if p in nodes]
            row[index] = 1 + max((depth(p) for p in shown), default=-1)
        return row[index]

    for index in nodes:
        depth(index)
    rows: dict[int, list[int]] = {}
    for index, y in row.items():
        rows.setdefault(y, []).append(index)
    widest = max(map(len, rows.values()), default=1)
    places = {}
    for y, members in rows.items():
        shift = (widest - len(members)) / 2
        for x, index in enumerate(sorted(members, key=lambda i: (nodes[i].cluster, i))):
            places[index] = (x + shift, y)
    return places


def _node(node: Node, x: float, y: float, radius: float) -> dict[str, object]:
    shape = shape_of(node.cluster)
    corners = (0, 4, 4, 3, 6, 5, 3)[shape]
    turn = {1: math.pi / 4, 6: math.pi / 2}.get(shape, -math.pi / 2)
    angles = [turn + 2 * math.pi * i / corners for i in range(corners)]
    points = " ".join(f"{x + radius * math.cos(a):.1f},{y + radius * math.sin(a):.1f}" for a in angles)
    fill = LIGHT.of(node.cluster)
    return {"name": node.name, "x": x, "y": y, "radius": radius, "fill": fill, "points": points}
