"""The cap holds against somebody who chooses each release after seeing the last."""

import numpy as np
import pytest

from hmpb_core.errors import BudgetExceededError
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.ledger import Totals
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.dataset import RegisteredDataset

CAP, DELTA = 4.0, 1e-3
STEPS, RUNS = 60, 400_000


def dataset(totals=None, cap=CAP, delta=DELTA):
    return RegisteredDataset(
        id="d",
        name="people",
        unit=Unit(column=None, rows=1),
        neighbors=Neighbors.REPLACE_ONE,
        cap_epsilon=cap,
        cap_delta=delta,
        totals=totals or Totals(),
        fingerprint="",
    )


def pure(epsilon):
    return Guarantee(epsilon=epsilon, delta=0, currency=Currency.PURE)


def largest_pure(known):
    """The largest epsilon of a pure release that the ledger admits now, by bisection on what it admits."""
    low, high = 0.0, 100.0
    for _ in range(40):
        middle = (low + high) / 2
        try:
            known.after(pure(max(middle, 1e-3)))
            low = middle
        except BudgetExceededError:
            high = middle
    return low


def test_zcdp_until_it_goes_badly_and_then_pure_stays_within_delta():
    """The attack on the sum of both currencies: delta 3e-3 at a cap of 1e-3.

    Gaussian releases of rho / STEPS each; the privacy loss of one is N(rho, 2 rho). As soon as the loss so
    far exceeds what is charged, everything that is left goes into one randomised response.
    """
    rng = np.random.default_rng(3)
    known = dataset()
    step = Guarantee(epsilon=known.left_zcdp * (1 - 1e-9), delta=DELTA)
    rho = float(step.total) / STEPS
    loss, done = np.zeros(RUNS), np.zeros(RUNS, dtype=bool)
    for number in range(1, STEPS + 1):
        loss += np.where(done, 0, rng.normal(rho, np.sqrt(2 * rho), RUNS))
        now = dataset(Totals(rho=step.total * number / STEPS))
        epsilon = largest_pure(now)
        if epsilon < 2e-3:
            continue
        goes = ~done & (loss > float(now.spent))
        loss[goes] += np.where(rng.random(goes.sum()) < 1 / (1 + np.exp(-epsilon)), epsilon, -epsilon)
        done |= goes
    delta = np.maximum(0, 1 - np.exp(CAP - loss))
    assert delta.mean() - 4 * delta.std() / np.sqrt(RUNS) <= DELTA
    assert delta.max() > 0, "no run came near the cap: the attack does not attack"


def test_after_a_zcdp_release_a_pure_one_is_charged_as_half_its_square():
    first = dataset().after(Guarantee(epsilon=1.0, delta=DELTA))
    then = first.after(pure(0.2))
    assert then.totals.rho - first.totals.rho == pure(0.2).total ** 2 / 2
    assert then.totals.epsilon == 0


def test_before_any_zcdp_release_pure_epsilons_add_up_exactly():
    known = dataset()
    for _ in range(40):
        known = known.after(pure(0.1))
    assert known.left == known.left_pure == 0


def test_what_is_told_to_be_left_is_what_is_admitted():
    for totals in (Totals(), Totals(rho=Guarantee(epsilon=1.0, delta=DELTA).total)):
        known = dataset(totals)
        assert float(known.left_pure) == pytest.approx(largest_pure(known), rel=1e-6)
        known.after(Guarantee(epsilon=known.left_zcdp * (1 - 1e-9), delta=DELTA))


def test_the_refusal_says_how_a_pure_release_counts_and_what_to_do():
    known = dataset().after(Guarantee(epsilon=2.0, delta=DELTA))
    with pytest.raises(BudgetExceededError, match="counts as rho = epsilon") as refusal:
        known.after(pure(1.5))
    assert "Use the guarantee 'zcdp'" in str(refusal.value)
