"""How far a synthetic table's values, not only its codes, are from the real one's."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Attribute, Categorical, Domain, Numeric
from hmpb_core.encoding import encode_values, read_numbers, told_apart
from hmpb_core.metrics.dependence import DependenceMeasure, DependencePairs, dependences
from hmpb_core.several_answers import apart

Floats = NDArray[np.float64]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
NO_SQUARE = 1e150
"""Numbers beyond it have no square, and so no deviation."""
COMMONEST = 5
"""Number of commonest real values whose shares are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnError:
    """How far one column's values are from the real ones.

    Where real standard deviations count, None stands for texts and where the real one is 0.

    Attributes:
        ks: Kolmogorov-Smirnov distance: the largest difference of the two distribution functions, in
            the declared order for categories.
        wasserstein_sd: Mean distance that values must be moved, in real standard deviations.
        mean_sd: Difference of the means, in real standard deviations.
        sd_ratio: Synthetic over real standard deviation.
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

    def carried_on(self, factor: float) -> ColumnError:
        """Give the errors of samples of another size, as far as they are chance: each times the factor."""

        def times(figure: float | None) -> float | None:
            return None if figure is None else factor * figure

        return ColumnError(
            ks=min(1.0, factor * self.ks),
            wasserstein_sd=times(self.wasserstein_sd),
            mean_sd=times(self.mean_sd),
            sd_ratio=None if self.sd_ratio is None else 1 + factor * (self.sd_ratio - 1),
            quantiles_sd=None
            if self.quantiles_sd is None
            else tuple(factor * change for change in self.quantiles_sd),
            commonest=factor * self.commonest,
            missing=factor * self.missing,
        )

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

    def carried_on(self, factor: float) -> ValueErrors:
        """Give the errors of samples of another size, as far as they are chance: each times the factor."""
        return ValueErrors(
            columns={name: column.carried_on(factor) for name, column in self.columns.items()},
            spearman=None if self.spearman is None else factor * self.spearman,
            correlation_ratio=None if self.correlation_ratio is None else factor * self.correlation_ratio,
        )


def numbers_of(frame: pd.DataFrame, codebook: Codebook) -> Floats:
    """Give a table as numbers: values of numbers and dates, ranks of categories, not-a-number for missing.

    Numbers outside the declared range stay where they are, so that what a range cuts off counts as an
    error; only infinite ones, which have neither mean nor deviation, are moved to its ends, and those near
    the largest that a computer has, which programs write for a missing value.

    Args:
        frame: The table; values may be texts or typed.
        codebook: Its public codebook.

    Returns:
        Shape (rows, attributes).
    """
    frame = apart(frame, codebook.answers)
    columns = []
    for attribute in codebook.domain.attributes:
        numbers = numbers_of_column(frame[attribute.name], attribute, codebook)
        if isinstance(attribute, Numeric):
            infinite = np.abs(numbers) > NO_SQUARE
            numbers[infinite] = np.clip(numbers[infinite], attribute.minimum, attribute.maximum)
        columns.append(numbers)
    return np.column_stack(columns)


def numbers_of_column(column: pd.Series, attribute: Attribute, codebook: Codebook) -> Floats:
    """Give one column as numbers, as ``numbers_of`` does, infinite ones too.

    Args:
        column: The column; values may be texts or typed.
        attribute: Its attribute.
        codebook: The public codebook, which says what is missing.
    """
    missing = codebook.missing_of(attribute.name) | {""}
    codes, uniques = pd.factorize(told_apart(column), use_na_sentinel=True)
    read = np.asarray(uniques, dtype=object)
    if isinstance(attribute, Categorical):
        # Spellings, prefixes and 031 for 31 are the category that the encoder takes them for.
        ranks = encode_values(read, attribute, missing)
        count = len(attribute.categories)
        numbers = np.where((ranks >= 0) & (ranks < count), ranks, math.nan)
    else:
        numbers, is_missing = read_numbers(read, attribute, missing)
        numbers = np.where(is_missing, math.nan, numbers)
        if attribute.kind == "number":  # 6.199999809265137, as 32 bits have it, is the 6.2 that comes out
            numbers = attribute.grid.settled(numbers)
    table = np.append(numbers, math.nan)
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
        attribute.name: column_error(real[:, i], synthetic[:, i], numeric=is_number(attribute))
        for i, attribute in enumerate(domain.attributes)
    }
    pairs = DependencePairs.of(domain)
    change = np.abs(
        dependences(real, None, domain, pairs, measures=_ON_VALUES)
        - dependences(synthetic, None, domain, pairs, measures=_ON_VALUES)
    )
    means = {}
    for measure in _ON_VALUES:
        chosen = [i for i, own in enumerate(pairs.measures) if own is measure]
        means[measure] = float(change[chosen].mean()) if chosen else None
    return ValueErrors(
        columns=columns,
        spearman=means[DependenceMeasure.SPEARMAN],
        correlation_ratio=means[DependenceMeasure.CORRELATION_RATIO],
    )


_ON_VALUES = (DependenceMeasure.SPEARMAN, DependenceMeasure.CORRELATION_RATIO)


def column_error(real: Floats, synthetic: Floats, *, numeric: bool) -> ColumnError:
    """Compare two columns of numbers.

    Args:
        real: The real column, from ``numbers_of``.
        synthetic: The synthetic one; the number of rows may differ.
        numeric: Whether the numbers can be averaged.
    """
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
    sd = deviation(ours)
    varies = numeric and sd > 0
    quantiles = np.quantile(theirs, QUANTILES) - np.quantile(ours, QUANTILES)
    return ColumnError(
        ks=float(difference.max()),
        wasserstein_sd=float((difference[:-1] * np.diff(values)).sum()) / sd if varies else None,
        mean_sd=float(theirs.mean() - ours.mean()) / sd if varies else None,
        sd_ratio=deviation(theirs) / sd if varies else None,
        quantiles_sd=tuple((quantiles / sd).tolist()) if varies else None,
        commonest=float(np.abs(shares[0][top] - shares[1][top]).max()),
        missing=missing,
    )


def deviation(values: Floats) -> float:
    """Standard deviation of one value or more; 0 of equal ones, of which rounding leaves 1e-17 and no 0.

    Example:
        >>> deviation(np.full(100, 0.1)), float(np.full(100, 0.1).std()) > 0
        (0.0, True)
    """
    return float(values.std()) if values.min() < values.max() else 0.0


def is_number(attribute: Attribute) -> bool:
    """Whether an attribute's values can be averaged."""
    if isinstance(attribute, Numeric):
        return True
    return attribute.ordered and all(isinstance(c, int | float) for c in attribute.categories)
