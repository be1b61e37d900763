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

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from hmpb_core.binary import BinaryEncoding
from hmpb_core.domain import Codes, Domain
from hmpb_core.errors import NotPrivateError
from hmpb_core.marginal import Marginal
from hmpb_core.planning.methods import METHODS, Accounting
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.sources.base import HiddenRows, TableSource
from hmpb_core.synthesis import fit_source, make_plan

SIZES = (2, 3, 1, 5, 300)
"""One value, a few, and more than a byte holds."""
N_ROWS = 977
"""A number that appears nowhere else, so that a repr which shows it is found."""

Make = Callable[[Codes, Domain], TableSource]


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
            assert str(N_ROWS) not in shown
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
        assert str(N_ROWS) not in repr(hidden)

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
