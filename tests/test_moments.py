"""Many dates and times at once: what ``dates.py`` reads and writes one by one."""

import math

import numpy as np
import pandas as pd
import pytest

from hmpb_core import encoding, moments
from hmpb_core.codebook import Codebook
from hmpb_core.dates import read_value, write_value
from hmpb_core.decoding import decode
from hmpb_core.encoding import encode_table
from hmpb_core.moments import read_values, write_values
from hmpb_core.rules.reading import View
from tests.thorough import sample

PATTERNS = (
    *("", "default", "%d.%m.%Y %H:%M", "%m/%d/%Y %I:%M:%S %p", "%Y-%m-%dT%H:%M:%S.000Z", "%-d.%-m.%y %-H:%M"),
    *("%Y-%m-%dT%H:%M:%S%z", "%d-%^b-%Y %H:%M:%S", "%d%b%YT%H%M", "%a, %d %b %Y %H:%M:%S GMT"),
    *("%Y%m%d%H%M%S", "%H:%M %d.%m.%Y", "%d/%m/%Y", "%B %d, %Y %H:%M"),
)
ODD = (
    *("", "x", "999", " 2020-01-01T10:00:00 ", "2020-02-30T10:00:00", "2020-13-01T00:00:00", "2020-01-01"),
    *("2020-01-01T10", "2020-01-01 10:00", "2020-01-01T24:00:00", "0000-01-01T00:00:00", "2020-W01-1T10:00"),
    *("20200101T100000", "2020-01-01T10:00:00+02:00", "2020-01-01T01:00:00+0200", "2020-01-01T10:00:00Z"),
    *("2020-01-01T10:00:00.25", "2020-01-01t10:00:00", "2020-01-01TT10:00:00", "1.2.2020 3:05"),
    *(
        "01.02.2020  10:00",
        "01.02.2020 10:00:30",
        "2020-01-01 3:05",
        "2020-06-30T23:59:60",
        "1/ 5/2020 1:00:00 PM",
    ),
    *("12/31/2020 12:00:00 am", "2020-01-01_10:00:00", "1969-12-31T23:59:59.5", "27-AUG-1996 00:00:00"),
)


@pytest.mark.parametrize("pattern", sample(PATTERNS, 2))
@pytest.mark.parametrize("kind", ["date", "datetime"])
@pytest.mark.parametrize("count", [40, 600])
def test_many_are_read_and_written_as_each_is(monkeypatch, pattern, kind, count):
    monkeypatch.setattr(moments, "MANY", 500)
    rng = np.random.default_rng(1)
    values = rng.integers(-(10**9), 3 * 10**9, count) // (86_400 if kind == "date" else 1) + 0.0
    if kind == "datetime" and count == 40:
        values[::3] += 0.25
    texts = [write_value(value, kind, pattern) for value in values.tolist()]
    assert write_values(values, kind, pattern).to_pylist() == texts
    for listed in (texts, [*texts, *ODD]):
        one_by_one = [read_value(text, kind, pattern) for text in listed]
        expected = np.array([math.nan if number is None else number for number in one_by_one])
        np.testing.assert_array_equal(read_values(listed, kind, pattern), expected)


@pytest.mark.parametrize(
    ("written", "last"),
    [
        ("2020-12-31", "2020-12-31T23:59:59"),
        ("2020-12-31T00:00:00", "2020-12-31T00:00:00"),
        ("2020-12-31T10:00", "2020-12-31T10:00:00"),
    ],
)
def test_moments_up_to_a_day_are_those_of_the_whole_day(written, last):
    """All of the last day were its first second."""
    limits = {"minimum": "2020-01-01", "maximum": written, "required": True}
    book = Codebook.from_dict({"fields": [{"name": "seen", "type": "datetime", "constraints": limits}]})
    written_back = book.to_dict()["fields"][0]["constraints"]
    assert (written_back["minimum"], written_back["maximum"]) == ("2020-01-01T00:00:00", last)
    assert Codebook.from_dict(book.to_dict()) == book


@pytest.mark.parametrize("kind", ["datetime", "time"])
@pytest.mark.parametrize("decimals", [1, 3, 7])
def test_parts_of_a_second_have_as_many_digits_in_every_row(kind, decimals):
    values = np.array([0.0, 59.9, 3600.7, 86_399.2])
    texts = write_values(values, kind, decimals=decimals).to_pylist()
    assert {len(text.partition(".")[2]) for text in texts} == {min(decimals, 6)}
    assert read_values(texts, kind) == pytest.approx(values)
    assert write_values(np.array([-0.1, 9_267_789_812.7]), "datetime", decimals=1).to_pylist() == [
        "1969-12-31T23:59:59.9",
        "2263-09-08T02:03:32.7",
    ]
    assert write_values(values, kind, "%H:%M", decimals=decimals).to_pylist()[2] == "01:00"


@pytest.mark.parametrize("text", ODD)
def test_one_odd_text_alone_is_read_as_each_is(text):
    for pattern in PATTERNS:
        number = read_value(text, "datetime", pattern)
        np.testing.assert_equal(
            read_values([text], "datetime", pattern)[0], math.nan if number is None else number
        )


@pytest.mark.parametrize(
    ("text", "day"), [("0001-01-01T00:00+02:00", -719_163), ("9999-12-31T23:59:59-05:00", 2_932_897)]
)
@pytest.mark.parametrize("kind", ["date", "datetime"])
def test_a_moment_that_is_beyond_the_calendar_at_greenwich_is_read(text, day, kind):
    """9999-12-31 says that something has no end: one such row with a time zone ended a release."""
    for pattern in ("", "%Y-%m-%dT%H:%M:%S%z"):
        number = read_value(text, kind, pattern)
        assert number is not None
        assert number // (1 if kind == "date" else 86_400) == day
        assert read_values([text], kind, pattern).tolist() == [number]


def _stays(bins="learned"):
    entry = {"name": "seen", "type": "datetime", "bins": bins}
    bounds = {"minimum": "2020-01-01T00:00:00", "maximum": "2020-01-30T23:59:59"}
    return Codebook.from_dict({"fields": [{**entry, "constraints": bounds}]})


def _counting(monkeypatch, module, name):
    calls = []
    whole = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given, **named: calls.append(given) or whole(*given, **named))
    return calls


def test_each_day_and_each_time_is_written_once_not_each_moment(monkeypatch):

    moments._clock.cache_clear()
    calls = _counting(monkeypatch, moments, "write_value")
    codes = np.repeat(np.arange(30), 10_000)[:, None]
    frame = decode(codes, _stays(bins=30).domain, np.random.default_rng(1))
    assert frame["seen"].nunique() > 200_000
    assert len(calls) <= 86_400 + 30
    assert frame["seen"].str.len().eq(len("2020-01-01T00:00:00")).all()


def test_rules_read_moments_many_at_a_time(monkeypatch):
    from hmpb_core.rules import reading

    codebook = _stays()
    texts = write_values(np.arange(1_577_836_800.0, 1_577_846_800.0), "datetime").to_pylist()
    frame = pd.DataFrame({"seen": pd.Series([*texts, None, ""], dtype="str")})
    calls = _counting(monkeypatch, reading, "read_value")
    view = View(frame, {a.name: a for a in codebook.domain.attributes})
    numbers = view.numbers("seen")
    assert view.present("seen").tolist() == [True] * 10_000 + [False] * 2
    np.testing.assert_array_equal(numbers[:2], [18262.0, 18262.0 + 1 / 86_400])
    assert np.isnan(numbers[-2:]).all()
    assert not calls


def test_a_column_with_learned_bins_is_read_once(monkeypatch):
    codebook = _stays()
    frame = pd.DataFrame({"seen": ["2020-01-02T10:00:00", "2020-01-03T10:00:00", None]})
    calls = _counting(monkeypatch, encoding, "read_numbers")
    table = encode_table(frame, codebook)
    assert table.codes.shape == (3, 1)
    assert table.fine[0].positions.tolist()[-1] == codebook.domain.attributes[0].grid.size
    assert len(calls) == 1
