"""What a plan can tell, before anything is spent: from n, the domain and the plan alone.

Looks at nothing. Where the shape of the data matters a reference stands in, stated with each
figure: values whose frequencies fall as 1, 1/2, 1/3, ... (Zipf), and related attributes whose
similarity is ``RELATED``.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.plan import Method, Plan
from hmpb_core.privacy.budget import Budget, Stage
from hmpb_core.privacy.guarantee import MAX_EPSILON, MIN_EPSILON, Currency, Neighbors, epsilon_of_rho
from hmpb_core.privacy.sensitivity import (
    count_l1_sensitivity,
    count_l2_sensitivity,
    mic_sensitivity,
    tvd_sensitivity,
)
from hmpb_core.similarity import choose_measure, largest_grid

RELATED = 0.1
"""Similarity of two related attributes: a total variation of 10 points from independence."""
USABLE, WEAK = 0.3 * RELATED, RELATED
"""Noise error of a two-way table up to which it is usable, or weak; above, it hides what relates."""
CLEAR, VISIBLE = 3.0, 1.0
"""Signal over noise from which clusters are found, and below which no method finds them."""
BYTES_PER_CELL = 8
_MEAN_OF_GAUSSIAN = math.sqrt(2 / math.pi)
_MEAN_OF_LAPLACE = 1 / math.sqrt(2)


class Verdict(StrEnum):
    """How much of a result is left under its noise."""

    USABLE = "usable"
    WEAK = "weak"
    DROWNED = "drowned"


@dataclass(frozen=True, slots=True, kw_only=True)
class StageNoise:
    """What noise a stage draws, beside what it wants to see.

    Attributes:
        stage: The stage.
        what: What is measured.
        noise: Standard deviation of its noise, as a share of the rows (or of the similarity).
        signal: A typical value of what it measures, in the same unit.
        tables: How many are measured.
        cells: Cells of a typical table.
        largest_bytes: Memory of the largest table.
    """

    stage: Stage
    what: str
    noise: float
    signal: float
    tables: int
    cells: int
    largest_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """A verdict, and what would change it.

    Attributes:
        name: The attribute, or ``clusters``.
        verdict: usable, weak or drowned.
        figure: For an attribute the noise error of its two-way tables, as a share of the rows;
            for the clusters signal over noise.
        better_at: Smallest epsilon with a better verdict; None where it is usable, infinite
            where no allowed epsilon is enough.
    """

    name: str
    verdict: Verdict
    figure: float
    better_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feasibility:
    """What a plan can tell.

    Attributes:
        stages: Noise beside signal, stage by stage.
        attributes: A verdict an attribute.
        clusters: The verdict on the clustering; None where there is one cluster only.
        two_way_error: Expected error of a two-way table, the mean over attributes.
    """

    stages: tuple[StageNoise, ...]
    attributes: tuple[Outlook, ...]
    clusters: Outlook | None
    two_way_error: float


def feasibility(plan: Plan, domain: Domain, n_rows: int) -> Feasibility:
    """Foresee what a plan can tell.

    Args:
        plan: The plan; its guarantee and shares set the noise.
        domain: The codebook's domain.
        n_rows: Number of rows, public or the steward's guess.

    Raises:
        PlanError: there are fewer than 2 rows.
    """
    if n_rows < 2:
        raise PlanError(f"rows is {n_rows}; a table to publish has at least 2 rows.")
    noise = _Noise(plan, plan.encoded_domain(domain), n_rows)
    errors = [noise.two_way_error(size) for size in noise.sizes]
    outlooks = tuple(
        _attribute(noise, name, size, error)
        for name, size, error in zip(noise.names, noise.sizes, errors, strict=True)
    )
    return Feasibility(
        stages=_stages(noise),
        attributes=outlooks,
        clusters=_clusters(noise, plan.clusters or 1),
        two_way_error=statistics.fmean(_published(error) for error in errors),
    )


def epsilon_for_two_way(plan: Plan, domain: Domain, n_rows: int, error: float) -> float:
    """Give the smallest epsilon at which two-way tables are expected within an error.

    Args:
        plan: The plan; its epsilon is the one thing that changes.
        domain: The codebook's domain.
        n_rows: Number of rows.
        error: Mean error of a two-way table as a share of the rows: 0.03 for 3 points.

    Returns:
        Epsilon; infinite where none up to the largest allowed is enough.

    Raises:
        PlanError: the error is not above 0.
    """
    if not error > 0:
        raise PlanError(f"The error is {error:g}; it must be above 0, such as 0.03 for 3 points.")
    noise = _Noise(plan, plan.encoded_domain(domain), n_rows)
    pairs = [_pair(size, noise.partner) for size in noise.sizes]

    def mean(level: float) -> float:
        return statistics.fmean(_published(pair.error(level)) for pair in pairs)

    if error >= RELATED:
        return MIN_EPSILON  # no structure is needed for so little
    return max(MIN_EPSILON, noise.epsilon_at(noise.level / _largest_level(mean, error)))


class _Noise:
    """Noise scales of a plan, and how they move with epsilon."""

    def __init__(self, plan: Plan, domain: Domain, n_rows: int) -> None:
        self.plan, self.domain, self.n_rows = plan, domain, n_rows
        self.names, self.sizes = domain.names, domain.sizes
        self.d = len(domain)
        self.partner = int(statistics.median(self.sizes))
        self.budget = Budget(guarantee=plan.guarantee, shares=plan.shares)
        self.pure = plan.guarantee.currency is Currency.PURE
        self.mean_size = _MEAN_OF_LAPLACE if self.pure else _MEAN_OF_GAUSSIAN

    @property
    def two_way_stage(self) -> Stage:
        """The stage whose noise is in two-way tables."""
        return Stage.PROFILE if self.plan.method is Method.INDEPENDENT else Stage.CONDITIONALS

    @property
    def level(self) -> float:
        """Mean size of the noise on a cell of a two-way table, as a share of the rows."""
        return self.mean_size * self.table_sd(self.two_way_stage) / self.n_rows

    def table_sd(self, stage: Stage) -> float:
        """Noise on a count of one of the d tables of a stage."""
        loss = float(self.budget.loss(stage) / self.d)
        neighbors, rows = self.plan.guarantee.neighbors, self.plan.rows_per_person
        if loss == 0:
            return math.inf
        if self.pure:
            return math.sqrt(2) * rows * count_l1_sensitivity(neighbors) / loss
        return rows * count_l2_sensitivity(neighbors) / math.sqrt(2 * loss)

    def similarity_sd(self) -> float:
        """Noise on each similarity; 0 share or one attribute gives no similarity."""
        loss, pairs = float(self.budget.loss(Stage.SIMILARITY)), self.d * (self.d - 1) // 2
        if loss == 0 or pairs == 0:
            return math.inf
        neighbors = self.plan.guarantee.neighbors
        measure = choose_measure(
            self.plan.similarity, n_rows=self.n_rows, domain=self.domain, neighbors=neighbors
        )
        if measure == "mic" and neighbors is Neighbors.REPLACE_ONE:
            moved = mic_sensitivity(self.n_rows, largest_grid=largest_grid(self.domain, self.n_rows))
        else:
            moved = tvd_sensitivity(neighbors) / self.n_rows
        moved *= self.plan.rows_per_person
        return math.sqrt(2) * moved * pairs / loss if self.pure else moved * math.sqrt(pairs / (2 * loss))

    def two_way_error(self, size: int) -> float:
        """Noise error of the table of an attribute and a typical other, as a share of the rows."""
        return 1.0 if math.isinf(self.level) else _pair(size, self.partner).error(self.level)

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
class _Pair:
    """Expected counts of a reference two-way table, ascending, and their running sums."""

    shares: NDArray[np.float64]
    sums: NDArray[np.float64]

    def error(self, level: float) -> float:
        """1/2 sum_cells min(level, share): a nearly empty cell is off by no more than it holds."""
        small = int(np.searchsorted(self.shares, level))
        below = float(self.sums[small - 1]) if small else 0.0
        return 0.5 * (below + level * (len(self.shares) - small))


@lru_cache(maxsize=1024)
def _pair(first: int, second: int) -> _Pair:
    shares = np.sort(np.multiply.outer(_zipf(first), _zipf(second)).ravel())
    return _Pair(shares, np.cumsum(shares))


def _zipf(size: int) -> NDArray[np.float64]:
    weights = 1 / np.arange(1, size + 1)
    return np.asarray(weights / weights.sum())


def _published(error: float) -> float:
    """Expected error of a published two-way table whose noise error is this.

        e s / (e + s),   s = RELATED

    e where the noise is small; where it is large the learner falls back on independence,
    which is off by the similarity s.
    """
    return error * RELATED / (error + RELATED)


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
def _level_for(first: int, second: int, error: float) -> float:
    return _largest_level(_pair(first, second).error, error)


def _attribute(noise: _Noise, name: str, size: int, error: float) -> Outlook:
    if error <= USABLE:
        return Outlook(name=name, verdict=Verdict.USABLE, figure=error, better_at=None)
    verdict, bound = (Verdict.WEAK, USABLE) if error <= WEAK else (Verdict.DROWNED, WEAK)
    better = noise.epsilon_at(noise.level / _level_for(size, noise.partner, bound))
    return Outlook(name=name, verdict=verdict, figure=error, better_at=better)


def _clusters(noise: _Noise, k: int) -> Outlook | None:
    """Compare the eigenvalue of a group with the noise's.

    A block of d/k attributes of similarity s has the eigenvalue s d/k; noise of standard deviation
    t fills eigenvalues up to 2 t sqrt(d), and hides a group whose own is below t sqrt(d).

    Source: [FP2007], with s = ``RELATED``.
    """
    if k < 2:
        return None
    sd = noise.similarity_sd()
    ratio = RELATED * noise.d / k / (sd * math.sqrt(noise.d)) if math.isfinite(sd) else 0.0
    if ratio >= CLEAR:
        return Outlook(name="clusters", verdict=Verdict.USABLE, figure=ratio, better_at=None)
    verdict, bound = (Verdict.WEAK, CLEAR) if ratio >= VISIBLE else (Verdict.DROWNED, VISIBLE)
    better = noise.epsilon_at(bound / ratio) if ratio > 0 else math.inf
    return Outlook(name="clusters", verdict=verdict, figure=ratio, better_at=better)


def _stages(noise: _Noise) -> tuple[StageNoise, ...]:
    """Noise beside signal for each stage that has a share."""
    n, d, typical, largest = noise.n_rows, noise.d, noise.partner, max(noise.sizes)
    parents = noise.plan.max_parents or 1
    biggest = sorted(noise.sizes, reverse=True)
    limit = min(n, math.prod(biggest[: parents + 1]))  # learners keep a table below the number of rows
    selections = Fraction(noise.budget.loss(Stage.STRUCTURE), max(d - 1, 1))
    choice = float(selections) if noise.pure else math.sqrt(8 * float(selections))
    moved = tvd_sensitivity(noise.plan.guarantee.neighbors) * noise.plan.rows_per_person / n
    rows = {
        Stage.PROFILE: ("one-way table", noise.table_sd(Stage.PROFILE) / n, 1 / typical, d, typical, largest),
        Stage.SIMILARITY: ("similarity of a pair", noise.similarity_sd(), RELATED, d * (d - 1) // 2, 1, 1),
        Stage.STRUCTURE: (
            "score of a pair",
            2 * moved / choice * math.log(max(d, 2)) if choice else math.inf,
            RELATED,
            d - 1,
            typical**2,
            biggest[0] * biggest[min(1, d - 1)],
        ),
        Stage.CONDITIONALS: (
            "two-way table",
            noise.table_sd(Stage.CONDITIONALS) / n,
            1 / typical**2,
            d,
            typical**2,
            limit,
        ),
    }
    return tuple(
        StageNoise(
            stage=stage,
            what=what,
            noise=sd,
            signal=signal,
            tables=tables,
            cells=cells,
            largest_bytes=biggest_cells * BYTES_PER_CELL,
        )
        for stage, (what, sd, signal, tables, cells, biggest_cells) in rows.items()
        if noise.plan.shares.of(stage) > 0
    )
