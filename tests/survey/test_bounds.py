"""Bounds of numbers and dates from noisy cells: what is told, what noise hides or makes up."""

import math
from dataclasses import replace

import numpy as np
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.survey.cells import (
    DATED_CELLS,
    N_CELLS,
    N_KINDS,
    NUMBER_CELLS,
    YEAR_CELLS,
    Kind,
    number_range,
)
from hmpb_core.survey.fields import field_of
from hmpb_core.survey.looks import coarser
from hmpb_core.survey.noisy import Noisy
from hmpb_core.survey.scales import coarse_cells, occupied, stretched
from hmpb_core.survey.sketches import sketch_of
from tests.survey.cases import ONE, ZERO, look


def sketched(sd=3.0, **kinds):
    counts = np.zeros(N_KINDS)
    for name, number in kinds.items():
        counts[Kind[name]] = number
    return sketch_of(Noisy(counts=counts, sd=sd))


@pytest.mark.parametrize(
    ("kinds", "step"),
    [
        ({"HUNDREDS": 700.0, "THOUSANDS": 300.0}, 100),
        ({"FIVES": 400.0, "TENS": 500.0, "THOUSANDS": 30.0}, 5),
        ({"WHOLE": 300.0, "THOUSANDS": 700.0}, 1),  # heaped, but not all: points of mass are learned
        ({"WHOLE": 5.0, "TENS": 500.0, "HUNDREDS": 50.0}, 10),  # five rows are no more than noise
        ({"WHOLE": 6.0, "FIVES": 9.0, "TENS": 9.0, "HUNDREDS": 500.0}, 5),  # together they are more
        ({"TENS": 500.0, "TWO_DECIMALS": 90.0}, 1),
    ],
)
def test_what_divides_all_numbers_is_read_off_the_counts_that_were_paid(kinds, step):
    assert sketched(**kinds).step == step


def test_a_column_of_hundreds_is_declared_in_hundreds():
    cells = [(NUMBER_CELLS[ONE + 10], 500.0), (NUMBER_CELLS[ONE + 11], 400.0)]
    pay = replace(look(cells), sketch=sketched(HUNDREDS=900.0))
    field = field_of({"name": "pay"}, pay)
    assert field["multipleOf"] == 100
    assert field["constraints"] == {"minimum": 100, "maximum": 4000}
    assert Codebook.from_dict({"fields": [field]}).domain.attributes[0].grid.size == 40


def test_many_thin_cells_side_by_side_stand_out_together():
    thin = np.zeros(200)
    thin[64:96] = 2.0
    assert occupied(Noisy(counts=thin, sd=1.0)) == (64, 95)
    assert occupied(Noisy(counts=np.where(np.arange(200) == 70, 2.0, 0.0), sd=1.0)) is None


def test_bounds_do_not_reach_for_a_cell_far_from_all_others_unless_it_is_clearer_still():
    counts = np.zeros(len(NUMBER_CELLS))
    counts[[ZERO, ONE, ONE + 2]] = 4.5, 900.0, 40.0  # 0, from 1 on, from 4 on
    for stray, last in ((4.5, ONE + 2), (6.0, ONE + 29)):
        counts[ONE + 29] = stray
        assert occupied(Noisy(counts=counts, sd=1.0)) == (ZERO, last), "0 is never a stray"
    counts[ONE + 29], counts[ONE + 5] = 0.0, 4.5
    assert occupied(Noisy(counts=counts, sd=1.0)) == (ZERO, ONE + 5), "nor is what lies beside the others"
    counts[ZERO - 70] = 4.5
    assert occupied(Noisy(counts=counts, sd=1.0)) == (ZERO, ONE + 5)


def test_what_is_spread_too_thin_for_single_cells_is_bounded_by_a_count_of_coarse_ones():
    years = np.zeros(200)
    years[10:90] = 2.0  # 1910 to 1989: windows of any width drown in this noise
    fine = Noisy(counts=years, sd=20.0)
    assert occupied(fine) is None
    coarse = Noisy(counts=np.bincount(coarse_cells(200), weights=years), sd=10.0)
    assert coarse.counts.tolist() == [44.0, 64.0, 52.0, 0, 0, 0, 0]
    assert occupied(fine, coarse) == (0, 95)


def test_a_coarse_count_tells_nothing_that_single_cells_explain():
    years = np.zeros(200)
    years[40] = 900.0
    fine = Noisy(counts=years, sd=20.0)
    coarse = Noisy(counts=np.bincount(coarse_cells(200), weights=years), sd=10.0)
    assert occupied(fine, coarse) == occupied(fine) == (40, 40)


def test_bounds_do_not_reach_for_rows_of_which_no_cell_shows_anything():
    """What noise seems to hide is mostly noise: flags got bounds of 127, and rows between them."""
    for rows in (700.0, 1000.0):
        doses = replace(look([(NUMBER_CELLS[ONE + 3], 700.0)]), sketch=sketched(WHOLE=rows))
        assert field_of({"name": "dose"}, doses)["constraints"] == {"minimum": 8, "maximum": 15}


@pytest.mark.parametrize(("zeros", "minimum"), [(0.0, 1), (0.4, 1), (2.0, 0)])
def test_whole_numbers_from_1_on_hold_0_only_where_its_own_cell_shows_it(zeros, minimum):
    cells = [(NUMBER_CELLS[ONE + power], 200.0) for power in range(5)]  # days of a month
    days = look([*cells, (NUMBER_CELLS[ZERO], zeros)])
    for rows in (1000.0, 1300.0):
        field = field_of({"name": "day"}, replace(days, sketch=sketched(WHOLE=rows)))
        assert field["constraints"]["minimum"] == minimum
    dosed = replace(days, sketch=sketched(ONE_DECIMAL=1000.0))
    assert field_of({"name": "dose"}, dosed)["constraints"]["minimum"] == 0, "0.1 lies beside it"


def test_what_noise_shows_in_cells_that_whole_numbers_cannot_lie_in_bounds_nothing():
    parts = [(NUMBER_CELLS[ONE - power], 30.0) for power in range(1, 5)]  # below 1, and not 0
    seen = replace(look([*parts, (NUMBER_CELLS[ONE + 3], 700.0)]), sketch=sketched(WHOLE=700.0))
    assert seen.ends == (ONE + 3, ONE + 3)
    tenths = replace(seen, sketch=sketched(ONE_DECIMAL=700.0))
    assert tenths.ends == (ONE - 4, ONE + 3)


def noisy_numbers(counts, sd=1.0):
    cells = np.zeros(len(NUMBER_CELLS))
    for place, rows in counts.items():
        cells[place] = rows
    return Noisy(counts=cells, sd=sd)


def test_two_cells_beside_those_that_were_found_are_taken_in_where_they_show_a_little_more_than_nothing():
    def last(*shown):
        beside = {ONE + 6 + at: rows for at, rows in enumerate(shown)}
        return stretched(ONE + 5, ONE + 5, noisy_numbers(beside), smallest=1.0)[1]

    assert last(0.05, 0.05, 2.0) == ONE + 5
    assert last(0.2, 0.05) == ONE + 6
    assert last(-0.2, 0.9) == ONE + 7
    assert last(*[0.7] * 15) == ONE + 7, "two at most, but for a long tail"
    below = noisy_numbers({ONE + 4: 1.6, ONE + 3: 1.6})
    assert stretched(ONE + 5, ONE + 5, below, smallest=1.0) == (ONE + 3, ONE + 5), "the nearest first"


def test_a_long_thin_tail_is_taken_in_where_its_cells_together_show_what_noise_hardly_ever_does():
    """Days until something happens: 1 for most, up to thousands for a quarter."""
    none, tail = len(NUMBER_CELLS) // 2, range(1, 13)
    for flag in (none, ONE):
        days = noisy_numbers({ONE: 30.0, ONE - 1: 0.0} | {ONE + power: 1.5 for power in tail})
        assert stretched(flag, ONE, days, smallest=1.0) == (flag, ONE + 12)
    thinner = noisy_numbers(
        {ONE: 30.0} | {ONE + power: 1.1 for power in tail}
    )  # 12 x 0.35 is no more than 4.5
    assert stretched(none, ONE, thinner, smallest=1.0) == (none, ONE)


@pytest.mark.parametrize(("laplace", "most"), [(False, 0.003), (True, 0.02)])
def test_noise_beside_a_flag_is_hardly_ever_a_long_tail(laplace, most):
    rng, none = np.random.default_rng(5), len(NUMBER_CELLS) // 2
    far = 0
    for _ in range(2000):
        noise = rng.laplace(scale=0.5**0.5, size=2 * none + 1) if laplace else rng.normal(size=2 * none + 1)
        counts = Noisy(counts=noise, sd=1.0, laplace=laplace)
        far += stretched(none, ONE, counts, smallest=1.0)[1] > ONE + 4
    assert far <= most * 2000


def test_a_column_without_numbers_below_0_gets_none_and_small_numbers_it_cannot_hold_are_passed_over():
    none, minus_one = len(NUMBER_CELLS) // 2, len(NUMBER_CELLS) // 2 - 41
    both = noisy_numbers({ONE: 2.0, minus_one: 2.0})
    assert stretched(ONE + 1, ONE + 1, both, smallest=1.0) == (ONE, ONE + 1)
    assert stretched(none, none, both, smallest=1.0) == (none, ONE)
    assert stretched(none, none, both, smallest=0.0) == (none, none)  # any small number lies between
    assert stretched(minus_one - 1, none, both, smallest=1.0) == (minus_one - 1, ONE)


def test_a_flag_of_0_and_1_has_no_tail_but_a_clear_one():
    none, faint = ONE - 41, {ONE + 1: 1.5, ONE + 2: 1.5}
    assert number_range(none) == (0.0, 0.0)
    assert stretched(none, ONE, noisy_numbers(faint), smallest=1.0) == (none, ONE)
    assert stretched(none, ONE, noisy_numbers({ONE + 1: 2.5, ONE + 2: 1.5}), smallest=1.0) == (none, ONE + 1)
    assert stretched(none, ONE, noisy_numbers(faint), smallest=0.01) == (none, ONE + 2), "a measurement"
    assert stretched(none - 41, ONE, noisy_numbers(faint), smallest=1.0) == (none - 41, ONE + 2)
    assert stretched(none, ONE + 1, noisy_numbers({ONE + 2: 1.5}), smallest=1.0) == (none, ONE + 2), "counts"


def test_of_a_flag_that_is_mostly_1_noise_hides_its_zeros_and_not_that_it_may_hold_them():
    for beside, bounds in (([1.5, 0.5], (0, 1)), ([-0.5, -1.5], (0, 1)), ([0.5, 1.5], (1, 2))):
        zeros, twos = ((NUMBER_CELLS[ONE + at], n) for at, n in zip((-41, 1), beside, strict=True))
        flag = look([(NUMBER_CELLS[ONE], 900.0), zeros, twos])
        flag = replace(flag, sketch=sketched(WHOLE=900.0))
        assert tuple(field_of({"name": "x"}, flag)["constraints"].values()) == bounds


def test_a_column_of_zeros_with_rows_beside_them_counts_ones_and_not_thousands():
    children = look([(NUMBER_CELLS[ZERO], 900.0), (NUMBER_CELLS[ONE], 3.0), (NUMBER_CELLS[ONE + 10], 3.0)])
    field = field_of({"name": "juvenile"}, replace(children, sketch=sketched(THOUSANDS=900.0)))
    assert field["constraints"] == {"minimum": 0, "maximum": 1}
    assert "multipleOf" not in field


def test_noise_alone_moves_a_bound_in_about_half_of_all_columns():
    rng = np.random.default_rng(4)
    moved = [
        stretched(
            ONE + 5, ONE + 5, Noisy(counts=rng.normal(0, 7.0, len(NUMBER_CELLS)), sd=7.0), smallest=1.0
        )[1]
        > ONE + 5
        for _ in range(1000)
    ]
    assert 0.5 < np.mean(moved) < 0.65


def test_coarse_cells_hold_the_same_rows_as_the_cells_of_a_scale():
    cells = np.arange(N_CELLS + 2)  # two texts behind the public cells
    for scale in (NUMBER_CELLS, YEAR_CELLS, DATED_CELLS):
        joined = coarser(cells, scale)
        assert joined.sum() == cells.sum()
        outside = np.setdiff1d(np.arange(cells.size), scale)
        assert (joined[outside] == cells[outside]).all()


def test_noise_alone_hardly_ever_gives_bounds():
    rng = np.random.default_rng(3)
    for draw in (rng.normal, lambda loc, scale, size: rng.laplace(loc, scale / math.sqrt(2), size)):
        found = [
            occupied(Noisy(counts=draw(0, 7.0, 200), sd=7.0, laplace=draw != rng.normal)) is not None
            for _ in range(100)
        ]
        assert np.mean(found) <= 0.05
