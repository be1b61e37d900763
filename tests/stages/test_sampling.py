"""Ancestral sampling: right on average, and closer than independent draws."""

from __future__ import annotations

import numpy as np
import pytest

from hmpb_core.domain import Domain
from hmpb_core.network import ConditionalTable, Family
from hmpb_core.stages.sampling import sample_codes

ROOT = ConditionalTable(family=Family(child=0), probabilities=np.array([0.3, 0.7]), noise_sd=1.0)
CHILD = ConditionalTable(
    family=Family(child=1, parents=(0,)),
    probabilities=np.array([[0.5, 0.25, 0.25], [0.0, 0.1, 0.9]]),
    noise_sd=1.0,
)
OTHER = ConditionalTable(
    family=Family(child=2, parents=(0,)),
    probabilities=np.array([[0.5, 0.5], [0.2, 0.8]]),
    noise_sd=1.0,
)
DOMAIN = Domain.of_sizes([2, 3, 2])
EXPECTED = np.array([[0.15, 0.075, 0.075], [0.0, 0.07, 0.63]])


def joint(codes: np.ndarray) -> np.ndarray:
    return np.bincount(codes[:, 0] * 3 + codes[:, 1], minlength=6).reshape(2, 3) / len(codes)


def test_proportional_rows_hit_their_expected_numbers_to_within_one() -> None:
    codes = sample_codes([ROOT, CHILD, OTHER], DOMAIN, 1000, np.random.default_rng(1))
    assert 1000 * joint(codes) == pytest.approx(1000 * EXPECTED, abs=1.0001)


def test_a_value_of_probability_zero_never_appears() -> None:
    for proportional in (True, False):
        codes = sample_codes(
            [ROOT, CHILD, OTHER], DOMAIN, 5000, np.random.default_rng(2), proportional=proportional
        )
        assert joint(codes)[1, 0] == 0


@pytest.mark.parametrize("proportional", [True, False])
def test_small_tables_are_right_on_average(proportional: bool) -> None:
    rng = np.random.default_rng(3)
    mean = np.mean(
        [
            joint(sample_codes([ROOT, CHILD, OTHER], DOMAIN, 7, rng, proportional=proportional))
            for _ in range(4000)
        ],
        axis=0,
    )
    assert mean == pytest.approx(EXPECTED, abs=0.012)


@pytest.mark.parametrize("proportional", [True, False])
def test_children_of_one_parent_are_independent_given_it(proportional: bool) -> None:
    codes = sample_codes(
        [ROOT, CHILD, OTHER], DOMAIN, 100_000, np.random.default_rng(4), proportional=proportional
    )
    group = codes[codes[:, 0] == 1]
    together = np.mean((group[:, 1] == 2) & (group[:, 2] == 1))
    assert together == pytest.approx(0.9 * 0.8, abs=0.008)


def test_proportional_rows_are_nearer_than_independent_draws() -> None:
    def miss(proportional: bool) -> float:
        rng = np.random.default_rng(5)
        return float(
            np.mean(
                [
                    np.abs(
                        joint(sample_codes([ROOT, CHILD, OTHER], DOMAIN, 300, rng, proportional=proportional))
                        - EXPECTED
                    ).sum()
                    for _ in range(50)
                ]
            )
        )

    assert miss(True) < 0.3 * miss(False)


def test_equal_generators_give_equal_rows() -> None:
    first = sample_codes([ROOT, CHILD], Domain.of_sizes([2, 3]), 50, np.random.default_rng(6))
    second = sample_codes([ROOT, CHILD], Domain.of_sizes([2, 3]), 50, np.random.default_rng(6))
    assert np.array_equal(first, second)
