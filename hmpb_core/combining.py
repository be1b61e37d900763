"""Intervals from replicates of a paid model: standard errors that cover noise and sampling.

Tables drawn from one paid model share its noise, so the spread between them says nothing of that noise, and
combining rules for multiply imputed tables do not apply to them [Raab2017]. ``replication`` repeats the noise
instead: it runs the whole plan again on rows drawn from the paid model. How far an estimate moves from the
released table to these replicates is how far the released one moved from the truth: a parametric bootstrap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hmpb_core.errors import InputError

FEWEST_REPLICATES = 5
"""With four the quantile of Student's t makes an interval 1.4 times as wide as with many."""
BETWEEN = 1 / 3
"""Variance of what lies anywhere between two ends, over the square of their distance from the middle."""

Figures = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """An estimate with an interval; every array has the shape of the released estimate.

    Attributes:
        estimate: The estimate on the released table.
        standard_error: Root of the mean squared distance between it and the replicates' estimates: sampling
            of the private rows, privacy noise, choices of the method and drawing of rows, and what the
            method's own bias adds.
        low: Lower end of the interval.
        high: Upper end of the interval.
        bias: How far the replicates lie above the released estimate on average: what the method does to an
            estimate by itself. The estimate is not corrected by it; the interval is wide enough for it.
        noise_share: The part of the variance that sampling of the private rows does not explain; None where
            no ``sampling_variance`` was given.
        hidden_share: The part of the variance that pairs make that were never measured; None where no
            possible tables were given. Near 1 the interval is mostly ignorance.
        replicates: Number of replicates.
        level: The interval's level.
    """

    estimate: Figures
    standard_error: Figures
    low: Figures
    high: Figures
    bias: Figures
    noise_share: Figures | None
    hidden_share: Figures | None = None
    replicates: int
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Give the figures as plain values."""
        return {
            "estimate": self.estimate.tolist(),
            "standard_error": self.standard_error.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "bias": self.bias.tolist(),
            "noise_share": None if self.noise_share is None else self.noise_share.tolist(),
            "hidden_share": None if self.hidden_share is None else self.hidden_share.tolist(),
            "replicates": self.replicates,
            "level": self.level,
        }


def combine(
    released: ArrayLike,
    replicates: ArrayLike,
    *,
    possible: ArrayLike | None = None,
    level: float = 0.95,
    sampling_variance: ArrayLike | None = None,
) -> Combined:
    """Give an interval for an estimate from a synthetic table.

        T = 1/m sum_j (q_j - q_0)^2,        q_0 -+ t_m sqrt(T)

    q_0 is the estimate on the released table, q_j the same on replicate j, t_m the quantile of Student's t
    with m degrees of freedom. The sum is taken around q_0 and not around the replicates' mean, so that T is
    their variance and the square of the method's bias: a bias of either sign stays inside.

    Where pairs of attributes stand in no table of the model, no replicate shows what that hides. With p_l the
    estimate on table l of ``possible_tables``,

        T = 1/m sum_j (q_j - q_0)^2 + 1/3 * 1/n sum_l (p_l - q_0)^2

    Each p_l lies at an end of what the paid similarity allows, the truth anywhere between: a third of the
    squared distance is the variance of an even distribution between the ends, as for an uncertainty of type B
    [GUM, 4.3.7]. The interval then holds either end of what one pair can do.

    Args:
        released: Estimates on the released table, one or an array of any shape.
        replicates: The same estimates on each replicate, stacked along the first axis.
        possible: The same estimates on each table of ``possible_tables``; needed where the model has not
            every pair that the estimate uses.
        level: Probability with which the interval is to cover.
        sampling_variance: Squared standard errors that the usual formula gives on the released table, if
            it had as many rows as the private one: tells noise and sampling apart.

    Raises:
        InputError: the shapes differ, a figure is missing or infinite, or there are too few replicates.

    Example:
        >>> found = combine(0.30, [0.29, 0.33, 0.28, 0.31, 0.30, 0.27, 0.32, 0.30])
        >>> round(float(found.standard_error), 4), round(float(found.low), 3), round(float(found.high), 3)
        (0.0187, 0.257, 0.343)
    """
    from scipy.stats import t  # loads slowly

    center, spread = _figures(released), _figures(replicates)
    if spread.shape[1:] != center.shape or spread.ndim == 0:
        raise InputError("Each replicate must give as many estimates as the released table does.")
    count = len(spread)
    if count < FEWEST_REPLICATES:
        raise InputError(
            "There are {met} replicates; an interval needs at least {fewest}, better 20.",
            met=count,
            fewest=FEWEST_REPLICATES,
        )
    if not 0 < level < 1:
        raise InputError("level is {level:g}; it must lie between 0 and 1, such as 0.95.", level=level)
    variance = np.mean((spread - center) ** 2, axis=0)
    hidden_share = None
    if possible is not None:
        ends = _figures(possible)
        if ends.shape[1:] != center.shape or ends.ndim == 0 or len(ends) < FEWEST_REPLICATES:
            raise InputError(
                "The possible tables must be {fewest} or more, and each must give as many estimates as the "
                "released table does.",
                fewest=FEWEST_REPLICATES,
            )
        hidden = BETWEEN * np.mean((ends - center) ** 2, axis=0)
        variance = variance + hidden
        hidden_share = hidden / np.where(variance > 0, variance, math.inf)
    error = np.sqrt(variance)
    half = float(t.ppf((1 + level) / 2, count)) * error
    noise_share = None
    if sampling_variance is not None:
        sampled = _figures(sampling_variance)
        if sampled.shape != center.shape:
            raise InputError("Each replicate must give as many estimates as the released table does.")
        explained = np.divide(sampled, variance, out=np.ones_like(variance), where=variance > 0)
        noise_share = np.clip(1 - explained, 0.0, 1.0)
    return Combined(
        estimate=center,
        standard_error=error,
        low=center - half,
        high=center + half,
        bias=spread.mean(axis=0) - center,
        noise_share=noise_share,
        hidden_share=hidden_share,
        replicates=count,
        level=level,
    )


def _figures(values: ArrayLike) -> Figures:
    try:
        figures = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("Each replicate must give as many estimates as the released table does.") from None
    if not np.isfinite(figures).all():
        raise InputError("An estimate is missing or infinite; leave it out of all tables, or merge values.")
    return figures
