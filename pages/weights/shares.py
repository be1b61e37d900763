"""From risk entropy to weight, share and expected error: formulas over what is paid for already."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from hmpb_core.model import Model
from hmpb_core.planning.bill import Bill
from hmpb_core.planning.noise_scales import NoiseScales, reference_pair
from hmpb_core.stages.weights import risk_weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What the weights do to one attribute.

    Attributes:
        name: The attribute.
        risk: Its risk entropy, 0 to 1.
        weight: Its weight.
        share: Its part of the budget of the networks' tables.
        error: Expected error of its two-way tables, as a share of the rows.
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

    The expected error is that of a two-way table of the attribute and a typical other, measured
    with the attribute's share; the same reference as on the page Plan.

    Args:
        model: The paid model: its noisy one-way tables give the risk entropies.
        gamma: Strength of the rule.
        manual: Weights set by hand.
    """
    names = model.names
    known = {name: weight for name, weight in manual.items() if name in names}
    weights = risk_weights(model.one_way, names, gamma=gamma, manual=known)
    sizes = model.encoded_domain.sizes
    noise = _Noise(model)
    losses = _losses(model)
    even = 1 / len(names)
    return [
        Weighed(
            name=name,
            risk=weight.risk_entropy,
            weight=weight.weight,
            share=weight.share,
            error=noise.error(sizes[i], weight.share),
            even_error=noise.error(sizes[i], even),
            loss=losses.get(name),
        )
        for i, (name, weight) in enumerate(zip(names, weights, strict=True))
    ]


class _Noise:
    """Error of a reference two-way table by its share of the budget."""

    def __init__(self, model: Model) -> None:
        self._scales = NoiseScales(model.plan, model.encoded_domain, max(2, model.n_rows))
        self._protected = model.bill.protected

    def error(self, size: int, share: float) -> float:
        """Expected error, as a share of the rows."""
        if not self._protected or share <= 0:
            return 0.0
        even = 1 / (self._scales.d * share)  # the scales are those of equal shares
        level = self._scales.table_level * (even if self._scales.pure else math.sqrt(even))
        return reference_pair(size, self._scales.partner).error(level)


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
