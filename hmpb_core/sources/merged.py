"""A source whose rare values are merged, by a public rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from hmpb_core.domain import Categorical, Domain
from hmpb_core.marginal import Marginal
from hmpb_core.merging import Compression, merge_counts
from hmpb_core.sources.base import Source


class MergedSource(Source):
    """Counts over merged values of another source.

    Merging adds cells up, so sensitivities stay: one row still moves at most two cells of a
    table (``replace-one``) or one (``add-remove``), each by one.

    Args:
        source: The private table.
        compressions: The public merges, one an attribute.
    """

    def __init__(self, source: Source, compressions: Sequence[Compression]) -> None:
        self._source = source
        self._compressions = tuple(compressions)
        self._domain = Domain(
            tuple(
                Categorical(name=name, categories=tuple(range(merge.size)))
                for name, merge in zip(source.domain.names, compressions, strict=True)
            )
        )

    @property
    def domain(self) -> Domain:
        """The domain of the merged values."""
        return self._domain

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._source.n_rows

    def marginals(self, sets: Iterable[Sequence[int]]) -> Iterator[Marginal]:
        """Count the rows in every merged cell over each of these sets of attributes."""
        for full in self._source.marginals(sets):
            merges = [self._compressions[a] for a in full.attributes]
            if all(merge.size == len(merge.groups) for merge in merges):
                yield full
                continue
            counts, *parts = (
                np.rint(merge_counts(table, merges)).astype(np.int64) for table in (full.counts, *full.parts)
            )
            yield Marginal(attributes=full.attributes, counts=counts, parts=tuple(parts))

    @property
    def owners(self) -> tuple[Source, ...]:
        """The parties that add their own noise, over merged values."""
        return tuple(MergedSource(owner, self._compressions) for owner in self._source.owners)
