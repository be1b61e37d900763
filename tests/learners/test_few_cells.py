"""Pair tables whose rows are in few cells."""

import numpy as np
import pytest

from hmpb_core.learners.adaptive.few_cells import in_few_cells
from hmpb_core.marginal import project_to_simplex

LABELS = 16
ROWS = 32_000.0


def independent(table: np.ndarray) -> np.ndarray:
    return np.multiply.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()


def code_and_label(rng: np.random.Generator) -> np.ndarray:
    table = np.zeros((LABELS, LABELS))
    table[rng.permutation(LABELS), rng.permutation(LABELS)] = ROWS * rng.dirichlet(np.full(LABELS, 3.0))
    return table


@pytest.mark.parametrize("noise_sd", [400.0, 100.0, 20.0])
def test_a_code_beside_its_label_loses_the_noise_of_all_cells_that_hold_nothing(noise_sd: float) -> None:
    rng = np.random.default_rng(5)
    before, after, found = [], [], 0
    for _ in range(40):
        table = code_and_label(rng)
        noisy = table + rng.normal(0, noise_sd, table.shape)
        few = in_few_cells(noisy, independent(table), noise_sd)
        found += few is not None
        before.append(np.abs(np.maximum(noisy, 0) - table).sum())
        after.append(np.abs((noisy if few is None else few) - table).sum())
    assert found >= 36
    assert np.mean(after) < 0.5 * np.mean(before)


def test_cells_that_stand_out_are_kept_as_measured_and_a_few_rows_left_are_noise() -> None:
    noisy = np.array([[500.0, 3.0, -4.0], [6.0, 300.0, 1.0], [-5.0, 2.0, 202.0]])
    expected = independent(np.diag([500.0, 300.0, 200.0]))
    few = in_few_cells(noisy, expected, 5.0)
    assert few is not None
    assert few.tolist() == np.diag([500.0, 300.0, 202.0]).tolist()


def test_rows_left_beside_what_stands_out_are_shared_as_independence_would() -> None:
    # 1,000 rows, of which 880 stand out: 120 are left, more than the noise of four cells may be
    beside = ~np.eye(4, dtype=bool)
    noisy = np.diag([300.0, 200.0, 180.0, 200.0])
    noisy[beside] = [14, 11, 12, 15, 9, 13, 3, 8, 2, 14, 5, 10]
    few = in_few_cells(noisy, np.full((4, 4), 1000 / 16), 8.0)
    assert few is not None
    assert np.diag(few).tolist() == [300, 200, 180, 200]
    assert few[beside] == pytest.approx(10.0)


def test_rows_that_lie_beside_the_few_cells_in_a_pattern_are_not_taken_for_noise() -> None:
    rng = np.random.default_rng(6)
    table = np.full((LABELS, LABELS), 60.0) + np.diag(np.full(LABELS, 1500.0))
    table[:, 0], table[:, 1] = 150, 0  # beside the diagonal, but not as independence would have it
    noisy = table + rng.normal(0, 50.0, table.shape)
    assert in_few_cells(noisy, independent(table), 50.0) is None


@pytest.mark.parametrize("beside", [0.0, 50.0, 100.0, 150.0, 200.0, 300.0, 600.0])
def test_however_many_rows_lie_beside_the_few_cells_nothing_is_lost(beside: float) -> None:
    rng = np.random.default_rng(9)
    table = np.diag(np.full(LABELS, 1500.0)) + np.diag(np.full(LABELS - 1, beside), 1)
    as_it_is, as_told = [], []
    for _ in range(30):
        noisy = table + rng.normal(0, 100.0, table.shape)
        few = in_few_cells(noisy, independent(table), 100.0)
        nearest = project_to_simplex(noisy.ravel(), float(table.sum())).reshape(table.shape)
        as_it_is.append(np.abs(nearest - table).sum())
        as_told.append(np.abs((nearest if few is None else few) - table).sum())
    assert np.mean(as_told) <= 1.02 * np.mean(as_it_is)


@pytest.mark.parametrize("strength", [0.0, 0.3])
def test_a_table_that_is_not_far_from_independence_is_left_alone(strength: float) -> None:
    rng = np.random.default_rng(7)
    even = np.full((6, 6), ROWS / 36)
    table = (1 - strength) * even + strength * np.diag(np.full(6, ROWS / 6))
    for noise_sd in (1.0, 100.0, 1000.0, 5000.0):
        noisy = table + rng.normal(0, noise_sd, table.shape)
        assert in_few_cells(noisy, independent(table), noise_sd) is None


def test_without_noise_nothing_is_taken_off() -> None:
    table = code_and_label(np.random.default_rng(8))
    few = in_few_cells(table, independent(table), 0.5)
    assert few is None or np.allclose(few, table)
