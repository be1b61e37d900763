"""What an audit found: one line a claim, and whether all of them hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hmpb_core.audit.evidence import LossMeasure
from hmpb_core.privacy.guarantee import Currency, Neighbors

ROOM = 1.001
"""How far above its claim a bound may lie: discrete Gaussian noise of the audited widths shows at most
1 / (24 sigma^2) of mu more than continuous noise, under 0.03 %."""
FALSE_ALARMS = 1e-3
"""Probability that an audit of a faultless program convicts it of anything."""


class Kind(StrEnum):
    """How something was audited."""

    MECHANISM = "mechanism"
    """One mechanism, very many runs, a canary in and out."""
    ONE_RUN = "one run"
    """One run with many canaries, each in or out."""
    REPLAY = "replay"
    """The whole pipeline; the exact loss of all its acts together."""
    PIPELINE = "pipeline"
    """The whole pipeline, many runs, a canary in and out."""
    CONTROL = "control"
    """Something known to leak more than it claims: an audit that does not see it is too weak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One claim and what was measured.

    Attributes:
        kind: How it was audited.
        name: What was audited.
        currency: The currency.
        neighbors: The neighbour relation.
        measure: What is claimed.
        claimed: How much.
        low: What was measured: a lower bound at ``level``, or an exact figure where the level is 1.
        level: Confidence of the bound.
        runs: Runs, or canaries of one run.
        fault: What else is wrong, in words; empty where nothing is.
    """

    kind: Kind
    name: str
    currency: Currency
    neighbors: Neighbors
    measure: LossMeasure
    claimed: float
    low: float
    level: float
    runs: int
    fault: str = ""

    @property
    def breaks(self) -> bool:
        """Whether more was lost than is claimed."""
        return bool(self.fault) or self.low > self.claimed * ROOM

    @property
    def right(self) -> bool:
        """Whether the audit ended as it must: a control breaks its claim, nothing else does."""
        return self.breaks == (self.kind is Kind.CONTROL)

    @property
    def part(self) -> float:
        """What was measured as a part of what is claimed."""
        return self.low / self.claimed

    @property
    def verdict(self) -> str:
        """The outcome in words."""
        if self.kind is Kind.CONTROL:
            return "convicted, as it must be" if self.breaks else "NOT CONVICTED"
        if self.fault:
            return f"VIOLATION: {self.fault}"
        return "VIOLATION" if self.breaks else "holds"

    def to_dict(self) -> dict[str, Any]:
        """Give the finding as plain values."""
        return {
            "kind": self.kind.value,
            "name": self.name,
            "currency": self.currency.value,
            "neighbors": self.neighbors.value,
            "measure": self.measure.value,
            "claimed": self.claimed,
            "measured": self.low if math.isfinite(self.low) else None,
            "level": self.level,
            "runs": self.runs,
            "breaks": self.breaks,
            "verdict": self.verdict,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """All findings of one audit.

    Attributes:
        findings: In the order in which they were made.
        seconds: Processor time that it took.
    """

    findings: tuple[Finding, ...]
    seconds: float

    @property
    def violations(self) -> tuple[Finding, ...]:
        """Claims that do not hold."""
        return tuple(f for f in self.findings if f.breaks and f.kind is not Kind.CONTROL)

    @property
    def blind(self) -> tuple[Finding, ...]:
        """Known leaks that the audit did not see."""
        return tuple(f for f in self.findings if not f.breaks and f.kind is Kind.CONTROL)

    @property
    def passes(self) -> bool:
        """Whether every claim holds, and every known leak was seen."""
        return all(finding.right for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Give the audit as plain values."""
        return {
            "passes": self.passes,
            "false_alarms": FALSE_ALARMS,
            "seconds": round(self.seconds, 1),
            "findings": [finding.to_dict() for finding in self.findings],
        }
