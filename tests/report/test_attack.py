"""The measured attack finds much of what a limit allows, never more, and convicts noise that is too small."""

import pytest

from hmpb_core.facade import guarantee_of
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.report import attack as room
from hmpb_core.report.attack import Rate, attack
from hmpb_core.report.explain import PrivacyLoss

CERTAIN = 1 - 1e-6


class Leaky(Accountant):
    """Draws half the noise that it charges for."""

    def _calibrate(self, *arguments):
        return super()._calibrate(*arguments) / 2


def run(currency, epsilon, neighbors, **options):
    guarantee = guarantee_of(currency, epsilon, None, neighbors)
    return attack(guarantee, level=CERTAIN, **options), PrivacyLoss.of(guarantee)


@pytest.mark.parametrize("neighbors", ["replace-one", "add-remove"])
@pytest.mark.parametrize("currency", ["pure", "zcdp"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_no_attack_gets_above_the_ceiling(currency, epsilon, neighbors):
    points, limit = run(currency, epsilon, neighbors, runs=1000)
    assert points
    assert not any(point.breaks(limit) for point in points)


def test_people_and_their_rows_are_attacked_together():
    points, limit = run("pure", 1.0, "replace-one", people=2, rows_per_person=3, runs=2000)
    assert not any(point.breaks(limit.for_group(2)) for point in points)
    assert any(point.breaks(limit) for point in points)  # two people are easier to find than one


@pytest.mark.parametrize(("currency", "epsilon"), [("pure", 2.0), ("zcdp", 8.0)])
def test_half_the_noise_is_convicted(currency, epsilon, monkeypatch):
    monkeypatch.setattr(room, "Accountant", Leaky)
    points, limit = run(currency, epsilon, "replace-one", runs=3000)
    assert any(point.breaks(limit) for point in points)


def test_laplace_noise_gives_away_all_that_its_limit_allows():
    """On one count the noise of OpenDP reaches the ceiling: e^eps / (1 + e^eps) at 1 / (1 + e^eps)."""
    points, limit = run("pure", 1.0, "add-remove", runs=3000)
    (point,) = points
    assert point.false_alarms.low < 0.2689 < point.false_alarms.high
    assert point.caught.low < limit.accuracy < point.caught.high


def test_a_rate_has_the_interval_of_clopper_and_pearson():
    rate = Rate.of(10, 100, 0.95)  # R: binom.test(10, 100)
    assert (rate.value, rate.low, rate.high) == pytest.approx((0.1, 0.04900469, 0.1762226), abs=1e-7)
    assert (Rate.of(0, 9, 0.95).low, Rate.of(9, 9, 0.95).high) == (0.0, 1.0)
