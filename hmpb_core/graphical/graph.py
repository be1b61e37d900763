"""Graphs over attributes: triangulation, junction trees, and which edges still fit.

Attribute sets are bit masks inside this module: bit a stands for attribute a.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Pair = tuple[int, int]
Fits = Callable[[int], bool]

_FIXED_POINT = 2**32


def most_candidates(n_attributes: int) -> int:
    """Pairs that a wide table's learner considers: 12 an attribute and 100 more.

    Up to 31 attributes that is every pair.
    """
    return 12 * n_attributes + 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CliqueLimit:
    """How large a clique may grow: what bounds time, memory and the number of parents.

    Attributes:
        log_sizes: log2 of each attribute's number of values in the model.
        log_full_sizes: log2 of each attribute's number of values in the domain.
        log_cells: log2 of the largest clique table in the model.
        log_full_cells: log2 of the largest clique table over the domain.
        max_attributes: Most attributes in a clique: one more than the most parents.
    """

    log_sizes: tuple[float, ...]
    log_full_sizes: tuple[float, ...]
    log_cells: float
    log_full_cells: float
    max_attributes: int

    def fits(self, mask: int) -> bool:
        """Whether a clique of these attributes is small enough."""
        if mask.bit_count() > self.max_attributes:
            return False
        members = members_of(mask)
        return (
            sum(self.log_sizes[a] for a in members) <= self.log_cells + 1e-9
            and sum(self.log_full_sizes[a] for a in members) <= self.log_full_cells + 1e-9
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JunctionTree:
    """Cliques of a chordal graph, joined so that every attribute's cliques are connected.

    Attributes:
        cliques: Attributes of each clique, ascending.
        order: Cliques, every one after its parent.
        parents: Parent clique of each clique; -1 for the root.
        neighbors: Adjacent cliques of each clique.
    """

    cliques: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    parents: tuple[int, ...]
    neighbors: tuple[tuple[int, ...], ...]

    def separator(self, first: int, second: int) -> tuple[int, ...]:
        """Attributes that two cliques share, ascending."""
        other = set(self.cliques[second])
        return tuple(a for a in self.cliques[first] if a in other)


def members_of(mask: int) -> tuple[int, ...]:
    """Attributes of a bit mask, ascending.

    Example:
        >>> members_of(0b1101)
        (0, 2, 3)
    """
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


def triangulate(n_attributes: int, edges: Iterable[Pair], log_sizes: Sequence[float]) -> Iterator[int]:
    """Give the cliques of a chordal graph that holds these edges, one by one, as bit masks.

    Greedy elimination: attributes whose neighbours are already joined come first, then the
    one whose clique has the fewest cells.

    Source: [Kjaerulff1990, minimum weight heuristic].
    """
    adjacent = [0] * n_attributes
    for i, j in edges:
        adjacent[i] |= 1 << j
        adjacent[j] |= 1 << i
    sizes = [round(size * _FIXED_POINT) for size in log_sizes]  # integers: ties stay ties
    weights = [sizes[a] + _weight(adjacent[a], sizes) for a in range(n_attributes)]
    needs_fill = [_needs_fill(a, adjacent) for a in range(n_attributes)]
    waiting = [(needs_fill[a], weights[a], a) for a in range(n_attributes)]
    heapq.heapify(waiting)
    holding: list[list[int]] = [[] for _ in range(n_attributes)]
    gone = [False] * n_attributes
    while waiting:
        *key, chosen = heapq.heappop(waiting)
        if gone[chosen] or key != [needs_fill[chosen], weights[chosen]]:
            continue  # out of date: a later entry tells the truth
        gone[chosen] = True
        around = adjacent[chosen]
        clique = around | 1 << chosen
        members = members_of(around)
        if not any(clique & ~other == 0 for other in holding[chosen]):
            for member in members:
                holding[member].append(clique)
            yield clique
        changed = around
        for member in members:
            added = around & ~adjacent[member] & ~(1 << member) if needs_fill[chosen] else 0
            adjacent[member] = (adjacent[member] | added) & ~(1 << chosen)
            weights[member] += _weight(added, sizes) - sizes[chosen]
            if added:  # whoever saw both ends of a new edge may have become simplicial
                changed |= adjacent[member]
        for member in members_of(changed):
            if needs_fill[member] or needs_fill[chosen]:
                needs_fill[member] = _needs_fill(member, adjacent)
            heapq.heappush(waiting, (needs_fill[member], weights[member], member))


def _weight(mask: int, sizes: Sequence[int]) -> int:
    return sum(sizes[a] for a in members_of(mask)) if mask else 0


def _needs_fill(attribute: int, adjacent: Sequence[int]) -> bool:
    """Whether some neighbours of an attribute are not joined to each other."""
    around = left = adjacent[attribute]
    while left:
        low = left & -left
        if around & ~adjacent[low.bit_length() - 1] & ~low:
            return True
        left ^= low
    return False


def junction_tree(cliques: Sequence[int]) -> JunctionTree:
    """Join cliques by a spanning tree of largest separators (Prim).

    Source: [Lauritzen1996, chapter 2]; cliques that share nothing are joined by an
    empty separator.
    """
    count = len(cliques)
    parents = [-1] * count
    order = [0]
    shared = [(cliques[0] & clique).bit_count() for clique in cliques]
    nearest = [0] * count
    waiting = set(range(1, count))
    neighbors: list[list[int]] = [[] for _ in range(count)]
    while waiting:
        best = max(waiting, key=lambda c: (shared[c], -c))
        waiting.remove(best)
        parents[best] = nearest[best]
        neighbors[best].append(nearest[best])
        neighbors[nearest[best]].append(best)
        order.append(best)
        for other in waiting:
            size = (cliques[best] & cliques[other]).bit_count()
            if size > shared[other]:
                shared[other], nearest[other] = size, best
    return JunctionTree(
        cliques=tuple(members_of(clique) for clique in cliques),
        order=tuple(order),
        parents=tuple(parents),
        neighbors=tuple(tuple(n) for n in neighbors),
    )


def fitting_pairs(tree: JunctionTree, pairs: Iterable[Pair], limit: CliqueLimit) -> set[Pair]:
    """Give the pairs that can become edges without a clique that is too large.

    An edge (u, v) closes a path of separators S_1 .. S_k between the cliques of u and those
    of v. Joining u to S_1 .. S_t and v to S_t .. S_k keeps the graph chordal and makes the
    cliques {u} + S_(s-1) + S_s, {u, v} + S_t and {v} + S_s + S_(s+1); the best t is taken.
    A pair that fails here may still fit after a fresh triangulation.

    Source: [Deshpande2001, edge additions] for k = 1; the path form is this project's.
    """
    masks = [sum(1 << a for a in clique) for clique in tree.cliques]
    known: dict[int, bool] = {}

    def fits(mask: int) -> bool:
        if mask not in known:
            known[mask] = limit.fits(mask)
        return known[mask]

    wanted: dict[int, list[int]] = {}
    for u, v in pairs:
        wanted.setdefault(u, []).append(v)
    steps = [
        [(other, masks[clique] & masks[other]) for other in near]
        for clique, near in enumerate(tree.neighbors)
    ]
    found: set[Pair] = set()
    for u, partners in wanted.items():
        paths = _separator_paths(masks, steps, u, sum(1 << v for v in set(partners)))
        found.update((u, v) for v in partners if _edge_fits(paths[v], u, v, fits))
    return found


def _separator_paths(
    masks: Sequence[int], steps: Sequence[Sequence[tuple[int, int]]], start: int, partners: int
) -> dict[int, tuple[int, ...]]:
    """For every partner, the shortest path of separators to it from ``start``.

    Args:
        masks: The cliques of the tree.
        steps: For every clique its neighbours, each with what it shares with it.
        start: An attribute.
        partners: Attributes, as a mask.
    """
    home = next(c for c, mask in enumerate(masks) if mask >> start & 1)
    lengths: dict[int, int] = {}
    ends: dict[int, Any] = {}
    # A path is its last separator and the path before: most paths lead to nobody and are never laid out.
    stack: list[tuple[int, int, int, Any]] = [(home, -1, 0, None)]
    while stack:
        clique, origin, length, path = stack.pop()
        mask = masks[clique]
        if mask >> start & 1:
            length, path = 0, None
        for attribute in members_of(mask & partners):
            if attribute not in lengths or length < lengths[attribute]:
                lengths[attribute], ends[attribute] = length, path
        stack.extend(
            (other, clique, length + 1, (shared, path)) for other, shared in steps[clique] if other != origin
        )
    return {attribute: _laid_out(path) for attribute, path in ends.items()}


def _laid_out(path: Any) -> tuple[int, ...]:
    found = []
    while path is not None:
        separator, path = path
        found.append(separator)
    return tuple(reversed(found))


def _edge_fits(path: tuple[int, ...], u: int, v: int, fits: Fits) -> bool:
    ends = 1 << u | 1 << v
    if not path:
        return fits(ends)
    inner = [separator for separator in path if not separator & ends] or [0]
    steps = [first | second for first, second in itertools.pairwise(inner)]
    from_u = _all_so_far([fits(step | 1 << u) for step in steps])
    from_v = _all_so_far([fits(step | 1 << v) for step in reversed(steps)])
    return any(
        a and b and fits(separator | ends)
        for separator, a, b in zip(inner, from_u, reversed(from_v), strict=True)
    )


def _all_so_far(truths: Sequence[bool]) -> list[bool]:
    """For each prefix, the empty one first, whether all of it is true."""
    found = [True]
    for truth in truths:
        found.append(found[-1] and truth)
    return found


def log2_sizes(sizes: Sequence[int]) -> tuple[float, ...]:
    """log2 of every size."""
    return tuple(math.log2(size) for size in sizes)
