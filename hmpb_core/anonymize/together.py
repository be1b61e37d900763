"""Which attributes are counted together: one step for all of a kind instead of a few for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hmpb_core.anonymize import nominal, ranks
from hmpb_core.anonymize.continuous import Continuous
from hmpb_core.anonymize.measure import Integers, Measure
from hmpb_core.anonymize.nominal import Nominal
from hmpb_core.anonymize.ordinal import Ordinal
from hmpb_core.anonymize.ranks import MOST_RANKS, Ranks


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Together:
    """The attributes by how they are counted, each by its place among the quasi-identifiers.

    Attributes:
        measures: How each counts.
        nominal: Those counted by ``nominal.StackTally`` and ``StackShelf``.
        ordinal: Those counted by ``ranks``.
        ranks: Their ranks; None where there are none.
        alone: All others, of which a growing class has a tally each.
        continuous: Those of them that are kept together where classes are finished (``spreads``).
        starts: Of the nominal and ordinal ones, where their values begin in ``Group.losses_together``.
    """

    measures: tuple[Measure, ...]
    nominal: list[int]
    ordinal: list[int]
    ranks: Ranks | None
    alone: list[int]
    continuous: list[int]
    starts: dict[int, int]

    @classmethod
    def of(cls, measures: Sequence[Measure], *, capacity: int) -> Together:
        """Sort the attributes by kind; those whose counts in so many classes take much memory stay alone."""
        flat = [i for i, measure in enumerate(measures) if isinstance(measure, Nominal)]
        if sum(measures[i].n_values for i in flat) * capacity > nominal.MAX_CELLS:
            flat = []
        ranked = {
            i: measure
            for i, measure in enumerate(measures)
            if isinstance(measure, Ordinal) and len(measure.positions) <= MOST_RANKS
        }
        found = Ranks(list(ranked.values())) if ranked else None
        if found is None or found.cells * capacity > ranks.MAX_CELLS:
            found, ranked = None, {}
        both = [*flat, *ranked]
        stops = np.cumsum([0, *(measures[i].n_values for i in both)]).tolist()
        return cls(
            measures=tuple(measures),
            nominal=flat,
            ordinal=list(ranked),
            ranks=found,
            alone=[i for i in range(len(measures)) if i not in both],
            continuous=[i for i, measure in enumerate(measures) if isinstance(measure, Continuous)],
            starts=dict(zip(both, stops, strict=False)),
        )

    def places(self, columns: Sequence[int], combinations: Integers) -> Integers | None:
        """Where the values of each combination stand in ``Group.losses_together``.

        Args:
            columns: The attributes.
            combinations: Their codes; shape (combinations, attributes).

        Returns:
            Places of shape (attributes, combinations); None where one of the attributes is not there.
        """
        if not set(columns) <= set(self.starts):
            return None
        return np.stack([combinations[:, j] + self.starts[column] for j, column in enumerate(columns)])
