"""Joined keys count exactly what counting table by table gives."""

from __future__ import annotations

import itertools
import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.domain import Domain
from hmpb_core.sources import counting
from hmpb_core.sources.counting import count_tables, joined_counts, narrowest, plan_passes
from hmpb_core.sources.memory import MemorySource

ROOM = 1 << 20


def columns_of(sizes, n_rows, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, size, n_rows).astype(narrowest(size)) for size in sizes]


def by_hand(columns, sizes, attributes):
    if not attributes:
        return np.array(len(columns[0]))
    counts = np.zeros([sizes[a] for a in attributes], dtype=np.int64)
    np.add.at(counts, tuple(columns[a] for a in attributes), 1)
    return counts


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_tables_over_any_attributes_hold_what_a_count_cell_by_cell_holds(data):
    sizes = data.draw(st.lists(st.sampled_from([1, 2, 3, 5, 16, 40, 300]), min_size=1, max_size=9))
    n_rows = data.draw(st.sampled_from([1, 7, 300, 5000]))
    attribute = st.integers(0, len(sizes) - 1)
    sets = data.draw(
        st.lists(
            st.lists(attribute, max_size=4, unique=True).filter(
                lambda chosen: math.prod(sizes[a] for a in chosen) < 10**6
            ),
            max_size=30,
        )
    )
    columns = columns_of(sizes, n_rows, seed=len(sets))
    found = list(count_tables(columns, sizes, sets, room=data.draw(st.sampled_from([1, 10_000, ROOM]))))
    assert len(found) == len(sets)
    for table, attributes in zip(found, sets, strict=True):
        assert table.dtype == np.int64
        assert np.array_equal(table, by_hand(columns, sizes, attributes))


@pytest.mark.parametrize("n_rows", [counting.SMALL_ROWS, 2 * counting.BLOCK_ROWS + 3])
def test_many_rows_are_counted_by_sparse_products_and_threads_just_as_exactly(n_rows, monkeypatch):
    monkeypatch.setattr(counting, "_cores", lambda: 3)
    sizes = [16, 3, 16, 300, 2, 16]
    columns = columns_of(sizes, n_rows)
    sets = [*itertools.permutations(range(6), 2), (0, 1, 2), (5,), ()]
    for table, attributes in zip(count_tables(columns, sizes, sets, room=ROOM), sets, strict=True):
        assert np.array_equal(table, by_hand(columns, sizes, attributes))


def test_a_key_of_more_cells_than_rows_in_a_block_is_counted_in_larger_blocks(monkeypatch):
    monkeypatch.setattr(counting, "BLOCK_ROWS", 1000)
    sizes = [300, 40]
    columns = columns_of(sizes, counting.SMALL_ROWS + 1)
    assert np.array_equal(joined_counts(columns, sizes), by_hand(columns, sizes, (0, 1)).ravel())


def test_all_pairs_of_twenty_attributes_of_sixteen_values_take_at_most_forty_passes():
    pairs = list(itertools.combinations(range(20), 2))
    passes = plan_passes(pairs, [16] * 20, cells=1 << 16)
    assert len(passes) <= 40  # 35 is the least: every attribute meets 19 others, three in each pass
    held = [place for one in passes for place in one.tables]
    assert sorted(held) == list(range(190))
    for one in passes:
        assert 16 ** len(one.attributes) <= 1 << 16
        assert all(set(pairs[place]) <= set(one.attributes) for place in one.tables)


def test_a_table_larger_than_any_joined_key_has_a_pass_of_its_own():
    passes = plan_passes([(0, 1), (1, 2)], [500, 500, 2], cells=1 << 10)
    assert [one.attributes for one in passes if 0 in one.tables] == [(0, 1)]


def test_tables_that_do_not_fit_the_room_together_are_counted_when_their_turn_comes():
    sizes = [16, 16, 16]
    columns = columns_of(sizes, 100)
    asked: list[tuple[int, int]] = []

    def sets():
        for pair in [(0, 1), (1, 2), (0, 2)]:
            asked.append(pair)
            yield pair

    next(count_tables(columns, sizes, sets(), room=8 * 256))
    assert asked == [(0, 1), (1, 2)]  # the one that no longer fitted is known, the third is not


def test_a_table_that_is_asked_for_again_is_not_counted_again(monkeypatch):
    source = MemorySource(np.array([[0, 2], [1, 2], [0, 0]]), Domain.of_sizes([2, 3]))
    first = source.marginal((0, 1)).counts
    monkeypatch.setattr(counting, "joined_counts", None)
    assert np.array_equal(source.marginal((0, 1)).counts, first)
    with pytest.raises(TypeError, match="NoneType"):
        source.marginal((1,))


def test_kept_tables_never_take_more_than_their_room():
    sizes = [8] * 30
    source = MemorySource(np.stack(columns_of(sizes, 200), axis=1), Domain.of_sizes(sizes))
    source._room = 100 * 8 * 64
    for _ in range(2):
        list(source.marginals(itertools.combinations(range(30), 2)))
    kept = sum(table.nbytes for table in source._lately.values())
    assert 0 < kept == source._lately_bytes <= source._room


def test_two_threads_may_count_the_same_source_at_once():
    sizes = [5] * 12
    source = MemorySource(np.stack(columns_of(sizes, 500), axis=1), Domain.of_sizes(sizes))
    source._room = 4000
    pairs = list(itertools.combinations(range(12), 2))
    wrong = []

    def work():
        for _ in range(20):
            for pair, table in zip(pairs, source.marginals(pairs), strict=True):
                if not np.array_equal(table.counts, by_hand(source._columns, sizes, pair)):
                    wrong.append(pair)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
