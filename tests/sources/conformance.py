"""What every source of counts must do: one suite, run by each engine's own test file.

    class TestSqliteSource(SourceConformance):
        @pytest.fixture
        def make(self, tmp_path):
            def make(codes, domain): ...            # put the codes where the engine keeps them
                return SqliteSource(...)
            return make

Counts are compared with a plain loop over the rows, never with another engine.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as papq
import pytest

from hmpb_core.binary import BinaryEncoding
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Codes, Domain, Numeric
from hmpb_core.errors import NotPrivateError, SourceError
from hmpb_core.grid import Pieces
from hmpb_core.heaping import marks_of
from hmpb_core.marginal import Marginal
from hmpb_core.planning.methods import METHODS, Accounting
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.unit import Unit
from hmpb_core.repeated import repeating
from hmpb_core.rules.since import since_of
from hmpb_core.sources.base import HiddenRows, TableSource
from hmpb_core.sources.files import read_table
from hmpb_core.sources.open import ROW, open_source
from hmpb_core.sources.relational.table import EngineTable
from hmpb_core.survey.cells import count
from hmpb_core.survey.engine_cells import engine_counts
from hmpb_core.synthesis import fit_source, make_plan

SIZES = (2, 3, 1, 5, 300)
"""One value, a few, and more than a byte holds."""
N_ROWS = 977
"""A number that appears nowhere else, so that a repr which shows it is found."""

Make = Callable[[Codes, Domain], TableSource]
Put = Callable[[pa.Table], EngineTable]


def without_addresses(shown: str) -> str:
    """A repr as it is but for where its object lies in memory, which may hold any figure by chance."""
    return re.sub(r"0x[0-9a-f]+", "0x", shown)


def table(seed: int = 3) -> Codes:
    """Rows of all sizes; some cells stay empty, the last value of each attribute is met."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.binomial(size - 1, 0.4, N_ROWS) for size in SIZES], axis=1).astype(np.int32)
    codes[0] = [size - 1 for size in SIZES]
    return codes


def counted(codes: Codes, sizes: tuple[int, ...], attributes: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Count by a plain loop."""
    counts = np.zeros([sizes[a] for a in attributes], dtype=np.int64)
    for row in codes.tolist():
        counts[tuple(row[a] for a in attributes)] += 1
    return counts


class SourceConformance:
    """Subclass it, and give a fixture ``make`` that turns codes and a domain into a source."""

    CODES = table()
    DOMAIN = Domain.of_sizes(SIZES)

    @pytest.fixture
    def source(self, make: Make) -> TableSource:
        return make(self.CODES, self.DOMAIN)

    def test_it_has_the_domain_and_the_number_of_rows(self, source):
        assert source.domain == self.DOMAIN
        assert source.n_rows == N_ROWS
        assert isinstance(source.n_rows, int)

    @pytest.mark.parametrize(
        "attributes", [(), (0,), (2,), (4,), (0, 1), (1, 0), (3, 4), (4, 3), (3, 0, 1), (1, 2, 3, 0)]
    )
    def test_a_table_holds_the_counts_of_the_rows_axes_in_the_order_asked_for(self, source, attributes):
        table = source.marginal(attributes)
        assert isinstance(table, Marginal)
        assert table.attributes == attributes
        assert table.counts.dtype == np.int64
        assert np.array_equal(table.counts, counted(self.CODES, SIZES, attributes))

    def test_many_tables_come_in_the_order_asked_for_each_as_often_as_asked(self, source):
        sets = [(0, 1), (4,), (1, 0), (), (0, 1), (3,)]
        tables = list(source.marginals(sets))
        assert [table.attributes for table in tables] == sets
        for table, attributes in zip(tables, sets, strict=True):
            assert np.array_equal(table.counts, counted(self.CODES, SIZES, attributes))

    def test_sets_may_be_any_iterable_and_any_sequence(self, source):
        sets = ([a, b] for a, b in itertools.combinations(range(4), 2))
        assert [t.attributes for t in source.marginals(sets)] == list(itertools.combinations(range(4), 2))
        assert list(source.marginals([])) == []
        assert source.marginal([np.int64(1)]).attributes == (1,)

    def test_tables_come_one_by_one(self, source):
        """The tables of a wide table are large together: the first must not wait for the last.

        A source may share work among some tables, so a few may be asked ahead.
        """
        asked = 0

        def sets() -> Iterator[tuple[int, int]]:
            nonlocal asked
            for _ in range(10_000):
                asked += 1
                yield (0, 1)

        tables = source.marginals(sets())
        assert iter(tables) is tables
        next(tables)
        assert asked <= 1000

    def test_two_rounds_at_once_do_not_disturb_each_other(self, source):
        first, second = source.marginals([(0,), (1,)]), source.marginals([(3,), (4,)])
        met = [t.attributes for pair in zip(first, second, strict=True) for t in pair]
        assert met == [(0,), (3,), (1,), (4,)]

    def test_whoever_writes_into_a_table_changes_no_later_one(self, source):
        source.marginal((0, 1)).counts[:] = -1
        assert np.array_equal(source.marginal((0, 1)).counts, counted(self.CODES, SIZES, (0, 1)))

    def test_no_count_shows_in_a_repr(self, source):
        for shown in (repr(source), str(source), repr(source.marginal(())), repr(source.marginal((0,)))):
            assert str(N_ROWS) not in without_addresses(shown)
            assert "array" not in shown

    def test_its_bits_are_the_bits_of_its_rows(self, source):
        bits = source.as_bits()
        encoding = BinaryEncoding(self.DOMAIN)
        rows = encoding.encode(self.CODES)
        assert bits.domain == encoding.bit_domain
        assert bits.n_rows == N_ROWS
        sizes = bits.domain.sizes
        for attributes in [(), (0,), (len(sizes) - 1,), (1, 2), (2, 1), (0, 4, len(sizes) - 1)]:
            found = bits.marginal(attributes)
            assert found.attributes == attributes
            assert np.array_equal(found.counts, counted(rows, sizes, attributes))

    def test_its_number_of_rows_can_be_hidden(self, source):
        hidden = HiddenRows(source)
        with pytest.raises(NotPrivateError, match="number of rows is private"):
            _ = hidden.n_rows
        assert hidden.domain == self.DOMAIN
        assert np.array_equal(hidden.marginal((0,)).counts, source.marginal((0,)).counts)
        assert str(N_ROWS) not in without_addresses(repr(hidden))

    @pytest.mark.parametrize("accounting", list(Accounting))
    def test_a_model_can_be_fitted_to_it(self, source, accounting):
        spec = METHODS["hmprivbayes", accounting][0]
        plan = make_plan(
            Guarantee(epsilon=2.0, delta=0.0, currency=Currency.PURE),
            self.DOMAIN,
            n_rows=N_ROWS,
            accounting=accounting,
            clusters=None if spec.encoding == "codes" else 5,
            max_parents=1,
        )
        model = fit_source(source, plan, seed=1)
        drawn = model.sample_codes(50, rng=np.random.default_rng(1))
        assert drawn.shape == (50, len(SIZES))
        assert (drawn < np.array(SIZES)).all()


# Engines that encode a table themselves


def hostile_table(n_rows: int = 2500, seed: int = 5) -> pa.Table:
    """Every type of column, with nulls, odd spellings, values beyond the codebook, and hostile names."""
    rng = np.random.default_rng(seed)

    def some(values: list[Any], share_null: float = 0.1) -> list[Any]:
        drawn = [values[i] for i in rng.integers(0, len(values), n_rows)]
        return [
            None if hole else value
            for value, hole in zip(drawn, rng.random(n_rows) < share_null, strict=True)
        ]

    days = [dt.date(1999, 12, 25) + dt.timedelta(days=i) for i in range(60)]
    start = dt.datetime(1969, 12, 31, 23, 59, 50)  # noqa: DTZ001 - as tables have them
    moments = [start + dt.timedelta(microseconds=333_337 * i) for i in range(70)]
    numbers = rng.normal(50, 40, n_rows)
    numbers[:40] = np.nan
    numbers[40:44] = [np.inf, -np.inf, -0.0, 1e-300]
    edges = [0.0, 10.0, 33.3, 50.0, 90.0, 100.0, 99.99999999999999, 33.29999999999999]
    numbers[50 : 50 + len(edges)] = edges
    return pa.table(
        {
            'a "quoted" name': some(
                ["a", " a ", "bé", "c'd", "", "\\", "unheard of", "a;DROP TABLE x;--", "%s"]
            ),
            "SELECT": pa.array(some(list(range(-3, 12))), pa.int16()),
            "select": pa.array(some([0, 1, 2, 250]), pa.uint8()),
            "größe in cm": numbers,
            "group by": pa.array(np.float32(rng.random(n_rows)), pa.float32()),
            "day": pa.array(some(days), pa.date32()),
            "day as month": pa.array(some(days), pa.date32()),
            "when": pa.array(some(moments), pa.timestamp("us")),
            "when, as a day": pa.array(some(moments), pa.timestamp("us")),
            "truth": pa.array(some([True, False])),
            "icd": some(["I21.9", "I63", "C50", "C", "J45", " I10", "Z99"]),
            "number as category": pa.array(some([1.0, 2.0, 3.5, 7.0, -9.0]), pa.float64()),
            "text of a number": some(
                ["1", "2.0", "+3", " 2", "n.a.", "03.50", "-9", "1e1", "99", "-5", ".5"]
            ),
            "text of a category": some(["1", "1.0", "+2", "2.00", " 2", "n.a.", "3"], 0.0),
            "written day": some(
                ["2000-01-02", "2000-01-20", "1.1.2000", "2000-01-31 10:00:00", "2001-05-05"]
            ),
            "own day": some(["01.02.2000", "20.01.2000", "2000-01-05", "31.02.2000", "then"]),
            "clock": some(["08:30", "23:59:59", "00:00"]),
            "took": some(["PT1H", "90", "1:30:00", "PT45M10S"]),
            "learned": pa.array(np.round(rng.gamma(2, 20, n_rows), 2)),
            "learned text": [_said(x) for x in rng.gamma(2, 20, n_rows)],
            "learned day": pa.array(some(days), pa.date32()),
            "person": pa.array(rng.integers(0, 900, n_rows), pa.int64()),
            "person, written": [f" p{i} " if i % 2 else f"p{i}" for i in rng.integers(0, 700, n_rows)],
            "constant": ["x"] * n_rows,
            "narrow category": pa.array(some([1.1, 2.0, 3.3, 0.7]), pa.float32()),
            "learned among a few": pa.array(
                some([0.1, 0.2, 0.3, 0.30000000000000004, 3.65, 7.0, 13.5, 99.0, -1.0])
            ),
        }
    )


HOSTILE_FIELDS: list[dict[str, Any]] = [
    {"name": 'a "quoted" name', "categories": ["a", "bé", "c'd", "\\", "%s"], "unknown": ""},
    {
        "name": "SELECT",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 9},
        "bins": 4,
        "missingValues": ["-3", "11"],
    },
    {"name": "select", "type": "integer", "categories": [0, 1, 2], "unknown": 2},
    {
        "name": "größe in cm",
        "type": "number",
        "constraints": {"minimum": 0, "maximum": 100},
        "bins": [0, 10, 33.3, 50, 90, 100],
    },
    {"name": "group by", "type": "number", "constraints": {"minimum": 0.1, "maximum": 0.7}, "bins": 7},
    {
        "name": "day",
        "type": "date",
        "constraints": {"minimum": "2000-01-01", "maximum": "2000-02-01"},
        "bins": 7,
    },
    {
        "name": "day as month",
        "type": "yearmonth",
        "constraints": {"minimum": "1999-12", "maximum": "2000-02"},
        "bins": 3,
    },
    {
        "name": "when",
        "type": "datetime",
        "constraints": {"minimum": "1969-12-31 23:59:51", "maximum": "1970-01-01 00:00:08"},
        "bins": 7,
    },
    {
        "name": "when, as a day",
        "type": "date",
        "constraints": {"minimum": "1969-12-30", "maximum": "1970-01-02"},
        "bins": 4,
    },
    {"name": "truth", "type": "boolean"},
    {
        "name": "icd",
        "categories": [
            {"value": "heart", "prefixes": ["I", "I2"]},
            {"value": "stroke", "prefixes": ["I6"]},
            "C",
        ],
        "unknown": "",
    },
    {"name": "number as category", "categories": [1, 2, 3.5], "unknown": 3.5, "missingValues": ["-9"]},
    {
        "name": "text of a number",
        "type": "number",
        "constraints": {"minimum": 0, "maximum": 10},
        "bins": 5,
        "missingValues": ["n.a.", "-9.0"],
    },
    {
        "name": "text of a category",
        "type": "integer",
        "categories": [1, 2, 3],
        "missingValues": ["n.a."],
    },
    {
        "name": "written day",
        "type": "date",
        "constraints": {"minimum": "2000-01-01", "maximum": "2000-02-01"},
        "bins": [["2000-01-01", "2000-01-15", "2000-02-01"]][0],
        "missingValues": ["1.1.2000"],
    },
    {
        "name": "own day",
        "type": "date",
        "format": "%d.%m.%Y",
        "constraints": {"minimum": "01.01.2000", "maximum": "01.03.2000"},
        "bins": 6,
        "unknown": "",
    },
    {
        "name": "clock",
        "type": "time",
        "constraints": {"minimum": "00:00:00", "maximum": "23:59:59"},
        "bins": 4,
    },
    {"name": "took", "type": "duration", "constraints": {"minimum": "PT0S", "maximum": "PT2H"}, "bins": 8},
    {
        "name": "learned",
        "type": "number",
        "constraints": {"minimum": 0, "maximum": 150},
        "bins": "learned",
        "multipleOf": 0.05,
    },
    {
        "name": "learned text",
        "type": "number",
        "constraints": {"minimum": 0, "maximum": 50},
        "bins": "learned",
        "missingValues": ["unsaid"],
        "unknown": "",
    },
    {
        "name": "learned day",
        "type": "date",
        "constraints": {"minimum": "1999-12-28", "maximum": "2000-02-20"},
        "bins": "learned",
    },
    {"name": "constant", "categories": ["x"], "constraints": {"required": True}},
    {"name": "narrow category", "categories": [1.1, 2, float(np.float32(3.3))], "unknown": 2},
    {
        "name": "learned among a few",
        "type": "number",
        "constraints": {"minimum": 0, "maximum": 50},
        "values": [0.1, 0.3, 7, 20],
    },
]


def _said(number: float) -> str:
    """A number, a text that means missing, or one that cannot be read."""
    return f"{number:.1f}" if number < 55 else "5;5" if number < 60 else "unsaid"


def hostile_codebook(**rest: Any) -> Codebook:
    """The codebook of ``hostile_table``."""
    return Codebook.from_dict({"fields": HOSTILE_FIELDS, **rest})


def in_memory(table: pa.Table, folder: Path) -> pd.DataFrame:
    """The table as the command line reads it from Parquet."""
    papq.write_table(table, folder / "memory.parquet")
    return read_table(folder / "memory.parquet")


class EngineConformance(SourceConformance):
    """Subclass it, and give a fixture ``put`` that puts an Arrow table where the engine keeps its tables.

    What the engine counts is compared with what ``encode_table`` and a plain array count: bit by bit.
    """

    @pytest.fixture
    def make(self, put: Put) -> Make:
        def made(codes: Codes, domain: Domain) -> TableSource:
            columns = {name: pa.array(codes[:, i]) for i, name in enumerate(domain.names)}
            return put(pa.table(columns)).source(Codebook(domain=domain), ROW)

        return made

    @pytest.fixture
    def hostile(self, put: Put) -> EngineTable:
        return put(hostile_table())

    def test_every_kind_of_column_gets_the_codes_that_it_gets_in_memory(self, hostile, tmp_path):
        codebook = hostile_codebook()
        known = open_source(in_memory(hostile_table(), tmp_path), codebook)
        source = hostile.source(codebook, ROW)
        size = len(codebook.domain)
        sets = [(a,) for a in range(size)] + [
            (a, (a * 5 + 1) % size) for a in range(size) if a * 4 + 1 != size
        ]
        sets = [s for s in sets if len(set(s)) == len(s)] + [(3, 0, 1), (9, 10, 11)]
        for expected, found in zip(known.marginals(sets), source.marginals(sets), strict=True):
            names = [codebook.domain.names[a] for a in expected.attributes]
            assert np.array_equal(expected.counts, found.counts), names

    def test_the_rows_are_passed_over_twice_at_most(self, hostile):
        hostile.source(hostile_codebook(), ROW)
        assert hostile.engine.scans <= 3  # with one more pass for values that no expression reads

    def test_fine_positions_are_counted_as_in_memory_also_once_bins_are_learned(self, hostile, tmp_path):
        codebook = hostile_codebook()
        known = open_source(in_memory(hostile_table(), tmp_path), codebook)
        source = hostile.source(codebook, ROW)
        assert source.fine == known.fine
        attributes = list(codebook.domain.attributes)
        for index in sorted(known.fine):
            attribute = attributes[index]
            assert isinstance(attribute, Numeric)
            size = attribute.grid.size
            starts = np.unique(np.linspace(0, size, 23).astype(np.int64))
            assert np.array_equal(
                known.interval_counts(index, starts).counts, source.interval_counts(index, starts).counts
            )
            marks = marks_of(attribute.kind, size, attribute.grid.step) or ("2", "1")
            groups = np.append(np.arange(starts.size - 1) // 5 % 3 - 1, -1)
            assert np.array_equal(
                known.mark_counts(index, starts, groups, marks).counts,
                source.mark_counts(index, starts, groups, marks).counts,
            )
            cuts, codes, shares = (0, size // 9, size // 5, size // 2), (0, 1, 1, 2), (1.0, 0.5, 0.5, 1.0)
            if size < 9:  # a few values that a codebook names
                cuts, codes, shares = (0, size // 2), (0, 1), (1.0, 1.0)
            pieces = Pieces(starts=cuts, codes=codes, shares=shares, size=size)
            attributes[index] = attribute.with_pieces(pieces)
        domain = Domain(tuple(attributes))
        before, after = known.recoded(domain), source.recoded(domain)
        assert after.domain == domain
        sets = [(a,) for a in sorted(known.fine)] + [(18, 19), (20, 0)]
        for expected, found in zip(before.marginals(sets), after.marginals(sets), strict=True):
            assert np.array_equal(expected.counts, found.counts)
        starts = np.array([0, 3])
        assert np.array_equal(
            after.interval_counts(18, starts).counts, known.interval_counts(18, starts).counts
        )

    def test_a_survey_counts_numbers_texts_and_missing_values_as_in_memory(self, put):
        texts = {
            "whole": ["0", "-7", "1985", "1234567", "", "40", "70000", "-9"] * 3,
            "decimals": ["0.5", "-1.25", "3.0", "2.50", "n.a.", "1e5", "0.125", "120.0"] * 3,
            "word": ["Köln", " yes", "a'b", "", "n.a.", "yes", "19990412", "none"] * 3,
        }
        size = len(texts["whole"])
        table = put(pa.table(texts | {"person": [f"p{i}" for i in range(size)]}))
        missing = dict.fromkeys(texts, frozenset({"", "n.a.", "-9"}))
        for unit in (ROW, Unit(column="person", rows=1)):
            found = engine_counts(table, missing, unit, with_texts=True)
            for name, column in texts.items():
                own = count(pd.Series(column), missing[name], with_texts=True)
                public = len(own.cells) - len(own.texts)
                assert np.array_equal(found[name].kinds, own.kinds), (name, unit)
                assert np.array_equal(found[name].decimals, own.decimals), (name, unit)
                assert np.array_equal(found[name].cells[:public], own.cells[:public]), (name, unit)
                counts = [dict(zip(c.texts, c.cells[public:], strict=True)) for c in (found[name], own)]
                assert counts[0] == counts[1], (name, unit)

    def test_times_since_another_column_are_counted_as_in_memory(self, hostile, tmp_path):
        codebook = hostile_codebook()
        known = open_source(in_memory(hostile_table(), tmp_path), codebook)
        source = hostile.source(codebook, ROW)
        attributes = list(codebook.domain.attributes)
        start, index = sorted(known.fine)[:2]
        assert isinstance(attributes[start], Numeric)
        attributes[index] = replace(attributes[index], since=since_of(attributes[start]))
        before, after = (table.recoded(Domain(tuple(attributes))) for table in (known, source))
        size = attributes[index].places.size
        starts = np.unique(np.linspace(0, size, 12).astype(np.int64))
        groups = np.append(np.arange(starts.size - 1) % 2, -1)
        counts = after.interval_counts(index, starts).counts
        assert np.count_nonzero(counts) > 3
        assert np.array_equal(before.interval_counts(index, starts).counts, counts)
        assert np.array_equal(
            before.mark_counts(index, starts, groups, ("7", "1")).counts,
            after.mark_counts(index, starts, groups, ("7", "1")).counts,
        )
        pieces = Pieces(starts=(0, size // 9, size // 2), codes=(0, 1, 2), shares=(1.0, 1.0, 1.0), size=size)
        attributes[index] = attributes[index].with_pieces(pieces)
        before, after = (table.recoded(Domain(tuple(attributes))) for table in (before, after))
        assert np.array_equal(before.marginal((index, 0)).counts, after.marginal((index, 0)).counts)

    def test_what_two_columns_have_in_common_is_counted_and_coded_as_in_memory(self, put, tmp_path):
        towns = [f"t{i}" for i in range(14)]
        rng = np.random.default_rng(3)
        rows = 400
        born, days = rng.choice([*towns, None], rows), rng.integers(0, 300, rows)
        lives = np.where(rng.random(rows) < 0.5, born, rng.choice([*towns[2:], "t99", None], rows))
        later = np.where(rng.random(rows) < 0.4, days, days + 3)
        absent = rng.random(rows) < 0.1
        columns = {
            "born": pa.array(born.tolist(), pa.string()),
            "lives": pa.array(lives.tolist(), pa.string()),
            "days": pa.array(days.tolist(), pa.int64(), mask=absent),
            "later": pa.array(later.tolist(), pa.int64()),
        }
        number = {"type": "integer", "bins": "learned"}
        fields = [
            {"name": "born", "type": "string", "categories": towns},
            {"name": "lives", "type": "string", "categories": [*reversed(towns), "t99"]},
            {"name": "days", **number, "constraints": {"minimum": 0, "maximum": 299}},
            {"name": "later", **number, "constraints": {"minimum": 1, "maximum": 302}},
        ]
        codebook, table = Codebook.from_dict({"fields": fields}), pa.table(columns)
        known, source = open_source(in_memory(table, tmp_path), codebook), put(table).source(codebook, ROW)
        for index, others, usual in (
            (1, (0,), ([3, 4],)),
            (1, (0,), ([],)),
            (3, (2,), ([7],)),
            (3, (2,), ([],)),
        ):
            left = [np.array(codes, dtype=np.int64) for codes in usual]
            expected = known.repeat_counts(index, others, left)
            assert np.array_equal(source.repeat_counts(index, others, left).counts, expected.counts)
            assert expected.counts.min() > 20
        entries = list(codebook.domain.attributes)
        entries[1] = repeating(entries[1], "born")
        domain = Domain(tuple(entries))
        before, after = known.recoded(domain), source.recoded(domain)
        for expected, found in zip(
            before.marginals([(1,), (0, 1)]), after.marginals([(1,), (0, 1)]), strict=True
        ):
            assert np.array_equal(expected.counts, found.counts)
        same = sum(one == other for one, other in zip(born, lives, strict=True) if one is not None)
        assert before.marginal((1,)).counts[15] == same
        missing = sum(one is None for one in lives)
        assert before.marginal((1,)).counts[16] == missing

    def test_answers_that_stand_together_in_one_cell_are_told_apart_as_in_memory(self, put, tmp_path):
        cells = ["tea; coffee", "tea", None, "", " milk ;tea", "tea  milk", "teapot", "it's; tea", "a%_b;tea"]
        codes = ["1 2", "2", "12 1", " 1", None, "", "3  1", "1;2", "x"]
        table = pa.table({"drinks": pa.array(cells), "codes": pa.array(codes), "n": pa.array([7] * 9)})
        answers = [
            ("drinks", "; ", ("tea", "coffee", "it's", "a%_b")),
            ("codes", " ", ("1", "2")),
            ("n", ",", ("7",)),
        ]
        fields = [
            {
                "name": f"{column}/{answer}",
                "type": "boolean",
                "answerTo": {"column": column, "answer": answer, "between": between},
            }
            for column, between, own in answers
            for answer in own
        ]
        codebook = Codebook.from_dict({"fields": fields})
        known, source = open_source(in_memory(table, tmp_path), codebook), put(table).source(codebook, ROW)
        given = [int(known.marginal((a,)).counts[1]) for a in range(7)]
        assert given == [5, 1, 1, 1, 4, 2, 9]
        for a, b in itertools.combinations(range(7), 2):
            assert np.array_equal(source.marginal((a, b)).counts, known.marginal((a, b)).counts)

    def test_scores_are_added_up_and_cut_as_in_memory(self, hostile, tmp_path):
        codebook = hostile_codebook()
        rng = np.random.default_rng(8)
        weights = [np.round(rng.normal(size=size), 3) for size in codebook.domain.sizes]
        edges = np.array([-1.5, 0.25, 3.0])
        known = open_source(in_memory(hostile_table(), tmp_path), codebook)
        found = hostile.source(codebook, ROW).score_counts(weights, edges, 9)
        expected = known.score_counts(weights, edges, 9)
        assert found.attributes == expected.attributes
        assert np.array_equal(found.counts, expected.counts)

    def test_rules_are_handed_on(self, hostile):
        codebook = hostile_codebook()
        assert hostile.source(codebook, ROW).rules is codebook.rules

    @pytest.mark.parametrize("column", ["person", "person, written"])
    def test_at_most_m_rows_of_a_person_stay_and_all_of_a_person_who_has_no_more(self, hostile, column):
        codebook = Codebook.from_dict(
            {"fields": [{"name": "truth", "type": "boolean"}, {"name": "constant", "categories": ["x"]}]}
        )
        people = Counter(str(p).strip() for p in hostile_table().column(column).to_pylist())
        for most in (1, 2):
            source = hostile.source(codebook, Unit(column=column, rows=most))
            assert source.n_rows == sum(min(most, rows) for rows in people.values())
            assert source.marginal((1,)).counts.sum() == source.n_rows

    def test_which_rows_of_a_person_stay_is_drawn_anew_and_all_alike(self, put):
        rows = 4000
        table = pa.table({"who": np.arange(rows) // 4, "nth": [f"n{i % 4}" for i in range(rows)]})
        opened = put(table)
        codebook = Codebook.from_dict({"fields": [{"name": "nth", "categories": ["n0", "n1", "n2", "n3"]}]})
        unit = Unit(column="who", rows=1)
        drawn = [opened.source(codebook, unit).marginal((0,)).counts for _ in range(2)]
        assert not np.array_equal(drawn[0], drawn[1])
        for counts in drawn:  # 1000 people, a quarter each: 6 standard deviations are 82
            assert abs(counts[:4] - 250).max() < 90

    def test_a_row_without_an_id_is_refused(self, put):
        codebook = Codebook.from_dict({"fields": [{"name": "x", "categories": ["a"]}]})
        for ids in ([1, None, 2], ["p", "  ", "q"], [1.0, float("nan"), 2.0]):
            with pytest.raises(SourceError, match="id column 'who' is empty in some rows"):
                put(pa.table({"who": ids, "x": ["a"] * 3})).source(codebook, Unit(column="who", rows=1))

    @pytest.mark.parametrize(
        ("values", "field", "words"),
        [
            (["a", "b"], {"categories": ["a"]}, "not among its 1 declared categories"),
            ([1, 5], {"categories": [1, 2]}, "not among its 2 declared categories"),
            (
                ["1", "x"],
                {"type": "number", "constraints": {"minimum": 0, "maximum": 9}},
                "that are not numbers",
            ),
            (
                ["a", None],
                {"categories": ["a"], "constraints": {"required": True}},
                "has missing values, but",
            ),
            (
                [1.5, None],
                {"type": "number", "constraints": {"minimum": 0, "maximum": 9, "required": True}},
                "has missing values, but",
            ),
            (
                ["1", "-9", "-9.0"],
                {
                    "type": "number",
                    "constraints": {"minimum": 0, "maximum": 9, "required": True},
                    "missingValues": ["-9", ""],
                },
                "has missing values, but",
            ),
            (
                [1, -9, -8],
                {
                    "categories": [1],
                    "constraints": {"required": True},
                    "missingValues": ["-9"],
                },
                "not among its 1 declared categories",
            ),
        ],
    )
    def test_what_the_codebook_refuses_is_refused_with_the_sentence_of_memory(
        self, put, tmp_path, values, field, words
    ):
        codebook = Codebook.from_dict({"fields": [{"name": "x", **field}]})
        table = pa.table({"x": values})
        with pytest.raises(SourceError, match=words) as here:
            put(table).source(codebook, ROW)
        with pytest.raises(SourceError) as there:
            open_source(in_memory(table, tmp_path), codebook)
        assert str(here.value) == str(there.value)

    def test_all_columns_that_the_codebook_refuses_are_named_at_once(self, put):
        codebook = Codebook.from_dict({"fields": [{"name": n, "categories": ["a"]} for n in ("x", "y", "z")]})
        table = pa.table({"x": ["a", "b"], "y": ["a", "a"], "z": ["c", "a"]})
        with pytest.raises(SourceError, match=r"^'x' has .* do not fit their entries either: 'z'\.$"):
            put(table).source(codebook, ROW)

    def test_an_absent_column_and_an_empty_table_are_refused(self, put):
        codebook = Codebook.from_dict({"fields": [{"name": "x", "categories": ["a"]}]})
        with pytest.raises(SourceError, match="lacks 'x'"):
            put(pa.table({"y": ["a"]})).source(codebook, ROW)
        with pytest.raises(SourceError, match="no rows"):
            put(pa.table({"x": pa.array([], pa.string())})).source(codebook, ROW)
        with pytest.raises(SourceError, match="lacks the id column 'who'"):
            put(pa.table({"x": ["a"]})).source(codebook, Unit(column="who", rows=1))

    def test_many_spellings_that_no_expression_reads_go_through_a_table(self, put, tmp_path):
        texts = [f"{i % 28 + 1:02d}.{i % 12 + 1:02d}.{1950 + i % 60}" for i in range(3000)]
        table = pa.table({"born": texts, "n": [f" {i % 300} " for i in range(3000)]})
        codebook = Codebook.from_dict(
            {
                "fields": [
                    {
                        "name": "born",
                        "type": "date",
                        "format": "%d.%m.%Y",
                        "constraints": {"minimum": "01.01.1960", "maximum": "31.12.2000"},
                    },
                    {"name": "n", "type": "integer", "constraints": {"minimum": 0, "maximum": 200}},
                ]
            }
        )
        known = open_source(in_memory(table, tmp_path), codebook).marginal((0, 1))
        assert np.array_equal(put(table).source(codebook, ROW).marginal((0, 1)).counts, known.counts)

    def test_a_broken_engine_ends_in_one_sentence_that_holds_no_value(self, hostile):
        source = hostile.source(hostile_codebook(), ROW)
        hostile.engine.close()
        with pytest.raises(SourceError, match="stopped while it was counting") as error:
            source.marginal((0, 1))
        assert error.value.__cause__ is None
