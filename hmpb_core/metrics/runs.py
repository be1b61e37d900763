"""How near the synthetic tables of several runs came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The same table made several times, compared with the real one.

    Attributes:
        pairs: AVD of two-way tables, one value a run.
        triples: AVD of three-way tables, one value a run.
        seconds: Mean time of a run.
    """

    pairs: tuple[float, ...]
    triples: tuple[float, ...]
    seconds: float

    @property
    def error(self) -> float:
        """Mean AVD of two-way tables."""
        return float(np.mean(self.pairs))

    @property
    def spread(self) -> float:
        """Half the range of the runs' AVD."""
        return (max(self.pairs) - min(self.pairs)) / 2
