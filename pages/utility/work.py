"""What the page Utility works out in the background: the report, and the shares of every value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.encoding import encode
from hmpb_core.progress import Progress
from hmpb_core.utility import UtilityReport, utility_report
from pages.session.state import Result, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A result compared with its table. Steward-only where the table is private.

    Attributes:
        report: The utility report.
        shares: For each attribute the shares of its values in the real and in the synthetic rows, shape
            (2, values).
    """

    report: UtilityReport
    shares: tuple[NDArray[np.float64], ...] = field(repr=False)


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
        codes = [encode(frame, codebook) for frame in (real, rows)]
        shares = tuple(
            np.array([np.bincount(own[:, a], minlength=size) / len(own) for own in codes])
            for a, size in enumerate(codebook.domain.sizes)
        )
        return Found(report=report, shares=shares)

    return work
