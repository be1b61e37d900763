"""The second-sample yardstick, against enumeration by hand and against second samples that are drawn."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from hmpb_core.metrics.second_sample import (
    Profile,
    binomial_deviation,
    part_difference,
    regular_subsample,
)


@pytest.mark.parametrize(("count", "share"), [(1, 0.5), (3, 0.5), (7, 0.3), (40, 0.01), (1000, 0.37)])
def test_de_moivre_s_closed_form_is_the_sum_over_all_outcomes(count, share):
    outcomes = np.arange(count + 1)
    summed = (np.abs(outcomes - count * share) * binom.pmf(outcomes, count, share)).sum()
    assert binomial_deviation(np.array([count]), share)[0] == pytest.approx(summed, rel=1e-9)


def test_halves_and_quarters_of_small_counts_differ_as_worked_out_by_hand():
    counts = np.array([1, 2, 3])
    # Halves of 2 rows: both on one side (difference 2) or one on each (0), half the time each.
    assert part_difference(counts, 1) == pytest.approx([1, 1, 1.5])
    # Quarters: a row is in one of the two with chance 1/2; of 2 rows both are with 1/4, one with 1/2.
    assert part_difference(counts[:2], 2) == pytest.approx([0.5, 0.75])


def test_large_counts_go_on_where_the_table_of_small_ones_ends():
    edge = np.array([256, 257])
    inside, beyond = part_difference(edge, 1)
    assert beyond == pytest.approx(inside * math.sqrt(257 / 256), rel=2e-3)


def distance(ours, theirs):
    return np.abs(ours / ours.sum() - theirs / theirs.sum()).sum() / 2


@pytest.mark.parametrize(("cells", "rows"), [(50, 20_000), (2000, 2000), (20_000, 5000)])
@pytest.mark.parametrize("times", [0.5, 1, 3])
def test_it_foresees_what_second_samples_score(cells, rows, times):
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(cells, 0.2))
    others, foreseen = [], []
    for _ in range(60):
        first = rng.multinomial(rows, shares)
        foreseen.append(Profile.of(first, rows).second_sample(round(times * rows)))
        others.append(distance(first, rng.multinomial(round(times * rows), shares)))
    assert np.mean(foreseen) == pytest.approx(np.mean(others), rel=0.06)


def test_it_foresees_what_a_part_of_the_rows_scores():
    rng = np.random.default_rng(1)
    counts = rng.multinomial(5000, rng.dirichlet(np.full(800, 0.3)))
    profile = Profile.of(counts, 5000)
    for share in (0.5, 0.1, 0.02):
        drawn = [
            distance(rng.multivariate_hypergeometric(counts, round(share * 5000), method="marginals"), counts)
            for _ in range(20)
        ]
        assert profile.subsample_error(share) == pytest.approx(np.mean(drawn), rel=0.03)
        assert profile.subsample_of(profile.subsample_error(share)) == pytest.approx(share, rel=1e-3)
    assert profile.subsample_of(0.0) == 1.0
    assert profile.subsample_of(1.0) == 1 / 5000


def test_it_foresees_what_drawing_alone_makes():
    rng = np.random.default_rng(2)
    counts = rng.multinomial(3000, rng.dirichlet(np.full(300, 0.5)))
    drawn = [distance(rng.multinomial(6000, counts / 3000), counts) for _ in range(30)]
    assert Profile.of(counts, 3000).drawing_error(6000) == pytest.approx(np.mean(drawn), rel=0.03)


def test_one_value_for_everybody_leaves_nothing_to_chance():
    profile = Profile.of(np.array([500, 0]), 500)
    assert profile.second_sample(500) == 0
    assert profile.drawing_error(500) == 0


def test_a_third_of_the_rows_is_as_inaccurate_as_a_second_sample():
    # The variance of a mean: 2 s / n for a second sample of n, (1/f - 1) s / n for a share f of the rows.
    assert regular_subsample(1.0, 100, 100) == pytest.approx(1 / 3)
    assert regular_subsample(None, 100, 100) is None
