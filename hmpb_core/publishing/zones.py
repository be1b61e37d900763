"""Zones: what everybody may know, what was paid for, what is k-anonymous, what only the steward may see.

Every object that reaches a page or a file carries its zone. What leaves passes through
``public``, which refuses the last two; a k-anonymous table leaves through ``handed_over`` alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from hmpb_core.errors import NotPrivateError

T = TypeVar("T")


class Zone(StrEnum):
    """Who may see an object."""

    DECLARED = "declared"
    """Public knowledge: never touched the data."""
    DP = "DP"
    """Touched the data through noise that was paid for; names the ledger entry that paid."""
    K_ANONYMOUS = "k-anonymous"
    """Real rows, made alike in groups: under p-sensitive k-anonymity, which bounds no privacy loss."""
    STEWARD_ONLY = "steward-only"
    """Touched the data without noise, or with noise that does not protect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled(Generic[T]):
    """An object and its zone. Its repr shows the zone only.

    Attributes:
        value: The object.
        zone: Who may see it.
        entry: Digest of the ledger entry that paid for it; required in the zone ``DP``.
    """

    value: T = field(repr=False)
    zone: Zone
    entry: str | None = None

    def __post_init__(self) -> None:
        if self.zone is Zone.DP and not self.entry:
            raise NotPrivateError(
                "An object claims to be paid for but names no ledger entry; charge the release first, or "
                "mark it steward-only."
            )


def declared(value: T) -> Labelled[T]:
    """Label an object that never touched the data."""
    return Labelled(value=value, zone=Zone.DECLARED)


def paid(value: T, entry: str) -> Labelled[T]:
    """Label an object that a ledger entry paid for."""
    return Labelled(value=value, zone=Zone.DP, entry=entry)


def k_anonymous(value: T) -> Labelled[T]:
    """Label a verified p-sensitive k-anonymous table."""
    return Labelled(value=value, zone=Zone.K_ANONYMOUS)


def steward_only(value: T) -> Labelled[T]:
    """Label an object that must stay with the steward."""
    return Labelled(value=value, zone=Zone.STEWARD_ONLY)


def public(item: Labelled[T], what: str) -> T:
    """Let an object out.

    Args:
        item: The object with its zone.
        what: What it is, for the refusal; holds no data.

    Raises:
        NotPrivateError: it is steward-only, or carries no label.
    """
    if not isinstance(item, Labelled):
        raise NotPrivateError("{what} carries no zone, so it cannot leave; label it first.", what=what)
    if item.zone is Zone.K_ANONYMOUS:
        raise NotPrivateError(
            "{what} is k-anonymous and not differentially private, so it is in no release; hand it over by "
            "itself, to recipients bound by contract.",
            what=what,
        )
    if item.zone is Zone.STEWARD_ONLY:
        raise NotPrivateError(
            "{what} is steward-only: it was computed from the table without protecting noise. It can be "
            "looked at here, but not downloaded or published.",
            what=what,
        )
    return item.value


def handed_over(item: Labelled[T], what: str) -> T:
    """Let a k-anonymous table out, by itself and under no promise of differential privacy.

    Args:
        item: The table with its zone.
        what: What it is, for the refusal; holds no data.

    Raises:
        NotPrivateError: its zone is another one and ``public`` refuses it.
    """
    return item.value if item.zone is Zone.K_ANONYMOUS else public(item, what)
