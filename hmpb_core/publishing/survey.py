"""A survey of a registered table: check everything, pay, look, write what was bought into the codebook.

Charged like a release, before anything is looked at. Then three looks at each surveyed column
(``survey/looks.py``), all within the loss and the threshold's delta that were charged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from hmpb_core.errors import BudgetExceededError, PlanError, SourceError, counted, typed
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares
from hmpb_core.privacy.calibration import discovery_threshold, table_scale
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.ledger import Entry
from hmpb_core.privacy.unit import Unit
from hmpb_core.progress import Progress, silent
from hmpb_core.provenance import (
    Origin,
    Provenance,
    is_left_out_by_guess,
    provenance_of,
    require_flag,
)
from hmpb_core.publishing.aftermath import on_record
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.findings import keep_findings
from hmpb_core.publishing.workspace import Workspace, whoami
from hmpb_core.sources.drafting.draft import is_open
from hmpb_core.sources.drafting.labels import with_known_labels
from hmpb_core.sources.drafting.place_codes import code_digits
from hmpb_core.sources.locations import PrivateTable, columns_of, rows_of
from hmpb_core.sources.people import limit_rows
from hmpb_core.sources.relational.table import EngineTable
from hmpb_core.survey.cells import Counted, count
from hmpb_core.survey.engine_cells import engine_counts, require_few_texts
from hmpb_core.survey.fields import KEPT, OTHER, field_of
from hmpb_core.survey.findings import Look
from hmpb_core.survey.looks import LAST_PART, look_at
from hmpb_core.survey.wording import (
    bounds_of,
    is_by_name,
    is_read_off,
    lenient,
    like_others,
    reopened,
    worded,
)

SURVEY_PART = 0.1
"""Part of a cap's delta that is kept for surveys where a table is registered without a codebook."""
THRESHOLD_PART, LEFT_PART = Fraction(1, 10), Fraction(1, 2)
"""Parts of a survey's delta, and of what earlier ones left for thresholds, that its thresholds may spend; the
rest of the former converts its zCDP loss. A later survey finds texts, too: half the delta raises a threshold
by a fiftieth."""
MOSTLY = 0.5
"""Part of a list's rows that became ``(other)`` from which on the steward is told."""
COUNTING = 0.5
"""Part of a survey that its progress gives to counting, which takes longer the more rows there are; the noise
of its cells takes as long whatever the table holds."""
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
    def shared_by(self) -> int | None:
        """About how many rows must share a text so that it is found; None where no texts are.

        That of the last look, were every column to get an equal part of it.
        """
        return self._shared_by(self.guarantee) if self.delta else None

    def _shared_by(self, guarantee: Guarantee) -> int:
        loss = guarantee.total * LAST_PART / len(self.columns)
        unit = self.before.unit
        scale = table_scale(loss, guarantee, rows_per_person=unit.rows)
        each = self.delta / (2 * len(self.columns))
        return discovery_threshold(scale, each, guarantee, rows_per_person=unit.rows)

    @property
    def hides_texts(self) -> bool:
        """Whether no text can be found: the table, whose number of rows is public, is too small.

        Under ``add-remove`` that number is protected, and with several rows a person it counts rows that are
        left out.
        """
        return self._is_above(1.0)

    def _is_above(self, share: float) -> bool:
        """Whether only texts are found that more than a share of the rows have, whose number is public."""
        public = self.guarantee.neighbors is Neighbors.REPLACE_ONE and self.before.unit.column is None
        return public and self.shared_by is not None and self.shared_by > share * rows_of(self.table)

    @property
    def enough(self) -> float | None:
        """A price at which what a quarter of the rows share is found, where at this one not even a half is.

        None where none below 10 is enough.
        """
        if not self._is_above(0.5):
            return None
        prices = (digit * power for power in (0.01, 0.1, 1.0) for digit in range(1, 10))
        rows = rows_of(self.table)
        return next(
            (
                price
                for price in prices
                if price > self.guarantee.epsilon
                and 4 * self._shared_by(replace(self.guarantee, epsilon=price)) <= rows
            ),
            None,
        )

    @property
    def lines(self) -> list[str]:
        """What is said before anything is paid."""
        texts = (
            "bounds, decimals and common categories"
            if self.delta
            else "bounds, decimals and words of public lists; no other texts: no delta is left for them"
        )
        none = ": more than the table has, so none is found" if self.hides_texts else ""
        if price := self.enough:
            none += f"; epsilon {price:g} finds what a quarter of the rows share"
        return [
            f"Data set     {self.before.name}; {self.before.unit.words}",
            f"Surveyed     {counted(len(self.columns), 'column', 'columns')}: {', '.join(self.columns)}",
            f"Bought       {texts}",
            *(
                [f"Texts        found where about {self.shared_by} rows or more share one{none}"]
                * bool(self.delta)
            ),
            f"In total     epsilon {self.guarantee.epsilon:g}, "
            f"delta {typed(self.guarantee.delta + self.delta)}",
            f"Left of cap  epsilon {max(0.0, float(self.after.left)):.6g} of "
            f"{float(self.before.cap_epsilon):g} after this",
            "This cannot be undone: the charge stays even if the survey fails.",
        ]


class Survey(NamedTuple):
    """What a survey gave.

    Attributes:
        schema: The codebook with what was bought.
        charge: The ledger's entry.
        mostly_other: Of lists of which noise hid most: about which part of the rows became ``(other)``, by
            what was paid for.
    """

    schema: dict[str, Any]
    charge: Entry
    mostly_other: dict[str, float]


def prepare_survey(
    table: PrivateTable,
    schema: Mapping[str, Any],
    workspace: Workspace,
    *,
    epsilon: float,
    delta: float | None = None,
    only: Sequence[str] = (),
) -> SurveyCommit:
    """Check everything that can be checked before anything is paid. Charges nothing.

    Args:
        table: The private table, in memory or in an engine.
        schema: A codebook, or a draft of one: its open and its guessed fields are surveyed.
        workspace: Where the table is registered.
        epsilon: What the survey may cost.
        delta: The delta of the survey; that of the data set's cap unless given. 0 buys no texts but the
            words of public lists.
        only: Columns to survey alone, and anew if they are filled in or left out.

    Raises:
        PlanError: there is nothing to survey, or epsilon or delta is impossible.
        DomainError: what a field says of being published or declared is neither true nor false.
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
    for entry in fields:
        require_flag(entry, "publish")  # before anything is spent on a column that nobody is to see
    columns = tuple(n for n in dict.fromkeys(only or surveyed(fields)) if n != dataset.unit.column)
    if not columns:
        raise PlanError("Every field of the codebook is declared; there is nothing to survey.")
    if unknown := set(columns).difference(entry["name"] for entry in fields):
        raise PlanError(
            "The codebook has no field {names}; name them as it does.",
            names=tuple(map(repr, sorted(unknown)[:5])),
        )
    absent = [name for name in columns if name not in columns_of(table)]
    if absent:
        raise SourceError(
            "The table lacks {names}, which the codebook declares; add the column or remove it from the "
            "codebook.",
            names=tuple(map(repr, absent[:5])),
        )
    whole = dataset.cap_delta if delta is None else delta
    if not whole >= 0:  # or no number
        raise PlanError("The delta of a survey is {delta:g}; it must be 0 or more.", delta=whole)
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
        left = Fraction(dataset.survey_delta_left) * LEFT_PART
        for_texts = float(min(Fraction(whole) * THRESHOLD_PART, left))
        of_loss = min(whole - for_texts, dataset.release_delta)
        guarantee = Guarantee(epsilon=epsilon, delta=of_loss, neighbors=dataset.neighbors)
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
    commit: SurveyCommit,
    workspace: Workspace,
    *,
    who: str | None = None,
    why: str = "",
    progress: Progress = silent,
) -> Survey:
    """Charge the survey, look, and give the codebook with what was bought.

    A field that noise hides altogether stays as it was.

    Args:
        commit: What was prepared.
        workspace: Its workspace.
        who: Who surveys.
        why: For what purpose.
        progress: Called with the part done so far.

    Raises:
        BudgetExceededError: meanwhile somebody else took what was left; nothing is charged.
        SourceError: a column in an engine has too many different texts; nothing is charged.
        PrivacyError: the survey failed after its charge.
    """
    missing = _missing(commit)
    if isinstance(commit.table, EngineTable):
        with commit.table.engine.lock:
            require_few_texts(commit.table, missing, commit.before.unit)
    charge = workspace.charge(
        commit.before,
        commit.guarantee,
        delta=commit.delta,
        who=who or whoami(),
        why=why,
        details={"survey": list(commit.columns)},
    )
    with on_record(workspace, charge, makes_a_bundle=False):
        fields, looks = _surveyed(commit, charge.number, missing, progress)
    workspace.complete(charge, artefacts=keep_findings(workspace, charge, fields))
    other = _mostly_other([field for field in fields if provenance_of(field).entry == charge.number], looks)
    return Survey({**commit.schema, "fields": fields}, charge, other)


def surveyed(fields: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the fields that a survey asks for: those that nobody filled in, and guesses.

    Beside such fields also what a column's name alone suggested: in which words, and whether at all. A column
    that a guess left out is asked, too: whether it holds identifiers was read off the rows.
    """
    published = [e for e in fields if e.get("publish") is not False or is_left_out_by_guess(e)]
    asked = {id(entry) for entry in published if is_open(entry) or not provenance_of(entry).public}
    beside = {id(entry) for entry in published if asked and is_by_name(entry)}
    return [entry["name"] for entry in published if id(entry) in asked | beside]


def _surveyed(
    commit: SurveyCommit, number: int, missing: Mapping[str, frozenset[str]], progress: Progress
) -> tuple[list[dict[str, Any]], dict[str, Look]]:
    unit = commit.before.unit
    accountant = Accountant(
        Budget(guarantee=commit.guarantee, shares=_ONE_STAGE),
        rows_per_person=unit.rows,
        delta=commit.delta,
    )
    progress(0.0, "counting")
    general = commit.schema.get("missingValues", [""])
    asked = _asked(commit)
    entries = {entry["name"]: entry for entry in asked}
    counted = counts_of(
        commit.table,
        missing,
        unit,
        with_texts=commit.delta > 0,
        progress=lambda done, message: progress(COUNTING * done, message),
    )
    source = Provenance(origin=Origin.SURVEY, entry=number).to_dict()
    bounded = {name: bounds for name in commit.columns if (bounds := bounds_of(entries[name]))}
    looks = look_at(
        counted,
        accountant,
        delta=commit.delta,
        bounded=bounded,
        progress=lambda done, message: progress(COUNTING + (1 - COUNTING) * done, message),
    )
    fields = []
    for entry, before in zip(asked, commit.schema["fields"], strict=True):
        look = looks.get(entry["name"])
        draft = {"missingValues": general, **entry} if "missingValues" in commit.schema else entry
        said = worded if is_by_name(entry) else field_of
        found = said(draft, look) if look else None
        if found is not None and found.get("missingValues") == general and "missingValues" not in entry:
            del found["missingValues"]
        if found is None and look and (unsaid := reopened(entry, look)):
            fields.append(unsaid)
            continue
        field = dict(before) if found is None else {**with_known_labels(found), "source": source}
        fields.append(lenient(field) if look and is_by_name(entry) else field)
    progress(1.0, "finding")
    return like_others(fields, looks), looks


def _asked(commit: SurveyCommit) -> list[Mapping[str, Any]]:
    """The fields as a survey takes them: what a guess read off the rows has no place in what is bought."""
    anew = set(commit.columns).difference(surveyed(commit.schema["fields"]))
    return [
        _reopened(_unguessed(entry)) if entry["name"] in anew else _unguessed(entry)
        for entry in commit.schema["fields"]
    ]


def _missing(commit: SurveyCommit) -> dict[str, frozenset[str]]:
    """For each surveyed column the texts that mean a missing value."""
    general = commit.schema.get("missingValues", [""])
    entries = {entry["name"]: entry for entry in _asked(commit)}
    return {
        name: frozenset(map(_text, entries[name].get("missingValues", general))) | {""}
        for name in commit.columns
    }


def _mostly_other(fields: Sequence[Mapping[str, Any]], looks: Mapping[str, Look]) -> dict[str, float]:
    """Of lists of which noise hid most the part of the rows that have no category; codes have groups."""
    shares = {}
    for entry in fields:
        look, categories = looks.get(entry["name"]), entry.get("categories", ())
        grouped = any(isinstance(item, Mapping) and "prefixes" in item for item in categories)
        if look and look.is_list and not look.listed and entry.get("unknown") == OTHER and not grouped:
            shares[str(entry["name"])] = 1 - look.explained
    return {name: share for name, share in shares.items() if share > MOSTLY}


def about(share: float) -> str:
    """A part that was paid for with noise, to the next twentieth: some rows have a category.

    Example:
        >>> about(0.8134), about(0.99)
        ('80 %', '95 %')
    """
    return f"{min(round(20 * share) * 5, 95)} %"


def _reopened(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """A field as if nobody had filled it in: it is to be surveyed anew."""
    return {key: entry[key] for key in KEPT if key in entry} | {"type": "string", "declared": False}


def counts_of(
    table: PrivateTable,
    missing: Mapping[str, frozenset[str]],
    unit: Unit,
    *,
    with_texts: bool,
    progress: Progress = silent,
) -> dict[str, Counted]:
    """Count the columns of a private table by kinds and cells, at most so many rows of a person.

    Args:
        table: The private table, in memory or in an engine.
        missing: For each column the texts that mean a missing value.
        unit: The unit of protection.
        with_texts: Give each text that is not public a cell of its own; else they share one.
        progress: Called with the part done so far.
    """
    if isinstance(table, EngineTable):
        with table.engine.lock:
            return engine_counts(table, missing, unit, with_texts=with_texts)
    frame = limit_rows(table, unit, np.random.default_rng())
    counted = {}
    for done, (name, texts) in enumerate(missing.items()):
        progress(done / len(missing), "counting")
        digits = code_digits(name)
        counted[name] = count(frame[name], texts, with_texts=with_texts, code_digits=digits)
    return counted


def _unguessed(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """A guess without its missing codes: read off the rows, they have no place in what is bought."""
    if not is_read_off(entry):
        return entry
    return {key: value for key, value in entry.items() if key != "missingValues"}


def _text(value: Any) -> str:
    return str(value["value"]) if isinstance(value, dict) and "value" in value else str(value)
