"""What is to be said about a release: gathered once, told in every file of its bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from hmpb_core.codebook import Codebook
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Currency, Neighbors, power_of_ten
from hmpb_core.privacy.ledger import Entry
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.answers import Answers
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.origins import origins_of

WATERMARK = "REHEARSAL - made from a stand-in, says nothing about any person or private table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """What was charged for a release.

    Attributes:
        dataset: The data set as it stands after the charge.
        charge: The ledger entry.
        show_left: Whether the steward agrees that readers see what is left of the cap.
    """

    dataset: RegisteredDataset
    charge: Entry
    show_left: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPlan:
    """The candidate that passed its marks.

    Attributes:
        marks: The marks' file, as text.
        found: How it was found, as plain values: public, paid for.
        plan_file: The plan that the model was made by, at its part of the guarantee.
    """

    marks: str
    found: Mapping[str, Any]
    plan_file: PlanFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRecord:
    """A release, or a rehearsal of one.

    Attributes:
        title: What readers call it.
        plan_file: The plan, with its unit.
        codebook: The public codebook.
        rows: Rows of each synthetic table.
        replicates: Number of synthetic tables drawn from the one model.
        made: When.
        payment: The charge; None for a rehearsal.
        stand_in: What a rehearsal ran on.
        answers: What only the steward knows.
        chosen: The candidate plan that passed its marks; None where the plan itself was run.
    """

    title: str
    plan_file: PlanFile
    codebook: Codebook
    rows: int
    replicates: int
    made: datetime
    payment: Payment | None
    stand_in: str = ""
    answers: Answers = field(default_factory=Answers)
    chosen: ChosenPlan | None = None

    @property
    def rehearsal(self) -> bool:
        """Whether nothing was paid because nothing private was touched."""
        return self.payment is None

    @property
    def unit(self) -> Unit:
        """The unit of protection."""
        return self.plan_file.unit or Unit(column=None, rows=1)

    @property
    def date(self) -> str:
        """The day it was made, in UTC."""
        return self.made.astimezone(UTC).date().isoformat()

    @property
    def promise(self) -> str:
        """The guarantee in one line, never epsilon alone."""
        guarantee = self.plan_file.plan.guarantee
        delta = f", delta {power_of_ten(guarantee.delta)}" if guarantee.delta else ""
        return f"epsilon {guarantee.epsilon:g}{delta}; {self.unit.words}; neighbours: {self.neighbors}"

    @property
    def neighbors(self) -> str:
        """The neighbour relation in words."""
        if self.plan_file.plan.guarantee.neighbors is Neighbors.ADD_REMOVE:
            return "add-remove (a person's rows come or go; the number of rows is private)"
        if self.unit.column is None:
            return "replace-one (one row takes other values; the number of rows is public)"
        return "replace-one (a person's rows take other values; how many rows there are is public)"

    @property
    def flavour(self) -> str:
        """The kind of differential privacy."""
        currency = self.plan_file.plan.guarantee.currency
        return "Pure DP" if currency is Currency.PURE else "Zero-concentrated DP"

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What the release tells without noise."""
        told = [origins_of(self.codebook).told, "the plan"]
        if self.plan_file.plan.guarantee.neighbors is Neighbors.REPLACE_ONE:
            if self.unit.column is None:
                told.append("the number of rows of the table")
            else:
                told.append("the number of rows that are used")
                told.append(
                    "how many rows each person has (up to the bound), to somebody who knows everybody "
                    "else's number"
                )
        return tuple(told)

    @property
    def persons(self) -> tuple[str, ...]:
        """What readers must know where a person may have several rows."""
        return persons_of(self.unit)


def persons_of(unit: Unit) -> tuple[str, ...]:
    """What holds of shares, and of the rows of one person, where a person may have several."""
    if unit.column is None:
        return ()
    return (
        f"Of a person with more than {unit.rows} row(s) that many, drawn at random, were used: totals, "
        "shares and means are those of the rows used, in which persons with many rows count for less than in "
        "the whole table.",
        "No two rows belong together: how many rows a person has, in what order, and how they change from "
        "one to the next is not told.",
    )
