"""Whether a date or number is better told by what lies between it and another: one small noisy table says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hmpb_core.dates import SHORT
from hmpb_core.domain import Numeric
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.sources.base import Source
from hmpb_core.stages.values.measuring import VALUES_OF

SINCE_PART = Fraction(1, 50)
"""Part of an attribute's one-way budget that decides."""
MOSTLY = 0.75
"""Part of the rows whose time must be short."""
EQUAL = 0.25
"""Part of the rows whose numbers must be equal: numbers have heaps of their own, which differences lose."""


def told_by_difference(source: Source, index: int, *, accountant: Accountant, loss: Fraction) -> bool:
    """Say whether the times since the other date are mostly short, or many of two numbers equal.

    Codes are about as wide as the range over their number: they tell a long time well enough, and a short
    one not at all. A person's birth is years before every visit, and visits lie close together: there the
    time since birth would tell less than the date itself. Numbers that are equal in many rows, as the days
    until a relapse and until the last visit, are in hardly any that is drawn one by one.

    Args:
        source: The private table.
        index: The attribute; it says since when.
        accountant: Pays, from the stage of the one-way tables.
        loss: What this costs.
    """
    attribute = source.domain.attributes[index]
    assert isinstance(attribute, Numeric)
    dated = attribute.kind not in ("number", "duration")
    size, cut = attribute.places.size, max(1, attribute.grid.size // SHORT) if dated else 1
    assert attribute.since is not None
    longest = size - attribute.since.nullable
    cut = min(cut, longest - 1)
    starts = [0, cut] if cut else [0]
    starts += [longest] * attribute.since.nullable + [size] * attribute.nullable
    table = accountant.measure(
        source.interval_counts(index, np.array(starts, dtype=np.int64)),
        stage=Stage.ONE_WAY_TABLES,
        loss=loss,
        what=f"{VALUES_OF}{attribute.name}, if to be told by the time since {attribute.since.column}",
    )
    short = float(table.counts[0])
    known = short + (float(table.counts[1]) if cut else 0.0)
    unknown = float(table.counts[2 if cut else 1]) if attribute.since.nullable else 0.0
    return short > (MOSTLY if dated else EQUAL) * known and short > unknown
