"""What the noisy counts of a one-way table together say of each of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from hmpb_core.likely_counts import MANY, MANY_OF_CODES, SIZES, _noise_quantile, _quantiles, one_way_estimate
from hmpb_core.marginal import NoisyMarginal, project_to_simplex

NOISES = ("gaussian", "laplace")
ROWS = 10_000


def truth(values: int, used: int, steepness: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shares = np.zeros(values)
    shares[rng.permutation(values)[:used]] = 1 / np.arange(1, used + 1) ** steepness
    return rng.multinomial(ROWS, shares / shares.sum()).astype(float)


def measured(counts: np.ndarray, sd: float, noise: str, seed: int) -> NoisyMarginal:
    rng = np.random.default_rng(seed)
    scale = sd if noise == "gaussian" else sd / np.sqrt(2)
    drawn = rng.normal(0, scale, counts.shape) if noise == "gaussian" else rng.laplace(0, scale, counts.shape)
    return NoisyMarginal(attributes=(0,), counts=counts + drawn, noise=noise, scale=scale)


def off(estimate: np.ndarray, real: np.ndarray) -> float:
    return float(np.abs(estimate - real).sum() / 2 / real.sum())


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("sd", [10.0, 40.0, 150.0])
def test_counts_are_not_negative_and_sum_to_the_total(noise, sd):
    for seed, used in enumerate((1, 12, 249)):
        table = measured(truth(249, used, 1.0, seed), sd, noise, seed)
        for total in (1.0, 9_000.0, 1e6):
            found = one_way_estimate(table, total)
            assert found.shape == table.counts.shape
            assert found.min() >= 0
            assert found.sum() == pytest.approx(total)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(
    ("list_", "sd", "most"),
    [
        ((80, 20, 0.5), 40.0, 0.8),
        ((249, 12, 1.2), 40.0, 0.65),
        ((249, 12, 0.5), 10.0, 0.65),
        ((249, 249, 0.5), 40.0, 0.65),  # all used, none empty
        ((1000, 100, 2.0), 10.0, 0.95),
        ((30, 30, 0.2), 300.0, 0.65),  # about as frequent, and most of them under the noise
        ((40, 8, 1.0), 60.0, 0.85),
    ],
)
def test_likely_counts_of_a_long_list_are_nearer_than_the_nearest_counts(noise, list_, sd, most):
    errors = []
    for seed in range(8):
        real = truth(*list_, seed)
        table = measured(real, sd, noise, seed + 100)
        errors.append(
            [off(one_way_estimate(table, ROWS), real), off(project_to_simplex(table.counts, ROWS), real)]
        )
    likely, nearest = np.mean(errors, axis=0)
    assert likely < most * nearest


@pytest.mark.parametrize("noise", NOISES)
def test_they_are_never_much_further(noise):
    for seed, (used, steepness, sd) in enumerate([(80, 0.0, 10.0), (80, 3.0, 150.0), (40, 0.0, 150.0)] * 3):
        real = truth(80, used, steepness, seed)
        table = measured(real, sd, noise, seed + 50)
        assert off(one_way_estimate(table, ROWS), real) < 1.25 * off(
            project_to_simplex(table.counts, ROWS), real
        )


def test_values_nobody_has_get_next_to_nothing():
    shares = []
    for seed in range(8):
        real = truth(249, 12, 1.0, seed)
        found = one_way_estimate(measured(real, 40.0, "gaussian", seed + 7), ROWS)
        shares.append(found[real == 0].sum() / ROWS)
    assert np.mean(shares) < 0.02  # the nearest counts: more than a twentieth


def test_counts_far_above_their_noise_are_shifted_alike():
    real = np.linspace(500, 900, 80)
    table = measured(real, 5.0, "gaussian", 1)
    moved = one_way_estimate(table, real.sum()) - table.counts
    assert moved == pytest.approx(moved[0])
    assert moved.sum() == pytest.approx(real.sum() - table.counts.sum())


def test_short_lists_few_codes_of_numbers_and_exact_counts_are_projected():
    short = measured(truth(MANY, 5, 1.0, 0), 60.0, "gaussian", 0)
    codes = measured(truth(MANY_OF_CODES, 5, 1.0, 0), 60.0, "gaussian", 0)
    codes = replace(codes, covariance=60.0**2 * np.eye(MANY_OF_CODES))
    exact = NoisyMarginal(attributes=(0,), counts=truth(100, 5, 1.0, 0), noise="none", scale=0.0)
    for table in (short, codes, exact):
        assert one_way_estimate(table, ROWS).tolist() == project_to_simplex(table.counts, ROWS).tolist()


def test_quantiles_of_a_distribution_over_sizes_are_those_by_hand():
    chances = np.zeros((1, SIZES.size))
    chances[0, 0], chances[0, 20] = 0.6, 0.4  # empty with 0.6, else about SIZES[20]
    upto = chances.cumsum(axis=1)
    low, high = (SIZES[19] + SIZES[20]) / 2, (SIZES[20] + SIZES[21]) / 2
    assert _quantiles(upto, 0.5)[0] == 0
    assert _quantiles(upto, 0.8)[0] == pytest.approx((low + high) / 2)
    assert _quantiles(upto, 0.9)[0] == pytest.approx(low + 0.75 * (high - low))


@pytest.mark.parametrize("level", [1e-9, 0.1, 0.5, 0.7, 1 - 1e-9])
def test_quantiles_of_the_noise_are_in_its_standard_deviations(level):
    assert _noise_quantile(level, laplace=False) == pytest.approx(stats.norm.ppf(level), abs=1e-9)
    laplace = stats.laplace.ppf(level) / np.sqrt(2)
    assert _noise_quantile(level, laplace=True) == pytest.approx(laplace, abs=1e-9)


def test_no_region_of_thirty_is_lost_where_noise_covers_each():
    """Of thirty regions in 600 rows, twenty each, the nearest counts left eight without a row."""
    real = np.random.default_rng(3).multinomial(600, np.full(30, 1 / 30)).astype(float)
    for seed in range(8):
        found = one_way_estimate(measured(real, 22.0, "gaussian", seed), 600.0)
        assert (found >= 1).all()
