"""What a run leaves behind: everything but the rows, and a way to draw rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.binary import BinaryEncoding
from hmpb_core.decoding import decode
from hmpb_core.domain import Codes, Domain
from hmpb_core.errors import PlanError
from hmpb_core.network import BayesianNetwork, ConditionalTable
from hmpb_core.planning.bill import Bill
from hmpb_core.planning.plan import Plan, require_rows
from hmpb_core.privacy.events import Event
from hmpb_core.repeated import own_codes
from hmpb_core.rules.declared import NO_RULES, Rules
from hmpb_core.rules.identifiers import with_identifiers
from hmpb_core.rules.obeying import bound, obedient_rows
from hmpb_core.rules.zeros import with_structural_zeros
from hmpb_core.stages.clustering import Clustering
from hmpb_core.stages.labels import labelled_codes
from hmpb_core.stages.sampling import Part, sample_codes
from hmpb_core.stages.similarity import SimilarityMatrix
from hmpb_core.stages.weights import ChildNoise, RiskWeight


def draw_codes(
    tables: Sequence[ConditionalTable],
    plan: Plan,
    domain: Domain,
    n_rows: int,
    rng: np.random.Generator,
    *,
    table_rows: int | None = None,
    each_by_itself: bool = False,
    part: Part | None = None,
) -> Codes:
    """Draw rows from conditional tables, as codes of the codebook's domain. Free: post-processing.

    Args:
        tables: Conditional tables over the encoded domain, in sampling order.
        plan: The plan they were made by.
        domain: The codebook's domain.
        n_rows: Rows to draw.
        rng: Draws them.
        table_rows: Public number of rows of the table that the tables were learned from; n_rows where it is
            None.
        each_by_itself: Draw every row by itself, also where the method gives values their expected numbers:
            the rows then vary as those of a sample do.
        part: Which part of a larger draw these rows are; None: all of it.

    Raises:
        PlanError: the method pays for every row, and these are more than were paid for.
    """
    spec = plan.spec
    require_paid(plan, n_rows)
    if spec.pays_by_row:
        epsilon = float(plan.guarantee.epsilon)
        return labelled_codes(tables, domain, n_rows, rng, epsilon=epsilon, table_rows=table_rows or n_rows)
    proportional = spec.sampling == "proportional" and not each_by_itself
    encoded = spec.encoded_domain(domain)
    codes = sample_codes(tables, encoded, n_rows, rng, proportional=proportional, part=part)
    return BinaryEncoding(domain).decode(codes, rng) if spec.encoding == "bits" else codes


def require_paid(plan: Plan, n_rows: int) -> None:
    """Refuse more rows than a method that pays for every row has paid for.

    Raises:
        PlanError: there are more.
    """
    if plan.spec.pays_by_row and n_rows > (plan.rows or 0):
        raise PlanError(
            "rows is {rows}, but {paid} rows were paid for; draw at most as many.",
            rows=n_rows,
            paid=plan.rows or 0,
        )


def bound_rules(tables: Sequence[ConditionalTable], plan: Plan, domain: Domain, rules: Rules) -> Rules:
    """Fill in what the rules leave to the model, always alike for one model."""
    most = (plan.rows or 0) if plan.spec.pays_by_row else None
    if plan.spec.encoding != "bits":
        tables = with_structural_zeros(tables, domain, rules.items)
    return bound(
        rules,
        domain,
        draw=lambda count, rng: draw_codes(tables, plan, domain, min(count, most or count), rng),
        values=lambda codes, rng: decode(codes, domain, rng, rules.items),
    )


def draw_rows(
    tables: Sequence[ConditionalTable],
    plan: Plan,
    domain: Domain,
    rules: Rules,
    *,
    n_rows: int,
    rng: np.random.Generator,
    each_by_itself: bool = False,
    part: Part | None = None,
) -> pd.DataFrame:
    """Draw rows as values, none of which breaks a public rule. Free: post-processing.

    Identifiers in a declared format come first; nothing of the table or of the model is in them.

    Args:
        tables: Conditional tables over the encoded domain, in sampling order.
        plan: The plan they were made by.
        domain: The codebook's domain.
        rules: The codebook's rules.
        n_rows: Rows to draw.
        rng: Draws them.
        each_by_itself: See ``draw_codes``.
        part: Which part of a larger draw these rows are; None: all of it.
    """
    if plan.spec.encoding != "bits":
        tables = with_structural_zeros(tables, domain, rules.items)
    declared = rules.items
    rules = bound_rules(tables, plan, domain, rules)
    first = draw_codes(tables, plan, domain, n_rows, rng, part=part) if part else None

    def draw(count: int, rng: np.random.Generator) -> Codes:
        nonlocal first
        codes, first = first, None  # rows drawn again for others are no part of the larger draw
        if codes is not None:
            return codes
        return draw_codes(tables, plan, domain, count, rng, each_by_itself=each_by_itself)

    rows = obedient_rows(
        rules,
        domain,
        n_rows,
        draw=draw,
        values=lambda codes, rng: decode(codes, domain, rng, declared),
        rng=rng,
        redraws=not plan.spec.pays_by_row,
    )
    if part is None:
        return with_identifiers(rows, rules.identifiers, rng)
    shared = np.random.default_rng([part.seed, 1])  # one for all parts, so that no two give one identifier
    return with_identifiers(rows, rules.identifiers, shared, first=part.index, step=part.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A fitted model: public values only, every one of them paid for.

    Attributes:
        plan: What was asked for.
        domain: The codebook's domain.
        rules: What every row obeys.
        one_way: Noisy probabilities of each encoded attribute's values.
        similarity: Noisy similarities; None where the method measures none.
        clustering: Clusters of encoded attributes.
        networks: One network a cluster.
        tables: Conditional tables in sampling order.
        bridges: Arrows (parent, child) across clusters whose pair was measured.
        child_noise: For every encoded attribute the noise of the tables of which it is the child, and what
            even weights would have drawn there; empty where weights have no say.
        weights: Risk weight of each encoded attribute.
        bill: What it cost.
        events: What was planned, with every act that looked at the data under it.
        n_rows: Public or noisy number of rows of the table.
        seconds: Time each stage took.
        private: Whether real, unpredictable noise was drawn.

    Example:
        >>> from hmpb_core import Guarantee, make_plan, synthesize
        >>> from hmpb_core.sources.memory import MemorySource
        >>> domain = Domain.of_sizes([2, 3])
        >>> codes = np.array([[0, 0], [1, 2]] * 500)
        >>> plan = make_plan(Guarantee(epsilon=1.0), domain, n_rows=1000)
        >>> model, rows = synthesize(MemorySource(codes, domain), plan)
        >>> model.releasable, model.bill.loss == model.plan.guarantee.total, len(rows)
        (True, True, 1000)
    """

    plan: Plan
    domain: Domain
    one_way: Sequence[np.ndarray[Any, np.dtype[np.float64]]] = field(repr=False)
    similarity: SimilarityMatrix | None
    clustering: Clustering
    networks: tuple[BayesianNetwork, ...]
    tables: tuple[ConditionalTable, ...] = field(repr=False)
    bridges: tuple[tuple[int, int], ...] = ()
    child_noise: Mapping[int, ChildNoise] = field(default_factory=dict)
    weights: tuple[RiskWeight, ...]
    bill: Bill
    events: tuple[Event, ...] = field(repr=False)
    n_rows: int
    seconds: Mapping[str, float]
    private: bool
    rules: Rules = NO_RULES

    @property
    def entries(self) -> tuple[Event, ...]:
        """Every act that looked at the data."""
        return tuple(act for event in self.events for act in event.acts)

    @property
    def encoded_domain(self) -> Domain:
        """The domain the pipeline worked on."""
        return self.plan.spec.encoded_domain(self.domain)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the encoded attributes."""
        return self.encoded_domain.names

    @property
    def releasable(self) -> bool:
        """Whether the output carries the guarantee that the plan names."""
        return self.private and self.plan.spec.releasable and not self.bill.unpaid

    def sample_codes(self, n_rows: int | None = None, *, rng: np.random.Generator) -> Codes:
        """Draw rows as codes of the codebook's domain. Free: post-processing.

        Args:
            n_rows: Rows to draw; the table's number of rows where it is None.
            rng: Draws the rows.

        Raises:
            PlanError: n_rows is below 1, or more than are drawn at once.
        """
        count = self._rows_to_draw(n_rows)
        codes = draw_codes(self.tables, self.plan, self.domain, count, rng, table_rows=self.n_rows)
        return own_codes(codes, self.domain, rng)

    def sample(self, n_rows: int | None = None, *, rng: np.random.Generator) -> pd.DataFrame:
        """Draw rows as values of the codebook.

        Args:
            n_rows: Rows to draw; the table's number of rows where it is None.
            rng: Draws the rows.

        Raises:
            PlanError: n_rows is below 1, or more than are drawn at once.
        """
        count = self._rows_to_draw(n_rows)
        return draw_rows(self.tables, self.plan, self.domain, self.rules, n_rows=count, rng=rng)

    def _rows_to_draw(self, n_rows: int | None) -> int:
        require_rows(n_rows)
        return n_rows or self.plan.rows or self.n_rows

    def _weight(self, attribute: int) -> dict[str, float | None]:
        """What an attribute's weight asks for, what noise was drawn, and what was spent (as an epsilon)."""
        weight, noise = self.weights[attribute], self.child_noise.get(attribute)
        owner = self.domain.names[self.plan.spec.owners(self.domain)[attribute]]
        return {
            "risk_entropy": weight.risk_entropy,
            "weight": weight.weight,
            "share": weight.share,
            "noise_sd": noise.noise_sd if noise else None,
            "uniform_noise_sd": noise.uniform_noise_sd if noise else None,
            "spent": self.bill.attributes[owner],
        }

    def to_dict(self) -> dict[str, Any]:
        """Give what ran, what it cost and what it found as plain values, without the rows.

        Times are left out: how long a stage took on the private rows is not protected.
        """
        names = self.names
        similarity = None
        if self.similarity is not None:
            similarity = {
                "measure": self.similarity.measure,
                "names": list(names),
                "matrix": self.similarity.values.tolist(),
                "noise_sd": self.similarity.noise_sd,
            }
        return {
            "method": self.plan.method,
            "accounting": self.plan.accounting.value,
            "learner": self.plan.spec.learner,
            "encoding": self.plan.spec.encoding,
            "guarantee": self.bill.guarantee.to_dict(),  # of a search the whole, the plan has a part
            "shares": self.plan.shares.to_dict(),
            "bill": self.bill.to_dict(),
            "similarity": similarity,
            "clusters": [[names[a] for a in cluster] for cluster in self.clustering.clusters],
            "networks": [
                [
                    {"child": names[f.child], "parents": [names[p] for p in f.parents]}
                    for f in network.families
                ]
                for network in self.networks
            ],
            "bridges": [[names[parent], names[child]] for parent, child in self.bridges],
            "weights": {name: self._weight(a) for a, name in enumerate(names)},
            "releasable": self.releasable,
        }
