"""Risk entropy and the weights it sets: who gets how much of the conditional tables' budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.errors import PlanError


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskWeight:
    """How an attribute's risk sets its share.

    Attributes:
        risk_entropy: Normalised risk entropy OE, 0 to 1.
        weight: exp(-gamma OE), or the weight set by hand.
        share: The weight over the sum of all weights.
    """

    risk_entropy: float
    weight: float
    share: float


def entropy(probabilities: NDArray[np.float64]) -> float:
    """Entropy in bits.

    Source: [Zhang2022, eq. 7].

    Example:
        >>> entropy(np.array([0.5, 0.5]))
        1.0
    """
    positive = probabilities[probabilities > 0]
    return max(0.0, float(-(positive * np.log2(positive)).sum()))


def risk_entropy(probabilities: NDArray[np.float64]) -> float:
    """Normalised risk entropy OE = H(X) / log n, n the number of values; 0 for a single value.

    Source: [Zhang2022, eq. 11].
    """
    size = len(probabilities)
    return min(1.0, entropy(probabilities) / np.log2(size)) if size > 1 else 0.0


def risk_weights(
    one_way: Sequence[NDArray[np.float64]],
    names: Sequence[str],
    *,
    gamma: float,
    manual: Mapping[str, float] | None = None,
) -> list[RiskWeight]:
    """Give every attribute its weight w = exp(-gamma OE) and its share w / sum w.

    gamma = 1 is the paper's rule, 0 gives equal shares, a negative gamma favours rich attributes.

    Args:
        one_way: Probabilities of each attribute's values; noisy ones under the sound accounting.
        names: The attributes' names.
        gamma: Strength of the rule.
        manual: Weights set by hand; the others keep the rule's.

    Source: [Zhang2022, eq. 12].

    Raises:
        PlanError: a manual weight is not positive, or names no attribute.
    """
    manual = manual or {}
    for name, weight in manual.items():
        if name not in names:
            raise PlanError("A weight is set for {name!r}, which is not in the codebook.", name=name)
        if not (np.isfinite(weight) and weight > 0):
            raise PlanError(
                "The weight of {name!r} is {weight}; weights must be above 0.", name=name, weight=weight
            )
    risks = [risk_entropy(probabilities) for probabilities in one_way]
    weights = [
        float(manual.get(name, np.exp(-gamma * risk))) for name, risk in zip(names, risks, strict=True)
    ]
    total = sum(weights)
    return [
        RiskWeight(risk_entropy=risk, weight=weight, share=weight / total)
        for risk, weight in zip(risks, weights, strict=True)
    ]


def split_loss(loss: Fraction, weights: Sequence[float]) -> list[Fraction]:
    """Split a loss in proportion to weights, exactly: the parts sum to the loss."""
    exact = [Fraction(weight) for weight in weights]
    total = sum(exact)
    return [loss * weight / total for weight in exact]
