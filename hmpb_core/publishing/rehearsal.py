"""Everything a plan does, on a stand-in: free, never charged, watermarked."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import Codes, scattered
from hmpb_core.model import Model
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.progress import Progress, silent
from hmpb_core.publishing.bundle import bundle_of
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.synthesis import fit_codes


def rehearse(
    codes: Codes,
    codebook: Codebook,
    plan_file: PlanFile,
    *,
    stand_in: str,
    title: str = "Rehearsal",
    replicates: int = 1,
    seed: int | None = None,
    progress: Progress = silent,
) -> tuple[Model, bytes]:
    """Run a plan on a stand-in and write the bundle it would make.

    Any plan can be rehearsed, also one that could never be released.

    Args:
        codes: Codes of the stand-in: public, simulated, or drawn from an earlier release.
        codebook: The public codebook.
        plan_file: The plan.
        stand_in: What the stand-in is, in words; it stands in every file.
        title: What the bundle is called.
        replicates: Number of synthetic tables.
        seed: Makes the rehearsal repeatable.
        progress: Told where the work is.

    Raises:
        PlanError: the plan was made for another codebook.
    """
    plan_file.require_codebook(codebook)
    plan = plan_file.plan
    rng = np.random.default_rng(seed)
    table = scattered(codes, codebook.domain, rng)
    model = fit_codes(table, codebook.domain, plan, seed=seed, progress=progress)
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
