"""Tables of pairs of attributes that a junction-tree model implies, all at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from hmpb_core.graphical.graph import Pair
from hmpb_core.graphical.inference import Table, TreeModel

_Block = tuple[int, NDArray[np.float64]]
"""An attribute behind an edge, and its joint table with the separator: values by separator cells."""


def pair_tables(model: TreeModel, wanted: Iterable[Pair]) -> dict[Pair, Table]:
    """Give the model's expected counts over pairs (i, j), i < j, in a clique or not.

    Pairs in a clique are read off it. For the others every tree edge carries, both ways, the
    joint tables P(a, separator) of all attributes a behind it at once; the next clique turns
    them by matrix products with its own P(. | separator). Two passes over the tree.
    """
    return _Walk(model, set(wanted)).tables()


class _Walk:
    def __init__(self, model: TreeModel, wanted: set[Pair]) -> None:
        self._model = model
        self._tree = model.tree
        self._wanted = wanted
        self._behind: dict[tuple[int, int], list[_Block]] = {}
        self._conditionals: dict[tuple[int, tuple[int, ...], tuple[int, ...]], Table] = {}
        self._reduced: dict[tuple[int, tuple[int, ...]], Table] = {}
        self._found: dict[Pair, Table] = {}
        self._near: dict[int, dict[tuple[int, ...], list[int]]] = {}
        self._partners: dict[int, int] = {}
        self._asked: dict[tuple[int, int], int] = {}

    def tables(self) -> dict[Pair, Table]:
        tree = self._tree
        for clique, members in enumerate(tree.cliques):
            for pair in itertools.combinations(members, 2):
                if pair in self._wanted and pair not in self._found:
                    self._found[pair] = self._table(clique, pair)
        if len(self._found) < len(self._wanted):
            self._look_ahead()
            for clique in reversed(tree.order[1:]):
                self._send(clique, tree.parents[clique])
            for clique in tree.order[1:]:
                self._send(tree.parents[clique], clique)
            for clique in range(len(tree.cliques)):
                self._collect(clique)
        return self._found

    def _look_ahead(self) -> None:
        """Find who is asked for beyond every tree edge, so that no table is carried where nobody asks."""
        tree = self._tree
        for i, j in self._wanted - self._found.keys():
            self._partners[i] = self._partners.get(i, 0) | 1 << j
            self._partners[j] = self._partners.get(j, 0) | 1 << i
        masks = [0] * len(tree.cliques)  # the partners of each clique's attributes
        for clique, members in enumerate(tree.cliques):
            for attribute in members:
                masks[clique] |= self._partners.get(attribute, 0)
        below = list(masks)
        for clique in reversed(tree.order[1:]):
            below[tree.parents[clique]] |= below[clique]
        above = [0] * len(masks)
        for clique in tree.order:
            children = [c for c in tree.neighbors[clique] if c != tree.parents[clique]]
            before = above[clique] | masks[clique]
            after = [0] * (len(children) + 1)
            for place in range(len(children) - 1, -1, -1):
                after[place] = after[place + 1] | below[children[place]]
            for place, child in enumerate(children):
                above[child] = before | after[place + 1]
                before |= below[child]
                self._asked[clique, child] = below[child]
                self._asked[child, clique] = above[child]

    def _cells(self, attributes: tuple[int, ...]) -> int:
        return math.prod(self._model.sizes[a] for a in attributes)

    def _table(self, clique: int, attributes: tuple[int, ...]) -> Table:
        key = (clique, attributes)
        if key not in self._reduced:
            self._reduced[key] = self._model.clique_table(clique, attributes)
        return self._reduced[key]

    def _send(self, source: int, target: int) -> None:
        """Gather the tables of everything behind the edge source -> target with its separator."""
        separator = self._tree.separator(source, target)
        asked = self._asked[source, target]
        cells = self._cells(separator)
        blocks = [
            (a, self._table(source, (a, *separator)).reshape(-1, cells))
            for a in self._tree.cliques[source]
            if a not in separator and asked >> a & 1
        ]
        for through, origins in self._origins(source).items():
            near = [
                block
                for origin in origins
                if origin != target
                for block in self._behind[origin, source]
                if asked >> block[0] & 1
            ]
            blocks += self._carry(near, source, through, separator)
        self._behind[source, target] = blocks

    def _origins(self, clique: int) -> dict[tuple[int, ...], list[int]]:
        """The neighbours of a clique by what they share with it: what comes from them is carried together."""
        if clique not in self._near:
            groups: dict[tuple[int, ...], list[int]] = {}
            for origin in self._tree.neighbors[clique]:
                groups.setdefault(self._tree.separator(origin, clique), []).append(origin)
            self._near[clique] = groups
        return self._near[clique]

    def _carry(
        self, blocks: list[_Block], clique: int, separator: tuple[int, ...], onto: tuple[int, ...]
    ) -> list[_Block]:
        """Turn joint tables with a separator of a clique into joint tables with some of its attributes."""
        if not blocks:
            return []
        rows = np.concatenate([block for _, block in blocks])
        shared = tuple(a for a in separator if a in onto)
        gone = tuple(a for a in separator if a not in onto)
        new = tuple(a for a in onto if a not in separator)
        sizes = (self._cells(shared), self._cells(gone), self._cells(new))
        height = len(rows)
        split = rows.reshape(height, *(self._model.sizes[a] for a in separator))
        at = {a: 1 + axis for axis, a in enumerate(separator)}
        lined_up = np.transpose(split, [*(at[a] for a in shared), 0, *(at[a] for a in gone)])
        conditional = self._conditional(clique, separator, onto, (*shared, *gone, *new), sizes)
        product = np.matmul(lined_up.reshape(sizes[0], height, sizes[1]), conditional)
        order = shared + new
        spread = np.transpose(product, (1, 0, 2)).reshape(height, *(self._model.sizes[a] for a in order))
        turned = np.transpose(spread, [0, *(1 + order.index(a) for a in onto)]).reshape(height, -1)
        ends = list(itertools.accumulate(len(block) for _, block in blocks))
        return [(a, turned[end - len(block) : end]) for (a, block), end in zip(blocks, ends, strict=True)]

    def _conditional(
        self,
        clique: int,
        separator: tuple[int, ...],
        onto: tuple[int, ...],
        attributes: tuple[int, ...],
        sizes: tuple[int, int, int],
    ) -> Table:
        """P(new | separator) of a clique, by what of the separator is kept and what is summed out."""
        key = (clique, separator, onto)
        if key not in self._conditionals:
            joint = self._table(clique, attributes).reshape(sizes)
            self._conditionals[key] = joint / np.maximum(joint.sum(axis=2, keepdims=True), 1e-30)
        return self._conditionals[key]

    def _collect(self, clique: int) -> None:
        """Read off the pairs of one attribute behind an edge and one that is new in the clique."""
        for attribute in self._tree.cliques[clique]:
            asked = self._partners.get(attribute, 0)
            if not asked:
                continue
            for separator, origins in self._origins(clique).items():
                if attribute in separator:
                    continue
                near = [
                    block
                    for origin in origins
                    for block in self._behind[origin, clique]
                    if asked >> block[0] & 1
                    and (min(block[0], attribute), max(block[0], attribute)) not in self._found
                ]
                for a, table in self._carry(near, clique, separator, (attribute,)):
                    self._found[min(a, attribute), max(a, attribute)] = table if a < attribute else table.T
