"""Noise scales from losses: the one place that turns a price into a scale.

The accountant draws at these scales; advice, forecasts and explanations foresee them. Looks at nothing.
"""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.sensitivity import count_l1_sensitivity, count_l2_sensitivity


def table_scale(loss: Fraction | float, guarantee: Guarantee, *, rows_per_person: int = 1) -> float:
    """Noise scale, in counts, of a table of counts measured at a loss.

        pure   b     = m s1 / loss,              s1 = 2 (replace-one) or 1 (add-remove)
        zcdp   sigma = m s2 / sqrt(2 loss),      s2 = sqrt(2) or 1

    Args:
        loss: epsilon or rho; infinite noise where it is 0.
        guarantee: Says the currency and the neighbours.
        rows_per_person: m.
    """
    if loss == 0:
        return math.inf
    l1 = rows_per_person * count_l1_sensitivity(guarantee.neighbors)
    l2 = rows_per_person * count_l2_sensitivity(guarantee.neighbors)
    return vector_scale(loss, guarantee, l1=l1, l2=l2)


def vector_scale(loss: Fraction | float, guarantee: Guarantee, *, l1: float, l2: float) -> float:
    """Noise scale of a vector of these sensitivities: l1 / loss (Laplace), l2 / sqrt(2 loss) (Gaussian)."""
    if guarantee.currency is Currency.PURE:
        return l1 / float(loss)
    return l2 / math.sqrt(2 * float(loss))


def noise_sd(scale: float, guarantee: Guarantee) -> float:
    """Standard deviation of noise of a scale: sqrt(2) b for Laplace, sigma for Gaussian noise."""
    return math.sqrt(2) * scale if guarantee.currency is Currency.PURE else scale


def mean_noise(scale: float, guarantee: Guarantee) -> float:
    """Mean size of noise of a scale: b for Laplace, sqrt(2 / pi) sigma for Gaussian noise."""
    return scale if guarantee.currency is Currency.PURE else math.sqrt(2 / math.pi) * scale


def discovery_threshold(scale: float, delta: float, guarantee: Guarantee, *, rows_per_person: int = 1) -> int:
    """Smallest noisy count at which a value met in the table may be told; see ``Accountant.discover``.

    The smallest T > m with m P(Z >= T - m) <= delta, Z the noise and m the rows a person may have:

        pure   P(Z >= t) = p^t / (1 + p), p = exp(-1/b)         discrete Laplace noise, t >= 1
        zcdp   P(Z >= t) <= 1 - Phi((t - 1) / sigma)            discrete Gaussian noise [CKS2020, Prop. 25]

    Example:
        >>> from hmpb_core.privacy.guarantee import Currency
        >>> pure = Guarantee(epsilon=0.1, delta=0, currency=Currency.PURE)
        >>> discovery_threshold(20.0, 1e-10, pure)
        449
    """
    m = rows_per_person
    if guarantee.currency is Currency.PURE:
        steps = scale * math.log(m / (1 + math.exp(-1 / scale)) / delta)
    else:
        steps = 1 - scale * NormalDist().inv_cdf(delta / m)
    return m + max(1, math.ceil(steps * (1 + 1e-9)))


def float_below(exact: Fraction) -> float:
    """The nearest float that is not above an exact value: what is spent never rounds up."""
    value = float(exact)
    return value if Fraction(value) <= exact else math.nextafter(value, 0.0)
