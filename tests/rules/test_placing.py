"""Dates placed inside their codes: each has the parts that were drawn, where a date of its code has them."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.facade import HMPrivBayes
from hmpb_core.grid import Pieces
from hmpb_core.rules.consistency import decided, drawn_parts
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.parts import part_of
from hmpb_core.rules.placing import placed

DAY = 86_400
NONE = ()


def learned(kind, days, starts, *, step=1):
    """A date of 2020 of which every piece is a code."""
    unit, first = (DAY, 18_262 * DAY) if kind == "datetime" else (1, 18_262)
    date = Numeric(
        name="at",
        kind=kind,
        minimum=first,
        maximum=first + days * unit - step,
        resolution=step,
        learned=True,
    )
    codes = tuple(range(len(starts)))
    pieces = Pieces(starts=tuple(starts), codes=codes, shares=(1.0,) * len(codes), size=date.grid.size)
    return date.with_pieces(pieces)


def parts_of(date, steps, names):
    days = steps * float(date.grid.step) / (DAY if date.kind == "datetime" else 1)
    return {name: part_of(days, name) for name in names}


@pytest.mark.parametrize(
    ("kind", "step", "starts", "names"),
    [
        ("date", 1, (0, 3, 9, 10, 31, 95), ("month",)),
        ("date", 1, (0, 3, 9, 10, 31, 95), ("weekday",)),
        ("date", 1, (0, 20, 55), ("month", "weekday", "day")),
        ("datetime", 1800, (0, 7, 90, 400), ("hour",)),
        ("datetime", 3600, (0, 50, 400), ("hour", "weekday")),
        ("datetime", 7200, (0, 50, 400), ("hour",)),
    ],
)
def test_a_date_has_the_parts_that_were_drawn_if_any_of_its_code_has_them(kind, step, starts, names):
    date = learned(kind, 200, starts, step=step)
    rng = np.random.default_rng(1)
    n = 3000
    bounds = date.pieces.bounds + date.grid.first
    codes = rng.integers(0, len(starts), n)
    steps = rng.integers(bounds[codes], bounds[codes + 1])
    ranges = {"month": (1, 8), "weekday": (1, 8), "day": (1, 32), "hour": (0, 24)}
    wanted = {name: rng.integers(*ranges[name], n).astype(float) for name in names}
    for values in wanted.values():
        values[rng.random(n) < 0.1] = np.nan
    moved = placed(steps, codes, date, wanted)
    assert ((moved >= bounds[codes]) & (moved < bounds[codes + 1])).all()
    shown = parts_of(date, moved, names)
    for code in range(len(starts)):
        all_dates = np.arange(bounds[code], bounds[code + 1])
        held = set(zip(*parts_of(date, all_dates, names).values(), strict=True))
        first = next(name for name in ("month", "weekday", "day", "hour") if name in names)
        for row in np.flatnonzero(codes == code):
            wants = tuple(values[row] for values in wanted.values())
            has = tuple(values[row] for values in shown.values())
            fits = [
                h for h in held if all(w in (x, None) or np.isnan(w) for w, x in zip(wants, h, strict=True))
            ]
            if fits:
                assert has in fits
            elif any(h[names.index(first)] == wanted[first][row] for h in held):
                assert shown[first][row] == wanted[first][row]


def test_dates_change_places_where_their_code_has_what_is_wanted_and_none_is_lost():
    date = learned("datetime", 30, (0, 200_000, 900_000))
    rng = np.random.default_rng(2)
    steps = np.where(rng.random(2000) < 0.3, 5 * DAY, rng.integers(0, 30 * DAY, 2000)) + date.grid.first
    codes = np.searchsorted(date.pieces.bounds[1:-1], steps - date.grid.first, side="right")
    wanted = parts_of(date, steps, ("hour", "weekday"))
    for code in range(3):
        rows = np.flatnonzero(codes == code)
        for values in wanted.values():
            values[rows] = values[rows[::-1]]
    moved = placed(steps, codes, date, wanted)
    assert all(np.array_equal(np.sort(moved[codes == c]), np.sort(steps[codes == c])) for c in range(3))
    for name, values in parts_of(date, moved, wanted).items():
        assert (values == wanted[name]).all()


@pytest.mark.parametrize("odd", [39, 99, -25, 7.5])
def test_a_date_stays_in_its_code_beside_an_hour_that_no_day_has(odd):
    """99 for an unknown hour was counted as an hour of another code, whose dates came for it."""
    date = learned("datetime", 3000, (0, 10 * DAY, 1500 * DAY))
    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(3), 500)
    bounds = date.pieces.bounds + date.grid.first
    steps = rng.integers(bounds[codes], bounds[codes + 1])
    hours = parts_of(date, steps, ("hour",))["hour"]
    wanted = np.where(rng.random(1500) < 0.2, odd, hours)
    moved = placed(steps, codes, date, {"hour": wanted})
    assert ((moved >= bounds[codes]) & (moved < bounds[codes + 1])).all()
    asked = wanted != odd
    assert (parts_of(date, moved, ("hour",))["hour"][asked] == hours[asked]).all()


def test_a_missing_date_or_part_moves_nothing():
    date = Numeric(
        name="at",
        kind="date",
        minimum=18_262,
        maximum=18_361,
        learned=True,
        nullable=True,
        pieces=Pieces(starts=(0,), codes=(0,), shares=(1.0,), size=100),
        resolution=1,
    )
    day = Categorical(name="day", categories=tuple(range(1, 8)), nullable=True)
    domain = Domain((date, day))
    entry = {"kind": "partOf", "column": "day", "of": "at", "part": "weekday"}
    rules = Rules.read([entry], domain)
    parts = drawn_parts(rules.items, rules.attributes)
    assert parts == rules.items
    codes = np.array(list(itertools.product((0, 1), range(8))), dtype=np.int32)
    frame, plain = (decode(codes, domain, np.random.default_rng(0), of) for of in (parts, NONE))
    assert frame["at"].isna().tolist() == [False] * 8 + [True] * 8
    drawn = pd.to_datetime(frame["at"][:7]).dt.day_of_week + 1
    assert drawn.tolist() == list(range(1, 8))
    assert frame["day"].equals(plain["day"])


def test_a_part_of_a_copy_is_read_off_it():
    date = learned("date", 100, (0,))
    domain = Domain(
        (date, replace(date, name="again"), Categorical(name="day", categories=tuple(range(1, 8))))
    )
    part = {"kind": "partOf", "column": "day", "of": "again", "part": "weekday"}
    rules = Rules.read([part, {"kind": "equal", "column": "again", "to": "at"}], domain)
    assert drawn_parts(rules.items, rules.attributes) == ()
    assert {rule.target for rule in decided(rules.items, rules.attributes)} == {"day", "again"}


HOURS = [
    {
        "name": "at",
        "type": "datetime",
        "constraints": {
            "minimum": "2020-01-01T00:00:00",
            "maximum": "2020-12-31T23:59:59",
            "required": True,
        },
        "bins": "learned",
    },
    {"name": "hour", "type": "integer", "bins": "learned"},
    {"name": "year", "type": "integer", "bins": "learned"},
    {"name": "month", "type": "integer", "categories": list(range(1, 13))},
    {"name": "late", "type": "integer", "bins": "learned"},
]
for field, (low, high) in zip(HOURS[1:], ((0, 23), (2019, 2021), (1, 12), (0, 90)), strict=True):
    field["constraints"] = (
        {"required": True}
        if "categories" in field
        else {
            "minimum": low,
            "maximum": high,
            "required": True,
        }
    )


def test_an_hour_keeps_its_distribution_and_what_it_has_to_do_with_other_columns():
    rng = np.random.default_rng(3)
    n = 12_000
    hour = np.clip(rng.normal(15, 4, n), 0, 23).astype(int)
    days = rng.integers(0, 366, n)
    at = np.datetime64("2020-01-01T00:00:00") + days * DAY + hour * 3600 + rng.integers(0, 3600, n)
    late = np.clip(rng.normal(3 * hour, 10), 0, 90).astype(int)
    when = pd.Series(at)
    table = pd.DataFrame(
        {
            "at": when.dt.strftime("%Y-%m-%dT%H:%M:%S"),
            "hour": hour,
            "year": when.dt.year,
            "month": when.dt.month,
            "late": late,
        }
    )
    rules = [
        {"kind": "partOf", "column": part, "of": "at", "part": part} for part in ("hour", "year", "month")
    ]
    book = Codebook.from_dict({"fields": HOURS, "rules": rules})
    attributes = {attribute.name: attribute for attribute in book.domain.attributes}
    assert [rule.column for rule in decided(book.rules.items, attributes)] == ["year"]
    made = HMPrivBayes(epsilon=3.0, seed=4).fit(table, book).sample(n)
    assert book.rules.broken_rows(made) == (0, 0, 0)
    shares = [np.bincount(frame["hour"].to_numpy(int), minlength=24) / n for frame in (table, made)]
    assert np.abs(np.cumsum(shares[0] - shares[1])).max() < 0.02
    together = [
        np.corrcoef(frame["hour"].astype(float), frame["late"].astype(float))[0, 1] for frame in (table, made)
    ]
    assert together[1] == pytest.approx(together[0], abs=0.15)
    seen = pd.to_datetime(made["at"]).sort_values().to_numpy()
    assert np.abs(np.searchsorted(seen, when.to_numpy()) / n - when.rank().to_numpy() / n).max() < 0.03


def test_dates_that_go_to_another_month_do_not_heap_on_its_first_or_last_day():
    """One code holds half a year up to the middle of July; every month is wanted of dates of every month."""
    date = learned("date", 197, (0,))
    rng = np.random.default_rng(4)
    steps = rng.integers(0, 197, 20_000) + date.grid.first
    wanted = {"month": rng.integers(1, 8, len(steps)).astype(float)}
    moved = placed(steps, np.zeros(len(steps), dtype=int), date, wanted)
    assert (parts_of(date, moved, ["month"])["month"] == wanted["month"]).all()
    rows = np.bincount(moved - date.grid.first, minlength=197)
    by_month = parts_of(date, np.arange(197) + date.grid.first, ["month"])["month"]
    for month in range(1, 8):
        due = rows[by_month == month]
        assert due.max() < 1.7 * due.mean(), "nearest days gave a first or last one eight times as many"
