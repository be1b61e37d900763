"""The noisy similarity without most of its noise: a few strong pairs beside a pattern stay."""

from __future__ import annotations

import numpy as np
import pytest

from hmpb_core.free_prior import chances_of, noise_likelihood
from hmpb_core.learners.adaptive.denoising import denoised

D, SD = 60, 0.05
UPPER = np.triu_indices(D, 1)


def similarities(seed: int, *, laplace: bool = False) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """A block of 20 attributes that all hang together, ten lone pairs, and the noisy matrix of it."""
    true = np.zeros((D, D))
    true[:20, :20] = 0.3
    lone = [(2 * k, 2 * k + 1) for k in range(15, 25)]
    for i, j in lone:
        true[i, j] = true[j, i] = 0.25
    rng = np.random.default_rng(seed)
    noise = np.zeros((D, D))
    draw = (
        rng.laplace(scale=SD / np.sqrt(2), size=len(UPPER[0]))
        if laplace
        else rng.normal(0, SD, len(UPPER[0]))
    )
    noise[UPPER] = draw
    return true, true + noise + noise.T, lone


@pytest.mark.parametrize(("laplace", "least"), [(False, 0.19), (True, 0.15)])
def test_few_strong_pairs_beside_a_pattern_keep_most_of_what_they_are(laplace, least):
    kept, others = [], []
    for seed in range(5):
        true, noisy, lone = similarities(seed, laplace=laplace)
        found, left = denoised(noisy, SD, laplace=laplace)
        assert left < SD
        kept += [found[pair] for pair in lone]
        others += list(np.abs(found - true)[20:, :20].ravel())
    assert least < np.mean(kept) < 0.26  # one part for all pairs would leave 0.025
    assert np.mean(others) < 0.015  # the noise alone is 0.04


def test_all_pairs_together_are_nearer_than_as_measured_and_than_with_one_part_for_all():
    true, noisy, _ = similarities(1)
    found, _ = denoised(noisy, SD)
    assert found.tolist() == found.T.tolist()
    assert not np.diag(found).any()
    error = np.sqrt(((found - true)[UPPER] ** 2).mean())
    assert error < 0.33 * np.sqrt(((noisy - true)[UPPER] ** 2).mean())  # with one part for all 0.41


@pytest.mark.parametrize("laplace", [False, True])
def test_noise_alone_is_hardly_ever_taken_for_a_pattern(laplace):
    rng = np.random.default_rng(3)
    taken = 0
    for _ in range(300):
        noise = rng.laplace(scale=1 / np.sqrt(2), size=(57, 57)) if laplace else rng.normal(size=(57, 57))
        noise = np.triu(noise, 1)
        taken += denoised(noise + noise.T, 1.0, laplace=laplace)[1] < 1
    assert 1 <= taken <= 9  # 1 in 100 on either side; at the edge of what noise does it was one in eight


def test_the_noise_that_is_left_is_that_of_the_part_that_is_kept_and_of_the_pattern():
    """Around a block lie distances as large as the noise: half of each is kept, and of the rest 2/60."""
    rng = np.random.default_rng(0)
    true = np.zeros((D, D))
    true[:20, :20] = 0.3
    for _ in range(2):  # distances, and the noise
        drawn = np.triu(rng.normal(0, SD, (D, D)), 1)
        true += drawn + drawn.T
    assert denoised(true, SD)[1] == pytest.approx(SD * np.sqrt(0.5 + 0.5 * 2 / D), rel=0.1)


@pytest.mark.parametrize(("d", "left"), [(16, np.sqrt(2 / 16)), (8, np.sqrt(2 / 8)), (7, 1.0)])
def test_what_is_a_pattern_alone_stays_as_it_is_and_is_no_pattern_of_fewer_than_8(d, left):
    """All pairs at 0.5: one eigenvalue far beyond the edge, and no distance from it."""
    alike = np.full((d, d), 0.5) - 0.5 * np.eye(d)
    found, noise = denoised(alike, 0.05)
    assert found == pytest.approx(alike, abs=0.001)
    assert noise == pytest.approx(0.05 * left)


@pytest.mark.parametrize(("first", "left"), [(8.0, np.sqrt(2 * 2 / 16)), (0.0, 1.0)])
def test_a_pattern_between_the_edge_and_what_is_beyond_doubt_counts_beside_a_clear_one(first, left):
    """The edge is 2 * 0.05 * 4 = 0.4; an eigenvalue of 0.46 is beyond doubt, and the second one is 0.45."""
    sides = np.repeat([1, -1], 8)
    similar = (first + 0.45 * np.outer(sides, sides)) / 16
    np.fill_diagonal(similar, 0)
    assert denoised(similar, 0.05)[1] == pytest.approx(0.05 * left)


def test_without_a_pattern_or_without_noise_the_similarities_stay_as_they_are():
    rng = np.random.default_rng(0)
    noise = np.triu(rng.normal(0, SD, (D, D)), 1)
    assert denoised(noise + noise.T, SD)[0] is not None
    assert (denoised(noise + noise.T, SD)[0] == noise + noise.T).all()
    true, _, _ = similarities(0)
    assert (denoised(true, 0.0)[0] == true).all()


def test_hardly_any_noise_moves_no_similarity_by_more_than_it_is():
    true, _, _ = similarities(0)
    tiny = np.triu(np.random.default_rng(0).normal(0, 1e-4, (D, D)), 1)
    noisy = true + tiny + tiny.T
    assert np.abs(denoised(noisy, 1e-4)[0] - noisy).max() < 1e-3


def test_chances_are_those_of_bayes_with_the_prior_that_all_sizes_have():
    # 30 and 10 rows told apart surely, one that tells nothing and an imagined one of both sizes alike:
    # the prior p of the first is (30 + p + 1/2) / 42
    likelihood = np.array([[1.0, 0.0]] * 30 + [[0.0, 1.0]] * 10)
    open_row = np.array([[0.5, 0.5]])
    found = chances_of(np.vstack([likelihood, open_row]))[-1]
    assert found == pytest.approx([30.5 / 41, 10.5 / 41], abs=1e-6)
    counted = chances_of(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), np.array([30.0, 10.0, 1.0]))
    assert counted[-1] == pytest.approx(found, abs=1e-9)


def test_the_likelihood_is_that_of_the_noise_up_to_a_factor():
    away = np.array([[0.0, 1.0, 2.0]])
    assert noise_likelihood(away, laplace=False)[0] == pytest.approx(np.exp([0.0, -0.5, -2.0]))
    assert noise_likelihood(away, laplace=True)[0] == pytest.approx(np.exp(-np.sqrt(2) * away[0]))
