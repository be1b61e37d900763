"""The noise on the tables that a bundle's model was paid for, by the columns they are over."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

INTERVAL = 1.96
"""Standard deviations to either side of a 95 % interval of Gaussian noise, or of a sum of much noise."""
OF_LAPLACE = -math.log(0.05) / math.sqrt(2)
"""The same of one draw of Laplace noise: 2.12."""
ONE_SIDED = 1.645
"""Standard deviations that noise exceeds one time in twenty; 1.63 of Laplace noise."""


class KnownNoise:
    """The noise on counts over some columns.

    Args:
        acts: Every look at the table, from the bundle.
        sizes: Number of codes of each column that was looked at whole.
        laplace: Whether its noise is Laplace's.
    """

    def __init__(self, acts: Sequence[Mapping[str, Any]], sizes: Mapping[str, int], *, laplace: bool) -> None:
        self._sizes, self._laplace = sizes, laplace
        self._tables = [
            (frozenset(act["attributes"]), float(act["noise_sd"])) for act in acts if act["kind"] == "table"
        ]

    def sd(self, names: tuple[str, ...]) -> float | None:
        """Standard deviation of the noise on a count over these columns; None where no table holds them."""
        return _joined([variance for variance, _ in self._looks(names)])

    def half(self, names: tuple[str, ...]) -> float | None:
        """Half the width of the 95 % noise interval of such a count; None where no table holds them.

        Laplace noise has longer tails than Gaussian noise, as far as no sum over cells evens them out.
        """
        looks, sd = self._looks(names), self.sd(names)
        if sd is None:
            return None
        cells_of_best = min(looks)[1]
        return (OF_LAPLACE if self._laplace and cells_of_best == 1 else INTERVAL) * sd

    def alone_sd(self, name: str) -> float | None:
        """Standard deviation of the noise on a count of a column by its own tables; None without one."""
        return _joined([sd**2 for held, sd in self._tables if held == {name}])

    def alone_half(self, name: str) -> float | None:
        """Half the width of the 95 % noise interval of such a count."""
        sd = self.alone_sd(name)
        return None if sd is None else (OF_LAPLACE if self._laplace else INTERVAL) * sd

    def first_look(self, name: str) -> float | None:
        """Standard deviation of the noise on a count of a column's own table, when it was first looked at."""
        return next((sd for held, sd in self._tables if held == {name}), None)

    def _looks(self, names: tuple[str, ...]) -> list[tuple[float, int]]:
        """Variance of a count by each table that holds these columns, and the cells summed for it."""
        wanted = frozenset(names)
        if not wanted <= self._sizes.keys():  # a column that was learned in parts, such as bits
            return []
        return [
            (sd**2 * cells, cells)
            for held, sd in self._tables
            if wanted <= held
            for cells in [math.prod(self._sizes[name] for name in held - wanted)]
        ]


def _joined(variances: Sequence[float]) -> float | None:
    """Standard deviation of a count by several looks, weighted by their precision."""
    if not variances:
        return None
    return 0.0 if 0 in variances else 1 / math.sqrt(sum(1 / variance for variance in variances))
