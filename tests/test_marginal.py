"""Tables of counts: what they show, and the projection that makes probabilities of noisy ones."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.marginal import (
    Marginal,
    NoisyMarginal,
    combination,
    joined,
    project_to_simplex,
    with_margins,
)


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


def known_counts(cells: int, seed: int, *, sum_known: bool) -> tuple[np.ndarray, np.ndarray]:
    """Counts and a covariance of their errors; with a known sum no error is in their sum."""
    rng = np.random.default_rng(seed)
    spread = rng.normal(size=(cells, cells))
    if sum_known:
        spread -= spread.mean(axis=0)
    return rng.normal(100, 30, cells), spread @ spread.T


@pytest.mark.parametrize("cells", [1, 2, 5])
@pytest.mark.parametrize("variance", [0.5, 40.0])
def test_joined_counts_are_those_of_generalised_least_squares(cells: int, variance: float) -> None:
    known, covariance = known_counts(cells, cells, sum_known=False)
    counts = np.random.default_rng(9).normal(100, 30, cells)
    better, left = joined(known, covariance, counts, variance)
    both = np.vstack([np.eye(cells), np.eye(cells)])
    weights = np.linalg.inv(
        np.kron(np.diag([1.0, 0.0]), covariance) + np.kron(np.diag([0.0, variance]), np.eye(cells))
    )
    information = both.T @ weights @ both
    assert left == pytest.approx(np.linalg.inv(information))
    assert better == pytest.approx(
        np.linalg.solve(information, both.T @ weights @ np.concatenate([known, counts]))
    )


@pytest.mark.parametrize("variance", [0.0, 3.0])
def test_joined_counts_keep_a_sum_that_is_known(variance: float) -> None:
    known, covariance = known_counts(4, 1, sum_known=True)
    better, left = joined(known, covariance, known + np.array([5.0, -1.0, 3.0, 2.0]), variance)
    assert better.sum() == pytest.approx(known.sum())
    assert left.sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-9)
    if variance == 0:  # but for the sum, exact counts are believed
        assert better == pytest.approx(known + np.array([2.75, -3.25, 0.75, -0.25]), abs=1e-3)


def test_a_second_look_at_counts_whose_errors_hang_together_counts_by_the_covariance() -> None:
    """Two cells of which only the difference is uncertain, by a variance of 4 each: the sum stays."""
    first = NoisyMarginal(
        attributes=(0,),
        counts=np.array([10.0, 20.0]),
        noise="gaussian",
        scale=2.0,
        covariance=np.array([[4.0, -4.0], [-4.0, 4.0]]),
    )
    second = NoisyMarginal(
        attributes=(0,), counts=np.array([14.0, 26.0]), noise="gaussian", scale=math.sqrt(8)
    )
    laplace = NoisyMarginal(attributes=(0,), counts=second.counts, noise="laplace", scale=2.0)
    assert first.combined(laplace).counts.tolist() == pytest.approx([9.5, 20.5])  # of the same variance
    both = first.combined(second)  # of the difference, 10 and 12, with the variances 16 and 16
    assert both.counts.tolist() == pytest.approx([9.5, 20.5])
    assert both.noise_sd == pytest.approx(math.sqrt(2))
    assert both.covariance == pytest.approx(np.array([[2.0, -2.0], [-2.0, 2.0]]))


@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_the_nearest_table_has_the_margins_and_keeps_what_they_do_not_say(
    height: int, width: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    table, other = rng.normal(10, 5, (2, height, width))
    nearest = with_margins(table, other.sum(axis=1), other.sum(axis=0))
    assert nearest.sum(axis=1) == pytest.approx(other.sum(axis=1))
    assert nearest.sum(axis=0) == pytest.approx(other.sum(axis=0))
    # least squares: what was added is orthogonal to every table without margins
    free = other - with_margins(np.zeros((height, width)), other.sum(axis=1), other.sum(axis=0))
    assert ((nearest - table) * free).sum() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("n", "size"), [(1, 1), (5, 0), (5, 5), (7, 3), (9, 4)])
def test_a_set_of_attributes_is_found_by_its_rank(n, size):
    listed = list(itertools.combinations(range(n), size))
    assert [combination(rank, n, size) for rank in range(len(listed))] == listed
