"""What the page Utility works out in the background: the report, and the shares of every value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain, Numeric
from hmpb_core.progress import Progress
from hmpb_core.sources.open import open_source
from hmpb_core.utility import UtilityReport, utility_report
from pages.session.state import Result, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A result compared with its table. Steward-only where the table is private.

    Attributes:
        report: The utility report.
        domain: What the shares are over.
        shares: For each attribute the shares of its values in the real and in the synthetic rows, shape
            (2, values).
    """

    report: UtilityReport
    domain: Domain
    shares: tuple[NDArray[np.float64], ...] = field(repr=False)


def charted(domain: Domain, learned: Domain) -> Domain:
    """The codebook's columns in the bins that the run has learned, where it has learned some.

    Ten bins of equal width hold nearly all amounts in the first.
    """
    bins = {
        a.name: a
        for a in learned.attributes
        if isinstance(a, Numeric) and a.pieces is not None and a.since is None
    }
    return Domain(tuple(bins.get(a.name, a) for a in domain.attributes))


def comparison_work(table: Table, result: Result) -> Callable[[Progress], Found]:
    """Give the work of comparing a result with its table."""
    rows, codebook, target = result.rows, result.codebook, result.plan.target

    def work(progress: Progress) -> Found:
        real = table.frame
        rng, drawn = np.random.default_rng(), bool(table.outside)
        targets = () if target is None else (target,)  # the column that the rows were made for, if any
        report = utility_report(
            real, rows, codebook, targets=targets, drawn=drawn, rng=rng, progress=progress
        )
        domain = charted(codebook.domain, result.model.domain)
        tables = [
            open_source(frame, codebook).recoded(domain).marginals([(a,) for a in range(len(domain))])
            for frame in (real, rows)
        ]
        shares = tuple(
            np.stack([table.counts / table.counts.sum() for table in of_both])
            for of_both in zip(*tables, strict=True)
        )
        return Found(report=report, domain=domain, shares=shares)

    return work
