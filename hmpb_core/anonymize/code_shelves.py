"""A semantic attribute, codes in a hierarchy, of the finished classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize.hierarchy import CodeTree
from hmpb_core.anonymize.measure import Floats, Integers, Measure, Tally, TotalShelf

MAX_CELLS = 2 * 10**7
"""Largest table of counts, classes by nodes, that a shelf keeps: 40 MB."""


class CodeShelf(TotalShelf):
    """Works the losses of several unions out at once.

    Args:
        measure: The attribute's measure.
        tree: The tree of its values.
        capacity: Number of classes.
    """

    def __init__(self, measure: Measure, tree: CodeTree, capacity: int) -> None:
        super().__init__(measure, capacity)
        self._tree = tree
        # Of each row of a class the sum of its distances to the others.
        self._within: list[Floats] = [np.empty(0)] * capacity

    def put(self, place: int, codes: Integers) -> float:
        """Set the class at a place, and give a lower bound of its loss that adds up."""
        self._codes[place] = codes
        within = self._within[place] = np.add.reduce(self._tree.between(codes, codes), axis=1)
        # Where all values end at one level the loss itself adds up.
        floor = float(within.min()) if self._tree.even else self._measure.loss_floor(codes)
        self._floors[place] = floor
        return floor

    def losses_with(self, codes: Integers, places: Integers) -> Floats:
        """The loss of these rows together with each of these classes."""
        members = [self._codes[place] for place in places.tolist()]
        sizes = np.array([len(group) for group in members])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        own = self._tree.between(codes, codes).sum(axis=1)
        across = self._tree.between(codes, np.concatenate(members))
        # One of these rows as medoid: its distances to its own class and to each of the others.
        best = (own[:, None] + np.add.reduceat(across, starts, axis=1)).min(axis=0)
        within = np.concatenate([self._within[place] for place in places.tolist()])
        losses: Floats = np.minimum(best, np.minimum.reduceat(within + across.sum(axis=0), starts))
        return losses


class EvenCodeShelf(CodeShelf):
    """Values that all end at one level: a union is bounded by its rows below the same nodes.

    A medoid loses, over n rows, step_j (n - 2 N_j) at each level j and step_j n from there to the rows'
    ends, N_j being the rows below its node; the greatest number below any node of the level stands for N_j.
    It is found at the upper levels, where the nodes are few enough to keep the rows of every class below
    each. At the levels below, no more than all of both classes' greatest numbers lie below one
    node, and one row fewer unless the classes share a node of the first of these levels.
    """

    def __init__(self, measure: Measure, tree: CodeTree, capacity: int) -> None:
        super().__init__(measure, tree, capacity)
        self._levels = [level for level, depth in enumerate(tree.depths[1:].tolist()) if depth > 0]
        self._steps = np.diff(tree.depths[[0, *(level + 1 for level in self._levels)]]).tolist()
        self._n_rows = np.zeros(capacity)
        self._counts: list[NDArray[np.int16]] = []
        self._most: list[NDArray[np.int16]] = []
        cells = 0
        for level in self._levels:
            cells += len(tree.starts[level]) * capacity
            if cells > MAX_CELLS:
                break
            self._counts.append(np.zeros((len(tree.starts[level]), capacity), dtype=np.int16))
            self._most.append(np.zeros(capacity, dtype=np.int16))
        self._deep = self._levels[len(self._counts) :]
        self._deep_steps = self._steps[len(self._counts) :]
        # Of the levels below: steps times greatest numbers, and by node the classes with rows there.
        self._far_down = np.zeros(capacity)
        self._at_node: dict[int, set[int]] = {}

    def put(self, place: int, codes: Integers) -> float:
        """Set the class at a place, and give its loss, which adds up."""
        before = self._codes[place]
        loss = super().put(place, codes)
        self._n_rows[place] = len(codes)
        nodes = self._tree.nodes[codes].T.tolist()
        if len(before):
            nodes_before = self._tree.nodes[before]
            for counts, level in zip(self._counts, self._levels, strict=False):
                counts[nodes_before[:, level], place] = 0
            for node in set(nodes_before[:, self._deep[0]].tolist()) if self._deep else ():
                self._at_node[node].discard(place)
        for counts, most, level in zip(self._counts, self._most, self._levels, strict=False):
            below = _counted(nodes[level])
            counts[list(below), place] = list(below.values())
            most[place] = max(below.values())
        self._far_down[place] = 0.0
        for level, step in zip(self._deep, self._deep_steps, strict=True):
            below = _counted(nodes[level])
            self._far_down[place] += step * max(below.values())
            if level == self._deep[0]:
                for node in below:
                    self._at_node.setdefault(node, set()).add(place)
        return loss

    def together(self, growing: Tally, codes: Integers, places: Integers) -> Floats:
        """Lower bounds of the loss of a growing class, of these rows, with each of these classes."""
        nodes = self._tree.nodes[codes].T.tolist()
        alike = self._alike(set(nodes[self._deep[0]]), places) if self._deep else 0.0
        if len(codes) == 1:
            away = self._to_nearest([path[0] for path in nodes], places, alike)
            nearest: Floats = self._floors.take(places) + away
            return nearest
        own_deep = 0.0
        for level, step in zip(self._deep, self._deep_steps, strict=True):
            own_deep += step * (max(_counted(nodes[level]).values()) - 1)
        below = self._far_down.take(places) + own_deep
        below += sum(self._deep_steps) * alike
        for level, step, counts, most in zip(
            self._levels, self._steps, self._counts, self._most, strict=False
        ):
            own = _counted(nodes[level])
            both = counts[np.array(list(own))[:, None], places] + np.array(list(own.values()))[:, None]
            below += step * np.maximum(np.maximum.reduce(both, axis=0), most.take(places))
        floors: Floats = 2 * float(self._tree.end_depths[0]) * (self._n_rows.take(places) + len(codes))
        floors -= 2 * below
        return floors

    def _alike(self, nodes: set[int], places: Integers) -> Floats:
        """1 for each class with a row below one of these nodes of the first level that is not counted."""
        alike = np.zeros(len(self._n_rows))
        for node in nodes:
            there = self._at_node.get(node)
            if there:
                alike[list(there)] = 1.0
        return alike.take(places)

    def _to_nearest(self, path: list[int], places: Integers, alike: Floats | float) -> Floats:
        """A lower bound of the distance of a row from each class's nearest row."""
        away: Floats = np.full(len(places), 2 * float(self._tree.end_depths[0]))
        away -= 2 * sum(self._deep_steps) * alike
        for level, step, counts in zip(self._levels, self._steps, self._counts, strict=False):
            away -= 2 * step * (counts[path[level]].take(places) > 0)
        return away


def _counted(nodes: list[int]) -> dict[int, int]:
    below: dict[int, int] = {}
    for node in nodes:
        below[node] = below.get(node, 0) + 1
    return below
