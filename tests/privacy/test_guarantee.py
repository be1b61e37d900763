"""What a guarantee promises, and how zCDP becomes (epsilon, delta)."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hmpb_core.errors import PlanError
from hmpb_core.privacy.guarantee import (
    Currency,
    Guarantee,
    Neighbors,
    epsilon_of_rho,
    power_of_ten,
    rho_of,
)

GRID = np.concatenate([np.logspace(-4, 5, 40_001)])


def epsilon_by_the_formula(rho, delta):
    """[CKS2020]: min over alpha > 1 of the bound that the Renyi divergence alpha rho gives."""
    alpha = 1 + GRID
    return float(
        np.min(rho * alpha + (math.log(1 / delta) + GRID * np.log1p(-1 / alpha) - np.log(alpha)) / GRID)
    )


CASES = [(rho, delta) for rho in (1e-5, 1e-3, 0.0158, 0.3, 4.0) for delta in (1e-4, 1e-9, 1e-12)]


@pytest.mark.parametrize(("rho", "delta"), CASES)
def test_the_conversion_is_the_published_formula(rho, delta):
    assert epsilon_of_rho(rho, delta) == pytest.approx(epsilon_by_the_formula(rho, delta), rel=1e-6)


@pytest.mark.parametrize(("rho", "delta"), CASES)
def test_the_conversion_agrees_with_dp_accounting(rho, delta):
    dp_event = pytest.importorskip("dp_accounting.dp_event")
    rdp = pytest.importorskip("dp_accounting.rdp")
    accountant = rdp.RdpAccountant(orders=1 + GRID[::20])
    accountant.compose(dp_event.ZCDpEvent(rho=rho, xi=0))
    assert epsilon_of_rho(rho, delta) == pytest.approx(accountant.get_epsilon(delta), rel=1e-4)


@pytest.mark.parametrize(("rho", "delta"), CASES)
def test_the_conversion_keeps_its_promise_for_the_gaussian_mechanism(rho, delta):
    """The exact delta of a Gaussian of this rho at the epsilon that we say is below delta."""
    from scipy.stats import norm

    epsilon = epsilon_of_rho(rho, delta)
    mu = math.sqrt(2 * rho)  # sensitivity over sigma [BalleWang2018]
    exact = norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)
    assert 0 < exact <= delta


@pytest.mark.parametrize("epsilon", [0.05, 0.1, 1.0, 8.0])
def test_rho_is_the_largest_that_keeps_the_promise(epsilon):
    rho = rho_of(epsilon, 1e-9)
    assert epsilon_by_the_formula(rho, 1e-9) <= epsilon * (1 + 1e-7)
    assert epsilon_by_the_formula(rho * 1.0001, 1e-9) > epsilon


def test_the_total_of_a_pure_guarantee_is_its_epsilon_to_the_last_digit():
    assert Guarantee(epsilon=0.1, delta=0, currency=Currency.PURE).total == Fraction(1, 10)


def test_the_total_of_a_zcdp_guarantee_is_rho():
    guarantee = Guarantee(epsilon=1.0)
    assert guarantee.delta == 1e-9
    assert guarantee.currency is Currency.ZCDP
    assert guarantee.neighbors is Neighbors.REPLACE_ONE
    assert epsilon_by_the_formula(float(guarantee.total), 1e-9) == pytest.approx(1.0, rel=1e-6)


def test_a_loss_is_shown_as_the_epsilon_it_costs():
    pure = Guarantee(epsilon=1.0, delta=0, currency=Currency.PURE)
    zcdp = Guarantee(epsilon=1.0)
    assert pure.epsilon_of(Fraction(1, 4)) == 0.25
    assert zcdp.epsilon_of(zcdp.total) == pytest.approx(1.0)
    assert zcdp.epsilon_of(Fraction(0)) == 0.0
    half = epsilon_by_the_formula(float(zcdp.total) / 2, 1e-9)
    assert zcdp.epsilon_of(zcdp.total / 2) == pytest.approx(half, rel=1e-6)


def test_a_guarantee_is_written_as_plain_values():
    assert Guarantee(epsilon=1, neighbors=Neighbors.ADD_REMOVE).to_dict() == {
        "currency": "zcdp",
        "epsilon": 1.0,
        "delta": 1e-9,
        "neighbors": "add-remove",
    }


@pytest.mark.parametrize("epsilon", [0, -1, 1e9, 100.1, 9e-4, math.nan, math.inf, "1", None, True])
def test_an_epsilon_outside_its_limits_is_refused(epsilon):
    with pytest.raises(PlanError, match=r"it must lie between 0\.001 and 100"):
        Guarantee(epsilon=epsilon)


@pytest.mark.parametrize("delta", [0, -1e-9, 9e-31, 1.1e-3, 1, math.nan])
def test_a_delta_outside_its_limits_is_refused(delta):
    with pytest.raises(PlanError, match=r"with 'zcdp' it must lie between 1e-30 and 0\.001"):
        Guarantee(epsilon=1, delta=delta)


def test_the_limits_themselves_are_allowed_and_a_billionth_is_the_usual_delta():
    assert Guarantee(epsilon=0.001, delta=1e-30).delta == 1e-30
    assert Guarantee(epsilon=100, delta=1e-3).delta == 1e-3
    assert Guarantee(epsilon=1).delta == 1e-9


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.001, "0.001"),
        (9.9e-4, "9.9 × 10⁻⁴"),
        (-5e-7, "-5 × 10⁻⁷"),
        (1e-30, "10⁻³⁰"),
        (99.4, "99"),
        (99.5, "10²"),
        (120, "1.2 × 10²"),
    ],
)
def test_small_and_large_numbers_are_written_with_a_power_of_ten(value, text):
    assert power_of_ten(value) == text


def test_a_pure_guarantee_with_a_delta_is_refused():
    with pytest.raises(PlanError, match="the guarantee 'pure' has delta 0; leave it out"):
        Guarantee(epsilon=1, delta=1e-9, currency=Currency.PURE)
