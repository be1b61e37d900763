"""The code hierarchy tree: how far apart two codes are that share part of their path.

A value is a path from the root, such as the digits of a postal code or (continent, country, city).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CodeTree:
    """Paths as a tree, in the order of their codes, and the depth of each node in weighted steps.

    Attributes:
        nodes: Number of the node that each value passes at each level below the root; -1 below a
            value that ends above the last level. Values are in the order of their paths, so that the
            values under a node are neighbours. Shape (u, levels).
        starts: First value under each node, and its length below; one array a level.
        stops: One past the last value under each node; one array a level.
        depths: Weighted depth of each level below the root, scaled; shape (levels + 1,), depths[0] = 0.
        ends: Level at which each value ends; shape (u,).
        end_depths: Its weighted depth; shape (u,).
        end_levels: The different levels at which values end, rising.
    """

    nodes: Integers
    starts: tuple[Integers, ...]
    stops: tuple[Integers, ...]
    depths: Floats
    ends: Integers
    end_depths: Floats
    end_levels: tuple[int, ...]

    @classmethod
    def of_paths(
        cls, paths: Sequence[Sequence[str]], *, beta: float = 1.0, root_weight: float = 0.0
    ) -> CodeTree:
        """Build the tree of sorted, different paths.

        The step from level j-1 to level j weighs W = 1 / (j - 1)^beta, the root being level 1; the
        first step, from the root, weighs ``root_weight``. Distances are divided by the greatest one
        between two values, so that they fill [0, 1] (eq. 9; the least is 0, of a value with itself).

        Source: [Yang2014, eq. 8 and 9; W_{1,2} = 0 and beta = 1 in section 3.2].
        """
        levels = max(len(path) for path in paths)
        nodes = np.full((len(paths), levels), -1, dtype=np.int64)
        starts: list[Integers] = []
        stops: list[Integers] = []
        for level in range(levels):
            first: list[int] = []
            last: list[int] = []
            before: Sequence[str] | None = None
            for value, path in enumerate(paths):
                if len(path) <= level:
                    before = None
                    continue
                head = path[: level + 1]
                if head != before:
                    first.append(value)
                    last.append(value)
                    before = head
                last[-1] = value + 1
                nodes[value, level] = len(first) - 1
            starts.append(np.array(first, dtype=np.int64))
            stops.append(np.array(last, dtype=np.int64))
        weights = np.array([root_weight] + [1.0 / j**beta for j in range(2, levels + 1)])
        depths = np.concatenate([[0.0], np.cumsum(weights)])
        ends = (nodes >= 0).sum(axis=1)
        widest = _widest(nodes, depths)
        depths = depths / (widest if widest > 0 else 1.0)
        return cls(
            nodes=nodes,
            starts=tuple(starts),
            stops=tuple(stops),
            depths=depths,
            ends=ends,
            end_depths=depths[ends],
            end_levels=tuple(np.unique(ends).tolist()),
        )

    @property
    def even(self) -> bool:
        """Whether all values end at the same level."""
        return bool((self.ends == self.nodes.shape[1]).all())

    def shared(self, value: int, others: Integers) -> Integers:
        """Number of levels that a value shares with each of the others."""
        same = (self.nodes[others] == self.nodes[value]) & (self.nodes[value] >= 0)
        shared: Integers = np.logical_and.accumulate(same, axis=1).sum(axis=1)
        return shared

    def distances(self, value: int, others: Integers) -> Floats:
        """Distance of a value from each of the others, through the nearest common ancestor, eq. 8."""
        steps = self.end_depths[value] + self.end_depths[others]
        out: Floats = steps - 2 * self.depths[self.shared(value, others)]
        return out

    def between(self, values: Integers, others: Integers) -> Floats:
        """Distances of values from others; shape (values, others)."""
        # A node has one number in its level: whoever shares it shares all that is above.
        nodes = self.nodes[values][:, None]
        same = nodes == self.nodes[others]
        if len(self.end_levels) > 1:
            same &= nodes >= 0
        shared = np.add.reduce(same, axis=2)
        out: Floats = self.end_depths[values][:, None] + self.end_depths[others] - 2 * self.depths[shared]
        return out


def _widest(nodes: Integers, depths: Floats) -> float:
    """The greatest distance between two values: the two deepest below different children of a node."""
    deep = depths[(nodes >= 0).sum(axis=1)]
    n_levels = nodes.shape[1]
    nowhere = np.full(len(nodes), -1)
    widest = 0.0
    for level in range(n_levels + 1):
        parents = nodes[:, level - 1] if level else np.zeros(len(nodes), dtype=np.int64)
        children = nodes[:, level] if level < n_levels else nowhere
        best: dict[int, tuple[float, int, float]] = {}
        for parent, child, depth in zip(parents.tolist(), children.tolist(), deep.tolist(), strict=True):
            if parent < 0:
                continue
            top, owner, second = best.get(parent, (-1.0, -2, -1.0))
            if child == owner:
                best[parent] = (max(top, depth), owner, second)
            elif depth > top:
                best[parent] = (depth, child, top)
            else:
                best[parent] = (top, owner, max(second, depth))
        pairs = [top + second for top, _, second in best.values() if second >= 0]
        widest = max(widest, max(pairs, default=0.0) - 2 * float(depths[level]))
    return widest
