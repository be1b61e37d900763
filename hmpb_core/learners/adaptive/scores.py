"""How far the model is from the table, pair by pair. Private: scores go to the accountant only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from hmpb_core.graphical.inference import Table
from hmpb_core.marginal import Marginal
from hmpb_core.sources.base import Source

PENALTY = 0.85
"""Part of the expected error that counts: shrinkage takes the rest off."""


class ExactTables:
    """Exact tables, counted once each. Private: holds exact counts and shows none.

    Args:
        source: The private table, over merged values.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._tables: dict[tuple[int, ...], Marginal] = {}

    def __repr__(self) -> str:
        return "ExactTables(hidden)"

    def marginal(self, attributes: tuple[int, ...]) -> Marginal:
        """The exact table, to be measured."""
        self._count([attributes])
        return self._tables[attributes]

    def _count(self, sets: Sequence[tuple[int, ...]]) -> None:
        """Count what was not counted before, in one call."""
        new = [attributes for attributes in sets if attributes not in self._tables]
        for table in self._source.marginals(new):
            self._tables[table.attributes] = table

    def gains(
        self,
        candidates: Sequence[tuple[int, ...]],
        model: Mapping[tuple[int, ...], Table],
        noise_sd: Mapping[tuple[int, ...], float],
    ) -> list[float]:
        """Score candidates: what measuring a table is expected to mend, in rows.

            1/2 |C - M|_1 - p E(M, s)

        with C the exact table, M the model's and E the expected error of measuring it with
        noise s (``expected_error``), of which the part p, ``PENALTY``, counts. M and E are public, so one row
        moves a score by no more than it moves the total variation: 1 under ``replace-one``, 1/2 under
        ``add-remove``.

        Source: [McKenna2022, quality score], with total variation, and with the
        model's own knowledge of which cells are empty.
        """
        self._count(candidates)
        # All tables end to end: one step for all of them instead of a few for each.
        exact = np.concatenate([self._tables[c].counts.ravel() for c in candidates])
        models = np.concatenate([model[c].ravel() for c in candidates])
        sizes = [model[c].size for c in candidates]
        starts = np.cumsum([0, *sizes[:-1]])
        most = np.repeat([math.sqrt(2 / math.pi) * noise_sd[c] for c in candidates], sizes)
        off = 0.5 * np.add.reduceat(np.abs(exact - models), starts)
        errors = 0.5 * np.add.reduceat(np.minimum(most, models), starts)  # as in ``expected_error``
        gains: list[float] = (off - PENALTY * errors).tolist()
        return gains


def expected_error(model: Table, noise_sd: float) -> float:
    """Expected total variation, in rows, of a non-negative estimate made from a noisy table.

        1/2 sum_cells min(sqrt(2/pi) s, M)

    A cell is off by the noise's mean size, but one that is nearly empty by no more than
    what it holds. Public: M is the model's table.

    Example:
        >>> round(expected_error(np.array([100.0, 1.0]), 10.0), 2)
        4.49
    """
    return 0.5 * float(np.minimum(math.sqrt(2 / math.pi) * noise_sd, model).sum())
