"""The attack on whole runs finds much of what a limit allows, never more, and convicts too little noise."""

import pytest

from hmpb_core.audit.attack import attack
from hmpb_core.audit.replay import Recorder
from hmpb_core.domain import Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.report.explain import PrivacyLoss
from hmpb_core.synthesis import make_plan
from tests.thorough import sample

CERTAIN = 1 - 1e-6


class Leaky(Recorder):
    """Draws a quarter of the noise that it charges for."""

    def _calibrate(self, *arguments):
        return super()._calibrate(*arguments) / 4


def plan_of(currency, epsilon, neighbors="replace-one", method="independent", **options):
    guarantee = guarantee_of(currency, epsilon, None, neighbors)
    return make_plan(guarantee, Domain.of_sizes([2, 3, 4]), n_rows=500, method=method, **options)


def attacked(plan, *, people=1, runs=60, **options):
    found = attack(plan, people=people, runs=runs, level=CERTAIN, **options)
    return found, PrivacyLoss.of(plan.guarantee)


@pytest.mark.parametrize("neighbors", ["replace-one", "add-remove"])
@pytest.mark.parametrize("currency", sample(["zcdp", "pure"], 2))
def test_no_attack_gets_above_the_ceiling(currency, neighbors):
    for method, runs in (("independent", 60), ("hmprivbayes", 10)):
        found, limit = attacked(plan_of(currency, 1.0, neighbors, method), runs=runs)
        assert found.points
        assert found.runs == int(runs * 0.8)
        assert not found.breaks(limit)


def test_too_little_noise_stands_above_the_ceiling():
    plan = plan_of("zcdp", 14.0)
    found, limit = attack(plan, runs=150, level=0.99, door=Leaky), PrivacyLoss.of(plan.guarantee)
    assert any(point.breaks(limit) for point in found.points)


@pytest.mark.parametrize("currency", ["pure", "zcdp"])
def test_a_replay_convicts_too_little_noise_without_any_chance(currency):
    found, limit = attacked(plan_of(currency, 1.0), runs=10, door=Leaky)
    assert found.faulty
    assert found.breaks(limit)


def test_much_of_what_is_allowed_is_found():
    """At mu 2 whole runs of independent columns, all Gaussian, are told apart in about 84 of 100 cases."""
    found, _ = attacked(plan_of("zcdp", 14.0), runs=200)
    right = max((1 - p.false_alarms.value + p.caught.value) / 2 for p in found.points)
    assert 0.74 < right < 0.94


def test_people_and_their_rows_are_attacked_together():
    found, limit = attacked(plan_of("pure", 1.0, rows_per_person=3, person="id"), people=10, runs=150)
    assert not found.breaks(limit.for_group(10))
    assert any(point.breaks(limit) for point in found.points)  # ten people are easier to find than one


def test_an_attack_is_not_called_done_while_the_fewest_runs_are_still_made():
    """On a busy machine the time is over long before: the bar stood at 100 % for half the wait."""
    told = []
    attack(plan_of("pure", 1.0), seconds=0.0, progress=lambda part, _: told.append(part))
    assert told[0] < 0.5
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_time_bounds_an_attack():
    found = attack(plan_of("pure", 1.0), seconds=0.0)
    assert found.runs == 48  # the fewest that are run, less those that chose the thresholds
