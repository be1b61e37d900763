"""A star: a class, and every other attribute drawn from it. The network of naive Bayes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.learners.base import Context, Learned
from hmpb_core.marginal import NoisyMarginal, project_to_simplex
from hmpb_core.network import BayesianNetwork, ConditionalTable, Family
from hmpb_core.planning.advice import one_way_parts
from hmpb_core.privacy.budget import Stage
from hmpb_core.stages.conditionals import conditional_of

SMOOTHING = 1.0
"""Laplace smoothing, lambda = 1 [ChenX2015, eq. 7]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Star:
    """The sound variant: p(c) and every table of the class and one attribute, measured with noise.

    Departs from [ChenX2015, Algorithms 1 and 2]: rows are drawn from the network, class first, so that the
    tables are the only look at the data and are paid for once, however many rows are drawn.
    """

    def learn(self, context: Context) -> Learned:
        """Measure d tables; their parts of the loss go with the number of cells to the power 2/3."""
        source, accountant = context.source, context.accountant
        domain, root = source.domain, context.plan.target_of(source.domain)
        families = star(len(domain), root)
        sets = [family.attributes for family in families]
        parts = one_way_parts([domain.cells(attributes) for attributes in sets])
        loss = accountant.left(Stage.CONDITIONAL_TABLES)
        measured: list[NoisyMarginal] = []
        with context.clock.stage(Stage.CONDITIONAL_TABLES, 0.3, 0.95):
            for family, table, part in zip(families, source.marginals(sets), parts, strict=True):
                measured.append(
                    accountant.measure(
                        table,
                        stage=Stage.CONDITIONAL_TABLES,
                        loss=loss * part,
                        what=f"family of {domain.names[family.child]}",
                    )
                )
                context.clock.tell(
                    len(measured) / len(sets), f"{len(measured)} of {len(sets)} tables measured"
                )
        classes = ConditionalTable(
            family=families[0],
            probabilities=class_probabilities(measured, context.one_way.total),
            noise_sd=measured[0].noise_sd,
        )
        others = [
            conditional_of(table, family) for table, family in zip(measured[1:], families[1:], strict=True)
        ]
        return Learned(networks=[BayesianNetwork(families)], tables=[classes, *others])


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The published algorithm: exact p(c) and p(x | c), and a mechanism that labels every row.

    The rows are drawn uniformly and labelled in ``stages.labels``. Nothing pays for the parameters; every
    label is charged what the paper says it costs.

    Source: [ChenX2015, section 4].
    """

    def learn(self, context: Context) -> Learned:
        """Take the parameters as they are, and charge the rows to come."""
        source, accountant = context.source, context.accountant
        domain, root = source.domain, context.plan.target_of(source.domain)
        families = star(len(domain), root)
        tables = [
            ConditionalTable(family=family, probabilities=_smoothed(table.counts), noise_sd=0.0)
            for family, table in zip(
                families, source.marginals([family.attributes for family in families]), strict=True
            )
        ]
        with context.clock.stage(Stage.CONDITIONAL_TABLES, 0.3, 0.95):
            accountant.pay_for_rows(
                n_rows=context.plan.rows or 1,
                sensitivity=math.ceil(math.log2(2 * source.n_rows)),
                stage=Stage.CONDITIONAL_TABLES,
                loss=accountant.left(Stage.CONDITIONAL_TABLES),
                what="class of every row",
                attributes=range(len(domain)),
            )
        return Learned(networks=[BayesianNetwork(families)], tables=tables)


def star(n_attributes: int, root: int) -> tuple[Family, ...]:
    """The families of a star: the class, then every other attribute with the class as its parent."""
    others = [a for a in range(n_attributes) if a != root]
    return (Family(child=root), *(Family(child=a, parents=(root,)) for a in others))


def class_probabilities(tables: Sequence[NoisyMarginal], total: float) -> NDArray[np.float64]:
    """p(c) from its own noisy table and from the class sums of all others, by their precision.

    Args:
        tables: The class's table first; of the others the class is the first axis.
        total: Public number of rows.
    """
    sums = np.stack([table.counts.reshape(len(tables[0].counts), -1).sum(axis=1) for table in tables])
    cells = np.array([table.counts.size / len(tables[0].counts) for table in tables])
    precision = 1 / (cells * np.array([max(table.noise_sd, 1e-9) ** 2 for table in tables]))
    mean = precision @ sums / precision.sum()
    return project_to_simplex(mean, total) / total


def _smoothed(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Bayes estimate of p(child | parents): (count + lambda) / (sum + m lambda)."""
    raised = counts + SMOOTHING
    smoothed: NDArray[np.float64] = raised / raised.sum(axis=-1, keepdims=True)
    return smoothed
