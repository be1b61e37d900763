"""Counts over codes in memory."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.domain import Domain
from hmpb_core.errors import DomainError, SourceError
from hmpb_core.sources.memory import MemorySource


def source_of(rows, sizes):
    return MemorySource(np.array(rows, dtype=np.int32), Domain.of_sizes(sizes))


def test_counts_are_those_of_the_rows():
    source = source_of([[0, 2], [1, 2], [0, 0], [0, 2]], [2, 3])
    assert source.n_rows == 4
    assert source.marginal([0, 1]).counts.tolist() == [[1, 0, 2], [0, 0, 1]]
    assert source.marginal([0]).counts.tolist() == [3, 1]
    assert source.marginal([]).counts.tolist() == 4


def test_axes_follow_the_order_that_is_asked_for():
    source = source_of([[0, 2], [1, 2], [0, 0], [0, 2]], [2, 3])
    table = source.marginal([1, 0])
    assert table.attributes == (1, 0)
    assert table.counts.tolist() == [[1, 0], [0, 0], [2, 1]]


sizes_and_rows = st.lists(st.sampled_from([1, 2, 3, 255, 256, 257, 300]), min_size=1, max_size=4).flatmap(
    lambda sizes: st.tuples(
        st.just(sizes),
        st.lists(st.tuples(*(st.integers(0, size - 1) for size in sizes)), min_size=1, max_size=20),
    )
)


@given(sizes_and_rows)
def test_counts_equal_a_plain_loop_whatever_the_sizes(case):
    sizes, rows = case
    source = source_of(rows, sizes)
    for count in range(1, min(3, len(sizes)) + 1):
        for attributes in itertools.combinations(range(len(sizes)), count):
            if np.prod([sizes[a] for a in attributes]) > 200_000:
                continue
            expected = np.zeros([sizes[a] for a in attributes], dtype=int)
            for row in rows:
                expected[tuple(row[a] for a in attributes)] += 1
            assert (source.marginal(attributes).counts == expected).all()


def test_many_tables_are_the_single_ones():
    source = source_of([[0, 1, 1], [1, 0, 1]], [2, 2, 2])
    sets = [(0, 1), (2,), (2, 0)]
    for table, attributes in zip(source.marginals(sets), sets, strict=True):
        assert table.attributes == attributes
        assert (table.counts == source.marginal(attributes).counts).all()


def test_exact_counts_do_not_show_in_the_repr():
    assert "counts" not in repr(source_of([[0]] * 97, [2]).marginal([0]))
    assert "97" not in repr(source_of([[0]] * 97, [2]).marginal([0]))


@pytest.mark.parametrize("code", [-1, 2])
def test_a_code_outside_the_domain_is_refused(code):
    with pytest.raises(DomainError, match="outside its attribute's domain; encode with the same codebook"):
        source_of([[0, 0], [code, 0]], [2, 2])


def test_codes_of_another_width_are_refused():
    with pytest.raises(DomainError, match="one column an attribute"):
        source_of([[0, 0]], [2, 2, 2])


def test_a_table_without_rows_is_refused():
    with pytest.raises(SourceError, match="no rows; there is nothing to publish"):
        MemorySource(np.empty((0, 1), dtype=np.int32), Domain.of_sizes([2]))


def test_a_table_too_large_to_count_is_refused():
    with pytest.raises(DomainError, match=r"64,000,000 cells; at most 50,000,000 are allowed"):
        source_of([[0, 0, 0]], [400, 400, 400]).marginal([0, 1, 2])
