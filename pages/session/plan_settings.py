"""What the Plan page's widgets say, and the plan it makes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self

from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.planning.methods import (
    DEFAULT_METHOD,
    PUBLISHED_ETA,
    Accounting,
    Encoding,
    LearnerName,
    MeasureChoice,
    MethodSpec,
    accountings_of,
    default_shares,
    learners_of,
    spec_of,
)
from hmpb_core.planning.plan import DEFAULT_SIGMA, Plan
from hmpb_core.planning.share_rules import PUBLISHED_CLUSTERS, published_shares
from hmpb_core.privacy.budget import Shares, Stage
from hmpb_core.privacy.guarantee import DEFAULT_DELTA, Currency, Guarantee, Neighbors

EPSILONS: tuple[float, ...]
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0)
EPSILONS += (2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
MOST_CLUSTERS = 20
ANY_DOMAIN = Domain.of_sizes([2, 2])


@dataclass(slots=True, kw_only=True)
class PlanSettings:
    """Every choice of the Plan page, as its widgets hold it.

    Attributes:
        clusters: k; 0 for the public rule.
        max_parents: l; 0 for the public rule.
        vectors: k1; 0 for k.
        target: The class; None for the codebook's last attribute.
        favoured: The attribute whose pairs matter most; empty where all matter alike.
        rows: Rows to make; 0 for as many as the table has.
        declared_rows: About how many rows the private table has, as publicly known; 0 where nobody said.
        own_rows: Whether that is the table's own number, which is private under ``add-remove``.
        shares: The steward's own shares; None follows the recommendation, whatever else changes.
        locked: The stages whose sliders keep their share.
    """

    epsilon: float = 1.0
    delta_digits: int = 9
    currency: Currency = Currency.ZCDP
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    method: str = DEFAULT_METHOD
    accounting: Accounting = Accounting.SOUND
    learner: LearnerName = "adaptive"
    encoding: Encoding | None = None
    similarity: MeasureChoice = "auto"
    clusters: int = 0
    max_parents: int = 0
    eta: float = 0.0
    sigma: float = DEFAULT_SIGMA
    vectors: int = 0
    gamma: float = 1.0
    weights: dict[str, float] = field(default_factory=dict)
    target: str | None = None
    favoured: str = ""
    rows: int = 0
    declared_rows: int = 0
    own_rows: bool = False
    shares: Shares | None = None
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
        return spec_of(self.method, self.accounting, learner=self.other_learner, encoding=self.encoding)

    @property
    def other_learner(self) -> LearnerName | None:
        """The learner, where the method can be run with it and it is not the method's usual one."""
        return self.learner if self.learner in learners_of(self.method, self.accounting)[1:] else None

    @property
    def needs_replace_one(self) -> bool:
        """Whether the method's sensitivities are proven under ``replace-one`` only."""
        return Neighbors.ADD_REMOVE not in self.spec.neighbors

    @property
    def protected(self) -> bool:
        """Whether noise is drawn at all."""
        return self.spec.protection != "none"

    @property
    def stages(self) -> frozenset[Stage]:
        """The stages that the method has a use for."""
        return self.spec.needs | self.spec.may

    @property
    def idle(self) -> frozenset[str]:
        """The settings that the method has no use for."""
        return frozenset({"vectors" if name == "n_vectors" else name for name in self.spec.idle})

    @property
    def measures(self) -> tuple[MeasureChoice, ...]:
        """What similarity may be measured by, by this method and under this promise."""
        return ("auto", *self.spec.measures(self.guarantee.neighbors))

    @property
    def stated_rows(self) -> int | None:
        """The number of rows that may be used where the table's own is nobody's business; None if unsaid."""
        return self.declared_rows or self.rows or None

    def choose(self, name: str, value: Any) -> None:
        """Take one choice, and settle the others that it decides.

        Args:
            name: The field.
            value: What was chosen.
        """
        published, stages = self.published, self.stages
        setattr(self, name, value)
        if name == "declared_rows":
            self.own_rows = False
        if self.neighbors is Neighbors.ADD_REMOVE:
            self.forget_own_rows()
        if self.accounting not in accountings_of(self.method):
            self.accounting = accountings_of(self.method)[0]
        if self.stages != stages:  # shares of stages that the method does not have help nobody
            self.shares, self.locked = None, frozenset()
        if self.published is not published:  # the accountings prune differently unless the steward says so
            self.eta = PUBLISHED_ETA if self.published else 0.0
        if self.similarity not in self.measures:
            self.similarity = "auto"

    def take_own_rows(self, n_rows: int) -> None:
        """Take the table's own number of rows as publicly known: under ``replace-one`` it is."""
        self.declared_rows, self.own_rows = n_rows, True

    def forget_own_rows(self) -> None:
        """Drop the table's own number of rows: from now on it is private."""
        if self.own_rows:
            self.declared_rows, self.own_rows = 0, False

    def fit(self, domain: Domain) -> None:
        """Drop what a codebook has no place for: weights and class of other attributes, too many clusters."""
        self.weights = {name: weight for name, weight in self.weights.items() if name in domain.names}
        if self.target not in domain.names:
            self.target = None
        if self.favoured not in domain.names:
            self.favoured = ""
        most = min(MOST_CLUSTERS, len(domain))
        self.clusters, self.vectors = min(self.clusters, most), min(self.vectors, most)

    def recommended(self, domain: Domain | None, n_rows: int | None) -> Shares:
        """The shares that the method's public rule recommends.

        Args:
            domain: The codebook's domain; None takes one attribute for the rule.
            n_rows: Number of rows as publicly known; None where nobody said.
        """
        return default_shares(
            self.method,
            self.accounting,
            domain=domain or ANY_DOMAIN,
            guarantee=self.guarantee,
            n_rows=n_rows,
            clusters=self.clusters or None,
            learner=self.other_learner,
            encoding=self.encoding,
        )

    def plan(self, domain: Domain | None, n_rows: int | None) -> Plan:
        """Make the plan.

        Args:
            domain: The codebook's domain, for the recommended shares.
            n_rows: Number of rows as publicly known, for the recommended shares.

        Raises:
            PlanError: the choices contradict each other.
        """
        similarity: MeasureChoice = "auto" if self.published else self.similarity
        return Plan(
            guarantee=self.guarantee,
            shares=self.shares or self.recommended(domain, n_rows),
            declared_rows=self.declared_rows or (None if self.shares else n_rows),
            method=self.method,
            accounting=self.accounting,
            learner=self.other_learner,
            encoding=self.encoding,
            similarity=similarity,
            clusters=self.clusters or None,
            max_parents=self.max_parents or None,
            eta=self.eta,
            sigma=self.sigma,
            n_vectors=self.vectors or None,
            gamma=self.gamma,
            weights=dict(self.weights),
            target=self.target_for(self.spec),
            rows=self.rows or (n_rows if self.spec.pays_by_row else None),
        )

    def target_for(self, spec: MethodSpec) -> str | None:
        """The target of a plan with this method: its class, or the attribute that matters most."""
        if spec.classifies:
            return self.target
        return (self.favoured or None) if spec.favours else None

    def take_papers_split(self, domain: Domain, one_way_tables: Fraction) -> None:
        """Take the paper's split among similarity, structure and conditional tables.

        Args:
            domain: The domain that the method works on.
            one_way_tables: What the one-way tables keep: the paper leaves them unpaid.
        """
        papers = published_shares(max(len(domain), 2), self.clusters or PUBLISHED_CLUSTERS)
        rest = 1 - one_way_tables
        self.shares = Shares(
            one_way_tables=one_way_tables,
            similarity=rest * papers.similarity,
            structure=rest * papers.structure,
            conditional_tables=rest * papers.conditional_tables,
        )

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
        return cls(
            epsilon=plan.guarantee.epsilon,
            delta_digits=max(3, min(30, round(-math.log10(delta)))),
            currency=plan.guarantee.currency,
            neighbors=plan.guarantee.neighbors,
            method=plan.method,
            accounting=plan.accounting,
            learner=plan.learner or "adaptive",
            encoding=plan.encoding,
            similarity=plan.similarity,
            clusters=plan.clusters or 0,
            max_parents=plan.max_parents or 0,
            eta=plan.eta,
            sigma=plan.sigma,
            vectors=plan.n_vectors or 0,
            gamma=plan.gamma,
            weights=dict(plan.weights),
            target=plan.target if plan.spec.classifies else None,
            favoured=(plan.target or "") if plan.spec.favours else "",
            rows=plan.rows or 0,
            declared_rows=plan.declared_rows or 0,
            shares=plan.shares,
        )
