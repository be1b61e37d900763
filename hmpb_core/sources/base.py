"""What a source of counts is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

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
