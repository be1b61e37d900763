"""AVD by hand, by brute force and against figures measured elsewhere."""

import hashlib
import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.encoding import encode
from hmpb_core.metrics.marginals import MarginalError, marginal_error, subsets
from tests.datasets import data_file


def codes(rows):
    return np.array(rows, dtype=np.int32)


def test_the_error_of_two_tables_is_half_the_distance_of_their_shares():
    # Real: (0,0) and (1,1), half each. Synthetic: (0,0) three quarters, (0,1) one quarter.
    # 1/2 (|1/2 - 3/4| + |0 - 1/4| + |1/2 - 0|) = 1/2.
    real, synthetic = codes([[0, 0], [1, 1]]), codes([[0, 0], [0, 0], [0, 0], [0, 1]])
    error = marginal_error(real, synthetic, Domain.of_sizes([2, 2]), 2)
    assert error.subsets == ((0, 1),)
    assert error.mean == pytest.approx(0.5)


def test_equal_tables_have_no_error_and_disjoint_ones_have_all_of_it():
    domain = Domain.of_sizes([3, 3, 3])
    zeros, twos = codes([[0, 0, 0]] * 4), codes([[2, 2, 2]])
    assert marginal_error(zeros, zeros, domain, 2).mean == 0
    assert marginal_error(zeros, twos, domain, 2).mean == 1
    assert marginal_error(zeros, twos, domain, 3).mean == 1


def brute_force(real, synthetic, attributes):
    cells = {tuple(row) for row in real[:, attributes]} | {tuple(row) for row in synthetic[:, attributes]}
    share = [
        {cell: (rows[:, attributes] == cell).all(axis=1).mean() for cell in cells}
        for rows in (real, synthetic)
    ]
    return sum(abs(share[0][cell] - share[1][cell]) for cell in cells) / 2


@given(st.integers(0, 2**32 - 1), st.lists(st.sampled_from([1, 2, 3, 300, 4096]), min_size=2, max_size=4))
def test_every_error_equals_brute_force_whatever_the_sizes(seed, sizes):
    rng = np.random.default_rng(seed)
    domain = Domain.of_sizes(sizes)
    real, synthetic = (
        np.stack([rng.integers(min(size, 5), size=n) * (size > 5) * (size // 5) for size in sizes], axis=1)
        + np.stack([rng.integers(min(size, 3), size=n) for size in sizes], axis=1) * (np.array(sizes) <= 5)
        for n in (7, 11)
    )
    for size in (2, 3):
        error = marginal_error(codes(real), codes(synthetic), domain, size)
        expected = [
            brute_force(real, synthetic, list(s)) for s in itertools.combinations(range(len(sizes)), size)
        ]
        assert error.values.tolist() == pytest.approx(expected)


def test_all_triples_are_compared_up_to_twenty_attributes_and_five_hundred_beyond():
    assert len(subsets(15, 3)) == 455
    assert len(subsets(20, 3)) == 1140
    assert len(subsets(21, 3)) == 500
    assert len(subsets(175, 2)) == 175 * 174 // 2
    assert subsets(2, 3) == ()


@pytest.mark.parametrize("d", [21, 52, 57, 175, 1000])
def test_the_five_hundred_triples_are_fixed_distinct_and_touch_every_attribute_alike(d):
    chosen = subsets(d, 3)
    assert chosen == subsets(d, 3)
    assert len(set(chosen)) == 500
    assert all(0 <= a < b < c < d for a, b, c in chosen)
    if d <= 175:
        used = np.bincount(np.ravel(chosen), minlength=d) / (1500 / d)
        assert used.min() > 0
        assert used.max() < 3


def test_the_fixed_triples_follow_the_published_rule():
    every = list(itertools.combinations(range(25), 3))
    ranks = [int(hashlib.sha256(str(i).encode()).hexdigest(), 16) % len(every) for i in range(1000)]
    assert subsets(25, 3) == tuple(every[rank] for rank in dict.fromkeys(ranks))[:500]


def test_no_set_gives_no_figure():
    one = Domain.of_sizes([2])
    assert marginal_error(codes([[0]]), codes([[1]]), one, 2).mean is None


def test_the_worst_sets_come_first():
    error = MarginalError(subsets=((0, 1), (0, 2), (1, 2)), values=np.array([0.1, 0.5, 0.2]))
    assert error.worst(2) == [((0, 2), 0.5), ((1, 2), 0.2)]


def test_on_adult_a_resample_and_independent_columns_have_the_errors_measured_elsewhere():
    codebook = Codebook.read(data_file("adult.codebook.json"))
    frame = pd.concat([pd.read_csv(data_file(f"adult_{part}.csv"), dtype=str) for part in ("train", "test")])
    real = encode(frame[~(frame == "?").any(axis=1)], codebook)
    assert real.shape == (45_222, 15)
    rng = np.random.default_rng(7)
    resample = real[rng.integers(len(real), size=len(real))]
    assert marginal_error(real, resample, codebook.domain, 2).mean == pytest.approx(0.0086, abs=4e-4)
    assert marginal_error(real, resample, codebook.domain, 3).mean == pytest.approx(0.0184, abs=6e-4)
    apart = np.stack([rng.permutation(real[:, a]) for a in range(15)], axis=1)
    assert marginal_error(real, apart, codebook.domain, 2).mean == pytest.approx(0.0746, abs=6e-4)
    assert marginal_error(real, apart, codebook.domain, 3).mean == pytest.approx(0.1659, abs=1e-3)
