"""Counting rows of two-valued attributes 64 at a time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_CHUNK_WORDS = 1 << 14
"""Words that one step ANDs and counts: they stay in a core's cache."""


class BitRows:
    """The rows of two-valued attributes, one bit a value, counted by AND and popcount.

    A table of counts over binary attributes follows from how many rows are 1 in all attributes of each
    of its subsets, and those counts are shared among tables. Private: to be used for scores that go to
    the accountant.

    Args:
        columns: One array of 0 and 1 an attribute.

    Example:
        >>> rows = BitRows([np.array([1, 1, 0]), np.array([1, 0, 0])])
        >>> rows.ones(2).tolist()
        [[2, 1], [1, 1]]
    """

    def __init__(self, columns: Sequence[NDArray[np.integer]]) -> None:
        self._bits = np.stack([np.asarray(column, dtype=bool) for column in columns])
        self.n_rows: int = int(self._bits.shape[1])
        self._within: tuple[int, Words] = (-1, np.zeros((0, 0), dtype=np.uint64))

    def ones(self, order: int) -> NDArray[np.int32]:
        """Count, for every tuple of attributes, the rows that are 1 in all of them.

        Args:
            order: Length of the tuples, at least 1. A repeated attribute counts once, so shorter tuples
                are there too.

        Returns:
            A symmetric array with ``order`` axes of one entry an attribute.
        """
        words, d = _packed(self._bits), len(self._bits)
        counts = np.zeros((d,) * order, dtype=np.int32)
        for prefix in itertools.combinations_with_replacement(range(d), order - 1):
            start = prefix[-1] if prefix else 0
            both = words[start:]
            for attribute in set(prefix):
                both = both & words[attribute]
            last = _popcount(both)
            for axes in set(itertools.permutations((*prefix, -1))):
                place = tuple(slice(start, None) if axis < 0 else axis for axis in axes)
                counts[place] = last
        return counts

    def ones_with(self, always: int, sets: NDArray[np.integer], others: Sequence[int]) -> NDArray[np.int32]:
        """Count the rows that are 1 in an attribute, in all of a set, and in one more attribute.

        Args:
            always: The attribute that is 1 in every row counted.
            sets: Attributes, one row a set: shape (sets, size).
            others: The further attributes.

        Returns:
            Counts of shape (others, sets).
        """
        words = self._rows_with(always)
        width = words.shape[1]
        counts = np.empty((len(others), len(sets)), dtype=np.int32)
        chunk = max(1, _CHUNK_WORDS // max(width, 1))
        room = np.empty((chunk, width), dtype=np.uint64)
        for start in range(0, len(sets), chunk):
            members = sets[start : start + chunk]
            both = np.full((len(members), width), ~np.uint64(0))
            for column in members.T:
                both &= words[column]
            found = room[: len(members)]
            for place, other in enumerate(others):
                np.bitwise_and(both, words[other], out=found)
                counts[place, start : start + chunk] = _popcount(found)
        return counts

    def _rows_with(self, attribute: int) -> Words:
        """Only the rows that are 1 in an attribute; the last answer is kept."""
        if self._within[0] != attribute:
            self._within = (attribute, _packed(self._bits[:, self._bits[attribute]]))
        return self._within[1]


def _packed(bits: NDArray[np.bool_]) -> Words:
    """Eight rows a byte, padded with zeros to whole words."""
    eights = np.packbits(bits, axis=1)
    padded = np.zeros((len(bits), -(-eights.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : eights.shape[1]] = eights
    return padded.view(np.uint64)


def _popcount(words: Words) -> NDArray[np.uint32]:
    counted: NDArray[np.uint32] = np.bitwise_count(words).sum(axis=1, dtype=np.uint32)
    return counted
