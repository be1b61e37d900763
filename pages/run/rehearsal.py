"""The work behind the page Run: a rehearsal on a stand-in, or a release of the private table."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from hmpb_core.acceptance.marks import Marks
from hmpb_core.catalogue import Phrase
from hmpb_core.codebook import Codebook
from hmpb_core.planning.plan import Plan
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.unit import Unit
from hmpb_core.progress import Progress
from hmpb_core.publishing.record import watermark_of
from hmpb_core.publishing.rehearsal import rehearse, rehearse_marks
from hmpb_core.publishing.release import Commit, carry_out
from hmpb_core.publishing.tables import CsvForm, csv_of
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.open import open_source
from hmpb_core.sources.simulated import simulated_rows
from pages.session.state import Basis, Result, Table

FEWEST_ROWS = 10
MOST_REHEARSAL_ROWS = 200_000


def rehearsal_work(
    plan: Plan,
    codebook: Codebook,
    table: Table | None,
    *,
    n_rows: int,
    strength: float,
    language: str,
    unit: Unit | None = None,
    marks: Marks | None = None,
) -> Callable[[Progress], Result]:
    """Give the work of a rehearsal.

    Args:
        plan: The plan.
        codebook: The public codebook.
        table: The demo; None simulates a stand-in from the codebook.
        n_rows: Rows to simulate.
        strength: How strongly the simulated attributes hang together, 0 to 1.
        language: In which the bundle's pages are.
        unit: The unit that the table is registered with: a release's noise follows it, so a rehearsal's does.
        marks: Pass marks; then one try of the search is rehearsed, at its part of the guarantee.
    """
    plan_file = PlanFile.of(plan, codebook)
    if unit is not None:
        plan_file = plan_file.under(unit)

    def work(progress: Progress) -> Result:
        rng = np.random.default_rng()
        progress(0.0, "encoding")
        stand_in = Phrase("stand_in.simulated_here", {"strength": strength})
        if table:
            made, stand_in = table, Phrase("stand_in.demo", {"table": table.name})
        else:
            rows = simulated_rows(codebook.domain, n_rows, strength, rng, codebook.rules)
            made = Table(content=rows, name="", basis=Basis.STAND_IN)
        source = open_source(made.frame, codebook)
        attempt = None
        if marks is None:
            model, bundle = rehearse(
                source, codebook, plan_file, stand_in=stand_in, language=language, progress=progress
            )
        else:
            attempt, bundle = rehearse_marks(
                source, codebook, plan_file, marks, stand_in=stand_in, language=language, progress=progress
            )
            model = attempt.model
        return Result(
            model=model,
            rows=bundle.rows[0],
            codebook=codebook,
            source=made,
            bundle=bundle.zipped(),
            asked=plan if marks else None,
            attempt=attempt,
        )

    return work


def release_work(
    commit: Commit, workspace: Workspace, *, table: Table, who: str | None, why: str
) -> Callable[[Progress], Result]:
    """Give the work of a release. It goes on, and its bundle is kept, if the browser is closed."""

    def work(progress: Progress) -> Result:
        release = carry_out(commit, workspace, who=who, why=why, progress=progress)
        return Result(
            model=release.model,
            rows=release.rows[0],
            codebook=commit.codebook,
            source=table,
            release=release.charge.release,
            receipt=release.receipt,
            bundle=release.bundle,
            asked=commit.plan_file.plan if commit.trial else None,
        )

    return work


def csv_of_result(result: Result) -> bytes:
    """The synthetic rows as the bundle's csv; a rehearsal's carry their watermark in a column of its own."""
    rows = result.rows
    if result.rehearsal:
        name = "hmpb_rehearsal"
        while name in rows.columns:
            name += "_"
        rows = rows.assign(**{name: watermark_of(result.codebook)})
    return csv_of(rows, CsvForm.of(result.codebook))


def account_of_result(result: Result) -> bytes:
    """What ran, what it cost and what it found, as run.json."""
    account = result.model.to_dict()
    account["releasable"] = result.releasable
    if result.rehearsal:
        account["rehearsal"] = watermark_of(result.codebook)
    if result.release:
        account["release"] = result.release
    return (json.dumps(account, ensure_ascii=False, indent=1) + "\n").encode()
