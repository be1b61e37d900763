"""What a plan really costs, stage by stage: from the plan alone, or from what was spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hmpb_core.domain import Domain
from hmpb_core.errors import typed
from hmpb_core.planning.events import events_of
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.events import Event
from hmpb_core.privacy.guarantee import Currency, Guarantee


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

    def __str__(self) -> str:
        """The bill as ``hmpb bill`` prints it."""
        delta = f", delta {typed(self.guarantee.delta)}" if self.guarantee.delta else ""
        lines = [
            f"asked for   epsilon {self.nominal:g}{delta}, neighbours {self.guarantee.neighbors.value}",
        ]
        total = self.total
        if total is None:
            lines.append("true cost   none can be named")
        else:
            factor = total / self.nominal
            more = f" ({factor:.2f} times what was asked)" if factor > 1.001 else ""
            lines.append(f"true cost   epsilon {total:.4g}{more}")
            lines += [f"  {stage:<24} {epsilon:10.4g}" for stage, epsilon in self.stages.items()]
            lines.append("per attribute, towards somebody who hides only that one (at most)")
            lines += [f"  {name:<24} {cost:10.4g}" for name, cost in self.attributes.items()]
        return "\n".join([*lines, *(f"unpaid      {item}" for item in self.unpaid)])

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


def bill_of_plan(plan: Plan, *, domain: Domain | None) -> Bill:
    """Work out what a plan costs without touching data: the sum of its events.

    Args:
        plan: The plan.
        domain: The codebook's domain; under the published accounting its bits are counted. One attribute
            of two values where there is no codebook.
    """
    domain = domain or Domain.of_sizes([2])
    return _bill(plan, domain, events_of(plan, domain))


def bill_of_run(plan: Plan, domain: Domain, events: Sequence[Event]) -> Bill:
    """Add up what a run spent: the acts under its events.

    Args:
        plan: The plan that ran.
        domain: The codebook's domain.
        events: The accountant's events, with their acts.
    """
    return _bill(plan, domain, [act for event in events for act in event.acts])


def _bill(plan: Plan, domain: Domain, events: Sequence[Event]) -> Bill:
    losses = dict.fromkeys(Stage, Fraction(0))
    attribute_losses = dict.fromkeys(domain.names, Fraction(0))
    names = domain.names
    owners = [names[owner] for owner in plan.spec.owners(domain)]
    for event in events:
        losses[event.stage] += event.loss
        per_owner: dict[str, Fraction] = {}
        for attribute, loss in event.attribute_loss:
            name = owners[attribute]
            per_owner[name] = per_owner.get(name, Fraction(0)) + loss
        # Several bits of one attribute under one event cost no more than the event.
        most = max([event.loss, *(loss for _, loss in event.attribute_loss)])
        for name, loss in per_owner.items():
            attribute_losses[name] += min(loss, most)
    return Bill(
        guarantee=plan.guarantee,
        losses=losses,
        attribute_losses=attribute_losses,
        unpaid=plan.spec.unpaid,
        protected=plan.spec.protection != "none",
    )
