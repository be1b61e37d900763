"""Mutual information of many tables of two-valued attributes at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hmpb_core.sources.bits import BitRows


def binary_information(cells: NDArray[np.integer], n_rows: int) -> NDArray[np.float64]:
    """Mutual information, in bits, of the last attribute and the others, for many binary tables.

    The same operations in the same order as ``stages.similarity.mutual_information`` on one table, laid
    out so that each works on many tables at once: equal to the last bit.

    Args:
        cells: Counts of shape (cells, tables); the last attribute varies fastest.
        n_rows: What each table sums to.
    """
    joint = cells / float(n_rows)
    rows = joint[0::2] + joint[1::2]
    columns = [_running_sum(joint[value::2]) for value in (0, 1)]
    ratio = np.empty_like(joint)
    for value in (0, 1):
        np.multiply(rows, columns[value], out=ratio[value::2])
    with np.errstate(invalid="ignore"):  # 0 / 0 where an attribute is constant
        np.divide(joint, ratio, out=ratio)
    np.copyto(ratio, 1.0, where=cells == 0)
    np.log2(ratio, out=ratio)
    ratio *= joint
    information: NDArray[np.float64] = np.maximum(_pairwise_sum(ratio), 0.0)
    return information


def cells_of_ones(table: NDArray[np.int32]) -> None:
    """Turn counts of "1 in all of these, whatever the others" into cells, in place.

    Args:
        table: Shape (cells, tables); the bits of a cell's number say in which attributes it has a 1, the
            last attribute's being the lowest.
    """
    step = 1
    while step < len(table):
        blocks = table.reshape(-1, 2, step, table.shape[1])
        blocks[:, 0] -= blocks[:, 1]
        step *= 2


def pair_information(bits: BitRows) -> NDArray[np.float64]:
    """Mutual information of every unordered pair of attributes, in lexicographic order. Private."""
    ones = bits.ones(2)
    first, second = np.triu_indices(len(ones), 1)
    table = np.empty((4, len(first)), dtype=np.int32)
    table[0] = bits.n_rows
    table[1], table[2] = ones[second, second], ones[first, first]
    table[3] = ones[first, second]
    cells_of_ones(table)
    return binary_information(table, bits.n_rows)


def _running_sum(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over the first axis, one after the other."""
    total: NDArray[np.float64] = values[0].copy()
    for row in values[1:]:
        total += row
    return total


def _pairwise_sum(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over the first axis in the order in which NumPy sums up to 128 adjacent numbers."""
    if len(values) < 8:
        return _running_sum(values)
    lanes = [_running_sum(values[lane::8]) for lane in range(8)]
    left = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
    right = (lanes[4] + lanes[5]) + (lanes[6] + lanes[7])
    total: NDArray[np.float64] = left + right
    return total
