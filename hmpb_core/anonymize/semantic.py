"""Semantic attributes: codes that lie in a hierarchy, with the medoid as centroid."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize.hierarchy import CodeTree
from hmpb_core.anonymize.measure import Ahead, Floats, Integers, Shelf, Tally, TotalShelf

MAX_CELLS = 2 * 10**7
"""Largest table of counts, classes by nodes, that a shelf keeps: 40 MB."""


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
        return _EvenTally(self.tree) if self.tree.even else _SemanticTally(self)

    def shelf(self, capacity: int) -> Shelf:
        """An empty shelf for this many classes."""
        return _SemanticShelf(self, capacity)

    def distances(self, code: int) -> Floats:
        """Distance of every value from one value, eq. 8 and 9."""
        return self.tree.distances(code, np.arange(self.n_values))

    def loss(self, codes: Integers) -> float:
        """Sum of the distances to the medoid."""
        return float(self._sums(codes)[1].min())

    def loss_floor(self, codes: Integers) -> float:
        """A lower bound of the loss, by the greatest number of rows below one node of each level.

        A medoid that ends at level L loses, over the ends of all n rows, step_j (n - 2 N_j) at each level
        j up to L, N_j being the rows below its node there. The greatest number below any node of the
        level stands for N_j; that of two classes together is at most the sum of theirs, so that the
        bound adds up.
        """
        n_rows, depths = len(codes), self.tree.depths.tolist()
        paths = self.tree.nodes[codes].tolist()
        saved, best = 0.0, math.inf
        for level, nodes in enumerate(zip(*paths, strict=True), start=1):
            below: dict[int, int] = {}
            for node in nodes:
                below[node] = below.get(node, 0) + 1
            below.pop(-1, None)
            saved += (depths[level] - depths[level - 1]) * (n_rows - 2 * max(below.values(), default=0))
            if level in self.tree.end_levels:
                best = min(best, saved)
        return float(self.tree.end_depths[codes].sum() + best)

    def centroid(self, codes: Integers) -> float:
        """Code of the medoid, eq. 10; the first of equals."""
        values, sums = self._sums(codes)
        return float(values[sums.argmin()])

    def _sums(self, codes: Integers) -> tuple[Integers, Floats]:
        values, counts = np.unique(codes, return_counts=True)
        return values, self.tree.between(values, values) @ counts


class _EvenTally:
    """Values that all end at one level.

    With a member m as medoid a new value v adds d(v, m) = 2 end - 2 depth(ancestor): the least over m is
    one number for all values below the same nodes, and one for all that share no node with a member.
    """

    def __init__(self, tree: CodeTree) -> None:
        self._tree = tree
        self._levels = [level for level, depth in enumerate(tree.depths[1:].tolist()) if depth > 0]
        self._depths: list[float] = tree.depths.tolist()
        self._end = float(tree.end_depths[0])
        self._counts: dict[int, int] = {}
        self._sums: dict[int, float] = {}
        self._paths: dict[int, list[int]] = {}
        # The nodes on the members' paths, from the top: their numbers here, what is above, rows below.
        self._numbers: list[dict[int, int]] = [{} for _ in self._levels]
        self._above: list[tuple[int, float]] = [(0, 0.0)]
        self._below: list[int] = [0]
        self.most = [0] * len(self._levels)
        self._first: list[int] = []
        self._most_of_rest = [0] * len(self._levels)
        self._passed: dict[int, list[int]] = {}
        self._number_of: NDArray[np.int16] = np.zeros(len(tree.ends), dtype=np.int16)
        self._ranges: list[tuple[int, int]] = []
        self.n_rows = 0
        self.loss = self.floor = self.floor_of_rest = 0.0

    def add(self, code: int) -> None:
        self.n_rows += 1
        path = self._paths.get(code) or self._tree.nodes[code].tolist()
        away = [self._away(path, other) for other in self._paths.values()]
        for member, distance in zip(self._sums, away, strict=True):
            self._sums[member] += distance
        if code in self._counts:
            self._counts[code] += 1
        else:
            self._sums[code] = sum(d * n for d, n in zip(away, self._counts.values(), strict=True))
            self._counts[code], self._paths[code] = 1, path
            self._passed[code] = self._number(path)
        self.loss = min(self._sums.values())
        self._count(self._passed[code])

    def _away(self, path: list[int], other: list[int]) -> float:
        shared = 0
        for node, node_of_other in zip(path, other, strict=True):
            if node != node_of_other:
                break
            shared += 1
        return self._end + self._end - 2 * self._depths[shared]

    def _number(self, path: list[int]) -> list[int]:
        """Number the new nodes on a path, and note which values lie below them."""
        passed, above = [], 0
        for i, level in enumerate(self._levels):
            node = path[level]
            number = self._numbers[i].get(node)
            if number is None:
                number = self._numbers[i][node] = len(self._above)
                self._above.append((above, self._depths[level + 1]))
                self._below.append(0)
                start, stop = int(self._tree.starts[level][node]), int(self._tree.stops[level][node])
                self._number_of[start:stop] = number
                if not i:
                    self._ranges.append((start, stop))
            passed.append(number)
            above = number
        return passed

    def _count(self, passed: list[int]) -> None:
        self._first = self._first or passed
        for i, number in enumerate(passed):
            self._below[number] += 1
            self.most[i] = max(self.most[i], self._below[number])
            if self.n_rows > 1:
                of_rest = self._below[number] - (number == self._first[i])
                self._most_of_rest[i] = max(self._most_of_rest[i], of_rest)
        self.floor = self._bound(self.n_rows, self.most)
        self.floor_of_rest = self._bound(self.n_rows - 1, self._most_of_rest)

    def _bound(self, n_rows: int, most: list[int]) -> float:
        bound, before = n_rows * self._end, 0.0
        for level, below in zip(self._levels, most, strict=True):
            depth = self._depths[level + 1]
            bound += (depth - before) * (n_rows - 2 * below)
            before = depth
        return bound

    def below(self, i: int) -> dict[int, int]:
        """Of each node on the members' paths the number of rows below it, at a level that counts."""
        return {node: self._below[number] for node, number in self._numbers[i].items()}

    def _by_number(self) -> Floats:
        """The loss after one more value below each numbered node, and no deeper one; 0 is elsewhere."""
        keys = [math.inf] * len(self._above)
        for member, passed in self._passed.items():
            key = self._sums[member] + self._end
            for number in (0, *passed):
                keys[number] = min(keys[number], key)
        for number, (above, depth) in enumerate(self._above):
            keys[number] = min(keys[above], keys[number] - 2 * depth)
        # A new value is never a better medoid than its nearest member.
        return np.array(keys) + self._end

    def losses(self) -> Floats:
        by_number: Floats = self._by_number()[self._number_of]
        return by_number

    def ahead(self) -> Ahead:
        by_number, number_of = self._by_number(), self._number_of
        rest = float(by_number[0])
        return Ahead(
            rest=rest, ranges=self._ranges, losses=lambda codes: by_number.take(number_of.take(codes))
        )


class _SemanticTally:
    """Values that end at different levels."""

    def __init__(self, measure: Semantic) -> None:
        self._measure = measure
        self._tree = measure.tree
        self._counts: dict[int, int] = {}
        self._sums: dict[int, float] = {}
        self._ends: dict[int, float] = {}
        self._paths: dict[int, list[int]] = {}
        self.loss = self.floor = self.floor_of_rest = 0.0

    def add(self, code: int) -> None:
        self._add(code)
        self.loss = min(self._sums.values())
        members = np.repeat(np.array(list(self._counts)), np.array(list(self._counts.values())))
        self.floor = self._measure.loss_floor(members)

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
        least = np.full(len(tree.ends), floors[0])
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
                    least[starts[node] : stops[node]] = found
                first = last
        least += tree.end_depths
        return np.asarray(np.minimum(least, self._reach()), dtype=np.float64)

    def ahead(self) -> Ahead:
        return Ahead.of_all(self.losses())

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


class _SemanticShelf(TotalShelf):
    """Works on several classes at once, and bounds a union's loss by the rows below the same nodes.

    ``Semantic.loss_floor`` of a union is worked out where the nodes of a level are few enough to count
    the rows of every class below each; below, a node of the union has no more rows than one above it.
    """

    def __init__(self, measure: Semantic, capacity: int) -> None:
        super().__init__(measure, capacity)
        tree = self._tree = measure.tree
        self._within: list[Floats | None] = [None] * capacity
        self._levels = [level for level, depth in enumerate(tree.depths[1:].tolist()) if depth > 0]
        self._steps = np.diff(tree.depths[[0, *(level + 1 for level in self._levels)]]).tolist()
        self._most = np.zeros((len(self._levels), capacity))
        self._n_rows = np.zeros(capacity)
        self._counts: list[NDArray[np.int16]] = []
        cells = 0
        for level in self._levels if tree.even else []:
            cells += len(tree.starts[level]) * capacity
            if cells > MAX_CELLS:
                break
            self._counts.append(np.zeros((len(tree.starts[level]), capacity), dtype=np.int16))
        # Of the nodes of the levels below: the classes that have rows there, and how many.
        self._few: list[dict[int, dict[int, int]]] = [{} for _ in self._levels]

    def put(self, place: int, codes: Integers) -> None:
        before = self._codes[place]
        super().put(place, codes)
        self._within[place] = None
        self._n_rows[place] = len(codes)
        if not self._tree.even:
            return
        nodes = self._tree.nodes[codes].T.tolist()
        for i, level in enumerate(self._levels):
            below: dict[int, int] = {}
            for node in nodes[level]:
                below[node] = below.get(node, 0) + 1
            self._most[i, place] = max(below.values())
            if i < len(self._counts):
                self._counts[i][self._tree.nodes[before, level], place] = 0
                self._counts[i][list(below), place] = list(below.values())
                continue
            for node in self._tree.nodes[before, level].tolist():
                self._few[i][node].pop(place, None)
            for node, count in below.items():
                self._few[i].setdefault(node, {})[place] = count

    def added_by(self, code: int, n_places: int) -> Floats | None:
        if not self._tree.even:
            return None
        most = self._most[:, :n_places]
        added = np.full(n_places, 2 * float(self._tree.end_depths[0]))
        path = self._tree.nodes[code].tolist()
        for i, (level, step) in enumerate(zip(self._levels, self._steps, strict=True)):
            node = path[level]
            if i < len(self._counts):
                added[self._counts[i][node, :n_places] >= most[i]] -= 2 * step
                continue
            for place, count in self._few[i].get(node, {}).items():
                if count >= most[i, place]:
                    added[place] -= 2 * step
        return added

    def floors_with(self, growing: Tally, places: Integers) -> Floats:
        if not isinstance(growing, _EvenTally):
            return super().floors_with(growing, places)
        n_rows = self._n_rows[places] + growing.n_rows
        floors, together = n_rows * float(self._tree.end_depths[0]), n_rows
        for i, step in enumerate(self._steps):
            if i < len(self._counts):
                below = growing.below(i)
                theirs = self._counts[i].take(list(below), axis=0).take(places, axis=1)
                theirs += np.array(list(below.values()), dtype=np.int16)[:, None]
                together = np.maximum(self._most[i, places], np.maximum.reduce(theirs))
            else:
                together = np.minimum(together, self._most[i, places] + growing.most[i])
            floors += step * (n_rows - 2 * together)
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
