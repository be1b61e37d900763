"""What a plan really costs, stage by stage: from the plan alone, or from what was spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hmpb_core.domain import Domain
from hmpb_core.encoding import BinaryEncoding
from hmpb_core.planning.advice import one_way_counts, profile_parts
from hmpb_core.planning.plan import PUBLISHED_CLUSTERS, Accounting, Method, Plan
from hmpb_core.privacy.accountant import Spend
from hmpb_core.privacy.budget import Budget, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.sensitivity import attribute_factors

RISK_WEIGHTS_UNPAID = (
    "risk weights: computed from the raw table and visible in the noise scales; no finite cost covers them"
)
NO_NOISE_UNPAID = "every stage: no noise is drawn, so nothing is protected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """The true cost of a run.

    Attributes:
        guarantee: What was promised.
        losses: Each stage's cost in the currency: epsilon, or rho.
        attribute_losses: For each attribute, the cost towards somebody who hides only that one
            (per-attribute partial differential privacy [Ghazi2022]); from a plan, an upper bound.
        unpaid: What looks at the data and is charged to nobody, in words.
        protected: Whether any noise is drawn.
    """

    guarantee: Guarantee
    losses: Mapping[Stage, Fraction]
    attribute_losses: Mapping[str, Fraction]
    unpaid: tuple[str, ...] = field(default=())
    protected: bool = True

    @property
    def nominal(self) -> float:
        """The epsilon that was asked for."""
        return float(self.guarantee.epsilon)

    @property
    def loss(self) -> Fraction:
        """The whole cost in the currency."""
        return sum(self.losses.values(), Fraction(0))

    @property
    def total(self) -> float | None:
        """The whole cost as an epsilon at the guarantee's delta; None where nothing is protected."""
        return self.guarantee.epsilon_of(self.loss) if self.protected else None

    @property
    def stages(self) -> dict[str, float]:
        """Each stage's part of the total epsilon; the parts sum to the total.

        zCDP costs do not add up as epsilons, so each stage is given its part of the rho.
        """
        total = self.total
        if total is None or self.loss == 0:
            return {stage.value: 0.0 for stage in Stage}
        return {
            stage.value: total * float(self.losses.get(stage, Fraction(0)) / self.loss) for stage in Stage
        }

    @property
    def attributes(self) -> dict[str, float | None]:
        """Each attribute's own cost as an epsilon."""
        return {
            name: self.guarantee.epsilon_of(loss) if self.protected else None
            for name, loss in self.attribute_losses.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Give the bill as plain values."""
        values: dict[str, Any] = {
            "nominal": self.nominal,
            "total": self.total,
            "delta": self.guarantee.delta,
            "stages": self.stages,
            "attributes": self.attributes,
            "unpaid": list(self.unpaid),
        }
        if self.guarantee.currency is Currency.ZCDP and self.protected:
            values["rho"] = {
                "total": float(self.loss),
                **{stage.value: float(self.losses.get(stage, Fraction(0))) for stage in Stage},
            }
        return values


def stage_limits(plan: Plan, n_attributes: int, n_clusters: int) -> dict[Stage, Fraction]:
    """What each stage truly costs under a plan, in the currency.

    In the accounting ``sound`` it is the stage's share. Under the published accounting:

    - similarity: the noise is set for floor(d/2) pairs to share one charge, but one person is in
      every pair: floor(d/2) * eps1;
    - structure and conditionals: each cluster is charged as if the clusters were split by rows;
      they are split by columns and everybody is in all of them: k * (eps2 + eps3).

    Args:
        plan: The plan.
        n_attributes: d, the number of binary attributes under the published accounting.
        n_clusters: k.
    """
    budget = Budget(guarantee=plan.guarantee, shares=plan.shares)
    limits = {stage: budget.loss(stage) for stage in Stage}
    if plan.accounting is Accounting.AS_PUBLISHED:
        limits[Stage.SIMILARITY] *= n_attributes // 2
        limits[Stage.STRUCTURE] *= n_clusters
        limits[Stage.CONDITIONAL_TABLES] *= n_clusters
    return limits


def bill_of_plan(plan: Plan, *, domain: Domain | None = None, n_attributes: int | None = None) -> Bill:
    """Work out what a plan costs without touching data.

    Args:
        plan: The plan.
        domain: The codebook's domain; under the published accounting its bits are counted.
        n_attributes: The number of attributes, where there is no codebook.
    """
    if domain is None:
        domain = Domain.of_sizes([2] * (n_attributes or 1))
    widths = BinaryEncoding(domain).widths if plan.binary else (1,) * len(domain)
    d = sum(widths)
    k = min(plan.clusters or PUBLISHED_CLUSTERS, d)
    losses = stage_limits(plan, d, k)
    published = plan.accounting is Accounting.AS_PUBLISHED
    per_network = Fraction(1, k) if published else Fraction(1)
    d_pairs = Fraction(max(d * (d - 1) // 2, 1))
    parts = profile_parts(one_way_counts(domain, plan.shares.one_way_tables))
    one_way = [losses[Stage.ONE_WAY_TABLES] * part for part in parts]
    in_tables, in_variations = attribute_factors(plan.guarantee)
    attribute_losses = {}
    for name, width, own in zip(domain.names, widths, one_way, strict=True):
        touched_pairs = Fraction(width * (d - width) + width * (width - 1) // 2) / d_pairs
        networks = min(width, k) if published else 1  # an attribute's bits may lie in several clusters
        attribute_losses[name] = (
            in_tables * own
            + in_variations * losses[Stage.SIMILARITY] * touched_pairs
            + (in_variations * losses[Stage.STRUCTURE] + in_tables * losses[Stage.CONDITIONAL_TABLES])
            * per_network
            * networks
        )
    return Bill(
        guarantee=plan.guarantee,
        losses=losses,
        attribute_losses=attribute_losses,
        unpaid=_unpaid(plan),
        protected=plan.method is not Method.NOPRIVACY,
    )


def bill_of_entries(
    plan: Plan, entries: Sequence[Spend], names: Sequence[str], *, owner: Sequence[int] | None = None
) -> Bill:
    """Add up what a run spent.

    Args:
        plan: The plan that ran.
        entries: What the accountant recorded.
        names: Names of the codebook's attributes.
        owner: For each encoded attribute, the codebook's attribute it belongs to.
    """
    losses = dict.fromkeys(Stage, Fraction(0))
    attribute_losses = dict.fromkeys(names, Fraction(0))
    for entry in entries:
        losses[entry.stage] += entry.loss
        per_owner: dict[int, Fraction] = {}
        for attribute, loss in entry.attribute_loss:
            index = owner[attribute] if owner is not None else attribute
            per_owner[index] = per_owner.get(index, Fraction(0)) + loss
        # Several bits of one attribute in one act cost no more than the act.
        most = max([entry.loss, *(loss for _, loss in entry.attribute_loss)])
        for index, loss in per_owner.items():
            attribute_losses[names[index]] += min(loss, most)
    return Bill(
        guarantee=plan.guarantee,
        losses=losses,
        attribute_losses=attribute_losses,
        unpaid=_unpaid(plan),
        protected=plan.method is not Method.NOPRIVACY,
    )


def _unpaid(plan: Plan) -> tuple[str, ...]:
    if plan.method is Method.NOPRIVACY:
        return (NO_NOISE_UNPAID,)
    if plan.accounting is Accounting.AS_PUBLISHED:
        return (RISK_WEIGHTS_UNPAID,)
    return ()
