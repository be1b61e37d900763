"""How the values inside the intervals of a fine histogram are heaped: tables over marks, hours, weekdays."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri  # the quantile of chi-squared; scipy.stats loads for half a second

from hmpb_core.domain import Numeric
from hmpb_core.heaping import Heaps, cycles_of, fitted_weights, marks_of, marks_of_times, members
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.sources.base import Source
from hmpb_core.stages.values.measuring import VALUES_OF, FineHistogram
from hmpb_core.stages.values.tree import OUTLIER, shaped, shared

Floats = NDArray[np.float64]

HEAPS_PART = Fraction(1, 20)
"""Part of an attribute's one-way budget that finds its heaps."""
CLEAR = 4.0
"""A column has heaps if some mark stands out from an even spread by this many standard deviations."""
CHANCE = 0.001
"""Chance that noise alone is taken for hours or weekdays that are not alike."""
SPARSE = 2.0
"""A mark that an even spread shows less often than its noise must stand out by this many standard deviations:
a round number that nobody has would be the commonest value."""
OFF = 0.05
"""By what part the histogram is believed to be wrong about the rows that share no single value."""
_NAMES = {24: "hours", 7: "weekdays"}
TURNS, MOST_MOVE = 4, 3.0
"""Times that the weights are put right once intervals have their rows, and by how much at most."""


def heaps_loss(attribute: Numeric, loss: Fraction) -> Fraction:
    """Give what finding an attribute's heaps costs: a public rule.

    Args:
        attribute: The attribute; its bins are to be learned.
        loss: What all of its one-way table costs.
    """
    return loss * HEAPS_PART * (bool(_marks(attribute)) + len(_cycles(attribute)))


def measure_heaps(
    source: Source,
    index: int,
    fine: FineHistogram,
    cells: NDArray[np.int64],
    rows: Floats,
    *,
    accountant: Accountant,
    loss: Fraction,
    total: float | None,
) -> tuple[Heaps | None, Floats]:
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
        total: Public number of rows; None where it is not public.

    Returns:
        The heaps, None where nothing was measured, and the rows of each interval of the histogram.
    """
    attribute = source.domain.attributes[index]
    assert isinstance(attribute, Numeric)
    known = _Known(
        fine=fine,
        cells=cells,
        rows=rows,
        alike=~_spikes(fine),
        total=total,
        lie_near=attribute.since is None,
    )
    marks, cycles = _marks(attribute), _cycles(attribute)
    if not loss:
        return None, known.refined(None)
    groups = np.where(known.alike, 0, -1)
    if not known.alike.any():  # measured all the same: what is charged never depends on the table
        groups[0] = 0
    asked = [(marks, "heaps")] * bool(marks) + [(parts, _NAMES[len(parts)]) for parts in cycles]
    tables = [
        accountant.measure(
            source.mark_counts(index, np.append(fine.starts, fine.size), np.append(groups, -1), parts),
            stage=Stage.ONE_WAY_TABLES,
            loss=loss / len(asked),
            what=f"{VALUES_OF}{attribute.name}, {what}",
        )
        for parts, what in asked
    ]
    heaps, refined = None, known.refined(None)
    for (parts, _), table in zip(asked, tables, strict=True):
        so_far = heaps or Heaps(("1",), (1.0,), attribute.places.first)
        heaps, refined = _heaped(known, so_far, parts, table, is_cycle=parts in cycles) or (heaps, refined)
    return heaps, refined


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is known of an attribute's rows before their heaps; see ``measure_heaps``.

    Attributes:
        alike: Which intervals are no single value that many rows share.
        lie_near: Whether rows lie near other rows; see ``tree.shaped``.
    """

    fine: FineHistogram
    cells: NDArray[np.int64]
    rows: Floats
    alike: NDArray[np.bool_]
    total: float | None
    lie_near: bool

    @property
    def ends(self) -> NDArray[np.int64]:
        """One past the last position of each interval."""
        return np.append(self.fine.starts[1:], self.fine.size)

    def refined(self, heaps: Heaps | None) -> Floats:
        """Rows of each interval, where values are heaped like this."""
        fine, ends = self.fine, self.ends
        if heaps is None:
            return spread_inside(fine.counts, (ends - fine.starts).astype(float), self.cells, self.rows)
        estimate = shaped(fine.levels, fine.size, self.total, heaps, lie_near=self.lie_near)
        within = estimate[: fine.starts.size]
        return spread_inside(within, heaps.weight(fine.starts, ends), self.cells, self.rows)


def _heaped(
    known: _Known, so_far: Heaps, parts: tuple[str, ...], table: NoisyMarginal, *, is_cycle: bool
) -> tuple[Heaps, Floats] | None:
    """Find weights of marks, hours or weekdays; None where values lie evenly, as far as is seen.

    Args:
        known: What is known of the rows.
        so_far: Heaps that were found before.
        parts: The marks.
        table: Noisy rows that show each of them.
        is_cycle: Whether they are hours or weekdays, whose weights are multiplied with those before.

    Returns:
        The heaps, and the rows of each interval.
    """
    fine, cells, alike = known.fine, known.cells, known.alike
    inside = np.bincount(cells, weights=fine.counts)
    part = np.where(inside > 0, np.bincount(cells, weights=fine.counts * alike) / np.maximum(inside, 1e-9), 0)
    places = members(parts, so_far.first, fine.starts, known.ends) * so_far.mean_weights(parts)
    places *= alike[:, None]
    of_cells = np.zeros((inside.size, len(parts)))
    np.add.at(of_cells, cells, places)
    some = (known.rows * part > 0) & (of_cells.sum(axis=1) > 0)
    if not some.any():
        return None
    masses, counts = (known.rows * part)[some], of_cells[some]
    even = masses @ (counts / counts.sum(axis=1, keepdims=True))
    noise_sd = np.full(len(parts), max(table.noise_sd, 1e-3))
    wanted = (_wanted_of_cycle if is_cycle else _wanted_of_marks)(table.counts, noise_sd, even)
    if wanted is None:
        return None  # noise alone would roughen what is even
    weights = fitted_weights(counts, masses, wanted)
    for _ in range(TURNS):
        first = so_far.first
        heaps = (
            so_far.multiplied(parts, weights) if is_cycle else Heaps(parts, tuple(weights.tolist()), first)
        )
        refined = known.refined(heaps)
        spread = places * weights
        sums = spread.sum(axis=1)
        now = (refined * alike / np.where(sums > 0, sums, 1.0)) @ spread
        move = np.clip(wanted / np.maximum(now, 1e-9), 1 / MOST_MOVE, MOST_MOVE)
        weights = np.where(now > 0, weights * move, weights)
        weights = np.clip(weights, 1e-9, 1e9)
    return heaps, refined


def _wanted_of_marks(counts: Floats, noise_sd: Floats, even: Floats) -> Floats | None:
    """Rows that are to show each mark; None where no mark stands out from an even spread."""
    if not (_deviations(counts, noise_sd, even) >= CLEAR).any():
        return None
    return _wanted(counts, noise_sd, even)


def _wanted_of_cycle(counts: Floats, noise_sd: Floats, even: Floats) -> Floats | None:
    """Rows that are to lie in each hour or on each weekday; None where they may as well lie evenly.

    From the top down as in the histogram: hours are three by three at first.
    """
    block = np.arange(even.size) // (3 if even.size % 3 == 0 else 1)
    sums = np.bincount(block, weights=counts).astype(np.float64)
    evens = np.bincount(block, weights=even).astype(np.float64)
    sds = np.sqrt(np.bincount(block, weights=noise_sd**2))
    if (_deviations(sums, sds, evens) ** 2).sum() < chdtri(sums.size - 1, CHANCE):
        return None
    wanted = np.zeros_like(even)
    for place, rows in enumerate(_wanted(sums, sds, evens).tolist()):
        inside = block == place
        wanted[inside] = shared(rows, counts[inside], noise_sd[inside], even[inside])
    return wanted


def _deviations(counts: Floats, noise_sd: Floats, even: Floats) -> Floats:
    """By how many standard deviations counts are more than an even spread makes them."""
    expected = even * (max(0.0, float(counts.sum())) / float(even.sum()))
    deviations: Floats = (counts - expected) / np.hypot(noise_sd, OFF * expected)
    return deviations


def spread_inside(within: Floats, widths: Floats, cells: NDArray[np.int64], rows: Floats) -> Floats:
    """Share the rows of each cell among its intervals.

    Args:
        within: What the histogram says of each interval's rows.
        widths: How the rows of a cell lie where the histogram says nothing; those of a cell without any are
            taken for alike.
        cells: The cell of each interval.
        rows: Estimated rows of each cell.
    """
    inside = np.bincount(cells, weights=within)
    whole = np.bincount(cells, weights=widths)[cells]
    even = np.where(whole > 0, widths, 1.0) / np.where(whole > 0, whole, np.bincount(cells)[cells])
    shares = np.where(inside[cells] > 0, within / np.where(inside > 0, inside, 1.0)[cells], even)
    refined: Floats = rows[cells] * shares
    return refined


def _wanted(counts: Floats, noise_sd: Floats, even: Floats) -> Floats:
    """Rows that are to show each mark, of which noise tells little apart from an even spread.

    What is shared out is between what the counts sum to and what the histogram knows, by precision: some of
    the values that it takes for single ones are not.
    """
    known = float(even.sum())
    own, other = float((noise_sd**2).sum()), (OFF * known) ** 2
    total = max((counts.sum() * other + known * own) / (own + other), known / 2)
    wanted: Floats = shared(total, counts, noise_sd, even * (total / known)) * (known / total)
    hidden = (even < noise_sd) & (counts - even < SPARSE * noise_sd)
    if hidden.any() and (wanted[~hidden] > 0).any():
        wanted[hidden] = np.minimum(wanted, even)[hidden]
        wanted[~hidden] *= (known - wanted[hidden].sum()) / wanted[~hidden].sum()
    return wanted


def _marks(attribute: Numeric) -> tuple[str, ...]:
    if attribute.listed:  # people's rounding is in the list
        return ()
    grid = attribute.places
    if attribute.since is not None:
        return marks_of_times(attribute.kind, grid.size, grid.step)
    return marks_of(attribute.kind, grid.size, grid.step)


def _cycles(attribute: Numeric) -> tuple[tuple[str, ...], ...]:
    grid = attribute.places
    return () if attribute.since is not None else cycles_of(attribute.kind, grid.size, grid.step)


def _spikes(fine: FineHistogram) -> NDArray[np.bool_]:
    """Whether each interval is one value that stands out from those beside it by more than noise does."""
    last = fine.levels[-1]
    parents = last.parents[last.starts < fine.size]
    found = _single(fine, parents, last.variance)
    if not fine.apart:
        return found
    before = fine.levels[-2]  # the last level is of the values that were set apart alone
    others = _single(fine, before.parents[parents], before.variance)
    return np.where(np.bincount(parents)[parents] > 1, found, others)


def _single(fine: FineHistogram, parents: NDArray[np.int64], variance: float) -> NDArray[np.bool_]:
    lengths = np.diff(np.append(fine.starts, fine.size))
    wholes = np.bincount(parents, weights=lengths)[parents]
    even = np.bincount(parents, weights=fine.counts)[parents] / wholes
    above = fine.counts - np.where(wholes == 1, 0, even)
    stands_out: NDArray[np.bool_] = (lengths == 1) & (above > OUTLIER * variance**0.5)
    return stands_out
