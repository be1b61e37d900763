"""Parts of a date: what they refuse, and that the rows' dates and their parts never part."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import DomainError
from hmpb_core.facade import HMPrivBayes
from hmpb_core.moments import read_values
from hmpb_core.rules import reading
from hmpb_core.rules.consistency import assign, broken, decided
from hmpb_core.rules.parts import PARTS, part_of
from hmpb_core.rules.reading import View
from hmpb_core.rules.suggested import suggested_rules

WHOLE = {"type": "integer", "bins": "learned"}
FIELDS = {
    "came": {
        "type": "date",
        "format": "%d.%m.%Y",
        "constraints": {"minimum": "30.12.2018", "maximum": "02.03.2021"},
    },
    "seen": {
        "type": "datetime",
        "constraints": {"minimum": "2020-01-01T00:00:00", "maximum": "2020-12-31T23:59:59", "required": True},
    },
    "billed": {
        "type": "yearmonth",
        "constraints": {"minimum": "2019-11", "maximum": "2020-02", "required": True},
    },
    "year": {**WHOLE, "constraints": {"minimum": 2018, "maximum": 2025}},
    "month": {"type": "integer", "categories": list(range(1, 13)), "constraints": {"required": True}},
    "day": {**WHOLE, "constraints": {"minimum": 1, "maximum": 31, "required": True}},
    "weekday": {"type": "string", "categories": ["01", "02", "03", "04", "05", "06", "07"]},
    "hour": {**WHOLE, "constraints": {"minimum": 0, "maximum": 23, "required": True}},
}
RULES = {
    "year": ("came", "year"),
    "month": ("billed", "month"),
    "day": ("seen", "day"),
    "weekday": ("came", "weekday"),
    "hour": ("seen", "hour"),
}


def book(fields=None, rules=RULES):
    entries = [{"name": name, **entry} for name, entry in {**FIELDS, **(fields or {})}.items()]
    written = [{"kind": "partOf", "column": c, "of": of, "part": part} for c, (of, part) in rules.items()]
    return Codebook.from_dict({"fields": entries, "rules": written})


def table(n=800):
    rng = np.random.default_rng(4)
    came = np.datetime64("2018-12-30") + rng.integers(0, 790, n)
    seen = np.datetime64("2020-01-01T00:00:00") + rng.integers(0, 366 * 86_400, n)
    billed = np.datetime64("2019-11") + rng.integers(0, 4, n)
    frame = pd.DataFrame(
        {
            "came": pd.Series(came).dt.strftime("%d.%m.%Y"),
            "seen": pd.Series(seen).dt.strftime("%Y-%m-%dT%H:%M:%S"),
        }
    )
    frame["billed"] = billed.astype(str)
    frame["year"], frame["month"] = pd.Series(came).dt.year, pd.Series(billed).dt.month
    frame["day"], frame["weekday"] = (
        pd.Series(seen).dt.day,
        "0" + (pd.Series(came).dt.day_of_week + 1).astype(str),
    )
    frame["hour"] = pd.Series(seen).dt.hour
    missing = rng.random(n) < 0.1
    frame.loc[missing, ["came", "year", "weekday"]] = None
    return frame


@pytest.mark.parametrize("moment", ["1969-12-31T23:59:59", "1996-08-27T18:00:00", "2000-02-29T00:00:00"])
def test_a_part_is_what_the_calendar_says(moment):
    when = dt.datetime.fromisoformat(moment)
    days = np.array([(when - dt.datetime.fromisoformat("1970-01-01")).total_seconds() / 86_400, np.nan])
    due = {
        "year": when.year,
        "month": when.month,
        "day": when.day,
        "weekday": when.isoweekday(),
        "hour": when.hour,
        "date": (when.date() - dt.date(1970, 1, 1)).days,
    }
    for part in PARTS:
        found = part_of(days, part)
        assert found[0] == due[part]
        assert np.isnan(found[1])


def test_rows_keep_their_parts_and_those_of_a_table_that_break_them_are_counted():
    codebook, frame = book(), table()
    assert codebook.rules.broken_rows(frame) == (0, 0, 0, 0, 0)
    wrong = frame.assign(hour=(frame["hour"] + 1) % 24, weekday="03")
    counts = codebook.rules.broken_rows(wrong)
    assert counts[4] == len(frame)
    assert 0 < counts[3] < len(frame)
    made = HMPrivBayes(epsilon=2.0, seed=3).fit(frame, codebook).sample(3000)
    assert codebook.rules.broken_rows(made) == (0, 0, 0, 0, 0)
    assert made["hour"].nunique() > 20
    assert (made["came"].isna() == made["year"].isna()).all()
    assert (made["came"].isna() == made["weekday"].isna()).all()
    assert set(made["weekday"].dropna()) == {f"0{day}" for day in range(1, 8)}
    assert Codebook.from_dict(codebook.to_dict()).rules == codebook.rules


@pytest.mark.parametrize(("bins", "told"), [(16, set(RULES)), ("learned", {"year", "month"})])
def test_a_part_that_its_dates_codes_tell_is_no_part_of_a_measured_pair(bins, told):
    codebook = book({name: {**FIELDS[name], "bins": bins} for name in ("came", "seen", "billed")})
    attributes = {attribute.name: attribute for attribute in codebook.domain.attributes}
    assert {rule.column for rule in decided(codebook.rules.items, attributes)} == told


def test_parts_in_words_are_those_that_a_number_is_another_spelling_of():
    names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    listed = [{"value": name, "spellings": [f"{day}"]} for day, name in enumerate(names, 1)]
    fields = [
        {"name": "came", **FIELDS["came"]},
        {"name": "on", "type": "string", "categories": listed},
    ]
    schema = {"fields": fields, "rules": []}
    (suggested,) = suggested_rules({"fields": [fields[0], {**fields[1], "name": "DayOfWeek"}]})
    assert suggested == {"kind": "partOf", "column": "DayOfWeek", "of": "came", "part": "weekday"}
    schema["rules"] = [{**suggested, "column": "on"}]
    codebook, frame = Codebook.from_dict(schema), table()[["came"]]
    days = pd.to_datetime(frame["came"], format="%d.%m.%Y")
    frame["on"] = days.dt.day_name().str[:3]
    assert codebook.rules.broken_rows(frame) == (0,)
    assert codebook.rules.broken_rows(frame.assign(on="Mon"))[0] > 0.8 * days.notna().sum()
    made = HMPrivBayes(epsilon=2.0, seed=3).fit(frame, codebook).sample(500)
    drawn = pd.to_datetime(made["came"], format="%d.%m.%Y").dt.day_name().str[:3]
    assert (drawn.fillna("") == made["on"].fillna("")).all()
    assert made["on"].nunique() == 7


@pytest.mark.parametrize(("form", "bins"), [("default", 16), ("%d.%m.%Y", "learned")])
def test_a_date_beside_its_moment_is_its_day_in_every_row(form, bins):
    day = {
        "type": "date",
        "format": form,
        "constraints": {"minimum": "2019-12-31", "maximum": "2020-12-31"},
        "bins": bins,
    }
    if form != "default":
        day["constraints"] = {"minimum": "31.12.2019", "maximum": "31.12.2020"}
    fields = {"seen": {**FIELDS["seen"], "bins": bins}, "on": day}
    codebook = book(fields, {"on": ("seen", "date")})
    frame = table().assign(
        on=lambda rows: pd.to_datetime(rows["seen"]).dt.strftime("%Y-%m-%d" if form == "default" else form)
    )
    assert codebook.rules.broken_rows(frame) == (0,)
    assert codebook.rules.broken_rows(frame.assign(on=frame["on"][::-1].to_numpy()))[0] > 700
    attributes = {attribute.name: attribute for attribute in codebook.domain.attributes}
    assert decided(codebook.rules.items, attributes) == codebook.rules.items
    made = HMPrivBayes(epsilon=2.0, seed=3).fit(frame, codebook).sample(500)
    assert codebook.rules.broken_rows(made) == (0,)
    shown = pd.to_datetime(made["on"], format="%Y-%m-%d" if form == "default" else form)
    assert shown.equals(pd.to_datetime(made["seen"]).dt.normalize().rename("on"))
    assert Codebook.from_dict(codebook.to_dict()).rules == codebook.rules


def test_a_date_that_is_missing_leaves_a_part_that_may_not_be_as_it_is():
    codebook = book({"hour": FIELDS["hour"], "day": FIELDS["day"]}, {"day": ("came", "day")})
    attributes = {attribute.name: attribute for attribute in codebook.domain.attributes}
    (rule,) = codebook.rules.items
    frame = pd.DataFrame(
        {"came": pd.Series(["31.01.2020", None], dtype="str"), "day": pd.Series([4, 5], dtype="Int64")}
    )
    assert rule.assigned(View(frame, attributes)).tolist() == [31, 5]
    assert rule.broken(View(frame, attributes)).tolist() == [True, False]


def test_the_rules_of_a_table_read_each_moment_once_and_typed_numbers_as_they_are(monkeypatch):
    rules = {"day": ("seen", "day"), "hour": ("seen", "hour"), "year": ("seen", "year")}
    codebook = book({name: FIELDS[name] for name in rules}, rules)
    attributes = {attribute.name: attribute for attribute in codebook.domain.attributes}
    frame = table()[["seen", *rules]].astype(dict.fromkeys(rules, "Int64"))
    read = []
    monkeypatch.setattr(
        reading, "read_values", lambda texts, *how: read.extend(texts.to_pylist()) or read_values(texts, *how)
    )
    monkeypatch.setattr(reading, "meanings", lambda values, *_: [read.append(v) or v for v in values])
    assert not broken(assign(frame, codebook.rules.items, attributes), codebook.rules.items).any()
    assert read == frame["seen"].tolist()


@pytest.mark.parametrize(
    ("fields", "rule", "said"),
    [
        ({}, {"day": ("billed", "day")}, "is no date that has one"),
        ({}, {"came": ("billed", "date")}, "is no date that has one"),
        ({}, {"day": ("seen", "date")}, "is no date by days"),
        (
            {"came": {"type": "date", "constraints": {"minimum": "2020-01-02", "maximum": "2020-12-31"}}},
            {"came": ("seen", "date")},
            "cannot hold 2020-01-01",
        ),
        ({}, {"hour": ("came", "hour")}, "is no date that has one"),
        ({}, {"day": ("hour", "day")}, "is no date that has one"),
        ({}, {"month": ("came", "year")}, "cannot hold 2018"),
        ({"year": {**WHOLE, "constraints": {"minimum": 2019, "maximum": 2025}}}, RULES, "cannot hold 2018"),
        ({"month": {"type": "integer", "categories": [1, 2, 11]}}, RULES, "cannot hold 12"),
        (
            {"day": {"type": "number", "decimals": 1, "constraints": {"minimum": 0, "maximum": 40}}},
            RULES,
            "cannot hold 1;",
        ),
        (
            {"day": {**WHOLE, "multipleOf": 5, "constraints": {"minimum": 0, "maximum": 40}}},
            RULES,
            "cannot hold 1;",
        ),
    ],
)
def test_what_is_no_part_of_its_date_is_refused(fields, rule, said):
    with pytest.raises(DomainError, match=said):
        book(fields, rule)


def test_a_list_of_the_months_that_occur_is_enough():
    assert book({"month": {"type": "integer", "categories": [1, 2, 11, 12]}}).rules.items[1].part == "month"


def test_a_part_that_nobody_knows_is_refused():
    with pytest.raises(DomainError, match="cannot be read"):
        book(rules={"day": ("came", "decade")})


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ({"date": "date", "year": "integer", "Month": "integer", "hour": "integer"}, ["year", "Month"]),
        ({"date": "date", "date_of_month": "integer", "date_year": "year"}, ["date_of_month", "date_year"]),
        ({"at": "datetime", "hour": "integer", "wday": "year"}, ["hour", "wday"]),
        ({"date": "date", "year": "string", "day": "number"}, []),
        ({"came": "date", "left": "date", "year": "integer", "left_year": "integer"}, ["left_year"]),
        ({"admitted": "yearmonth", "year": "integer"}, []),
    ],
)
def test_parts_are_suggested_by_their_names_where_it_is_plain_of_which_date(names, found):
    fields = [{"name": name, "type": kind} for name, kind in names.items()]
    suggested = suggested_rules({"fields": fields})
    assert [rule["column"] for rule in suggested if rule["kind"] == "partOf"] == found
    fields.append({"name": "month", "categories": ["Jan", "Feb"]})
    again = suggested_rules({"fields": fields, "rules": suggested})
    assert not [rule for rule in again if rule["kind"] == "partOf"]


def test_what_counts_from_a_year_counts_from_that_of_the_date():
    rng = np.random.default_rng(2)
    dates = pd.Series(np.datetime64("1960-01-01") + rng.integers(0, 60 * 365, 1500))
    seasons = dates.dt.year + (dates.dt.month > 9)
    frame = pd.DataFrame({"day": dates.dt.strftime("%Y-%m-%d"), "year": dates.dt.year, "season": seasons})
    limits = {"minimum": 1960, "maximum": 2025}
    codebook = {
        "fields": [
            {
                "name": "day",
                "type": "date",
                "constraints": {"minimum": "1960-01-01", "maximum": "2025-12-31"},
            },
            {"name": "year", "type": "integer", "constraints": limits},
            {"name": "season", "type": "integer", "constraints": limits},
        ],
        "rules": [
            {"kind": "partOf", "column": "year", "of": "day", "part": "year"},
            {"kind": "ascending", "columns": ["year", "season"]},
        ],
    }
    made = HMPrivBayes(epsilon=3.0, seed=1).fit(frame, codebook).sample(1500)
    assert (made["year"] == pd.to_datetime(made["day"]).dt.year).all()
    later = made["season"] - made["year"]
    assert later.min() >= 0
    assert later.mean() < 1.5  # .25 in the table; seasons of another year than the date's were years away
    assert abs(made["season"].mean() - seasons.mean()) < 4
