"""Semantic attributes: codes that lie in a hierarchy, with the medoid as centroid."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from hmpb_core.anonymize.code_shelves import CodeShelf, EvenCodeShelf
from hmpb_core.anonymize.code_tallies import CodeTally, EvenCodeTally
from hmpb_core.anonymize.hierarchy import CodeTree
from hmpb_core.anonymize.measure import Floats, Integers, Shelf, Tally


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
        return EvenCodeTally(self.tree) if self.tree.even else CodeTally(self.tree, self.loss_floor)

    def shelf(self, capacity: int) -> Shelf:
        """An empty shelf for this many classes."""
        return (EvenCodeShelf if self.tree.even else CodeShelf)(self, self.tree, capacity)

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
        bound adds up. Where all values end at one level the loss itself adds up: no value of another
        class is nearer to a class's rows than its own medoid.
        """
        if self.tree.even:
            return self.loss(codes)
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
        found = Counter(codes.tolist())
        values = np.array(sorted(found))
        counts = np.array([found[value] for value in values.tolist()])
        return values, self.tree.between(values, values) @ counts
