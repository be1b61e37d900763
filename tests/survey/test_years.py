"""Numbers that may be years: a survey sees each of them, and bounds them closely."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.survey import scales
from hmpb_core.survey.cells import (
    DATED_CELLS,
    FIRST_DATED,
    N_CELLS,
    NUMBER_CELLS,
    SCALE_CELLS,
    YEAR_CELLS,
    Kind,
    count,
)
from hmpb_core.survey.fields import field_of
from hmpb_core.survey.findings import Look
from hmpb_core.survey.looks import look_at
from hmpb_core.survey.noisy import Noisy
from hmpb_core.survey.scales import coarse_cells, occupied_numbers, until_now, widened_years
from hmpb_core.survey.sketches import Sketch

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
    for seed in range(30):
        births = np.random.default_rng(seed).integers(1921, 2004, 3000)
        low, high = bounds(births, epsilon=0.5, seed=seed)
        hits += 1900 <= low <= 1932 and 1995 <= high <= 2027
    assert hits >= 20  # of 1,020 seeds a tenth miss


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


def test_numbers_before_1900_beside_years_are_earlier_years_and_no_reason_for_wider_bounds():
    born = np.random.default_rng(2).integers(1840, 1990, 6000)
    found = [bounds(born, epsilon=0.5, seed=seed) for seed in range(10)]
    assert sum(low == 1024 for low, _ in found) >= 4, "of 40 seeds two thirds"
    assert sum(1980 <= high <= 2027 for _, high in found) >= 3, "and a half"


def test_years_end_with_this_year_unless_later_ones_are_seen(monkeypatch):
    monkeypatch.setattr(scales, "this_year", lambda: 2005)
    year = len(NUMBER_CELLS)
    thin = [(year + place, 40.0) for place in range(64, 106)]  # 1964 to 2005, told by windows of 32 and 64
    assert occupied_numbers(noisy(*thin))[1] == (64, 105)
    assert occupied_numbers(noisy(*thin, (year + 110, 90.0)))[1] == (64, 110)


def test_dates_end_with_this_year_unless_later_ones_are_seen(monkeypatch):
    monkeypatch.setattr(scales, "this_year", lambda: 2005)
    counts = np.zeros(len(DATED_CELLS))
    now = 2005 - FIRST_DATED
    assert until_now((380, 447), Noisy(counts=counts, sd=1.0), FIRST_DATED) == (380, now)
    assert until_now((420, 447), Noisy(counts=counts, sd=1.0), FIRST_DATED) == (420, 447), "all lie ahead"
    counts[now + 3] = 9.0
    assert until_now((380, 447), Noisy(counts=counts, sd=1.0), FIRST_DATED) == (380, 447)
    assert widened_years(380, now - 2, 0.2)[1] == now
    assert widened_years(380, now + 3, 0.2)[1] == now + 3


def test_what_a_coarse_count_tells_of_numbers_beside_years_are_earlier_years():
    of = coarse_cells(len(SCALE_CELLS))
    cells, coarse = np.zeros(N_CELLS), np.zeros(of[-1] + 1)
    cells[YEAR_CELLS[:90]], cells[NUMBER_CELLS[ONE + 10]] = 40.0, 200.0
    cells[NUMBER_CELLS[ONE + 12]] = 9.0  # noise
    born = Look(sketch=Sketch(kind=Kind.WHOLE, rows=4000.0), cells=Noisy(counts=cells, sd=10.0), texts={})
    born.coarse = Noisy(counts=coarse, sd=5.0)
    coarse[of[ONE + 10]] = 500.0  # 512 to 8191 in one cell
    assert born.ends != (ONE + 10, ONE + 10)
    assert field_of({"name": "born"}, born)["constraints"] == {"minimum": 1024, "maximum": 1989}
