"""Where the nodes of a network are drawn: each cluster by itself, its parts side by side."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from pages.networks.facts import Graph
from pages.shared.figures import width_of

WIDE, TALL = 1.8, 0.6
"""Width over height of the frame: on a screen, and on a telephone held upright."""
SHAPES = (0.5, 0.8, 1.3, 2.0)
"""Width over height that is tried for connected parts."""
FILL = 0.45
"""Part of a connected part's area that its nodes and labels take; the rest is for the arrows."""
HIGH = 88.0
"""Height of a node and the label below it."""
GAP = 40.0
"""Between two rows of parts."""
LETTER = 14.0
"""Width of a Latin letter of a label in the picture."""
LABEL_GAP = 30.0
SMALLEST = 40.0
"""Half the width of a node with the shortest label."""
LONGEST = 22
"""Letters of a name that are drawn."""
STEPS = 200


def places_of(graph: Graph, *, tall: bool = False) -> dict[int, tuple[float, float]]:
    """Give every node its place; the same graph always gets the same picture.

    Args:
        graph: What is drawn.
        tall: For a frame that is taller than wide, in which a wide picture would shrink until no label
            can be read.
    """
    drawn = nx.Graph()
    cluster = {node.index: node.cluster for node in graph.nodes}
    drawn.add_nodes_from(cluster)
    drawn.add_edges_from((a.parent, a.child) for a in graph.arrows if cluster[a.parent] == cluster[a.child])
    parts = sorted(
        nx.connected_components(drawn), key=lambda p: (-len(p), min(cluster[i] for i in p), min(p))
    )
    half = {
        node.index: max(SMALLEST, LETTER * width_of(node.name[:LONGEST]) / 2) + LABEL_GAP / 2
        for node in graph.nodes
    }
    aspect = TALL if tall else WIDE
    unscaled = [_of_part(drawn.subgraph(part)) for part in parts]
    drawings = [
        _side_by_side([_scaled(part, half, shape, turned=tall) for part in unscaled], half, aspect)
        for shape in SHAPES
    ]
    return min(drawings, key=lambda drawing: drawing[1])[0]


def _of_part(part: nx.Graph) -> dict[int, tuple[float, float]]:
    """Place one connected part: distances in the picture follow distances in the graph.

    The aim is that of networkx's ``kamada_kawai_layout``, reached by majorization [Gansner2004]: each step
    is a product of matrices, so it takes a fraction of the time.
    """
    order = sorted(part)
    if len(order) == 1:
        return {order[0]: (0.0, 0.0)}
    far = shortest_path(nx.to_scipy_sparse_array(part, nodelist=order), unweighted=True)
    np.fill_diagonal(far, 1.0)
    weights = far**-2.0
    np.fill_diagonal(weights, 0.0)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    angles = 2 * np.pi * np.arange(len(order)) / len(order)
    spots = np.column_stack([np.cos(angles), np.sin(angles)])
    for _ in range(STEPS):
        gaps = np.linalg.norm(spots[:, None] - spots[None], axis=2)
        pull = weights * far / np.maximum(gaps, 1e-9)
        spots = inverse @ (pull.sum(axis=1)[:, None] * spots - pull @ spots)
    return {i: (float(x), float(y)) for i, (x, y) in zip(order, spots, strict=True)}


def _scaled(
    part: dict[int, tuple[float, float]], half: dict[int, float], shape: float, *, turned: bool
) -> dict[int, tuple[float, float]]:
    """Draw a part as small as its labels allow: the smaller it is, the larger the frame shows it.

    Args:
        part: Places of its nodes.
        half: Half the width of each node's label.
        shape: Width over height.
        turned: Whether x and y change places.
    """
    widths = np.array([half[i] for i in part])
    spots = np.array(list(part.values()))[:, :: -1 if turned else 1]
    high = math.sqrt(HIGH * 2 * widths.sum() / FILL / shape)
    spots = spots / np.maximum(np.ptp(spots, axis=0), 1e-9) * (shape * high, high)
    return {i: (float(x), float(y)) for i, (x, y) in zip(part, _apart(spots, widths), strict=True)}


def _apart(spots: NDArray[np.float64], widths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Push nodes apart until no two, with their labels, lie on each other; along the shorter way."""
    first = np.triu_indices(len(spots), 1)
    for _ in range(STEPS):
        way = spots[first[0]] - spots[first[1]]
        lack = np.column_stack([widths[first[0]] + widths[first[1]], np.full(len(way), HIGH)]) - np.abs(way)
        over = (lack > 0.5).all(axis=1)
        if not over.any():
            break
        along = lack.argmin(axis=1)
        push = np.where(way >= 0, 1.0, -1.0) * lack / 2
        push[~over] = 0.0
        push[np.arange(len(way)), 1 - along] = 0.0
        moves = np.zeros_like(spots)
        np.add.at(moves, first[0], push)
        np.add.at(moves, first[1], -push)
        spots = spots + 0.6 * moves
    return spots


def _side_by_side(
    parts: list[dict[int, tuple[float, float]]], half: dict[int, float], aspect: float
) -> tuple[dict[int, tuple[float, float]], float]:
    """Set the parts in rows, the largest first: in as many as let the frame show them largest.

    Args:
        parts: Places of the nodes of each part.
        half: Half the width of each node's label, which hangs below it.
        aspect: Width over height of the frame.

    Returns:
        Places, and the height that a frame needs to show them at their own size.
    """
    sizes = [_size(part, half) for part in parts]
    limits = np.cumsum([width for width, _ in sizes])
    corners = min((_corners(sizes, limit) for limit in limits), key=lambda c: _needed(c, sizes, aspect))
    places: dict[int, tuple[float, float]] = {}
    for part, (left, top) in zip(parts, corners, strict=True):
        low_x = min(x - half[index] for index, (x, _) in part.items())
        low_y = min(y for _, y in part.values())
        for index, (x, y) in part.items():
            places[index] = (round(left + x - low_x, 1), round(top + y - low_y, 1))
    return places, _needed(corners, sizes, aspect)


def _corners(sizes: list[tuple[float, float]], widest: float) -> list[tuple[float, float]]:
    """Left upper corners of the parts, in rows of at most this width."""
    corners: list[tuple[float, float]] = []
    left = top = tallest = 0.0
    for width, height in sizes:
        if left and left + width > widest + 0.5:
            left, top, tallest = 0.0, top + tallest + GAP, 0.0
        corners.append((left, top))
        left += width
        tallest = max(tallest, height)
    return corners


def _needed(corners: list[tuple[float, float]], sizes: list[tuple[float, float]], aspect: float) -> float:
    """Height that the frame needs for parts at these corners."""
    ends = np.asarray(corners) + np.asarray(sizes)
    return float(max(ends[:, 0].max() / aspect, ends[:, 1].max()))


def _size(part: dict[int, tuple[float, float]], half: dict[int, float]) -> tuple[float, float]:
    ys = [y for _, y in part.values()]
    right = max(x + half[index] for index, (x, _) in part.items())
    left = min(x - half[index] for index, (x, _) in part.items())
    return right - left, max(ys) - min(ys) + HIGH
