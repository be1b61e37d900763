"""Which tables to count together: many small tables follow from a few joint ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

MOST_JOINT = 1 << 16
"""Cells of a joint table: it is fetched whole, and an engine groups by it in one pass without a sort."""
AHEAD = 256
"""Sets that are asked ahead, so that they share work."""
MOST_CELLS_AHEAD = 1 << 22
"""Cells of the tables that are held at once."""


def rounds(sets: Iterable[Sequence[int]], sizes: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Cut the sets asked for into rounds that are counted together."""
    batch: list[tuple[int, ...]] = []
    cells = 0
    for given in sets:
        attributes = tuple(int(a) for a in given)
        batch.append(attributes)
        cells += math.prod(sizes[a] for a in attributes)
        if len(batch) == AHEAD or cells > MOST_CELLS_AHEAD:
            yield batch
            batch, cells = [], 0
    if batch:
        yield batch


def joint_groups(
    sets: Iterable[Sequence[int]], sizes: Sequence[int], most: int = MOST_JOINT
) -> list[tuple[int, ...]]:
    """Give sets of attributes whose tables hold all those asked for; few, none of many cells.

    Greedy: the largest set first, each into the group that it makes least larger. A set that has more cells
    than allowed is a group of its own.

    Example:
        >>> joint_groups([(0, 1), (1, 2), (0, 2), (3,)], [4, 4, 4, 50], most=64)
        [(0, 1, 2), (3,)]
    """
    wanted = {frozenset(a for a in attributes if sizes[a] > 1) for attributes in sets}
    groups: list[set[int]] = []
    covered: set[frozenset[int]] = set()
    for need in sorted(wanted, key=lambda s: (-math.prod(sizes[a] for a in s), sorted(s))):
        if need in covered or any(need <= group for group in groups):
            continue
        best: tuple[int, set[int]] | None = None
        for group in groups:
            union = math.prod(sizes[a] for a in group | need)
            growth = union // math.prod(sizes[a] for a in group)
            if union <= most and (best is None or growth < best[0]):
                best = growth, group
        if best is None:
            groups.append(set(need))
        else:
            best[1].update(need)
        covered.add(need)
    kept: list[set[int]] = []
    for group in sorted(groups, key=len, reverse=True):
        if not any(group <= other for other in kept):
            kept.append(group)
    return [tuple(sorted(group)) for group in kept]
