"""A source of counts over codes that lie in an engine: no row leaves it, only tables of counts do."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.binary import BinaryEncoding
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.errors import DomainError
from hmpb_core.heaping import classes_of, mark_table
from hmpb_core.marginal import Marginal
from hmpb_core.privacy.unit import Unit
from hmpb_core.repeated import codes_in
from hmpb_core.rules.declared import NO_RULES, Rules
from hmpb_core.sources.base import TableSource
from hmpb_core.sources.memory import MAX_CELLS
from hmpb_core.sources.relational.cover import joint_groups, rounds
from hmpb_core.sources.relational.encoding import encode_into
from hmpb_core.sources.relational.engine import Engine
from hmpb_core.sources.relational.expressions import (
    branches,
    code_name,
    code_of_position,
    place_sql,
    position_name,
)

MOST_POSITIONS = 1 << 22
"""Positions of a grid whose counts are fetched at once; those of a finer one are counted by intervals."""


@dataclass(frozen=True, slots=True)
class _Positions:
    """The positions of an attribute that occur, and how often. Private."""

    places: NDArray[np.int64]
    counts: NDArray[np.int64]


class RelationalSource(TableSource):
    """Counts in an engine, over its temporary table of codes. Made by ``open_in``.

    Args:
        engine: Where the codes are.
        table: The temporary table.
        domain: The public domain.
        codes: For each attribute, the expression of its code over that table.
        fine: The attributes whose positions the table holds.
        rules: The public rules that rows drawn from a model of the table obey.
    """

    def __init__(
        self,
        engine: Engine,
        table: str,
        domain: Domain,
        codes: Sequence[str],
        *,
        fine: frozenset[int] = frozenset(),
        rules: Rules = NO_RULES,
    ) -> None:
        self._engine = engine
        self._table = table
        self._domain = domain
        self._codes = tuple(codes)
        self._fine = fine
        self._rules = rules
        self._positions: dict[int, _Positions] = {}
        self._parent: RelationalSource | None = None
        (count,) = engine.fetch(f"SELECT COUNT(*) AS n FROM {table}")
        self._n_rows = int(count[0])

    @property
    def engine(self) -> Engine:
        """The engine that counts."""
        return self._engine

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

    @property
    def fine(self) -> frozenset[int]:
        """The attributes whose fine positions are known."""
        return self._fine

    def marginals(self, sets: Iterable[Sequence[int]]) -> Iterator[Marginal]:
        """Count many tables, those of a round from few joint ones."""
        sizes = self._domain.sizes
        for asked in rounds(sets, sizes):
            for attributes in asked:
                self._require_cells(attributes)
            joint = {group: self._counted(group) for group in joint_groups(asked, sizes)}
            for attributes in asked:
                yield self._taken(attributes, joint)

    def interval_counts(self, attribute: int, starts: NDArray[np.int64]) -> Marginal:
        """Count the rows in intervals of an attribute's grid."""
        entry = self._domain.attributes[attribute]
        assert isinstance(entry, Numeric)
        if entry.places.size <= MOST_POSITIONS:
            known = self._positions_of(attribute)
            cells = np.searchsorted(starts, known.places, side="right") - 1
            many = known.counts
        else:
            cell = branches("p", [str(start) for start in starts[1:].tolist()], range(starts.size))
            cells, many = self._engine.fetch(
                f"SELECT {cell} AS k, COUNT(*) AS n FROM {self._places(attribute)} GROUP BY 1"
            )
        counts = np.zeros(starts.size, dtype=np.int64)
        np.add.at(counts, cells.astype(np.int64), many.astype(np.int64))
        return Marginal(attributes=(attribute,), counts=counts)

    def repeat_counts(
        self, attribute: int, others: Sequence[int], usual: Sequence[NDArray[np.int64]]
    ) -> Marginal:
        """Count the rows by the first of some other columns that holds an attribute's value too."""
        whens = [
            f"WHEN {self._same(attribute, other, codes.tolist())} THEN {place}"
            for place, (other, codes) in enumerate(zip(others, usual, strict=True))
        ]
        cells, many = self._engine.fetch(
            f"SELECT CASE {' '.join(whens)} ELSE {len(others)} END AS k, COUNT(*) AS n "
            f"FROM {self._table} GROUP BY 1"
        )
        counts = np.zeros(len(others) + 1, dtype=np.int64)
        counts[cells.astype(np.int64)] = many.astype(np.int64)
        return Marginal(attributes=(attribute,), counts=counts)

    def _same(self, attribute: int, other: int, usual: Sequence[int] = ()) -> str:
        """Whether an attribute has a value, none of the usual ones, and another column the same."""
        own, base = self._domain.attributes[attribute], self._domain.attributes[other]
        if isinstance(own, Numeric) and isinstance(base, Numeric):
            place, start = position_name(attribute), position_name(other)
            there = f"{place} <> {own.grid.size} AND {start} <> {base.grid.size}"
            unusual = f" AND {place} NOT IN ({', '.join(map(str, usual))})" if usual else ""
            return f"({there}{unusual} AND {place} + {own.grid.first - base.grid.first} = {start})"
        assert isinstance(own, Categorical)
        assert isinstance(base, Categorical)
        meant = {c: code for c, code in enumerate(codes_in(own, base).tolist()) if code not in (-1, *usual)}
        if not meant:
            return "1 = 0"
        found = self._engine.sql.lookup(self._codes[other], [str(code) for code in meant], [*meant.values()])
        return f"{self._codes[attribute]} = {found}"

    def mark_counts(
        self, attribute: int, starts: NDArray[np.int64], groups: NDArray[np.int64], marks: tuple[str, ...]
    ) -> Marginal:
        """Count the rows by groups of intervals of an attribute's grid, and by the marks of their values."""
        entry = self._domain.attributes[attribute]
        assert isinstance(entry, Numeric)
        first = entry.places.first
        if entry.places.size <= MOST_POSITIONS:
            known = self._positions_of(attribute)
            counts = mark_table(
                known.places, known.counts, first=first, starts=starts, groups=groups, marks=marks
            )
            return Marginal(attributes=(attribute,), counts=counts)
        classes = classes_of(marks)
        period = classes.size
        changes = np.append(0, np.flatnonzero(np.diff(groups)) + 1)  # neighbours of one group are joined
        thresholds = [str(start) for start in starts[changes[1:]].tolist()]
        group = branches("p", thresholds, groups[changes].tolist())
        found, rest, many = self._engine.fetch(
            f"SELECT {group} AS g, (p + {first % period}) % {period} AS r, COUNT(*) AS n "
            f"FROM {self._places(attribute)} GROUP BY 1, 2"
        )
        inside = found.astype(np.int64) >= 0
        cells = found.astype(np.int64) * len(marks) + classes[rest.astype(np.int64)]
        counts = np.zeros((int(groups.max()) + 1) * len(marks), dtype=np.int64)
        np.add.at(counts, cells[inside], many.astype(np.int64)[inside])
        return Marginal(attributes=(attribute,), counts=counts)

    def _positions_of(self, attribute: int) -> _Positions:
        """The positions of an attribute that occur, fetched once."""
        if attribute not in self._positions:
            places, many = self._engine.fetch(
                f"SELECT p AS k, COUNT(*) AS n FROM {self._places(attribute)} GROUP BY p"
            )
            self._positions[attribute] = _Positions(places.astype(np.int64), many.astype(np.int64))
        return self._positions[attribute]

    def _places(self, attribute: int) -> str:
        """The rows' places of an attribute, as the column p of a table."""
        return f"(SELECT {place_sql(attribute, self._domain)} AS p FROM {self._table}) AS q"

    def score_counts(
        self, weights: Sequence[NDArray[np.float64]], edges: NDArray[np.float64], target: int
    ) -> Marginal:
        """Count the rows by the bin of a score and by an attribute; the score is added up in their order."""
        sql = self._engine.sql
        terms = [
            sql.lookup(code, [str(value) for value in range(len(weight))], [sql.number(w) for w in weight])
            for code, weight in zip(self._codes, weights, strict=True)
        ]
        score = " + ".join([sql.number(0), *terms])
        inner = f"SELECT {score} AS s, {self._codes[target]} AS k1 FROM {self._table}"
        cell = branches("s", [sql.number(edge) for edge in edges], range(len(edges) + 1))
        bins, values, many = self._engine.fetch(
            f"SELECT {cell} AS k0, k1, COUNT(*) AS n FROM ({inner}) AS q GROUP BY 1, 2"
        )
        counts = np.zeros((len(edges) + 1, self._domain.sizes[target]), dtype=np.int64)
        counts[bins.astype(np.int64), values.astype(np.int64)] = many
        return Marginal(attributes=(target,), counts=counts)

    def recoded(self, domain: Domain) -> RelationalSource:
        """Give the same rows over a domain whose learned bins are known."""
        codes, places = list(self._codes), []
        for index in sorted(self._fine):
            entry = domain.attributes[index]
            if isinstance(entry, Numeric) and entry.pieces is not None:
                name = position_name(index)
                if entry.since is not None:
                    name = f"s{index}"
                    places.append(f"{place_sql(index, domain)} AS {name}")
                code = code_of_position(name, entry)
                codes[index] = f"CASE WHEN {name} = {entry.places.size} THEN {entry.size - 1} ELSE {code} END"
        for index, entry in enumerate(domain.attributes):
            if (
                isinstance(entry, Categorical)
                and entry.repeats
                and not self._domain.attributes[index].repeats
            ):
                own, place = self._codes[index], len(entry.categories)  # a missing value's code comes last
                codes[index] = (
                    f"CASE WHEN {self._same(index, domain.index(entry.repeats))} THEN {place} "
                    f"WHEN {own} = {place} THEN {place + 1} ELSE {own} END"
                )
        if codes == list(self._codes):
            same = RelationalSource(
                self._engine, self._table, domain, codes, fine=self._fine, rules=self._rules
            )
            same._parent = self  # whose temporary table it counts
            return same
        changed = [f"{code} AS {code_name(i)}" for i, code in enumerate(codes)]
        kept = [position_name(i) for i in sorted(self._fine)]
        rows = f"(SELECT *, {', '.join(places)} FROM {self._table}) AS q" if places else self._table
        table = self._engine.keep(f"SELECT {', '.join(changed + kept)} FROM {rows}")
        names = [code_name(i) for i in range(len(codes))]
        changed_source = RelationalSource(
            self._engine, table, domain, names, fine=self._fine, rules=self._rules
        )
        return _owning(changed_source, table)

    def as_bits(self) -> RelationalSource:
        """Give the same rows with every attribute cut into bits."""
        encoding = BinaryEncoding(self._domain)
        bits = [
            f"CAST(FLOOR({code} / {2**bit}.0) AS INTEGER) % 2"
            for code, width in zip(self._codes, encoding.widths, strict=True)
            for bit in range(width - 1, -1, -1)
        ]
        source = RelationalSource(self._engine, self._table, encoding.bit_domain, bits)
        source._parent = self  # whose temporary table it counts
        return source

    def _require_cells(self, attributes: Sequence[int]) -> None:
        cells = int(np.prod([float(size) for size in self._domain.shape(attributes)]))
        if cells > MAX_CELLS:
            raise DomainError(
                "A table over {attributes} attributes would have {cells:,} cells; at most {most:,} are "
                "allowed. Use fewer parents, or coarser attributes.",
                attributes=len(attributes),
                cells=cells,
                most=MAX_CELLS,
            )

    def _counted(self, group: tuple[int, ...]) -> NDArray[np.int64]:
        """Count one joint table."""
        shape = self._domain.shape(group)
        if not group:
            return np.array(self._n_rows, dtype=np.int64)
        selected = ", ".join(f"{self._codes[a]} AS k{place}" for place, a in enumerate(group))
        keys = ", ".join(str(place + 1) for place in range(len(group)))
        *cells, many = self._engine.fetch(
            f"SELECT {selected}, COUNT(*) AS n FROM {self._table} GROUP BY {keys}"
        )
        counts = np.zeros(shape, dtype=np.int64)
        counts[tuple(cell.astype(np.int64) for cell in cells)] = many
        return counts

    def _taken(
        self, attributes: tuple[int, ...], joint: dict[tuple[int, ...], NDArray[np.int64]]
    ) -> Marginal:
        """Take one table out of the smallest joint table that holds it."""
        sizes = self._domain.sizes
        needed = {a for a in attributes if sizes[a] > 1}
        group = min((g for g in joint if needed <= set(g)), key=lambda g: joint[g].size)
        rest = tuple(place for place, a in enumerate(group) if a not in needed)
        summed = joint[group].sum(axis=rest, dtype=np.int64)
        axes = [a for a in group if a in needed]
        order = [axes.index(a) for a in attributes if a in needed]
        counts = np.transpose(summed, order).reshape(self._domain.shape(attributes))
        return Marginal(attributes=attributes, counts=np.array(counts, dtype=np.int64))


def open_in(engine: Engine, codebook: Codebook, unit: Unit) -> RelationalSource:
    """Give the source of a private table in an engine.

    Args:
        engine: Where the table is.
        codebook: Its public codebook.
        unit: Whose rows are protected together; which surplus rows of a person are dropped is drawn by the
            engine, anew each time.

    Raises:
        SourceError: the table does not fit the codebook, or the engine stopped.
    """
    engine.tidy()
    table = encode_into(engine, codebook, unit)
    domain = codebook.domain
    learned = [a for a, entry in enumerate(domain.attributes) if isinstance(entry, Numeric) and entry.learned]
    names = [code_name(a) for a in range(len(domain))]
    source = RelationalSource(engine, table, domain, names, fine=frozenset(learned), rules=codebook.rules)
    return _owning(source, table)


def _owning(source: RelationalSource, table: str) -> RelationalSource:
    """Have a source's temporary table dropped, by the next one that is made, once the source is gone."""
    weakref.finalize(source, source.engine.unused.append, table).atexit = False
    return source
