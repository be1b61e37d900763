"""Methods: one row each, the only place that knows their names.

A method is a setting of one pipeline. Everything else asks a plan's row what to do, never what it is called;
a new method is a new row here (and a learner, where none of those there are fits).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal

from hmpb_core.binary import BinaryEncoding
from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.planning.advice import default_clusters
from hmpb_core.planning.share_rules import (
    PUBLISHED_CLUSTERS,
    Circumstances,
    ShareRule,
    advised,
    advised_without_selections,
    as_published,
    fixed,
    four_stages,
    values_first,
    without_pairs,
)
from hmpb_core.privacy.budget import Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors

MeasureChoice = Literal["auto", "mic", "mi", "tvd"]
Protection = Literal["noise", "published", "none"]
Encoding = Literal["codes", "bits"]
LearnerName = Literal["adaptive", "ibayes", "additive"]

PUBLISHED_PARENTS = 3
RISK_WEIGHTS_UNPAID = (
    "risk weights: computed from the raw table and visible in the noise scales; no finite cost covers them"
)
CLASS_MODEL_UNPAID = (
    "the class model: its probabilities are learned from the raw table without noise; no cost covers them"
)
NO_NOISE_UNPAID = "every stage: no noise is drawn, so nothing is protected"

PUBLISHED_ETA = 0.5
"""The paper names no value; on the bits of Adult 0.5 is more accurate than 0.1 and 0.3, and faster."""


class Accounting(StrEnum):
    """Whose accounting is followed."""

    SOUND = "sound"
    """Every stage paid in full."""
    AS_PUBLISHED = "as-published"
    """The paper's algorithm to the letter, at its true cost; never releasable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodSpec:
    """One method under one accounting.

    Attributes:
        name: What it is called on the command line, in plans and in bundles.
        accounting: Whose accounting.
        paper: Key of its paper in docs/references.md.
        encoding: Whether attributes keep their codes or are cut into bits first.
        measure: What similarity is measured by unless the plan says; ``auto`` for the clearer one, None
            where the method measures none.
        clusters: k as a function of d unless the plan says; None where there is one network for all.
        gap: Whether k may grow to what the eigenvalue gap of the paid similarity says.
        learner: The learner's name in ``learners/``.
        max_parents: l unless the plan says; None where only the size of the tables bounds it.
        eta: Pruning of candidate pairs unless the plan says.
        first: How IBayes chooses a network's first attribute.
        prunes: Whether IBayes prunes its candidates by the similarity (eq. 9).
        weights: Whether noise follows risk, or is even.
        shares: The stages' shares unless the plan says: a public rule.
        sampling: Whether rows are drawn each by itself, or each value its expected number of times; or
            ``labels``, uniform rows that a mechanism gives their class.
        needs: Stages that it cannot do without: their shares must be above 0.
        may: Stages that it has a use for if they have a share; the share of any other must be 0.
        idle: Fields of a plan that it has no use for: whatever they say, nothing changes.
        classifies: Whether it is built around a class: one attribute, the plan's target.
        favours: Whether it measures the pairs of the plan's target, where there is one, better than others.
        pays_by_row: Whether every row that it draws costs epsilon again.
        unpaid: What looks at the data and is charged to nobody, in words.
        protection: ``noise`` that is paid in full, the paper's to the letter (``published``: its true bill
            may be more than it says, and it is never released), or none.
        currencies: What losses may be counted in.
        neighbors: Neighbour relations under which every sensitivity it needs is proven. Where the number of
            rows is private it is read off the one-way tables, so ``add-remove`` needs these.
    """

    name: str
    accounting: Accounting = Accounting.SOUND
    paper: str
    encoding: Encoding = "codes"
    measure: MeasureChoice | None
    clusters: Callable[[int], int] | None = None
    gap: bool = False
    learner: str
    max_parents: int | None = None
    eta: float = 0.0
    first: Literal["entropy", "random"] = "entropy"
    prunes: bool = False
    weights: Literal["risk", "even"] = "even"
    shares: ShareRule
    sampling: Literal["proportional", "independent", "labels"] = "proportional"
    needs: frozenset[Stage]
    may: frozenset[Stage] = frozenset()
    idle: frozenset[str] = frozenset()
    classifies: bool = False
    favours: bool = False
    pays_by_row: bool = False
    unpaid: tuple[str, ...] = ()
    protection: Protection = "noise"
    currencies: tuple[Currency, ...] = tuple(Currency)
    neighbors: tuple[Neighbors, ...] = tuple(Neighbors)

    def __post_init__(self) -> None:
        counted = self.neighbors == (Neighbors.REPLACE_ONE,) or Stage.ONE_WAY_TABLES in self.needs
        assert counted, f"{self.name} would have to read a private number of rows"

    @property
    def releasable(self) -> bool:
        """Whether its output carries the guarantee that a plan names."""
        return self.protection == "noise"

    def measures(self, neighbors: Neighbors) -> tuple[MeasureChoice, ...]:
        """What similarity may be measured by: what is proven, and what the method is built on if on one."""
        proven: tuple[MeasureChoice, ...] = ("tvd", "mi", "mic")
        if neighbors is not Neighbors.REPLACE_ONE:
            proven = ("tvd",)
        return tuple(measure for measure in proven if self.measure in ("auto", measure))

    def owners(self, domain: Domain) -> list[int]:
        """For each encoded attribute, the attribute of the codebook that it belongs to."""
        widths = BinaryEncoding(domain).widths if self.encoding == "bits" else (1,) * len(domain)
        return [owner for owner, width in enumerate(widths) for _ in range(width)]

    def encoded_domain(self, domain: Domain) -> Domain:
        """The domain that the pipeline works on: the codebook's own, or its bits."""
        return BinaryEncoding(domain).bit_domain if self.encoding == "bits" else domain


def spec_of(
    name: str, accounting: Accounting, *, learner: str | None = None, encoding: Encoding | None = None
) -> MethodSpec:
    """Find a method's row.

    Args:
        name: What the method is called.
        accounting: Whose accounting.
        learner: Which of the method's learners; None for its first.
        encoding: On codes or on bits; None for what the row says.

    Raises:
        PlanError: there is no such method, or not under that accounting, or not with that learner.
    """
    rows = METHODS.get((name, accounting), ())
    for spec in rows:
        if learner in (None, spec.learner):
            if encoding is None or spec.accounting is Accounting.AS_PUBLISHED:
                return spec
            return replace(spec, encoding=encoding)
    if len(rows) == 1:
        raise PlanError(
            "The method '{method}' has no learner '{learner}' but one of its own; leave it out.",
            method=name,
            learner=learner,
        )
    if rows:
        raise PlanError(
            "The method '{method}' has no learner '{learner}'; choose one of {allowed}, or leave it out.",
            method=name,
            learner=learner,
            allowed=tuple(row.learner for row in rows),
        )
    if name not in METHOD_NAMES:
        raise PlanError("method is {met!r}; choose one of {allowed}.", met=name, allowed=tuple(METHOD_NAMES))
    raise PlanError(
        "The method '{method}' has no accounting 'as-published'; use the accounting 'sound'.",
        method=name,
    )


def methods_under(accounting: Accounting) -> tuple[MethodSpec, ...]:
    """All methods under one accounting, in the order in which they are offered."""
    return tuple(rows[0] for (_, under), rows in METHODS.items() if under is accounting)


def accountings_of(name: str) -> tuple[Accounting, ...]:
    """The accountings that a method runs under."""
    return tuple(accounting for method, accounting in METHODS if method == name)


def learners_of(name: str, accounting: Accounting) -> tuple[str, ...]:
    """The learners that a method may be run with, the usual one first."""
    return tuple(row.learner for row in METHODS.get((name, accounting), ()))


def default_shares(
    method: str,
    accounting: Accounting,
    *,
    domain: Domain,
    guarantee: Guarantee,
    n_rows: int | None,
    clusters: int | None,
    learner: str | None = None,
    encoding: Encoding | None = None,
) -> Shares:
    """The shares a plan has unless the steward sets them: a public rule.

    Args:
        method: Which method.
        accounting: Whose accounting.
        domain: The codebook's domain.
        guarantee: What is promised.
        n_rows: Number of rows where it is public or declared, else None.
        clusters: k, where it is set.
        learner: Which of the method's learners; None for its first.
        encoding: On codes or on bits; None for what the method says.
    """
    spec = spec_of(method, accounting, learner=learner, encoding=encoding)
    given = Circumstances(
        domain=spec.encoded_domain(domain), guarantee=guarantee, n_rows=n_rows, clusters=clusters
    )
    shares = spec.shares(given)
    return shares if len(given.domain) > 1 else without_pairs(shares)


def _published_clusters(n_attributes: int) -> int:
    return min(PUBLISHED_CLUSTERS, n_attributes)


def _each_by_itself(n_attributes: int) -> int:
    return n_attributes


_ONE_WAY, _SIMILARITY = frozenset({Stage.ONE_WAY_TABLES}), frozenset({Stage.SIMILARITY})
_STRUCTURE, _TABLES = frozenset({Stage.STRUCTURE}), frozenset({Stage.CONDITIONAL_TABLES})

_OF_CLUSTERS = frozenset({"clusters", "sigma", "n_vectors"})
_OF_RISK = frozenset({"gamma", "eta"})
_OF_NETWORKS = _OF_CLUSTERS | _OF_RISK

_HMPRIVBAYES: dict[str, Any] = {
    "paper": "Zhang2022",
    "measure": "auto",
    "clusters": default_clusters,
    "gap": True,
    "learner": "adaptive",
    "weights": "risk",
    "shares": advised,
    "needs": _ONE_WAY | _STRUCTURE | _TABLES,
    "may": _SIMILARITY,
}
_BY_THE_LETTER: dict[str, Any] = {
    "accounting": Accounting.AS_PUBLISHED,
    "currencies": (Currency.PURE,),
    "neighbors": (Neighbors.REPLACE_ONE,),
}
_ON_BITS: dict[str, Any] = {
    **_BY_THE_LETTER,
    "encoding": "bits",
    "learner": "published-ibayes",
    "max_parents": PUBLISHED_PARENTS,
    "needs": _STRUCTURE | _TABLES,
    "sampling": "independent",
}
_AS_PUBLISHED: dict[str, Any] = {
    **_ON_BITS,
    "paper": "Zhang2022",
    "measure": "mic",
    "clusters": _published_clusters,
    "eta": PUBLISHED_ETA,
    "prunes": True,
    "weights": "risk",
    "shares": as_published,
    "may": _SIMILARITY,
}

_ROWS = (
    MethodSpec(name="hmprivbayes", favours=True, **_HMPRIVBAYES),
    MethodSpec(
        name="hmprivbayes",
        paper="Zhang2022",
        measure="auto",
        clusters=_published_clusters,
        learner="ibayes",
        max_parents=PUBLISHED_PARENTS,
        prunes=True,
        weights="risk",
        shares=four_stages,
        needs=_ONE_WAY | _STRUCTURE | _TABLES,
        may=_SIMILARITY,
    ),
    MethodSpec(
        name="hmprivbayes",
        paper="Zhang2022",
        measure="tvd",
        clusters=default_clusters,
        gap=True,
        learner="additive",
        weights="risk",
        shares=advised_without_selections,
        needs=_ONE_WAY | _TABLES,
        may=_SIMILARITY,
    ),
    MethodSpec(name="hmprivbayes", protection="published", unpaid=(RISK_WEIGHTS_UNPAID,), **_AS_PUBLISHED),
    MethodSpec(
        name="privbayes",
        paper="Zhang2017",
        idle=_OF_NETWORKS,
        measure=None,
        learner="published-ibayes",
        max_parents=PUBLISHED_PARENTS,
        first="random",
        shares=values_first(0, 1, 1),
        needs=_STRUCTURE | _TABLES,
        may=_ONE_WAY,
        neighbors=(Neighbors.REPLACE_ONE,),
    ),
    MethodSpec(
        name="privbayes",
        paper="Zhang2017",
        idle=_OF_NETWORKS,
        measure=None,
        first="random",
        shares=fixed(0, 0, 1, 1),
        protection="published",
        **_ON_BITS,
    ),
    MethodSpec(
        name="privscbn",
        paper="Zhang2022",
        idle=_OF_RISK,
        measure="mi",
        clusters=_published_clusters,
        learner="published-ibayes",
        max_parents=PUBLISHED_PARENTS,
        first="random",
        shares=values_first(1, 1, 1),
        needs=_STRUCTURE | _TABLES,
        may=_ONE_WAY | _SIMILARITY,
        neighbors=(Neighbors.REPLACE_ONE,),
    ),
    MethodSpec(
        name="privscbn",
        paper="Zhang2022",
        idle=_OF_RISK,
        measure="mic",  # of two bits: their mutual information
        clusters=_published_clusters,
        first="random",
        shares=fixed(0, 1, 1, 1),
        may=_SIMILARITY,
        protection="published",
        **_ON_BITS,
    ),
    MethodSpec(
        name="jtree",
        paper="Chen2015",
        idle=_OF_NETWORKS,
        measure="mi",
        learner="jtree",
        shares=values_first(1, 0, 1),
        needs=_TABLES,
        may=_ONE_WAY | _SIMILARITY,
        neighbors=(Neighbors.REPLACE_ONE,),
    ),
    MethodSpec(
        name="naive-bayes",
        paper="ChenX2015",
        idle=_OF_NETWORKS | {"max_parents"},
        measure=None,
        learner="star",
        classifies=True,
        shares=values_first(0, 0, 1),
        needs=_TABLES,
        may=_ONE_WAY,
        neighbors=(Neighbors.REPLACE_ONE,),
    ),
    MethodSpec(
        name="naive-bayes",
        paper="ChenX2015",
        idle=_OF_NETWORKS | {"max_parents"},
        measure=None,
        learner="labels",
        classifies=True,
        shares=fixed(0, 0, 0, 1),
        needs=_TABLES,
        sampling="labels",
        pays_by_row=True,
        unpaid=(CLASS_MODEL_UNPAID,),
        protection="published",
        **_BY_THE_LETTER,
    ),
    MethodSpec(name="noprivacy", protection="none", unpaid=(NO_NOISE_UNPAID,), **_HMPRIVBAYES),
    MethodSpec(name="noprivacy", protection="none", unpaid=(NO_NOISE_UNPAID,), **_AS_PUBLISHED),
    MethodSpec(
        name="independent",
        paper="Zhang2022",
        idle=_OF_NETWORKS | {"max_parents"},
        measure=None,
        clusters=_each_by_itself,
        learner="independent",
        weights="risk",
        shares=fixed(1, 0, 0, 0),
        needs=_ONE_WAY,
    ),
)

METHODS: Mapping[tuple[str, Accounting], tuple[MethodSpec, ...]] = {
    (row.name, row.accounting): tuple(
        other for other in _ROWS if (other.name, other.accounting) == (row.name, row.accounting)
    )
    for row in _ROWS
}
METHOD_NAMES: tuple[str, ...] = tuple(dict.fromkeys(row.name for row in _ROWS))
DEFAULT_METHOD = METHOD_NAMES[0]
