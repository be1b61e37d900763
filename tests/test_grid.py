"""The fine grid and the distribution inside bins."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.errors import DomainError
from hmpb_core.grid import Grid, Pieces, default_step
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
