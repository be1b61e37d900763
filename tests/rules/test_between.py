"""Times between two dates: what they refuse, and that rows' dates and times never part."""

import datetime as dt
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import DomainError
from hmpb_core.facade import HMPrivBayes
from hmpb_core.kept.rules import kept_rules
from hmpb_core.rules.between import ROUNDINGS, UNITS, time_between, turns_between
from hmpb_core.rules.reading import View
from hmpb_core.rules.since import with_times_since
from hmpb_core.rules.suggested import suggested_rules
from tests.thorough import sample

STAMPS = {"minimum": "2019-01-01 00:00:00", "maximum": "2019-12-31 23:59:59"}
MOMENT = {"type": "datetime", "format": "%Y-%m-%d %H:%M:%S", "constraints": STAMPS}
WHOLE = {"type": "integer", "bins": "learned"}
FIELDS = {
    "began": MOMENT,
    "ended": MOMENT,
    "seconds": {**WHOLE, "constraints": {"minimum": 30, "maximum": 90_000}},
    "minutes": {**WHOLE, "constraints": {"minimum": 0, "maximum": 1500}},
    "length": {
        "type": "duration",
        "format": "clock",
        "constraints": {"minimum": "0:00:30", "maximum": "25:00:00"},
    },
    "born": {"type": "date", "constraints": {"minimum": "1930-01-01", "maximum": "2001-12-31"}},
    "age": {**WHOLE, "constraints": {"minimum": 0, "maximum": 120}},
    "hours": {
        "type": "number",
        "decimals": 2,
        "constraints": {"minimum": 0, "maximum": 30},
        "bins": "learned",
    },
}


def rule(column, unit, start="began", end="ended", **more):
    return {"kind": "timeBetween", "column": column, "from": start, "to": end, "unit": unit, **more}


AGE = rule("age", "years", "born", "began")


def book(*rules, fields=None, names=FIELDS):
    entries = {name: {**FIELDS[name], **(fields or {}).get(name, {})} for name in names}
    return Codebook.from_dict(
        {"fields": [{"name": n, **entry} for n, entry in entries.items()], "rules": list(rules)}
    )


def table(n=2000):
    rng = np.random.default_rng(5)
    began = np.datetime64("2019-01-01T00:00:00") + rng.integers(0, 360 * 86_400, n)
    seconds = np.clip(rng.lognormal(6.5, 0.9, n), 30, 80_000).astype(int)
    stamps = [pd.Series(m).dt.strftime("%Y-%m-%d %H:%M:%S") for m in (began, began + seconds)]
    born = pd.Series(np.datetime64("1930-01-01") + rng.integers(0, 26_000, n))
    first = pd.Series(began)
    before = (first.dt.month * 100 + first.dt.day) < (born.dt.month * 100 + born.dt.day)
    clock = [f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}" for s in seconds]
    return pd.DataFrame(
        {
            "began": stamps[0],
            "ended": stamps[1],
            "seconds": seconds,
            "minutes": seconds // 60,
            "length": clock,
            "born": born.dt.strftime("%Y-%m-%d"),
            "age": first.dt.year - born.dt.year - before,
            "hours": np.round(seconds / 3600, 2),
        }
    )


@pytest.mark.parametrize(
    ("first", "second", "due"),
    [
        ("2019-01-31", "2019-03-01", {"days": 29, "weeks": 29 / 7, "months": 1, "years": 0}),
        ("2000-02-29", "2019-02-28", {"days": 6939, "weeks": 6939 / 7, "months": 227, "years": 18}),
        ("1969-12-31T23:59:30", "1970-01-01T00:01:00", {"seconds": 90, "minutes": 1.5, "months": 0}),
        ("2019-05-10T12:00:00", "2020-05-10T11:59:59", {"months": 11, "years": 0}),
        ("2019-05-10T12:00:00", "2020-05-10T12:00:00", {"months": 12, "years": 1}),
        ("2019-03-01", "2019-01-31", {"days": -29, "months": -2}),
    ],
)
def test_a_time_is_what_the_calendar_says(first, second, due):
    day = dt.timedelta(days=1)
    epoch = dt.datetime.fromisoformat("1970-01-01")
    ends = ((dt.datetime.fromisoformat(text) - epoch) / day for text in (first, second))
    start, end = (np.array([value, np.nan]) for value in ends)
    for unit, wanted in due.items():
        found = time_between(start, end, unit)
        assert found[0] == pytest.approx(wanted)
        assert np.isnan(found[1])
    assert set(due) <= set(UNITS)


@pytest.mark.parametrize(
    "rules",
    sample(
        [
            [rule("seconds", "seconds"), rule("minutes", "minutes"), AGE],
            [rule("minutes", "minutes"), rule("hours", "hours", rounded="nearest")],
            [rule("length", "seconds"), {"kind": "ascending", "columns": ["began", "ended"]}],
            [rule("hours", "hours", rounded="nearest"), AGE],
        ],
        2,
    ),
    ids=["seconds", "minutes", "durations", "rounded"],
)
def test_rows_keep_their_times_and_those_of_a_table_that_break_them_are_counted(rules):
    codebook, frame = book(*rules), table()
    assert codebook.rules.broken_rows(frame) == (0,) * len(rules)
    late = frame.assign(ended=frame["ended"].iloc[::-1].to_numpy())
    assert codebook.rules.broken_rows(late)[0] > 0.9 * len(frame)
    made = HMPrivBayes(epsilon=4.0, seed=3).fit(frame, codebook).sample(3000)
    assert codebook.rules.broken_rows(made) == (0,) * len(rules)
    real, drawn = (
        (pd.to_datetime(rows["ended"]) - pd.to_datetime(rows["began"])).dt.total_seconds()
        for rows in (frame, made)
    )
    assert drawn.min() >= 0
    assert drawn.median() == pytest.approx(real.median(), rel=0.15)
    assert drawn.mean() == pytest.approx(real.mean(), rel=0.25)
    assert Codebook.from_dict(codebook.to_dict()).rules == codebook.rules


def test_a_time_decides_the_second_date_where_it_tells_one_and_else_the_dates_the_time():
    def decided(*rules, fields=None):
        return [rule.target for rule in book(*rules, fields=fields).rules.items]

    seconds, minutes = rule("seconds", "seconds"), rule("minutes", "minutes")
    assert decided(seconds, minutes, AGE) == ["ended", "minutes", "age"]
    assert decided(minutes, seconds) == ["ended", "seconds"]
    day = {
        "type": "date",
        "format": "default",
        "constraints": {"minimum": "2019-01-01", "maximum": "2019-12-31"},
    }
    days = {"began": day, "ended": day}
    assert decided(rule("hours", "hours"), fields=days) == ["hours"]  # hours between days are multiples of 24
    short = {**days, "seconds": {"constraints": {"minimum": 0, "maximum": 45}}}
    assert decided(rule("seconds", "days"), fields=short) == ["ended"]
    long = {**days, "seconds": {"constraints": {"minimum": 0, "maximum": 46}}}
    assert decided(rule("seconds", "days"), fields=long) == ["seconds"]  # an eighth of the year and more
    back = {**days, "seconds": {"constraints": {"minimum": -1, "maximum": 46}}}
    assert decided(rule("seconds", "days"), fields=back) == [
        "ended"
    ]  # it cannot be modelled by the time else
    copied = {"kind": "equal", "column": "seconds", "to": "age"}
    assert decided(copied, rule("seconds", "days"), fields=days) == ["seconds", "seconds"]


@pytest.mark.parametrize("emptied", [True, False, None])
def test_what_is_decided_is_missing_where_one_of_the_others_is_unless_it_is_known_without_them(emptied):
    codebook = book(rule("minutes", "minutes"), names=["began", "ended", "minutes"])
    item = replace(codebook.rules.items[0], emptied=emptied)
    frame = pd.DataFrame(
        {
            "began": ["2019-01-01 10:00:00", None, "2019-01-01 10:00:00", "2019-12-31 23:00:00"],
            "ended": [
                "2019-05-05 05:05:05",
                "2019-01-01 10:00:00",
                "2019-01-01 10:00:00",
                "2019-12-31 00:00:07",
            ],
            "minutes": pd.array([7, 7, None, 70], dtype="Int64"),
        }
    ).astype({"began": "str", "ended": "str"})
    ended = item.assigned(View(frame, codebook.rules.attributes)).tolist()
    assert ended[0] == "2019-01-01 10:07:05"  # the seconds of the drawn one
    if emptied is None:
        assert ended[1:3] == ["2019-01-01 10:00:00", "2019-01-01 10:00:00"]
    else:
        assert pd.isna(ended[1])
        assert pd.isna(ended[2])
    assert ended[3] == "2019-12-31 00:00:07"  # that would be next year: the row is drawn again
    assert item.broken(View(frame, codebook.rules.attributes)).tolist() == [True, False, False, True]


def test_of_moments_with_parts_of_a_second_a_time_is_right_to_the_second():
    fields = {name: {"format": "%Y-%m-%d %H:%M:%S.000"} for name in ("began", "ended")}
    bounds = {key: f"{bound}.000" for key, bound in STAMPS.items()}
    fields = {name: {**entry, "constraints": bounds} for name, entry in fields.items()}
    codebook = book(rule("seconds", "seconds"), fields=fields, names=["began", "ended", "seconds"])
    frame = pd.DataFrame(
        {
            "began": ["2019-01-01 10:00:10.900", "2019-01-01 10:00:10.100", "2019-01-01 10:00:10.100"],
            "ended": ["2019-01-01 10:00:50.100", "2019-01-01 10:00:50.900", "2019-01-01 10:00:52.100"],
            "seconds": [39, 40, 40],
        }
    )
    assert codebook.rules.broken_rows(frame) == (1,)


def test_an_age_drawn_as_a_category_is_one_of_the_list():
    fields = {name: entry for name, entry in FIELDS.items() if name in ("began", "born")}
    fields["age"] = {"type": "integer", "categories": list(range(17, 91))}
    codebook = Codebook.from_dict({"fields": [{"name": n, **e} for n, e in fields.items()], "rules": [AGE]})
    frame = table()[list(fields)]
    assert codebook.rules.broken_rows(frame) == (0,)
    assert codebook.rules.broken_rows(frame.assign(age=frame["age"] - 1)) == (len(frame),)
    made = HMPrivBayes(epsilon=4.0, seed=3).fit(frame, codebook).sample(500)
    assert codebook.rules.broken_rows(made) == (0,)
    assert made["age"].between(17, 90).all()


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (rule("seconds", "seconds", end="began"), "which are not two other columns of dates"),
        (rule("seconds", "seconds", end="age"), "which are not two other columns of dates"),
        (rule("length", "hours"), "holds durations, which are counted in seconds"),
        (rule("born", "days"), "holds neither numbers nor durations"),
        (rule("seconds", "fortnights"), "of the kind 'timeBetween' cannot be read"),
        (rule("seconds", "days", rounded="up"), "of the kind 'timeBetween' cannot be read"),
        (rule("seconds", "years"), "can never hold with the declared values"),
    ],
)
def test_a_time_that_cannot_be_is_refused_in_a_sentence(entry, sentence):
    with pytest.raises(DomainError, match=sentence):
        book(entry)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2019-03-31T23:59:59", "2019-04-01T00:00:00"),
        ("2019-04-01T00:00:00", "2019-03-31T23:59:59"),
        ("2018-12-31T08:30:00", "2019-01-06T07:15:10"),
        ("1969-12-28T22:00:00", "1970-01-05T01:00:00"),  # Sunday to Monday
        ("2000-02-29T12:00:00", "2019-02-28T12:00:00"),
    ],
)
def test_turns_of_the_calendar_are_counted_as_the_calendar_has_them(first, second):
    one, other = (dt.datetime.fromisoformat(text) for text in (first, second))
    monday = one.date() - dt.timedelta(days=one.weekday()), other.date() - dt.timedelta(days=other.weekday())
    days = (other.date() - one.date()).days
    due = {
        "seconds": (other - one).total_seconds(),
        "minutes": days * 1440 + (other.hour - one.hour) * 60 + other.minute - one.minute,
        "hours": days * 24 + other.hour - one.hour,
        "days": days,
        "weeks": (monday[1] - monday[0]).days / 7,
        "months": (other.year - one.year) * 12 + other.month - one.month,
        "years": other.year - one.year,
    }
    epoch, day = dt.datetime.fromisoformat("1970-01-01"), dt.timedelta(days=1)
    start, end = (np.array([(moment - epoch) / day, np.nan]) for moment in (one, other))
    for unit, wanted in due.items():
        found = turns_between(start, end, unit)
        assert found[0] == wanted, unit
        assert np.isnan(found[1])
    assert set(due) == set(UNITS)


@pytest.mark.parametrize("rounded", ROUNDINGS)
@pytest.mark.parametrize("unit", ["seconds", "minutes", "hours", "days", "weeks"])
def test_a_second_date_that_has_its_time_stays_with_its_hour(unit, rounded):
    fields = {"minutes": {"constraints": {"minimum": 0, "maximum": 4_000_000}}}
    codebook = book(
        rule("minutes", unit, rounded=rounded), fields=fields, names=["began", "ended", "minutes"]
    )
    item = replace(codebook.rules.items[0], places_end=True)
    rng = np.random.default_rng(1)
    began = np.datetime64("2019-02-01T00:00:00") + rng.integers(0, 200 * 86_400, 300)
    ended = began + rng.integers(0, 40 * 86_400, 300)
    stamps = [pd.Series(m).dt.strftime("%Y-%m-%d %H:%M:%S").astype("str") for m in (began, ended)]
    days = [moments.astype(np.int64) / 86_400 for moments in (began, ended)]
    time = (turns_between if rounded in ("calendar", "inclusive") else time_between)(*days, unit)
    time = time + (rounded == "inclusive")
    counted = np.floor(time + 0.5) if rounded == "nearest" else np.floor(time + 1e-9)
    minutes = pd.array(counted.astype(int), dtype="Int64")
    view = View(
        pd.DataFrame({"began": stamps[0], "ended": stamps[1], "minutes": minutes}), codebook.rules.attributes
    )
    assert not item.broken(view).any()
    assert item.assigned(view).tolist() == stamps[1].tolist()


CLOCK = {"type": "time", "format": "%H:%M:%S", "constraints": {"minimum": "00:00:00", "maximum": "23:59:59"}}


def calls(n=2000):
    rng = np.random.default_rng(2)
    began = (79_200 + rng.integers(0, 14_400, n)) % 86_400  # from 22 to 2 o'clock
    seconds = np.clip(rng.lognormal(5.5, 0.8, n), 1, 3_000).astype(int)
    clock = [
        pd.Series(pd.to_datetime(s % 86_400, unit="s")).dt.strftime("%H:%M:%S")
        for s in (began, began + seconds)
    ]
    return pd.DataFrame({"began": clock[0], "ended": clock[1], "seconds": seconds})


def test_a_time_between_two_times_of_a_day_goes_on_past_midnight():
    clocks = {name: {"name": name, **CLOCK} for name in ("began", "ended")}
    seconds = {"name": "seconds", **WHOLE, "constraints": {"minimum": 0, "maximum": 4000}}
    draft = {"fields": [*clocks.values(), seconds]}
    frame = calls()
    assert (frame["ended"] < frame["began"]).mean() > 0.02
    found = kept_rules(frame, Codebook.from_dict(draft)).value
    assert found == (rule("seconds", "seconds"),)
    codebook = Codebook.from_dict({**draft, "rules": list(found)})
    assert codebook.rules.items[0].target == "ended"
    assert codebook.rules.broken_rows(frame) == (0,)
    assert codebook.rules.broken_rows(frame.assign(seconds=frame["seconds"] + 2)) == (len(frame),)
    made = HMPrivBayes(epsilon=4.0, seed=3).fit(frame, codebook).sample(2000)
    assert codebook.rules.broken_rows(made) == (0,)
    assert made["seconds"].median() == pytest.approx(frame["seconds"].median(), rel=0.15)
    late = [(rows["ended"].str[:2].isin(["22", "23", "00", "01", "02"])).mean() for rows in (frame, made)]
    assert late[1] == pytest.approx(late[0], abs=0.05)
    with pytest.raises(DomainError, match="or two of times of a day"):
        Codebook.from_dict(
            {"fields": [clocks["began"], {"name": "ended", **MOMENT}, seconds], "rules": list(found)}
        )


def test_nights_and_ages_with_decimals_are_found_and_kept():
    rng = np.random.default_rng(5)
    began = np.datetime64("2019-01-01T00:00:00") + rng.integers(0, 340 * 86_400, 2000)
    moments = [pd.Series(began), pd.Series(began + (rng.exponential(60_000, 2000) % 500_000).astype(int))]
    days = [pd.to_datetime(table()["born"]), *(moment.dt.normalize() for moment in moments)]
    frame = pd.DataFrame(
        {
            "began": moments[0].dt.strftime("%Y-%m-%d %H:%M:%S"),
            "ended": moments[1].dt.strftime("%Y-%m-%d %H:%M:%S"),
            "nights": (days[2] - days[1]).dt.days,
            "born": table()["born"],
            "seen": days[1].dt.strftime("%Y-%m-%d"),
            "age": ((days[1] - days[0]).dt.days / 365.25).round(2),
        }
    )
    numbers = {
        "nights": {**WHOLE, "constraints": {"minimum": 0, "maximum": 10}},
        "age": {**FIELDS["hours"], "constraints": {"minimum": 0, "maximum": 120}},
        "seen": {"type": "date", "constraints": {"minimum": "2019-01-01", "maximum": "2019-12-31"}},
    }
    draft = {"fields": [{"name": name, **{**FIELDS, **numbers}[name]} for name in frame]}
    due = [
        rule("nights", "days", rounded="calendar"),
        rule("age", "years", "born", "seen", rounded="nearest"),
    ]
    found = kept_rules(frame, Codebook.from_dict(draft)).value
    assert [one for one in found if one["kind"] == "timeBetween"] == due
    codebook = Codebook.from_dict({**draft, "rules": due})
    made = HMPrivBayes(epsilon=4.0, seed=3).fit(frame, codebook).sample(2000)
    assert codebook.rules.broken_rows(made) == (0, 0)
    assert (made["nights"] == 0).mean() == pytest.approx((frame["nights"] == 0).mean(), abs=0.05)
    assert made["age"].mean() == pytest.approx(frame["age"].mean(), rel=0.1)


def test_days_that_began_leave_open_which_of_two_moments_was_first_so_their_order_is_said_beside():
    rng = np.random.default_rng(9)
    began = pd.to_datetime("2019-03-01") + pd.to_timedelta(rng.integers(0, 8_000_000, 500), "s")
    ended = began + pd.to_timedelta(rng.integers(0, 400_000, 500), "s")
    nights = (ended.normalize() - began.normalize()).days
    frame = pd.DataFrame({"began": began.astype(str), "ended": ended.astype(str), "nights": nights})
    nights = {"name": "nights", **WHOLE, "constraints": {"minimum": 0, "maximum": 10}}
    fields = [{"name": name, **FIELDS[name]} for name in ("began", "ended")]
    book = Codebook.from_dict({"fields": [*fields, nights]})
    order = {"kind": "ascending", "columns": ["began", "ended"]}
    assert kept_rules(frame, book).value == (rule("nights", "days", rounded="calendar"), order)
    dates = frame.assign(**{name: frame[name].str[:10] for name in ("began", "ended")})
    year = {"minimum": "2019-01-01", "maximum": "2019-12-31"}
    fields = [{"name": name, "type": "date", "constraints": year} for name in ("began", "ended")]
    book = Codebook.from_dict({"fields": [*fields, nights]})
    kinds = [one["kind"] for one in kept_rules(dates, book).value]
    assert kinds == ["timeBetween"], "no day is before itself"


@pytest.mark.parametrize(
    ("kind", "unit", "rounded", "least", "counts"),
    [
        ("date", "days", "calendar", 0, True),
        ("date", "days", "inclusive", 1, True),
        ("date", "days", "inclusive", 0, False),
        ("date", "weeks", "calendar", 0, False),
        ("date", "weeks", "calendar", 1, True),
        ("datetime", "days", "calendar", 0, False),
        ("datetime", "days", "calendar", 1, True),
        ("datetime", "days", "inclusive", 1, False),
    ],
)
def test_the_second_date_counts_from_the_first_where_the_least_time_leaves_no_other_order(
    kind, unit, rounded, least, counts
):
    """The longest time is the whole range, so that it places no second date."""
    end = {"date": "2019-12-31", "datetime": "2019-12-31T23:59:59"}[kind]
    dated = {"type": kind, "constraints": {"minimum": end.replace("12-31", "01-01"), "maximum": end}}
    time = {"name": "days", **WHOLE, "constraints": {"minimum": least, "maximum": 365}}
    fields = [{"name": "came", **dated}, {"name": "left", **dated}, time]
    due = rule("days", unit, "came", "left", rounded=rounded)
    book = Codebook.from_dict({"fields": fields, "rules": [due]})
    assert (with_times_since(book.domain, book.rules).attributes[1].since is not None) == counts


def test_parts_of_a_second_are_no_time_between_two_moments_that_are_the_same():
    """What is below a second is cut off, so that any score from 0 to 1 fitted."""
    frame = table().assign(ended=lambda rows: rows["began"])[["began", "ended"]]
    frame["score"] = np.random.default_rng(7).random(len(frame)).round(3)
    score = {"name": "score", "type": "number", "decimals": 3, "constraints": {"minimum": 0, "maximum": 1}}
    fields = [{"name": name, **FIELDS[name]} for name in ("began", "ended")]
    found = kept_rules(frame, Codebook.from_dict({"fields": [*fields, score]})).value
    assert not any(one["kind"] == "timeBetween" for one in found)


def test_times_that_every_row_keeps_are_found_with_their_unit_and_no_order_is_said_beside():
    found = kept_rules(table(), book()).value
    assert [one for one in found if one["kind"] == "timeBetween"] == [
        rule("seconds", "seconds"),
        rule("length", "seconds"),
        rule("minutes", "minutes"),
        rule("hours", "hours", rounded="nearest"),
        AGE,
    ]
    assert not any(one["kind"] == "ascending" and one["columns"] == ["began", "ended"] for one in found)
    assert not any(one["kind"] == "timeBetween" for one in kept_rules(table(), book(*found)).value)
    constant = table().assign(seconds=60, ended=lambda rows: rows["began"])
    assert not any(
        one["kind"] == "timeBetween" for one in kept_rules(constant, book()).value if one["column"] != "age"
    )


def test_no_order_is_suggested_of_dates_between_which_there_is_a_time():
    fields = [{"name": name, "type": "datetime"} for name in ("start", "end")]
    assert [rule["kind"] for rule in suggested_rules({"fields": fields})] == ["ascending"]
    rules = [rule("seconds", "seconds", "start", "end")]
    assert suggested_rules({"fields": fields, "rules": rules}) == []


def assigned(codebook, frame, place=0):
    """What the rule makes of rows, and the rule."""
    item, attributes = codebook.rules.items[place], codebook.rules.attributes
    return item, frame.assign(**{item.target: item.assigned(View(frame, attributes))}), attributes


def test_a_rounded_time_is_the_nearest_one_to_half_a_step():
    exact = rule("hours", "hours", rounded="nearest")
    codebook = book(exact, names=["began", "ended", "hours"])
    ends = [f"2019-01-01 11:00:{second}" for second in ("17", "18", "25", "40")]
    frame = pd.DataFrame({"began": "2019-01-01 10:00:00", "ended": ends, "hours": [1.0, 1.0, 1.0, 1.01]})
    item, made, attributes = assigned(codebook, frame)
    assert item.broken(View(frame, attributes)).tolist() == [False, False, True, False]
    assert item.target == "ended"
    assert not item.broken(View(made, attributes)).any()
    assert (made["ended"] >= made["began"]).all()
    both = book(rule("minutes", "minutes"), exact, names=["began", "ended", "minutes", "hours"])
    item, made, _ = assigned(both, frame.assign(minutes=60), place=1)
    assert (item.target, made["hours"].tolist()) == ("hours", [1.0, 1.0, 1.01, 1.01])


def test_a_time_without_a_step_is_the_exact_one():
    entry = {"type": "number", "constraints": FIELDS["hours"]["constraints"], "bins": 8}
    fields = [{"name": "began", **MOMENT}, {"name": "ended", **MOMENT}, {"name": "hours", **entry}]
    codebook = Codebook.from_dict({"fields": fields, "rules": [rule("hours", "hours")]})
    frame = pd.DataFrame({"began": ["2019-01-01 10:00:00"] * 2, "ended": ["2019-01-01 10:20:00"] * 2})
    frame["hours"] = [1 / 3, 0.34]
    item, made, attributes = assigned(codebook, frame)
    assert item.broken(View(frame, attributes)).tolist() == [False, True]
    assert item.target == "hours"  # no drawn number is a whole second
    assert made["hours"].tolist() == pytest.approx([1 / 3, 1 / 3])


def test_a_second_date_that_is_asked_only_of_some_is_placed_where_it_is_there():
    fields = [{"name": n, **FIELDS[n]} for n in ("began", "ended", "seconds")]
    fields.append({"name": "done", "type": "string", "categories": ["no", "yes"]})
    asked = {"kind": "askedIf", "column": "ended", "if": {"done": "yes"}}
    codebook = Codebook.from_dict({"fields": fields, "rules": [asked, rule("seconds", "seconds")]})
    assert [item.target for item in codebook.rules.items] == ["ended", "ended"]
    frame = table()[["began", "ended", "seconds"]].assign(done="yes")
    frame.loc[::3, "done"] = "no"
    frame.loc[::3, "ended"] = None
    made = HMPrivBayes(epsilon=4.0, seed=2).fit(frame, codebook).sample(900)
    assert codebook.rules.broken_rows(made) == (0, 0)
    assert made.loc[made["done"] == "no", "ended"].isna().all()


def test_times_of_single_precision_leave_as_they_came_and_listed_ones_must_be_whole():
    single = {**FIELDS["hours"], "precision": "single"}
    codebook = book(
        rule("minutes", "minutes"), rule("hours", "hours", rounded="nearest"), fields={"hours": single}
    )
    frame = table(40)
    _, made, _ = assigned(codebook, frame, place=1)
    assert (made["hours"].astype(float) == frame["hours"].astype("float32").astype(float)).all()
    with pytest.raises(DomainError, match="neither numbers nor durations"):
        book(rule("minutes", "minutes"), fields={"minutes": {"type": "number", "values": [0.5, 7]}})


@pytest.mark.parametrize("last", ["died", "left"])
def test_what_is_decided_is_there_for_as_many_as_have_it_where_these_are_fewer(last):
    """Who died in hospital died on the day of the discharge; who is still there has no discharge."""
    rng = np.random.default_rng(7)
    day = {"type": "date", "constraints": {"minimum": "2019-01-01", "maximum": "2021-12-31"}}
    came = pd.Series(np.datetime64("2019-01-01") + rng.integers(0, 900, 2000))
    days = pd.Series(rng.integers(0, 30, 2000))
    dates = {"came": came, "left": came + pd.to_timedelta(days, "D")}
    frame = pd.DataFrame({name: moments.dt.strftime("%Y-%m-%d") for name, moments in dates.items()})
    frame["days"], frame["died"] = days, frame["left"]
    frame.loc[rng.random(2000) < 0.9, last] = None
    fields = [{"name": name, **day} for name in ("came", "left", "died")]
    fields.append({"name": "days", "type": "integer", "constraints": {"minimum": 0, "maximum": 40}})
    rules = [{"kind": "equal", "column": "died", "to": "left"}, rule("days", "days", "came", "left")][
        last == "left" :
    ]
    codebook = Codebook.from_dict({"fields": fields, "rules": rules})
    made = HMPrivBayes(epsilon=4.0, seed=2).fit(frame, codebook).sample(2000)
    assert codebook.rules.broken_rows(made) == (0,) * len(rules)
    assert made[last].notna().mean() == pytest.approx(0.1, abs=0.04)
