"""Mutual information of many families of two-valued attributes, kept from round to round."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.marginal import combination
from hmpb_core.network import Family
from hmpb_core.sources.bits import BitRows
from hmpb_core.stages.binary_information import binary_information, cells_of_ones

MAX_TENSOR = 40_000_000
"""Largest array of shared counts, in entries: d^l."""
_CHUNK = 1 << 13
"""Families scored at a time: their tables stay in a core's cache."""


class BitFamilyScores:
    """I(child; parents) of every candidate of a network that grows by one attribute a round.

    The candidates of a child are the sets of min(l, |V'|) of its placed partners V', in lexicographic
    order. A round adds only those that hold the attribute placed last; every family is counted once.
    Its table of 2^(l+1) cells follows by inclusion and exclusion from how many rows are 1 in all
    attributes of each of its subsets: those of up to l attributes are counted once for all families
    (``BitRows.ones``), so that a family adds a single AND and popcount.

    The scores equal ``mutual_information`` of the family's table to the last bit.

    Args:
        bits: The private rows of the cluster's attributes in ascending order.
        cluster: Attribute indices, in the order in which children are listed.
        kept: Marks the pairs that may be child and parent.
        max_parents: l.
    """

    def __init__(
        self, bits: BitRows, cluster: Sequence[int], kept: NDArray[np.bool_], max_parents: int
    ) -> None:
        self._bits, self._l = bits, max_parents
        self._names = sorted(cluster)  # inside, attributes go by their place in this list
        self._kept = kept[np.ix_(self._names, self._names)]
        self._ones = bits.ones(max_parents) if max_parents else np.zeros(0, dtype=np.int32)
        self._waiting = [self._names.index(attribute) for attribute in cluster]
        self._partners: dict[int, list[int]] = {child: [] for child in self._waiting}
        self._scores: dict[int, NDArray[np.float64]] = {child: np.zeros(1) for child in self._waiting}

    @staticmethod
    def fits(n_attributes: int, max_parents: int) -> bool:
        """Whether the shared counts fit into memory."""
        return int(n_attributes**max_parents) <= MAX_TENSOR

    def place(self, attribute: int) -> None:
        """Take an attribute off the children and score the families that it makes possible."""
        attribute = self._names.index(attribute)
        self._waiting.remove(attribute)
        del self._scores[attribute]
        if self._l == 0:
            return
        groups: dict[tuple[int, ...], list[int]] = {}
        for child in self._waiting:
            if self._kept[child, attribute]:
                groups.setdefault(tuple(self._partners[child]), []).append(child)
        for partners, children in groups.items():
            self._extend(attribute, partners, children)

    def scores(self) -> NDArray[np.float64]:
        """The scores of all candidates, child by child."""
        return np.concatenate([self._scores[child] for child in self._waiting])

    def family(self, index: int) -> Family:
        """The candidate of this index in ``scores``."""
        for child in self._waiting:
            count = len(self._scores[child])
            if index < count:
                allowed = self._partners[child]
                chosen = combination(index, len(allowed), min(self._l, len(allowed)))
                return Family(
                    child=self._names[child], parents=tuple(self._names[allowed[i]] for i in chosen)
                )
            index -= count
        raise IndexError(index)

    def _extend(self, attribute: int, partners: Sequence[int], children: Sequence[int]) -> None:
        """Score the families of some children, all of the same partners, that hold a new partner."""
        allowed = sorted((*partners, attribute))
        size = min(self._l, len(allowed))
        rest = np.asarray(partners, dtype=np.intp)[_combinations(len(partners), size - 1)]
        added = np.full((len(rest), 1), attribute, dtype=np.intp)
        parents = np.sort(np.concatenate([rest, added], axis=1), axis=1)
        found = self._information(attribute, rest, parents, children)
        place = allowed.index(attribute)
        new = (_combinations(len(allowed), size) == place).any(axis=1)
        for child, scores in zip(children, found, strict=True):
            self._partners[child] = allowed
            merged = np.empty(len(new))
            merged[new] = scores
            if len(allowed) > self._l:  # else the one set of all partners takes the place of the last one
                merged[~new] = self._scores[child]
            self._scores[child] = merged

    def _information(
        self,
        attribute: int,
        rest: NDArray[np.intp],
        parents: NDArray[np.intp],
        children: Sequence[int],
    ) -> list[NDArray[np.float64]]:
        """I(child; parents) for every child and every set of parents = rest + attribute."""
        size, d = parents.shape[1], len(self._kept)
        subsets = list(itertools.product((False, True), repeat=size))
        whole = len(subsets) - 1
        found = [np.empty(len(parents)) for _ in children]
        cells = np.empty((2 * len(subsets), min(_CHUNK, len(parents))), dtype=np.int32)
        for start in range(0, len(parents), _CHUNK):
            part = parents[start : start + _CHUNK]
            largest = self._bits.ones_with(attribute, rest[start : start + _CHUNK], children)
            # Of each subset of the parents: its rows that are 1 throughout, without and with the child.
            alone = [self._alone(part[:, np.array(chosen)]) for chosen in subsets]
            beside = [_index(part[:, np.array(chosen)], self._l - 1, d) for chosen in subsets[:whole]]
            for place, child in enumerate(children):
                table = cells[:, : len(part)]
                with_child = self._ones[child].reshape(-1)
                for number, chosen in enumerate(subsets):
                    table[2 * number] = alone[number]
                    if number < whole:
                        empty = not any(chosen)
                        table[2 * number + 1] = (
                            self._single(child) if empty else with_child.take(beside[number])
                        )
                table[2 * whole + 1] = largest[place]
                cells_of_ones(table)
                found[place][start : start + _CHUNK] = binary_information(table, self._bits.n_rows)
        return found

    def _alone(self, members: NDArray[np.intp]) -> NDArray[np.int32] | int:
        """Rows that are 1 in all of each set; all rows where the sets are empty."""
        if members.shape[1] == 0:
            return self._bits.n_rows
        index = _index(members, self._l, len(self._kept))
        counts: NDArray[np.int32] = self._ones.reshape(-1)[index]
        return counts

    def _single(self, child: int) -> int:
        return int(self._ones[(child,) * self._l])


def _index(members: NDArray[np.intp], order: int, d: int) -> NDArray[np.intp]:
    """Where ``BitRows.ones`` of an order keeps some sets; the last member is repeated."""
    index = np.zeros(len(members), dtype=np.intp)
    if members.shape[1] == 0:
        return index
    for axis in range(order):
        index *= d
        index += members[:, min(axis, members.shape[1] - 1)]
    return index


def _combinations(n: int, size: int) -> NDArray[np.intp]:
    """All sets of ``size`` of n numbers in lexicographic order, one a row."""
    if size == 0:
        return np.zeros((1, 0), dtype=np.intp)
    sets = np.arange(n, dtype=np.intp)[:, None]
    for _ in range(size - 1):
        starts = np.searchsorted(sets[:, 0], np.arange(n), side="right")
        first = np.repeat(np.arange(n, dtype=np.intp), len(sets) - starts)
        tails = np.concatenate([sets[start:] for start in starts]) if n else sets
        sets = np.concatenate([first[:, None], tails], axis=1)
    return sets
