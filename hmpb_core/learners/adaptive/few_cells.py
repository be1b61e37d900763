"""Pair tables whose rows are in few cells: a code beside its label, a town beside its postcode. Free.

In such a table nearly all cells hold nothing, and together their noise outweighs what the others hold.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

STANDS_OUT = 0.8
"""Of sqrt(2 log m) standard deviations, which noise in m cells hardly ever reaches: a little less lets fewer
cells go under that do hold rows."""
FAR = 0.6
"""Total variation from independence, of what stands out, from which on a table may be one of few cells."""
DOUBT = 2.0
"""Standard deviations that noise and shares drawn from it may be off."""

Floats = NDArray[np.float64]


def in_few_cells(noisy: Floats, expected: Floats, noise_sd: float) -> Floats | None:
    """Tell the cells that hold a table's rows from those that hold only noise, where that can be told.

    Of m cells those beyond 0.8 sqrt(2 log m) standard deviations of the noise stand out and are kept as
    measured; the others share the rows that are left as independence would have it, or are empty if these
    may be noise. This is done where what stands out is far from independence and what the
    others show beside their share is no more than noise.

    Source: [Donoho1994, the universal threshold].

    Args:
        noisy: The noisy table, shape (m1, m2).
        expected: Its counts if the two attributes were independent, same shape; their sum is the rows'.
        noise_sd: Standard deviation of the noise on a count.

    Returns:
        The table without that noise; None where the rows are not in few cells, or nobody can tell.
    """
    total = float(expected.sum())
    kept = noisy > STANDS_OUT * math.sqrt(2 * math.log(max(noisy.size, 2))) * noise_sd
    others = int(np.count_nonzero(~kept))
    held = float(noisy[kept].sum())
    if not others or held - float(expected[kept].sum()) < FAR * total:
        return None
    left = total - held
    if left < DOUBT * math.sqrt(noisy.size - others) * noise_sd:
        left = 0.0
    beside = max(float(expected[~kept].sum()), 1e-300)
    shares: Floats = np.where(kept, noisy, expected * (left / beside))
    energy = float(((noisy - shares)[~kept] ** 2).sum()) / max(noise_sd, 1e-300) ** 2
    return shares if energy <= others + DOUBT * math.sqrt(2 * others) else None
