"""Each column's values: real, synthetic, how far apart, and how far a second sample would be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Domain
from hmpb_core.metrics.agreement import times
from hmpb_core.metrics.columns import ColumnSummary, commonest, summary, written
from hmpb_core.metrics.second_sample import regular_subsample, size_factor
from hmpb_core.metrics.values import QUANTILES, ColumnError, column_error, is_number

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnReport:
    """One column.

    Attributes:
        attribute: The attribute.
        error: How far the synthetic values are from the real ones.
        second: The same of a second sample, without sign; the ratio of standard deviations as its distance
            from 1.
        subsample: The share of the real rows whose distribution function would be as far off.
        real: The real column, summed up.
        synthetic: The synthetic column.
        shown: The commonest real values, as they are written; their shares are in both summaries.
    """

    attribute: Attribute = field(repr=False)
    error: ColumnError
    second: ColumnError
    subsample: float | None
    real: ColumnSummary
    synthetic: ColumnSummary
    shown: tuple[str, ...]

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.attribute.name

    def to_dict(self) -> dict[str, Any]:
        """Give the column as plain values."""
        return {
            **self.error.to_dict(),
            "second_sample": self.second.to_dict(),
            "subsample": self.subsample,
            "real": _plain(self.real),
            "synthetic": _plain(self.synthetic),
            "commonest_values": [
                {"value": value, "real": ours, "synthetic": theirs}
                for value, ours, theirs in zip(
                    self.shown, self.real.shares, self.synthetic.shares, strict=True
                )
            ],
        }


def _plain(found: ColumnSummary) -> dict[str, Any]:
    quantiles = None
    if found.quantiles is not None:
        quantiles = {f"{q:g}": value for q, value in zip(QUANTILES, found.quantiles, strict=True)}
    return {"mean": found.mean, "sd": found.sd, "quantiles": quantiles, "missing": found.missing}


def column_reports(
    real: Floats, synthetic: Floats, domain: Domain, halves: Sequence[tuple[Floats, Floats]]
) -> tuple[ColumnReport, ...]:
    """Compare every column, those that are furthest off first.

    Args:
        real: From ``values.numbers_of``.
        synthetic: The same of the synthetic table.
        domain: Their domain.
        halves: Pairs of disjoint samples of the real rows. Their distances are carried to the tables' sizes
            by the square root, as all these figures go.
    """
    found = []
    for place, attribute in enumerate(domain.attributes):
        numeric = is_number(attribute)
        error = column_error(real[:, place], synthetic[:, place], numeric=numeric)
        second = _mean_of(
            [column_error(one[:, place], other[:, place], numeric=numeric) for one, other in halves],
            [size_factor(len(one), len(other), len(real), len(synthetic)) for one, other in halves],
        )
        shown = commonest(real[:, place])
        found.append(
            ColumnReport(
                attribute=attribute,
                error=error,
                second=second,
                subsample=regular_subsample(times(error.ks, second.ks), len(real), len(synthetic)),
                real=summary(real[:, place], attribute, shown),
                synthetic=summary(synthetic[:, place], attribute, shown),
                shown=tuple(written(attribute, value) for value in shown.tolist()),
            )
        )
    return tuple(sorted(found, key=lambda column: -column.error.ks))


def _mean_of(errors: Sequence[ColumnError], factors: Sequence[float]) -> ColumnError:
    """The mean of the figures without their signs, each times its factor."""

    def mean(values: Sequence[float | None]) -> float | None:
        known = [abs(v) * factor for v, factor in zip(values, factors, strict=True) if v is not None]
        return float(np.mean(known)) if known else None

    quantiles = [e.quantiles_sd for e in errors]
    return ColumnError(
        ks=mean([e.ks for e in errors]) or 0.0,
        wasserstein_sd=mean([e.wasserstein_sd for e in errors]),
        mean_sd=mean([e.mean_sd for e in errors]),
        sd_ratio=mean([None if e.sd_ratio is None else e.sd_ratio - 1 for e in errors]),
        quantiles_sd=None
        if any(q is None for q in quantiles)
        else tuple(mean([q[place] for q in quantiles if q]) or 0.0 for place in range(len(QUANTILES))),
        commonest=mean([e.commonest for e in errors]) or 0.0,
        missing=mean([e.missing for e in errors]) or 0.0,
    )
