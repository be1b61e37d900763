"""Many plans on one public table: what each costs truly, and how near it comes.

For stand-ins and demos only. On a private table every run would be a release, and choosing
by the results would leak through the choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Codes
from hmpb_core.metrics.runs import Failed, Runs, attempted, measured, naming
from hmpb_core.planning.plan import Plan
from hmpb_core.progress import Progress, part_of, silent
from hmpb_core.sources.base import TableSource
from hmpb_core.synthesis import fit_source

TIMES = {"adaptive": 7.0, "additive": 3.0, "ibayes": 2.0, "published-ibayes": 2.5}
"""How long a run takes by its learner, as a multiple of the quickest methods' 0.5 to 2 CPU seconds: between
what tables of 28, 33 and 54 columns took."""
UNPROTECTED = 9.0
"""Without noise the adaptive learner finds more worth measuring."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Runs):
    """What one plan gave.

    Attributes:
        label: What the caller calls it.
        plan: The plan.
        total: Its true epsilon; None where nothing is protected.
        unpaid: Whether its bill names costs that no limit covers.
    """

    label: str
    plan: Plan
    total: float | None
    unpaid: bool


def sweep(
    codes: Codes,
    source: TableSource,
    codebook: Codebook,
    plans: Sequence[tuple[str, Plan]],
    *,
    repeats: int,
    progress: Progress = silent,
) -> Iterator[Outcome | Failed]:
    """Run every plan a few times on a public table, each as a release would: bins learned, rules kept.

    Gives each plan's outcome as soon as it is there; a plan that cannot be run does not keep the others
    from it.

    Args:
        codes: Codes of the public table; of learned bins those of equal width, alike for all plans.
        source: The same table.
        codebook: Its codebook.
        plans: Label and plan of each candidate.
        repeats: Runs of each, under the seeds 0, 1, ...
        progress: Told the part of the time that is over, and the label at work; may raise ``CancelledError``.
    """
    times = [time_of(plan) for _, plan in plans]
    over = 0.0
    for (label, plan), times_each in zip(plans, times, strict=True):
        part = times_each / sum(times)
        told = naming(label, part_of(progress, over, over + part))
        run = partial(_outcome, (label, plan), codes, source, codebook, repeats=repeats, progress=told)
        yield attempted(label, run)
        over += part


def time_of(plan: Plan) -> float:
    """About how long a run takes beside those of other plans, its rows and their comparison included."""
    adaptive = UNPROTECTED if plan.spec.protection == "none" else TIMES["adaptive"]
    return adaptive if plan.spec.learner == "adaptive" else TIMES.get(plan.spec.learner, 1.0)


def _outcome(
    candidate: tuple[str, Plan],
    codes: Codes,
    source: TableSource,
    codebook: Codebook,
    *,
    repeats: int,
    progress: Progress,
) -> Outcome:
    label, plan = candidate
    bills = []

    def draw(turn: int, told: Progress) -> pd.DataFrame:
        # The table is public, so a seed gives nothing away; every plan's runs have the same ones.
        model = fit_source(source, plan, seed=turn, progress=told)
        bills.append(model.bill)
        return model.sample(len(codes), rng=np.random.default_rng(turn))

    found = measured(draw, codes, codebook, repeats=repeats, progress=progress)
    return Outcome(
        label=label,
        plan=plan,
        total=bills[-1].total,
        unpaid=bool(bills[-1].unpaid),
        pairs=found.pairs,
        triples=found.triples,
        seconds=found.seconds,
    )
