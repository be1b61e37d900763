"""Noise scales of a plan, and what they do to a reference table. Looks at nothing.

The reference: values whose frequencies fall as 1, 1/2, 1/3, ... (Zipf).
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain, Numeric
from hmpb_core.planning.advice import FEW_CODES
from hmpb_core.planning.measures import choose_measure
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Budget, Stage
from hmpb_core.privacy.calibration import noise_sd, table_scale, vector_scale
from hmpb_core.privacy.guarantee import MAX_EPSILON, Currency, epsilon_of_rho
from hmpb_core.stages.similarity import Measure, similarity_sensitivity

RELATED = 0.1
"""Similarity of two related attributes: a total variation of 10 points from independence."""
_MEAN_OF_GAUSSIAN = math.sqrt(2 / math.pi)
_MEAN_OF_LAPLACE = 1 / math.sqrt(2)


class NoiseScales:
    """Noise scales of a plan, and how they move with epsilon."""

    def __init__(self, plan: Plan, domain: Domain, n_rows: int) -> None:
        self.plan, self.domain, self.n_rows = plan, domain, n_rows
        self.names, self.sizes = domain.names, domain.sizes
        self.counts = Counter(self.sizes)
        self.d = len(domain)
        self.independent = Stage.CONDITIONAL_TABLES not in plan.spec.needs
        self.partner = 1 if self.independent else int(statistics.median(self.sizes))
        self.budget = Budget(guarantee=plan.guarantee, shares=plan.shares)
        self.pure = plan.guarantee.currency is Currency.PURE
        self.mean_size = _MEAN_OF_LAPLACE if self.pure else _MEAN_OF_GAUSSIAN
        self.table_level = self.level(Stage.ONE_WAY_TABLES if self.independent else Stage.CONDITIONAL_TABLES)

    def level(self, stage: Stage) -> float:
        """Mean size of the noise on a cell of a stage's table, as a share of the rows."""
        return self.mean_size * self.table_sd(stage) / self.n_rows

    def table_sd(self, stage: Stage, tables: float | None = None) -> float:
        """Noise on a count of one of so many tables of a stage, of d where none are named."""
        loss = self.budget.loss(stage) / Fraction(self.d if tables is None else tables)
        guarantee = self.plan.guarantee
        return noise_sd(table_scale(loss, guarantee, rows_per_person=self.plan.rows_per_person), guarantee)

    def similarity_sd(self, measure: Measure | None = None) -> float:
        """Noise on each similarity, by the plan's measure or another; infinite where there is no share."""
        loss, pairs = self.budget.loss(Stage.SIMILARITY), self.d * (self.d - 1) // 2
        if loss == 0 or pairs == 0:
            return math.inf
        neighbors = self.plan.guarantee.neighbors
        measure = measure or choose_measure(
            self.plan.measure or "auto", n_rows=self.n_rows, domain=self.domain, neighbors=neighbors
        )
        moved = self.plan.rows_per_person * similarity_sensitivity(
            measure, self.domain, neighbors, n_rows=self.n_rows, total=self.n_rows
        )
        guarantee = self.plan.guarantee
        scale = vector_scale(loss, guarantee, l1=moved * pairs, l2=moved * math.sqrt(pairs))
        return noise_sd(scale, guarantee)

    @property
    def sizes_told(self) -> tuple[int, ...]:
        """How many codes of each attribute noise lets be told apart: of learned bins about ``FEW_CODES``."""
        return tuple(
            min(size, FEW_CODES + attribute.nullable)
            if isinstance(attribute, Numeric) and attribute.learned
            else size
            for attribute, size in zip(self.domain.attributes, self.sizes, strict=True)
        )

    @property
    def partner_told(self) -> int:
        """Codes that noise lets be told apart of the attribute that another one is measured with.

        Of a class that is the partner of all, else of a typical attribute; 1 where no pair is measured.
        """
        if self.plan.spec.classifies and self.plan.spec.encoding == "codes":
            return self.sizes_told[self.plan.target_of(self.domain)]
        return 1 if self.independent else int(statistics.median(self.sizes_told))

    def noise_error(self, size: int) -> float:
        """Noise error, as a share of the rows, of the table of an attribute of so many codes and another."""
        return reference_pair(size, self.partner_told).error(self.table_level)

    def epsilon_at(self, factor: float) -> float:
        """The epsilon that divides every noise scale by a factor, shares unchanged."""
        if not math.isfinite(factor):
            return math.inf
        guarantee = self.plan.guarantee
        if self.pure:
            epsilon = guarantee.epsilon * factor
        else:
            epsilon = epsilon_of_rho(float(guarantee.total) * factor**2, guarantee.delta)
        return epsilon if epsilon <= MAX_EPSILON else math.inf


@dataclass(frozen=True, slots=True)
class ReferencePair:
    """Expected counts of a reference two-way table, ascending, and their running sums."""

    shares: NDArray[np.float64]
    sums: NDArray[np.float64]

    def error(self, level: float) -> float:
        """1/2 sum_cells min(level, share): a nearly empty cell is off by no more than it holds."""
        if math.isinf(level):
            return 0.5
        small = int(np.searchsorted(self.shares, level))
        below = float(self.sums[small - 1]) if small else 0.0
        return 0.5 * (below + level * (len(self.shares) - small))

    def errors(self, levels: NDArray[np.float64]) -> NDArray[np.float64]:
        """``error`` of many levels at once."""
        capped = np.minimum(levels, self.shares[-1])
        small = np.searchsorted(self.shares, capped)
        below = np.concatenate([[0.0], self.sums])[small]
        errors: NDArray[np.float64] = 0.5 * (below + capped * (len(self.shares) - small))
        return errors


@lru_cache(maxsize=1024)
def reference_pair(first: int, second: int) -> ReferencePair:
    """The reference table of two attributes of these sizes, independent of each other."""
    shares = np.sort(np.multiply.outer(_zipf(first), _zipf(second)).ravel())
    return ReferencePair(shares, np.cumsum(shares))


def _zipf(size: int) -> NDArray[np.float64]:
    weights = 1 / np.arange(1, size + 1)
    return np.asarray(weights / weights.sum())


def _largest_level(error_at: Callable[[float], float], error: float) -> float:
    """The largest noise level at which a growing error is within a bound, from below."""
    low, high = 0.0, 1.0
    if error_at(high) <= error:
        return high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if error_at(middle) <= error else (low, middle)
    return low or math.ulp(0.0)


@lru_cache(maxsize=4096)
def level_for(first: int, second: int, error: float) -> float:
    """The largest noise level at which a reference table's noise error is within a bound."""
    return _largest_level(reference_pair(first, second).error, error)
