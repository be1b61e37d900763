"""What a growing class holds of a semantic attribute: codes in a hierarchy."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize.hierarchy import CodeTree
from hmpb_core.anonymize.measure import Ahead, Floats, Integers


class EvenCodeTally:
    """Values that all end at one level.

    With a member m as medoid a new value v adds d(v, m) = 2 end - 2 depth(ancestor): the least over m is
    one number for all values below the same nodes, and one for all that share no node with a member.

    Args:
        tree: Their tree.
    """

    def __init__(self, tree: CodeTree) -> None:
        self._tree = tree
        self._levels = [level for level, depth in enumerate(tree.depths[1:].tolist()) if depth > 0]
        self._end = float(tree.end_depths[0])
        # Distance of two values by the number of levels (of those that count) that they share.
        far = self._end + self._end
        self._away = [far, *(far - 2 * depth for depth in tree.depths.tolist() if depth > 0)]
        self._counts: dict[int, int] = {}
        self._sums: dict[int, float] = {}
        # The nodes on the members' paths, from the top: their numbers here, and what is above and how deep.
        self._numbers: dict[tuple[int, int], int] = {}
        self._above: list[tuple[int, float]] = [(0, 0.0)]
        self._passed: dict[int, list[int]] = {}
        self._number_of: NDArray[np.int16] = np.zeros(len(tree.ends), dtype=np.int16)
        self._ranges: list[tuple[int, int]] = []
        self.loss = 0.0

    @property
    def floor(self) -> float:
        """A lower bound of the loss that adds up: itself."""
        return self.loss

    def add(self, code: int) -> None:
        """Put a row with this code into the class."""
        passed = self._passed.get(code)
        is_new = passed is None
        if passed is None:
            passed = self._number(self._tree.nodes[code].tolist())
        reach, sums, counts, first = 0.0, self._sums, self._counts, passed[:1]
        for member, theirs in self._passed.items():
            shared = 0
            if theirs[:1] == first:
                for number, number_of_other in zip(passed, theirs, strict=True):
                    if number != number_of_other:
                        break
                    shared += 1
            away = self._away[shared]
            sums[member] += away
            reach += away * counts[member]
        if is_new:
            self._passed[code], counts[code], sums[code] = passed, 1, reach
        else:
            counts[code] += 1
        self.loss = min(sums.values())

    def _number(self, path: list[int]) -> list[int]:
        """Number the new nodes on a path, and note which values lie below them."""
        passed, above = [], 0
        for level in self._levels:
            node = path[level]
            number = self._numbers.get((level, node))
            if number is None:
                number = self._numbers[level, node] = len(self._above)
                self._above.append((above, float(self._tree.depths[level + 1])))
                start, stop = int(self._tree.starts[level][node]), int(self._tree.stops[level][node])
                self._number_of[start:stop] = number
                if not above:
                    self._ranges.append((start, stop))
            passed.append(number)
            above = number
        return passed

    def _by_number(self) -> Floats:
        """The loss after one more value below each numbered node, and no deeper one; 0 is elsewhere."""
        keys = [math.inf] * len(self._above)
        for member, passed in self._passed.items():
            key = self._sums[member] + self._end
            for number in passed:
                keys[number] = min(keys[number], key)
        keys[0] = min(self._sums.values()) + self._end
        for number, (above, depth) in enumerate(self._above):
            key, least = keys[number] - 2 * depth, keys[above]
            keys[number] = key if key < least else least
        # A new value is never a better medoid than its nearest member.
        return np.array(keys) + self._end

    def losses(self) -> Floats:
        """Loss after one more row of each value; shape (u,)."""
        by_number: Floats = self._by_number()[self._number_of]
        return by_number

    def ahead(self) -> Ahead:
        """The same, where few values are asked for."""
        by_number, number_of = self._by_number(), self._number_of
        return Ahead(
            rest=float(by_number[0]),
            least=float(np.minimum.reduce(by_number)),
            ranges=self._ranges,
            losses=lambda codes: by_number.take(number_of.take(codes)),
        )


class CodeTally:
    """Values that end at different levels.

    Args:
        tree: Their tree.
        loss_floor: Gives the bound of a class's loss that adds up.
    """

    def __init__(self, tree: CodeTree, loss_floor: Callable[[Integers], float]) -> None:
        self._tree = tree
        self._loss_floor = loss_floor
        self._counts: dict[int, int] = {}
        self._sums: dict[int, float] = {}
        self._ends: dict[int, float] = {}
        self._paths: dict[int, list[int]] = {}
        self.loss = 0.0

    @property
    def floor(self) -> float:
        """A lower bound of the loss that adds up."""
        return self._loss_floor(np.repeat(list(self._counts), list(self._counts.values())))

    def add(self, code: int) -> None:
        """Put a row with this code into the class."""
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
        """Loss after one more row of each value; shape (u,)."""
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
        """The same, where few values are asked for."""
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
