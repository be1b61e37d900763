"""What is left of a data set's cap: told so that it can be spent, and hardly more."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from hmpb_core.errors import BudgetExceededError
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors, epsilon_of_rho, rho_of
from hmpb_core.privacy.ledger import Totals
from hmpb_core.privacy.unit import ROW
from hmpb_core.publishing.dataset import RegisteredDataset, rounded_down

REPLACE, ADD = Neighbors.REPLACE_ONE, Neighbors.ADD_REMOVE


def pure(epsilon, neighbors=REPLACE):
    return Guarantee(epsilon=epsilon, delta=0, currency=Currency.PURE, neighbors=neighbors)


def zcdp(epsilon):
    return Guarantee(epsilon=epsilon, delta=1e-9)


def dataset(*releases, cap=2, delta=1e-9, **more):
    kept = {"id": "d", "name": "t", "unit": ROW, "neighbors": REPLACE, "fingerprint": ""}
    told = RegisteredDataset(cap_epsilon=Fraction(cap), cap_delta=delta, **kept | more)
    for release in releases:
        told = told.after(release)
    return told


STATES = {
    "nothing charged": (),
    "pure": (pure(0.5),),
    "zcdp": (zcdp(1.0),),
    "pure, then zcdp": (pure(0.5), zcdp(0.5)),
    "zcdp, then pure": (zcdp(1.0), pure(0.1)),
}


@pytest.mark.parametrize("kind", [pure, zcdp])
@pytest.mark.parametrize("releases", STATES.values(), ids=STATES)
def test_what_is_said_to_be_left_can_be_spent_and_a_thousandth_more_cannot(releases, kind):
    told = dataset(*releases)
    left = told.left_for(kind(1.0))
    after = told.after(kind(left * (1 - 1e-9)))
    assert after.left_for(kind(1.0)) < 1e-3
    with pytest.raises(BudgetExceededError):
        told.after(kind(left * 1.001))


@pytest.mark.parametrize("split", [0.0, 1e-10], ids=["no survey", "a tenth for surveys"])
@pytest.mark.parametrize("kind", [pure, zcdp])
@pytest.mark.parametrize("releases", STATES.values(), ids=STATES)
def test_what_is_written_as_left_is_taken_as_it_is_written(releases, kind, split):
    """A ledger with a part of its delta for surveys wrote 1.99, and refused a plan of 1.99: 1.99 was left."""
    told = replace(dataset(), survey_delta=split)
    for release in releases:
        told = told.after(release)
    left = told.left_zcdp if kind is zcdp else float(told.left_pure)
    told.after(kind(rounded_down(left)))
    with pytest.raises(BudgetExceededError):
        told.after(kind(rounded_down(left) * 1.0001))


def test_what_is_left_by_hand():
    fresh, half, mixed = dataset(), dataset(pure(0.5)), dataset(zcdp(1.0))
    assert (fresh.left, fresh.left_pure, half.left, half.left_pure) == (2, 2, Fraction(3, 2), Fraction(3, 2))
    assert (fresh.left_zcdp, half.left_zcdp) == pytest.approx((2, 1.5))
    rest = rho_of(2.0, 1e-9) - rho_of(1.0, 1e-9)
    assert mixed.left_zcdp == pytest.approx(epsilon_of_rho(rest, 1e-9))
    assert mixed.left_zcdp > float(mixed.left) == pytest.approx(1.0)
    assert Fraction(mixed.left_pure) ** 2 / 2 <= Fraction(rest)
    assert float(mixed.left_pure) == pytest.approx(math.sqrt(2 * rest))
    assert mixed.to_dict()["totals"]["all_as_rho_epsilon"] == pytest.approx(1.0)


def test_of_a_spent_cap_nothing_is_left():
    for spent in (dataset(pure(2.0)), dataset(zcdp(2.0)), dataset(pure(1.0), zcdp(1.0))):
        assert spent.left_for(pure(1.0)) < 1e-5
        assert spent.left_for(zcdp(1.0)) < 1e-5
        assert min(spent.left_for(pure(1.0)), spent.left_for(zcdp(1.0)), spent.left_pure) >= 0
    beyond = dataset(totals=Totals(epsilon=Fraction(3)))  # a cap that was lowered by hand
    assert (beyond.left_for(pure(1.0)), beyond.left_for(zcdp(1.0))) == (0, 0)


def test_a_cap_of_delta_0_has_nothing_for_zcdp():
    told = dataset(pure(0.5), delta=0)
    assert (told.left_zcdp, told.left_for(zcdp(1.0)), told.left_for(pure(1.0))) == (0, 0, 1.5)
    assert told.to_dict()["totals"]["all_as_rho_epsilon"] is None


@pytest.mark.parametrize(("cap", "part"), [(1e-9, 1e-10), (1e-6, 1e-7), (1e-5, 3e-6), (1e-9, 1e-9)])
def test_surveys_and_releases_share_the_caps_delta_and_never_round_up(cap, part):
    told = dataset(delta=cap, survey_delta=part)
    exact = Fraction(cap) - Fraction(part)
    assert Fraction(told.release_delta) <= exact < Fraction(math.nextafter(told.release_delta, 1))
    for spent in (0.0, part / 3, part):
        left = dataset(delta=cap, survey_delta=part, totals=Totals(delta=Fraction(spent))).survey_delta_left
        assert Fraction(left) <= Fraction(part) - Fraction(spent) < Fraction(math.nextafter(left, 1))
    more = dataset(delta=cap, survey_delta=part, totals=Totals(delta=2 * Fraction(part)))
    assert more.survey_delta_left == 0
    assert dataset(delta=cap).release_delta == cap


@pytest.mark.parametrize(
    ("releases", "asked", "delta", "said", "unsaid"),
    [
        ((), zcdp(1.0), 0.0, "'t' has a cap with delta 0", "asks for"),
        ((pure(1.5),), pure(1.0), 0.0, "asks for epsilon 1", "counted twice"),
        (
            (zcdp(1.5),),
            pure(1.0),
            1e-9,
            r"which after a 'zcdp' release counts as rho = epsilon\^2 / 2",
            "cap with",
        ),
        ((zcdp(1.5),), zcdp(1.9), 1e-9, "asks for epsilon 1.9", "of 'pure'"),
        ((), pure(1.5, ADD), 1e-9, r"1.5 \(counted twice: it protects adding a person", "of 'pure'"),
    ],
)
def test_a_refusal_says_what_is_in_its_way(releases, asked, delta, said, unsaid):
    with pytest.raises(BudgetExceededError, match=said) as caught:
        dataset(*releases, delta=delta).after(asked)
    assert unsaid not in str(caught.value)
