"""What the widgets of the pages Explain, Utility and Compare hold, and where the tour is."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.report.attack import AttackPoint
from pages.session.jobs import Job

AttackSetting = tuple[Guarantee, int, int]


class Edition(StrEnum):
    """For whom the page Explain speaks."""

    PERSON = "person"
    """Somebody whose row is in the table."""
    DECIDER = "decider"
    """Somebody who has to say yes or no."""
    ANALYST = "analyst"
    """Somebody who will work with what is released."""


@dataclass(slots=True, kw_only=True)
class ExplainChoices:
    """The page Explain.

    Attributes:
        follow: Whether it speaks of the current plan, or of the numbers below.
        people: How many people are looked at together.
        baseline: Of 100 releases, how many would support the claim anyway.
        prior: Belief before, in percent.
        releases: Releases of this size over the data set's life.
        most_right: Acceptance mark: the best attacker is right at most so often, in percent.
        most_error: Acceptance mark: noise interval of a count, plus or minus.
        most_epsilon: Acceptance mark: epsilon over the data set's life.
        dataset: Identifier of the ledger's data set that is looked at; empty for none.
        attack: What an attack measured, and the guarantee, the people and the rows a person it was run on.
    """

    edition: Edition = Edition.PERSON
    follow: bool = True
    epsilon: float = 1.0
    delta_digits: int = 9
    currency: Currency = Currency.ZCDP
    people: int = 1
    baseline: int = 50
    prior: int = 10
    releases: int = 5
    most_right: int = 75
    most_error: int = 100
    most_epsilon: float = 3.0
    dataset: str = ""
    attack: tuple[AttackSetting, tuple[AttackPoint, ...]] | None = None


@dataclass(slots=True, kw_only=True)
class UtilityChoices:
    """The page Utility; its results are kept among the views of the last result."""

    target: str = ""
    attribute: str = ""
    pairs: int = 10
    job: Job | None = None


@dataclass(slots=True, kw_only=True)
class CompareChoices:
    """The page Compare.

    Attributes:
        kind: ``methods``, ``epsilon`` or ``clusters``.
        repeats: Runs averaged for each point.
        outcome: What the last comparison gave.
    """

    kind: str = "methods"
    repeats: int = 2
    rows: int = 10_000
    job: Job | None = None
    outcome: Any = None


@dataclass(slots=True, kw_only=True)
class TourState:
    """Where the guided tour is: None before it starts and after it ends."""

    stop: int | None = None
    seen: set[int] = field(default_factory=set)
