"""Everything a plan does, on a stand-in: free, never charged, watermarked."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from hmpb_core.codebook import Codebook
from hmpb_core.model import Model
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.progress import Progress, silent
from hmpb_core.publishing.bundle import Bundle, bundle_of
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.sources.base import TableSource
from hmpb_core.synthesis import fit_source


def rehearse(
    source: TableSource,
    codebook: Codebook,
    plan_file: PlanFile,
    *,
    stand_in: str,
    title: str = "Rehearsal",
    replicates: int = 1,
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
        title: What the bundle is called.
        replicates: Number of synthetic tables.
        seed: Makes the rehearsal repeatable.
        progress: Told where the work is.

    Raises:
        PlanError: the plan was made for another codebook.
    """
    plan_file.require_codebook(codebook)
    if plan_file.unit is not None:  # the noise of a rehearsal is that of the release
        plan_file = plan_file.under(plan_file.unit)
    plan = plan_file.plan
    model = fit_source(source, plan, seed=seed, progress=progress)
    record = ReleaseRecord(
        title=title,
        plan_file=plan_file,
        codebook=codebook,
        rows=plan.rows or model.n_rows,
        replicates=replicates,
        made=datetime.now(UTC),
        payment=None,
        stand_in=stand_in,
    )
    return model, bundle_of(model, record, rng=np.random.default_rng(seed))
