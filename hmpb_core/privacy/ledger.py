"""What a data set has spent, in entries that cannot be changed unnoticed.

Every entry holds the digest of the one before it and the data set's totals after it, so
that the last entry alone says what is spent and the whole chain proves it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

from hmpb_core.errors import CancelledError, PlanError, PrivacyError, Sentence
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors, epsilon_of_rho

GENESIS = "0" * 64
"""What the first entry names as its predecessor."""


class Kind(StrEnum):
    """What happened."""

    REGISTER = "register"
    """A data set got its unit of protection and its lifetime cap."""
    CHARGE = "charge"
    """A plan's whole cost was paid, before any noise was drawn."""
    COMPLETE = "complete"
    """The release is written."""
    FAIL = "fail"
    """The run failed; its charge stays."""


_STOPS = {error.__name__ for error in (CancelledError, KeyboardInterrupt)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What releases have cost together, exactly.

    Pure releases are counted in epsilon until the first zCDP release. From then on everything is counted
    in rho, a pure release as epsilon^2 / 2 [BS2016, Proposition 1.4]. Only so is the cap kept when each
    release is chosen after seeing the last (docs/decisions/0013 has the proof).

    Attributes:
        epsilon: Sum of the epsilons of the pure releases before the first zCDP release.
        epsilon_squares: Sum of their squares.
        rho: Sum of the rhos of everything since.
        delta: Sum of the deltas of surveys: probabilities with which a threshold may let a value through
            that one person alone has (``Accountant.discover``).
    """

    epsilon: Fraction = Fraction(0)
    epsilon_squares: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, guarantee: Guarantee, *, within: Neighbors, after: Totals) -> Totals:
        """Give the cost of one release, in the neighbour relation of its data set.

        Args:
            guarantee: What the release promises.
            within: The neighbour relation of its data set.
            after: What was charged before it.

        Replacing a row is removing one and adding one. So what costs epsilon under
        ``add-remove`` costs at most 2 epsilon under ``replace-one``, and rho at most 4 rho
        (group privacy for two). The other way round there is no bound, because
        ``replace-one`` publishes the number of rows.

        Raises:
            PlanError: a ``replace-one`` release of a data set kept under ``add-remove``.
        """
        if guarantee.neighbors is Neighbors.REPLACE_ONE and within is Neighbors.ADD_REMOVE:
            raise PlanError(
                "The plan protects against replacing a person and publishes the number of rows; this data "
                "set was registered under 'add-remove' neighbours, where that number is private. "
                "Choose 'add-remove' in the plan."
            )
        steps = 1 if guarantee.neighbors is within else 2
        if guarantee.currency is Currency.PURE:
            epsilon = guarantee.total * steps
            if after.rho:
                return cls(rho=epsilon**2 / 2)
            return cls(epsilon=epsilon, epsilon_squares=epsilon**2)
        return cls(rho=guarantee.total * steps**2)

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            epsilon=self.epsilon + other.epsilon,
            epsilon_squares=self.epsilon_squares + other.epsilon_squares,
            rho=self.rho + other.rho,
            delta=self.delta + other.delta,
        )

    @property
    def all_rho(self) -> Fraction:
        """The cost of everything in zCDP."""
        return self.rho + self.epsilon_squares / 2

    def epsilon_at(self, delta: float) -> Fraction:
        """Give the epsilon so that all releases together are (epsilon, delta)-DP.

        The pure epsilons, plus the rhos converted at delta: sum epsilon_i + epsilon_of_rho(sum rho_i, delta).
        The deltas of surveys are kept apart: they come out of a part of the cap's delta that was fixed when
        the data set was registered (``RegisteredDataset.survey_delta``), and so is the delta that is left
        for this conversion. Two caps fixed beforehand, one on rho and one on the thresholds' deltas, are a
        filter; a split that follows the outputs would be none.

        It tells what was charged. The guarantee is the cap: a sum that is looked at after the outputs are
        known is no bound fixed in advance. Everything as zCDP (``all_rho``) is a bound as well, but taking
        the smaller of the two after seeing outputs could add up their deltas.

        Raises:
            PlanError: delta is 0, but a zCDP release is in the sum.
        """
        if self.rho == 0:
            return self.epsilon
        if delta <= 0:
            raise PlanError("A 'zcdp' release has no epsilon at delta 0; give the data set a delta above 0.")
        return self.epsilon + Fraction(epsilon_of_rho(_above(self.rho), delta))

    def fits(self, epsilon: Fraction, delta: float, *, survey_delta: float = 0.0) -> bool:
        """Whether all releases together are within a cap of epsilon at delta, and surveys within theirs."""
        if self.delta > Fraction(survey_delta) or (self.rho > 0 and delta <= 0):
            return False
        return self.epsilon_at(delta) <= epsilon

    def to_dict(self) -> dict[str, str]:
        """Give the exact values as texts ``numerator/denominator``."""
        values = {
            "epsilon": str(self.epsilon),
            "epsilon_squares": str(self.epsilon_squares),
            "rho": str(self.rho),
        }
        # Left out where it is 0: entries from before there were surveys keep their digests.
        return values | ({"delta": str(self.delta)} if self.delta else {})

    @classmethod
    def from_dict(cls, values: Mapping[str, str]) -> Totals:
        """Read the exact values."""
        return cls(**{name: Fraction(text) for name, text in values.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the ledger.

    Attributes:
        number: 1 for the first entry of a workspace.
        kind: What happened.
        dataset: Identifier of the data set.
        release: Identifier of the release; empty when a data set is registered.
        at: When, in UTC (ISO 8601).
        who: Who did it.
        why: Why, in the steward's words.
        cost: What it cost.
        totals: What the data set has spent after it.
        details: What else is on record: the cap, the plan, digests of artefacts.
        previous: Digest of the entry before it.
    """

    number: int
    kind: Kind
    dataset: str
    release: str
    at: str
    who: str
    why: str
    cost: Totals = field(default_factory=Totals)
    totals: Totals = field(default_factory=Totals)
    details: Mapping[str, Any] = field(default_factory=dict)
    previous: str = GENESIS

    @property
    def body(self) -> str:
        """The entry as canonical JSON: what the digest covers."""
        return canonical_json(
            {
                "number": self.number,
                "kind": self.kind.value,
                "dataset": self.dataset,
                "release": self.release,
                "at": self.at,
                "who": self.who,
                "why": self.why,
                "cost": self.cost.to_dict(),
                "totals": self.totals.to_dict(),
                "details": dict(self.details),
                "previous": self.previous,
            }
        )

    @property
    def cancelled(self) -> bool:
        """Whether the run did not fail by itself: somebody stopped it."""
        return self.kind is Kind.FAIL and self.details.get("reason") in _STOPS

    @property
    def digest(self) -> str:
        """SHA-256 of the body, in hexadecimal."""
        return digest_of(self.body)

    def to_dict(self) -> dict[str, Any]:
        """Give the entry for people and files: the fields of its body, and its digest."""
        values: dict[str, Any] = json.loads(self.body)
        values["digest"] = self.digest
        return values

    @classmethod
    def from_body(cls, body: str) -> Entry:
        """Read an entry from its canonical JSON.

        Raises:
            PrivacyError: it is not an entry.
        """
        try:
            values = json.loads(body)
            values["kind"] = Kind(values["kind"])
            values["cost"] = Totals.from_dict(values["cost"])
            values["totals"] = Totals.from_dict(values["totals"])
            return cls(**values)
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
            raise PrivacyError(
                "An entry of the ledger cannot be read; restore the workspace from a copy."
            ) from None


def canonical_json(values: Mapping[str, Any]) -> str:
    """Give the one JSON text of some values: sorted names, no blanks, ASCII only.

    Example:
        >>> canonical_json({"b": "1/3", "a": 1})
        '{"a":1,"b":"1/3"}'
    """
    return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest_of(content: str | bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def verify(chain: Iterable[tuple[str, str]]) -> list[Sentence]:
    """Check bodies and digests against each other, from the first entry to the last.

    Args:
        chain: (body, digest) of every entry, in order.

    Returns:
        What is wrong, a sentence each; empty when nothing is.
    """
    faults: list[Sentence] = []
    previous = GENESIS
    totals: dict[str, Totals] = {}
    for number, (body, digest) in enumerate(chain, start=1):
        if digest_of(body) != digest:
            faults.append(
                Sentence(
                    "Entry {number} was changed: its digest does not fit its content.", {"number": number}
                )
            )
            previous = digest
            continue
        entry = Entry.from_body(body)
        if entry.number != number:
            faults.append(Sentence("Entry {number} is missing or out of its place.", {"number": number}))
        if entry.previous != previous:
            faults.append(Sentence("Entry {number} does not follow the entry before it.", {"number": number}))
        due = totals.get(entry.dataset, Totals()) + entry.cost
        if entry.totals != due:
            faults.append(
                Sentence(
                    "Entry {number} states a total that is not the sum of the costs up to it.",
                    {"number": number},
                )
            )
        totals[entry.dataset] = due
        previous = digest
    return faults


def _above(exact: Fraction) -> float:
    """The nearest float that is not below an exact value."""
    value = float(exact)
    return value if Fraction(value) >= exact else math.nextafter(value, math.inf)
