"""Published releases with their limits: context for a choice, never a recommendation.

Entries as their publishers state them; nobody reviewed them here. Limits with different
units of protection cannot be compared, so they are kept by unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class UnitOfProtection(StrEnum):
    """Whom a published limit protects."""

    PERSON = "person"
    BIRTH = "birth"
    ACCOUNT = "account"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """One published release.

    Attributes:
        key: Its short name.
        publisher: Who published it.
        unit: Whom the limit protects.
        epsilon: The stated limit, over everything published.
        delta: The stated delta; 0 for pure epsilon.
        synthetic: Whether synthetic rows were published.
        source: Where it is stated.
    """

    key: str
    publisher: str
    unit: UnitOfProtection
    epsilon: float
    delta: float
    synthetic: bool
    source: str


DEPLOYMENTS = (
    Deployment(
        key="births",
        publisher="Israel Ministry of Health",
        unit=UnitOfProtection.BIRTH,
        epsilon=9.98,
        delta=0.0,
        synthetic=True,
        source="arXiv:2405.00267",
    ),
    Deployment(
        key="trafficking",
        publisher="Microsoft / IOM",
        unit=UnitOfProtection.PERSON,
        epsilon=12.0,
        delta=5.8e-6,
        synthetic=True,
        source="OpenDP deployments registry",
    ),
    Deployment(
        key="vulnerable",
        publisher="SAS",
        unit=UnitOfProtection.ACCOUNT,
        epsilon=5.0,
        delta=0.0,
        synthetic=True,
        source="OpenDP deployments registry",
    ),
)
