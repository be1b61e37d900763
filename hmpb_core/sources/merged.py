"""A source whose rare values are merged, by a public rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hmpb_core.domain import Categorical, Domain
from hmpb_core.marginal import Marginal
from hmpb_core.merging import Compression, merge_counts
from hmpb_core.sources.base import Source


class MergedSource:
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

    def marginal(self, attributes: Sequence[int]) -> Marginal:
        """Count the rows in every merged cell over these attributes."""
        full = self._source.marginal(attributes)
        merged = merge_counts(full.counts, [self._compressions[a] for a in attributes])
        return Marginal(attributes=tuple(attributes), counts=np.rint(merged).astype(np.int64))

    def marginals(self, sets: Iterable[Sequence[int]]) -> list[Marginal]:
        """Count many tables."""
        return [self.marginal(attributes) for attributes in sets]
