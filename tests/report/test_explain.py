"""Ceilings against the published table, hand calculations, and mechanisms that come close to them."""

import itertools
import math

import pytest
from scipy.stats import norm

from hmpb_core.errors import PlanError
from hmpb_core.privacy.guarantee import Currency, Guarantee, epsilon_of_rho
from hmpb_core.report.explain import PrivacyLoss

RATES = [0.0, 1e-6, 0.001, 0.01, 0.1, 0.37, 0.5, 0.9, 0.999, 1.0]

# epsilon: ratio, best accuracy in %, belief of 1 in 100 becomes ... in 100, caught at 1 % false alarms in %
TABLE = {
    0.1: (1.11, 52.5, 1.1, 1.1),
    0.25: (1.28, 56.2, 1.3, 1.3),
    0.5: (1.65, 62.2, 1.6, 1.6),
    1: (2.72, 73.1, 2.7, 2.7),
    2: (7.4, 88.1, 6.9, 7.4),
    3: (20.1, 95.3, 16.9, 20.1),
    5: (148, 99.3, 60.0, 99.3),
    8: (2981, 99.97, 96.8, 99.97),
    10: (22026, 99.995, 99.55, 99.996),
}


def gaussian_like(rho):
    """mu of the Gaussian mechanism that is exactly rho-zCDP."""
    return math.sqrt(2 * rho)


@pytest.mark.parametrize("epsilon", TABLE)
def test_pure_epsilon_gives_the_published_table(epsilon):
    loss = PrivacyLoss(epsilon=epsilon)
    ratio, accuracy, belief, caught = TABLE[epsilon]
    assert loss.ratio == pytest.approx(ratio, rel=0.005)
    assert 100 * loss.accuracy == pytest.approx(accuracy, abs=0.06)
    assert 100 * loss.belief(0.01) == pytest.approx(belief, abs=0.06)
    assert 100 * loss.caught(0.01) == pytest.approx(caught, abs=0.06)


def test_epsilon_log_three_by_hand():
    """With e^epsilon = 3 every figure is a simple fraction."""
    loss = PrivacyLoss(epsilon=math.log(3))
    assert loss.accuracy == pytest.approx(3 / 4)
    assert loss.belief(1 / 2) == pytest.approx(3 / 4)
    assert loss.belief(1 / 10) == pytest.approx(1 / 4)
    assert loss.lowest_belief(1 / 4) == pytest.approx(1 / 10)
    assert loss.caught(0.1) == pytest.approx(0.3)
    assert loss.caught(0.25) == pytest.approx(0.75)  # where the two lines meet
    assert loss.caught(0.4) == pytest.approx(0.8)


def test_delta_by_hand():
    """e^epsilon = 3, delta = 0.1: (3 + 0.1) / 4 right answers; 10 % caught without any false alarm."""
    loss = PrivacyLoss(epsilon=math.log(3), delta=0.1)
    assert loss.accuracy == pytest.approx(0.775)
    assert loss.caught(0.0) == pytest.approx(0.1)
    assert loss.caught(0.1) == pytest.approx(0.4)
    assert loss.caught(0.6) == pytest.approx(0.9)
    assert loss.caught(0.95) == pytest.approx(1.0)
    assert loss.pointwise_epsilon == pytest.approx(2 * math.log(3))


def test_no_loss_leaves_a_coin():
    for loss in (PrivacyLoss(epsilon=0), PrivacyLoss(epsilon=0, delta=1e-9, rho=0.0)):
        assert loss.ratio == 1
        assert loss.accuracy == 0.5
        assert loss.belief(0.2) == pytest.approx(0.2)
        assert loss.curve(RATES) == pytest.approx(RATES)


def test_a_boundless_loss_hides_nothing_and_overflows_nowhere():
    loss = PrivacyLoss(epsilon=1e4)
    assert loss.ratio == math.inf
    assert loss.accuracy == 1
    assert loss.caught(0.01) == 1
    assert loss.belief(0.01) == pytest.approx(1)
    assert loss.lowest_belief(0.99) == pytest.approx(0)


@pytest.mark.parametrize("rho", [1e-4, 0.015, 0.2, 1.0, 5.0])
def test_zcdp_ceiling_lies_above_the_gaussian_mechanism_and_below_pinsker(rho):
    loss = PrivacyLoss(epsilon=epsilon_of_rho(rho, 1e-9), delta=1e-9, rho=rho)
    mu = gaussian_like(rho)
    assert norm.cdf(mu / 2) <= loss.accuracy <= (1 + math.sqrt(rho / 2)) / 2 + 1e-9
    for rate in (0.001, 0.01, 0.1, 0.5, 0.9):
        assert loss.caught(rate) >= norm.cdf(norm.ppf(rate) + mu) - 1e-9


@pytest.mark.parametrize("rho", [1e-4, 0.015, 0.2, 1.0, 5.0])
def test_zcdp_ceiling_is_never_looser_than_any_epsilon_delta_it_implies(rho):
    loss = PrivacyLoss(epsilon=epsilon_of_rho(rho, 1e-9), delta=1e-9, rho=rho)
    for delta in (1e-12, 1e-9, 1e-6, 1e-3, 0.05):
        implied = PrivacyLoss(epsilon=epsilon_of_rho(rho, delta), delta=delta)
        assert loss.accuracy <= implied.accuracy + 1e-9
        for rate in (0.001, 0.01, 0.1, 0.5, 0.9):
            assert loss.caught(rate) <= implied.caught(rate) + 1e-9


@pytest.mark.parametrize("rho", [0.015, 0.5])
def test_zcdp_ceiling_is_reached_by_a_coin_that_is_itself_within_rho(rho):
    """The two coins of the ceiling have Renyi divergences at most rho alpha: the ceiling is no guess."""
    loss = PrivacyLoss(epsilon=epsilon_of_rho(rho, 1e-9), delta=1e-9, rho=rho)
    b, a = loss.caught(0.05) - 1e-7, 0.05
    worst = 0.0
    for alpha in (1.0001, 1.5, 2, 3, 5, 10, 30, 100):
        total = b**alpha * a ** (1 - alpha) + (1 - b) ** alpha * (1 - a) ** (1 - alpha)
        divergence = math.log(total) / (alpha - 1)
        assert divergence <= rho * alpha * (1 + 1e-6)
        worst = max(worst, divergence / (rho * alpha))
    assert worst > 0.9


@pytest.mark.parametrize(
    "loss",
    [
        PrivacyLoss(epsilon=1.3),
        PrivacyLoss(epsilon=1.3, delta=0.01),
        PrivacyLoss(epsilon=epsilon_of_rho(0.3, 1e-9), delta=1e-9, rho=0.3),
    ],
    ids=["pure", "delta", "zcdp"],
)
def test_ceilings_rise_bend_and_mirror(loss):
    """A trade-off curve rises, is concave, lies above chance, and mirrors at the other diagonal."""
    rates = [i / 40 for i in range(41)]
    curve = loss.curve(rates)
    assert all(caught >= rate for rate, caught in zip(rates, curve, strict=True))
    assert all(b >= a - 1e-9 for a, b in itertools.pairwise(curve))
    assert all(b >= (a + c) / 2 - 1e-6 for a, b, c in zip(curve, curve[1:], curve[2:], strict=False))
    for rate in (0.05, 0.2):
        assert 1 - loss.caught(1 - loss.caught(rate)) == pytest.approx(rate, abs=1e-6)
    best = max(caught - rate for rate, caught in zip(rates, curve, strict=True))
    advantage = 2 * loss.accuracy - 1
    assert advantage == pytest.approx(best, abs=0.02)
    assert advantage >= best - 1e-9


def test_belief_after_one_zcdp_release_uses_the_tail_of_the_loss():
    """rho + 2 sqrt(rho ln(1/delta)): 0.01 + 2 sqrt(0.01 * 20.723) = 0.9205."""
    loss = PrivacyLoss(epsilon=epsilon_of_rho(0.01, 1e-9), delta=1e-9, rho=0.01)
    assert loss.pointwise_epsilon == pytest.approx(0.9205, abs=1e-4)
    assert loss.pointwise_epsilon >= loss.epsilon


def test_groups_pay_for_each_member():
    pure = PrivacyLoss(epsilon=0.5).for_group(4)
    assert pure == PrivacyLoss(epsilon=2.0)
    rho = PrivacyLoss(epsilon=epsilon_of_rho(0.01, 1e-9), delta=1e-9, rho=0.01).for_group(3)
    assert rho.rho == pytest.approx(0.09)
    assert rho.epsilon == pytest.approx(epsilon_of_rho(0.09, 1e-9))
    both = PrivacyLoss(epsilon=math.log(3), delta=0.001).for_group(2)  # delta (9 - 1) / (3 - 1)
    assert both.delta == pytest.approx(0.004)
    assert both.epsilon == pytest.approx(math.log(9))


def test_a_guarantee_is_read_in_its_own_currency():
    pure = PrivacyLoss.of(Guarantee(epsilon=1.0, delta=0.0, currency=Currency.PURE))
    assert (pure.delta, pure.rho) == (0.0, None)
    zcdp = PrivacyLoss.of(Guarantee(epsilon=1.0))
    assert zcdp.rho == pytest.approx(0.01497, abs=1e-5)
    assert zcdp.accuracy < pure.accuracy


@pytest.mark.parametrize(
    "act",
    [
        lambda: PrivacyLoss(epsilon=-1),
        lambda: PrivacyLoss(epsilon=1, delta=1),
        lambda: PrivacyLoss(epsilon=1, rho=0.1),
        lambda: PrivacyLoss(epsilon=1).belief(1.2),
        lambda: PrivacyLoss(epsilon=1).caught(-0.1),
        lambda: PrivacyLoss(epsilon=1).for_group(0),
    ],
)
def test_impossible_questions_are_refused(act):
    with pytest.raises(PlanError):
        act()
