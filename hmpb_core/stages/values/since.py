"""Whether a date or number is better told by what lies between it and another: one small noisy table says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.dates import SHORT
from hmpb_core.domain import Numeric
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.sources.base import Source
from hmpb_core.stages.values.measuring import VALUES_OF
from hmpb_core.stages.values.repeats import seen_of

SINCE_PART = Fraction(1, 50)
"""Part of an attribute's one-way budget that decides."""
MOSTLY = 0.75
"""Part of the rows whose time, or difference, must be short."""
MIDDLE = (0.1, 0.9)
"""Between which parts of the rows most numbers lie."""


def told_by_difference(
    source: Source, index: int, *, accountant: Accountant, loss: Fraction, short: int
) -> bool:
    """Say whether the times since the other date, or the differences from the other number, are mostly short.

    Codes are about as wide as the range over their number: they tell a long time well enough, and a short
    one not at all. A person's birth is years before every visit, and visits lie close together: there the
    time since birth would tell less than the date itself. So it is of the highest price of a day, which is
    near the lowest one, and of what was spent beside what there was.

    Args:
        source: The private table.
        index: The attribute; it says since when.
        accountant: Pays, from the stage of the one-way tables.
        loss: What this costs.
        short: From how many steps on a time, or difference, is not short.
    """
    attribute = source.domain.attributes[index]
    assert isinstance(attribute, Numeric)
    size = attribute.places.size
    assert attribute.since is not None
    longest = size - attribute.since.nullable
    cut = min(short, longest - 1)
    starts = [0, cut] if cut else [0]
    starts += [longest] * attribute.since.nullable + [size] * attribute.nullable
    table = accountant.measure(
        source.interval_counts(index, np.array(starts, dtype=np.int64)),
        stage=Stage.ONE_WAY_TABLES,
        loss=loss,
        what=f"{VALUES_OF}{attribute.name}, if to be told by the time since {attribute.since.column}",
    )
    near = float(table.counts[0])
    known = near + (float(table.counts[1]) if cut else 0.0)
    unknown = float(table.counts[2 if cut else 1]) if attribute.since.nullable else 0.0
    return near > MOSTLY * known and near > unknown


def short_of(entry: Numeric, start: Numeric, counts: NDArray[np.float64]) -> int:
    """From how many steps on a time since another date, or a difference from another number, is not short.

    Of dates an eighth of their range. Of numbers, whose bounds may be far away, an eighth of where the middle
    four fifths of the other ones lie, and 0 where many of these are one value: what is near it may be one
    value too, which differences would lose.

    Args:
        entry: The date or number.
        start: What it counts from, or what that counts from in turn; with learned bins of its own values.
        counts: The noisy one-way table of that.
    """
    if entry.is_dated:
        return max(1, entry.grid.size // SHORT)
    if start.pieces is None or seen_of(start, counts).usual:
        return 0
    rows = np.maximum(counts, 0.0)[np.array(start.pieces.codes)] * start.pieces.shares
    reached = np.concatenate([[0.0], np.cumsum(rows)]) / max(1.0, float(rows.sum()))
    low, high = np.interp(MIDDLE, reached, [*start.pieces.starts, start.pieces.size])
    return int((high - low) / SHORT)
