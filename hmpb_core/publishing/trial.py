"""What is tried before a release is paid for: the whole run, on a simulated table of the same domain."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from hmpb_core.catalogue import Phrase
from hmpb_core.codebook import Codebook
from hmpb_core.errors import CancelledError, HmpbError, PlanError
from hmpb_core.planning.methods import default_shares
from hmpb_core.planning.plan import Plan
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.progress import ByTime, Progress, silent
from hmpb_core.publishing.bundle import bundle_of
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.publishing.words.catalogue import DEFAULT_LANGUAGE
from hmpb_core.sources.simulated import simulated_source
from hmpb_core.synthesis import fit_source

MOST_ROWS = 5_000
WRITTEN_ROWS = 50
STRENGTH = 0.5
MOST_CELLS = 500_000_000
"""Values of all synthetic tables of one bundle together: what a machine of 16 GB writes."""
BYTES_PER_CELL = 8


def try_out(
    plan_file: PlanFile,
    codebook: Codebook,
    *,
    n_rows: int | None,
    title: str,
    language: str = DEFAULT_LANGUAGE,
    progress: Progress = silent,
) -> None:
    """Run a plan on a simulated table and write its bundle, so that it does not fail after it is paid for.

    Says nothing about the private table: it knows the codebook, the plan and a public number of rows alone.

    Args:
        plan_file: The plan, with its unit.
        codebook: The public codebook.
        n_rows: Number of rows where it is public.
        title: The release's title.
        language: Code of the language of its pages.
        progress: Told where the work is.

    Raises:
        PlanError: the plan fails.
    """
    plan = plan_file.plan
    rows = max(2, min(n_rows or plan.declared_rows or plan.rows or MOST_ROWS, MOST_ROWS))
    rng = np.random.default_rng()
    try:
        source = simulated_source(codebook.domain, rows, STRENGTH, rng, codebook.rules)
        told = ByTime(progress, columns=len(codebook.domain), rows=WRITTEN_ROWS)
        model = fit_source(source, plan, progress=told)
        told.write(WRITTEN_ROWS)
        record = ReleaseRecord(
            title=title,
            plan_file=plan_file,
            codebook=codebook,
            rows=WRITTEN_ROWS,
            replicates=1,
            made=datetime.now(UTC),
            payment=None,
            stand_in=Phrase("stand_in.simulated_table"),
            language=language,
        )
        bundle_of(model, record, rng=rng).zipped()
    except CancelledError:
        raise
    except HmpbError as error:
        raise PlanError(
            "The plan fails on a simulated table of this codebook, so nothing was charged: {reason}",
            reason=error.sentence,
        ) from None
    except Exception as error:  # noqa: BLE001 - whatever it is, it would have come after the charge
        raise PlanError(
            "The plan fails on a simulated table of this codebook ({kind}), so nothing was charged; choose "
            "other values or another method.",
            kind=type(error).__name__,
        ) from None


def require_public_shares(plan: Plan, codebook: Codebook, *, private: set[int], public: int | None) -> None:
    """Refuse shares that were worked out from a number of rows that is private.

    The shares stand in the bundle. The rule for them may know the number of rows only where it is public, or
    where the plan declares it (``declared_rows``): else readers could work it out from the shares.

    Args:
        plan: The plan.
        codebook: Its codebook.
        private: Numbers of rows that nobody may be told: as the file has them, and after surplus rows of
            a person were left out.
        public: The number of rows where it is public.

    Raises:
        PlanError: they were.
    """
    allowed = {None, plan.declared_rows, plan.rows, public}

    def advised(n_rows: int | None) -> bool:
        return plan.shares == default_shares(
            plan.method,
            plan.accounting,
            domain=codebook.domain,
            guarantee=plan.guarantee,
            n_rows=n_rows,
            clusters=plan.clusters,
            learner=plan.learner,
            encoding=plan.encoding,
        )

    if any(advised(n) for n in private - allowed) and not any(advised(n) for n in allowed):
        raise PlanError(
            "The plan's shares follow from the table's exact number of rows, which this guarantee keeps "
            "private; make the plan again without it, or declare a number of rows."
        )


def public_rows(plan: Plan, n_rows: int) -> int | None:
    """The number of rows where the plan's neighbour relation makes it public."""
    return n_rows if plan.guarantee.neighbors is Neighbors.REPLACE_ONE else None


def known_rows(plan: Plan, n_rows: int) -> int | None:
    """The number of rows that will be written, as far as it is public; None where it is not."""
    return plan.rows or public_rows(plan, n_rows) or plan.declared_rows


def require_size(plan: Plan, codebook: Codebook, *, n_rows: int | None, replicates: int) -> int:
    """Refuse more synthetic values than can be written; give about how many bytes they will have.

    Raises:
        PlanError: there would be too many.
    """
    rows = plan.rows or n_rows or 0
    cells = rows * len(codebook.domain) * replicates
    if cells > MOST_CELLS:
        raise PlanError(
            "{tables} synthetic {tables:table|tables} of {rows:,} rows and {attributes} "
            "{attributes:attribute|attributes} are too much for one bundle; ask for fewer rows, and "
            "draw more from the finished bundle with 'hmpb resample'.",
            tables=replicates,
            rows=rows,
            attributes=len(codebook.domain),
        )
    return cells * BYTES_PER_CELL
