"""Plan: every choice before anything is spent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Literal, get_args

from hmpb_core.domain import Domain
from hmpb_core.encoding import BinaryEncoding
from hmpb_core.errors import PlanError
from hmpb_core.planning.advice import shares_for
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.stages.clustering import DEFAULT_SIGMA
from hmpb_core.stages.similarity import MeasureChoice

MAX_ROWS = 100_000_000
PUBLISHED_CLUSTERS = 3
PUBLISHED_PARENTS = 3
PUBLISHED_ETA = 0.5
"""The paper names no value; on the bits of Adult 0.5 is more accurate than 0.1 and 0.3, and faster."""


class Method(StrEnum):
    """What is run: settings of one pipeline."""

    HMPRIVBAYES = "hmprivbayes"
    PRIVBAYES = "privbayes"
    PRIVSCBN = "privscbn"
    JTREE = "jtree"
    NOPRIVACY = "noprivacy"
    INDEPENDENT = "independent"


class Accounting(StrEnum):
    """Whose accounting is followed."""

    SOUND = "sound"
    """Every stage paid in full."""
    AS_PUBLISHED = "as-published"
    """Algorithms 2 to 5 of the paper to the letter; never releasable."""


Learner = Literal["adaptive", "ibayes", "jtree"]
COMPARED = (Method.PRIVBAYES, Method.PRIVSCBN, Method.JTREE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Every choice before anything is spent.

    Attributes:
        guarantee: What is promised.
        shares: Each stage's part of the budget.
        method: Which method.
        accounting: Whose accounting.
        similarity: ``mic``, ``mi``, ``tvd`` or ``auto``.
        clusters: k; None lets a public rule choose.
        max_parents: l, the largest number of parents; None for 3 with IBayes, and for what the
            size of the tables allows with the adaptive learner.
        eta: Pruning of candidate pairs, 0 to 1 (eq. 9).
        sigma: Width of the affinity in the spectral clustering.
        n_vectors: k1, the number of eigenvectors; None for k.
        gamma: Strength of the risk weights exp(-gamma OE).
        weights: Weights set by hand, by attribute.
        rows: Rows to publish; None for as many as the table has.
        rows_per_person: Largest number of rows of one person, m.
        person: Name of the id column, where m rows may belong to one person.
    """

    guarantee: Guarantee
    shares: Shares
    method: Method = Method.HMPRIVBAYES
    accounting: Accounting = Accounting.SOUND
    similarity: MeasureChoice = "auto"
    clusters: int | None = None
    max_parents: int | None = None
    eta: float = 0.0
    sigma: float = DEFAULT_SIGMA
    n_vectors: int | None = None
    gamma: float = 1.0
    weights: Mapping[str, float] = field(default_factory=dict)
    rows: int | None = None
    rows_per_person: int = 1
    person: str | None = None

    def __post_init__(self) -> None:
        _check("clusters", self.clusters, low=1, optional=True)
        _check("parents", self.max_parents, low=1, optional=True)
        _check("eta", self.eta, low=0.0, high=1.0)
        _check("sigma", self.sigma, low=1e-3, high=1e3)
        _check("k1", self.n_vectors, low=1, optional=True)
        _check("gamma", self.gamma, low=-20.0, high=20.0)
        _check("rows", self.rows, low=1, high=MAX_ROWS, optional=True)
        _check("rows per person", self.rows_per_person, low=1, high=10_000)
        if self.similarity not in get_args(MeasureChoice):
            raise PlanError(
                f"similarity is {self.similarity!r}; choose one of {', '.join(get_args(MeasureChoice))}."
            )
        replace_one = self.guarantee.neighbors is Neighbors.REPLACE_ONE
        if self.accounting is Accounting.AS_PUBLISHED:
            if self.method not in (Method.HMPRIVBAYES, Method.NOPRIVACY):
                raise PlanError(
                    f"The accounting 'as-published' is the paper's HMPrivBayes; with the method "
                    f"'{self.method.value}' use the accounting 'sound'."
                )
            if self.guarantee.currency is not Currency.PURE or not replace_one:
                raise PlanError(
                    "The accounting 'as-published' is defined for the guarantee 'pure' and 'replace-one' "
                    "neighbours only; choose these, or the accounting 'sound'."
                )
            if self.similarity not in ("auto", "mic"):
                raise PlanError(
                    "The accounting 'as-published' measures similarity by 'mic'; leave it at 'auto' or 'mic'."
                )
        if self.compared and not replace_one:
            raise PlanError(
                f"The method '{self.method.value}' scores by mutual information, whose sensitivity is proven "
                "only under 'replace-one' neighbours; choose these, or the method 'hmprivbayes'."
            )
        if self.similarity in ("mic", "mi") and not replace_one:
            raise PlanError(
                f"'{self.similarity}' has a proven sensitivity only under 'replace-one' neighbours; "
                "use 'tvd' or 'auto' with 'add-remove'."
            )

    @property
    def learner(self) -> Learner:
        """Which network learner runs."""
        if self.method is Method.JTREE:
            return "jtree"
        published = self.accounting is Accounting.AS_PUBLISHED or self.compared
        return "ibayes" if published else "adaptive"

    @property
    def compared(self) -> bool:
        """Whether it is a compared method: no one-way tables, mutual information, even noise."""
        return self.method in COMPARED

    @property
    def measure(self) -> MeasureChoice:
        """What similarity is measured by; ``auto`` still depends on the number of rows."""
        return "mi" if self.compared and self.similarity == "auto" else self.similarity

    @property
    def most_parents(self) -> int | None:
        """The largest number of parents in use; None where only the size of the tables bounds it."""
        if self.max_parents is None and self.learner == "ibayes":
            return PUBLISHED_PARENTS
        return self.max_parents

    @property
    def binary(self) -> bool:
        """Whether attributes are cut into bits first, as the paper does."""
        return self.accounting is Accounting.AS_PUBLISHED

    def encoded_domain(self, domain: Domain) -> Domain:
        """The domain the pipeline works on: the codebook's own, or its bits."""
        return BinaryEncoding(domain).bit_domain if self.binary else domain

    def to_dict(self) -> dict[str, Any]:
        """Give the plan as plain values; exact shares are written as fractions."""
        values = asdict(self)
        values["guarantee"] = self.guarantee.to_dict()
        values["shares"] = {stage.value: str(share) for stage, share in self.shares.items()}
        values["weights"] = dict(self.weights)
        values["method"] = self.method.value
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
                f"The plan says {unknown[0]!r}, which no plan has; allowed are {', '.join(sorted(known))}."
            )
        try:
            given = dict(values)
            guarantee = dict(given["guarantee"])
            given["guarantee"] = Guarantee(
                epsilon=float(guarantee["epsilon"]),
                delta=float(guarantee["delta"]),
                currency=Currency(guarantee["currency"]),
                neighbors=Neighbors(guarantee["neighbors"]),
            )
            given["shares"] = Shares.from_dict(
                {name: Fraction(str(share)) for name, share in given["shares"].items()}
            )
            given["method"] = Method(given.get("method", Method.HMPRIVBAYES))
            given["accounting"] = Accounting(given.get("accounting", Accounting.SOUND))
            return cls(**given)
        except (KeyError, TypeError, ValueError) as error:
            raise PlanError(f"The plan is incomplete or has a value of the wrong kind ({error}).") from None


def published_shares(n_attributes: int, n_clusters: int) -> Shares:
    """The paper's split: a1 = (d-1)/n, a2 = a3 = 2d/(nk), eps_i = eps a_i / a; n cancels.

    Source: [Zhang2022, section 4.1].
    """
    a1 = Fraction(n_attributes - 1)
    a2 = Fraction(2 * n_attributes, n_clusters)
    total = a1 + 2 * a2
    return Shares(
        one_way_tables=Fraction(0), similarity=a1 / total, structure=a2 / total, conditional_tables=a2 / total
    )


def default_shares(
    method: Method,
    accounting: Accounting,
    *,
    domain: Domain,
    guarantee: Guarantee,
    n_rows: int | None,
    clusters: int | None,
) -> Shares:
    """The shares a plan has unless the steward sets them: a public rule.

    Args:
        method: Which method.
        accounting: Whose accounting.
        domain: The codebook's domain.
        guarantee: What is promised.
        n_rows: Number of rows where it is public, else None.
        clusters: k, where it is set.
    """
    if accounting is Accounting.AS_PUBLISHED:
        bits = BinaryEncoding(domain).bit_domain
        return published_shares(len(bits), clusters or PUBLISHED_CLUSTERS)
    if method is Method.INDEPENDENT:
        return Shares.from_weights(one_way_tables=1, similarity=0, structure=0, conditional_tables=0)
    if method is Method.PRIVBAYES:
        return Shares.from_weights(one_way_tables=0, similarity=0, structure=0.5, conditional_tables=0.5)
    if method is Method.PRIVSCBN:
        return Shares.from_weights(one_way_tables=0, similarity=1, structure=1, conditional_tables=1)
    if method is Method.JTREE:
        return Shares.from_weights(one_way_tables=0, similarity=1, structure=0, conditional_tables=1)
    return shares_for(domain, guarantee, n_rows)


def _check(
    what: str, value: float | None, *, low: float, high: float = math.inf, optional: bool = False
) -> None:
    if value is None and optional:
        return
    if value is None or isinstance(value, bool) or not low <= value <= high:
        limit = f"at least {low:g}" if math.isinf(high) else f"between {low:g} and {high:g}"
        raise PlanError(f"{what} is {value}; it must be {limit}.")
