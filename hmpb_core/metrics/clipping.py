"""What the declared range does to a column: values outside it are moved to its ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Numeric
from hmpb_core.metrics.values import NO_SQUARE, deviation, numbers_of_column

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clipping:
    """The bias that clipping makes in one column, before any noise.

    Attributes:
        name: The attribute.
        below: Share of the real values below the declared minimum.
        above: Share of them above the declared maximum.
        mean_shift_sd: How far clipping moves the mean, in standard deviations of the unclipped values.
        sd_ratio: Standard deviation after clipping over before; None where nothing varies.
    """

    name: str
    below: float
    above: float
    mean_shift_sd: float
    sd_ratio: float | None


def clipping(real: pd.DataFrame, codebook: Codebook) -> tuple[Clipping, ...]:
    """Measure what the declared ranges cut off, for every attribute with a range.

    Args:
        real: The private table.
        codebook: Its public codebook.
    """
    found = []
    for attribute in codebook.domain.attributes:
        if isinstance(attribute, Numeric):
            values = numbers_of_column(real[attribute.name], attribute, codebook)
            found.append(_of(attribute, values[~np.isnan(values)]))
    return tuple(found)


def _of(attribute: Numeric, values: Floats) -> Clipping:
    if not len(values):
        return Clipping(name=attribute.name, below=0.0, above=0.0, mean_shift_sd=0.0, sd_ratio=None)
    clipped = np.clip(values, attribute.minimum, attribute.maximum)
    finite = bool(np.abs(values).max() < NO_SQUARE)  # infinite ones have neither a mean nor a deviation
    sd = deviation(values) if finite else 0.0
    shift = float(clipped.mean() - values.mean()) if finite else 0.0
    return Clipping(
        name=attribute.name,
        below=float((values < attribute.minimum).mean()),
        above=float((values > attribute.maximum).mean()),
        mean_shift_sd=shift / sd if sd > 0 else 0.0,
        sd_ratio=deviation(clipped) / sd if sd > 0 else None,
    )
