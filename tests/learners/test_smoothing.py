"""Smoothing pair tables: closer where dependence is smooth, untouched where it is not."""

from __future__ import annotations

import numpy as np
import pytest

from hmpb_core.domain import Categorical, Numeric
from hmpb_core.learners.adaptive.smoothing import smoothed, values_in_order
from hmpb_core.merging import Compression, compress

SIZE, ROWS, NOISE = 10, 50_000.0, 150.0


def smooth_table() -> np.ndarray:
    """Two scales of ten equal values, correlated: each cell tilted by the product of both positions."""
    place = (np.arange(SIZE) + 0.5) / SIZE - 0.5
    return ROWS / SIZE**2 * (1 + 2 * np.multiply.outer(place, place))


def one_way(table: np.ndarray) -> list[np.ndarray]:
    return [table.sum(axis=1), table.sum(axis=0)]


def mean_errors(table: np.ndarray, in_order: list[int], noise_sd: float) -> tuple[float, float]:
    """Mean squared error of a cell, of the noisy table and of the smoothed one, over 40 draws."""
    rng = np.random.default_rng(3)
    noisy_error, smooth_error = [], []
    for _ in range(40):
        noisy = table + rng.normal(0, noise_sd, table.shape)
        smooth = smoothed(noisy, one_way(table), in_order, noise_sd)
        noisy_error.append(((noisy - table) ** 2).mean())
        smooth_error.append(((smooth - table) ** 2).mean())
    return float(np.mean(noisy_error)), float(np.mean(smooth_error))


def test_of_a_smooth_table_little_more_than_the_noise_of_the_kept_frequencies_is_left() -> None:
    noisy, smooth = mean_errors(smooth_table(), [SIZE, SIZE], NOISE)
    kept = 6 / SIZE**2  # the frequencies (0,0) (0,1) (1,0) (1,1) (0,2) (2,0)
    assert noisy == pytest.approx(NOISE**2, rel=0.05)
    assert kept * NOISE**2 * 0.8 < smooth < 2.5 * kept * NOISE**2


def test_with_one_scale_the_noise_falls_to_about_the_part_of_its_kept_frequencies() -> None:
    _, smooth = mean_errors(smooth_table(), [0, SIZE], NOISE)
    assert 0.25 * NOISE**2 < smooth < 0.45 * NOISE**2  # three of ten frequencies, and what chance leaves


def test_a_table_of_lists_stays_as_it_is() -> None:
    noisy = np.random.default_rng(0).normal(100, 50, (4, 7))
    smooth = smoothed(noisy, one_way(np.full((4, 7), 100.0)), [0, 0], 50.0)
    assert smooth == pytest.approx(noisy)


def test_a_table_on_the_diagonal_is_left_alone_however_its_values_are_ordered() -> None:
    table = np.diag(np.full(SIZE, ROWS / SIZE))
    noisy = table + np.random.default_rng(1).normal(0, NOISE, table.shape)
    assert smoothed(noisy, one_way(table), [SIZE, SIZE], NOISE) == pytest.approx(noisy)


def test_without_noise_nothing_is_taken_off() -> None:
    table = np.random.default_rng(2).dirichlet(np.ones(30)).reshape(5, 6) * ROWS
    assert smoothed(table, one_way(table), [5, 6], 0.0) == pytest.approx(table)


def test_a_block_of_noise_alone_goes_and_one_of_a_third_dependence_keeps_a_third() -> None:
    """By hand: one scale of four equal values against one value; block 3 is the single frequency 3."""
    flat = [np.full(4, 100.0), np.array([400.0])]
    expected = np.full((4, 1), 100.0)
    fastest = np.array([[1.0], [-2.41421356], [2.41421356], [-1.0]])  # cos(3 pi F) at F = 1/8, 3/8, 5/8, 7/8
    fastest /= np.sqrt((fastest**2).sum())
    for energy, kept in ((1.0, 0.0), (1.5, 1 / 3), (3.0, 1.0)):
        noisy = expected + 20.0 * np.sqrt(energy) * fastest
        smooth = smoothed(noisy, flat, [4, 0], 20.0)
        assert smooth == pytest.approx(expected + kept * (noisy - expected))


def test_values_that_nobody_has_and_a_table_of_one_cell_do_no_harm() -> None:
    empty = [np.array([0.0, 0.0, 0.0, 500.0]), np.array([250.0, 250.0, 0.0, 0.0])]
    assert np.isfinite(smoothed(np.zeros((4, 4)), empty, [4, 4], 9.0)).all()
    assert smoothed(np.array([[7.0]]), [np.array([7.0]), np.array([7.0])], [1, 1], 1.0) == pytest.approx(7)
    assert np.isfinite(smoothed(np.zeros((4, 4)), [np.zeros(4), np.zeros(4)], [4, 4], 9.0)).all()


def test_a_value_beside_the_scale_is_not_smoothed_into_it() -> None:
    noisy = np.random.default_rng(5).normal(100, 10, (6, 2))
    noisy[5] = 900.0, 100.0  # the missing value has its own share of the second attribute
    tables = [noisy.sum(axis=1), noisy.sum(axis=0)]
    smooth = smoothed(noisy, tables, [5, 0], 10.0)
    assert smooth[5] == pytest.approx(noisy[5])
    assert smooth[:5] != pytest.approx(noisy[:5])


NO_MERGE = compress(np.full(9, 100.0), 1.0)


@pytest.mark.parametrize(
    ("attribute", "merge", "values"),
    [
        (Numeric(name="age", minimum=0, maximum=100, bins=9), NO_MERGE, 9),
        (Numeric(name="age", minimum=0, maximum=100, bins=8, nullable=True), NO_MERGE, 8),
        (Categorical(name="school", categories=tuple("abcdefghi"), ordered=True), NO_MERGE, 9),
        (Categorical(name="region", categories=tuple("abcdefghi")), NO_MERGE, 0),
        (
            Categorical(name="agreement", categories=tuple("abcde"), ordered=True),
            compress(np.full(5, 100.0), 1.0),
            0,
        ),
        (
            Numeric(name="age", minimum=0, maximum=100, bins=9),
            compress(np.array([90.0, 1, 80, 70, 2, 60, 50, 40, 3]), 5.0),
            6,
        ),
        (
            Numeric(name="age", minimum=0, maximum=100, bins=8, nullable=True),
            compress(np.array([90.0, 1, 80, 70, 2, 60, 50, 40, 99]), 5.0),
            6,
        ),
    ],
)
def test_numbers_and_long_lists_in_order_are_scales_but_for_missing_and_merged_values(
    attribute: Categorical | Numeric, merge: Compression, values: int
) -> None:
    assert values_in_order(attribute, merge) == values
