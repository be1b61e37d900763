"""Tables of counts: what they show, and the projection that makes probabilities of noisy ones."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.marginal import Marginal, NoisyMarginal, project_to_simplex


def test_exact_counts_never_show():
    table = Marginal(attributes=(0,), counts=np.array([9731, 1]))
    assert "9731" not in repr(table)
    assert "9731" not in str(table)


def test_the_standard_deviation_of_laplace_noise_is_root_two_times_its_scale():
    def table(noise, scale):
        return NoisyMarginal(attributes=(0,), counts=np.zeros(2), noise=noise, scale=scale)

    assert table("laplace", 3.0).noise_sd == pytest.approx(3 * math.sqrt(2))
    assert table("gaussian", 3.0).noise_sd == 3.0
    assert table("none", 0.0).noise_sd == 0.0


@pytest.mark.parametrize(
    ("values", "total", "nearest"),
    [
        ([0.5, 0.5], 1.0, [0.5, 0.5]),
        ([0.5, 0.7, -0.4], 1.0, [0.4, 0.6, 0.0]),
        # 3 and 1 are one too much each; -5 is cut off.
        ([3.0, 1.0, -5.0], 2.0, [2.0, 0.0, 0.0]),
        ([2.0, 2.0], 10.0, [5.0, 5.0]),
        ([-1.0, -3.0], 1.0, [1.0, 0.0]),
        ([7.0], 1.0, [1.0]),
    ],
)
def test_the_projection_has_the_value_worked_out_by_hand(values, total, nearest):
    assert project_to_simplex(np.array(values), total).tolist() == pytest.approx(nearest)


@given(
    st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=40),
    st.floats(0.5, 1e5),
    st.integers(0, 2**32 - 1),
)
def test_no_other_point_of_the_simplex_is_nearer(values, total, seed):
    y = np.array(values)
    x = project_to_simplex(y, total)
    assert x.min() >= 0
    assert x.sum() == pytest.approx(total, rel=1e-6, abs=1e-6)
    other = np.random.default_rng(seed).dirichlet(np.ones(len(y))) * total
    # Convexity: the projection is the point whose every other direction leads away.
    assert (y - x) @ (other - x) <= 1e-6 * (1 + np.abs(y).max()) * total


def test_the_projection_keeps_the_tables_shape():
    assert project_to_simplex(np.ones((2, 3, 4)), 5.0).shape == (2, 3, 4)


def test_two_looks_at_a_table_count_by_their_precision():
    def table(counts, scale):
        return NoisyMarginal(attributes=(0,), counts=np.array(counts), noise="gaussian", scale=scale)

    both = table([10.0, 0.0], 3.0).combined(table([20.0, 10.0], 1.0))
    assert both.counts.tolist() == pytest.approx([19.0, 9.0])
    assert both.noise_sd == pytest.approx(math.sqrt(0.9))
    assert table([1.0, 2.0], 0.0).combined(table([3.0, 4.0], 0.0)).counts.tolist() == [1.0, 2.0]
