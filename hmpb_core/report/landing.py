"""Where a count lands once it is protected: noise intervals and evenly likely places."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from scipy.special import ndtri

from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.planning.forecast import tables_sharing
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Budget, Stage
from hmpb_core.privacy.calibration import table_scale
from hmpb_core.privacy.guarantee import Currency


@dataclass(frozen=True, slots=True, kw_only=True)
class CountNoise:
    """The noise on one cell of one published table, in people.

    Attributes:
        scale: Standard deviation of Gaussian noise, or the scale b of Laplace noise.
        currency: ``zcdp`` for Gaussian noise, ``pure`` for Laplace noise.
    """

    scale: float
    currency: Currency

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return self.scale if self.currency is Currency.ZCDP else math.sqrt(2) * self.scale

    def quantile(self, probability: float) -> float:
        """Give the noise that is not exceeded with a probability.

        Gaussian: scale * Phi^-1(p). Laplace: -b sign(p - 1/2) log(1 - 2 |p - 1/2|).
        """
        if not 0 < probability < 1:
            raise PlanError(
                "The probability is {probability:g}; it lies between 0 and 1.", probability=probability
            )
        if self.scale == 0:
            return 0.0
        if self.currency is Currency.ZCDP:
            return float(self.scale * ndtri(probability))
        side = probability - 0.5
        return self.scale * math.copysign(math.log1p(-2 * abs(side)), side)

    def interval(self, count: float, level: float = 0.9) -> tuple[float, float]:
        """Give the noise interval of a count: protection's error alone, not sampling's."""
        half = self.quantile((1 + level) / 2)
        return count - half, count + half

    def places(self, count: float, dots: int = 20) -> list[float]:
        """Give evenly likely places, each standing for 1 in ``dots`` releases.

        Source: quantile dot plots, as in [Nanayakkara2022].
        """
        return [count + self.quantile((i + 0.5) / dots) for i in range(dots)]


def count_noise(plan: Plan, domain: Domain, n_rows: int | None = None) -> CountNoise:
    """Foresee the noise on a cell of a published conditional table, from public values alone.

    With the stage's loss spent evenly on its tables; the scale is ``calibration.table_scale``. Risk
    weights move noise between tables; this is the table of average weight. A method that measures
    one-way tables only spends their stage on them.

    Args:
        plan: The plan.
        domain: The codebook's domain.
        n_rows: Number of rows by which pairs are chosen; None where nobody has said one.
    """
    if plan.spec.protection == "none":
        return CountNoise(scale=0.0, currency=plan.guarantee.currency)
    stages = (Stage.CONDITIONAL_TABLES, Stage.ONE_WAY_TABLES)
    stage = next(stage for stage in stages if stage in plan.spec.needs)
    tables = tables_sharing(plan, domain, n_rows)
    loss = Budget(guarantee=plan.guarantee, shares=plan.shares).loss(stage) / Fraction(tables)
    scale = table_scale(loss, plan.guarantee, rows_per_person=plan.rows_per_person)
    return CountNoise(scale=scale, currency=plan.guarantee.currency)
