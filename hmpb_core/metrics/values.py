"""How far a synthetic table's values, not only its codes, are from the real one's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.dates import read_value
from hmpb_core.domain import Attribute, Categorical, Domain, Numeric, text_of

Floats = NDArray[np.float64]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
COMMONEST = 5
"""Number of commonest real values whose shares are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnError:
    """How far one column's values are from the real ones.

    Attributes:
        ks: Kolmogorov-Smirnov distance: the largest difference of the two distribution functions, in
            the declared order for categories.
        wasserstein_sd: Mean distance that values must be moved, in real standard deviations; None for texts.
        mean_sd: Difference of the means, in real standard deviations; None for texts.
        sd_ratio: Synthetic over real standard deviation; None for texts, or where the real one is 0.
        quantiles_sd: Differences of the quantiles ``QUANTILES``, in real standard deviations.
        commonest: Largest difference of the shares of the five commonest real values.
        missing: Difference of the shares of missing values.
    """

    ks: float
    wasserstein_sd: float | None
    mean_sd: float | None
    sd_ratio: float | None
    quantiles_sd: tuple[float, ...] | None
    commonest: float
    missing: float

    def to_dict(self) -> dict[str, Any]:
        """Give the figures as plain values."""
        return {
            "ks": self.ks,
            "wasserstein_sd": self.wasserstein_sd,
            "mean_sd": self.mean_sd,
            "sd_ratio": self.sd_ratio,
            "quantiles_sd": None if self.quantiles_sd is None else list(self.quantiles_sd),
            "commonest": self.commonest,
            "missing": self.missing,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueErrors:
    """All value figures of one table against another. Steward-only.

    Attributes:
        columns: Errors of each column.
        spearman: Mean difference of Spearman's rank correlation over the pairs of ordered columns.
        correlation_ratio: Mean difference of the correlation ratio over the pairs of an unordered
            column and a numeric one.
    """

    columns: dict[str, ColumnError] = field(repr=False)
    spearman: float | None
    correlation_ratio: float | None


def numbers_of(frame: pd.DataFrame, codebook: Codebook) -> Floats:
    """Give a table as numbers: values of numbers and dates, ranks of categories, not-a-number for missing.

    Args:
        frame: The table; values may be texts or typed.
        codebook: Its public codebook.

    Returns:
        Shape (rows, attributes).
    """
    missing = frozenset(codebook.missing_values) | {""}
    columns = [_numbers(frame[a.name], a, missing) for a in codebook.domain.attributes]
    return np.column_stack(columns)


def _numbers(column: pd.Series, attribute: Attribute, missing: frozenset[str]) -> Floats:
    codes, uniques = pd.factorize(column.astype(object), use_na_sentinel=True)
    texts = [text_of(value) for value in uniques]
    if isinstance(attribute, Categorical):
        rank = {text_of(category): float(place) for place, category in enumerate(attribute.categories)}
        known: list[float | None] = [rank.get(text) for text in texts]
    else:
        known = [
            None if text in missing else read_value(text, attribute.kind, attribute.format) for text in texts
        ]
        low, high = attribute.minimum, attribute.maximum
        known = [None if number is None else min(max(number, low), high) for number in known]
    table = np.array([np.nan if number is None else number for number in [*known, None]], dtype=float)
    values: Floats = table[codes]
    return values


def value_errors(real: Floats, synthetic: Floats, domain: Domain) -> ValueErrors:
    """Compare two tables of numbers.

    Args:
        real: From ``numbers_of``; shape (rows, attributes).
        synthetic: The same of the synthetic table; the number of rows may differ.
        domain: Their domain.
    """
    columns = {
        attribute.name: _column_error(real[:, i], synthetic[:, i], numeric=_is_number(attribute))
        for i, attribute in enumerate(domain.attributes)
    }
    ordered = [i for i, a in enumerate(domain.attributes) if a.ordered or _is_number(a)]
    nominal = [i for i in range(len(domain)) if i not in ordered]
    numeric = [i for i, a in enumerate(domain.attributes) if isinstance(a, Numeric)]
    spearman = _mean_difference(
        _rank_correlations(real[:, ordered]), _rank_correlations(synthetic[:, ordered])
    )
    ratios = [
        abs(_correlation_ratio(real[:, i], real[:, j]) - _correlation_ratio(synthetic[:, i], synthetic[:, j]))
        for i in nominal
        for j in numeric
    ]
    return ValueErrors(
        columns=columns, spearman=spearman, correlation_ratio=float(np.mean(ratios)) if ratios else None
    )


def _column_error(real: Floats, synthetic: Floats, *, numeric: bool) -> ColumnError:
    ours, theirs = real[~np.isnan(real)], synthetic[~np.isnan(synthetic)]
    missing = float(np.isnan(synthetic).mean() - np.isnan(real).mean())
    values = np.unique(np.concatenate([ours, theirs]))
    if not (len(ours) and len(theirs)):
        gap = float(len(ours) != len(theirs))
        return ColumnError(
            ks=gap,
            wasserstein_sd=None,
            mean_sd=None,
            sd_ratio=None,
            quantiles_sd=None,
            commonest=gap,
            missing=missing,
        )
    shares = [np.bincount(np.searchsorted(values, x), minlength=values.size) / len(x) for x in (ours, theirs)]
    difference = np.abs(np.cumsum(shares[0]) - np.cumsum(shares[1]))
    top = np.argsort(-shares[0], kind="stable")[:COMMONEST]
    sd = float(ours.std())
    unit = sd if sd > 0 else 1.0
    quantiles = np.quantile(theirs, QUANTILES) - np.quantile(ours, QUANTILES)
    return ColumnError(
        ks=float(difference.max()),
        wasserstein_sd=float((difference[:-1] * np.diff(values)).sum()) / unit if numeric else None,
        mean_sd=float(theirs.mean() - ours.mean()) / unit if numeric else None,
        sd_ratio=float(theirs.std()) / sd if numeric and sd > 0 else None,
        quantiles_sd=tuple((quantiles / unit).tolist()) if numeric else None,
        commonest=float(np.abs(shares[0][top] - shares[1][top]).max()),
        missing=missing,
    )


def _is_number(attribute: Attribute) -> bool:
    if isinstance(attribute, Numeric):
        return True
    return attribute.ordered and all(isinstance(c, int | float) for c in attribute.categories)


def _rank_correlations(table: Floats) -> Floats:
    """Spearman's correlation of every pair of columns, over the rows that have both."""
    ranks = pd.DataFrame(table).rank()
    return ranks.corr().to_numpy()


def _mean_difference(ours: Floats, theirs: Floats) -> float | None:
    upper = np.triu_indices(len(ours), 1)
    if not upper[0].size:
        return None
    return float(np.nan_to_num(np.abs(ours[upper] - theirs[upper])).mean())


def _correlation_ratio(groups: Floats, values: Floats) -> float:
    """Root of the part of a column's variance that lies between the groups."""
    known = ~(np.isnan(groups) | np.isnan(values))
    if not known.any():
        return 0.0
    codes, numbers = groups[known].astype(np.int64), values[known] - values[known].mean()
    counts = np.bincount(codes)
    sums = np.bincount(codes, weights=numbers)
    whole = float((numbers**2).sum())
    between = float((sums[counts > 0] ** 2 / counts[counts > 0]).sum())
    return float(np.sqrt(between / whole)) if whole > 0 else 0.0
