"""Everything a plan does, on a stand-in: free, never charged, watermarked."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from hmpb_core.acceptance.marks import Marks
from hmpb_core.acceptance.selection import Attempt, trial_of, try_on
from hmpb_core.catalogue import Phrase
from hmpb_core.codebook import Codebook
from hmpb_core.model import Model
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.progress import ByTime, Progress, silent
from hmpb_core.publishing.bundle import Bundle, bundle_of
from hmpb_core.publishing.record import ChosenPlan, ReleaseRecord
from hmpb_core.publishing.words.catalogue import DEFAULT_LANGUAGE
from hmpb_core.sources.base import TableSource
from hmpb_core.synthesis import fit_source


def rehearse(
    source: TableSource,
    codebook: Codebook,
    plan_file: PlanFile,
    *,
    stand_in: str | Phrase,
    replicates: int = 1,
    language: str = DEFAULT_LANGUAGE,
    seed: int | None = None,
    progress: Progress = silent,
) -> tuple[Model, Bundle]:
    """Run a plan on a stand-in and write the bundle it would make.

    Any plan can be rehearsed, also one that could never be released.

    Args:
        source: The stand-in: public, simulated, or drawn from an earlier release.
        codebook: The public codebook.
        plan_file: The plan; a unit that it names multiplies the noise as in a release.
        stand_in: What the stand-in is, in words; it stands in every file.
        replicates: Number of synthetic tables.
        language: Code of the language of the pages for people.
        seed: Makes the rehearsal repeatable.
        progress: Told where the work is.

    Raises:
        PlanError: the plan was made for another codebook.
    """
    plan_file = _completed(plan_file, codebook)
    plan = plan_file.plan
    told = _by_time(progress, codebook, rows=(plan.rows or source.n_rows) * replicates)
    model = fit_source(source, plan, seed=seed, progress=told)
    told.write((plan.rows or model.n_rows) * replicates)
    record = _record(model, plan_file, codebook, stand_in=stand_in, language=language)
    record = replace(record, replicates=replicates)
    return model, bundle_of(model, record, rng=np.random.default_rng(seed), progress=told)


def rehearse_marks(
    source: TableSource,
    codebook: Codebook,
    plan_file: PlanFile,
    marks: Marks,
    *,
    stand_in: str | Phrase,
    language: str = DEFAULT_LANGUAGE,
    progress: Progress = silent,
) -> tuple[Attempt, Bundle]:
    """Run one try of a release with pass marks on a stand-in: at a try's part of the guarantee.

    Says which marks its rows meet, and how likely a search passes, and writes the bundle a release would.

    Args:
        source: The stand-in: public, simulated, or drawn from an earlier release.
        codebook: The public codebook.
        plan_file: The plan; its guarantee is what the whole search costs.
        marks: What is to be reached; their first candidate is tried.
        stand_in: What the stand-in is, in words; it stands in every file.
        language: Code of the language of the pages for people.
        progress: Told where the work is.

    Raises:
        PlanError: the plan was made for another codebook, or cannot be tried against marks.
    """
    plan_file = _completed(plan_file, codebook)
    trial = trial_of(plan_file.plan, marks, codebook.domain, n_rows=source.n_rows)
    told = _by_time(progress, codebook, rows=plan_file.plan.rows or source.n_rows)
    done = try_on(source, trial, progress=told)
    told.write(plan_file.plan.rows or done.model.n_rows)
    chosen = ChosenPlan(
        marks=marks.to_toml(),
        found=done.to_dict(trial),
        plan_file=replace(plan_file, plan=done.model.plan),
    )
    record = _record(done.model, plan_file, codebook, stand_in=stand_in, language=language)
    rng = np.random.default_rng()
    return done, bundle_of(done.model, replace(record, chosen=chosen), rng=rng, progress=told)


def _completed(plan_file: PlanFile, codebook: Codebook) -> PlanFile:
    """The plan under its unit, if it names one: the noise of a rehearsal is that of the release."""
    plan_file.require_codebook(codebook)
    return plan_file if plan_file.unit is None else plan_file.under(plan_file.unit)


def _by_time(progress: Progress, codebook: Codebook, *, rows: int) -> ByTime:
    return ByTime(progress, columns=len(codebook.domain), rows=rows, redrawn=codebook.rules.redraw)


def _record(
    model: Model,
    plan_file: PlanFile,
    codebook: Codebook,
    *,
    stand_in: str | Phrase,
    language: str,
) -> ReleaseRecord:
    return ReleaseRecord(
        title=Phrase("title.rehearsal"),
        plan_file=plan_file,
        codebook=codebook,
        rows=plan_file.plan.rows or model.n_rows,
        replicates=1,
        made=datetime.now(UTC),
        payment=None,
        stand_in=stand_in,
        language=language,
    )
