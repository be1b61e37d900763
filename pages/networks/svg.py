"""The network as an SVG drawing: parents above children, one shape a cluster, names as text."""

from __future__ import annotations

import math
from xml.sax.saxutils import escape, quoteattr

from pages.networks.facts import Graph, Node
from pages.shared.palette import LIGHT

STEP_X, STEP_Y, MARGIN = 150, 110, 70


def svg_of(graph: Graph, *, title: str) -> str:
    """Draw a graph in the light theme, for documents."""
    places = _places(graph)
    width = 2 * MARGIN + STEP_X * max((x for x, _ in places.values()), default=0)
    height = 2 * MARGIN + STEP_Y * max((y for _, y in places.values()), default=0)
    at = {index: (MARGIN + STEP_X * x, MARGIN + STEP_Y * y) for index, (x, y) in places.items()}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label={quoteattr(title)}>',
        f"<title>{escape(title)}</title>",
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0 0L10 5L0 10z" fill="{LIGHT.soft}"/></marker></defs>',
        f'<rect width="100%" height="100%" fill="{LIGHT.back}"/>',
    ]
    radius = {node.index: 9 + 14 * node.risk for node in graph.nodes}
    for arrow in graph.arrows:
        (x0, y0), (x, y) = at[arrow.parent], at[arrow.child]
        length = math.hypot(x - x0, y - y0) or 1.0
        end = (radius[arrow.child] + 4) / length
        x1, y1 = x - (x - x0) * end, y - (y - y0) * end
        parts.append(
            f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" '
            f'stroke="{LIGHT.soft}" stroke-width="{1 + 6 * arrow.strength:.2f}" stroke-opacity="0.7" '
            'marker-end="url(#tip)"/>'
        )
    for node in graph.nodes:
        x, y = at[node.index]
        parts.append(_shape(node, x, y, radius[node.index]))
        parts.append(
            f'<text x="{x:.1f}" y="{y + radius[node.index] + 15:.1f}" text-anchor="middle" '
            f'font-family="sans-serif" font-size="13" fill="{LIGHT.text}">{escape(node.name)}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


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


def _shape(node: Node, x: float, y: float, r: float) -> str:
    fill = f'fill="{LIGHT.of(node.cluster)}" stroke="{LIGHT.text}"'
    corners = (0, 4, 4, 3, 6, 5, 3)[node.cluster % 7]
    if corners == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" {fill}/>'
    turn = {1: math.pi / 4, 6: math.pi / 2}.get(node.cluster % 7, -math.pi / 2)
    angles = [turn + 2 * math.pi * i / corners for i in range(corners)]
    points = " ".join(f"{x + r * math.cos(a):.1f},{y + r * math.sin(a):.1f}" for a in angles)
    return f'<polygon points="{points}" {fill}/>'
