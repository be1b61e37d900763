"""Noise in shares: every party adds a part, and the sum protects whatever some of them withhold.

With k parties of which t may withhold their share, each share is made so that k - t of them are enough:

    zcdp   a share is discrete Gaussian of standard deviation s. The sum of n = k - t of them is not discrete
           Gaussian; it is rho-zCDP with rho = e^2 / 2 [KLS2021, section 3],

               e^2 = min(D2^2 / (n s^2) + 2 tau d,
                         D2^2 / (n s^2) + 2 tau D1 / (sqrt(n) s) + tau^2 d,
                         (D2 / (sqrt(n) s) + tau sqrt(d))^2),
               tau = 10 sum_{j=1}^{n-1} exp(-2 pi^2 s^2 j / (j + 1)),

           D1, D2 the sensitivities, d the number of cells
    pure   a share is the difference of two Polya draws with r = 1 / (k - t); k - t of them sum to exactly one
           discrete Laplace draw, which is infinitely divisible [Goryczka2017]

What the others add besides is independent of it: post-processing. docs/parties.md has the proofs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hmpb_core.errors import PlanError

MOST_PARTIES = 1000
_ROUNDING = 1e-12
"""Relative margin for floating-point rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseShares:
    """Who adds noise.

    Attributes:
        parties: k, the number of parties.
        withheld: t, how many of them may withhold their share, or tell it to others.

    Example:
        >>> NoiseShares(parties=5, withheld=2).honest
        3
        >>> round(NoiseShares(parties=5, withheld=2).excess, 3)
        1.291
    """

    parties: int
    withheld: int = 0

    def __post_init__(self) -> None:
        if not 2 <= self.parties <= MOST_PARTIES:
            raise PlanError(
                "There are {met} parties; noise in shares is for 2 to {most}.",
                met=self.parties,
                most=MOST_PARTIES,
            )
        if not 0 <= self.withheld < self.parties:
            raise PlanError(
                "withheld is {withheld}; it must be at least 0 and below the number of parties, {parties}: "
                "one share at least has to be added.",
                withheld=self.withheld,
                parties=self.parties,
            )

    @property
    def honest(self) -> int:
        """Shares that are enough: k - t."""
        return self.parties - self.withheld

    @property
    def excess(self) -> float:
        """Standard deviation of all shares' sum over that of the plan's noise: sqrt(k / (k - t))."""
        return math.sqrt(self.parties / self.honest)


def gaussian_share_scale(loss: float, shares: NoiseShares, *, l1: float, l2: float, cells: int) -> float:
    """Smallest standard deviation of a share, from above, at which k - t shares cost at most a loss.

    Args:
        loss: rho.
        shares: Who adds noise.
        l1: L1 sensitivity.
        l2: L2 sensitivity.
        cells: Number of values that get noise.

    Example:
        >>> shares = NoiseShares(parties=4, withheld=0)
        >>> round(gaussian_share_scale(0.005, shares, l1=2, l2=math.sqrt(2), cells=10), 6)
        7.071068
    """
    scale = l2 / math.sqrt(2 * loss * shares.honest)
    step = 1e-12
    while gaussian_sum_loss(scale, shares.honest, l1=l1, l2=l2, cells=cells) > loss:
        scale *= 1 + step
        step = min(2 * step, 0.05)
    return scale


def gaussian_sum_loss(scale: float, count: int, *, l1: float, l2: float, cells: int) -> float:
    """The rho of a sum of discrete Gaussian shares; infinite below 1/2, where the bound does not hold.

    Source: [KLS2021, section 3].

    Args:
        scale: Standard deviation of a share.
        count: n, the number of shares.
        l1: L1 sensitivity.
        l2: L2 sensitivity.
        cells: d, the number of values.
    """
    if count > 1 and scale < 0.5:
        return math.inf
    tau = 10 * math.fsum(math.exp(-2 * (math.pi * scale) ** 2 * j / (j + 1)) for j in range(1, count))
    sd = math.sqrt(count) * scale
    squares = (
        (l2 / sd) ** 2 + 2 * tau * cells,
        (l2 / sd) ** 2 + 2 * tau * l1 / sd + tau**2 * cells,
        (l2 / sd + tau * math.sqrt(cells)) ** 2,
    )
    return min(squares) / 2 * (1 + _ROUNDING)
