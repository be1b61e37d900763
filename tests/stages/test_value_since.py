"""A date after another one: modelled by the time between them where that is short."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.dates import read_value
from hmpb_core.decoding import _that_fit, decode
from hmpb_core.domain import Domain
from hmpb_core.encoding import FineColumn, times_since
from hmpb_core.errors import SourceError
from hmpb_core.facade import guarantee_of
from hmpb_core.grid import Pieces
from hmpb_core.planning.bill import bill_of_plan
from hmpb_core.publishing.model_files import VALUES, PaidModel, model_files
from hmpb_core.rules.since import since_of, with_times_since
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan


def date(name, low="2018-01-01", high="2022-12-31", **more):
    constraints = {"minimum": low, "maximum": high, "required": True} | more.pop("constraints", {})
    return {"name": name, "type": "date", "bins": "learned", "constraints": constraints, **more}


def book_of(*fields, columns=("admitted", "discharged")):
    rules = [{"kind": "ascending", "columns": list(columns)}] if columns else []
    return Codebook.from_dict({"fields": list(fields), "rules": rules})


STAY = book_of(date("admitted"), date("discharged", high="2023-12-31"))
OPEN = book_of(*(date(name, constraints={"required": False}) for name in ("admitted", "discharged")))


def since(book):
    domain = with_times_since(book.domain, book.rules)
    return {a.name: a.since.column for a in domain.attributes if getattr(a, "since", None) is not None}


def test_a_date_follows_the_one_before_it_in_a_declared_chain():
    three = [date(name) for name in ("born", "admitted", "discharged")]
    assert since(STAY) == {"discharged": "admitted"}
    assert since(book_of(*three, columns=("born", "admitted", "discharged"))) == {
        "admitted": "born",
        "discharged": "admitted",
    }
    assert since(book_of(*three, columns=())) == {}


def test_of_numbers_that_are_listed_places_say_no_difference():
    bounds = {"constraints": {"minimum": 0, "maximum": 900, "required": True}, "type": "integer"}
    days = [{"name": name, **bounds} for name in ("relapse", "death")]
    assert since(book_of(*days, columns=("relapse", "death"))) == {"death": "relapse"}
    for place in (0, 1):
        listed = [{**day, "values": [1, 7, 30, 365]} if i == place else day for i, day in enumerate(days)]
        assert since(book_of(*listed, columns=("relapse", "death"))) == {}


@pytest.mark.parametrize(
    "other",
    [
        date("discharged", bins=16),
        {**date("discharged"), "type": "datetime"},
        date("discharged", multipleOf=7),
    ],
)
def test_dates_of_another_kind_or_resolution_or_with_declared_bins_stay_as_they_are(other):
    assert since(book_of(date("admitted"), other)) == {}


def test_a_circle_is_left_open():
    book = Codebook.from_dict(
        {
            "fields": [date("a"), date("b")],
            "rules": [{"kind": "ascending", "columns": pair} for pair in (["a", "b"], ["b", "a"])],
        }
    )
    assert since(book) == {"b": "a"}


def test_times_are_whole_days_zero_where_the_rule_is_broken_and_the_longest_at_the_maximum():
    admitted, discharged = OPEN.domain.attributes
    moved = with_times_since(OPEN.domain, OPEN.rules).attributes[1]
    days, last = admitted.grid.size, discharged.grid.size - 1
    rows = [(10, 13), (10, 8), (10, last), (days, 20), (10, last + 1), (days, last + 1)]
    start, end = (np.array(column) for column in zip(*rows, strict=True))
    every = np.arange(len(rows), dtype=np.int32)
    found = times_since(
        FineColumn(positions=end, rows=every), FineColumn(positions=start, rows=every), moved, missing=days
    )
    size = moved.places.size
    assert size == days + 1  # every time from 0 to the longest, and one position for an unknown time
    assert found.positions[found.rows].tolist() == [3, 0, size - 2, size - 1, size, size]


def test_a_drawn_date_is_the_other_one_and_the_time():
    domain = with_times_since(OPEN.domain, OPEN.rules)
    admitted, discharged = domain.attributes
    size, times = admitted.grid.size, discharged.places.size
    admitted = admitted.with_pieces(Pieces((0, 100, 101), (0, 1, 2), (1.0,) * 3, size))
    starts = (0, 5, 6, times - 2, times - 1)
    discharged = discharged.with_pieces(Pieces(starts, (0, 1, 2, 3, 4), (1.0,) * 5, times))
    codes = np.array([[1, 1], [1, 3], [1, 5], [3, 1], [1, 4]], dtype=np.int32)
    frame = decode(codes, Domain((admitted, discharged)), np.random.default_rng(0))
    assert frame["admitted"].tolist()[:3] == ["2018-04-11"] * 3
    assert frame["discharged"].tolist()[:2] == ["2018-04-16", "2022-12-31"]
    assert frame.isna().to_numpy().tolist()[2:4] == [[False, True], [True, False]]
    assert frame["discharged"][3] == "2018-04-16"  # another row's start, and its own five days
    assert frame["discharged"][4] in ("2018-04-16", "2022-12-31")  # an unknown time is another row's
    assert discharged.labels[:3] == ("admitted + 0–4", "admitted + 5", f"admitted + 6–{times - 3}")


def hospital(rows, rng, missing=0.0):
    admitted = np.datetime64("2018-01-01") + rng.integers(0, 1700, rows)
    stay = np.floor(rng.gamma(1.2, 3, rows)).astype(int)
    frame = pd.DataFrame({"admitted": admitted.astype(str), "discharged": (admitted + stay).astype(str)})
    for name in frame:
        frame.loc[rng.random(rows) < missing, name] = None
    return frame


def stays(frame):
    return (pd.to_datetime(frame["discharged"]) - pd.to_datetime(frame["admitted"])).dt.days


def plan_of(book, rows, epsilon=2.0):
    return make_plan(guarantee_of("zcdp", epsilon, 1e-9, "replace-one"), book.domain, n_rows=rows)


@pytest.mark.parametrize(("book", "missing"), [(STAY, 0.0), (OPEN, 0.2)], ids=["required", "missing"])
def test_stays_come_out_as_long_as_they_were_and_cost_what_the_plan_says(book, missing):
    rng = np.random.default_rng(1)
    frame = hospital(6000, rng, missing)
    plan = plan_of(book, 6000)
    model = fit_source(open_source(frame, book), plan, seed=2)
    rows = model.sample(rng=rng)
    assert stays(rows).mean() == pytest.approx(stays(frame).mean(), rel=0.15)
    assert (stays(rows) == 0).mean() == pytest.approx((stays(frame) == 0).mean(), abs=0.03)
    assert book.rules.broken_rows(rows) == (0,)
    assert rows.isna().mean().tolist() == pytest.approx([missing, missing], abs=0.04)
    middle, real = (pd.to_datetime(table["discharged"]).quantile(0.5) for table in (rows, frame))
    assert abs((middle - real).days) < 60
    assert bill_of_plan(plan, domain=book.domain).losses == model.bill.losses


def test_a_bundle_keeps_what_a_date_is_counted_from():
    plan = plan_of(OPEN, 4000)
    model = fit_source(open_source(hospital(4000, np.random.default_rng(3), 0.1), OPEN), plan, seed=4)
    files = model_files(model, OPEN)
    book, tables = files["model/codebook.json"], files["model/tables.json"]
    paid = PaidModel.of_files(plan, book, tables, files[VALUES])
    assert paid.domain == model.domain
    pd.testing.assert_frame_equal(
        paid.sample(500, rng=np.random.default_rng(5)), model.sample(500, rng=np.random.default_rng(5))
    )
    with pytest.raises(SourceError, match="cannot be read"):
        PaidModel.of_files(plan, book, tables, files[VALUES].replace('"admitted"\n', '"discharged"\n'))


def test_times_that_would_end_after_the_latest_date_do_not_all_end_on_it():
    rng = np.random.default_rng(10)
    hired = rng.integers(0, 3600, 6000)
    left = hired + np.minimum(rng.exponential(300, 6000).astype(int), 3640 - hired)
    frame = pd.DataFrame(
        {
            name: (np.datetime64("2010-01-01") + days).astype(str)
            for name, days in (("hired", hired), ("left", left))
        }
    )
    bounds = {"low": "2010-01-01", "high": "2019-12-31"}
    book = book_of(*(date(name, **bounds) for name in frame), columns=("hired", "left"))
    for seed in range(3):
        rows = fit_source(open_source(frame, book), plan_of(book, 6000), seed=seed).sample(rng=rng)
        assert (rows["left"] == "2019-12-31").mean() < 0.003
        assert book.rules.broken_rows(rows) == (0,)


def test_times_that_would_end_before_the_earliest_date_do_not_all_end_on_it():
    """Offences of any year, of people all seen in 2013 and 2014: 3 % were on the first day of these."""
    rng = np.random.default_rng(12)
    seen = rng.integers(0, 730, 6000)
    offence = seen - rng.exponential(60, 6000).astype(int)
    frame = pd.DataFrame(
        {
            name: (np.datetime64("2013-01-01") + days).astype(str)
            for name, days in (("offence", offence), ("seen", seen))
        }
    )
    fields = [date("offence", "2010-01-01", "2014-12-31"), date("seen", "2013-01-01", "2014-12-31")]
    book = book_of(*fields, columns=("offence", "seen"))
    for seed in range(3):
        model = fit_source(open_source(frame, book), plan_of(book, 6000), seed=seed)
        assert model.domain.attributes[1].since is not None
        rows = model.sample(rng=rng)
        assert (rows["seen"] == "2013-01-01").mean() < 0.01  # of one day in 730
        assert (rows["seen"] < "2013-02-01").mean() == pytest.approx(31 / 730, abs=0.03)
        assert book.rules.broken_rows(rows) == (0,)


@pytest.mark.parametrize(
    ("least", "most", "chosen"), [(0, 9, {2, 5, 7}), (3, 9, {5, 7}), (6, 6, {6}), (8, 9, {8}), (-4, 1, {1})]
)
def test_a_time_is_one_of_those_that_lie_in_its_room_or_its_nearest_end(least, most, chosen):
    rooms = [np.full(200, edge) for edge in (least, most)]
    found = _that_fit(np.array([7, 2, 5]), *rooms, np.random.default_rng(1))
    assert set(found.tolist()) == chosen


def test_long_times_keep_the_date_itself():
    """Births lie decades apart and admissions close together: a time since birth would blur them."""
    rng = np.random.default_rng(6)
    admitted = np.datetime64("2020-01-01") + rng.integers(0, 300, 5000)
    frame = pd.DataFrame(
        {
            "born": (admitted - rng.integers(0, 33_000, 5000)).astype(str),
            "admitted": admitted.astype(str),
        }
    )
    book = book_of(date("born", "1900-01-01"), date("admitted"), columns=("born", "admitted"))
    model = fit_source(open_source(frame, book), plan_of(book, 5000), seed=7)
    assert all(attribute.since is None for attribute in model.domain.attributes)
    days = pd.to_datetime(model.sample(rng=rng)["admitted"])
    assert (days < "2020-01-01").mean() < 0.02


def followed(equal):
    """Days until a relapse, and until the last visit: the same where nobody relapsed."""
    rng = np.random.default_rng(8)
    last = rng.integers(100, 5000, 4000)
    first = np.where(rng.random(4000) < equal, last, (last * rng.uniform(0.1, 0.9, 4000)).astype(int))
    return pd.DataFrame({"relapse": first, "visit": last})


def days_book(**more):
    days = {"type": "integer", "bins": "learned", "constraints": {"minimum": 0, "maximum": 5000}}
    fields = {"name": "relapse", **days}, {"name": "visit", **days, **more}
    return book_of(*fields, columns=("relapse", "visit"))


def test_numbers_that_are_mostly_equal_come_out_equal_as_often():
    book, frame = days_book(), followed(0.5)
    model = fit_source(open_source(frame, book), plan_of(book, 4000), seed=9)
    rows = model.sample(rng=np.random.default_rng(9))
    assert model.domain.attributes[1].since.column == "relapse"
    assert (rows["relapse"] == rows["visit"]).mean() == pytest.approx(0.5, abs=0.05)
    assert book.rules.broken_rows(rows) == (0,)
    assert rows["visit"].mean() == pytest.approx(frame["visit"].mean(), rel=0.1)


def test_numbers_that_are_seldom_equal_keep_their_own_values():
    book, frame = days_book(), followed(0.1)
    model = fit_source(open_source(frame, book), plan_of(book, 4000), seed=9)
    assert model.domain.attributes[1].since is None
    assert since(days_book(multipleOf=10)) == {}


def strikes(both_nought, equal, rows=4000):
    """Strikes, and the times at bat: both nought, or equal otherwise, in parts of the rows, else fewer."""
    rng = np.random.default_rng(9)
    bats = rng.integers(20, 600, rows)
    part = rng.random(rows)
    out = np.where(part < both_nought + equal, bats, bats * rng.uniform(0.05, 0.9, rows)).astype(int)
    frame = pd.DataFrame({"bats": bats, "out": out})
    frame[part < both_nought] = 0
    return frame


def bats_book(*columns):
    more = {"type": "integer", "bins": "learned", "constraints": {"minimum": 0, "maximum": 600}}
    return book_of(*({"name": name, **more} for name in columns), columns=("out", "bats"))


@pytest.mark.parametrize("columns", [("out", "bats"), ("bats", "out")], ids=["in order", "the later first"])
@pytest.mark.parametrize(("equal", "told"), [(0.0, None), (0.35, "out")])
def test_numbers_that_are_equal_because_both_are_nought_keep_their_own_values(equal, told, columns):
    book, frame = bats_book(*columns), strikes(0.4, equal)
    model = fit_source(open_source(frame[[*columns]], book), plan_of(book, 4000), seed=9)
    entry = model.domain.attributes[model.domain.index("bats")]
    assert (entry.since and entry.since.column) == told
    rows = model.sample(rng=np.random.default_rng(9))
    assert (rows["bats"] == 0).mean() == pytest.approx((frame["bats"] == 0).mean(), abs=0.03)
    same = rows["bats"] == rows["out"]
    assert (same & (rows["out"] > 0)).mean() == pytest.approx(equal, abs=0.05)
    assert bill_of_plan(plan_of(book, 4000), domain=book.domain).losses == model.bill.losses


def prices(most, equal=0.1, rows=5000):
    """The lowest price of a day and the last one, the same in some rows, else up to so much higher."""
    rng = np.random.default_rng(3)
    low = rng.gamma(3, 400, rows).clip(0, 4000).astype(int)
    more = np.where(rng.random(rows) < equal, 0, rng.integers(1, most, rows))
    return pd.DataFrame({"relapse": low, "visit": low + more})


@pytest.mark.parametrize(("most", "told"), [(60, "relapse"), (900, None)])
def test_numbers_that_lie_close_together_stay_so_and_others_keep_their_own_values(most, told):
    book, frame = days_book(), prices(most)
    model = fit_source(open_source(frame, book), plan_of(book, 5000, 1.0), seed=1)
    entry = model.domain.attributes[1]
    assert (entry.since and entry.since.column) == told
    rows = model.sample(rng=np.random.default_rng(0))
    apart, real = (table["visit"] - table["relapse"] for table in (rows, frame))
    assert apart.mean() == pytest.approx(real.mean(), rel=0.1 if told else 0.25)
    assert (apart == 0).mean() == pytest.approx((real == 0).mean(), abs=0.03)
    assert book.rules.broken_rows(rows) == (0,)


def test_rows_that_keep_an_order_since_both_numbers_are_equal_are_not_too_many():
    """Of others many are drawn again, where noise hides how close the two lie."""
    rng = np.random.default_rng(5)
    frame = prices(60, equal=0.2)
    frame.loc[rng.random(5000) < 0.3, ["relapse", "visit"]] = 0
    book, shares = days_book(), []
    for seed in (1, 2, 3):
        model = fit_source(open_source(frame, book), plan_of(book, 5000), seed=seed)
        assert model.domain.attributes[1].repeats == "relapse"
        rows = model.sample(rng=rng)
        shares.append(((rows["relapse"] == rows["visit"]) & (rows["visit"] > 0)).mean())
    real = ((frame["relapse"] == frame["visit"]) & (frame["visit"] > 0)).mean()
    assert np.mean(shares) == pytest.approx(real, abs=0.02)


def test_what_is_modelled_is_public_and_so_is_what_it_is_counted_from():
    entry = STAY.domain.attributes[0]
    found = since_of(entry)
    assert (found.column, found.nullable) == ("admitted", False)
    assert found.first * entry.grid.step == Fraction(int(read_value("2018-01-01", "date")))


def test_trips_of_minutes_do_not_come_out_as_trips_of_days():
    rng = np.random.default_rng(7)
    start = pd.Timestamp("2019-03-01") + pd.to_timedelta(rng.integers(0, 31 * 1440, 6000), unit="min")
    minutes = np.exp(rng.normal(2.4, 0.7, 6000)).round() + 1
    stop = start + pd.to_timedelta(minutes, unit="min")
    form = "%Y-%m-%d %H:%M"
    frame = pd.DataFrame({"pickup": start.strftime(form), "dropoff": stop.strftime(form)})
    bounds = {"minimum": "2019-01-01 00:00", "maximum": "2019-12-31 23:59", "required": True}
    more = {"type": "datetime", "format": form, "bins": "learned", "multipleOf": 60, "constraints": bounds}
    rule = {"kind": "ascending", "columns": ["pickup", "dropoff"]}
    book = Codebook.from_dict({"fields": [{"name": name, **more} for name in frame], "rules": [rule]})
    source = open_source(frame, book)
    plan = make_plan(guarantee_of("zcdp", 0.2, 1e-9, "replace-one"), book.domain, n_rows=len(frame))
    means = []
    for seed in range(6):
        drawn = fit_source(source, plan, seed=seed).sample(rng=np.random.default_rng(seed))
        times = pd.to_datetime(drawn["dropoff"]) - pd.to_datetime(drawn["pickup"])
        assert (times >= pd.Timedelta(0)).all()
        means.append(times.dt.total_seconds().mean() / 60)
    assert max(means) < 2 * minutes.mean()  # noise far away made hours and days of them
