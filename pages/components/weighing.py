"""From risk entropy to weight, share and expected error: formulas over what is paid for already."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import pandas as pd

from hmpb_core.networks.weights import risk_weights
from hmpb_core.plan import Plan
from hmpb_core.privacy.bill import Bill
from hmpb_core.privacy.budget import Stage
from hmpb_core.synthesizers.hmprivbayes import accountant_for
from hmpb_core.synthesizers.model import Model

_MEAN_OF_GAUSSIAN = math.sqrt(2 / math.pi)
_MEAN_OF_LAPLACE = 1 / math.sqrt(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What the weights do to one attribute.

    Attributes:
        name: The attribute.
        risk: Its risk entropy, 0 to 1.
        weight: Its weight.
        share: Its part of the budget of the networks' tables.
        error: Expected error of its table, as a share of the rows.
        even_error: The same where all attributes have the same weight.
        loss: Its per-attribute privacy loss, as an epsilon; None where nothing is protected.
    """

    name: str
    risk: float
    weight: float
    share: float
    error: float
    even_error: float
    loss: float | None


def weigh(model: Model, *, gamma: float, manual: Mapping[str, float]) -> list[Weighed]:
    """Work out the weights and what they lead to, with the model's own tables and budget.

    The expected error of a table of c cells at noise sigma a count is c E|noise| / (2 n), at most 1.

    Args:
        model: The paid model: its noisy one-way tables give the risk entropies.
        gamma: Strength of the rule.
        manual: Weights set by hand.
    """
    plan, names = model.plan, model.names
    known = {name: weight for name, weight in manual.items() if name in names}
    weights = risk_weights(model.one_way, names, gamma=gamma, manual=known)
    cells = {t.family.child: t.probabilities.size for t in model.tables}
    noise = _Noise(plan, model)
    losses = _losses(model)
    even = 1 / len(names)
    return [
        Weighed(
            name=name,
            risk=weight.risk_entropy,
            weight=weight.weight,
            share=weight.share,
            error=noise.error(cells[i], weight.share),
            even_error=noise.error(cells[i], even),
            loss=losses.get(name),
        )
        for i, (name, weight) in enumerate(zip(names, weights, strict=True))
    ]


class _Noise:
    """Noise of a table by its share of the budget."""

    def __init__(self, plan: Plan, model: Model) -> None:
        stage = Stage.CONDITIONALS if plan.shares.of(Stage.CONDITIONALS) > 0 else Stage.PROFILE
        self._accountant = accountant_for(plan, model.domain)
        self._budget = self._accountant.budget.loss(stage)
        self._mean = _MEAN_OF_LAPLACE if plan.guarantee.delta == 0 else _MEAN_OF_GAUSSIAN
        self._rows = model.n_rows
        self._protected = model.bill.protected

    def error(self, cells: int, share: float) -> float:
        """Expected error of a table, as a share of the rows."""
        if not self._protected or share <= 0:
            return 0.0
        sd = self._accountant.table_noise_sd(self._budget * Fraction(share))
        return min(1.0, cells * self._mean * sd / (2 * self._rows))


def _losses(model: Model) -> dict[str, float | None]:
    """Per-attribute loss; a bit has that of its attribute."""
    bill: Bill = model.bill
    losses = dict(bill.attributes)
    return {name: losses.get(name, losses.get(name.rpartition(":")[0])) for name in model.names}


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


def with_weights(plan: Plan, gamma: float, manual: Mapping[str, float]) -> Plan:
    """The plan with other weights."""
    return replace(plan, gamma=gamma, weights=dict(manual))
