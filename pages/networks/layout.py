"""Where the nodes of a network are drawn: each cluster by itself, its parts side by side."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
from scipy.sparse.csgraph import shortest_path

from pages.networks.facts import Graph
from pages.shared.figures import width_of

STEP = 150.0
STRETCH = 1.6
WIDE, TALL = 3.2, 1.0
"""Width over height that rows of parts are broken for: of a screen, and of a telephone held upright."""
GAP = 130.0
LETTER = 11.0
"""Width of a Latin letter of a label in the picture."""
LABEL_GAP = 30.0
SMALLEST = 100.0
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
    half = {node.index: LETTER * width_of(node.name[:LONGEST]) / 2 for node in graph.nodes}
    placed = [_of_part(drawn.subgraph(part)) for part in parts]
    if tall:
        placed = [{i: (y, x) for i, (x, y) in part.items()} for part in placed]
    return _side_by_side(placed, half, TALL if tall else WIDE)


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
    scale = STEP * math.sqrt(len(order)) / 1.6 / np.abs(spots - spots.mean(axis=0)).max()
    return {i: (float(x) * scale * STRETCH, float(y) * scale) for i, (x, y) in zip(order, spots, strict=True)}


def _side_by_side(
    parts: list[dict[int, tuple[float, float]]], half: dict[int, float], aspect: float
) -> dict[int, tuple[float, float]]:
    """Set the parts in rows, the largest first.

    Args:
        parts: Places of the nodes of each part.
        half: Half the width of each node's label, which hangs below it.
        aspect: Width over height that the rows are broken for.
    """
    sizes = [_size(part, half) for part in parts]
    area = sum((width + LABEL_GAP) * (height + GAP) for width, height in sizes)
    widest = max([math.sqrt(aspect * area), *(width for width, _ in sizes)])
    places: dict[int, tuple[float, float]] = {}
    left = top = tallest = 0.0
    for part, (width, height) in zip(parts, sizes, strict=True):
        if left and left + width > widest:
            left, top, tallest = 0.0, top + tallest + GAP, 0.0
        low_x = min(x - half[index] for index, (x, _) in part.items())
        low_y = min(y for _, y in part.values())
        for index, (x, y) in part.items():
            places[index] = (round(left + x - low_x, 1), round(top + y - low_y, 1))
        left += width + LABEL_GAP
        tallest = max(tallest, height)
    return places


def _size(part: dict[int, tuple[float, float]], half: dict[int, float]) -> tuple[float, float]:
    ys = [y for _, y in part.values()]
    right = max(x + half[index] for index, (x, _) in part.items())
    left = min(x - half[index] for index, (x, _) in part.items())
    return max(right - left, SMALLEST), max(ys) - min(ys)
