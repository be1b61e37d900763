"""Scores from packed bits: the same families in the same order, the same scores to the last bit."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.domain import Domain
from hmpb_core.learners.family_scores import BitFamilyScores
from hmpb_core.learners.ibayes import IBayes, _Search
from hmpb_core.sources.bits import BitRows
from hmpb_core.sources.memory import MemorySource
from hmpb_core.stages.binary_information import binary_information, pair_information
from hmpb_core.stages.similarity import mutual_information


def table(n_rows, d, seed, constant=()):
    rng = np.random.default_rng(seed)
    codes = (rng.random((n_rows, d)) < rng.random(d)).astype(np.int32)
    for attribute in constant:
        codes[:, attribute] = attribute % 2
    return codes


def kept_pairs(d, seed, part):
    kept = np.random.default_rng(seed).random((d, d)) < part
    return (kept | kept.T) & ~np.eye(d, dtype=bool)


@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(1, 200),
    d=st.integers(2, 8),
    most=st.integers(1, 4),
    part=st.sampled_from([0.0, 0.4, 1.0]),
    max_cells=st.sampled_from([None, 1.0, 2.0, 5.0, 8.0, 16.5]),
)
@settings(max_examples=60, deadline=None)
def test_the_search_over_bits_is_the_plain_search(*, seed, n_rows, d, most, part, max_cells):
    source = MemorySource(table(n_rows, d, seed, constant=(0,)), Domain.of_sizes([2] * d))
    rng = np.random.default_rng(seed)
    cluster = rng.permutation(d)[: rng.integers(2, d + 1)].tolist()
    kept = kept_pairs(d, seed, part)
    learner = IBayes(max_parents=most, eta=0.0, max_cells=max_cells)
    plain = _Search(learner, source, cluster, kept)
    fast = BitFamilyScores(learner._bits(source, cluster), cluster, kept, learner._bit_parents(len(cluster)))
    for attribute in rng.permutation(cluster).tolist()[:-1]:
        plain.place(attribute)
        fast.place(attribute)
        expected = plain.scores()
        assert fast.scores().tolist() == expected
        assert [fast.family(i) for i in range(len(expected))] == [
            plain.family(i) for i in range(len(expected))
        ]


@pytest.mark.parametrize("parents", [1, 2, 3, 4, 5])
def test_many_tables_at_once_have_the_information_of_each_to_the_last_bit(parents):
    rng = np.random.default_rng(parents)
    n = 50_000
    tables = rng.integers(0, 300, (200, 2**parents, 2)) * (rng.random((200, 2**parents, 2)) < 0.7)
    tables[:, 0, 0] += n - tables.sum(axis=(1, 2))
    found = binary_information(np.ascontiguousarray(tables.reshape(200, -1).T), n)
    assert found.tolist() == [float(mutual_information(counts)) for counts in tables]


def test_a_copy_has_one_bit_and_a_stranger_none():
    coin, other = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    assert pair_information(BitRows([coin, coin, other])).tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 1000])
def test_rows_that_are_1_throughout_are_counted(n_rows):
    codes = table(n_rows, 5, seed=n_rows)
    rows = BitRows(list(codes.T))
    ones = rows.ones(3)
    for members in itertools.product(range(5), repeat=3):
        assert ones[members] == codes[:, list(members)].all(axis=1).sum()
    sets = np.array([[0, 1], [1, 2], [3, 3]])
    found = rows.ones_with(4, sets, [2, 0])
    for place, other in enumerate([2, 0]):
        for number, members in enumerate(sets):
            assert found[place, number] == codes[:, [4, other, *members]].all(axis=1).sum()


def test_an_attribute_of_more_values_has_no_bits():
    source = MemorySource(np.zeros((3, 2), dtype=np.int32), Domain.of_sizes([2, 3]))
    assert source.bit_rows([0, 1]) is None
    assert source.bit_rows([0]) is not None


def test_too_many_shared_counts_are_left_to_the_plain_search():
    assert BitFamilyScores.fits(175, 3)
    assert not BitFamilyScores.fits(175, 4)
