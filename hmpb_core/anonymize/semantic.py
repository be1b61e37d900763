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
        self._counts: dict[int, int] = {}
        self._sums: dict[int, float] = {}
        self._ends: dict[int, float] = {}
        self._paths: dict[int, list[int]] = {}
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
        self._ends[code] = float(self._tree.end_depths[code])
        self._paths[code] = self._tree.nodes[code].tolist()

    def losses(self) -> Floats:
        tree, members = self._tree, sorted(self._sums)
        # With a member m as medoid the new value v adds d(v, m) = end(v) + end(m) - 2 depth(ancestor):
        # the least over m is one number for all values below the same nodes.
        keys = [self._sums[member] + self._ends[member] for member in members]
        paths = [self._paths[member] for member in members]
        floors = [min(keys)] * len(members)
        end = self._ends[members[0]] if self._even else 0.0
        least = np.full(len(tree.ends), floors[0] + end)
        for level, depth in enumerate(tree.depths[1:].tolist()):
            starts, stops = tree.starts[level], tree.stops[level]
            first = 0
            while depth > 0 and first < len(members):
                node, key, last = paths[first][level], keys[first], first + 1
                while last < len(members) and paths[last][level] == node:
                    key = min(key, keys[last])
                    last += 1
                if node >= 0:
                    found = min(floors[first], key - 2 * depth)
                    floors[first:last] = [found] * (last - first)
                    least[starts[node] : stops[node]] = found + end
                first = last
        if self._even:
            # A new value is never a better medoid than its nearest member.
            return least
        least += tree.end_depths
        return np.asarray(np.minimum(least, self._reach()), dtype=np.float64)

    def _reach(self) -> Floats:
        """For each value the sum of its distances to all members: the loss with itself as medoid."""
        tree, members = self._tree, np.array(list(self._counts))
        counts = np.array(list(self._counts.values()))
        reach = np.full(len(tree.ends), float(tree.end_depths[members] @ counts))
        for level, step in enumerate(np.diff(tree.depths).tolist()):
            nodes = tree.nodes[members, level]
            below = np.bincount(nodes[nodes >= 0], counts[nodes >= 0], minlength=1)
            for node in np.flatnonzero(below).tolist():
                low, high = tree.starts[level][node], tree.stops[level][node]
                reach[low:high] -= 2 * step * below[node]
        return np.asarray(reach + counts.sum() * tree.end_depths, dtype=np.float64)


class _SemanticShelf:
    """Bounds the medoid's loss by the greatest number of rows below one node, level by level.

    A medoid that ends at level L loses, over the ends of all rows, step_j (n - 2 N_j) at each level j up
    to L, N_j being the rows below its node there. The greatest number of rows below any node of a level
    stands for N_j. The numbers of a union are followed row by row: for the upper levels all classes are
    counted, for the lower ones, of many nodes, a list of each node's few classes is kept.
    """

    def __init__(self, tree: CodeTree, capacity: int) -> None:
        self._tree = tree
        self._steps = np.diff(tree.depths)
        self._even = tree.even
        self._used = 0
        self._levels = [level for level, step in enumerate(self._steps.tolist()) if step > 0]
        self._n_rows = np.zeros(capacity)
        self._ends = np.zeros(capacity)
        self._codes: list[Integers] = [np.empty(0, dtype=np.int64)] * capacity
        self._within: list[Floats | None] = [None] * capacity
        self._most = np.zeros((len(self._steps), capacity))
        self._together = np.zeros((len(self._steps), capacity))
        self._counts: list[NDArray[np.int16] | None] = []
        self._classes: list[dict[int, dict[int, int]]] = [{} for _ in self._steps]
        cells = 0
        for starts in tree.starts:
            cells += len(starts) * capacity
            fits = cells <= MAX_CELLS
            self._counts.append(np.zeros((len(starts), capacity), dtype=np.int16) if fits else None)
        self._n_own, self._end_own = 0, 0.0
        self._own: list[dict[int, int]] = [{} for _ in self._steps]

    def put(self, place: int, codes: Integers) -> None:
        self._used = max(self._used, place + 1)
        before, self._codes[place], self._within[place] = self._codes[place], codes, None
        self._n_rows[place] = len(codes)
        self._ends[place] = self._tree.end_depths[codes].sum()
        for level in self._levels:
            counts, classes = self._counts[level], self._classes[level]
            old = self._tree.nodes[before, level]
            if counts is not None:
                counts[old[old >= 0], place] = 0
            else:
                for node in old[old >= 0].tolist():
                    classes[node].pop(place, None)
            own: dict[int, int] = {}
            for node in self._tree.nodes[codes, level].tolist():
                if node >= 0:
                    own[node] = own.get(node, 0) + 1
            for node, count in own.items():
                if counts is not None:
                    counts[node, place] = count
                else:
                    classes.setdefault(node, {})[place] = count
            self._most[level, place] = max(own.values(), default=0)

    def begin(self) -> None:
        self._n_own, self._end_own = 0, 0.0
        self._own = [{} for _ in self._steps]
        used = self._used
        np.copyto(self._together[:, :used], self._most[:, :used])

    def add(self, codes: Integers) -> None:
        self._n_own += len(codes)
        self._end_own += float(self._tree.end_depths[codes].sum())
        for path in self._tree.nodes[codes].tolist():
            for level in self._levels:
                if (node := path[level]) < 0:
                    break
                own = self._own[level]
                count = own[node] = own.get(node, 0) + 1
                together, counts = self._together[level, : self._used], self._counts[level]
                if counts is not None:
                    np.maximum(together, counts[node, : self._used] + np.int16(count), out=together)
                    continue
                if count > 1 or not self._even:
                    np.maximum(together, count, out=together)
                for place, theirs in self._classes[level].get(node, {}).items():
                    together[place] = max(together[place], theirs + count)

    def floors(self, n_places: int) -> Floats:
        n_rows = self._n_rows[:n_places] + self._n_own
        ends = self._ends[:n_places] + self._end_own
        if self._even:
            bound: Floats = ends + n_rows * self._steps.sum()
            bound -= (2 * self._steps) @ self._together[:, :n_places]
            return bound
        saved = self._steps[:, None] * (n_rows - 2 * self._together[:, :n_places])
        at_end = np.cumsum(saved, axis=0)[np.unique(self._tree.ends) - 1]
        floors: Floats = ends + at_end.min(axis=0)
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
        within = np.concatenate([self._sums(place) for place in places.tolist()])
        losses: Floats = np.minimum(best, np.minimum.reduceat(within + across.sum(axis=0), starts))
        return losses

    def _sums(self, place: int) -> Floats:
        """Of each row of a class the sum of its distances to the others."""
        sums = self._within[place]
        if sums is None:
            codes = self._codes[place]
            sums = self._within[place] = self._tree.between(codes, codes).sum(axis=1)
        return sums
