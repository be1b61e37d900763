"""What a plan can tell, before anything is spent: from n, the domain and the plan alone.

Looks at nothing. Where the shape of the data matters a reference stands in, stated with each
figure: values whose frequencies fall as 1, 1/2, 1/3, ... (Zipf), and related attributes whose
similarity is ``RELATED``.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.planning.forecast import Forecast, tables_sharing
from hmpb_core.planning.methods import PUBLISHED_PARENTS
from hmpb_core.planning.noise_scales import RELATED, NoiseScales, level_for
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.guarantee import MIN_EPSILON
from hmpb_core.privacy.sensitivity import tvd_sensitivity

USABLE, WEAK = 0.3 * RELATED, RELATED
"""Noise error of a two-way table up to which it is usable, or weak; above, it hides what relates."""
CLEAR, VISIBLE = 3.0, 1.0
"""Signal over noise from which clusters are found, and below which no method finds them."""
BYTES_PER_CELL = 8
LARGEST_CHANGE, CLOSE = 9.0, 1e-4
"""Logarithms of the largest change of the noise that is tried, and of how exactly it is found."""


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
        two_way_error: Expected AVD2: error of a two-way table against all rows, the mean over pairs, as a
            share of the rows, as the page Utility shows it; see ``planning.forecast``.
        second_sample: What a second sample of the same people would show there: about as near as a synthetic
            table can be expected to come; one of a large epsilon follows these very rows and may come nearer.
    """

    stages: tuple[StageNoise, ...]
    attributes: tuple[Outlook, ...]
    clusters: Outlook | None
    two_way_error: float
    second_sample: float


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
        raise PlanError("rows is {rows}; a table to publish has at least 2 rows.", rows=n_rows)
    noise = NoiseScales(plan, plan.spec.encoded_domain(domain), n_rows)
    outlooks: dict[int, Outlook] = {}
    for owner, size in zip(plan.spec.owners(domain), noise.sizes_told, strict=True):
        found = _attribute(noise, domain.names[owner], size)
        if owner not in outlooks or found.figure > outlooks[owner].figure:  # of its bits the worst
            outlooks[owner] = found
    forecast = Forecast(noise)
    return Feasibility(
        stages=_stages(noise, tables_sharing(plan, domain, n_rows)),
        attributes=tuple(outlooks.values()),
        clusters=_clusters(noise, plan.clusters or 1),
        two_way_error=forecast.error(),
        second_sample=forecast.second_sample(),
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
        raise PlanError("The error is {error:g}; it must be above 0, such as 0.03 for 3 points.", error=error)
    noise = NoiseScales(plan, plan.spec.encoded_domain(domain), n_rows)
    forecast = Forecast(noise)
    low, high = -LARGEST_CHANGE, LARGEST_CHANGE  # logarithm of what every noise scale is divided by
    if forecast.error(math.exp(high)) > error:
        return math.inf
    while high - low > CLOSE:
        middle = (low + high) / 2
        low, high = (low, middle) if forecast.error(math.exp(middle)) <= error else (middle, high)
    return max(MIN_EPSILON, noise.epsilon_at(math.exp(high)))


def least_two_way_error(plan: Plan, domain: Domain, n_rows: int) -> float:
    """Give the expected error of two-way tables without any noise: what the method does not keep.

    Args:
        plan: The plan.
        domain: The codebook's domain.
        n_rows: Number of rows.
    """
    return Forecast(NoiseScales(plan, plan.spec.encoded_domain(domain), n_rows)).error(
        math.exp(LARGEST_CHANGE)
    )


def _attribute(noise: NoiseScales, name: str, size: int) -> Outlook:
    error = noise.noise_error(size)
    if error <= USABLE:
        return Outlook(name=name, verdict=Verdict.USABLE, figure=error, better_at=None)
    verdict, bound = (Verdict.WEAK, USABLE) if error <= WEAK else (Verdict.DROWNED, WEAK)
    better = noise.epsilon_at(noise.table_level / level_for(size, noise.partner_told, bound))
    return Outlook(name=name, verdict=verdict, figure=error, better_at=better)


def _clusters(noise: NoiseScales, k: int) -> Outlook | None:
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


def _stages(noise: NoiseScales, sharing: float) -> tuple[StageNoise, ...]:
    """Noise beside signal for each stage that has a share, that of conditional tables shared by so many."""
    n, d, largest = noise.n_rows, noise.d, max(noise.sizes)
    typical = int(statistics.median(noise.sizes))
    parents = noise.plan.most_parents or PUBLISHED_PARENTS
    biggest = sorted(noise.sizes, reverse=True)
    limit = min(n, math.prod(biggest[: parents + 1]))  # learners keep a table below the number of rows
    selections = Fraction(noise.budget.loss(Stage.STRUCTURE), max(d - 1, 1))
    choice = float(selections) if noise.pure else math.sqrt(8 * float(selections))
    moved = tvd_sensitivity(noise.plan.guarantee.neighbors) * noise.plan.rows_per_person / n
    rows = {
        Stage.ONE_WAY_TABLES: (
            "one-way table",
            noise.table_sd(Stage.ONE_WAY_TABLES) / n,
            1 / typical,
            d,
            typical,
            largest,
        ),
        Stage.SIMILARITY: ("similarity of a pair", noise.similarity_sd(), RELATED, d * (d - 1) // 2, 1, 1),
        Stage.STRUCTURE: (
            "score of a pair",
            2 * moved / choice * math.log(max(d, 2)) if choice else math.inf,
            RELATED,
            d - 1,
            typical**2,
            biggest[0] * biggest[min(1, d - 1)],
        ),
        Stage.CONDITIONAL_TABLES: (
            "two-way table",
            noise.table_sd(Stage.CONDITIONAL_TABLES, sharing) / n,
            1 / typical**2,
            max(d, round(sharing)),
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
