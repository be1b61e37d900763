"""How the values inside the intervals of a fine histogram are heaped: one more table, over marks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Numeric
from hmpb_core.heaping import Heaps, fitted_weights, marks_of, members
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.sources.base import Source
from hmpb_core.stages.values.measuring import VALUES_OF, FineHistogram
from hmpb_core.stages.values.tree import OUTLIER, shared

Floats = NDArray[np.float64]

import os
HEAPS_PART = Fraction(os.environ.get("HP","1/20"))
"""Part of an attribute's one-way budget that finds its heaps."""


def heaps_loss(attribute: Numeric, loss: Fraction) -> Fraction:
    """Give what finding an attribute's heaps costs: a public rule.

    Args:
        attribute: The attribute; its bins are to be learned.
        loss: What all of its one-way table costs.
    """
    return loss * HEAPS_PART if _marks(attribute) else Fraction(0)


def measure_heaps(
    source: Source,
    index: int,
    fine: FineHistogram,
    cells: NDArray[np.int64],
    rows: Floats,
    *,
    accountant: Accountant,
    loss: Fraction,
) -> Heaps | None:
    """Measure which marks values show, and fit weights to what comes out.

    Single values that many rows share are left out: the histogram knows how many rows they have.

    Args:
        source: The private table.
        index: The attribute.
        fine: Its fine histogram, paid before.
        cells: The cell of each of its intervals.
        rows: Estimated rows of each cell.
        accountant: Pays, from the stage of the one-way tables.
        loss: What this costs; 0 where nothing is measured.
    """
    attribute = source.domain.attributes[index]
    assert isinstance(attribute, Numeric)
    if not loss:
        return None
    marks, first = _marks(attribute), attribute.grid.first
    alike = ~_spikes(fine)
    groups = np.where(alike, 0, -1)
    if not alike.any():  # measured all the same: what is charged never depends on the table
        groups[0] = 0
    table = accountant.measure(
        source.mark_counts(index, np.append(fine.starts, fine.size), np.append(groups, -1), marks),
        stage=Stage.ONE_WAY_TABLES,
        loss=loss,
        what=f"{VALUES_OF}{attribute.name}, heaps",
    )
    ends = np.append(fine.starts[1:], fine.size)
    inside = np.bincount(cells, weights=fine.counts)
    part = np.where(inside > 0, np.bincount(cells, weights=fine.counts * alike) / np.maximum(inside, 1e-9), 0)
    places = members(marks, first, fine.starts, ends) * alike[:, None]
    of_cells = np.zeros((inside.size, len(marks)))
    np.add.at(of_cells, cells, places)
    known = (rows * part > 0) & (of_cells.sum(axis=1) > 0)
    if not known.any():
        return None
    masses, counts = (rows * part)[known], of_cells[known]
    even = masses @ (counts / counts.sum(axis=1, keepdims=True))
    noise_sd = np.full(len(marks), max(table.noise_sd, 1e-3))
    wanted = shared(float(masses.sum()), table.counts, noise_sd, even)
    return Heaps(marks, tuple(fitted_weights(counts, masses, wanted).tolist()), first)


def _marks(attribute: Numeric) -> tuple[str, ...]:
    grid = attribute.grid
    return marks_of(attribute.kind, grid.size, grid.step)


def _spikes(fine: FineHistogram) -> NDArray[np.bool_]:
    """Whether each interval is one value that stands out from those beside it by more than noise does."""
    last = fine.levels[-1]
    cells = last.starts < fine.size
    parents, noise_sd = last.parents[cells], last.variance**0.5
    lengths = np.diff(np.append(fine.starts, fine.size))
    wholes = np.bincount(parents, weights=lengths)[parents]
    even = np.bincount(parents, weights=fine.counts)[parents] / wholes
    alone = wholes == 1
    return (lengths == 1) & (fine.counts - np.where(alone, 0, even) > OUTLIER * noise_sd)
