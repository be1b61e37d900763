"""What happens to groups of people, by how many they are: error, bias, and the groups that vanished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Codes
from hmpb_core.metrics.agreement import CountedPair
from hmpb_core.metrics.marginals import subsets
from hmpb_core.metrics.small_groups import GROUP_SIZES

MOST_VANISHED = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeClass:
    """All groups whose real count lies in one range. A group is a cell of a two-way table.

    Attributes:
        low: Smallest real count of the range.
        high: Largest real count of the range; None for no limit.
        cells: Number of groups in it.
        relative_error: Mean of |synthetic - real| / real, the synthetic count scaled to the real rows.
        bias: Mean of (synthetic - real) / real: above 0 where such groups come out too large.
        lost: Share of these groups that the synthetic table does not have.
        second_error: ``relative_error`` of a second sample; None where it has no such group.
        second_lost: ``lost`` of a second sample.
    """

    low: int
    high: int | None
    cells: int
    relative_error: float
    bias: float
    lost: float
    second_error: float | None
    second_lost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Vanished:
    """A group of real people that the synthetic table does not have.

    Attributes:
        names: Its attributes.
        values: Their values, as labels.
        count: People in it.
    """

    names: tuple[str, ...]
    values: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Groups by size. Steward-only.

    Attributes:
        classes: The ranges that hold a group, smallest first.
        vanished: The largest groups that vanished, largest first.
        n_vanished: Number of groups that vanished, of all sizes.
        invented: Share of synthetic rows in groups that no real row is in: the mean over the tables.
        second_invented: The same of a second sample: the share of real rows that are alone in theirs.
    """

    classes: tuple[SizeClass, ...]
    vanished: tuple[Vanished, ...] = field(repr=False)
    n_vanished: int
    invented: float
    second_invented: float


def groups(tables: CountedPair, halves: tuple[Codes, Codes], *, sizes: Sequence[int] = GROUP_SIZES) -> Groups:
    """Compare the groups that hold somebody.

    The second sample's figures are those of one half of the real rows against the other: the relative
    error depends on a group's own count. The share of a second sample in groups that nobody was in
    is that of groups of one [Good1953].

    Args:
        tables: The real and the synthetic table.
        halves: Two halves of the real rows, as codes.
        sizes: Smallest count of each range, ascending.
    """
    domain = tables.domain
    sets = subsets(len(domain), min(2, len(domain)))
    ours = _cells(tables, sets)
    theirs = _cells(CountedPair(*halves, domain), sets)
    labels = [attribute.labels for attribute in domain.attributes]
    gone = [_vanished(tables, attributes, labels) for attributes in sets]
    largest = sorted((v for some, _ in gone for v in some), key=lambda v: -v.count)[:MOST_VANISHED]
    n_real, n_synthetic = tables.n_rows
    return Groups(
        classes=tuple(_classes(ours, theirs, sizes)),
        vanished=tuple(largest),
        n_vanished=sum(number for _, number in gone),
        invented=ours.invented / (n_synthetic * len(sets)),
        second_invented=float((ours.real == 1).sum()) / (n_real * len(sets)),
    )


@dataclass(frozen=True, slots=True)
class _Cells:
    """All cells that hold somebody: their count, the other table's scaled count, and its other rows."""

    real: NDArray[np.int64]
    other: NDArray[np.float64]
    invented: float


def _cells(tables: CountedPair, sets: Sequence[tuple[int, ...]]) -> _Cells:
    scale = tables.n_rows[0] / tables.n_rows[1]
    real, other, invented = [], [], 0
    for attributes in sets:
        ours, theirs = tables.counts(attributes)
        held = ours > 0
        real.append(ours[held])
        other.append(theirs[held] * scale)
        invented += int(theirs[~held].sum())
    return _Cells(np.concatenate(real), np.concatenate(other), float(invented))


def _classes(ours: _Cells, theirs: _Cells, sizes: Sequence[int]) -> list[SizeClass]:
    found = []
    for place, low in enumerate(sizes):
        high = sizes[place + 1] - 1 if place + 1 < len(sizes) else None
        error, bias, lost, cells = _figures(ours, low, high)
        second_error, _, second_lost, some = _figures(theirs, low, high)
        if cells:
            found.append(
                SizeClass(
                    low=low,
                    high=high,
                    cells=cells,
                    relative_error=error,
                    bias=bias,
                    lost=lost,
                    second_error=second_error if some else None,
                    second_lost=second_lost if some else None,
                )
            )
    return found


def _figures(cells: _Cells, low: int, high: int | None) -> tuple[float, float, float, int]:
    inside = (cells.real >= low) & (cells.real <= (high or np.inf))
    if not inside.any():
        return 0.0, 0.0, 0.0, 0
    real, other = cells.real[inside], cells.other[inside]
    change = (other - real) / real
    return float(np.abs(change).mean()), float(change.mean()), float((other == 0).mean()), int(inside.sum())


def _vanished(
    tables: CountedPair, attributes: tuple[int, ...], labels: Sequence[Sequence[str]]
) -> tuple[list[Vanished], int]:
    """The largest groups of one table that vanished, and how many did."""
    real, synthetic = tables.counts(attributes)
    domain = tables.domain
    if len(real) != domain.cells(attributes):
        return [], int(((real > 0) & (synthetic == 0)).sum())  # too large to be listed cell by cell
    gone = np.flatnonzero((real > 0) & (synthetic == 0))
    top = gone[np.argsort(-real[gone], kind="stable")][:MOST_VANISHED]
    shape = domain.shape(attributes)
    places = np.column_stack(np.unravel_index(top, shape)) if len(top) else np.empty((0, len(shape)), int)
    names = tuple(domain.attributes[a].name for a in attributes)
    return [
        Vanished(
            names=names,
            values=tuple(labels[a][code] for a, code in zip(attributes, cell, strict=True)),
            count=int(real[k]),
        )
        for cell, k in zip(places, top, strict=True)
    ], len(gone)
