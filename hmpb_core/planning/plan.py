"""Plan: every choice before anything is spent."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any, get_args

from hmpb_core.domain import MAX_ATTRIBUTES, Domain
from hmpb_core.errors import PlanError, Sentence
from hmpb_core.planning.methods import (
    DEFAULT_METHOD,
    Accounting,
    Encoding,
    LearnerName,
    MeasureChoice,
    MethodSpec,
    spec_of,
)
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors

MAX_ROWS = 100_000_000
DEFAULT_SIGMA = 0.5
_SHARE = re.compile(r"-?\d{1,300}/\d{1,300}|-?\d{1,300}(\.\d{0,300})?([eE][+-]?\d{1,3})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Every choice before anything is spent.

    Attributes:
        guarantee: What is promised.
        shares: Each stage's part of the budget.
        method: Which method.
        accounting: Whose accounting.
        learner: Which of the method's learners finds the networks; None for the method's usual one.
        encoding: Whether attributes keep their codes or are cut into the papers' bits; None for what
            the method says.
        similarity: ``mic``, ``mi``, ``tvd`` or ``auto``.
        clusters: k; None lets a public rule choose.
        max_parents: l, the largest number of parents; None for 3 with IBayes, and for what the
            size of the tables allows with the adaptive learner.
        eta: Pruning of candidate pairs, 0 to 1 (eq. 9).
        sigma: Width of the affinity in the spectral clustering.
        n_vectors: k1, the number of eigenvectors; None for k.
        gamma: Strength of the risk weights exp(-gamma OE).
        weights: Weights set by hand, by attribute.
        target: The class, for a method that is built around one (None for the codebook's last attribute);
            else the attribute whose pairs matter most, None where all matter alike.
        rows: Rows to publish; None for as many as the table has.
        rows_per_person: Largest number of rows of one person, m.
        person: Name of the id column, where m rows may belong to one person.
        declared_rows: Number of rows, public or declared, that the rule for the shares was given; None where
            it was given none, or the steward set the shares.

    Example:
        >>> shares = Shares.parse("one-way tables=1, similarity=0, structure=0, conditional tables=0")
        >>> plan = Plan(guarantee=Guarantee(epsilon=1.0), shares=shares, method="independent")
        >>> plan.spec.learner, plan.clusters_of(5), Plan.from_dict(plan.to_dict()) == plan
        ('independent', 5, True)
    """

    guarantee: Guarantee
    shares: Shares
    method: str = DEFAULT_METHOD
    accounting: Accounting = Accounting.SOUND
    learner: LearnerName | None = None
    encoding: Encoding | None = None
    similarity: MeasureChoice = "auto"
    clusters: int | None = None
    max_parents: int | None = None
    eta: float = 0.0
    sigma: float = DEFAULT_SIGMA
    n_vectors: int | None = None
    gamma: float = 1.0
    weights: Mapping[str, float] = field(default_factory=dict)
    target: str | None = None
    rows: int | None = None
    rows_per_person: int = 1
    person: str | None = None
    declared_rows: int | None = None

    def __post_init__(self) -> None:
        _check(Sentence("clusters"), self.clusters, low=1, optional=True, whole=True)
        _check(Sentence("parents"), self.max_parents, low=1, high=MAX_ATTRIBUTES, optional=True, whole=True)
        _check(Sentence("eta"), self.eta, low=0.0, high=1.0)
        _check(Sentence("sigma"), self.sigma, low=1e-3, high=1e3)
        _check(Sentence("k1"), self.n_vectors, low=1, optional=True, whole=True)
        _check(Sentence("gamma"), self.gamma, low=-20.0, high=20.0)
        _check(Sentence("rows"), self.rows, low=1, high=MAX_ROWS, optional=True, whole=True)
        _check(Sentence("rows per person"), self.rows_per_person, low=1, high=10_000, whole=True)
        _check(Sentence("declared_rows"), self.declared_rows, low=1, optional=True, whole=True)
        _check_weights(self.weights)
        if self.encoding not in (None, *get_args(Encoding)):
            raise PlanError(
                "encoding is {encoding!r}; choose one of {allowed}.",
                encoding=self.encoding,
                allowed=tuple(get_args(Encoding)),
            )
        if self.similarity not in get_args(MeasureChoice):
            raise PlanError(
                "similarity is {similarity!r}; choose one of {allowed}.",
                similarity=self.similarity,
                allowed=tuple(get_args(MeasureChoice)),
            )
        self._check_method()

    def _check_method(self) -> None:
        spec, guarantee = self.spec, self.guarantee
        published = spec.accounting is Accounting.AS_PUBLISHED
        unproven = guarantee.neighbors not in spec.neighbors
        if guarantee.currency not in spec.currencies or (published and unproven):
            raise PlanError(
                "The accounting 'as-published' is defined for the guarantee 'pure' and 'replace-one' "
                "neighbours only; choose these, or the accounting 'sound'."
            )
        if unproven and spec.classifies:
            raise PlanError(
                "The method '{method}' works under 'replace-one' neighbours only; choose these, or the "
                "method 'hmprivbayes'.",
                method=spec.name,
            )
        if unproven:
            raise PlanError(
                "The method '{method}' scores by mutual information, whose sensitivity is proven only under "
                "'replace-one' neighbours; choose these, or the method 'hmprivbayes'.",
                method=spec.name,
            )
        if self.target is not None and not (spec.classifies or spec.favours):
            raise PlanError(
                "The plan names the target {target!r}, of which the method '{method}' makes no use with the "
                "learner '{learner}'; leave it out, or choose 'hmprivbayes' with its first learner.",
                target=self.target,
                method=spec.name,
                learner=spec.learner,
            )
        if spec.pays_by_row and self.rows is None:
            raise PlanError(
                "Under the accounting 'as-published' the method '{method}' pays for every row that it draws; "
                "say how many rows to write.",
                method=spec.name,
            )
        if spec.measure != "auto" and self.similarity not in ("auto", spec.measure):
            raise PlanError(
                "The method '{method}' measures similarity by '{measure}'; leave it at 'auto'.",
                method=spec.name,
                measure=spec.measure or "nothing",
            )
        if self.similarity in ("mic", "mi") and guarantee.neighbors is not Neighbors.REPLACE_ONE:
            raise PlanError(
                "'{measure}' has a proven sensitivity only under 'replace-one' neighbours; use 'tvd' or "
                "'auto' with 'add-remove'.",
                measure=self.similarity,
            )
        for stage, share in self.shares.items():
            if share == 0 and stage in spec.needs:
                raise PlanError(
                    "The share of '{stage}' is 0, yet the method needs it; raise it above 0.",
                    stage=stage,
                )
            if share > 0 and stage not in spec.needs | spec.may:
                raise PlanError(
                    "The share of '{stage}' is {share:g}, but the method '{method}' has no use for it; "
                    "give it to another stage.",
                    stage=stage,
                    share=float(share),
                    method=spec.name,
                )

    @property
    def spec(self) -> MethodSpec:
        """The method's row: what every part of the pipeline asks."""
        return spec_of(self.method, self.accounting, learner=self.learner, encoding=self.encoding)

    @property
    def measure(self) -> MeasureChoice | None:
        """What similarity is measured by; ``auto`` still depends on the number of rows, None is nothing."""
        return self.spec.measure if self.similarity == "auto" else self.similarity

    @property
    def most_parents(self) -> int | None:
        """The largest number of parents in use; None where only the size of the tables bounds it."""
        return self.max_parents or self.spec.max_parents

    def clusters_of(self, n_attributes: int) -> int:
        """The number of clusters in use on a domain of d attributes, bits counted as such."""
        if self.spec.clusters is None:
            return 1
        return min(self.clusters or self.spec.clusters(n_attributes), n_attributes)

    def target_of(self, domain: Domain) -> int:
        """The class, as an attribute of the codebook: the target, or the last attribute.

        Raises:
            DomainError: the codebook has no such attribute.
        """
        return len(domain) - 1 if self.target is None else domain.index(self.target)

    def to_dict(self) -> dict[str, Any]:
        """Give the plan as plain values; exact shares are written as fractions."""
        values = asdict(self)
        values["guarantee"] = self.guarantee.to_dict()
        values["shares"] = {stage.value: str(share) for stage, share in self.shares.items()}
        values["weights"] = dict(self.weights)
        values["accounting"] = self.accounting.value
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Plan:
        """Read a plan from plain values.

        Raises:
            PlanError: a name is unknown or a value is not allowed.
        """
        known = set(cls.__dataclass_fields__)
        if "profile" in values:  # as plans called it up to version 0.1
            values = {**values, "accounting": values["profile"]}
            values.pop("profile")
        unknown = sorted(set(values) - known)
        if unknown:
            raise PlanError(
                "The plan says {entry!r}, which no plan has; allowed are {allowed}.",
                entry=unknown[0],
                allowed=tuple(sorted(known)),
            )
        try:
            given = dict(values)
            guarantee = dict(given["guarantee"])
            given["guarantee"] = Guarantee(
                epsilon=_number("epsilon", guarantee["epsilon"]),
                delta=_number("delta", guarantee["delta"]),
                currency=Currency(guarantee["currency"]),
                neighbors=Neighbors(guarantee["neighbors"]),
            )
            given["shares"] = Shares.from_dict(
                {name: _share(share) for name, share in given["shares"].items()}
            )
            given["accounting"] = Accounting(given.get("accounting", Accounting.SOUND))
            return cls(**given)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise PlanError(
                "The plan is incomplete or has a value of the wrong kind ({reason}).", reason=str(error)
            ) from None


def _share(value: object) -> Fraction:
    text = str(value)
    if isinstance(value, bool) or not _SHARE.fullmatch(text):  # also keeps 1e999999999 from being worked out
        raise PlanError("{part!r} is not a share; write a number such as 0.2 or 1/5.", part=text[:40])
    return Fraction(text)


def _number(name: str, value: object) -> float:
    if not _is_number(value):
        raise PlanError("{option} is {value!r}; it must be a number.", option=name, value=value)
    return float(value)  # type: ignore[arg-type]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def require_rows(n_rows: int | None) -> None:
    """Refuse to draw a number of rows at once that is none, or that no machine holds; None is left open.

    Raises:
        PlanError: n_rows is not between 1 and ``MAX_ROWS``.
    """
    if n_rows is not None and not 1 <= n_rows <= MAX_ROWS:
        raise PlanError(
            "So many rows cannot be drawn at once; ask for 1 to {most:,}.", most=MAX_ROWS
        )  # a number that is far too long is not repeated


def _check_weights(weights: object) -> None:
    if not isinstance(weights, Mapping):
        raise PlanError("The weights must be a table that gives attributes numbers, one a line.")
    for name, weight in weights.items():
        if not (_is_number(weight) and 0 < weight < math.inf):
            raise PlanError(
                "The weight of {name!r} is {weight}; weights must be above 0.", name=name, weight=weight
            )


def _check(
    what: Sentence,
    value: object,
    *,
    low: float,
    high: float = math.inf,
    optional: bool = False,
    whole: bool = False,
) -> None:
    if value is None and optional:
        return
    if not _is_number(value):
        raise PlanError("{what} is {value!r}; it must be a number.", what=what, value=value)
    if whole and not isinstance(value, int):
        raise PlanError("{what} is {value!r}; it must be a whole number.", what=what, value=value)
    if not low <= value <= high:  # type: ignore[operator]
        limit = (
            Sentence("at least {low:g}", {"low": low})
            if math.isinf(high)
            else Sentence("between {low:g} and {high:g}", {"low": low, "high": high})
        )
        raise PlanError("{what} is {value}; it must be {limit}.", what=what, value=value, limit=limit)
