"""What a Bayesian network over attributes is, and the tables that go with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.errors import PlanError


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """An attribute and its parents, by index."""

    child: int
    parents: tuple[int, ...] = ()

    @property
    def attributes(self) -> tuple[int, ...]:
        """Parents first, the child last: the axes of the family's table."""
        return (*self.parents, self.child)


@dataclass(frozen=True, slots=True)
class BayesianNetwork:
    """Families in an order in which every parent comes before its children.

    A parent may belong to an earlier network: a bridge between clusters.

    Example:
        >>> network = BayesianNetwork((Family(child=1), Family(child=2, parents=(1, 0))))
        >>> network.children, network.bridges
        ((1, 2), ((0, 2),))
    """

    families: tuple[Family, ...]

    def __post_init__(self) -> None:
        children = [family.child for family in self.families]
        if len(set(children)) < len(children):
            raise PlanError("A network lists an attribute twice.")
        own = set(children)
        placed: set[int] = set()
        for family in self.families:
            if any(parent in own and parent not in placed for parent in family.parents):
                raise PlanError("A network lists an attribute before one of its parents.")
            placed.add(family.child)

    @property
    def children(self) -> tuple[int, ...]:
        """The attributes, in sampling order."""
        return tuple(family.child for family in self.families)

    @property
    def bridges(self) -> tuple[tuple[int, int], ...]:
        """Arrows (parent, child) that come from another network."""
        own = set(self.children)
        return tuple(
            (parent, family.child)
            for family in self.families
            for parent in family.parents
            if parent not in own
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalTable:
    """P(child | parents).

    Attributes:
        family: The child and its parents.
        probabilities: Array with one axis a parent and the child last; sums to 1 along the child.
        noise_sd: Standard deviation of the noise on a count of the table it was read from.

    Example:
        >>> table = ConditionalTable(family=Family(child=1, parents=(0,)),
        ...                          probabilities=np.array([[0.9, 0.1], [0.2, 0.8]]), noise_sd=2.0)
        >>> table.family.attributes, float(table.probabilities[1, 0])
        ((0, 1), 0.2)
    """

    family: Family
    probabilities: NDArray[np.float64] = field(repr=False)
    noise_sd: float


def sampling_order(networks: Iterable[BayesianNetwork]) -> list[Family]:
    """All families of all networks, every parent before its children.

    Raises:
        PlanError: the networks wait for each other, or a parent is in none of them.
    """
    waiting = [family for network in networks for family in network.families]
    placed: set[int] = set()
    ordered: list[Family] = []
    while waiting:
        ready = [family for family in waiting if placed.issuperset(family.parents)]
        if not ready:
            raise PlanError("The networks have no sampling order: their arrows run in a circle.")
        ordered.extend(ready)
        placed.update(family.child for family in ready)
        waiting = [family for family in waiting if family.child not in placed]
    return ordered


def in_sampling_order(
    networks: Iterable[BayesianNetwork], tables: Iterable[ConditionalTable]
) -> tuple[ConditionalTable, ...]:
    """The networks' tables, every parent's before its children's."""
    by_child = {table.family.child: table for table in tables}
    return tuple(by_child[family.child] for family in sampling_order(networks))
