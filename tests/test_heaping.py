"""Marks of values, and heaps drawn by them."""

import datetime as dt
from fractions import Fraction

import numpy as np
import pytest

from hmpb_core.dates import EPOCH
from hmpb_core.errors import DomainError
from hmpb_core.grid import Pieces
from hmpb_core.heaping import Heaps, classes_of, cycles_of, fitted_weights, mark_table, marks_of, members
from hmpb_core.inside_codes import spread_evenly

NUMBERS = marks_of("number", 10_000)
DATES = marks_of("date", 5_000)


def test_a_number_shows_the_coarsest_step_or_ending_that_fits():
    classes = classes_of(NUMBERS)
    shown = [
        NUMBERS[classes[value % classes.size]] for value in (0, 3000, 500, 1250, 1199, 1195, 7, 12, 1999)
    ]
    assert shown == ["1000", "1000", "500", "50", "99 of 100", "95 of 100", "1", "2", "999 of 1000"]


def test_a_time_shows_hours_quarters_and_minutes():
    marks = marks_of("time", 86_400)
    classes = classes_of(marks)
    shown = [marks[classes[second % classes.size]] for second in (0, 7200, 1800, 2700, 600, 120, 61)]
    assert shown == ["3600", "3600", "1800", "900", "300", "60", "1"]
    assert marks_of("datetime", 10**9)[0] == "86400"
    assert marks_of("duration", 100_000, Fraction(60))[-2:] == ("5", "1")


def test_a_date_shows_the_first_of_its_month_or_its_weekday():
    classes = classes_of(DATES)
    for day in (dt.date(2023, 1, 1), dt.date(2024, 3, 1), dt.date(1969, 2, 15), dt.date(2000, 2, 29)):
        mark = DATES[classes[(day - dt.date(1970, 1, 1)).days % classes.size]]
        expected = {(1, 1): "1 January", (3, 1): "1st of a month", (2, 15): "15th of a month"}
        assert mark == expected.get((day.month, day.day), day.strftime("%A"))


def test_a_moment_shows_the_hour_of_its_day_and_the_day_of_its_week():
    for step in (1, 60, 3600):
        hours, days = cycles_of("datetime", 10**8 // step, Fraction(step))
        for text in ("2024-02-29T23:59", "1969-12-30", "1970-01-01T08:00"):
            moment = dt.datetime.fromisoformat(text)
            place = int((moment - EPOCH).total_seconds()) // step
            of_day, of_week = (classes_of(marks)[place % classes_of(marks).size] for marks in (hours, days))
            assert of_day == moment.hour
            assert (of_week + 3) % 7 == moment.weekday()


def test_only_moments_have_cycles_and_days_have_no_hours():
    assert [len(marks) for marks in cycles_of("datetime", 5000, Fraction(86_400))] == [7]
    assert marks_of("datetime", 5000, Fraction(86_400)) == ()
    assert cycles_of("datetime", 10**6, Fraction(7)) == ()
    assert [cycles_of(kind, 10**8) for kind in ("date", "time", "duration", "number")] == [()] * 4
    assert cycles_of("datetime", 7 * 86_400) == ()


@pytest.mark.parametrize("kind", ["duration", "time", "datetime"])
@pytest.mark.parametrize("step", ["0.5", "0.25", "0.1", "0.01", "0.001", "0.000001"])
def test_parts_of_a_second_have_marks_that_can_be_read(kind, step):
    """A day has more of them than a period of marks is long, and a run ended there."""
    for seconds in (60, 7200, 86_400, 10**7):
        size = int(seconds / Fraction(step))
        marks = marks_of(kind, size, Fraction(step))
        assert not marks or classes_of(marks).max() == len(marks) - 1
        heaps = Heaps(marks or ("1",), tuple(range(1, len(marks) + 1)) or (1.0,), 0)
        for cycle in cycles_of(kind, size, Fraction(step)):
            heaps = heaps.multiplied(cycle, np.ones(len(cycle)))
    assert marks_of("duration", 10**9, Fraction("0.001"))[0] == "900000"
    assert [len(cycle) for cycle in cycles_of("datetime", 10**9, Fraction("0.1"))] == [24]


def test_the_weight_of_a_moment_is_that_of_its_mark_its_hour_and_its_day():
    rng = np.random.default_rng(2)
    heaps, factors = Heaps(("30", "1"), (5.0, 1.0), 7), []
    for marks in cycles_of("datetime", 10**6, Fraction(60)):
        factors.append(rng.uniform(0.1, 2, len(marks)))
        heaps = heaps.multiplied(marks, factors[-1])
    places = np.arange(7, 30_007)
    weights = np.where(places % 30 == 0, 5.0, 1.0)
    weights *= factors[0][places // 60 % 24] * factors[1][places // 1440 % 7]
    lows, highs = np.array([0, 100, 29_000]), np.array([100, 29_000, 30_000])
    expected = [weights[low:high].sum() for low, high in zip(lows, highs, strict=True)]
    assert heaps.weight(lows, highs) == pytest.approx(expected)
    hours = cycles_of("datetime", 10**6, Fraction(60))[0]
    week = heaps.over_a_period()
    assert heaps.mean_weights(hours)[5] == pytest.approx(week[np.arange(week.size) // 60 % 24 == 5].mean())


@pytest.mark.parametrize(
    ("kind", "size", "step"), [("number", 20, 1), ("year", 200, 1), ("yearmonth", 600, 1), ("date", 900, 7)]
)
def test_small_grids_and_steps_without_a_pattern_have_no_marks(kind, size, step):
    assert marks_of(kind, size, Fraction(step)) == ()


@pytest.mark.parametrize(
    "marks",
    [
        ("2",),
        ("0", "1"),
        ("Monday", "1"),
        ("x",),
        ("0/0 of 7", "1"),
        ("0/2 of 7",),
        (),
        ("999983", "999979", "1"),
    ],
)
def test_marks_that_cannot_be_read_are_refused(marks):
    with pytest.raises(DomainError, match="heaps of a number"):
        Heaps(marks, (1.0,) * len(marks), 0)


def test_weights_must_be_above_zero():
    with pytest.raises(DomainError, match="heaps of a number"):
        Heaps(("10", "1"), (1.0, 0.0), 0)


@pytest.mark.parametrize("marks", [NUMBERS, DATES, ("4", "2", "1")])
def test_members_and_tables_count_as_a_loop_does(marks):
    rng = np.random.default_rng(1)
    first, classes = -1234, classes_of(marks)
    lows, highs = np.array([0, 17, 900]), np.array([17, 900, 5_000])
    counted = np.zeros((3, len(marks)))
    for place in range(3):
        for position in range(lows[place], highs[place]):
            counted[place, classes[(position + first) % classes.size]] += 1
    assert np.array_equal(members(marks, first, lows, highs), counted)
    positions, rows = np.arange(5_001), rng.integers(0, 9, 5_001)
    found = mark_table(
        positions,
        rows,
        first=first,
        starts=np.append(lows, 5_000),
        groups=np.array([1, -1, 0, -1]),
        marks=marks,
    ).reshape(2, -1)
    for group, (low, high) in enumerate([(900, 5_000), (0, 17)]):
        expected = [
            rows[p] * (classes[(p + first) % classes.size] == c)
            for c in range(len(marks))
            for p in range(low, high)
        ]
        assert np.array_equal(found[group], np.reshape(expected, (len(marks), -1)).sum(axis=1))


@pytest.mark.parametrize("first", [0, -37, 10**14])
def test_values_inside_a_piece_are_drawn_in_proportion_to_their_weights(first):
    heaps = Heaps(("10", "5", "1"), (8.0, 3.0, 0.5), first)
    pieces = Pieces((0, 3, 60), (0, 0, 0), (0.2, 0.7, 0.1), 61, heaps)
    rng = np.random.default_rng(3)
    codes = np.zeros(100_000, dtype=np.int32)
    drawn = pieces.positions(codes, spread_evenly(codes, rng.random(100_000), rng))
    for low, high, share in ((0, 3, 0.2), (3, 60, 0.7), (60, 61, 0.1)):
        weights = np.array(
            [8.0 if (p + first) % 10 == 0 else 3.0 if (p + first) % 5 == 0 else 0.5 for p in range(low, high)]
        )
        expected = 100_000 * share * weights / weights.sum()
        found = np.bincount(drawn[(drawn >= low) & (drawn < high)] - low, minlength=high - low)
        assert np.abs(found - expected).max() <= 1.5  # proportional, to a rounded row


def test_weights_over_a_long_interval_stay_inside_it():
    heaps = Heaps(("10", "1"), (1e6, 1e-9), -5)
    found = heaps.inside(
        np.array([0, 10**15 - 7, 12]), np.array([10**15, 10**15, 13]), np.array([0.999999999999, 0.5, 0.99])
    )
    assert found[0] < 10**15
    assert 10**15 - 7 <= found[1] < 10**15
    assert found[2] == 12
    assert heaps.weight(np.array([0]), np.array([10]))[0] == pytest.approx(1e6)


def test_weights_are_fitted_so_that_marks_show_as_often_as_wanted():
    marks, lows, highs = ("10", "5", "1"), np.array([0, 100, 103]), np.array([100, 103, 1000])
    counts, masses = members(marks, 0, lows, highs), np.array([500.0, 20.0, 480.0])
    wanted = np.array([600.0, 150.0, 250.0])
    weights = fitted_weights(counts, masses, wanted)
    spread = counts * weights
    assert masses @ (spread / spread.sum(axis=1, keepdims=True)) == pytest.approx(wanted, rel=0.01)
    assert (weights > 0).all()


def test_a_mark_that_no_value_shows_gets_no_rows_however_many_are_wanted():
    counts = np.array([[1.0, 0.0, 0.0]])
    weights = fitted_weights(counts, np.array([161.0]), np.array([0.0, 0.0, 161.0]))
    assert weights == pytest.approx([1, 1, 1])
    two = fitted_weights(np.array([[1.0, 9.0, 0.0]]), np.array([100.0]), np.array([50.0, 30.0, 20.0]))
    assert np.isfinite(two).all()
    assert two[0] / (two[0] + 9 * two[1]) == pytest.approx(50 / 80)
