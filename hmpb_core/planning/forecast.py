"""The error of a plan's two-way tables, foreseen from n, the domain and the plan. Looks at nothing.

The learner's own budgeting is gone through on a reference table: values whose frequencies fall as 1,
1/2, 1/3, ..., pairs whose total variation from independence D is exponential with mean ``DEPENDENCE``.
docs/method.md has the formulas; ``benchmarks.feasibility`` lays foreseen beside measured.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.planning.advice import codes_that_count, one_way_parts
from hmpb_core.planning.methods import Accounting
from hmpb_core.planning.noise_scales import NoiseScales, reference_pair
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.calibration import noise_sd, table_scale

DEPENDENCE = 0.078
"""Mean total variation from independence of the reference's pairs; Adult .074, Big5 .079."""
REACH = 3.5
"""What a measured pair mends in all pairs, over what it mends in its own."""
KEPT = 0.67
"""Part of a measured pair's noise error that is left after the fit's shrinkage."""
SEEN = 0.55
"""Part of the similarity's noise that is left after the learner's denoising."""
UNTOLD = 0.0128
"""Part of the dependence that small networks do not tell, for every attribute; at most ``MOST_UNTOLD``."""
MOST_UNTOLD = 0.6
SAMPLED = 0.75
"""Error of a sample over that of the reference table: real tables are less even."""
EVEN = 4.0
"""Rows that a cell is off by drawing, at most: they are spread evenly over the cells."""
ENTROPIES = (0.35, 0.6, 0.8, 0.9, 1.0)
"""Risk entropies of the reference's attributes, in turn."""
LEAST_WEIGHT = 0.125
"""Weights count relative to their mean between this and its inverse."""
CHOSEN_FOR = ("star", "labels")
"""Learners that measure every attribute with the class, however strong or weak the dependence."""
AGAIN = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95)
MOST_PAIRS = 300
MORE = 1.5
"""Tables that share the loss, over those foreseen: later rounds measure more pairs, and not evenly."""
TABLES = tuple(dict.fromkeys(round(MOST_PAIRS ** (i / 27)) for i in range(28)))
"""Numbers of pairs that may be planned."""

Floats = NDArray[np.float64]


class Forecast:
    """Error of two-way tables by a plan, as a function of how far its noise is scaled down.

    Args:
        noise: The plan's noise scales.
    """

    def __init__(self, noise: NoiseScales) -> None:
        self._noise = noise
        plan, d = noise.plan, noise.d
        self._learner = plan.spec.learner
        self._pairs = d * (d - 1) // 2
        self._clusters = min(d, plan.clusters_of(d)) if plan.spec.clusters is not None else 1
        self._kinds = _kinds(noise.sizes)
        ranks = (np.arange(1, self._pairs + 1) - 0.5) / max(1, self._pairs)
        self._dependence = -DEPENDENCE * np.log(ranks)
        guarantee = noise.plan.guarantee
        counted = [
            codes_that_count(size, d=d, guarantee=guarantee, n_rows=noise.n_rows) for size in noise.sizes
        ]
        self._one_way = Counter(zip(noise.sizes, map(float, one_way_parts(counted)), strict=True))
        self._shift = _shift_of_weights(noise)

    def error(self, factor: float = 1.0) -> float:
        """Expected AVD2 against all rows when every noise scale is divided by a factor.

            sqrt(R^2 + 2 mean_j e_j^2 + S^2),

        e_j the error of the one-way tables, R what is left of the dependence (``_left``), S what rows that
        are drawn differ from their model: as one sample does, but by ``EVEN`` rows a cell at most.
        """
        return min(1.0, math.hypot(self._of_model(factor), self._sampled(samples=1, most=EVEN)))

    def _of_model(self, factor: float) -> float:
        """Error of the model itself, before rows are drawn from it."""
        d = self._noise.d
        if self._noise.plan.spec.protection == "none":
            return DEPENDENCE * self._untold()
        if d < 2 or self._learner == "independent":
            return math.hypot(DEPENDENCE if d > 1 else 0.0, self._one_way_error(0.0, factor))
        if self._learner != "adaptive":
            return self._tree(factor)
        return self._best(factor)[0]

    def pairs_planned(self) -> tuple[int, float]:
        """Number of pairs that a learner of adaptive pairs is foreseen to measure, and the part for them.

        Returns:
            The number, at least 1, and the part of the conditional tables' budget that is theirs.
        """
        if self._pairs < 1 or self._learner != "adaptive":
            return max(1, self._noise.d), 1.0
        _, pairs, part = self._best(1.0)
        return pairs, part

    def _best(self, factor: float) -> tuple[float, int, float]:
        """Least error, the number of measured pairs it takes, and the part of the budget that is theirs."""
        rest = self._rest() + float(self._noise.budget.loss(Stage.STRUCTURE))
        best = math.hypot(DEPENDENCE, self._one_way_error(rest, factor)), 1, 1.0  # no pair is worth its price
        tables = np.array([k for k in TABLES if k <= self._pairs])
        grows = tables ** (1.0 if self._noise.pure else 0.5)  # the noise of K tables that share a budget
        for part in (0.0,) if self._noise.pure else AGAIN:
            levels = self._level(self._rest() * (1 - part), factor) * grows
            left = self._left(tables, self._pair_errors(levels * self._shift), factor)
            error = math.hypot(float(left.min()), self._one_way_error(self._rest() * part, factor))
            best = min(best, (error, int(tables[left.argmin()]), 1 - part))
        return best

    def second_sample(self) -> float:
        """What Utility shows for a second sample of as many rows beside them, the reference's pairs."""
        return self._sampled(samples=2)

    def _sampled(self, *, samples: int, most: float = math.inf) -> float:
        """Mean distance of so many samples of the reference's pairs: one from the table, or two.

        A cell of share p differs by sqrt(2/pi) sqrt(samples p / n) on average, but by no more than 2 p.
        """
        if not self._kinds:
            return 0.0
        n = self._noise.n_rows
        total = 0.0
        for (m, k), count in self._kinds.items():
            shares = reference_pair(m, k).shares
            differ = np.minimum(np.sqrt(2 * samples * shares / (math.pi * n)), 2 * shares)
            total += count * 0.5 * float(np.minimum(differ, most / n).sum())
        return SAMPLED * total / sum(self._kinds.values())

    def _rest(self) -> float:
        return float(self._noise.budget.loss(Stage.CONDITIONAL_TABLES))

    def _level(self, loss: float, factor: float) -> float:
        """Mean size of the noise on a cell of a table that costs this much, as a share of the rows."""
        if loss <= 0:
            return math.inf
        noise, plan = self._noise, self._noise.plan
        scale = table_scale(loss, plan.guarantee, rows_per_person=plan.rows_per_person)
        return noise.mean_size * noise_sd(scale, plan.guarantee) / noise.n_rows / factor

    def _one_way_error(self, more: float, factor: float) -> float:
        """Root of 2 mean_j e_j^2, the one-way tables measured with their stage's budget and more."""
        loss = float(self._noise.budget.loss(Stage.ONE_WAY_TABLES)) + more
        squares = [
            count * reference_pair(size, 1).error(self._level(loss * part, factor)) ** 2
            for (size, part), count in self._one_way.items()
        ]
        return math.sqrt(2 * math.fsum(squares) / self._noise.d)

    def _pair_errors(self, levels: Floats) -> Floats:
        """Noise error of the reference's pairs at each level, the mean over kinds of pairs."""
        total = np.zeros(len(levels))
        for (m, k), count in self._kinds.items():
            total += count * reference_pair(m, k).errors(levels)
        errors: Floats = total / sum(self._kinds.values())
        return errors

    def _left(self, tables: NDArray[np.int64], errors: Floats, factor: float) -> Floats:
        """Dependence that is left after measuring so many pairs at such errors.

            R = D (u + (1 - u) (1 - a (1 - exp(-REACH G / D)))),   G = mean over all pairs of
            max(0, D_r - 0.67 m) of the K pairs that look strongest,

        u is what small networks do not tell, a the part of all dependence that candidates hold, m the
        noise error of a measured pair. Of similarities with noise t the strongest-looking pairs are
        as if D were drawn towards its mean by sqrt(v / (v + t^2)), v its variance.
        """
        noise = self._noise.similarity_sd()
        noise = SEEN * min(noise / factor, 1e3)
        kept = 0.0 if self._learner in CHOSEN_FOR else DEPENDENCE / math.hypot(DEPENDENCE, noise)
        seen = DEPENDENCE + kept * (self._dependence - DEPENDENCE)
        candidates, held = self._candidates(noise)
        behind = np.concatenate([[0.0], np.cumsum(seen)])
        worth = np.searchsorted(-seen, -KEPT * errors)  # pairs that promise more than they cost
        asked = np.minimum(worth, np.maximum(1, np.round(tables / candidates).astype(np.int64)))
        sums = candidates * (behind[asked] - KEPT * errors * asked)
        gone = held * (1 - np.exp(-REACH * sums / self._pairs / DEPENDENCE))
        untold = self._untold()
        left: Floats = DEPENDENCE * (untold + (1 - untold) * (1 - gone))
        return left

    def _candidates(self, noise: float) -> tuple[float, float]:
        """Part of the pairs that are candidates, and the part of all dependence that they hold.

        Pruning by eta keeps pairs above eta times the largest of d, about D (ln d + 0.58).
        Clusters keep what is inside; a bridge brings back what stands out of the noise.
        """
        held = 1.0
        if self._noise.plan.eta > 0:
            bar = self._noise.plan.eta * (math.log(self._noise.d) + 0.58)
            held = math.exp(-bar) * (1 + bar)
        if self._clusters < 2:
            return 1.0, held
        inside = max(1 / self._pairs, (self._noise.d / self._clusters - 1) / max(1, self._noise.d - 1))
        if self._learner == "adaptive":
            clear = math.exp(-noise / DEPENDENCE)  # of the pairs that stand out of their noise
            return inside + (1 - inside) * clear, held
        return 1.0, held * inside * (1 - math.log(inside))

    def _tree(self, factor: float) -> float:
        """A learner that measures one table an attribute, the loss shared evenly or by the weights."""
        d = self._noise.d
        level = self._level(self._rest() / d, factor) * self._shift
        tables = np.array([max(1, d - self._clusters)])
        left = float(self._left(tables, self._pair_errors(np.array([level])), factor)[0])
        if self._noise.plan.shares.one_way_tables:
            return math.hypot(left, self._one_way_error(0.0, factor))
        # Without one-way tables an attribute's own distribution is a sum over its partner's values; where
        # tables of pairs would drown, attributes are measured alone.
        return min(
            math.hypot(dependence, self._singles(level * partner))
            for dependence, partner in ((left, math.sqrt(self._noise.partner)), (DEPENDENCE, 1.0))
        )

    def _singles(self, level: float) -> float:
        """Root of 2 mean_j e_j^2, every attribute's distribution known at one level of noise."""
        squares = [
            count * reference_pair(size, 1).error(level) ** 2 for size, count in self._noise.counts.items()
        ]
        return math.sqrt(2 * math.fsum(squares) / self._noise.d)

    def _untold(self) -> float:
        return min(MOST_UNTOLD, UNTOLD * self._noise.d)


def _kinds(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Pairs of attributes by their numbers of values."""
    counts = sorted(Counter(sizes).items())
    found = {}
    for place, (m, of_m) in enumerate(counts):
        for k, of_k in counts[place:]:
            pairs = of_m * (of_m - 1) // 2 if m == k else of_m * of_k
            if pairs:
                found[m, k] = pairs
    return found


def _shift_of_weights(noise: NoiseScales) -> float:
    """How much larger the mean noise of a table is by the risk weights: mean (w' / w)^(1/2), or w' / w.

    Attributes have the risk entropies ``ENTROPIES`` in turn; w' is the mean weight.
    """
    plan = noise.plan
    gamma = plan.gamma if plan.spec.weights == "risk" else 0.0
    manual = plan.weights or {}
    weights = [
        float(manual.get(name, math.exp(-gamma * ENTROPIES[place % len(ENTROPIES)])))
        for place, name in enumerate(noise.names)
    ]
    mean = math.fsum(weights) / len(weights)
    parts = [min(1 / LEAST_WEIGHT, max(LEAST_WEIGHT, weight / mean)) for weight in weights]
    power = 1.0 if noise.pure else 0.5
    return math.fsum(part**-power for part in parts) / len(parts)


def tables_sharing(plan: Plan, domain: Domain, n_rows: int | None) -> float:
    """Number of tables that would share the loss of the conditional tables evenly.

    One an attribute of the method; of published accounting the attributes of a cluster, for each cluster
    draws as if it had the stage for itself; of a learner that chooses its pairs

        min(MORE max(d, K / a), pairs),    at least d

    with K the pairs and a the part of the loss for them that promise most on the reference.

    Args:
        plan: The plan.
        domain: The codebook's domain.
        n_rows: Number of rows by which pairs are chosen; None where nobody has said one.
    """
    d = len(plan.spec.encoded_domain(domain))
    if plan.accounting is Accounting.AS_PUBLISHED:
        return math.ceil(d / plan.clusters_of(d))
    if plan.spec.learner != "adaptive":
        return d
    planned = float(d)
    if n_rows is not None and d > 1:
        pairs, part = Forecast(NoiseScales(plan, domain, n_rows)).pairs_planned()
        planned = max(planned, pairs / part)
    return max(d, min(MORE * planned, math.comb(d, 2)))
