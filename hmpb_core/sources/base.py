"""What a source of counts is: the one way in which a private table is seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.errors import DomainError, NotPrivateError
from hmpb_core.marginal import Marginal
from hmpb_core.privacy.shares import NoiseShares
from hmpb_core.sources.bits import BitRows

if TYPE_CHECKING:
    from hmpb_core.rules.declared import Rules


class Source(Protocol):
    """A private table, seen only through exact counts.

    Example:
        >>> from hmpb_core.sources.memory import MemorySource
        >>> import numpy as np
        >>> source = MemorySource(np.array([[0, 2], [1, 2], [0, 0]]), Domain.of_sizes([2, 3]))
        >>> [table.counts.tolist() for table in source.marginals([(0,), (1, 0)])]
        [[2, 1], [[1, 0], [0, 0], [1, 1]]]
        >>> HiddenRows(source).n_rows
        Traceback (most recent call last):
        hmpb_core.errors.NotPrivateError: The number of rows is private under 'add-remove' neighbours ...
    """

    @property
    def domain(self) -> Domain:
        """The public domain of its codes."""

    @property
    def n_rows(self) -> int:
        """Number of rows, where it is public.

        Raises:
            NotPrivateError: it is private.
        """

    def marginals(self, sets: Iterable[Sequence[int]]) -> Iterator[Marginal]:
        """Count the rows in every cell over each of these sets of attributes, in their order.

        Ask for everything that a round needs in one call: a source may share work among the tables. They
        come one by one, because those of a wide table are large together.
        """

    def marginal(self, attributes: Sequence[int]) -> Marginal:
        """Count one table."""
        return next(iter(self.marginals([attributes])))

    @property
    def fine(self) -> frozenset[int]:
        """The attributes of which it knows where on their grid a value lies: bins can be learned for them."""
        return frozenset()

    def interval_counts(self, attribute: int, starts: NDArray[np.int64]) -> Marginal:
        """Count the rows in intervals of an attribute's grid.

        Args:
            attribute: An attribute whose bins are to be learned, one of ``fine``.
            starts: First position of each interval, ascending from 0; an interval ends where the next
                one starts. A start at the grid's size stands for the missing values.
        """
        raise DomainError("This source knows no fine positions; open it with 'open_source'.")

    def repeat_counts(
        self, attribute: int, others: Sequence[int], usual: Sequence[NDArray[np.int64]]
    ) -> Marginal:
        """Count the rows by the first of some other columns that holds an attribute's value too.

        Args:
            attribute: The attribute.
            others: The other columns.
            usual: For each of them the attribute's codes, or positions on its grid, that do not count.

        Returns:
            As many counts as there are others, and one of the rows in which none does.
        """
        raise DomainError("This source cannot compare columns; open it with 'open_source'.")

    def mark_counts(
        self, attribute: int, starts: NDArray[np.int64], groups: NDArray[np.int64], marks: tuple[str, ...]
    ) -> Marginal:
        """Count the rows by groups of intervals of an attribute's grid, and by the marks of their values.

        Args:
            attribute: One of ``fine``.
            starts: First position of each interval; see ``interval_counts``.
            groups: The group of each interval, from 0; intervals with -1 are left out.
            marks: What the values are told apart by; see ``heaping``.

        Returns:
            Counts of shape (groups, marks), in a row.
        """
        raise DomainError("This source knows no fine positions; open it with 'open_source'.")

    def recoded(self, domain: Domain) -> Source:
        """Give the same rows over a domain whose learned bins are known."""
        raise DomainError("This source knows no fine positions; open it with 'open_source'.")

    def bit_rows(self, attributes: Sequence[int]) -> BitRows | None:
        """The rows of some attributes, packed; None where the source cannot, or one has not two values."""
        return None

    def score_counts(
        self, weights: Sequence[NDArray[np.float64]], edges: NDArray[np.float64], target: int
    ) -> Marginal:
        """Count the rows by the bin of a score and by an attribute.

        Args:
            weights: What each value of each attribute adds to a row's score.
            edges: Where a bin of the score ends and the next begins, ascending.
            target: The attribute.
        """
        raise DomainError("This source cannot score rows; leave out the mark 'auc'.")

    @property
    def owners(self) -> tuple[Source, ...]:
        """The parties' own rows, where each party adds its own share of noise; else none."""
        return ()


class TableSource(Source, Protocol):
    """The source of a whole table, as its codebook has it."""

    @property
    def rules(self) -> Rules:
        """What every row obeys: public, from the codebook."""
        from hmpb_core.rules.declared import NO_RULES

        return NO_RULES

    @property
    def noise_shares(self) -> NoiseShares | None:
        """Who adds noise, where parties add it in shares; None where the accountant adds all of it."""
        return None

    def as_bits(self) -> Source:
        """Give the same rows with every attribute cut into bits; see ``binary.BinaryEncoding``."""


class HiddenRows(Source):
    """A source whose number of rows cannot be read: under ``add-remove`` neighbours it is private.

    Args:
        source: The private table.
    """

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def domain(self) -> Domain:
        """The public domain of its codes."""
        return self._source.domain

    @property
    def n_rows(self) -> int:
        """Never given."""
        raise NotPrivateError(
            "The number of rows is private under 'add-remove' neighbours and cannot be read; use the total "
            "of the noisy one-way tables, or 'replace-one' neighbours."
        )

    def marginals(self, sets: Iterable[Sequence[int]]) -> Iterator[Marginal]:
        """Count many tables."""
        return self._source.marginals(sets)

    @property
    def fine(self) -> frozenset[int]:
        """The attributes whose fine positions are known."""
        return self._source.fine

    def interval_counts(self, attribute: int, starts: NDArray[np.int64]) -> Marginal:
        """Count the rows in intervals of an attribute's grid."""
        return self._source.interval_counts(attribute, starts)

    def repeat_counts(
        self, attribute: int, others: Sequence[int], usual: Sequence[NDArray[np.int64]]
    ) -> Marginal:
        """Count the rows by the first of some other columns that holds an attribute's value too."""
        return self._source.repeat_counts(attribute, others, usual)

    def mark_counts(
        self, attribute: int, starts: NDArray[np.int64], groups: NDArray[np.int64], marks: tuple[str, ...]
    ) -> Marginal:
        """Count the rows by groups of intervals of an attribute's grid, and by the marks of their values."""
        return self._source.mark_counts(attribute, starts, groups, marks)

    def recoded(self, domain: Domain) -> Source:
        """Give the same rows over a domain whose learned bins are known, as hidden as before."""
        return HiddenRows(self._source.recoded(domain))
