"""minepy's MIC of the values themselves, real and synthetic side by side: exact, so steward only."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.errors import PlanError
from hmpb_core.metrics.values import numbers_of
from hmpb_core.progress import Progress, silent

ALPHA, CLUMPS = 0.6, 15
MOST_ROWS = 2_000
"""Rows that are compared: minepy's time grows with n^1.2 and more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MicPair:
    """One pair's MIC.

    Attributes:
        first: One attribute.
        second: The other.
        real: MIC of the real values; None where a column has one value only.
        synthetic: MIC of the synthetic values.
    """

    first: str
    second: str
    real: float | None
    synthetic: float | None


def minepy_is_here() -> bool:
    """Whether the extra ``mic`` is installed."""
    return importlib.util.find_spec("minepy") is not None


def exact_mics(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    codebook: Codebook,
    pairs: Sequence[tuple[str, str]],
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> list[MicPair]:
    """MIC of real and of synthetic values by minepy, pair by pair, on as many rows of either.

    Values, not bins: numbers as they are, categories by their place in the codebook. Rows in which a
    value is missing are left out of their pairs.

    Args:
        real: The private table.
        synthetic: The synthetic table.
        codebook: Their public codebook.
        pairs: Which pairs, by name.
        rng: Draws ``MOST_ROWS`` rows of either table.
        progress: Told where the work is.

    Source: [Reshef2011], est = mic_approx, alpha = 0.6, c = 15.

    Raises:
        PlanError: the extra ``mic`` is not installed.
    """
    if not minepy_is_here():
        raise PlanError("MIC of the values needs minepy; install the extra: pip install 'hmpb[mic]'.")
    import minepy

    def taken(frame: pd.DataFrame) -> np.ndarray:
        order = rng.permutation(len(frame))[: min(MOST_ROWS, len(real), len(synthetic))]
        return numbers_of(frame.iloc[order], codebook)

    tables = taken(real), taken(synthetic)
    names = codebook.domain.names
    mine = minepy.MINE(alpha=ALPHA, c=CLUMPS, est="mic_approx")

    def mic(table: np.ndarray, first: str, second: str) -> float | None:
        both = table[:, [names.index(first), names.index(second)]]
        both = both[~np.isnan(both).any(axis=1)]
        if len(both) < 4 or np.ptp(both, axis=0).min() == 0:
            return None
        mine.compute_score(np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1]))
        return float(mine.mic())

    found = []
    for done, (first, second) in enumerate(pairs):
        progress(done / max(1, len(pairs)), "comparing")
        ours, theirs = (mic(table, first, second) for table in tables)
        found.append(MicPair(first=first, second=second, real=ours, synthetic=theirs))
    return found
