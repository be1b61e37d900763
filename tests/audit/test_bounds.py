"""Lower bounds from rates equal published and hand figures, and an independent package's."""

import math

import pytest
from scipy.stats import norm

from hmpb_core.audit.bounds import (
    Rate,
    at_least,
    at_most,
    epsilon_of_rates,
    mu_of_rates,
    one_run_epsilon,
    one_run_mu,
    range_of_rates,
    rho_of_rates,
)
from hmpb_core.report.explain import PrivacyLoss


def test_a_rate_has_the_interval_of_clopper_and_pearson():
    rate = Rate.of(10, 100, 0.95)  # R: binom.test(10, 100)
    assert (rate.value, rate.low, rate.high) == pytest.approx((0.1, 0.04900469, 0.1762226), abs=1e-7)
    assert (Rate.of(0, 9, 0.95).low, Rate.of(9, 9, 0.95).high) == (0.0, 1.0)


def test_bounds_of_no_hits_and_of_all_follow_by_hand():
    assert at_most(0, 100, 0.05) == pytest.approx(1 - 0.05 ** (1 / 100))
    assert at_least(100, 100, 0.05) == pytest.approx(0.05 ** (1 / 100))


def test_randomized_response_shows_its_epsilon_from_either_side():
    """Right with probability e / (1 + e): epsilon 1."""
    right = math.e / (1 + math.e)
    assert epsilon_of_rates(right, 1 - right) == pytest.approx(1)
    assert epsilon_of_rates(0.5, 0.5 * math.exp(-1)) == pytest.approx(1)  # it shows in the hits
    assert epsilon_of_rates(1 - 0.5 * math.exp(-1), 0.5) == pytest.approx(1)  # or in the misses
    assert epsilon_of_rates(0.3, 0.4) == 0
    assert epsilon_of_rates(0.2, 0.1, delta=0.1) == pytest.approx(0)


def test_two_normals_show_their_distance_at_every_threshold():
    for threshold in (-1.0, 0.3, 2.0):
        assert mu_of_rates(norm.sf(threshold - 1.5), norm.sf(threshold)) == pytest.approx(1.5)


def test_the_exponential_mechanism_shows_its_range_wherever_the_scores_are():
    for odds in (-3.0, 0.0, 1.0):
        rates = [1 / (1 + math.exp(-odds - shift)) for shift in (2.0, 0.0)]
        assert range_of_rates(*rates) == pytest.approx(2)


@pytest.mark.parametrize("rho", [0.01, 0.5, 3.0])
def test_rho_of_rates_undoes_the_ceiling_that_rho_sets(rho):
    ceiling = PrivacyLoss(epsilon=1.0, delta=1e-9, rho=rho)
    for false_alarms in (0.001, 0.1, 0.5):
        assert rho_of_rates(ceiling.caught(false_alarms), false_alarms) == pytest.approx(rho, rel=1e-4)


def test_one_run_bounds_equal_those_of_jax_privacy():
    """jax-privacy 2.0.0, _epsilon_one_run and _epsilon_one_run_fdp; mu from its sigma at that epsilon."""
    assert one_run_epsilon(100_000, 50_000, 47_928, alpha=1e-4, delta=1e-5) == pytest.approx(
        0.26443396, abs=1e-5
    )
    assert one_run_epsilon(100_000, 100_000, 83_940, alpha=1e-4, delta=1e-5) == pytest.approx(
        0.59341361, abs=1e-4
    )
    assert one_run_mu(100_000, 100_000, 84_134, alpha=1e-4) == pytest.approx(0.39823324, abs=1e-6)
    assert one_run_mu(100_000, 3_000, 2_994, alpha=1e-4) == pytest.approx(1.11221141, abs=1e-6)


def test_all_guesses_right_bound_epsilon_as_by_hand():
    """q^100 <= alpha: epsilon = log(q / (1 - q)) at q = alpha^(1/100)."""
    q = 0.05**0.01
    assert one_run_epsilon(200, 100, 100, alpha=0.05) == pytest.approx(math.log(q / (1 - q)), abs=1e-6)
    assert one_run_epsilon(200, 100, 50, alpha=0.05) == 0
