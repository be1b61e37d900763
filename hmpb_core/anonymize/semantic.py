"""Semantic attributes: codes that lie in a hierarchy, with the medoid as centroid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize.hierarchy import CodeTree
from hmpb_core.anonymize.measure import Floats, Integers, Shelf, Tally
from hmpb_core.anonymize.nominal import MAX_CELLS


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Semantic:
    """Codes in a code hierarchy tree: distance through the nearest common ancestor, medoid as centroid.

    Source: [Yang2014, definition 6, eq. 8 to 10].

    Attributes:
        tree: The tree of the values; their codes follow the order of their paths.
    """

    tree: CodeTree

    @property
    def n_values(self) -> int:
        """Number of values."""
        return len(self.tree.nodes)

    def start(self) -> Tally:
        """The tally of an empty class."""
        return _SemanticTally(self.tree)

    def shelf(self, capacity: int) -> Shelf:
        """An empty shelf for this many classes."""
        return _SemanticShelf(self.tree, capacity)

    def distances(self, code: int) -> Floats:
        """Distance of every value from one value, eq. 8 and 9."""
        return self.tree.distances(code, np.arange(self.n_values))

    def loss(self, codes: Integers) -> float:
        """Sum of the distances to the medoid."""
        return float(self._sums(codes)[1].min())

    def loss_floor(self, codes: Integers) -> float:
        """Sum of the distances to the best node of the tree, a value or not.

        Walking down from the root, a step into a node brings its values nearer and takes the others
        further away: it pays while the node holds more than half of the rows.
        """
        nodes, depths = self.tree.nodes[codes], self.tree.depths
        total = float(depths[(nodes >= 0).sum(axis=1)].sum())
        inside = np.ones(len(codes), dtype=bool)
        for level in range(nodes.shape[1]):
            here = nodes[inside, level]
            here = here[here >= 0]
            if not len(here):
                break
            node, count = max(
                zip(*np.unique(here, return_counts=True), strict=True), key=lambda pair: pair[1]
            )
            if 2 * count <= len(codes):
                break
            total -= float(2 * count - len(codes)) * float(depths[level + 1] - depths[level])
            inside &= nodes[:, level] == node
        return total

    def centroid(self, codes: Integers) -> float:
        """Code of the medoid, eq. 10; the first of equals."""
        values, sums = self._sums(codes)
        return float(values[sums.argmin()])

    def _sums(self, codes: Integers) -> tuple[Integers, Floats]:
        values, counts = np.unique(codes, return_counts=True)
        return values, self.tree.between(values, values) @ counts


class _SemanticTally:
    def __init__(self, tree: CodeTree) -> None:
        self._tree = tree
        self._even = tree.even
        self._ends = tree.end_depths
        self._paths: dict[int, tuple[int, ...]] = {}
        self._counts: dict[int, int] = {}
        self._sums: dict[int, float] = {}
        self.loss = 0.0

    def add(self, codes: Integers) -> None:
        for code in codes.tolist():
            self._add(code)
        self.loss = min(self._sums.values())

    def _add(self, code: int) -> None:
        members = np.fromiter(self._counts, dtype=np.int64, count=len(self._counts))
        away = self._tree.distances(code, members).tolist()
        for member, distance in zip(self._sums, away, strict=True):
            self._sums[member] += distance
        if code in self._counts:
            self._counts[code] += 1
            return
        self._sums[code] = sum(d * n for d, n in zip(away, self._counts.values(), strict=True))
        self._counts[code] = 1
        self._paths[code] = tuple(self._tree.nodes[code].tolist())

    def losses(self) -> Floats:
        tree = self._tree
        n = sum(self._counts.values())
        ends = self._ends
        # With a member m as medoid the new value v adds d(v, m) = end(v) + end(m) - 2 depth(ancestor):
        # the least over m is one number for all values below the same nodes.
        keys = {m: s + float(ends[m]) for m, s in self._sums.items()}
        least = min(keys.values())
        old = np.full(len(ends), least)
        # With v itself as medoid the loss is the sum of its distances to all members.
        reach = np.full(len(ends), float(sum(ends[m] * c for m, c in self._counts.items())))
        floor: dict[int, float] = {-1: least}
        passed: dict[int, float] = {-1: float(reach[0])}
        for level in range(tree.nodes.shape[1]):
            below: dict[int, list[int]] = {}
            for member, path in self._paths.items():
                if path[level] >= 0:
                    below.setdefault(path[level], []).append(member)
            depth, step = float(tree.depths[level + 1]), float(tree.depths[level + 1] - tree.depths[level])
            next_floor, next_passed = {}, {}
            for node, members in below.items():
                parent = self._paths[members[0]][level - 1] if level else -1
                low, high = int(tree.starts[level][node]), int(tree.stops[level][node])
                next_floor[node] = min(floor[parent], min(keys[m] for m in members) - 2 * depth)
                old[low:high] = next_floor[node]
                if not self._even:
                    next_passed[node] = passed[parent] - 2 * step * sum(self._counts[m] for m in members)
                    reach[low:high] = next_passed[node]
            floor, passed = next_floor, next_passed
        old += ends
        if not self._even:
            # Where all values end at one level a new value is never a better medoid than its nearest member.
            np.minimum(old, reach + n * ends, out=old)
        return old


class _SemanticShelf:
    """Bounds by the loss about the best node of the tree (``Semantic.loss_floor``) of both classes.

    At each level it needs the greatest number of rows below one node. That is counted for the upper
    levels; for the lower ones, of too many nodes, it is bounded by the level above and by the sum of
    the two classes' own greatest numbers.
    """

    def __init__(self, tree: CodeTree, capacity: int) -> None:
        self._tree = tree
        self._steps = np.diff(tree.depths)
        self._n_rows = np.zeros(capacity)
        self._ends = np.zeros(capacity)
        self._most = np.zeros((len(self._steps), capacity))
        self._codes: list[Integers] = [np.empty(0, dtype=np.int64)] * capacity
        self._within: list[Floats] = [np.empty(0)] * capacity
        self._counts: list[NDArray[np.int16] | None] = []
        cells = 0
        for starts in tree.starts:
            cells += len(starts) * capacity
            fits = cells <= MAX_CELLS
            self._counts.append(np.zeros((len(starts), capacity), dtype=np.int16) if fits else None)

    def put(self, place: int, codes: Integers) -> None:
        self._codes[place] = codes
        self._within[place] = self._tree.between(codes, codes).sum(axis=1)
        self._n_rows[place] = len(codes)
        self._ends[place] = self._tree.end_depths[codes].sum()
        for level, counts in enumerate(self._counts):
            nodes = self._tree.nodes[codes, level]
            nodes = nodes[nodes >= 0]
            own = np.bincount(nodes, minlength=1)
            self._most[level, place] = own.max()
            if counts is not None:
                counts[:, place] = 0
                counts[: len(own), place] = own

    def floors_with(self, codes: Integers, places: Integers) -> Floats:
        n_rows = self._n_rows[places] + len(codes)
        floors: Floats = self._ends[places] + self._tree.end_depths[codes].sum()
        above = n_rows
        for level, (step, counts) in enumerate(zip(self._steps.tolist(), self._counts, strict=True)):
            if step <= 0:
                continue
            nodes = self._tree.nodes[codes, level]
            own, n_own = np.unique(nodes[nodes >= 0], return_counts=True)
            most = self._most[level, places]
            if counts is None:
                most = np.minimum(above, most + n_own.max(initial=0))
            else:
                for node, count in zip(own.tolist(), n_own.tolist(), strict=True):
                    np.maximum(most, counts[node, places] + count, out=most)
            floors -= np.maximum(0.0, 2 * most - n_rows) * step
            above = most
        return floors

    def losses_with(self, codes: Integers, places: Integers) -> Floats:
        members = [self._codes[place] for place in places.tolist()]
        sizes = np.array([len(group) for group in members])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        theirs = np.concatenate(members)
        tree = self._tree
        own = tree.between(codes, codes).sum(axis=1)
        across = tree.between(codes, theirs)
        # One of these rows as medoid: its distances to its own class and to each of the others.
        best = (own[:, None] + np.add.reduceat(across, starts, axis=1)).min(axis=0)
        within = np.concatenate([self._within[place] for place in places.tolist()])
        losses: Floats = np.minimum(best, np.minimum.reduceat(within + across.sum(axis=0), starts))
        return losses
