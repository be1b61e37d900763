"""Three things that a weight does: what its rule asks for, what noise was drawn, and what was spent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
from scipy.stats import rankdata

from hmpb_core.model import Model
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.guarantee import Currency
from hmpb_core.stages.weights import risk_weights

FEW = 3
"""Attributes below which a rank correlation says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What a weight asks for, and what the run did.

    Attributes:
        name: The attribute.
        risk: Its risk entropy, 0 to 1.
        weight: Its weight by the gamma and the weights that are looked at.
        share: The weight over the sum of all weights.
        shift: Noise that the share asks for on a count of the attribute's own table, over that of an even
            share: (share d)^(-1/2) under zcdp, (share d)^-1 under pure.
        noise: Mean noise, as a standard deviation on a count, that the run drew for the tables of which the
            attribute is the child; None where weights had no say.
        uniform_noise: The same tables' noise had all weights been even.
        tables: How many of the run's weighted tables the attribute is in.
        spent: What the run spent on the attribute, all stages together, as an epsilon: its
            per-attribute privacy loss. None where nothing is protected.
    """

    name: str
    risk: float
    weight: float
    share: float
    shift: float
    noise: float | None
    uniform_noise: float | None
    tables: int
    spent: float | None


def weigh(model: Model, *, gamma: float, manual: Mapping[str, float]) -> list[Weighed]:
    """Lay what the rule asks for beside what the run drew and spent.

    Args:
        model: The paid model: its noisy one-way tables give the risk entropies.
        gamma: Strength of the rule; moves what is asked for, not what was drawn.
        manual: Weights set by hand, by column; each bit of a column has the column's.
    """
    names, columns = model.names, model.domain.names
    owners = model.plan.spec.owners(model.domain)
    known = {
        name: manual[columns[owner]]
        for name, owner in zip(names, owners, strict=True)
        if columns[owner] in manual
    }
    weights = risk_weights(model.one_way, names, gamma=gamma, manual=known)
    power = 1.0 if model.plan.guarantee.currency is Currency.PURE else 0.5
    tables = tables_of(model)
    return [
        Weighed(
            name=name,
            risk=weight.risk_entropy,
            weight=weight.weight,
            share=weight.share,
            shift=(weight.share * len(names)) ** -power,
            noise=drawn.noise_sd if (drawn := model.child_noise.get(i)) else None,
            uniform_noise=drawn.uniform_noise_sd if drawn else None,
            tables=tables[i],
            spent=model.bill.attributes[columns[owners[i]]],
        )
        for i, (name, weight) in enumerate(zip(names, weights, strict=True))
    ]


def tables_of(model: Model) -> list[int]:
    """In how many different tables of the stage conditional tables each encoded attribute is."""
    measured = {
        tuple(attribute for attribute, _ in act.attribute_loss)
        for act in model.entries
        if act.stage is Stage.CONDITIONAL_TABLES and act.act == "measure"
    }
    return [sum(i in table for table in measured) for i in range(len(model.names))]


def agreement(weighed: list[Weighed]) -> float | None:
    """Rank correlation of the shares and of uniform noise over the noise drawn; None where all are alike."""
    both = [(w.share, w.uniform_noise / w.noise) for w in weighed if w.noise and w.uniform_noise]
    if len(both) < FEW:
        return None
    asked, drawn = (rankdata([round(value, 9) for value in column]) for column in zip(*both, strict=True))
    spread = math.sqrt(float(asked.var() * drawn.var()))
    return float(((asked - asked.mean()) * (drawn - drawn.mean())).mean()) / spread if spread else None


def to_frame(weighed: list[Weighed], columns: Mapping[str, str]) -> pd.DataFrame:
    """Lay out as a table; ``columns`` gives the headings by field."""
    return pd.DataFrame({heading: [getattr(w, name) for w in weighed] for name, heading in columns.items()})


def manual_weights(edited: Mapping[str, float | None]) -> dict[str, float]:
    """Weights that were set by hand, out of the editor's column."""
    return {
        name: float(weight)
        for name, weight in edited.items()
        if isinstance(weight, int | float) and math.isfinite(weight) and weight > 0
    }
