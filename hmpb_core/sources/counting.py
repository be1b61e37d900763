"""Counting many tables over the same rows in few passes.

Columns are joined into one wide key: a pass that counts the key's cells holds every table over the
key's attributes, and the tables follow by adding cells up. All pairs of 20 attributes of 16 values take
about 40 passes of four columns each instead of 190. Counts stay integers, so they are those that
counting table by table gives.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.unsignedinteger]
Counts = NDArray[np.int64]

KEY_CELLS = 1 << 16
"""Most cells of a joined key: its counts stay in a core's second-level cache."""
ROWS_PER_CELL = 4
"""Fewer rows a cell than this, and adding the key's cells up costs more than counting rows again."""
BLOCK_ROWS = 1 << 18
"""Rows whose keys are made and counted at a time: they stay in the cache too."""
SMALL_ROWS = 1 << 16
"""Below, what a sparse product takes to set up outweighs what it saves."""
AT_ONCE, AHEAD = 1 << 16, 500
"""Most tables planned together: of those in a list, and of those made up as they are asked for."""
PARALLEL_ROWS = 1 << 18
"""Rows from which on threads pay."""
MOST_WORKERS = 8
"""Most threads: beyond, memory is what they wait for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass over the rows.

    Attributes:
        attributes: The joined attributes, ascending; the last one changes fastest.
        tables: The tables read off it: their place among those asked for.
    """

    attributes: tuple[int, ...]
    tables: tuple[int, ...]


def count_tables(
    columns: Sequence[Column], sizes: Sequence[int], sets: Iterable[Sequence[int]], *, room: int
) -> Iterator[Counts]:
    """Count the rows in every cell over each set of attributes, in the order of the sets.

    Args:
        columns: One array of codes an attribute, at least one, all of the same length and unsigned.
        sizes: Number of values of each attribute.
        sets: Attributes of each table, one an axis.
        room: Bytes that tables may take which are counted and not asked for yet. A table larger than
            that is counted alone.

    Example:
        >>> first, second = np.array([0, 1, 1], dtype=np.uint8), np.array([2, 0, 2], dtype=np.uint8)
        >>> [table.tolist() for table in count_tables([first, second], [2, 3], [(0,), (1, 0)], room=1000)]
        [[1, 2], [[0, 1], [0, 0], [1, 1]]]
    """
    for together in _in_parts(sets, sizes, room, most=at_once(sets)):
        yield from _counted(columns, sizes, together)


def plan_passes(sets: Sequence[Sequence[int]], sizes: Sequence[int], *, cells: int) -> list[Pass]:
    """Find few passes that hold all tables.

    Tables of three attributes and more are joined with those they share attributes with first; pairs fill
    the passes up, by a greedy cover: always the attribute that brings the most pairs not yet held for
    the cells that it costs.

    Args:
        sets: Attributes of each table.
        sizes: Number of values of each attribute.
        cells: Most cells of a pass that holds several tables.
    """
    return _Cover(sets, sizes, cells).passes()


def at_once(sets: Iterable[Sequence[int]]) -> int:
    """How many sets to look at together: those of a generator are not made up long before their turn."""
    return AT_ONCE if isinstance(sets, Sequence) else AHEAD


def _in_parts(
    sets: Iterable[Sequence[int]], sizes: Sequence[int], room: int, *, most: int
) -> Iterator[list[tuple[int, ...]]]:
    """Cut what is asked for into parts whose tables fit the room together."""
    part: list[tuple[int, ...]] = []
    used = 0
    for attributes in sets:
        needed = 8 * math.prod(sizes[a] for a in attributes)
        if part and (used + needed > room or len(part) == most):
            yield part
            part, used = [], 0
        part.append(tuple(attributes))
        used += needed
    if part:
        yield part


def _counted(
    columns: Sequence[Column], sizes: Sequence[int], sets: Sequence[tuple[int, ...]]
) -> Iterator[Counts]:
    n_rows = len(columns[0])
    passes = plan_passes(sets, sizes, cells=min(KEY_CELLS, n_rows // ROWS_PER_CELL))
    found: list[Counts | None] = [None] * len(sets)

    def carry_out(one: Pass) -> None:
        held = one.attributes or (0,)  # a table over no attribute is the number of rows
        joint = joined_counts([columns[a] for a in held], [sizes[a] for a in held])
        for place in one.tables:
            found[place] = _read_off(joint, held, sets[place], sizes)

    workers = min(_cores(), len(passes), MOST_WORKERS) if n_rows >= PARALLEL_ROWS else 1
    if workers > 1:
        with ThreadPoolExecutor(workers) as pool:
            for _ in pool.map(carry_out, passes):
                pass
    else:
        for one in passes:
            carry_out(one)
    for place, table in enumerate(found):
        assert table is not None
        found[place] = None
        yield table


def joined_counts(columns: Sequence[Column], sizes: Sequence[int]) -> Counts:
    """Count the rows in every cell over some columns: flat, the last column changes fastest.

    Args:
        columns: Codes, at least one column.
        sizes: Number of values of each.
    """
    cells = math.prod(sizes)
    n_rows = len(columns[0])
    varying = [(column, size) for column, size in zip(columns, sizes, strict=True) if size > 1]
    if not varying:
        return np.full(1, n_rows, dtype=np.int64)
    block = max(BLOCK_ROWS, cells)
    small = n_rows < SMALL_ROWS
    narrow = narrowest(cells)
    keys = np.empty(min(block, n_rows), dtype=narrow)
    wide: NDArray[Any] = np.empty(len(keys), dtype=np.intp if small else np.int32)
    ones = np.ones(0 if small else len(keys), dtype=np.int32)
    counts = np.zeros(cells, dtype=np.int64)
    for start in range(0, n_rows, block):
        rows = slice(start, min(start + block, n_rows))
        key = keys[: rows.stop - start]
        np.copyto(key, varying[0][0][rows], casting="same_kind")
        for column, size in varying[1:]:
            key *= narrow(size)
            key += column[rows]
        index = wide[: len(key)]
        index[:] = key
        counts += np.bincount(index, minlength=cells) if small else _scattered(index, ones, cells)
    return counts


def _scattered(keys: NDArray[np.int32], ones: NDArray[np.int32], cells: int) -> NDArray[np.int32]:
    """Count keys as the product of a sparse matrix of one column and the number 1.

    Unlike ``numpy.bincount`` it takes 32-bit keys as they are, looks at each once, and lets other
    threads run.
    """
    from scipy.sparse import csc_array  # a bill need not wait for it

    ends = np.array([0, len(keys)], dtype=np.int32)
    matrix = csc_array((ones[: len(keys)], keys, ends), shape=(cells, 1), copy=False)
    counts: NDArray[np.int32] = matrix.dot(ones[:1])
    return counts


def _read_off(joint: Counts, held: Sequence[int], wanted: Sequence[int], sizes: Sequence[int]) -> Counts:
    """Add a pass's cells up to one table."""
    table, kept = joint, set(wanted)
    done = 1  # cells of the attributes kept so far
    for keep, run in itertools.groupby(held, key=kept.__contains__):
        size = math.prod(sizes[a] for a in run)
        if keep:
            done *= size
        else:
            table = table.reshape(done, size, -1).sum(axis=1)
    order = sorted(kept)
    shaped = table.reshape([sizes[a] for a in order])
    if tuple(order) == tuple(wanted):
        return shaped
    return np.ascontiguousarray(np.transpose(shaped, [order.index(a) for a in wanted]))


class _Cover:
    """The greedy cover: which pairs are still open, as a symmetric matrix over the attributes in pairs."""

    def __init__(self, sets: Sequence[Sequence[int]], sizes: Sequence[int], cells: int) -> None:
        self._sets, self._sizes, self._cells = sets, sizes, cells
        self._pairs: dict[tuple[int, int], list[int]] = {}
        self._others: list[int] = []
        for place, attributes in enumerate(sets):
            if len(set(attributes)) == 2:
                self._pairs.setdefault((min(attributes), max(attributes)), []).append(place)
            else:
                self._others.append(place)
        self._names = sorted({a for pair in self._pairs for a in pair})
        self._at = {a: place for place, a in enumerate(self._names)}
        self._logs = np.log2([max(sizes[a], 1.1) for a in self._names])
        self._open = np.zeros((len(self._names), len(self._names)), dtype=np.float32)
        for i, j in self._pairs:
            self._open[self._at[i], self._at[j]] = self._open[self._at[j], self._at[i]] = 1.0
        self._left = self._open.sum(axis=1)

    def passes(self) -> list[Pass]:
        found = [self._filled(members, tables) for members, tables in self._of_others()]
        while self._left.any():  # whoever waits for the most pairs of the most cells first
            first = int((self._left * self._logs).argmax())
            found.append(self._filled([self._names[first]], []))
        return found

    def _of_others(self) -> list[tuple[list[int], list[int]]]:
        """Put tables of one attribute and of three and more into groups, the largest first."""
        groups: list[tuple[list[int], list[int]]] = []
        holding: dict[int, set[int]] = {}
        for place in sorted(self._others, key=lambda p: -self._cells_of(self._sets[p])):
            wanted = set(self._sets[place])
            homes = set.intersection(*(holding.get(a, set()) for a in wanted)) if wanted else set()
            if homes:
                groups[min(homes)][1].append(place)
                continue
            best = self._widened(wanted, groups, holding)
            if best is None:
                groups.append((sorted(wanted), [place]))
                best = len(groups) - 1
            else:
                groups[best] = (sorted({*groups[best][0], *wanted}), [*groups[best][1], place])
            for a in wanted:
                holding.setdefault(a, set()).add(best)
        return groups

    def _widened(
        self, wanted: set[int], groups: Sequence[tuple[list[int], list[int]]], holding: dict[int, set[int]]
    ) -> int | None:
        """The group that takes a table in for the fewest cells; None where none has the room."""
        if not wanted or self._cells_of(wanted) > self._cells:
            return None
        near = set().union(*(holding.get(a, set()) for a in wanted))
        if len(wanted) == 1:
            near.update(range(max(0, len(groups) - 4), len(groups)))
        sized = [(self._cells_of({*groups[g][0], *wanted}), g) for g in near]
        fitting = [(cells, g) for cells, g in sized if cells <= self._cells]
        return min(fitting)[1] if fitting else None

    def _filled(self, members: list[int], tables: list[int]) -> Pass:
        """Add attributes to a pass while that brings pairs, and take the pairs that it holds."""
        inside = [self._at[a] for a in members if a in self._at]
        brought = self._open[inside].sum(axis=0)
        room = math.log2(max(self._cells, 1)) - sum(math.log2(self._sizes[a]) for a in members) + 1e-9
        alone = len(members) == 1 and not tables
        while len(self._names) > len(inside):
            brought[inside] = 0.0
            worth = np.where(self._logs <= room, brought, 0.0) / self._logs
            chosen = int(worth.argmax())
            if not worth[chosen]:
                if not alone:
                    break
                chosen = int(np.where(brought > 0, -self._logs, -np.inf).argmax())  # too large to be joined
            alone = False
            inside.append(chosen)
            room -= float(self._logs[chosen])
            members = [*members, self._names[chosen]]
            brought += self._open[chosen]
        held = np.array(sorted(inside), dtype=np.intp)
        block = self._open[held[:, None], held]
        for i, j in zip(*np.nonzero(np.triu(block)), strict=True):
            tables.extend(self._pairs[self._names[held[i]], self._names[held[j]]])
        self._left[held] -= block.sum(axis=1)
        self._open[held[:, None], held] = 0.0
        return Pass(attributes=tuple(sorted(members)), tables=tuple(tables))

    def _cells_of(self, attributes: Iterable[int]) -> int:
        return math.prod(self._sizes[a] for a in set(attributes))


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def narrowest(size: int) -> type[np.unsignedinteger]:
    """The narrowest type of codes 0 to size - 1."""
    if size <= 2**8:
        return np.uint8
    return np.uint16 if size <= 2**16 else np.uint32
