"""What the widgets of the pages hold, and where the tour is."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmpb_core.acceptance.marks import Marks
from hmpb_core.audit.attack import Attacked
from hmpb_core.errors import Sentence
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.sources.files import FileReading
from pages.session.jobs import Job

if TYPE_CHECKING:
    from hmpb_core.audit.report import AttackReport
    from hmpb_core.planning.plan import Plan

AttackSetting = tuple[Guarantee, str, str, Shares, int, int]
"""Guarantee, method, learner, shares, people, rows a person."""


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
        agreed_by: Who agreed these marks; empty while nobody has.
        agreed_on: The day on which they were agreed.
        dataset: Identifier of the ledger's data set that is looked at; empty for none.
        attack: What an attack measured, and what it was run on.
        attacking: An attack under way, and what it is run on.
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
    agreed_by: str = ""
    agreed_on: str = ""
    dataset: str = ""
    attack: tuple[AttackSetting, Attacked] | None = None
    attacking: tuple[AttackSetting, Job] | None = None


@dataclass(slots=True, kw_only=True)
class AttackChoices:
    """Attacks on the loaded table, on the page Explain; cleared with the table and its codebook.

    Attributes:
        sensitive: The attribute to be inferred; empty for none.
        runs: How often the plan is run.
        job: The attacks under way.
        outcome: The plan that was attacked, and what was found. Steward-only where the table is private.
    """

    sensitive: str = ""
    runs: int = 20
    job: Job | None = None
    outcome: tuple[Plan, AttackReport] | None = None


@dataclass(slots=True, kw_only=True)
class MarkChoices:
    """The pass marks on the page Run; cleared with the table and its codebook.

    Attributes:
        used: Whether a release is tried against them.
        two_way_error: Mean error of two-way tables, at most; 0 for no such mark.
        group: No combination of two values that so many real rows share may be lost; 0 for no such mark.
        auc: Area under the ROC curve, at least; 0 for no such mark.
        target: The attribute of two values that is predicted; empty for none.
        agreed_by: Who agreed them; nobody before somebody is written down.
        agreed_on: The day on which they were agreed.
    """

    used: bool = False
    two_way_error: float = 0.0
    group: int = 0
    auc: float = 0.0
    target: str = ""
    agreed_by: str = ""
    agreed_on: str = ""

    @property
    def marks(self) -> Marks:
        """The marks.

        Raises:
            PlanError: none is set, one is impossible, or nobody agreed them.
        """
        return Marks(
            agreed_by=self.agreed_by.strip(),
            agreed_on=self.agreed_on.strip(),
            two_way_error=self.two_way_error or None,
            group=self.group or None,
            auc=self.auc or None,
            target=(self.target or None) if self.auc else None,
        )


@dataclass(slots=True, kw_only=True)
class RegisterChoices:
    """How a table is to be registered in the ledger; cleared with the table.

    Attributes:
        name: Name of the data set; the table's where it is empty.
        kind: Who is protected: whoever is a ``row``, or a ``person`` of several; None before it was said.
        column: The column that tells people apart.
        rows: Most rows of one person.
        cap: What all releases may cost, as an epsilon.
        digits: The cap's delta, as a negative power of ten.
        neighbors: Which two tables must look alike.
        why: Why it is released.
    """

    name: str = ""
    kind: str | None = None
    column: str | None = None
    rows: int = 1
    cap: float | None = None
    digits: int = 9
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    why: str = ""


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
        rows: Rows of the table; as many as are publicly known until somebody chooses.
        rows_chosen: Whether somebody has.
        with_groups: Whether micro-aggregation, which is no differential privacy, is put beside the methods.
        outcome: What the last comparison gave.
    """

    kind: str = "methods"
    repeats: int = 2
    rows: int = 10_000
    rows_chosen: bool = False
    with_groups: bool = True
    job: Job | None = None
    outcome: Any = None


@dataclass(slots=True, kw_only=True)
class AnonymizeChoices:
    """The page Anonymize; all of it is cleared with the table.

    Attributes:
        method: ``maasae``, ``maa-minil`` or ``gpkc``.
        quasi: The quasi-identifiers.
        sensitive: The sensitive attribute; empty before one is chosen.
        k: Smallest number of rows of a class.
        p: Smallest number of different sensitive values of a class.
        agreed: Whether the steward has agreed that what is handed over is not differentially private.
        number: Which class is shown, from 1.
        job: The work.
        outcome: The request and what it gave.
    """

    method: str = "maasae"
    quasi: list[str] = field(default_factory=list)
    sensitive: str = ""
    k: int = 8
    p: int = 3
    agreed: bool = False
    number: int = 1
    job: Job | None = None
    outcome: Any = None


@dataclass(slots=True, kw_only=True)
class ExperimentChoices:
    """The page Experiments; its results are on the server's disk.

    Attributes:
        name: The experiment.
        on: Which table: ``papers`` or ``loaded``.
        target: What is predicted in a loaded table, and what is sensitive in it; empty before one is chosen.
        rows: Rows of the table that are measured on.
        most: Settings that the next press of the button measures.
        uploads: Counts uploads, so that a taken one gets a fresh widget.
        job: The work.
    """

    name: str = "fig5"
    on: str = "papers"
    target: str = ""
    rows: int = 1_000
    most: int = 20
    uploads: int = 0
    job: Job | None = None


@dataclass(slots=True, kw_only=True)
class TourState:
    """Where the guided tour is: None before it starts and after it ends."""

    stop: int | None = None
    seen: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that a table was read from, so that it can be read again otherwise.

    Attributes:
        file: Its bytes, or its path on the server; None where it was too large to keep.
        name: Its name.
        reading: How it was read last.
    """

    file: bytes | Path | None = field(repr=False)
    name: str
    reading: FileReading


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """What a survey gave.

    Attributes:
        fields: The fields that were found, by name.
        hidden: Names of those that noise hid.
        mostly_other: About which part of the rows lists lost to ``(other)``, where it is most.
        entry: Its number in the ledger.
    """

    fields: dict[str, dict[str, Any]]
    hidden: tuple[str, ...]
    mostly_other: dict[str, float]
    entry: int


@dataclass(slots=True, kw_only=True)
class DataChoices:
    """The page Data; all of it is cleared with the table.

    Attributes:
        show: Which columns are listed: ``all``, ``todo`` or ``guesses``.
        search: A part of the names of those listed.
        page: Which page of the list, from 0.
        open: The column whose card is open; empty for none.
        shown: The column to be brought into sight on the next run; empty for none.
        chosen: The columns that are chosen to be treated alike.
        all_chosen: Whether the last act chose all that are listed.
        notes: What the last list of a column repeated, by its name.
        faults: What was wrong with a declaration, by the key of its form.
        upload: The file, if the table came from one.
        renamed: Columns that the steward renamed: the file's name and hers.
        misnamed: Columns that were given a name that is taken, or none: their name and what was typed.
        checked: By column: the entry that was checked, what it lacks, and why the column does not fit it.
        survey: A survey that runs or has just ended; it is paid, so no edit stops it. One of a
            table that was put away since is watched to its end.
        surveyed: What the last survey gave: the fields it found, those it asked for, and its ledger entry.
        survey_epsilon: What the next survey may cost.
        rule: The place of the public rule that is being edited; None for a new one.
        rule_forms: Counts the forms of rules, so that each begins with widgets of its own.
        remarks: What the last codebook file leaves to a person.
    """

    show: str = "all"
    search: str = ""
    page: int = 0
    open: str = ""
    shown: str = ""
    chosen: set[str] = field(default_factory=set)
    all_chosen: bool = False
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    upload: Upload | None = None
    faults: dict[str, Sentence] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    misnamed: dict[str, str] = field(default_factory=dict)
    checked: dict[str, tuple[str, Sentence | None, Sentence | None]] = field(default_factory=dict)
    survey: Job | None = None
    surveyed: Surveyed | None = None
    survey_epsilon: float = 0.1
    rule: int | None = None
    rule_forms: int = 0
    remarks: tuple[Sentence, ...] = ()

    @property
    def decimal(self) -> str | None:
        """The decimal mark of the table's file, where the table came from one."""
        return None if self.upload is None else self.upload.reading.decimal
