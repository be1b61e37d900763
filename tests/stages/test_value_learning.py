"""Learned bins and values: what is charged, what the data may decide, and what comes out."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain, Numeric
from hmpb_core.encoding import encode_table
from hmpb_core.facade import guarantee_of
from hmpb_core.inside_codes import spread_evenly
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.pipeline import accountant_for
from hmpb_core.planning.bill import bill_of_plan
from hmpb_core.privacy.budget import Shares, Stage
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.open import open_source
from hmpb_core.stages.values.heaps import _wanted, spread_inside
from hmpb_core.stages.values.learning import _counted, learn_values
from hmpb_core.stages.values.measuring import FineHistogram, measure_values
from hmpb_core.stages.values.tree import Level
from hmpb_core.synthesis import fit_source, make_plan

LOSS = Fraction(1, 100)


def book_of(*attributes, missing=("",)):
    return Codebook(domain=Domain(attributes), missing_values=missing)


def number(name="x", low=0, high=9999, **more):
    return Numeric(name=name, minimum=low, maximum=high, integer=True, learned=True, bins=32, **more)


def plan_of(book, rows, epsilon=1.0, method="hmprivbayes", neighbors="replace-one", *, shares=None):
    guarantee = guarantee_of("zcdp", epsilon, 1e-9, neighbors)
    return make_plan(guarantee, book.domain, n_rows=rows, method=method, shares=shares)


def source(values, attribute):
    book = book_of(attribute)
    frame = pd.DataFrame({attribute.name: values})
    plan = plan_of(book, len(frame))
    return open_source(frame, book), plan, book


class Script:
    """An accountant whose noisy counts are given in advance, whatever the table holds."""

    def __init__(self, seed):
        self._rng = np.random.default_rng(seed)
        self.asked = []

    def table_noise_sd(self, loss):
        return 1 / float(loss) ** 0.5

    def measure(self, marginal, *, stage, loss, what):
        self.asked.append((stage, loss, what, marginal.counts.size))
        counts = self._rng.exponential(200, marginal.counts.size)
        return NoisyMarginal(attributes=marginal.attributes, counts=counts, noise="gaussian", scale=1.0)


class Spy:
    """A source that notes which intervals are counted."""

    def __init__(self, inner):
        self._inner = inner
        self.starts = []

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def interval_counts(self, attribute, starts):
        self.starts.append(starts.copy())
        return self._inner.interval_counts(attribute, starts)


@given(st.integers(0, 1000), st.lists(st.integers(0, 9999), min_size=2, max_size=50))
@settings(max_examples=25)
def test_what_is_counted_next_depends_on_earlier_noisy_counts_alone(seed, values):
    """The proof's one premise: under the same noisy counts two tables are asked the same questions."""
    seen = []
    for column in (values, [0] * 40):
        table, _, _ = source(column, number())
        spy, script = Spy(table), Script(seed)
        learned = learn_values(spy, [LOSS], accountant=script, total=100.0)
        seen.append((spy.starts, script.asked, learned.source.domain))
    (first, asked, domain), (second, asked_too, domain_too) = seen
    assert [starts.tolist() for starts in first] == [starts.tolist() for starts in second]
    assert asked == asked_too
    assert domain == domain_too


@given(st.integers(0, 1000))
@settings(max_examples=25)
def test_every_level_cuts_the_whole_grid_and_the_levels_cost_the_loss_exactly(seed):
    table, _, _ = source([5, 7, 9998], number(nullable=True))
    spy, script = Spy(table), Script(seed)
    cuts = np.array([1, 7000])
    measure_values(spy, 0, accountant=script, loss=LOSS, total=100.0, cuts=cuts)
    assert [loss for _, loss, _, _ in script.asked] == [LOSS / 6] * 6  # 5^5 < 10,000 < 5^6, nearer to 5^6
    assert {stage for stage, *_ in script.asked} == {Stage.ONE_WAY_TABLES}
    for coarse, fine in zip(spy.starts, spy.starts[1:], strict=False):
        assert set(coarse.tolist()) <= set(fine.tolist())
    for starts in spy.starts:
        assert starts[0] == 0
        assert (np.diff(starts) > 0).all()
        assert set(cuts.tolist()) <= set(starts.tolist())
        assert starts[-1] == 10_000  # the missing values
        assert table.interval_counts(0, starts).counts.sum() == 3


@pytest.mark.parametrize("neighbors", ["replace-one", "add-remove"])
def test_a_run_with_learned_bins_costs_what_its_plan_says(neighbors):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.integers(0, 9999, 2000), "y": rng.integers(0, 50, 2000)})
    book = book_of(number(), number("y", 0, 50, nullable=True))
    plan = plan_of(book, 2000, neighbors=neighbors)
    model = fit_source(open_source(frame, book), plan, seed=1)
    assert model.bill.loss <= plan.guarantee.total
    expected = bill_of_plan(plan, domain=book.domain)
    assert model.bill.losses[Stage.ONE_WAY_TABLES] == expected.losses[Stage.ONE_WAY_TABLES]
    for name, loss in model.bill.attribute_losses.items():
        assert loss <= expected.attribute_losses[name]


def ks(real, synthetic):
    values = np.unique(np.concatenate([real, synthetic]))
    ours, theirs = (np.searchsorted(np.sort(x), values, "right") / len(x) for x in (real, synthetic))
    return np.abs(ours - theirs).max()


def hard_columns(rows, rng):
    heaped = np.exp(rng.normal(10, 0.8, rows))
    return {
        "spike and tail": (
            number(high=99_999),
            np.where(rng.random(rows) < 0.9, 0, rng.integers(1, 9e4, rows)),
        ),
        "heaped": (number(high=999_999), np.where(rng.random(rows) < 0.8, np.round(heaped, -3), heaped // 1)),
        "cents": (number(high=10**9), np.floor(np.exp(rng.normal(9, 2.5, rows))).clip(0, 10**9)),
        "tiny": (number(high=3), rng.integers(0, 4, rows)),
        "constant": (number(high=1000), np.full(rows, 7)),
        "negative": (number(low=-500, high=500), np.round(rng.normal(-200, 30, rows))),
    }


@pytest.mark.parametrize("name", hard_columns(10, np.random.default_rng(0)))
def test_values_come_out_as_they_went_in(name):
    rng = np.random.default_rng(11)
    attribute, values = hard_columns(20_000, rng)[name]
    book = book_of(attribute)
    frame = pd.DataFrame({"x": values.astype(np.int64)})
    plan = plan_of(book, len(frame), method="independent")
    drawn = fit_source(open_source(frame, book), plan, seed=5).sample(rng=rng)["x"].to_numpy(dtype=float)
    assert ks(values, drawn) < 0.015
    assert drawn.min() >= attribute.minimum
    assert drawn.max() <= attribute.maximum
    assert (drawn % 1 == 0).all()


def test_the_commonest_value_keeps_its_share_and_missing_values_theirs():
    rng = np.random.default_rng(12)
    hours = pd.Series(np.where(rng.random(20_000) < 0.47, 40, rng.integers(1, 100, 20_000)), dtype="Int64")
    hours[rng.random(20_000) < 0.1] = pd.NA
    book = book_of(number("hours", 1, 99, nullable=True))
    plan = plan_of(book, len(hours), method="independent")
    source = open_source(pd.DataFrame({"hours": hours}), book)
    drawn = fit_source(source, plan, seed=2).sample(rng=rng)["hours"]
    assert (drawn == 40).mean() == pytest.approx((hours == 40).mean(), abs=0.01)
    assert drawn.isna().mean() == pytest.approx(0.1, abs=0.01)


def test_decimals_stay_and_dates_keep_their_format():
    rng = np.random.default_rng(13)
    entry = pd.to_datetime("2001-01-01") + pd.to_timedelta(rng.integers(0, 5000, 3000), unit="D")
    frame = pd.DataFrame({"grams": rng.gamma(2, 1.5, 3000).round(2), "entry": entry.strftime("%d.%m.%Y")})
    bounds = {"minimum": "01.01.1990", "maximum": "31.12.2030", "required": True}
    book = Codebook.from_dict(
        {
            "fields": [
                {
                    "name": "grams",
                    "type": "number",
                    "decimals": 2,
                    "bins": "learned",
                    "constraints": {"minimum": 0, "maximum": 40, "required": True},
                },
                {
                    "name": "entry",
                    "type": "date",
                    "format": "%d.%m.%Y",
                    "bins": "learned",
                    "constraints": bounds,
                },
            ]
        }
    )
    drawn = fit_source(open_source(frame, book), plan_of(book, 3000), seed=4).sample(rng=rng)
    grams = drawn["grams"].to_numpy(dtype=float)
    assert (grams == grams.round(2)).all()
    days = pd.to_datetime(drawn["entry"], format="%d.%m.%Y")
    assert days.min() >= pd.Timestamp("1990-01-01")
    assert abs((days.mean() - entry.mean()).days) < 300


def test_numbers_of_which_a_few_occur_come_out_as_these_and_no_others():
    rng = np.random.default_rng(15)
    rates, sizes = np.array([5.31, 5.32, 6.0, 6.07, 9.43, 12.61, 30.75]), np.array([50, 200, 350, 1000])
    rate = rng.choice(len(rates), 4000, p=[0.3, 0.1, 0.2, 0.2, 0.1, 0.08, 0.02])
    frame = pd.DataFrame({"rate": rates[rate], "size": sizes[np.minimum(rate, 3)]})
    required = {"minimum": 0, "maximum": 1100, "required": True}
    fields = [
        {"name": "rate", "type": "number", "values": rates.tolist(), "constraints": required},
        {"name": "size", "type": "integer", "values": sizes.tolist(), "constraints": required},
    ]
    book = Codebook.from_dict({"fields": fields})
    assert Codebook.from_dict(book.to_dict()).domain == book.domain
    model = fit_source(open_source(frame, book), plan_of(book, 4000), seed=4)
    drawn = model.sample(rng=rng)
    for name in frame:
        shares = [table[name].value_counts(normalize=True) for table in (frame, drawn)]
        assert set(shares[1].index) <= set(shares[0].index)
        assert (shares[0] - shares[1].reindex(shares[0].index, fill_value=0)).abs().max() < 0.02
    assert str(drawn["size"].dtype) == "Int64"
    assert drawn["rate"].astype(float).corr(drawn["size"].astype(float)) > 0.8 * frame.corr().iloc[0, 1]
    means = np.array(model.domain.attributes[0].bin_means)
    assert ((rates.min() <= means) & (means <= rates.max())).all()


def test_codes_alone_and_shares_without_one_way_tables_keep_equal_widths():
    rng = np.random.default_rng(14)
    frame = pd.DataFrame({"x": rng.integers(0, 9999, 500), "y": rng.integers(0, 9999, 500)})
    book = book_of(number(), number("y"))
    none = Shares.parse("one-way tables=0, similarity=0, structure=0.5, conditional tables=0.5")
    for source, options in (
        (MemorySource(encode_table(frame, book).codes, book.domain), {}),
        (open_source(frame, book), {"method": "privbayes", "shares": none}),
    ):
        model = fit_source(source, plan_of(book, 500, **options), seed=1)
        assert model.domain == book.domain


def test_little_budget_and_few_rows_still_give_a_table():
    book = book_of(number(nullable=True))
    frame = pd.DataFrame({"x": [1, 2, None]})
    plan = plan_of(book, 3, epsilon=0.01, method="independent")
    for seed in range(5):
        drawn = fit_source(open_source(frame, book), plan, seed=seed).sample(rng=np.random.default_rng(0))
        assert len(drawn) == 3


def test_without_noise_the_values_are_the_table_s_own():
    rng = np.random.default_rng(15)
    values = rng.choice([0, 10, 20, 30, 5555, 9999], 3000)
    book = book_of(number())
    plan = plan_of(book, 3000, method="noprivacy")
    account = accountant_for(plan, book.domain)
    table = open_source(pd.DataFrame({"x": values}), book)
    pieces = learn_values(table, [account.left(Stage.ONE_WAY_TABLES)], accountant=account, total=3000.0)
    (attribute,) = pieces.source.domain.attributes
    codes = attribute.pieces.codes_of(attribute.grid.positions(values))
    drawn = attribute.grid.values(
        attribute.pieces.positions(codes, spread_evenly(codes, rng.random(3000), rng))
    )
    assert ks(values, drawn) < 0.002


EXTREMES = {
    "one value on the grid": (Numeric(name="x", minimum=0.5, maximum=1.5, integer=True, learned=True), 1),
    "two values": (number(high=1), 1),
    "one code": (Numeric(name="x", minimum=0, maximum=1000, learned=True, bins=1), 500),
    "all missing": (number(nullable=True), None),
    "the largest range": (number(low=-(10**15), high=10**15), 10**14 + 1),
    "the smallest range": (Numeric(name="x", minimum=0, maximum=1e-9, learned=True), 5e-10),
    "a fine resolution": (Numeric(name="x", minimum=0, maximum=1, learned=True, resolution=1e-12), 0.25),
    "values outside": (number(high=10), 10**9),
}


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("guarantee", [("zcdp", 1e-9, "replace-one"), ("pure", None, "add-remove")])
def test_extreme_columns_come_out_inside_their_bounds(name, guarantee):
    attribute, value = EXTREMES[name]
    currency, delta, neighbors = guarantee
    book = book_of(attribute)
    frame = pd.DataFrame({"x": [value] * 300})
    plan = make_plan(
        guarantee_of(currency, 2.0, delta, neighbors), book.domain, n_rows=300, method="independent"
    )
    drawn = (
        fit_source(open_source(frame, book), plan, seed=1).sample(rng=np.random.default_rng(2))["x"].dropna()
    )
    numbers = drawn.to_numpy(dtype=float)
    assert ((numbers >= attribute.minimum) & (numbers <= attribute.maximum)).all()
    if value is None:
        assert len(drawn) < 100


def heaped_columns(rows, rng):
    """A column, and the share of its values that pass a test which heaps alone decide."""
    income = np.exp(rng.normal(10.3, 0.7, rows)).clip(0, 499_999)
    price = np.floor(np.exp(rng.normal(3, 1.2, rows))).clip(0, 1999) + rng.choice(
        [0.99, 0.5], rows, p=[0.7, 0.3]
    )
    minutes = rng.normal(660, 180, rows).clip(0, 1439)
    minutes = np.where(rng.random(rows) < 0.7, 15 * (minutes // 15), minutes // 1)
    days = np.datetime64("2015-01-01") + rng.integers(0, 3000, rows)
    days = np.where(rng.random(rows) < 0.6, days.astype("datetime64[M]").astype("datetime64[D]"), days)
    return {
        "hundreds": (
            number(high=499_999),
            np.where(rng.random(rows) < 0.8, np.round(income, -2), income // 1).astype(int),
            lambda x: (x.astype(int) % 100 == 0).mean(),
        ),
        "99 cents": (
            Numeric(name="x", minimum=0, maximum=2000, resolution=0.01, learned=True, bins=32),
            price.round(2),
            lambda x: (np.rint(x.astype(float) * 100) % 100 == 99).mean(),
        ),
        "quarters of an hour": (
            Numeric(name="x", minimum=0, maximum=86_399, integer=True, kind="time", learned=True, bins=32),
            np.array([f"{int(m) // 60:02d}:{int(m) % 60:02d}:00" for m in minutes]),
            lambda x: pd.Series(x).str[3:].isin(["00:00", "15:00", "30:00", "45:00"]).mean(),
        ),
        "first of the month": (
            Numeric(
                name="x", minimum=14_610, maximum=20_088, integer=True, kind="date", learned=True, bins=32
            ),
            days.astype(str),
            lambda x: (pd.Series(x).str[-2:] == "01").mean(),
        ),
        "no heaps": (
            number(high=499_999),
            income.astype(int),
            lambda x: (x.astype(int) % 10 == 0).mean(),
        ),
    }


@pytest.mark.parametrize("name", heaped_columns(10, np.random.default_rng(0)))
def test_heaps_finer_than_any_bin_come_back(name):
    rng = np.random.default_rng(21)
    attribute, values, share = heaped_columns(10_000, rng)[name]
    book = book_of(attribute)
    plan = plan_of(book, len(values), method="independent")
    drawn = fit_source(open_source(pd.DataFrame({"x": values}), book), plan, seed=3).sample(rng=rng)["x"]
    assert share(drawn.to_numpy()) == pytest.approx(share(values), abs=0.04)


def moments(seconds, rows, rng):
    days = 17_897 + rng.integers(0, 1500, rows)  # from 2019 on
    weekend = (days + 3) % 7 >= 5
    days = np.where(weekend & (rng.random(rows) < 0.9), days - 2, days)
    return pd.Series((days * 86_400 + seconds).astype("datetime64[s]"))


def of_moments(values, *, days, resolution, seed, epsilon=1.0):
    """Fit a model to one column of moments: its bounds in days since 1970, its steps in seconds if any."""
    attribute = Numeric(
        name="x",
        minimum=days[0] * 86_400,
        maximum=days[1] * 86_400,
        kind="datetime",
        learned=True,
        bins=32,
        resolution=resolution,
        integer=resolution is None,
    )
    book = book_of(attribute)
    plan = plan_of(book, values.size, epsilon=epsilon, method="independent")
    return fit_source(open_source(pd.DataFrame({"x": values.astype(str)}), book), plan, seed=seed)


@pytest.mark.parametrize("name", ["office hours", "night", "any hour"])
def test_moments_come_back_at_their_hours_and_on_their_weekdays(name):
    rng = np.random.default_rng(23)
    rows = 10_000
    seconds = {
        "office hours": (rng.normal(13, 2, rows).clip(7, 19) * 3600).astype(int) // 300 * 300,
        "night": ((rng.normal(0, 2, rows) % 24) * 3600).astype(int),
        "any hour": rng.integers(0, 86_400, rows),
    }[name]
    values = moments(seconds, rows, rng)
    model = of_moments(values, days=(17_800, 19_800), resolution=None, seed=3)
    drawn = pd.to_datetime(model.sample(rng=rng)["x"])
    for part, many in (("hour", 24), ("day_of_week", 7)):
        real, synthetic = (
            np.bincount(getattr(column.dt, part), minlength=many) / rows for column in (values, drawn)
        )
        assert np.abs(real - synthetic).sum() / 2 < 0.06


def test_moments_at_midnight_keep_their_weekdays_and_every_look_is_named():
    rng = np.random.default_rng(24)
    values = moments(0, 10_000, rng)
    model = of_moments(values, days=(17_800, 19_800), resolution=86_400, seed=3)
    drawn = pd.to_datetime(model.sample(rng=rng)["x"])
    assert (drawn.dt.normalize() == drawn).all()
    real, synthetic = (np.bincount(column.dt.day_of_week, minlength=7) / 10_000 for column in (values, drawn))
    assert np.abs(real - synthetic).sum() / 2 < 0.06
    looks = {entry.what for entry in model.entries if "values of x" in entry.what}
    assert "values of x, weekdays" in looks
    assert not {look for look in looks if "hours" in look or "heaps" in look}


@pytest.mark.parametrize("seed", range(6))
def test_moments_of_one_night_are_drawn_though_noise_puts_some_on_other_weekdays(seed):
    """No row that the histogram knows lies on most weekdays, whatever their noisy counts say."""
    rng = np.random.default_rng(seed)
    minutes = 1_020 + np.append(rng.gamma(2.0, 60.0, 1050), rng.integers(400, 1500, 10)).astype(int)
    values = pd.Series((16_260 * 86_400 + 60 * minutes).astype("datetime64[s]"))
    model = of_moments(values, days=(16_000, 16_500), resolution=60, seed=seed, epsilon=20.0)
    drawn = pd.to_datetime(model.sample(rng=rng)["x"])
    assert (drawn.dt.normalize() == values.dt.normalize()[0]).mean() > 0.9


def test_a_value_that_many_rows_share_is_no_sign_of_a_heap_elsewhere():
    """Nine tenths at 0 do not make the other values multiples of anything."""
    rng = np.random.default_rng(22)
    values = np.where(rng.random(20_000) < 0.9, 0, rng.integers(1, 99_999, 20_000))
    book = book_of(number(high=99_999))
    plan = plan_of(book, 20_000, method="independent")
    drawn = (
        fit_source(open_source(pd.DataFrame({"x": values}), book), plan, seed=5)
        .sample(rng=rng)["x"]
        .to_numpy(int)
    )
    assert (drawn == 0).mean() == pytest.approx(0.9, abs=0.01)
    assert (drawn[drawn > 0] % 100 == 0).mean() < 0.03


STARTS = [np.array([0, 4, 8]), np.array([0, 2, 4, 8, 10]), np.array([0, 2, 4, 5, 6, 8, 10])]
PARENTS = [np.array([0, 0, 0]), np.array([0, 0, 1, 2, 2]), np.array([0, 1, 2, 2, 2, 3, 4])]
CELLS = np.array([0, 0, 1, 1, 2, 2, 3])


@pytest.mark.parametrize("total", [100.0, None])
def test_cells_and_the_histogram_are_joined_by_least_squares(total):
    """Brute force: every count that was measured, of a level or of cells, is a sum of intervals."""
    rng = np.random.default_rng(4)
    variances = (4.0, 9.0, 1.0)
    levels = tuple(
        Level(starts=s, parents=p, counts=rng.normal(20, 8, s.size), variance=v)
        for s, p, v in zip(STARTS, PARENTS, variances, strict=True)
    )
    fine = FineHistogram(starts=STARTS[-1], counts=np.ones(7), size=12, nullable=False, levels=levels)
    own = rng.normal(30, 8, 4)

    class Told:
        def measure(self, marginal, **_):
            return NoisyMarginal(attributes=(0,), counts=own, noise="gaussian", scale=2.5)

    table, _, _ = source([5, 7, 9], number(high=11))
    found, covariance = _counted(table, 0, fine, CELLS, accountant=Told(), loss=LOSS, total=total)

    ends = np.append(STARTS[-1][1:], 12)
    rows, counts, noise = [], [], []
    for level in levels:
        for low, high, count in zip(level.starts, np.append(level.starts[1:], 12), level.counts, strict=True):
            rows.append((STARTS[-1] >= low) & (ends <= high))
            counts.append(count)
            noise.append(level.variance)
    of_cells = (np.arange(4)[:, None] == CELLS).astype(float)
    rows = np.array([*rows, *of_cells], dtype=float)
    counts, noise = np.append(counts, own), np.array([*noise, *[2.5**2] * 4])
    basis, start = np.eye(7), np.zeros(7)
    if total is not None:  # of all counts that sum to the total
        basis, start = np.linalg.svd(np.ones((1, 7)))[2][1:].T, np.full(7, total / 7)
    inner = np.linalg.inv(basis.T @ rows.T @ (rows / noise[:, None]) @ basis)
    best = start + basis @ inner @ basis.T @ rows.T @ ((counts - rows @ start) / noise)
    assert found == pytest.approx(of_cells @ best)
    assert covariance == pytest.approx(of_cells @ basis @ inner @ basis.T @ of_cells.T, abs=1e-9)


@pytest.mark.parametrize("neighbors", ["replace-one", "add-remove"])
def test_a_table_over_learned_bins_says_how_its_errors_hang_together(neighbors):
    """With N public no error is in the sum, and neighbouring codes err against each other."""
    values = np.random.default_rng(3).normal(5000, 900, 5000).round().clip(0, 9999)
    book = book_of(number())
    plan = plan_of(book, 5000, neighbors=neighbors)
    account = accountant_for(plan, book.domain, seed=2)
    public = neighbors == "replace-one"
    loss = account.left(Stage.ONE_WAY_TABLES)
    learned = learn_values(
        open_source(pd.DataFrame({"x": values}), book),
        [loss],
        accountant=account,
        total=5000.0 if public else None,
    )
    table = learned.measured[0]
    assert table.covariance.shape == (table.counts.size, table.counts.size)
    assert np.linalg.eigvalsh(table.covariance).min() > -1e-6
    assert np.diag(table.covariance).mean() == pytest.approx(table.noise_sd**2)
    if public:
        assert table.counts.sum() == pytest.approx(5000)
        assert table.covariance.sum(axis=0) == pytest.approx(np.zeros(table.counts.size), abs=1e-6)
    else:
        assert table.covariance.sum() > 0.1 * table.noise_sd**2


def test_a_round_number_that_hardly_any_value_shows_is_no_heap_by_its_noise():
    """Of 10,000 rows an even spread has 2 at multiples of 5,000; a count of 1.9 deviations is noise."""
    even = np.array([2.0, 500.0, 9498.0])
    for deviations, kept in ((1.9, False), (3.5, True)):
        counts = np.array([2 + 30 * deviations, 3000.0, 6998.0])
        wanted = _wanted(counts, np.full(3, 30.0), even)
        assert wanted.sum() == pytest.approx(10_000)
        assert wanted[1] == pytest.approx(3000, abs=150)
        assert (wanted[0] > 60) == kept
        assert kept or wanted[0] <= 2


def test_positions_that_no_heap_makes_likely_share_what_their_cell_has():
    """A cell of which no position has a mark, hour and weekday that was found."""
    cells, rows = np.array([0, 0, 1]), np.array([6.0, 5.0])

    found = spread_inside(np.zeros(3), np.array([0.0, 0.0, 2.0]), cells, rows)

    assert found.tolist() == [3.0, 3.0, 5.0]
