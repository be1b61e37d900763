"""Tables of pairs of attributes that a junction-tree model implies, all at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from hmpb_core.graphical.graph import Pair
from hmpb_core.graphical.inference import Table, TreeModel

_Rows = tuple[list[int], NDArray[np.float64]]
"""Attributes behind an edge, and their joint tables with the separator: stacked rows by separator cells."""


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
        self._behind: dict[tuple[int, int], _Rows] = {}
        self._reduced: dict[tuple[int, tuple[int, ...]], Table] = {}
        self._found: dict[Pair, Table] = {}
        self._partners: dict[int, int] = {}
        self._beyond: dict[tuple[int, int], int] = {}

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
                for origin in tree.neighbors[clique]:
                    self._collect(origin, clique)
        return self._found

    def _look_ahead(self) -> None:
        """Find who is beyond every tree edge, so that no table is carried where nobody asks for it."""
        tree = self._tree
        for i, j in self._wanted - self._found.keys():
            self._partners[i] = self._partners.get(i, 0) | 1 << j
            self._partners[j] = self._partners.get(j, 0) | 1 << i
        masks = [sum(1 << a for a in clique) for clique in tree.cliques]
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
                self._beyond[clique, child] = below[child]
                self._beyond[child, clique] = above[child]

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
        beyond = self._beyond[source, target]
        own = [
            a for a in self._tree.cliques[source] if a not in separator and self._partners.get(a, 0) & beyond
        ]
        attributes = list(own)
        cells = self._cells(separator)
        rows = [self._table(source, (a, *separator)).reshape(-1, cells) for a in own]
        for origin in self._tree.neighbors[source]:
            if origin != target:
                behind, carried = self._carry(origin, source, separator, beyond)
                attributes += behind
                rows.append(carried)
        stacked = np.concatenate(rows) if rows else np.zeros((0, cells))
        self._behind[source, target] = attributes, stacked

    def _asked(self, origin: int, clique: int, beyond: int) -> _Rows:
        """Of what came over an edge keep the attributes that somebody beyond asks for."""
        behind, rows = self._behind[origin, clique]
        kept = [a for a in behind if self._partners[a] & beyond]
        if len(kept) == len(behind):
            return behind, rows
        mask = np.repeat(
            [bool(self._partners[a] & beyond) for a in behind], [self._model.sizes[a] for a in behind]
        )
        return kept, rows[mask]

    def _carry(self, origin: int, clique: int, onto: tuple[int, ...], beyond: int) -> _Rows:
        """Turn what came over origin -> clique into joint tables with some of the clique's attributes."""
        behind, rows = self._asked(origin, clique, beyond)
        if not behind:
            return [], np.zeros((0, self._cells(onto)))
        separator = self._tree.separator(origin, clique)
        shared = tuple(a for a in separator if a in onto)
        gone = tuple(a for a in separator if a not in onto)
        new = tuple(a for a in onto if a not in separator)
        sizes = (self._cells(shared), self._cells(gone), self._cells(new))
        joint = self._table(clique, shared + gone + new).reshape(sizes)
        conditional = joint / np.maximum(joint.sum(axis=2, keepdims=True), 1e-30)
        height = len(rows)
        split = rows.reshape(height, *(self._model.sizes[a] for a in separator))
        at = {a: 1 + axis for axis, a in enumerate(separator)}
        lined_up = np.transpose(split, [*(at[a] for a in shared), 0, *(at[a] for a in gone)])
        product = np.matmul(lined_up.reshape(sizes[0], height, sizes[1]), conditional)
        order = shared + new
        spread = np.transpose(product, (1, 0, 2)).reshape(height, *(self._model.sizes[a] for a in order))
        turned = np.transpose(spread, [0, *(1 + order.index(a) for a in onto)])
        return behind, turned.reshape(height, -1)

    def _collect(self, origin: int, clique: int) -> None:
        """Read off the pairs of one attribute behind the edge and one that is new in the clique."""
        separator = self._tree.separator(origin, clique)
        for attribute in self._tree.cliques[clique]:
            if attribute in separator:
                continue
            behind, rows = self._carry(origin, clique, (attribute,), 1 << attribute)
            start = 0
            for a in behind:
                pair = (min(a, attribute), max(a, attribute))
                end = start + self._model.sizes[a]
                if pair not in self._found:
                    block = rows[start:end]
                    self._found[pair] = block if pair[0] == a else block.T
                start = end
