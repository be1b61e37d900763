"""Bins and values of the attributes that ask for it, learned from part of the one-way tables' budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import cast

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Domain, Numeric
from hmpb_core.grid import Pieces
from hmpb_core.marginal import NoisyMarginal, joined
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.repeated import MayRepeat
from hmpb_core.sources.base import Source
from hmpb_core.stages.values.bins import best_bins
from hmpb_core.stages.values.heaps import heaps_loss, measure_heaps
from hmpb_core.stages.values.measuring import FineHistogram, measure_values
from hmpb_core.stages.values.repeats import Repeats
from hmpb_core.stages.values.since import SINCE_PART, short_of, told_by_difference
from hmpb_core.stages.values.single_values import parted, set_apart, settled
from hmpb_core.stages.values.tree import FAINT, consistent, covariance_of_sums, significant

Floats = NDArray[np.float64]
Cuts = Mapping[int, NDArray[np.int64]]

FINE_PART = Fraction(1, 2)
"""Part of an attribute's one-way budget that finds where its rows are; the rest counts the cells found."""
CELLS = 24
"""Largest number of cells that are counted; codes are made of them. On Adult 24 lose less than
16, 32, 48 and 64 do."""

LEAST_CODE = 2.0
"""Fewest rows of a code, in standard deviations of the noise on a cell."""
FAINT_TIMES = 2.0
"""A cell of times since another date is empty within this many standard deviations of its noise: a few rows
that are years away outweigh all short times."""
CELL_PRICE = 0.004
"""What counting k cells costs, over k^2 and the noise of a cell over the rows. Nothing for times since
another date: their long tail needs its cells."""
PAIR_PRICE = 0.2
"""What k codes cost the tables of pairs, over k^2 and the noise of a cell over the rows."""
_NO_CUTS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedValues:
    """The table over learned bins, and the one-way tables that were measured on the way.

    Attributes:
        source: The private table over the learned domain.
        measured: The noisy one-way table of each attribute with learned bins.
        spent: What all of this cost.
    """

    source: Source
    measured: Mapping[int, NoisyMarginal] = field(default_factory=dict, repr=False)
    spent: Fraction = Fraction(0)


def learn_values(
    source: Source,
    losses: Sequence[Fraction],
    *,
    accountant: Accountant,
    total: float | None,
    cuts: Cuts | None = None,
    repeats: Repeats | None = None,
) -> LearnedValues:
    """Learn bins and values where the codebook asks for it and the source knows fine positions.

    Args:
        source: The private table.
        losses: What the one-way table of each attribute may cost; all of it is spent.
        accountant: Pays, from the stage of the one-way tables.
        total: Public number of rows; None where it is not public.
        cuts: Positions of the grid, by attribute, at which a code is to begin, where no time since another
            date is told; public.
        repeats: Tells which columns repeat others.
    """
    wanted = [
        index
        for index, attribute in enumerate(source.domain.attributes)
        if isinstance(attribute, Numeric) and attribute.learned
    ]
    if not wanted or not source.fine.issuperset(wanted):
        return LearnedValues(source=source)
    attributes: list[Attribute] = list(source.domain.attributes)
    measured: dict[int, NoisyMarginal] = {}
    asked = {} if repeats is None else repeats.possible
    for index in _in_turn(wanted, source.domain, asked):
        attribute, left = attributes[index], losses[index]
        assert isinstance(attribute, Numeric)
        near = False
        if attribute.since is not None:
            root = _root(attributes, source.domain.index(attribute.since.column), source.domain)
            short = short_of(attribute, cast("Numeric", attributes[root]), measured[root].counts)
            if short:
                paid = left * SINCE_PART
                left -= paid
                near = told_by_difference(source, index, accountant=accountant, loss=paid, short=short)
        if repeats is not None and index in asked and not near:
            source, left = repeats.told(source, index, left, measured)
        elif attribute.since is not None and not near:
            attributes[index] = replace(attribute, since=None)
            source = source.recoded(Domain(tuple(attributes)))
        attribute = attributes[index] = cast("Numeric", source.domain.attributes[index])
        begin = _NO_CUTS if attribute.since is not None else (cuts or {}).get(index, _NO_CUTS)
        pieces, measured[index] = _learn(
            source, index, accountant=accountant, loss=left, total=total, cuts=begin
        )
        attributes[index] = attribute.with_pieces(pieces)
        if repeats is not None:
            repeats.learned[index] = attributes[index]
    return LearnedValues(
        source=source.recoded(Domain(tuple(attributes))),
        measured=measured,
        spent=sum((losses[index] for index in wanted), Fraction(0)),
    )


def _root(attributes: Sequence[Attribute], index: int, domain: Domain) -> int:
    """What an attribute counts from in the end; itself where it is told by its own values."""
    while (since := cast("Numeric", attributes[index]).since) is not None:
        index = domain.index(since.column)
    return index


def _in_turn(wanted: Sequence[int], domain: Domain, repeats: MayRepeat) -> list[int]:
    """The attributes in their order, but each behind those that it counts from or may repeat."""
    turn: list[int] = []

    def add(index: int) -> None:
        entry = domain.attributes[index]
        since = entry.since if isinstance(entry, Numeric) else None
        for other in (*repeats.get(index, ()), *([domain.index(since.column)] if since else [])):
            add(other)
        if index not in turn:
            turn.append(index)

    for index in wanted:
        add(index)
    return turn


def _learn(
    source: Source,
    index: int,
    *,
    accountant: Accountant,
    loss: Fraction,
    total: float | None,
    cuts: NDArray[np.int64],
) -> tuple[Pieces, NoisyMarginal]:
    """Find the cells, count them, and join them to codes."""
    attribute = source.domain.attributes[index]
    assert isinstance(attribute, Numeric)
    of_heaps = heaps_loss(attribute, loss)
    rest = (loss - of_heaps) * (1 - FINE_PART)
    noise_sd = accountant.table_noise_sd(rest)
    fine = measure_values(
        source, index, accountant=accountant, loss=loss - of_heaps - rest, total=total, cuts=cuts
    )
    ends = np.append(fine.starts[1:], attribute.places.size)
    price = 0.0 if attribute.since else CELL_PRICE * noise_sd / max(1.0, float(fine.counts.sum()))
    cells = best_bins(fine.starts, ends, fine.counts, most=CELLS, least=noise_sd, price=price, cuts=cuts)
    fine, cells, alone = set_apart(fine, cells, attribute.places, noise_sd)
    counts, covariance = _counted(
        source, index, fine, parted(cells, alone), accountant=accountant, loss=rest, total=total
    )
    fine, cells, counts, covariance = settled(fine, cells, alone, counts, covariance)
    ends = np.append(fine.starts[1:], attribute.places.size)
    variances = np.diag(covariance)
    rows = significant(
        counts,
        variances,
        max(1.0, float(counts.sum())),
        on_grid=int(cells[-1]) + 1,
        faint=FAINT if attribute.since is None else FAINT_TIMES,
    )
    heaps, refined = measure_heaps(
        source,
        index,
        fine,
        cells,
        rows[: int(cells[-1]) + 1],
        accountant=accountant,
        loss=of_heaps,
        total=total,
    )
    lengths = (ends - fine.starts).astype(float)
    codes = best_bins(
        fine.starts,
        ends,
        refined,
        most=attribute.bins,
        least=LEAST_CODE * noise_sd,
        groups=cells,
        cuts=cuts,
        price=PAIR_PRICE * noise_sd / max(1.0, float(refined.sum())),
    )
    code_of_cell = codes[np.searchsorted(cells, np.arange(cells[-1] + 1))]
    if attribute.nullable:
        code_of_cell = np.append(code_of_cell, codes[-1] + 1)
    of_codes = np.eye(int(code_of_cell[-1]) + 1)[code_of_cell]
    errors = of_codes.T @ covariance @ of_codes
    one_way = NoisyMarginal(
        attributes=(index,),
        counts=counts @ of_codes,
        noise="gaussian",
        scale=math.sqrt(max(0.0, np.trace(errors)) / len(errors)),
        covariance=errors,
    )
    pieces = _pieces(fine.starts, codes, refined, lengths, attribute.places.size)
    return replace(pieces, heaps=heaps), one_way


def _counted(
    source: Source,
    index: int,
    fine: FineHistogram,
    cells: NDArray[np.int64],
    *,
    accountant: Accountant,
    loss: Fraction,
    total: float | None,
) -> tuple[Floats, Floats]:
    """Count the cells; give the estimates of least variance and their covariance.

    What the fine histogram says of the cells is counted in. Its errors hang together: what lies in many
    neighbouring cells it knows better than what lies in each.
    """
    starts = fine.starts[np.searchsorted(cells, np.arange(cells[-1] + 1))]
    if fine.nullable:
        starts = np.append(starts, fine.size)
        cells = np.append(cells, cells[-1] + 1)
    table = accountant.measure(
        source.interval_counts(index, starts),
        stage=Stage.ONE_WAY_TABLES,
        loss=loss,
        what=f"one-way table of {source.domain.names[index]}",
    )
    known = np.bincount(cells, weights=consistent(fine.levels, total)[0][-1]).astype(float)
    covariance = covariance_of_sums(fine.levels, cells, total_known=total is not None)
    return joined(known, covariance, table.counts, table.noise_sd**2)


def _pieces(
    starts: NDArray[np.int64], codes: NDArray[np.int64], counts: Floats, lengths: Floats, size: int
) -> Pieces:
    """Put the cells of each code together; a code without rows gets its positions evenly."""
    masses = np.bincount(codes, weights=counts)
    widths = np.bincount(codes, weights=lengths)
    empty = masses <= 0
    shares = np.where(empty[codes], lengths / widths[codes], counts / np.where(empty, 1.0, masses)[codes])
    return Pieces(tuple(starts.tolist()), tuple(codes.tolist()), tuple(shares.tolist()), size)
