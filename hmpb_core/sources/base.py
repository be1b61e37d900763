"""What a source of counts is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.marginal import Marginal


class Source(Protocol):
    """A private table, seen only through exact counts."""

    @property
    def domain(self) -> Domain:
        """The public domain of its codes."""

    @property
    def n_rows(self) -> int:
        """Number of rows: public under ``replace-one`` neighbours, private otherwise."""

    def marginal(self, attributes: Sequence[int]) -> Marginal:
        """Count the rows in every cell over these attributes."""

    def marginals(self, sets: Iterable[Sequence[int]]) -> list[Marginal]:
        """Count many tables; a source may share work among them."""


@runtime_checkable
class FineSource(Source, Protocol):
    """A source that also knows where on its grid a value lies, for attributes with learned bins."""

    @property
    def fine(self) -> frozenset[int]:
        """The attributes whose fine positions it knows."""

    def interval_counts(self, attribute: int, starts: NDArray[np.int64]) -> Marginal:
        """Count the rows in intervals of an attribute's grid.

        Args:
            attribute: An attribute whose bins are to be learned.
            starts: First position of each interval, ascending from 0; an interval ends where the next
                one starts. A start at the grid's size stands for the missing values.
        """

    def recoded(self, domain: Domain) -> Source:
        """Give the same rows over a domain whose learned bins are known."""
