"""Dates in a survey: however a file writes them, they are counted by their way, and leave as they came."""

import re

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.dates import DAY, read_value, write_value
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.survey.cells import DATED_CELLS, N_KINDS, OTHER_CELL, Kind, cell_of, count
from hmpb_core.survey.dates import DATE_KINDS, DATE_WAYS, Dated
from hmpb_core.survey.fields import field_of
from hmpb_core.survey.findings import Look
from hmpb_core.survey.looks import look_at
from hmpb_core.survey.noisy import Noisy
from hmpb_core.survey.scales import FARTHEST, this_year
from hmpb_core.survey.sketches import sketch_of
from tests.thorough import sample

ONE_STAGE = Shares.from_weights(one_way_tables=1, similarity=0, structure=0, conditional_tables=0)

ROWS = 500
RNG = np.random.default_rng(5)
DAYS = RNG.integers(7305, 18262, ROWS)  # 1990 to 2019
VALUES = {
    "date": DAYS,
    "datetime": DAYS * DAY + RNG.integers(DAY, size=ROWS),
    "yearmonth": 1990 * 12 + RNG.integers(360, size=ROWS),
    "time": RNG.integers(DAY, size=ROWS),
}


def surveyed(texts, *, sd=0.5):
    """The field that a survey makes of a column, with next to no noise."""
    counted = count(pd.Series(texts), frozenset(), with_texts=True)
    sketch = sketch_of(Noisy(counts=counted.kinds.astype(float), sd=sd))
    if sketch is not None and sketch.dated is not None and sketch.dated.as_numbers:
        counted = counted.as_dates()
    cells = Noisy(counts=counted.cells.astype(float), sd=sd)
    return field_of({"name": "when"}, Look(sketch=sketch, cells=cells, texts={}))


def forms():
    for way in DATE_WAYS:
        unpadded = way.format
        for letter in "dmHI":
            unpadded = unpadded.replace(f"%{letter}", f"%-{letter}")
        short = any(kind.short and way in kind.ways for kind in DATE_KINDS)
        yield from ((way, form) for form in {way.format: 0, **({unpadded: 0} if short else {})})


@pytest.mark.parametrize(("way", "form"), sample(forms(), 4), ids=lambda part: getattr(part, "kind", part))
def test_dates_leave_as_they_came_however_they_are_written(way, form):
    values = VALUES[way.kind] // (way.step or 1) * (way.step or 1)
    texts = [write_value(value, way.kind, form) for value in values.tolist()]
    field = surveyed(texts)
    attribute = Codebook.from_dict({"fields": [field]}).domain.attributes[0]
    assert attribute.kind == way.kind
    read = [read_value(text, attribute.kind, attribute.format) for text in texts]
    assert [attribute.text(value) for value in read] == texts
    assert attribute.minimum <= min(read)
    assert attribute.maximum >= max(read)
    assert field.get("multipleOf", 1) == (way.step or 1)


def test_moments_of_google_forms_leave_without_the_word_of_their_zone():
    form = "%Y/%m/%d %I:%M:%S %p"
    values = VALUES["datetime"].tolist()
    bare = [write_value(value, "datetime", form) for value in values]
    texts = [f"{text} {'MDT' if place % 3 else 'GMT-6'}" for place, text in enumerate(bare)]
    field = surveyed(texts)
    assert (field["type"], field["format"]) == ("datetime", form + " %Z")
    attribute = Codebook.from_dict({"fields": [field]}).domain.attributes[0]
    assert [attribute.text(read_value(text, attribute.kind, attribute.format)) for text in texts] == bare


@pytest.mark.parametrize("form", ["%Y-%m-%d %H:%M:%S", "%-m/%-d/%Y %-H:%M", "%m/%d/%Y %I:%M:%S %p"])
def test_moments_at_midnight_are_days_and_get_no_time_of_day(form):
    texts = [write_value(day * DAY, "datetime", form) for day in DAYS.tolist()]
    assert surveyed(texts)["multipleOf"] == DAY
    some = [*texts, *(write_value(day * DAY + 3600, "datetime", form) for day in DAYS[:300].tolist())]
    assert surveyed(some).get("multipleOf", 1) < DAY


@pytest.mark.parametrize(
    "form", ["", "%H:%M:%S", "%I:%M:%S %p", "%Y-%m-%d %H:%M:%S", "%-m/%-d/%Y %I:%M:%S %p"]
)
def test_whole_minutes_written_with_seconds_get_none_and_one_second_in_ten_is_enough_to_get_them(form):
    kind = "datetime" if "%Y" in form else "time"
    minutes = VALUES[kind] // 60 * 60
    texts = [write_value(value, kind, form) for value in minutes.tolist()]
    assert surveyed(texts)["multipleOf"] == 60
    some = np.where(RNG.random(ROWS) < 0.9, minutes, VALUES[kind]).tolist()
    assert "multipleOf" not in surveyed([write_value(value, kind, form) for value in some])


def test_each_row_lies_in_one_kind_of_time_alone():
    texts = ["14:00:00", "14:00:07", "14:00", "2:00:00 PM", "29:00:00", "2014-03-01 00:00:00", "14:00:00.0"]
    assert count(pd.Series(texts), frozenset(), with_texts=True).kinds.sum() == len(texts)
    assert len({cell_of(text)[0] for text in texts[:4]}) == 4


def test_a_file_writes_all_its_dates_alike():
    """Most of these days may be months as well; the others say which it is."""
    texts = [f"{day:02d}/{month:02d}/2020" for day in range(1, 15) for month in range(1, 13)] * 20
    assert surveyed(texts)["format"] == "%d/%m/%Y"
    assert surveyed([f"{text[3:5]}/{text[:2]}/2020" for text in texts])["format"] == "%m/%d/%Y"


def test_nothing_is_said_of_dates_that_never_tell_the_day_from_the_month():
    assert surveyed(["03/04/2020", "05/06/2021"] * 500) is None


def test_several_ways_of_iso_8601_are_read_as_one_where_one_reads_them_all():
    mixed = ["2020-01-05T10:00:00", "2020-01-05 10:00", "2020-01-05 10:00:07"] * 400
    field = surveyed(mixed)
    assert (field["type"], field.get("format", "")) == ("datetime", "")


@pytest.mark.parametrize(
    ("beyond", "bounds"),
    [
        (0, ("1990-01-01", "2009-12-31")),
        (10, ("1990-01-01", "2009-12-31")),  # .5 % of 2,010 rows
        (104, ("1986-01-01", "2013-12-31")),  # 5 % of 2,104: a fifth of twenty years at both ends
        (2000, ("1980-01-01", "2019-12-31")),  # half of the years at most
    ],
)
def test_bounds_of_dates_are_widened_by_what_noise_hides_beyond_them(beyond, bounds):
    found = [f"{1990 + i % 20}-0{1 + i % 9}-11" for i in range(2000)]
    hidden = [f"20{10 + i % 90}-0{1 + i % 9}-12" for i in range(beyond)]
    counted = count(pd.Series([*found, *hidden]), frozenset(), with_texts=True)
    sketch = sketch_of(Noisy(counts=counted.kinds.astype(float), sd=0.5))
    cells = np.zeros(len(counted.cells))
    cells[DATED_CELLS] = counted.cells[DATED_CELLS]
    cells[DATED_CELLS[2010 - 1600 :]] = 0.0  # years whose few rows no window shows
    found = field_of({"name": "when"}, Look(sketch=sketch, cells=Noisy(counts=cells, sd=0.5), texts={}))
    assert (found["constraints"]["minimum"], found["constraints"]["maximum"]) == bounds


def test_dates_with_years_of_two_digits_get_bounds_that_these_can_write():
    way = next(way for way in DATE_WAYS if way.format == "%m/%d/%y")
    field = Dated(way=way, rows=1.0).field(1950, 2099)
    assert field["constraints"] == {"minimum": "01/01/69", "maximum": "12/31/68"}
    Codebook.from_dict({"fields": [{"name": "when", **field}]})


def test_times_of_day_have_the_bounds_of_a_day():
    clock = Codebook.from_dict({"fields": [surveyed(["08:30", "17:05"] * 500)]}).domain.attributes[0]
    assert (clock.text(clock.minimum), clock.text(clock.maximum), clock.grid.size) == ("00:00", "23:59", 1440)
    half = Codebook.from_dict({"fields": [surveyed(["8:30 AM", "5:05 PM"] * 500)]}).domain.attributes[0]
    assert (half.text(half.minimum), half.text(half.maximum)) == ("12:00 AM", "11:59 PM")


@pytest.mark.parametrize(
    ("text", "ways", "year"),
    [
        ("27.08.1996", ["%d.%m.%Y"], 96),
        ("27/08/1996", ["%d/%m/%Y"], 96),
        ("08/27/1996", ["%m/%d/%Y"], 96),
        ("08/07/1996", ["%d/%m/%Y", "%m/%d/%Y"], 96),
        ("1996-08-27 14:30", ["%Y-%m-%d %H:%M"], 96),
        ("1996-08-27T14:30", ["%Y-%m-%dT%H:%M"], 96),
        ("Aug-1996", ["%b-%Y"], 96),
        ("1996-08-27 14:30:05.5", ["%Y-%m-%d %H:%M:%S.0"], 96),
        ("1996-08-27T14:30:05.123+02:00", ["%Y-%m-%dT%H:%M:%S.000+00:00"], 96),
        ("Tue Aug 27 14:30:05 GMT 1996", ["%a %b %d %H:%M:%S GMT %Y"], 96),
        ("1850-08-27", [""], -50),
        ("1066-10-14", [""], -300),
    ],
)
def test_a_date_lies_in_the_cell_of_its_year_and_dates_beyond_five_centuries_in_the_nearest(text, ways, year):
    kind, cell = cell_of(text)
    assert [way.format for way in DATE_KINDS[kind - Kind.DATE].ways] == ways
    assert cell == DATED_CELLS[300 + year]


def test_times_of_day_have_no_year():
    kind, cell = cell_of("14:30:05")
    assert DATE_KINDS[kind - Kind.DATE].ways[0].kind == "time"
    assert cell == OTHER_CELL


def seen_of(values, seed=1):
    """The field that a survey of some loss makes of a column."""
    counted = {"when": count(pd.Series(values).astype(str), frozenset({""}), with_texts=True)}
    budget = Budget(guarantee=Guarantee(epsilon=1.0), shares=ONE_STAGE)
    account = Accountant(budget, protection="seeded", seed=seed, delta=1e-10)
    return field_of({"name": "when"}, look_at(counted, account, delta=1e-10)["when"])


@pytest.mark.parametrize(
    ("years", "century", "bounds"),
    [
        (range(1936, 2004), True, (1936, 2003)),  # 36 may be of either century, 51 not
        (range(1951, 1993), True, (1951, 1992)),
        (range(2001, 2031), False, (2001, 2030)),  # appointments to come
        (range(1971, 2024), False, (1971, 2023)),
    ],
)
def test_years_of_two_digits_that_would_lie_beyond_2049_are_those_of_the_hundred_years_up_to_now(
    years, century, bounds
):
    found = seen_of(
        [f"{1 + i % 12:02d}/{1 + i % 28:02d}/{years[i % len(years)] % 100:02d}" for i in range(6000)]
    )
    assert found["format"] == (f"%m/%d/%y{{{this_year() - 99}}}" if century else "%m/%d/%y")
    attribute = Codebook.from_dict({"fields": [found]}).domain.attributes[0]
    ends = [1970 + days / 365.25 for days in (attribute.minimum, attribute.maximum)]
    assert ends == pytest.approx([bounds[0], bounds[1] + 1], abs=10)  # noise may widen them by some years


BIRTHS = [f"19{50 + i % 40}{1 + i % 12:02d}{1 + i % 28:02d}" for i in range(4000)]


@pytest.mark.parametrize(
    ("values", "form", "bounds"),
    [
        (BIRTHS, "%Y%m%d", ("19500101", "19891231")),
        ([day[:6] for day in BIRTHS], "%Y%m", ("195001", "198912")),
        ([day[6:] + day[4:6] + day[:4] for day in BIRTHS], "%d%m%Y", ("01011950", "31121989")),
        ([day[4:] + day[:4] for day in BIRTHS], "%m%d%Y", ("01011950", "12311989")),
        (["0"] * 800 + ["19860000"] * 80 + BIRTHS[880:], "%Y%m%d", ("19500101", "19891231")),
    ],
)
def test_dates_written_as_numbers_are_dates_where_nearly_all_numbers_are(values, form, bounds):
    found = seen_of(values)
    assert found["format"] == form
    ends = [found["constraints"][bound] for bound in ("minimum", "maximum")]
    for end, bound in zip(ends, bounds, strict=True):  # noise may widen them by some years
        year, own = (int(re.search("19..", text)[0]) for text in (bound, end))
        assert end == bound.replace(str(year), str(own))
        assert abs(own - year) <= 10


def test_a_few_lengths_of_noise_make_no_lengths_of_dates():
    counts = np.zeros(N_KINDS)
    counts[cell_of("19860412")[0]], counts[cell_of("2h 30min")[0]] = 3000, 120
    sketch = sketch_of(Noisy(counts=counts, sd=20.0))
    assert sketch.dated.way.format == "%Y%m%d"
    assert sketch.lasting is None


def test_numbers_of_which_some_can_be_read_as_dates_stay_numbers_of_their_size():
    found = seen_of(19_000_000 + np.arange(4000) * 500 + 101)  # every thirtieth is a date
    assert found["type"] == "integer"
    assert found["constraints"]["minimum"] in (0, 1, 2**24)  # with smaller ones where noise shows some
    assert found["constraints"]["maximum"] in [2 ** (25 + more) - 1 for more in range(FARTHEST + 1)]
    amounts = count(pd.Series(["19860412", "19860499", "7"]), frozenset(), with_texts=True)
    assert cell_of("19860412")[1] == cell_of("19860499")[1]
    assert amounts.as_dates().cells.sum() == amounts.cells.sum() == 3
    assert amounts.as_dates().cells[DATED_CELLS[386]] == 1


def test_times_of_day_of_which_few_hours_have_one_digit_leave_without_a_zero_before_them():
    hours = RNG.choice([8, 9, 10, 11, 15, 18], ROWS, p=[0.05, 0.07, 0.22, 0.22, 0.22, 0.22])
    minutes = 60 * hours + RNG.integers(60, size=ROWS)
    texts = [write_value(60 * minute, "time", "%-H:%M:%S") for minute in minutes.tolist()]
    assert surveyed(texts)["format"] == "%-H:%M:%S"
