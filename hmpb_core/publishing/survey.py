"""A survey of a registered table: check everything, pay, look once, write what was bought into the codebook.

Every column to be surveyed gets an equal part of the loss and of the threshold's delta, for one noisy
histogram (``survey/cells.py``). Charged like a release, before anything is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np

from hmpb_core.errors import BudgetExceededError, PlanError, SourceError, typed
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.ledger import Entry
from hmpb_core.privacy.unit import Unit
from hmpb_core.provenance import Origin, Provenance, provenance_of
from hmpb_core.publishing.aftermath import on_record
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.workspace import Workspace, whoami
from hmpb_core.sources.drafting.draft import is_open
from hmpb_core.sources.locations import PrivateTable, columns_of
from hmpb_core.sources.people import limit_rows
from hmpb_core.sources.relational.table import EngineTable
from hmpb_core.survey.cells import N_CELLS, Histogram, histogram_of
from hmpb_core.survey.engine_cells import engine_histograms
from hmpb_core.survey.findings import field_of

THRESHOLD_PART = Fraction(1, 10)
"""Part of a survey's delta that its thresholds may spend; the rest converts its zCDP loss."""
FALSE_CELLS = 0.05
"""Chance that noise alone widens a column's bounds."""
_ONE_STAGE = Shares.from_weights(one_way_tables=1, similarity=0, structure=0, conditional_tables=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyCommit:
    """A survey that passed every check and waits for the steward's word.

    Attributes:
        schema: The codebook as it stands.
        columns: What will be surveyed.
        guarantee: What it costs: pure where the data set's cap has no delta.
        delta: What thresholds may cost on top; 0 finds no texts.
        before: The data set now.
        after: The data set as it will stand.
        table: The private table.
    """

    schema: Mapping[str, Any]
    columns: tuple[str, ...]
    guarantee: Guarantee
    delta: float
    before: RegisteredDataset
    after: RegisteredDataset
    table: PrivateTable = field(repr=False)

    @property
    def lines(self) -> list[str]:
        """What is said before anything is paid."""
        texts = (
            "bounds, decimals and common categories"
            if self.delta
            else "bounds and decimals; no categories: no part of the cap's delta was kept for surveys"
        )
        return [
            f"Data set     {self.before.name}; {self.before.unit.words}",
            f"Surveyed     {len(self.columns)} columns: {', '.join(self.columns)}",
            f"Bought       {texts}",
            f"In total     epsilon {self.guarantee.epsilon:g}, "
            f"delta {typed(self.guarantee.delta + self.delta)}",
            f"Left after   epsilon {max(0.0, float(self.after.left)):.6g} of "
            f"{float(self.before.cap_epsilon):g}",
            "This cannot be undone: the charge stays even if the survey fails.",
        ]


def prepare_survey(
    table: PrivateTable,
    schema: Mapping[str, Any],
    workspace: Workspace,
    *,
    epsilon: float,
    delta: float | None = None,
) -> SurveyCommit:
    """Check everything that can be checked before anything is paid. Charges nothing.

    Args:
        table: The private table, in memory or in an engine.
        schema: A codebook, or a draft of one: its open and its guessed fields are surveyed.
        workspace: Where the table is registered.
        epsilon: What the survey may cost.
        delta: The delta of the survey; that of the data set's cap unless given. 0 buys no categories.

    Raises:
        PlanError: there is nothing to survey, or epsilon or delta is impossible.
        PrivacyError: the table is not registered.
        BudgetExceededError: the cap does not admit the survey.
        SourceError: a column is not in the table.
    """
    dataset = workspace.find(table)
    fields = schema.get("fields")
    if not isinstance(fields, list) or not all(
        isinstance(f, dict) and isinstance(f.get("name"), str) for f in fields
    ):
        raise SourceError("The codebook has no list of 'fields' with names; draft one with 'hmpb codebook'.")
    columns = tuple(f["name"] for f in fields if _wanted(f) and f["name"] != dataset.unit.column)
    if not columns:
        raise PlanError("Every field of the codebook is declared; there is nothing to survey.")
    absent = [name for name in columns if name not in columns_of(table)]
    if absent:
        raise SourceError(
            "The table lacks {names}, which the codebook declares; add the column or remove it from the "
            "codebook.",
            names=", ".join(map(repr, absent[:5])),
        )
    whole = dataset.cap_delta if delta is None else delta
    if whole > dataset.cap_delta:
        raise BudgetExceededError(
            "The survey asks for delta {asked:g}, but {left:g} is left for the data set {name!r}. Lower it.",
            asked=whole,
            left=dataset.cap_delta,
            name=dataset.name,
        )
    if whole == 0:
        guarantee = Guarantee(epsilon=epsilon, delta=0, currency=Currency.PURE, neighbors=dataset.neighbors)
        for_texts = 0.0
    else:
        for_texts = min(float(Fraction(whole) * THRESHOLD_PART), dataset.survey_delta_left)
        guarantee = Guarantee(epsilon=epsilon, delta=whole - for_texts, neighbors=dataset.neighbors)
    return SurveyCommit(
        schema=schema,
        columns=columns,
        guarantee=guarantee,
        delta=for_texts,
        before=dataset,
        after=dataset.after(guarantee, delta=for_texts),
        table=table,
    )


def carry_out_survey(
    commit: SurveyCommit, workspace: Workspace, *, who: str | None = None, why: str = ""
) -> tuple[dict[str, Any], Entry]:
    """Charge the survey, look once, and give the codebook with what was bought.

    A field that noise hides altogether stays as it was.

    Args:
        commit: What was prepared.
        workspace: Its workspace.
        who: Who surveys.
        why: For what purpose.

    Raises:
        BudgetExceededError: meanwhile somebody else took what was left; nothing is charged.
        PrivacyError: the survey failed after its charge.
    """
    charge = workspace.charge(
        commit.before,
        commit.guarantee,
        delta=commit.delta,
        who=who or whoami(),
        why=why,
        details={"survey": list(commit.columns)},
    )
    with on_record(workspace, charge):
        fields = _surveyed(commit, charge.number)
    workspace.complete(charge, artefacts={})
    return {**commit.schema, "fields": fields}, charge


def _wanted(entry: Mapping[str, Any]) -> bool:
    if entry.get("publish") is False:
        return False
    return is_open(entry) or not provenance_of(entry).public


def _surveyed(commit: SurveyCommit, number: int) -> list[dict[str, Any]]:
    unit = commit.before.unit
    accountant = Accountant(
        Budget(guarantee=commit.guarantee, shares=_ONE_STAGE),
        rows_per_person=unit.rows,
        delta=commit.delta,
    )
    part = len(commit.columns)
    loss = commit.guarantee.total / part
    delta = math.nextafter(commit.delta / part, 0.0)
    clear = _clear(accountant.table_scale(loss), commit.guarantee)
    source = Provenance(origin=Origin.SURVEY, entry=number).to_dict()
    general = commit.schema.get("missingValues", [""])
    missing = {
        entry["name"]: frozenset(map(_text, entry.get("missingValues", general))) | {""}
        for entry in commit.schema["fields"]
        if entry["name"] in commit.columns
    }
    histograms = histograms_of(commit.table, missing, unit, with_texts=delta > 0)
    fields = []
    for entry in commit.schema["fields"]:
        found = None
        if entry["name"] in commit.columns:
            histogram = histograms[entry["name"]]
            noisy, told = accountant.discover(
                histogram.counts,
                listed=N_CELLS,
                delta=delta,
                stage=Stage.ONE_WAY_TABLES,
                loss=loss,
                what=f"survey of {entry['name']}",
                attribute=commit.columns.index(entry["name"]),
            )
            texts = [histogram.texts[place - N_CELLS] for place in told if place >= N_CELLS]
            found = field_of(entry, noisy[told], texts, clear=clear)
        fields.append(dict(entry) if found is None else {**found, "source": source})
    return fields


def histograms_of(
    table: PrivateTable, missing: Mapping[str, frozenset[str]], unit: Unit, *, with_texts: bool
) -> dict[str, Histogram]:
    """Count the columns of a private table by cells, at most so many rows of a person.

    Args:
        table: The private table, in memory or in an engine.
        missing: For each column the texts that mean a missing value.
        unit: The unit of protection.
        with_texts: Give each text a cell of its own; else they share one.
    """
    if isinstance(table, EngineTable):
        return engine_histograms(table, missing, unit, with_texts=with_texts)
    frame = limit_rows(table, unit, np.random.default_rng())
    return {name: histogram_of(frame[name], texts, with_texts=with_texts) for name, texts in missing.items()}


def _text(value: Any) -> str:
    return str(value["value"]) if isinstance(value, dict) and "value" in value else str(value)


def _clear(scale: float, guarantee: Guarantee) -> float:
    """The count that noise alone exceeds in a public cell of a column with chance ``FALSE_CELLS``."""
    each = FALSE_CELLS / N_CELLS
    if guarantee.currency is Currency.PURE:
        return scale * math.log(1 / (2 * each))
    return -scale * NormalDist().inv_cdf(each)
