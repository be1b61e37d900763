"""Where inside their codes rows lie: numbers that go together do so inside their codes as well."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, spearmanr, truncnorm

from hmpb_core import inside_codes
from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.domain import Domain, Numeric
from hmpb_core.encoding import encode
from hmpb_core.inside_codes import levels, spread_evenly

ROWS = 20_000


def number(name, low=0.0, high=1.0, bins=6, **more):
    return Numeric(name=name, minimum=low, maximum=high, bins=bins, **more)


def decoded(columns, attributes, seed=0):
    """Real columns coded to a few codes, and decoded from these alone."""
    domain = Domain(tuple(attributes))
    codes = encode(pd.DataFrame(columns), Codebook(domain=domain))
    return codes, decode(codes, domain, np.random.default_rng(seed))


def apart(monkeypatch):
    """Draw every column by itself."""
    monkeypatch.setattr(inside_codes, "LEAST_ROWS", 10**9)


def together(correlation, seed=0):
    """Two columns with uniform values and a Gaussian copula."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=ROWS)
    second = correlation * first + np.sqrt(1 - correlation**2) * rng.normal(size=ROWS)
    return {
        name: (np.argsort(np.argsort(values)) + 0.5) / ROWS for name, values in (("x", first), ("y", second))
    }


@pytest.mark.parametrize("correlation", [0.99, 0.9, 0.6, -0.9])
def test_what_two_numbers_lose_inside_their_codes_mostly_comes_back(monkeypatch, correlation):
    columns = together(correlation)
    real = spearmanr(columns["x"], columns["y"])[0]
    _, drawn = decoded(columns, [number("x", bins=5), number("y", bins=5)])
    apart(monkeypatch)
    _, before = decoded(columns, [number("x", bins=5), number("y", bins=5)])
    lost = abs(spearmanr(before["x"], before["y"])[0] - real)
    assert lost > 0.03
    assert abs(spearmanr(drawn["x"], drawn["y"])[0] - real) < 0.25 * lost


def test_inside_one_code_of_the_first_the_second_still_rises_with_it():
    columns = together(0.99)
    codes, drawn = decoded(columns, [number("x", bins=4), number("y", bins=4)])
    for code in range(4):
        inside = codes[:, 0] == code
        assert spearmanr(drawn["x"][inside], drawn["y"][inside])[0] > 0.55


def test_a_rise_that_turns_to_a_fall_is_followed_code_by_code():
    rng = np.random.default_rng(5)
    x = rng.random(ROWS)
    y = np.where(x < 0.7, x, 1.4 - x)  # up to 0.7, then down
    codes, drawn = decoded({"x": x, "y": y}, [number("x", bins=10), number("y", bins=10)])
    rising, falling = codes[:, 0] == 2, codes[:, 0] == 8
    assert spearmanr(drawn["x"][rising], drawn["y"][rising])[0] > 0.3
    assert spearmanr(drawn["x"][falling], drawn["y"][falling])[0] < -0.3


def test_columns_that_have_nothing_to_do_with_each_other_stay_so():
    columns = together(0.0)
    codes, drawn = decoded(columns, [number("x", bins=4), number("y", bins=4)])
    for code in range(4):
        same = (codes == code).all(axis=1)
        assert abs(spearmanr(drawn["x"][same], drawn["y"][same])[0]) < 0.12


def test_what_several_numbers_say_of_one_comes_together(monkeypatch):
    """A sum is told by its parts only when both are looked at."""
    rng = np.random.default_rng(1)
    first, second = rng.random((2, ROWS))
    columns = {"first": first, "second": second, "sum": first + second}
    attributes = [number("first", bins=4), number("second", bins=4), number("sum", high=2.0, bins=4)]
    _, drawn = decoded(columns, attributes)
    apart(monkeypatch)
    _, before = decoded(columns, attributes)
    lost, left = (
        float(np.abs(table["first"] + table["second"] - table["sum"]).mean()) for table in (before, drawn)
    )
    assert left < 0.6 * lost


def test_tails_that_go_together_more_than_the_body_do_so_inside_their_codes():
    """Delays: most are near 0 and have little to do with each other, the long ones are nearly the same."""
    rng = np.random.default_rng(3)
    long = np.where(rng.random(ROWS) < 0.2, rng.lognormal(3.5, 1.0, ROWS), 0.0)
    columns = {name: np.clip(long + rng.normal(0, 8, ROWS), -40, 1500) for name in ("x", "y")}
    edges = (-40.0, -5.0, 0.0, 5.0, 20.0, 60.0, 200.0, 1500.0)
    attributes = [Numeric(name=name, minimum=-40, maximum=1500, edges=edges, bins=7) for name in columns]
    codes, drawn = decoded(columns, attributes)
    tail = (codes == 5).all(axis=1)  # one correlation for all rows gives 0.14 here
    assert spearmanr(drawn["x"][tail], drawn["y"][tail])[0] > 0.25
    body = (codes == 2).all(axis=1)
    assert abs(spearmanr(drawn["x"][body], drawn["y"][body])[0]) < 0.15


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=60),
    st.integers(0, 10**6),
)
def test_the_rows_of_a_code_are_spread_evenly_in_the_order_of_their_scores(codes, seed):
    rng = np.random.default_rng(seed)
    codes = np.array(codes, dtype=np.int32)
    scores = rng.random(len(codes))
    places = spread_evenly(codes, scores, rng)
    assert ((places >= 0) & (places < 1)).all()
    for code in np.unique(codes):
        inside = codes == code
        assert (np.argsort(places[inside]) == np.argsort(scores[inside])).all()
        steps = np.diff(np.sort(places[inside]))
        assert np.allclose(steps, 1 / inside.sum(), atol=1e-9)


def test_more_codes_than_16_bits_hold_are_kept_apart():
    codes = np.arange(70_000, dtype=np.int32).repeat(2)[::-1]
    rng = np.random.default_rng(0)
    places = spread_evenly(codes, np.tile([0.1, 0.9], 70_000), rng).reshape(-1, 2)
    assert np.allclose(places[:, 1] - places[:, 0], 0.5)


def test_the_values_of_every_code_are_the_same_with_the_order_and_without(monkeypatch):
    columns = together(0.9)
    attributes = [number("x", edges=(0, 0.1, 0.5, 1), bins=3), number("y", bins=4)]
    codes, drawn = decoded(columns, attributes)
    apart(monkeypatch)
    _, before = decoded(columns, attributes)
    for column, name in enumerate(("x", "y")):
        for code in np.unique(codes[:, column]):
            inside = codes[:, column] == code
            assert np.abs(np.sort(drawn[name][inside]) - np.sort(before[name][inside])).max() < 1e-3


def test_a_missing_value_of_the_one_leaves_the_other_evenly_spread():
    columns = together(0.9)
    hidden = np.random.default_rng(4).random(ROWS) < 0.3
    frame = pd.DataFrame(columns)
    frame.loc[hidden, "x"] = np.nan
    codes, drawn = decoded(frame, [number("x", bins=3, nullable=True), number("y", bins=2)])
    assert drawn["x"].isna().to_numpy().tolist() == hidden.tolist()
    alone = drawn["y"][hidden & (codes[:, 1] == 0)] / 0.5
    assert kstest(alone, "uniform").pvalue > 0.001
    inside = ~hidden & (codes[:, 0] == 1)
    assert spearmanr(drawn["x"][inside].astype(float), drawn["y"][inside])[0] > 0.3


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_a_few_rows_and_constant_columns_have_their_places_too(rows):
    domain = Domain((number("x", nullable=True), number("y")))
    for n in (rows, rows + 300):
        found = levels(np.zeros((n, 2), dtype=np.int32), domain, np.random.default_rng(0))
        assert sorted(found) == [0, 1]
        assert all(len(places) == n and np.isfinite(places).all() for places in found.values())


@pytest.mark.parametrize(("low", "high"), [(-1.0, 0.5), (2.0, 2.5), (5.0, 9.0), (-9.0, -8.0), (-60.0, 60.0)])
def test_normal_values_between_two_ends_have_the_moments_they_should(low, high):
    drawn = inside_codes._normal_between(np.full(ROWS, low), np.full(ROWS, high), np.random.default_rng(6))
    assert drawn.min() >= low - 1e-9
    assert drawn.max() <= high + 1e-9
    deviation = truncnorm.std(low, high)
    assert abs(drawn.mean() - truncnorm.mean(low, high)) < 5 * deviation / np.sqrt(ROWS)
    assert abs(drawn.std() / deviation - 1) < 0.05


def test_ends_beyond_all_normal_values_give_finite_ones():
    drawn = inside_codes._normal_between(
        np.array([-400.0, 300.0]), np.array([-300.0, 1e9]), np.random.default_rng(0)
    )
    assert np.isfinite(drawn).all()


def test_a_slope_is_that_of_the_line_through_a_point_and_its_neighbours_with_rows():
    x, rows = np.array([0.0, 1.0, 5.0, 2.0, 4.0]), np.array([9, 9, 0, 9, 9])
    assert inside_codes._slopes(x, 3 * x + 1, rows).tolist() == pytest.approx([3, 3, 0, 3, 3])
    alone = inside_codes._slopes(np.array([1.0, 2.0]), np.array([1.0, 9.0]), np.array([5, 0]))
    assert alone.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_the_unit_of_a_number_does_not_matter(scale):
    columns = together(0.95)
    attributes = [number("x", bins=5), number("y", high=scale, bins=5)]
    _, drawn = decoded({"x": columns["x"], "y": scale * columns["y"]}, attributes)
    _, plain = decoded(columns, [number("x", bins=5), number("y", bins=5)])
    assert np.allclose(drawn["y"] / scale, plain["y"], rtol=1e-6)


def test_a_neighbour_with_many_rows_does_not_outweigh_the_code_itself():
    x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0])
    assert inside_codes._slopes(x, y, np.array([10, 10, 10_000]))[1] == pytest.approx(2.5)


def test_being_missing_together_makes_no_order():
    rng = np.random.default_rng(9)
    codes = rng.integers(0, 4, (ROWS, 2)).astype(np.int32)
    codes[rng.random(ROWS) < 0.5] = 4
    domain = Domain((number("x", bins=4, nullable=True), number("y", bins=4, nullable=True)))
    places = levels(codes, domain, rng)
    for code in range(4):
        inside = (codes == code).all(axis=1)
        assert abs(spearmanr(places[0][inside], places[1][inside])[0]) < 0.12
