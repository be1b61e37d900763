"""From a junction-tree model to networks and conditional tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hmpb_core.graphical.graph import JunctionTree
from hmpb_core.graphical.inference import Evidence, TreeModel
from hmpb_core.merging import Compression, expand_table
from hmpb_core.network import BayesianNetwork, ConditionalTable, Family
from hmpb_core.stages.conditionals import normalise_last


def families_of(tree: JunctionTree, rank: Sequence[int] | None = None) -> list[tuple[int, Family]]:
    """Give each attribute its parents, in sampling order, with the clique that holds the family.

    Walking the tree from its root, an attribute that a clique brings in has that clique's
    earlier attributes as parents. The families describe the model without loss.

    Args:
        tree: The junction tree.
        rank: Each attribute's wished place: the walk starts at a clique that holds the first, and
            a clique brings its attributes in by rank.
    """
    order: Sequence[int] = tree.order
    if rank is not None:
        order = _walk(
            tree, min(range(len(tree.cliques)), key=lambda c: sorted(rank[a] for a in tree.cliques[c]))
        )
    placed: set[int] = set()
    found: list[tuple[int, Family]] = []
    for clique in order:
        members = tree.cliques[clique]
        parents = [a for a in members if a in placed]
        for attribute in members if rank is None else sorted(members, key=lambda a: rank[a]):
            if attribute not in placed:
                found.append((clique, Family(child=attribute, parents=tuple(parents))))
                parents.append(attribute)
        placed.update(members)
    return found


def _walk(tree: JunctionTree, root: int) -> list[int]:
    """All cliques from another root, each after the one it hangs on."""
    order, waiting = [], [(root, -1)]
    while waiting:
        clique, origin = waiting.pop(0)
        order.append(clique)
        waiting.extend((other, clique) for other in tree.neighbors[clique] if other != origin)
    return order


def networks_of(families: Sequence[Family], clusters: Sequence[Sequence[int]]) -> list[BayesianNetwork]:
    """Group the families by cluster; a parent in another cluster is a bridge."""
    return [
        BayesianNetwork(tuple(family for family in families if family.child in set(cluster)))
        for cluster in clusters
    ]


def conditional_tables(
    model: TreeModel,
    compressions: Sequence[Compression],
    evidence: Sequence[Evidence],
    rank: Sequence[int] | None = None,
) -> list[ConditionalTable]:
    """Read P(child | parents) off the model, over the full domain, in sampling order.

    The noise told with a table is that of the most precise measurement inside its family.
    """
    tables = []
    for clique, family in families_of(model.tree, rank):
        joint = model.clique_table(clique, family.attributes)
        full = expand_table(joint, [compressions[a] for a in family.attributes])
        inside = [e.variance for e in evidence if set(e.attributes) <= set(family.attributes)]
        tables.append(
            ConditionalTable(
                family=family,
                probabilities=normalise_last(full),
                noise_sd=float(np.sqrt(min(inside))),
            )
        )
    return tables
