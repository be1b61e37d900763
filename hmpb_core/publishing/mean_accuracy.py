"""How far a number's mean may be off: what a bundle's own files say of it, and where they say nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Numeric
from hmpb_core.publishing.known_noise import INTERVAL
from hmpb_core.stages.values.measuring import LEAST_NOISE

Floats = NDArray[np.float64]

OF_CELLS = 6.0
"""Half the width of a learned mean's interval, over the noise on a cell's share and the spread of the values:
as if ten cells, as wide apart as the values are, were off independently. Measured, docs/ledger.md."""
OF_FURTHEST = 2.0
"""The same over the distance of the furthest value from the mean: its cell alone may be as far off. Of rare
large amounts that is more."""
FEWEST = 1e-9


def mean_interval(
    attribute: Numeric, shares: Floats, *, code_sd: float, cell_sd: float, people: int
) -> float | None:
    """Half the width of a 95 % interval of a column's mean, in its own unit.

        learned bins:     (s max(6 sd, 2 f) + s r) / v
        declared bins:    1.96 s' sqrt(sum_k (m_k - m)^2) / v + sum_k p_k w_k / (2 v)

    with s and s' the noise on the share of a counted cell and of a code, sd the spread of the values, f the
    distance of the furthest one from the mean m, r how far the declared range reaches beyond it, v the share
    of the rows with a value, and p_k, m_k and w_k the share, the middle and the width of a bin. Noise may
    hide some rows at the far end of the range, and where in a declared bin its rows lie is not known.

    Args:
        attribute: The column, with its learned bins.
        shares: Share of each code.
        code_sd: Standard deviation of the noise on the count of a code, by all looks at it.
        cell_sd: The same of a cell that learned bins were made of, by the look that counted the cells.
        people: Number of rows of the private table.

    Returns:
        None where nothing is known: of one code, and where the interval would be wider than the values lie.
    """
    if attribute.n_bins < 2:
        return None
    inside = shares[: attribute.n_bins]
    known = max(float(inside.sum()), FEWEST)
    if attribute.pieces is not None:
        noise = max(cell_sd, LEAST_NOISE) / people / known
        spread, furthest, beyond = _spread_and_ends(attribute, inside / known)
        half, limit = noise * (max(OF_CELLS * spread, OF_FURTHEST * furthest) + beyond), spread
    else:
        means, weights = np.array(attribute.bin_means), inside / known
        away = means - float(weights @ means)
        bias = float(weights @ np.diff(attribute.bin_edges)) / 2
        half = INTERVAL * code_sd / people / known * float(np.sqrt((away**2).sum())) + bias
        limit = (attribute.maximum - attribute.minimum) / 2
    return half if 0 < half <= limit else None


def _spread_and_ends(attribute: Numeric, shares: Floats) -> tuple[float, float, float]:
    """Spread of the values, how far the furthest lies from the mean, and the range's end from there."""
    pieces = attribute.pieces
    assert pieces is not None
    grid = attribute.places
    starts = np.array((*pieces.starts, pieces.size), dtype=np.int64)
    middles, inside = grid.moments(starts[:-1], starts[1:])
    weights = np.array(pieces.shares) * shares[np.array(pieces.codes)]
    weights = weights / max(float(weights.sum()), FEWEST)
    mean = float(weights @ middles)
    spread = float(np.sqrt(weights @ ((middles - mean) ** 2 + inside)))
    held = np.flatnonzero(weights > 0)
    ends = (starts[held[0]], starts[held[-1] + 1] - 1) if held.size else (0, 0)
    least, low, high, most = grid.values(np.array([0, *ends, pieces.size - 1])).tolist()
    return spread, max(mean - low, high - mean), max(low - least, most - high)
