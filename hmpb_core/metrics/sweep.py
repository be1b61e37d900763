"""Many plans on one public table: what each costs truly, and how near it comes.

For stand-ins and demos only. On a private table every run would be a release, and choosing
by the results would leak through the choice.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Codes
from hmpb_core.encoding import encode
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.metrics.runs import Runs
from hmpb_core.planning.plan import Plan
from hmpb_core.progress import Progress, silent
from hmpb_core.sources.base import TableSource
from hmpb_core.synthesis import fit_source


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
) -> list[Outcome]:
    """Run every plan a few times on a public table, each as a release would: bins learned, rules kept.

    Args:
        codes: Codes of the public table; of learned bins those of equal width, alike for all plans.
        source: The same table.
        codebook: Its codebook.
        plans: Label and plan of each candidate.
        repeats: Runs of each, under the seeds 0, 1, ...
        progress: Told where the work is; may raise ``CancelledError``.
    """
    outcomes = []
    whole = len(plans) * repeats
    for place, (label, plan) in enumerate(plans):
        pairs, triples, seconds = [], [], []
        for turn in range(repeats):
            begin = (place * repeats + turn) / whole

            def within(fraction: float, message: str, begin: float = begin) -> None:
                progress(begin + 0.8 * fraction / whole, message)

            started = time.perf_counter()
            # The table is public, so a seed gives nothing away; every plan's runs have the same ones.
            model = fit_source(source, plan, seed=turn, progress=within)
            rows = model.sample(len(codes), rng=np.random.default_rng(turn))
            seconds.append(time.perf_counter() - started)
            progress(begin + 0.85 / whole, "comparing")
            drawn = encode(rows, codebook)
            pairs.append(float(marginal_error(codes, drawn, codebook.domain, 2).mean or 0.0))
            triples.append(float(marginal_error(codes, drawn, codebook.domain, 3).mean or 0.0))
        outcomes.append(
            Outcome(
                label=label,
                plan=plan,
                total=model.bill.total,
                unpaid=bool(model.bill.unpaid),
                pairs=tuple(pairs),
                triples=tuple(triples),
                seconds=float(np.mean(seconds)),
            )
        )
    return outcomes
