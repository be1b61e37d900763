"""Dates and times as numbers and back."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.dates import is_format, read_value, write_value


@pytest.mark.parametrize(
    ("text", "kind", "pattern", "number"),
    [
        ("1970-01-02", "date", "", 1),
        ("27.08.1996", "date", "%d.%m.%Y", 9735),
        ("1996-08-27", "date", "%d.%m.%Y", 9735),  # typed columns come in ISO 8601
        ("1996-08-27 00:00:00", "date", "", 9735),
        ("1969-12-31T23:59:58", "datetime", "", -2),
        ("1970-01-01T01:00:00+01:00", "datetime", "", 0),
        ("13:05", "time", "", 47_100),
        ("13:05:00.000+03:00", "time", "", 47_100),  # as ODK exports it: five past one where it was asked
        ("01:05:00Z", "time", "", 3900),
        ("9:10:00", "time", "", 33_000),  # beside 11:10:00
        ("1970-01-02 9:10", "datetime", "", 119_400),
        ("01:05 PM", "time", "%I:%M %p", 47_100),
        ("2024", "year", "", 2024),
        ("1996-08", "yearmonth", "", 23_959),
        ("08/1996", "yearmonth", "%m/%Y", 23_959),
        ("27 AOÛT 1996", "date", "%d %B{janv|févr|mars|avr|mai|juin|juil|août|sept|oct|nov|déc} %Y", 9735),
        ("P1DT2H", "duration", "", 93_600),
        ("1:30:00", "duration", "", 5400),
        ("-PT5S", "duration", "", -5),
        ("P2W", "duration", "", 1_209_600),
        ("1970-01-01T00:00:00.25", "datetime", "", 0.25),
        ("1 days 05:14:36", "duration", "", 105_276),
        ("-1 days +23:00:00", "duration", "", -3600),
        ("1 day, 5:14:36", "duration", "", 105_276),
        ("2 days", "duration", "", 172_800),
        ("2h 50m", "duration", "", 10_200),
        ("2 hrs 5 min.", "duration", "", 7500),
        ("19h", "duration", "", 68_400),
        ("45 min", "duration", "", 2700),
        ("PT", "duration", "", None),
        ("h m", "duration", "", None),
        ("1970-01-01T00:00:07.123Z", "datetime", "%Y-%m-%dT%H:%M:%S.000Z", 7),
        ("1970-01-01 00:00:07.5 UTC", "datetime", "%Y-%m-%d %H:%M:%S.000000 UTC", 7),
        ("1970-01-01T00:00:07.123+02:00", "datetime", "%Y-%m-%dT%H:%M:%S.000+02:00", 7),
        ("1970-01-01T02:00:07+0200", "datetime", "%Y-%m-%dT%H:%M:%S+00:00", 7),
        ("18h30", "time", "%Hh%M", 66_600),
        ("31.02.2020", "date", "%d.%m.%Y", None),
        ("P", "duration", "", None),
        ("soon", "datetime", "", None),
    ],
)
def test_a_written_value_has_the_number_it_means(text, kind, pattern, number):
    assert read_value(text, kind, pattern) == number


@given(st.dates(dt.date(1000, 1, 1)), st.sampled_from(["", "%d.%m.%Y", "%Y%m%d"]))
def test_a_date_comes_out_in_the_format_it_came_in(day, pattern):
    text = day.strftime(pattern) if pattern else day.isoformat()
    number = read_value(text, "date", pattern)
    assert number == (day - dt.date(1970, 1, 1)).days
    assert write_value(number, "date", pattern) == text


@pytest.mark.parametrize("pattern", ["%d.%m.%Y", "%-d/%-m/%Y", "%Y%m%d", "%d %b %Y"])
def test_the_first_years_have_four_digits_in_every_format(pattern):
    for day in (dt.date(1, 1, 1), dt.date(987, 6, 5), dt.date(1582, 10, 15)):
        number = (day - dt.date(1970, 1, 1)).days
        assert f"{day.year:04d}" in write_value(number, "date", pattern)
        assert read_value(write_value(number, "date", pattern), "date", pattern) == number


@given(st.datetimes().map(lambda m: m.replace(microsecond=0)))
def test_a_moment_comes_out_as_it_came_in(moment):
    assert write_value(read_value(moment.isoformat(), "datetime"), "datetime") == moment.isoformat()


@given(st.integers(-(10**7), 10**7), st.sampled_from(["", "clock", "days"]))
def test_a_duration_is_read_as_it_is_written(seconds, pattern):
    assert read_value(write_value(seconds, "duration", pattern), "duration", pattern) == seconds


def test_parts_of_a_second_of_a_duration_are_its_own_and_no_computers_rounding():
    for seconds, text in (
        (80_386.24, "PT22H19M46.24S"),
        (188.807, "PT3M8.807S"),
        (0.00005, "PT0.00005S"),
        (-119.9999999, "-PT2M"),
        (-1e-9, "PT0S"),
    ):
        assert write_value(seconds, "duration") == text
        assert read_value(text, "duration") == pytest.approx(seconds, abs=1e-6)


def test_a_number_has_the_decimals_that_are_asked_for_and_nothing_is_no_minus():
    assert [write_value(7.256, "number", decimals=n) for n in (0, 1, 3)] == ["7", "7.3", "7.256"]
    assert write_value(0, "duration", "clock") == "0:00:00"
    assert write_value(0.4, "duration", "clock") == "0:00:00"


def test_a_clock_shows_no_sixty_seconds():
    assert write_value(59.7, "duration", "clock") == "0:01:00"
    assert write_value(-3599.6, "duration", "clock") == "-1:00:00"


@given(st.integers(-(10**5), 10**5), st.sampled_from(["1h 30m", "0h 30m", "1 hours, 30 minutes", "0hr30min"]))
def test_a_duration_in_words_is_read_as_it_is_written(minutes, pattern):
    assert read_value(write_value(60 * minutes, "duration", pattern), "duration", pattern) == 60 * minutes


def test_hours_and_minutes_that_are_0_are_left_away_where_the_format_says_so():
    assert [write_value(60 * m, "duration", "1h 30m") for m in (0, 5, 120, 170)] == [
        "0m",
        "5m",
        "2h",
        "2h 50m",
    ]
    assert [write_value(60 * m, "duration", "0h 30m") for m in (5, 120)] == ["0h 5m", "2h 0m"]
    assert write_value(-3600, "duration", "days") == "-1 days +23:00:00"


@pytest.mark.parametrize(
    ("pattern", "kind", "fits"),
    [
        ("", "date", True),
        ("%d.%m.%Y", "date", True),
        ("%-m/%-d/%y", "date", True),
        ("%Y-%m-%dT%H:%M:%S%z", "datetime", True),
        ("%Y-%m-%d", "datetime", True),
        ("%Hh%M", "time", True),
        ("%b-%y", "yearmonth", True),
        ("clock", "duration", True),
        ("1 hr 30 min", "duration", True),
        ("YYYY-MM-DD", "date", False),
        ("hh:mm", "time", False),
        ("hh:mm", "duration", False),
        ("%Q", "date", False),
        ("%Y", "date", False),
        ("%Y", "yearmonth", False),
        ("%d.%m.", "date", True),
        ("%H", "time", True),
        ("%M", "time", False),  # of two hours it writes the same
        ("%H:%M", "datetime", False),
        ("%s", "datetime", False),  # Linux writes it, and nothing reads it
    ],
)
def test_a_format_tells_values_apart_and_reads_them_again(pattern, kind, fits):
    assert is_format(pattern, kind) == fits


def test_a_moment_whose_format_has_a_zone_leaves_with_one():
    pattern = "%Y-%m-%dT%H:%M:%S%z"
    assert read_value("1970-01-01T02:00:00+0200", "datetime", pattern) == 0
    assert write_value(0, "datetime", pattern) == "1970-01-01T00:00:00+0000"
