"""Risk entropy and the weights it sets: who gets how much of the conditional tables' budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A noisy table of the stage conditional tables, as far as the weights go.

    Attributes:
        attributes: The table's attributes.
        child: The attribute whose weight set the table's part.
        loss: What the table cost: epsilon or rho.
    """

    attributes: tuple[int, ...]
    child: int
    loss: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildNoise:
    """Noise drawn for the tables of which an attribute is the child.

    Attributes:
        noise_sd: Mean over these tables of the standard deviation of the noise on a count.
        uniform_noise_sd: What even weights would have drawn there: the same tables, the same total.
    """

    noise_sd: float
    uniform_noise_sd: float


def noise_by_child(
    looks: Sequence[Look], weights: Sequence[float], noise_sd: Callable[[float], float]
) -> dict[int, ChildNoise]:
    """What the weights did to the noise, attribute by attribute.

    A table's loss is its child's weight times what the table would get of weights that are all
    even; even weights would have spent the same sum. Several looks at one table count as one, by
    precision. Public: nothing but losses.

    Args:
        looks: All tables that weights had a say in.
        weights: The weights that were applied, one an attribute.
        noise_sd: Noise on a count of a table that costs this much.

    Example:
        >>> looks = [Look(attributes=(0, 1), child=1, loss=3.0), Look(attributes=(0,), child=0, loss=1.0)]
        >>> found = noise_by_child(looks, [1.0, 3.0], lambda loss: 1 / loss)
        >>> found[1].uniform_noise_sd / found[1].noise_sd
        1.5
    """
    even = math.fsum(look.loss / weights[look.child] for look in looks)
    scale = math.fsum(look.loss for look in looks) / even if even else 1.0
    precisions: dict[tuple[int, tuple[int, ...]], list[float]] = {}
    for look in looks:
        sums = precisions.setdefault((look.child, look.attributes), [0.0, 0.0])
        sums[0] += noise_sd(look.loss) ** -2
        sums[1] += noise_sd(look.loss / weights[look.child] * scale) ** -2
    drawn: dict[int, list[list[float]]] = {}
    for (child, _), sums in precisions.items():
        drawn.setdefault(child, []).append(sums)
    return {
        child: ChildNoise(
            noise_sd=math.fsum(own**-0.5 for own, _ in tables) / len(tables),
            uniform_noise_sd=math.fsum(uniform**-0.5 for _, uniform in tables) / len(tables),
        )
        for child, tables in sorted(drawn.items())
    }


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
