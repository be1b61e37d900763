"""Parts of dates that every row keeps: which are found, and where nothing is told."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.kept.rules import kept_rules

RNG = np.random.default_rng(7)
N = 400
DATES = pd.Series(np.datetime64("2016-01-01") + RNG.integers(0, 6 * 365, N))
MOMENTS = pd.Series(DATES + pd.to_timedelta(RNG.integers(0, 1440, N), unit="min"))
WORDS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
TABLE = pd.DataFrame(
    {
        "FECHA": DATES.dt.strftime("%d.%m.%Y"),
        "AAAA": DATES.dt.year,
        "MM": DATES.dt.month,
        "DD": DATES.dt.day,
        "on": [WORDS[day] for day in DATES.dt.day_of_week],
        "seen": MOMENTS.dt.strftime("%Y-%m-%d %H:%M:%S"),
        "of": MOMENTS.dt.strftime("%Y-%m-%d"),
        "HH": MOMENTS.dt.hour,
        "other": RNG.integers(1, 13, N),
    }
)
LIMITS = {"minimum": "01.01.2016", "maximum": "31.12.2022"}
MOMENT_LIMITS = {"minimum": "2016-01-01 00:00:00", "maximum": "2022-12-31 23:59:59"}
FIELDS = {
    "FECHA": {"type": "date", "format": "%d.%m.%Y", "constraints": LIMITS},
    "AAAA": {"type": "integer", "categories": list(range(2016, 2023))},
    "MM": {"type": "integer", "constraints": {"minimum": 1, "maximum": 12}},
    "DD": {"type": "integer", "constraints": {"minimum": 1, "maximum": 31}},
    "on": {"categories": [{"value": word, "spellings": [str(day)]} for day, word in enumerate(WORDS, 1)]},
    "seen": {"type": "datetime", "format": "%Y-%m-%d %H:%M:%S", "constraints": MOMENT_LIMITS},
    "of": {"type": "date", "constraints": {"minimum": "2016-01-01", "maximum": "2022-12-31"}},
    "HH": {"type": "integer", "constraints": {"minimum": 0, "maximum": 23}},
    "other": {"type": "integer", "constraints": {"minimum": 1, "maximum": 12}},
}


def found(frame=TABLE, **changed):
    fields = [{"name": name, **(changed.get(name) or FIELDS[name])} for name in frame]
    kept = kept_rules(frame, Codebook.from_dict({"fields": fields})).value
    return {(rule["column"], rule["of"], rule["part"]) for rule in kept if rule["kind"] == "partOf"}


def test_every_part_of_a_date_and_of_a_moment_is_found_whatever_the_columns_are_called():
    calendar = TABLE[["FECHA", "AAAA", "MM", "DD", "on", "other"]]
    parts = {"AAAA": "year", "MM": "month", "DD": "day", "on": "weekday"}
    assert found(calendar) == {(name, "FECHA", part) for name, part in parts.items()}
    assert found(TABLE[["seen", "HH"]]) == {("HH", "seen", "hour")}
    assert found(TABLE[["seen", "of"]]) == {("of", "seen", "date")}


@pytest.mark.parametrize("name", ["AAAA", "DD", "on"])
def test_one_row_of_another_day_is_enough(name):
    calendar = TABLE[["FECHA", "AAAA", "MM", "DD", "on"]].astype(object)
    values = calendar[name]
    calendar.loc[N - 1, name] = next(value for value in values if value != values[N - 1])
    assert {column for column, _, _ in found(calendar)} == {"AAAA", "MM", "DD", "on"} - {name}


def test_missing_values_break_nothing_and_few_rows_tell_nothing():
    calendar = TABLE[["FECHA", "MM"]].astype(object)
    calendar.loc[::7, "MM"] = None
    calendar.loc[::11, "FECHA"] = None
    assert found(calendar) == {("MM", "FECHA", "month")}
    assert found(calendar.head(20)) == set()
    assert found(calendar.assign(FECHA="01.02.2020", MM=2)) == set(), "one month is every rule's"


def test_rows_without_a_date_do_not_tell_that_a_column_is_its_part():
    calendar = TABLE[["FECHA", "MM"]].astype(object)
    calendar.loc[: N // 2, ["FECHA", "MM"]] = "01.02.2020", 2
    assert found(calendar) == {("MM", "FECHA", "month")}
    calendar.loc[N // 2 + 1 :, "FECHA"] = None
    assert found(calendar) == set()


def test_a_list_that_cannot_hold_every_year_of_the_date_is_told_as_nothing():
    short = {**FIELDS["AAAA"], "categories": list(range(2016, 2022))}
    assert found(TABLE[["FECHA", "AAAA"]], AAAA=short) == set()
