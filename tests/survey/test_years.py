"""Numbers that may be years: a survey sees each of them, and bounds them closely."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.survey.cells import NUMBER_CELLS, SCALE_CELLS, count
from hmpb_core.survey.findings import field_of
from hmpb_core.survey.looks import look_at
from hmpb_core.survey.noisy import Noisy
from hmpb_core.survey.scales import occupied_numbers

ONE_STAGE = Shares.from_weights(one_way_tables=1, similarity=0, structure=0, conditional_tables=0)


def bounds(column, *, epsilon=1.0, others=5, seed=0):
    rng = np.random.default_rng(seed)
    table = {"x": column} | {f"y{i}": rng.integers(0, 50, len(column)) for i in range(others)}
    counted = {
        name: count(pd.Series(values), frozenset({""}), with_texts=True) for name, values in table.items()
    }
    budget = Budget(guarantee=Guarantee(epsilon=epsilon), shares=ONE_STAGE)
    account = Accountant(budget, protection="seeded", seed=seed, delta=1e-10)
    field = field_of({"name": "x"}, look_at(counted, account, delta=1e-10)["x"])
    return field["constraints"]["minimum"], field["constraints"]["maximum"]


@pytest.mark.parametrize("seed", range(3))
def test_a_column_of_years_gets_bounds_of_years(seed):
    years = np.random.default_rng(seed).integers(1969, 1989, 6000)
    assert bounds(years, seed=seed) == (1969, 1988)


def test_years_that_are_spread_thin_are_mostly_bounded_by_a_third_of_a_century():
    hits = 0
    for seed in range(10):
        births = np.random.default_rng(seed).integers(1921, 2004, 3000)
        low, high = bounds(births, epsilon=0.5, seed=seed)
        hits += 1900 <= low <= 1932 and 1995 <= high <= 2027
    assert hits >= 7  # of 300 seeds about a tenth miss


@pytest.mark.parametrize("seed", range(3))
def test_numbers_of_which_some_might_be_years_are_bounded_as_before(seed):
    income = np.random.default_rng(seed).lognormal(7.5, 0.6, 6000).astype(int)
    low, high = bounds(income, seed=seed)
    assert low <= 512
    assert high in [2**power - 1 for power in range(12, 19)]  # 4095, or up to where noise shows beside it


ONE = len(NUMBER_CELLS) // 2 + 41
"""The place of the numbers from 1 to 2."""


def noisy(*cells):
    counts = np.zeros(len(SCALE_CELLS))
    for place, rows in cells:
        counts[place] = rows
    return Noisy(counts=counts, sd=10.0)


def test_of_numbers_and_years_that_are_found_together_one_that_noise_may_make_goes():
    year = len(NUMBER_CELLS) + 87
    assert occupied_numbers(noisy((ONE + 4, 5000), (year, 42))) == ((ONE + 4, ONE + 4), None)
    assert occupied_numbers(noisy((ONE + 4, 42), (year, 5000))) == (None, (87, 87))
    assert occupied_numbers(noisy((ONE + 4, 5000), (year, 5000))) == ((ONE + 4, ONE + 4), (87, 87))
    assert occupied_numbers(noisy()) == (None, None)
