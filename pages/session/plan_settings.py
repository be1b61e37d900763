"""What the Plan page's widgets say, and the plan it makes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Self

from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.planning.methods import (
    DEFAULT_METHOD,
    PUBLISHED_CLUSTERS,
    Accounting,
    MeasureChoice,
    MethodSpec,
    default_shares,
    published_shares,
    spec_of,
)
from hmpb_core.planning.plan import DEFAULT_SIGMA, Plan
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import DEFAULT_DELTA, Currency, Guarantee, Neighbors
from pages.session.shares import Thousandths, to_shares, to_thousandths

EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0)
EPSILONS += (2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


@dataclass(slots=True, kw_only=True)
class PlanSettings:
    """Every choice of the Plan page, as its widgets hold it.

    Attributes:
        clusters: k; 0 for the public rule.
        max_parents: l; 0 for the public rule.
        vectors: k1; 0 for k.
        rows: Rows to make; 0 for as many as the table has.
        exact: The shares of a preset or a file, where they are finer than thousandths.
        automatic: Whether the shares follow the recommended rule of the method.
    """

    epsilon: float = 1.0
    delta_digits: int = 9
    currency: Currency = Currency.ZCDP
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    method: str = DEFAULT_METHOD
    accounting: Accounting = Accounting.SOUND
    similarity: MeasureChoice = "auto"
    clusters: int = 0
    max_parents: int = 0
    eta: float = 0.0
    sigma: float = DEFAULT_SIGMA
    vectors: int = 0
    gamma: float = 1.0
    weights: dict[str, float] = field(default_factory=dict)
    rows: int = 0
    declared_rows: int = 10_000
    thousandths: Thousandths = (150, 100, 150, 600)
    exact: Shares | None = None
    automatic: bool = True
    locked: frozenset[int] = frozenset()

    @property
    def published(self) -> bool:
        """Whether the paper's own accounting is followed, which fixes other choices."""
        return self.accounting is Accounting.AS_PUBLISHED

    @property
    def guarantee(self) -> Guarantee:
        """What is promised."""
        pure = self.published or self.currency is Currency.PURE
        return Guarantee(
            epsilon=self.epsilon,
            delta=0.0 if pure else 10.0**-self.delta_digits,
            currency=Currency.PURE if pure else Currency.ZCDP,
            neighbors=Neighbors.REPLACE_ONE if self.needs_replace_one else self.neighbors,
        )

    @property
    def spec(self) -> MethodSpec:
        """The method's row."""
        return spec_of(self.method, self.accounting)

    @property
    def needs_replace_one(self) -> bool:
        """Whether the method's sensitivities are proven under ``replace-one`` only."""
        return Neighbors.ADD_REMOVE not in self.spec.neighbors

    @property
    def shares(self) -> Shares:
        """The shares, exactly."""
        return self.exact or to_shares(self.thousandths)

    def plan(self) -> Plan:
        """Make the plan.

        Raises:
            PlanError: the choices contradict each other.
        """
        similarity: MeasureChoice = "auto" if self.published else self.similarity
        return Plan(
            guarantee=self.guarantee,
            shares=self.shares,
            method=self.method,
            accounting=self.accounting,
            similarity=similarity,
            clusters=self.clusters or None,
            max_parents=self.max_parents or None,
            eta=self.eta,
            sigma=self.sigma,
            n_vectors=self.vectors or None,
            gamma=self.gamma,
            weights=dict(self.weights),
            rows=self.rows or None,
        )

    def recommend(self, domain: Domain, n_rows: int | None) -> None:
        """Take the recommended shares of the method."""
        self.set_shares(
            default_shares(
                self.method,
                self.accounting,
                domain=domain,
                guarantee=self.guarantee,
                n_rows=n_rows,
                clusters=self.clusters or None,
            )
        )
        self.automatic = True

    def take_papers_split(self, domain: Domain) -> None:
        """Take the paper's split among similarity, structure and conditionals."""
        self.set_shares(published_shares(max(len(domain), 2), self.clusters or PUBLISHED_CLUSTERS))

    def set_shares(self, shares: Shares) -> None:
        """Take exact shares; the sliders show them to the thousandth."""
        self.thousandths = to_thousandths(shares)
        self.exact = shares
        self.automatic = False

    def move(self, thousandths: Thousandths) -> None:
        """Take the sliders' shares."""
        self.thousandths, self.exact, self.automatic = thousandths, None, False

    def copy(self) -> Self:
        """A copy that further changes leave alone."""
        return replace(self, weights=dict(self.weights))

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Give the settings that make a plan.

        Raises:
            PlanError: the plan says something that the page has no widget for.
        """
        if plan.person is not None or plan.rows_per_person != 1:
            raise PlanError(
                "The plan counts several rows a person; this is set where the data set is registered. "
                "Take 'person' and 'rows_per_person' out of the plan."
            )
        delta = plan.guarantee.delta or DEFAULT_DELTA
        settings = cls(
            epsilon=plan.guarantee.epsilon,
            delta_digits=max(3, min(30, round(-math.log10(delta)))),
            currency=plan.guarantee.currency,
            neighbors=plan.guarantee.neighbors,
            method=plan.method,
            accounting=plan.accounting,
            similarity=plan.similarity,
            clusters=plan.clusters or 0,
            max_parents=plan.max_parents or 0,
            eta=plan.eta,
            sigma=plan.sigma,
            vectors=plan.n_vectors or 0,
            gamma=plan.gamma,
            weights=dict(plan.weights),
            rows=plan.rows or 0,
        )
        settings.set_shares(plan.shares)
        return settings
