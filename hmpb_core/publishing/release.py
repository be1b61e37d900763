"""From a registered table and a plan to a bundle: check everything, pay, look, write.

prepare     everything that can be refused is refused before anything is paid
carry_out   charge the whole plan, fit, write the bundle, note it in the ledger
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from hmpb_core.acceptance.marks import Marks
from hmpb_core.acceptance.selection import Trial, choose, trial_of
from hmpb_core.codebook import Codebook
from hmpb_core.errors import CancelledError, NotPrivateError, PlanError, Sentence, counted, typed
from hmpb_core.model import Model
from hmpb_core.planning.bill import Bill, bill_of_plan
from hmpb_core.planning.plan import Plan
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.ledger import Entry, digest_of
from hmpb_core.progress import ByTime, Progress, silent
from hmpb_core.publishing.aftermath import on_record
from hmpb_core.publishing.answers import Answers
from hmpb_core.publishing.bundle import bundle_of
from hmpb_core.publishing.dataset import RegisteredDataset, rounded_down
from hmpb_core.publishing.files import claimed, require_space, write_whole
from hmpb_core.publishing.findings import surveyed_elsewhere
from hmpb_core.publishing.receipts import receipt_of
from hmpb_core.publishing.record import ChosenPlan, Payment, ReleaseRecord
from hmpb_core.publishing.trial import known_rows, public_rows, require_public_shares, require_size, try_out
from hmpb_core.publishing.words.catalogue import DEFAULT_LANGUAGE
from hmpb_core.publishing.workspace import Workspace, whoami
from hmpb_core.rules.identifiers import require_room
from hmpb_core.sources.base import TableSource
from hmpb_core.sources.locations import PrivateTable, rows_of
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source

MAX_REPLICATES = 100
FEWEST_ROWS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What a paid run gave; all of it may be published.

    Attributes:
        model: The paid model.
        rows: The synthetic tables, the first one first.
        files: The files of the bundle, by their paths.
        charge: The ledger's entry.
        path: The bundle in the workspace.
        receipt: Number and digest of the ledger's newest entry; kept elsewhere it shows whether the ledger
            was put back or written anew.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from hmpb_core import Guarantee, Unit, make_plan
        >>> codebook = Codebook.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]}]})
        >>> people = pd.DataFrame({"smokes": ["no", "yes"] * 200})
        >>> plan = make_plan(Guarantee(epsilon=1.0), codebook.domain, n_rows=400, method="independent")
        >>> with TemporaryDirectory() as folder:
        ...     workspace = Workspace(Path(folder), create=True)
        ...     done = workspace.register(people, name="people", unit=Unit.parse("row"), cap_epsilon=2.0,
        ...                               cap_delta=1e-9)
        ...     commit = prepare(people, codebook, PlanFile.of(plan, codebook), workspace)
        ...     release = carry_out(commit, workspace)
        >>> len(release.rows[0]), release.charge.cost.rho == release.model.bill.loss
        (400, True)
    """

    model: Model
    rows: tuple[pd.DataFrame, ...] = field(repr=False)
    files: Mapping[str, bytes] = field(repr=False)
    charge: Entry
    path: Path
    receipt: str

    @property
    def bundle(self) -> bytes:
        """The bundle as it was written."""
        return self.path.read_bytes()


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A release that passed every check and waits for the steward's word.

    Attributes:
        plan_file: The plan, with the data set's unit.
        codebook: The public codebook.
        before: The data set now.
        after: The data set as it will stand.
        bill: What each stage will cost.
        title: What readers will call it.
        replicates: Number of synthetic tables.
        show_left: Whether the bundle tells what is left of the cap.
        answers: What only the steward knows; it goes into the statement and the checklist.
        trial: The candidate plans and the marks they are tried against; None where the plan itself is run.
        language: Code of the language of the bundle's pages for people.
        elsewhere: Fields that say a survey found them, but none that this table's ledger holds.
        source: The private table, surplus rows of a person left out.
    """

    plan_file: PlanFile
    codebook: Codebook
    before: RegisteredDataset
    after: RegisteredDataset
    bill: Bill
    title: str
    replicates: int = 1
    show_left: bool = False
    answers: Answers = field(default_factory=Answers)
    trial: Trial | None = None
    language: str = DEFAULT_LANGUAGE
    elsewhere: tuple[str, ...] = ()
    source: TableSource = field(repr=False)

    @property
    def lines(self) -> list[str]:
        """What the commit page says."""
        plan, unit = self.plan_file.plan, self.before.unit
        stages = [f"  {stage:<18} epsilon {epsilon:.4g}" for stage, epsilon in self.bill.stages.items()]
        rows = counted(plan.rows, "row", "rows") if plan.rows else "as many rows as the table has"
        columns = counted(len(self.codebook.domain), "column", "columns")
        return [
            f"Data set     {self.before.name}; {unit.words}",
            f"Will be read {columns}: {', '.join(self.codebook.domain.names)}",
            *(
                [f"             and {unit.column!r}, to tell people apart; it is not published"]
                if unit.column
                else []
            ),
            *(
                [
                    f"             {', '.join(self.elsewhere)}: surveyed, but by no entry of this table's "
                    "ledger; if it was of the same people, what it cost is not in this cap"
                ]
                if self.elsewhere
                else []
            ),
            f"Method       {plan.method}, accounting {plan.accounting.value}, "
            f"learner {plan.spec.learner}, {plan.guarantee.neighbors.value}"
            + ("; a candidate may say otherwise" if self.trial else ""),
            *(self.trial.lines if self.trial else ["Cost of each stage", *stages]),
            *hidden_costs(self.bill),
            f"In total     epsilon {plan.guarantee.epsilon:g}"
            + (f", delta {typed(plan.guarantee.delta)}" if plan.guarantee.delta else ""),
            f"Left of cap  epsilon {_of_cap(self.before)} of {float(self.before.cap_epsilon):g}, "
            f"{_of_cap(self.after)} after this",
            f"Next release at most {_next(self.before)}; {_next(self.after)} after this",
            *([TOGETHER] if self.after.totals.rho else []),
            f"Files        one bundle: {counted(self.replicates, 'table', 'tables')} of {rows} "
            "(csv, Parquet), data dictionary, statement, ledger entry, noisy model, plan, checklist",
            "This cannot be undone: the charge stays even if the run fails.",
        ]


def hidden_costs(bill: Bill) -> list[str]:
    """What the commit page says of what looks at the data and is charged to nobody."""
    return [f"  not paid for: {item}" for item in bill.unpaid] or ["  hidden costs: none"]


TOGETHER = "             Together, charges cost less than the sum of their epsilons."


def _of_cap(dataset: RegisteredDataset) -> str:
    return f"{rounded_down(float(dataset.left)):.6g}"


def _next(dataset: RegisteredDataset) -> str:
    """What one further release may cost: as a zcdp plan more than is left of the cap."""
    pure = f"epsilon {rounded_down(float(dataset.left_pure)):.6g}"
    if dataset.cap_delta == 0:
        return pure
    return f"{pure} as 'pure' or {rounded_down(dataset.left_zcdp):.6g} as 'zcdp'"


def prepare(
    table: PrivateTable,
    codebook: Codebook,
    plan_file: PlanFile,
    workspace: Workspace,
    *,
    title: str | None = None,
    replicates: int = 1,
    show_left: bool = False,
    answers: Answers | None = None,
    marks: Marks | None = None,
    language: str = DEFAULT_LANGUAGE,
    progress: Progress = silent,
) -> Commit:
    """Check everything that can be checked before anything is paid. Charges nothing.

    Runs the plan once on a simulated table of the same domain, so that what fails there is never charged.

    Args:
        table: The private table.
        codebook: Its public codebook.
        plan_file: The plan.
        workspace: Where the table is registered.
        title: What readers call the release; the data set's name unless given.
        replicates: Number of synthetic tables to draw from the one model: free.
        show_left: Whether the bundle tells what is left of the cap.
        answers: What only the steward knows.
        marks: Pass marks, with the candidate plans to try against them; see ``acceptance.selection``.
        language: Code of the language of the bundle's pages for people; programs read the same in any.
        progress: Told how far the trial on the simulated table is.

    Raises:
        NotPrivateError: the plan or the codebook cannot carry a guarantee.
        PrivacyError: the table is not registered, or the ledger was changed by hand.
        BudgetExceededError: the cap does not admit the plan.
        PlanError: the plan was made for another codebook or unit, or fails on a simulated table.
        SourceError: the table does not fit its codebook, or the bundle could not be kept.
    """
    require_releasable(plan_file.plan, codebook)
    plan_file.require_codebook(codebook)
    if not 1 <= replicates <= MAX_REPLICATES:
        raise PlanError(
            "replicates is {replicates}; ask for 1 to {most}.", replicates=replicates, most=MAX_REPLICATES
        )
    dataset = workspace.find(table)
    completed = plan_file.under(dataset.unit)
    plan = completed.plan
    after = dataset.after(plan.guarantee)
    source = open_source(table, codebook, dataset.unit)
    public = public_rows(plan, source.n_rows)
    if public is not None and public < FEWEST_ROWS:
        raise PlanError(
            "The table has fewer than {fewest} rows; there is nothing to learn.", fewest=FEWEST_ROWS
        )
    require_room(codebook.rules.identifiers, plan.rows or public)
    require_public_shares(plan, codebook, private={rows_of(table), source.n_rows}, public=public)
    workspace.require_whole()
    workspace.require_room(require_size(plan, codebook, n_rows=public, replicates=replicates))
    trial = None if marks is None else trial_of(plan, marks, codebook.domain, n_rows=public)
    candidates = [plan] if trial is None else trial.plans
    for number, tried in enumerate(candidates):
        require_releasable(tried, codebook)
        file = replace(completed, plan=tried)
        told = partial(_part_of, progress, number, len(candidates))
        try_out(file, codebook, n_rows=public, title=title or dataset.name, language=language, progress=told)
    return Commit(
        plan_file=completed,
        codebook=codebook,
        before=dataset,
        after=after,
        bill=bill_of_plan(plan, domain=codebook.domain),
        title=title or dataset.name,
        replicates=replicates,
        show_left=show_left,
        answers=answers or Answers(),
        trial=trial,
        language=language,
        elsewhere=surveyed_elsewhere(workspace, dataset, codebook),
        source=source,
    )


def require_releasable(plan: Plan, codebook: Codebook) -> None:
    """Refuse what can never carry a guarantee.

    Raises:
        NotPrivateError: the accounting is ``as-published``, no noise is drawn, or the domain is a guess.
    """
    if plan.spec.protection == "none":
        raise NotPrivateError(
            "The method 'noprivacy' draws no noise, so nothing is protected; its output stays with the "
            "steward. "
            "Choose 'hmprivbayes' and the accounting 'sound'."
        )
    if not plan.spec.releasable:
        raise NotPrivateError(
            "The accounting 'as-published' follows the paper to the letter, for comparison ('hmpb bill' "
            "shows its true cost), so it cannot be released. Choose the accounting 'sound'."
        )
    if codebook.undeclared:
        names = sorted(codebook.undeclared)
        first = repr(names[0])
        raise NotPrivateError(
            "The codebook's entry for {names} was read from the data, which voids the guarantee. Replace it "
            "by public knowledge and take its 'declared' and 'source' away, or let its 'source' say by which "
            "public source it is declared.",
            names=Sentence("{names} and {more} more", {"names": first, "more": len(names) - 1})
            if len(names) > 1
            else first,
        )
    if guessed := codebook.rules.undeclared:
        raise NotPrivateError(
            "The codebook's rule “{rule}” was read from the data, which voids the guarantee. Take it out, or "
            "let its 'source' say by which public source it is declared.",
            rule=guessed[0].words,
        )


def refuse_seed(seed: int | None) -> None:
    """Refuse a seeded release.

    Raises:
        NotPrivateError: a seed was given.
    """
    if seed is not None:
        raise NotPrivateError(
            "A seed was given: whoever knows it can subtract the noise. Leave it out; to repeat a run, "
            "use 'hmpb rehearse'."
        )


def carry_out(
    commit: Commit,
    workspace: Workspace,
    out: Path | None = None,
    *,
    who: str | None = None,
    why: str = "",
    progress: Progress = silent,
) -> Release:
    """Charge the whole plan, then look, then write.

    Args:
        commit: What was prepared.
        workspace: Its workspace.
        out: Where else to write the bundle; it is always kept in the workspace.
        who: Who releases.
        why: For what purpose.
        progress: Told where the work is; may raise ``CancelledError`` (the charge stays).

    Raises:
        BudgetExceededError: meanwhile somebody else took what was left; nothing is charged.
        SourceError: the bundle cannot be kept, or not written to its place; nothing is charged.
        PrivacyError: the run failed after its charge.
    """
    plan = commit.plan_file.plan
    public = public_rows(plan, commit.source.n_rows)
    size = require_size(plan, commit.codebook, n_rows=public, replicates=commit.replicates)
    with claimed(out):
        workspace.require_room(size)
        if out is not None:
            require_space(out.parent, size)
        return _charge_and_run(commit, workspace, out, who=who, why=why, progress=progress)


def _charge_and_run(
    commit: Commit, workspace: Workspace, out: Path | None, *, who: str | None, why: str, progress: Progress
) -> Release:
    plan = commit.plan_file.plan
    charge = workspace.charge(
        commit.before,
        plan.guarantee,
        who=who or whoami(),
        why=why,
        details=_details(commit),
    )
    with on_record(workspace, charge):
        told = ByTime(
            progress,
            columns=len(commit.codebook.domain),
            rows=_foreseen_rows(commit),
            redrawn=commit.codebook.rules.redraw,
        )
        model, chosen = _run(commit, told)
        told.write((plan.rows or model.n_rows) * commit.replicates)
        if model.bill.loss > plan.guarantee.total:
            raise NotPrivateError(
                "The run spent more than was charged, so its output is withheld; report this as a bug."
            )
        record = ReleaseRecord(
            title=commit.title,
            plan_file=commit.plan_file,
            codebook=commit.codebook,
            rows=plan.rows or model.n_rows,
            replicates=commit.replicates,
            made=datetime.fromisoformat(charge.at),  # its end would tell how long the run took
            payment=Payment(dataset=workspace.after(charge), charge=charge, show_left=commit.show_left),
            answers=commit.answers,
            chosen=chosen,
            language=commit.language,
            elsewhere=commit.elsewhere,
        )
        bundle = bundle_of(model, record, rng=np.random.default_rng(), progress=_to_its_end(told))
        content = bundle.zipped()
        kept = workspace.release_path(charge)
        write_whole(kept, content)
        files = {path: item.value for path, item in bundle.files.items()}
        artefacts = {path: digest_of(data) for path, data in files.items()}
        done = workspace.complete(charge, artefacts={"bundle": digest_of(content), **artefacts})
        if out is not None:
            write_whole(out, content)
    return Release(
        model=model, rows=bundle.rows, files=files, charge=charge, path=kept, receipt=receipt_of(done)
    )


def _to_its_end(progress: Progress) -> Progress:
    """Progress that stops nothing: what is paid for and measured is written and kept."""

    def told(fraction: float, message: str) -> None:
        with suppress(CancelledError):
            progress(fraction, message)

    return told


def _part_of(progress: Progress, number: int, count: int, fraction: float, message: str) -> None:
    progress((number + fraction) / count, message)


def _foreseen_rows(commit: Commit) -> int | None:
    """Rows to be written, as far as it is public; None for a search, which ends by chance."""
    rows = known_rows(commit.plan_file.plan, commit.source.n_rows)
    return None if commit.trial is not None or rows is None else rows * commit.replicates


def _details(commit: Commit) -> dict[str, str]:
    details = {"plan_sha256": digest_of(commit.plan_file.to_toml()), "title": commit.title}
    if commit.trial is not None:
        details["marks_sha256"] = digest_of(commit.trial.marks.to_toml())
    return details


def _run(commit: Commit, progress: Progress) -> tuple[Model, ChosenPlan | None]:
    """Run the plan, or try the candidates until one passes its marks.

    Raises:
        PlanError: none passed.
    """
    if commit.trial is None:
        return fit_source(commit.source, commit.plan_file.plan, progress=progress), None
    found = choose(commit.source, commit.trial, progress=progress)
    if found is None:
        raise PlanError(
            "None of the {count} candidate plans passed its marks within the search that was paid for.",
            count=len(commit.trial.plans),
        )
    ran = replace(commit.plan_file, plan=found.model.plan)
    chosen = ChosenPlan(marks=commit.trial.marks.to_toml(), found=found.to_dict(commit.trial), plan_file=ran)
    return found.model, chosen
