"""What the page Networks says about nodes and arrows: free post-processing of the paid model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.binary import BinaryEncoding
from hmpb_core.model import Model
from hmpb_core.pipeline import followers_of
from hmpb_core.privacy.budget import Stage
from hmpb_core.report.model_mic import measured_pairs
from pages.words.values import labels_of

SAMPLE_ROWS = 5000
MOST_AT_ONCE = 60
"""Attributes of which all have readable names on one screen."""
Kind = Literal["inside", "bridge", "across", "rule"]
KINDS: tuple[Kind, ...] = ("inside", "bridge", "across", "rule")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An attribute in its network."""

    index: int
    name: str
    cluster: int
    risk: float
    parents: tuple[int, ...]
    cells: int
    noise_sd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A dependence, from parent to child.

    Attributes:
        parent: The parent.
        child: The child.
        strength: How much the two hang together in the synthetic rows, 0 to 1.
        kind: ``inside`` a cluster; a ``bridge`` between two, whose table was paid for; or ``across`` two
            without a table of its own: it holds two measured tables together; or a public ``rule``, inside a
            cluster or between two, whose table was known without a look.
    """

    parent: int
    child: int
    strength: float
    kind: Kind = "inside"


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """All networks of a model, with what is drawn and listed of them."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    sample: NDArray[np.int32]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of arrows there are."""
        found = {arrow.kind for arrow in self.arrows}
        return tuple(kind for kind in KINDS if kind in found)

    @property
    def bridges(self) -> tuple[Arrow, ...]:
        """The bridges, the strongest first."""
        return tuple(sorted((a for a in self.arrows if a.kind == "bridge"), key=lambda a: -a.strength))

    def of_cluster(self, cluster: int | None) -> Graph:
        """The part of one network, with the parents that it borrows from others; None for all."""
        if cluster is None:
            return self
        own = {node.index for node in self.nodes if node.cluster == cluster}
        arrows = tuple(arrow for arrow in self.arrows if arrow.child in own)
        shown = own | {arrow.parent for arrow in arrows}
        nodes = tuple(node for node in self.nodes if node.index in shown)
        return Graph(nodes=nodes, arrows=arrows, sample=self.sample)


def graph_of(model: Model) -> Graph:
    """Work out the graph of a model."""
    rng = np.random.default_rng(0)  # for the arrows' strength only: the same picture at every look
    codes = model.sample_codes(min(SAMPLE_ROWS, max(model.n_rows, 500)), rng=rng)
    if model.plan.spec.encoding == "bits":
        codes = BinaryEncoding(model.domain).encode(codes)
    domain = model.encoded_domain
    sizes, names = domain.sizes, domain.names
    tables = {table.family.child: table for table in model.tables}
    nodes, arrows = [], []
    home = {family.child: n for n, network in enumerate(model.networks) for family in network.families}
    bridges, ruled = set(model.bridges), known_by_rules(model)
    for number, network in enumerate(model.networks):
        for family in network.families:
            table = tables[family.child]
            nodes.append(
                Node(
                    index=family.child,
                    name=names[family.child],
                    cluster=number,
                    risk=model.weights[family.child].risk_entropy,
                    parents=family.parents,
                    cells=int(table.probabilities.size),
                    noise_sd=0.0 if model.plan.spec.protection == "none" else float(table.noise_sd),
                )
            )
            arrows += [
                Arrow(
                    parent=parent,
                    child=family.child,
                    strength=dependence(
                        codes[:, parent], codes[:, family.child], sizes[parent], sizes[family.child]
                    ),
                    kind="rule"
                    if {parent, family.child} in ruled
                    else "inside"
                    if home[parent] == number
                    else "bridge"
                    if (parent, family.child) in bridges
                    else "across",
                )
                for parent in family.parents
            ]
    return Graph(nodes=tuple(nodes), arrows=tuple(arrows), sample=codes)


def in_order(sizes: Sequence[int]) -> list[int | None]:
    """Networks by their sizes, the largest first; None for all of them stands before, or behind too many.

    Example:
        >>> in_order([5, 9]), in_order([50, 90])
        ([None, 1, 0], [1, 0, None])
    """
    largest = sorted(range(len(sizes)), key=lambda network: -sizes[network])
    together = sum(sizes) <= MOST_AT_ONCE or max(sizes) == 1
    return [None, *largest] if together else [*largest, None]


def known_by_rules(model: Model) -> list[set[int]]:
    """Pairs that a public rule ties, so that the model knows them without a look that was paid for."""
    if model.plan.spec.encoding == "bits":
        return []
    paid = measured_pairs(model)
    return [set(follower.pair) for follower in followers_of(model) if not paid[follower.pair]]


def read_bare(model: Model) -> bool:
    """Whether the tables were read from the rows as they are: no noise at all, or a class model unpaid."""
    return model.plan.spec.protection == "none" or model.plan.spec.sampling == "labels"


def measured_whole(model: Model, node: Node) -> bool:
    """Whether the run measured a node's own table or one that holds it, and not only smaller ones in it.

    The similarities of all pairs are one act over all attributes, and no table.
    """
    family = {node.index, *node.parents}
    return any(
        {attribute for attribute, _ in act.attribute_loss} >= family
        for act in model.entries
        if act.act == "measure" and act.stage is not Stage.SIMILARITY
    )


def dependence(first: NDArray[np.int32], second: NDArray[np.int32], m: int, n: int) -> float:
    """Total variation distance between a pair's table and independence, 0 to 1."""
    joint = np.bincount(first.astype(np.int64) * n + second, minlength=m * n).reshape(m, n) / len(first)
    product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return float(np.abs(joint - product).sum() / 2)


def conditional_frame(
    model: Model,
    graph: Graph,
    child: int,
    *,
    most_rows: int,
    given: Callable[[str], str],
    meanings: Mapping[str, Mapping[str, str]],
) -> tuple[pd.DataFrame, int]:
    """A node's noisy conditional table, one line a combination of its parents' values, a column each.

    Args:
        model: The model.
        graph: Its graph.
        child: The node.
        most_rows: Lines to give; the most frequent combinations are kept.
        given: Gives the heading of a parent's column by its name.
        meanings: What the codebook says that values mean, by attribute and the value's text.

    Returns:
        The table, and how many combinations there are in all.
    """
    table = next(t for t in model.tables if t.family.child == child)
    attributes = model.encoded_domain.attributes
    parents = table.family.parents
    shape = table.probabilities.shape[:-1]
    flat = table.probabilities.reshape(-1, table.probabilities.shape[-1])
    codes = np.zeros(len(graph.sample), dtype=np.int64)
    for parent, size in zip(parents, shape, strict=True):
        codes = codes * size + graph.sample[:, parent]
    counts = np.bincount(codes, minlength=len(flat))
    kept = np.sort(np.argsort(-counts, kind="stable")[:most_rows])
    places = np.unravel_index(kept, shape) if shape else ()
    texts, own = (
        [labels_of(attributes[place], meanings.get(attributes[place].name)) for place in places_of]
        for places_of in (parents, (child,))
    )
    columns = [[labels[i] for i in codes] for labels, codes in zip(texts, places, strict=True)]
    names = _distinct([*(given(attributes[p].name) for p in parents), *own[0]])
    frame = pd.DataFrame(flat[kept], columns=names[len(parents) :])
    for place, (name, values) in enumerate(zip(names, columns, strict=False)):
        frame.insert(place, name, values)
    return frame, len(flat)


def _distinct(labels: Sequence[str]) -> list[str]:
    """Column names must differ; a category may be called like a heading."""
    return [f"{label}" if labels.index(label) == i else f"{label} ({i})" for i, label in enumerate(labels)]
