"""A registered data set: its unit of protection, its lifetime cap and what was charged of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from hmpb_core.errors import BudgetExceededError, Sentence
from hmpb_core.privacy.guarantee import Guarantee, Neighbors, epsilon_of_rho, rho_of
from hmpb_core.privacy.ledger import Entry, Totals
from hmpb_core.privacy.unit import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredDataset:
    """A registered data set: what was promised once, and what was charged.

    Attributes:
        id: Random identifier; says nothing about the data.
        name: The steward's name for it.
        unit: The unit of protection.
        neighbors: The neighbour relation in which costs are kept.
        cap_epsilon: Lifetime cap.
        cap_delta: The delta at which the cap holds.
        survey_delta: The part of it that the thresholds of surveys may spend, fixed at registration.
        totals: What was charged.
        fingerprint: Keyed digest of the content. Stays in the workspace.
        digest: The same as an engine sums it up; empty where an older version registered the table.
    """

    id: str
    name: str
    unit: Unit
    neighbors: Neighbors
    cap_epsilon: Fraction
    cap_delta: float
    survey_delta: float = 0.0
    totals: Totals = field(default_factory=Totals)
    fingerprint: str = field(repr=False)
    digest: str = field(default="", repr=False)

    @property
    def release_delta(self) -> float:
        """The delta at which rhos are converted: what the surveys' part leaves, never more than that."""
        return _at_most(Fraction(self.cap_delta) - Fraction(self.survey_delta))

    @property
    def survey_delta_left(self) -> float:
        """What surveys may still spend on thresholds."""
        return _at_most(Fraction(self.survey_delta) - self.totals.delta)

    @property
    def spent(self) -> Fraction:
        """Epsilon charged by all releases together, at the cap's delta."""
        return self.totals.epsilon_at(self.release_delta)

    @property
    def left(self) -> Fraction:
        """Epsilon of the cap that was not charged yet."""
        return self.cap_epsilon - self.spent

    @property
    def left_pure(self) -> Fraction:
        """Epsilon that a further pure release may cost: sqrt(2 rho) once a zCDP release was made."""
        if self.totals.rho == 0:
            return self.left
        rho = self._rho_left
        return Fraction(math.sqrt(2 * rho) * (1 - 1e-12)) if rho > 0 else Fraction(0)

    @property
    def left_zcdp(self) -> float:
        """Epsilon, at the cap's delta, that a further zCDP release may cost.

        Rhos add up, not epsilons; so more is left than the difference of two epsilons. A plan names the cap's
        delta, and its rho follows from that, though surveys have a part of it: of a cap of 2 at 1e-9, a tenth
        of it for surveys, a first plan may cost 1.994.
        """
        return epsilon_of_rho(self._rho_left, self.cap_delta) if self.cap_delta else 0.0

    def left_for(self, guarantee: Guarantee) -> float:
        """Epsilon that a further release with a guarantee like this one may cost."""
        if guarantee.delta > 0:  # of a survey, whose delta is smaller, what a release may cost as well
            delta = max(guarantee.delta, self.cap_delta)
            return max(0.0, epsilon_of_rho(self._rho_left, delta))
        return max(0.0, float(self.left_pure))

    @property
    def _rho_left(self) -> float:
        rest = float(self.cap_epsilon - self.totals.epsilon)
        if self.cap_delta == 0 or rest <= 0:
            return 0.0
        return rho_of(rest, self.release_delta) - float(self.totals.rho)

    def after(self, guarantee: Guarantee, *, delta: float = 0.0) -> RegisteredDataset:
        """Give the data set as it would stand after a release, or after a survey of this delta.

        Raises:
            PlanError: the release's neighbour relation does not fit.
            BudgetExceededError: it would break the cap.
        """
        cost = Totals.of(guarantee, within=self.neighbors, after=self.totals)
        totals = self.totals + replace(cost, delta=Fraction(delta))
        if delta > self.survey_delta_left:
            raise BudgetExceededError(
                "The survey asks for more delta than is left for surveys of the data set {name!r}; that part "
                "is set once, when a table is registered without a codebook.",
                name=self.name,
            )
        if not totals.fits(self.cap_epsilon, self.release_delta, survey_delta=self.survey_delta):
            raise self._refusal(guarantee)
        return replace(self, totals=totals)

    def _refusal(self, guarantee: Guarantee) -> BudgetExceededError:
        if guarantee.delta > 0 and self.cap_delta == 0:
            return BudgetExceededError(
                "The data set {name!r} has a cap with delta 0, and a 'zcdp' plan needs a delta above 0. Use "
                "the guarantee 'pure'.",
                name=self.name,
            )
        left = self.left_for(guarantee)
        asked: str | Sentence = f"{guarantee.epsilon:g}"
        if guarantee.neighbors is not self.neighbors:
            asked = Sentence(
                "{epsilon} (counted twice: it protects adding a person, the cap replacing one)",
                {"epsilon": asked},
            )
        if guarantee.delta == 0 and self.totals.rho:
            return BudgetExceededError(
                "This asks for epsilon {asked} of 'pure', which after a 'zcdp' release counts as rho = "
                "epsilon^2 / 2, so that {left:.6g} is left for the data set {name!r}. Use the guarantee "
                "'zcdp', of which epsilon {left_zcdp:.6g} is left.",
                asked=asked,
                left=rounded_down(left),
                name=self.name,
                left_zcdp=rounded_down(self.left_zcdp),
            )
        return BudgetExceededError(
            "This asks for epsilon {asked}, but under the cap of {cap:g} a further release of the data "
            "set {name!r} may cost {left:.6g}. Lower epsilon; the cap is set once and cannot be raised.",
            asked=asked,
            left=rounded_down(left),
            cap=float(self.cap_epsilon),
            name=self.name,
        )

    @classmethod
    def of(cls, registered: Entry, totals: Totals) -> RegisteredDataset:
        """Read a data set from the entry that registered it."""
        details = registered.details
        return cls(
            id=registered.dataset,
            name=details["name"],
            unit=Unit(**details["unit"]),
            neighbors=Neighbors(details["neighbors"]),
            cap_epsilon=Fraction(details["cap_epsilon"]),
            cap_delta=float(details["cap_delta"]),
            survey_delta=float(details.get("survey_delta", 0.0)),
            totals=totals,
            fingerprint=details["fingerprint"],
            digest=details.get("digest", ""),
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the data set as plain values, without its fingerprint."""
        return {
            "id": self.id,
            "name": self.name,
            "unit": str(self.unit),
            "neighbors": self.neighbors.value,
            "cap": float(self.cap_epsilon),
            "delta": self.cap_delta,
            "spent": float(self.spent),
            "left": float(self.left),
            "left_pure": float(self.left_pure),
            "left_zcdp": self.left_zcdp,
            "totals": {
                "pure_epsilon": float(self.totals.epsilon),
                "zcdp_rho": float(self.totals.rho),
                "all_as_rho": float(self.totals.all_rho),
                "all_as_rho_epsilon": epsilon_of_rho(float(self.totals.all_rho), self.release_delta)
                if self.cap_delta > 0
                else None,
                "exact": self.totals.to_dict(),
            },
        }


def _at_most(exact: Fraction) -> float:
    """The largest float that is not above an exact value; 0 where it is negative."""
    near = max(0.0, float(exact))
    return near if Fraction(near) <= max(exact, Fraction(0)) else math.nextafter(near, 0.0)


def rounded_down(value: float, digits: int = 6) -> float:
    """Round what may be spent to a few digits, never to more than there is.

    Example:
        >>> rounded_down(1.6836858), rounded_down(2.0), rounded_down(0.0000123456789), rounded_down(-1e-9)
        (1.68368, 2.0, 1.23456e-05, 0.0)
    """
    if value <= 0:
        return 0.0
    near = float(f"{value:.{digits}g}")
    if near <= value * (1 + 1e-9):  # the conversion of rho is that loose: 2 is no 1.99999
        return near
    step = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return float(f"{near - step:.{digits}g}")
