"""A source of counts over codes held in memory."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.binary import BinaryEncoding
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.encoding import FineColumn, same_places, times_since
from hmpb_core.errors import DomainError, SourceError
from hmpb_core.heaping import mark_table
from hmpb_core.marginal import Marginal
from hmpb_core.repeated import codes_in
from hmpb_core.rules.declared import NO_RULES, Rules
from hmpb_core.sources.base import TableSource
from hmpb_core.sources.bits import BitRows
from hmpb_core.sources.counting import at_once, count_tables, narrowest

MAX_CELLS = 50_000_000
LEAST_ROOM = 8 << 20
"""Bytes that counted tables may take beside the codes of a small table; beside a large one, a quarter."""


class MemorySource(TableSource):
    """Counts over an array of codes.

    Args:
        codes: Integer codes of shape (rows, attributes).
        domain: The public domain.
        fine: Fine positions of the attributes whose bins are to be learned.
        rules: The public rules that rows drawn from a model of the table obey.

    Raises:
        SourceError: there is no row.
        DomainError: a code lies outside the domain.
    """

    def __init__(
        self,
        codes: NDArray[np.integer],
        domain: Domain,
        fine: Mapping[int, FineColumn] | None = None,
        rules: Rules = NO_RULES,
    ) -> None:
        if codes.ndim != 2 or codes.shape[1] != len(domain):
            raise DomainError("The codes must have one column an attribute of the domain.")
        if len(codes) == 0:
            raise SourceError("The table has no rows; there is nothing to publish. Check the file.")
        sizes = np.array(domain.sizes)
        if (codes.min(axis=0) < 0).any() or (codes.max(axis=0) >= sizes).any():
            raise DomainError("A code lies outside its attribute's domain; encode with the same codebook.")
        self._domain = domain
        self._rules = rules
        # Column by column, in the narrowest type: counting is bound by memory traffic.
        self._columns = [
            np.ascontiguousarray(codes[:, i], dtype=narrowest(size)) for i, size in enumerate(domain.sizes)
        ]
        self._n_rows = len(codes)
        self._room = max(LEAST_ROOM, sum(column.nbytes for column in self._columns) // 4)
        self._lately: dict[tuple[int, ...], NDArray[np.int64]] = {}
        self._lately_bytes = 0
        self._fine = dict(fine or {})

    @property
    def domain(self) -> Domain:
        """The public domain of the codes."""
        return self._domain

    @property
    def rules(self) -> Rules:
        """What every row obeys."""
        return self._rules

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._n_rows

    def marginals(self, sets: Iterable[Sequence[int]]) -> Iterator[Marginal]:
        """Count many tables in few passes; what was counted lately is not counted again."""
        wanted = (tuple(attributes) for attributes in sets)
        while part := list(itertools.islice(wanted, at_once(sets))):
            known = {
                attributes: self._lately[attributes] for attributes in part if attributes in self._lately
            }
            new = [self._checked(attributes) for attributes in part if attributes not in known]
            counted = count_tables(self._columns, self._domain.sizes, new, room=self._room)
            for attributes in part:
                again = attributes in known
                counts = known[attributes].copy() if again else self._kept(attributes, next(counted))
                yield Marginal(attributes=attributes, counts=counts)

    def bit_rows(self, attributes: Sequence[int]) -> BitRows | None:
        """The rows of some attributes, packed; None where one of them has not two values."""
        if any(self._domain.sizes[a] != 2 for a in attributes):
            return None
        return BitRows([self._columns[a] for a in attributes])

    def as_bits(self) -> MemorySource:
        """Give the same rows with every attribute cut into bits."""
        encoding = BinaryEncoding(self._domain)
        codes = np.stack(self._columns, axis=1)
        return MemorySource(encoding.encode(codes), encoding.bit_domain)

    def _checked(self, attributes: tuple[int, ...]) -> tuple[int, ...]:
        cells = math.prod(self._domain.shape(attributes))
        if cells > MAX_CELLS:
            raise DomainError(
                "A table over {attributes} attributes would have {cells:,} cells; at most {most:,} are "
                "allowed. Use fewer parents, or coarser attributes.",
                attributes=len(attributes),
                cells=cells,
                most=MAX_CELLS,
            )
        return attributes

    def _kept(self, attributes: tuple[int, ...], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Keep a table that a later round may ask for again; the oldest go where there is no room."""
        if attributes not in self._lately and counts.nbytes <= self._room // 64:
            self._lately[attributes] = counts.copy()
            self._lately_bytes += counts.nbytes
            while self._lately_bytes > self._room:
                oldest = next(iter(self._lately))
                self._lately_bytes -= self._lately.pop(oldest).nbytes
        return counts

    @property
    def fine(self) -> frozenset[int]:
        """The attributes whose fine positions are known."""
        return frozenset(self._fine)

    def interval_counts(self, attribute: int, starts: NDArray[np.int64]) -> Marginal:
        """Count the rows in intervals of an attribute's grid."""
        column = self._places(attribute)
        of_positions = np.bincount(column.rows, minlength=column.positions.size)
        cells = np.searchsorted(starts, column.positions, side="right") - 1
        counts = np.bincount(cells, weights=of_positions, minlength=starts.size)
        return Marginal(attributes=(attribute,), counts=np.rint(counts).astype(np.int64))

    def repeat_counts(
        self, attribute: int, others: Sequence[int], usual: Sequence[NDArray[np.int64]]
    ) -> Marginal:
        """Count the rows by the first of some other columns that holds an attribute's value too."""
        left, counts = np.ones(self._n_rows, dtype=bool), []
        column = self._fine[attribute] if isinstance(self._domain.attributes[attribute], Numeric) else None
        own = self._columns[attribute] if column is None else column.positions
        for other, codes in zip(others, usual, strict=True):
            unusual = ~np.isin(own, codes)
            same = left & self._same(attribute, other)
            same &= unusual if column is None else unusual[column.rows]
            counts.append(int(same.sum()))
            left &= ~same
        return Marginal(attributes=(attribute,), counts=np.array([*counts, int(left.sum())], dtype=np.int64))

    def _same(self, attribute: int, other: int) -> NDArray[np.bool_]:
        """The rows in which an attribute has a value, and another column the same."""
        own, base = self._domain.attributes[attribute], self._domain.attributes[other]
        if isinstance(own, Numeric) and isinstance(base, Numeric):
            return same_places(self._fine[attribute], self._fine[other], own, base)
        assert isinstance(own, Categorical)
        assert isinstance(base, Categorical)
        same: NDArray[np.bool_] = codes_in(own, base)[self._columns[other]] == self._columns[attribute]
        return same

    def mark_counts(
        self, attribute: int, starts: NDArray[np.int64], groups: NDArray[np.int64], marks: tuple[str, ...]
    ) -> Marginal:
        """Count the rows by groups of intervals of an attribute's grid, and by the marks of their values."""
        column, entry = self._places(attribute), self._domain.attributes[attribute]
        assert isinstance(entry, Numeric)
        counts = mark_table(
            column.positions,
            np.bincount(column.rows, minlength=column.positions.size),
            first=entry.places.first,
            starts=starts,
            groups=groups,
            marks=marks,
        )
        return Marginal(attributes=(attribute,), counts=counts)

    def score_counts(
        self, weights: Sequence[NDArray[np.float64]], edges: NDArray[np.float64], target: int
    ) -> Marginal:
        """Count the rows by the bin of a score and by an attribute."""
        scores = np.zeros(self._n_rows)
        for column, weight in zip(self._columns, weights, strict=True):
            scores += weight[column]
        shape = (len(edges) + 1, self._domain.sizes[target])
        cells = np.searchsorted(edges, scores, side="right") * shape[1] + self._columns[target]
        counts = np.bincount(cells, minlength=shape[0] * shape[1]).astype(np.int64)
        return Marginal(attributes=(target,), counts=counts.reshape(shape))

    def recoded(self, domain: Domain) -> MemorySource:
        """Give the same rows over a domain whose learned bins are known."""
        repeated = [
            index
            for index, entry in enumerate(domain.attributes)
            if isinstance(entry, Categorical) and entry.repeats and not self._domain.attributes[index].repeats
        ]
        if not repeated and not any(
            isinstance(entry, Numeric) and entry.pieces is not None for entry in domain.attributes
        ):
            same = copy.copy(self)
            same._domain = domain  # noqa: SLF001 - its own copy
            return same
        codes = np.stack(self._columns, axis=1).astype(narrowest(max(domain.sizes)), copy=False)
        for index in repeated:
            entry = domain.attributes[index]
            assert isinstance(entry, Categorical)
            codes[:, index] += codes[:, index] == len(entry.categories)  # a missing value's code comes last
            codes[self._same(index, domain.index(entry.repeats)), index] = len(entry.categories)
        for index in self._fine:
            attribute = domain.attributes[index]
            if isinstance(attribute, Numeric) and attribute.pieces is not None:
                column = self._of(attribute, index)
                known = attribute.pieces.codes_of(column.positions)
                known[column.positions == attribute.places.size] = attribute.size - 1
                codes[:, index] = known[column.rows]
        return MemorySource(codes, domain, self._fine, self._rules)

    def _places(self, attribute: int) -> FineColumn:
        """Where each row lies among an attribute's places."""
        entry = self._domain.attributes[attribute]
        assert isinstance(entry, Numeric)
        return self._of(entry, attribute)

    def _of(self, entry: Numeric, index: int) -> FineColumn:
        """Where each row lies among the places of an entry for an attribute."""
        column = self._fine[index]
        if entry.since is None:
            return column
        other = self._domain.index(entry.since.column)
        base = self._domain.attributes[other]
        assert isinstance(base, Numeric)
        start = self._fine[other]
        return times_since(column, start, entry, missing=base.grid.size)
