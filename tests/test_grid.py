"""The fine grid and the distribution inside bins."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.errors import DomainError
from hmpb_core.grid import Grid, ListedGrid, Pieces, default_step
from hmpb_core.inside_codes import spread_evenly


def test_a_grid_holds_the_multiples_of_its_step_between_the_bounds():
    grid = Grid.between(-0.3, 0.35, Fraction(1, 10))
    assert grid.values(np.arange(grid.size)).tolist() == [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]
    assert Grid.between(17.5, 20, Fraction(1)).values(np.arange(3)).tolist() == [18, 19, 20]


def test_a_range_without_a_multiple_is_refused():
    with pytest.raises(DomainError, match="No multiple of 10 lies"):
        Grid.between(1, 9, Fraction(10))


@given(
    st.integers(-(10**9), 10**9),
    st.integers(1, 10**6),
    st.sampled_from(["1", "0.01", "0.25", "500", "0.001"]),
    st.data(),
)
def test_positions_and_values_undo_each_other(low, span, step, data):
    minimum = low * float(step)
    grid = Grid.between(minimum, minimum + span * float(step) * 1.0001, Fraction(step))
    place = data.draw(st.integers(0, grid.size - 1))
    assert grid.positions(grid.values(np.array([place]))).tolist() == [place]


def test_a_number_without_a_resolution_gets_the_same_public_one_whatever_its_values():
    assert default_step(0, 1) == Fraction(1, 10**6)
    assert default_step(0, 10**9) == 1000


RATES = ListedGrid.of([-1.5, 0, 5.31, 5.33, 30])


def test_a_number_that_is_not_listed_counts_as_the_nearest_one_that_is():
    asked = np.array([-9.0, -0.8, -0.7, 0.0, 5.319, 5.321, 17.6, 17.7, 99.0])
    assert RATES.values(RATES.positions(asked)).tolist() == [-1.5, -1.5, 0, 0, 5.31, 5.33, 5.33, 30, 30]
    assert RATES.settled(np.array([5.3100001, 5.32, 0.0])).tolist() == [5.31, 5.32, 0.0]


def test_zero_has_a_position_where_the_grid_holds_it():
    assert (RATES.zero, ListedGrid.of([1, 2]).zero) == (1, None)
    assert Grid.between(-2, 5, Fraction(1, 2)).zero == 4
    assert (Grid.between(1, 5, Fraction(1)).zero, Grid.between(-5, -1, Fraction(1)).zero) == (None, None)


@pytest.mark.parametrize("grid", [RATES, Grid.between(-0.7, 2.1, Fraction(7, 10))], ids=["listed", "steps"])
def test_the_mean_and_variance_of_an_interval_are_those_of_its_values(grid):
    ends = [(low, high) for low in range(grid.size) for high in range(low + 1, grid.size + 1)]
    values = [grid.values(np.arange(low, high)) for low, high in ends]
    means, variances = grid.moments(*(np.array(side) for side in zip(*ends, strict=True)))
    assert means == pytest.approx([v.mean() for v in values])
    assert variances == pytest.approx([v.var() for v in values], abs=1e-9)


@pytest.mark.parametrize("grid", [RATES, Grid.between(-0.7, 2.1, Fraction(7, 10))], ids=["listed", "steps"])
def test_the_first_position_from_an_edge_on_has_the_first_value_that_is_not_below_it(grid):
    values = grid.values(np.arange(grid.size))
    for edge in (*values, *((values[:-1] + values[1:]) / 2), values[0] - 1):
        assert values[grid.first_from(np.array([edge]))[0]] == values[values >= edge][0]


def test_labels_tell_listed_values_apart():
    assert (RATES.decimals, ListedGrid.of([0.0833333358168602, 0.25]).decimals) == (4, 3)


PIECES = Pieces((0, 1, 4, 5), (0, 0, 1, 2), (0.75, 0.25, 1.0, 1.0), 10)


def test_every_position_has_the_code_of_its_piece():
    assert PIECES.codes_of(np.arange(10)).tolist() == [0, 0, 0, 0, 1, 2, 2, 2, 2, 2]
    assert PIECES.bounds.tolist() == [0, 4, 5, 10]


def test_values_are_drawn_by_the_shares_of_the_pieces_of_their_code():
    codes = np.repeat([0, 1, 2], [400, 100, 500]).astype(np.int32)
    rng = np.random.default_rng(0)
    drawn = PIECES.positions(codes, spread_evenly(codes, rng.random(1000), rng))
    assert (PIECES.codes_of(drawn) == codes).all()
    assert abs(int((drawn == 0).sum()) - 300) <= 1  # proportional: to a row
    assert [abs(int((drawn == place).sum()) - 100) <= 1 for place in range(5, 10)] == [True] * 5


@pytest.mark.parametrize(
    "pieces",
    [
        ((1, 2), (0, 0), (0.5, 0.5), 4),
        ((0, 0), (0, 1), (1.0, 1.0), 4),
        ((0, 2), (0, 2), (1.0, 1.0), 4),
        ((0, 2), (0, 1), (1.0, -1.0), 4),
        ((0, 4), (0, 1), (1.0, 1.0), 4),
        ((), (), (), 4),
    ],
)
def test_pieces_that_do_not_fit_together_are_refused(pieces):
    with pytest.raises(DomainError, match="do not fit together"):
        Pieces(*pieces)


def test_what_only_rounding_parts_from_the_grid_is_settled_and_nothing_else():
    grid = Grid.between(0, 100, Fraction(1, 10))
    off = [6.199999809265137, 6.20000000000001, 99.69999694824219, 0.0, 100.00000762939453]
    assert grid.settled(np.array(off)).tolist() == [6.2, 6.2, 99.7, 0.0, 100.0]
    own = [6.21, 6.199, 6.2001, 99.65, 1e-9]
    assert grid.settled(np.array(own)).tolist() == own
    assert np.isnan(grid.settled(np.array([np.nan]))).all()
    with np.errstate(invalid="raise"):  # nothing is printed of one that is infinite
        assert grid.settled(np.array([np.inf, -np.inf])).tolist() == [np.inf, -np.inf]
    large = Grid.between(0, 10**9, Fraction(1, 10))  # 32 bits cannot tell its tenths apart
    assert large.settled(np.array([123_456_792.0, 123_456_789.27])).tolist() == [
        123_456_792.0,
        123_456_789.27,
    ]
