"""What a session knows: one typed object, and which event makes which part of it stale.

========================  =======================================================================
event                     clears
========================  =======================================================================
codebook changed          job and result, unless they were paid for; page views, attacks, marks; weights and
                          clusters without a place
new table, demo, forget   the same, what was paid for (a release under way is let go of and goes on), draft,
                          codebook, the plan's weights and rows, answers, second plan, data set of the ledger
plan changed              nothing: a result carries the plan, the codebook and the table it was made with
new result                page views
page left                 what was wrong with the last upload
========================  =======================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

import pandas as pd
import streamlit as st

from hmpb_core.acceptance.selection import Attempt
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.errors import InputError, Sentence
from hmpb_core.model import Model
from hmpb_core.planning.advice import GUESSED_ROWS
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.privacy.unit import ROW, Unit
from hmpb_core.publishing.answers import Answers
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.zones import Labelled, Zone, declared, paid, steward_only
from hmpb_core.several_answers import AnswerTo, apart
from hmpb_core.sources.locations import PrivateTable, columns_of, rows_of
from pages.session import registry
from pages.session.choices import (
    AnonymizeChoices,
    AttackChoices,
    CompareChoices,
    DataChoices,
    ExperimentChoices,
    ExplainChoices,
    MarkChoices,
    RegisterChoices,
    TourState,
    UtilityChoices,
)
from pages.session.jobs import Job
from pages.session.outside import Outside
from pages.session.plan_settings import PlanSettings

STATE_KEY = "hmpb"


class Basis(StrEnum):
    """What a table is."""

    DEMO = "demo"
    """The demo: invented, public."""
    STAND_IN = "stand-in"
    """Simulated from the codebook: holds nothing of anybody."""
    PRIVATE = "private"
    """The steward's table."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table: its rows in memory, or in an engine that they do not leave.

    Attributes:
        content: The rows, or where they stay.
        name: Its name.
        basis: What it is.
        answers: Answers that the draft tells apart where a column's cells hold several: each is a column.
    """

    content: pd.DataFrame | Outside = field(repr=False)
    name: str
    basis: Basis
    answers: Mapping[str, AnswerTo] = field(default_factory=dict)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The rows at hand: all of them, or some drawn at random where the table stays ``outside``."""
        rows = self.content.rows if isinstance(self.content, Outside) else self.content
        return apart(rows, self.answers)

    @property
    def private(self) -> PrivateTable:
        """The whole table, as the core takes it."""
        return self.content.table if isinstance(self.content, Outside) else self.content

    @property
    def outside(self) -> str | None:
        """The engine that its rows stay in; None where they are in memory."""
        return self.content.table.engine.name if isinstance(self.content, Outside) else None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns' names; nothing is read for them."""
        whole = {one.column for one in self.answers.values()}
        return tuple(name for name in columns_of(self.private) if name not in whole) + tuple(self.answers)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return rows_of(self.private)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a run gave.

    Attributes:
        model: The model, and the plan it was made with.
        rows: The synthetic rows.
        codebook: The codebook it was made with.
        source: The table it was learned from.
        release: Identifier of the release in the ledger; None for a rehearsal.
        receipt: Number and digest of the ledger's newest entry after a release; empty for a rehearsal.
        bundle: The zip that was made of it.
        asked: The plan that was asked for, where a part of its guarantee went to checking pass marks.
        attempt: What a rehearsal reached of the pass marks; None where there were none.
        at: When it was finished.
    """

    model: Model
    rows: pd.DataFrame = field(repr=False)
    codebook: Codebook = field(repr=False)
    source: Table
    release: str | None = None
    receipt: str = ""
    bundle: bytes = field(default=b"", repr=False)
    asked: Plan | None = None
    attempt: Attempt | None = field(default=None, repr=False)
    at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def basis(self) -> Basis:
        """What it was learned from."""
        return self.source.basis

    @property
    def rehearsal(self) -> bool:
        """Whether it says nothing about the private table."""
        return self.basis is not Basis.PRIVATE

    def labelled(self, content: str | bytes) -> Labelled[str | bytes]:
        """Label something made from this result: a rehearsal looked at public rows only.

        What a guessed codebook says of the private rows is in all that is made with it.
        """
        if self.rehearsal and self.codebook.public:
            return declared(content)
        return paid(content, self.release) if self.release and self.releasable else steward_only(content)

    @property
    def zone(self) -> Zone:
        """Who may see what is made from it."""
        return self.labelled("").zone

    @property
    def releasable(self) -> bool:
        """Whether it may leave: paid for, declared, and not a rehearsal."""
        return not self.rehearsal and self.codebook.public and self.model.releasable

    @property
    def plan(self) -> Plan:
        """The plan it was made with."""
        return self.model.plan


@dataclass(slots=True)
class AppState:
    """Everything one session knows.

    Attributes:
        table: The table that is loaded.
        draft: The codebook as a Table Schema, perhaps not usable yet.
        unit: Whom the ledger says that the table's promise is for; None where nobody looked.
        dataset: Identifier of the table's data set in the ledger; empty where none is known.
        codebook: The codebook, where the draft is usable.
        settings: The Plan page.
        second: A plan set aside for comparison.
        foreign_plan: Whether the plan was loaded from a file that was made for another codebook.
        refused_plan: What was wrong with the last plan file, and the settings that it left as they were.
        job: Long work that runs or has just ended.
        result: The last run's result.
        upload_error: What was wrong with the last upload, in one sentence.
        misfits: For each attribute that does not fit the table, why.
        answers: What only the steward knows of a release of this table.
        uploads: Counts uploads, so that a forgotten one gets a fresh widget.
        results: Counts results, so that a new one gets fresh widgets.
        views: What pages work out from the result and want to keep; cleared with it.
        data: The page Data; cleared with the table.
        explain: The page Explain; holds nothing of a table.
        attack: Attacks on the table; cleared with it and with the codebook.
        marks: Pass marks on the page Run; cleared with the table and the codebook.
        register: How the table is to be registered; cleared with the table.
        utility: The page Utility; its choices are cleared with the table, its job with the result.
        compare: The page Compare; what it gave is cleared with the codebook.
        anonymize: The page Anonymize; cleared with the table, what it gave with the codebook.
        experiments: The page Experiments; a measurement on the loaded table stops with it.
        tour: The guided tour.
        on_release: Whether the page Run was last open on the release, and not on the rehearsal.
        language: The language that was chosen, for when the browser comes back.
        widget_language: The language in which each bound widget was last drawn.
    """

    table: Table | None = None
    draft: dict[str, Any] = field(default_factory=dict)
    unit: Unit | None = None
    dataset: str = ""
    codebook: Codebook | None = None
    settings: PlanSettings = field(default_factory=PlanSettings)
    second: PlanSettings | None = None
    foreign_plan: bool = False
    refused_plan: tuple[Sentence, PlanSettings] | None = None
    job: Job | None = None
    result: Result | None = None
    upload_error: Sentence | str = ""
    misfits: dict[str, Sentence] = field(default_factory=dict)
    answers: Answers = field(default_factory=Answers)
    uploads: int = 0
    results: int = 0
    views: dict[str, Any] = field(default_factory=dict)
    data: DataChoices = field(default_factory=DataChoices)
    explain: ExplainChoices = field(default_factory=ExplainChoices)
    attack: AttackChoices = field(default_factory=AttackChoices)
    marks: MarkChoices = field(default_factory=MarkChoices)
    register: RegisterChoices = field(default_factory=RegisterChoices)
    utility: UtilityChoices = field(default_factory=UtilityChoices)
    compare: CompareChoices = field(default_factory=CompareChoices)
    anonymize: AnonymizeChoices = field(default_factory=AnonymizeChoices)
    experiments: ExperimentChoices = field(default_factory=ExperimentChoices)
    tour: TourState = field(default_factory=TourState)
    on_release: bool = False
    language: str = ""
    widget_language: dict[str, str] = field(default_factory=dict)

    @property
    def ready(self) -> bool:
        """Whether the table and its codebook are there and fit each other."""
        return self.table is not None and self.codebook is not None and not self.misfits

    @property
    def known_rows(self) -> int | None:
        """The number of rows that formulas may use: a public table's own, else one that was stated.

        A private table's own number is never used: under ``add-remove`` it is protected, and with several
        rows a person it counts rows that a release leaves out. None where nobody stated one.
        """
        if self.table is not None and self.table.basis is not Basis.PRIVATE:
            return self.table.n_rows
        return self.settings.stated_rows

    @property
    def rows_from(self) -> str:
        """Where that number comes from: ``table``, ``declared``, ``to_make`` or ``assumed``."""
        if self.table is not None and self.table.basis is not Basis.PRIVATE:
            return "table"
        if self.settings.declared_rows:
            return "declared"
        return "to_make" if self.settings.rows else "assumed"

    @property
    def public_rows(self) -> int:
        """The same, or what the public rules assume where nobody stated one."""
        return self.known_rows or GUESSED_ROWS

    @property
    def domain(self) -> Domain | None:
        """The codebook's domain."""
        return self.codebook.domain if self.codebook else None

    def plan_of(self, settings: PlanSettings) -> Plan:
        """Make the plan that some settings say, for this session's codebook.

        Raises:
            PlanError: the choices contradict each other.
        """
        unit = self.unit or ROW
        plan = settings.plan(self.domain, self.known_rows)
        return replace(plan, person=unit.column, rows_per_person=unit.rows)

    @property
    def plan(self) -> Plan:
        """The plan of the page Plan, made anew: recommended shares follow whatever was changed.

        Raises:
            PlanError: the choices contradict each other.
        """
        return self.plan_of(self.settings)

    @property
    def plan_changed(self) -> bool:
        """Whether the plan says something else than the one that the last result was made with."""
        if self.result is None:
            return False
        try:
            return self.plan != (self.result.asked or self.result.plan)
        except InputError:
            return True

    @property
    def just_released(self) -> bool:
        """Whether the last result is a release of the plan as it still is."""
        return self.result is not None and self.result.release is not None and not self.plan_changed

    @property
    def shares(self) -> Shares:
        """The shares in use: the steward's own, or those recommended now."""
        return self.settings.shares or self.settings.recommended(self.domain, self.known_rows)

    def use_table(self, table: Table, draft: dict[str, Any], codebook: Codebook | None) -> None:
        """Take a new table."""
        self.forget()
        self.table = table
        self.use_codebook(draft, codebook)

    def use_dataset(self, dataset: RegisteredDataset | None) -> None:
        """Take the table's data set: the ledger says by it for whom the promise is.

        Where it is another one than before, Explain speaks of it, and a plan that could never be released of
        it, because that would publish a private number of rows, keeps this number private too.
        """
        self.unit = dataset.unit if dataset else ROW
        name = dataset.id if dataset else ""
        if name != self.dataset:
            self.dataset = self.explain.dataset = name
            if dataset and dataset.neighbors is Neighbors.ADD_REMOVE:
                self.settings.choose("neighbors", Neighbors.ADD_REMOVE)
        if self.unit != ROW:  # then surplus rows are left out, and how many there are is nobody's business
            self.settings.forget_own_rows()

    def enter(self, page: str) -> None:
        """Note which page is about to run: what was wrong with an upload is said until its page is left."""
        if page != "data":
            self.upload_error = ""
        if page != "plan":
            self.refused_plan = None

    def tell_apart(self, answers: Mapping[str, AnswerTo]) -> None:
        """Give each answer of cells that hold several a column; the table itself stays as it is."""
        if self.table is not None and self.table.answers != answers:
            self.table = replace(self.table, answers=answers)

    def rename_column(self, old: str, new: str) -> None:
        """Give a column of a table in memory another name."""
        if self.table is not None and isinstance(self.table.content, pd.DataFrame):
            self.table = replace(self.table, content=self.table.content.rename(columns={old: new}))
            self.unit = None

    def use_codebook(self, draft: dict[str, Any], codebook: Codebook | None) -> None:
        """Take a changed codebook; ``None`` where the draft is not usable yet."""
        paid_result = self.result if self.result and self.result.release else None
        paid_job = self.job if self.job and self.job.charges else None
        self.clear_result()
        self.result, self.job = paid_result, paid_job
        self.draft, self.codebook, self.misfits, self.foreign_plan = draft, codebook, {}, False
        if codebook is not None:
            self.settings.fit(codebook.domain)

    def take_into_plan(self, **choices: Any) -> None:
        """Take choices from a result into the plan, as far as the codebook of now has a place for them."""
        for name, value in choices.items():
            self.settings.choose(name, value)
        if self.codebook is not None:
            self.settings.fit(self.codebook.domain)

    def use_result(self, result: Result) -> None:
        """Take the result of a run."""
        self._drop_looks()
        self.result = result
        self.results += 1

    def clear_result(self) -> None:
        """Drop the last run, and stop one that is under way; a release goes on, and its bundle is kept."""
        if self.job is not None and not self.job.charges:
            self.job.cancel()
        if self.compare.job is not None:
            self.compare.job.cancel()
        if self.anonymize.job is not None:
            self.anonymize.job.cancel()
        if self.attack.job is not None:
            self.attack.job.cancel()
        self.attack, self.marks = AttackChoices(), MarkChoices()
        self.job = self.result = self.compare.job = self.compare.outcome = None
        self.anonymize.job = self.anonymize.outcome = None
        self._drop_looks()

    def _drop_looks(self) -> None:
        """Drop what pages worked out from the last result."""
        if self.utility.job is not None:
            self.utility.job.cancel()
        self.utility.job = None
        self.views.clear()

    def forget(self) -> None:
        """Drop the table and all that came from it."""
        releasing = self.job if self.job and self.job.charges and self.job.active else None
        self.clear_result()
        if releasing is not None:  # it goes on, to be watched or stopped; its bundle is kept on the disk
            releasing.let_go()
            self.job = releasing
        self.table, self.draft, self.codebook, self.second, self.unit = None, {}, None, None, None
        self.dataset = self.explain.dataset = ""
        self.settings.weights = {}
        self.settings.choose("declared_rows", 0)
        self.upload_error, self.misfits, self.on_release = "", {}, False
        surveying = self.data.survey if self.data.survey and self.data.survey.active else None
        self.data = DataChoices(survey=surveying)
        if surveying is not None:  # so does a survey: what it finds can be taken over with the table
            surveying.let_go()
        self.anonymize = AnonymizeChoices()
        self.answers, self.register = Answers(), RegisterChoices()
        if self.experiments.job is not None:
            self.experiments.job.cancel()
        self.experiments.job, self.experiments.target = None, ""
        self.uploads += 1

    def view(self, key: str, make: Callable[[], Any]) -> Any:
        """Give what a page worked out before, or work it out; kept until there is a new result."""
        if key not in self.views:
            self.views[key] = make()
        return self.views[key]


def state() -> AppState:
    """The session's state: after a reload the one it had, else a new one, which starts with the demo."""
    kept = registry.claim(STATE_KEY)
    if isinstance(kept, AppState):
        return kept
    from pages.session.demo import load_demo

    fresh = AppState()
    st.session_state[STATE_KEY] = fresh
    registry.keep(fresh)
    load_demo(fresh, plan=True)
    return fresh
