"""Intervals from replicates: the formula by hand, and that they cover noise and sampling."""

import os

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hmpb_core import Codebook, Guarantee, HMPrivBayes, InputError, PlanError, combine, make_plan, open_source
from hmpb_core.replication import apart, replicates
from hmpb_core.synthesis import fit_source

RUNS = 200 if os.environ.get("HMPB_SLOW") == "1" else 24
CODEBOOK = Codebook.from_dict(
    {
        "fields": [
            {"name": "x", "categories": ["0", "1"], "constraints": {"required": True}},
            {"name": "y", "categories": ["0", "1", "2"], "constraints": {"required": True}},
        ]
    }
)


def draw(n, rng):
    x = rng.integers(0, 2, n)
    y = np.minimum(x + (rng.random(n) < 0.3) + (rng.random(n) < 0.2), 2)
    return pd.DataFrame({"x": x.astype(str), "y": y.astype(str)})


def figures(frame):
    """A share, a mean and a regression coefficient."""
    x, y = frame["x"].to_numpy().astype(float), frame["y"].to_numpy().astype(float)
    return np.array([x.mean(), y.mean(), np.cov(x, y)[0, 1] / x.var(ddof=1)])


def test_the_variance_is_the_mean_squared_distance_from_the_released_estimate():
    found = combine(10.0, [9.0, 11.0, 12.0, 8.0, 10.0])  # squares 1, 1, 4, 4, 0: their mean is 2
    half = stats.t.ppf(0.975, 5) * np.sqrt(2)
    assert float(found.standard_error) == pytest.approx(np.sqrt(2))
    assert (float(found.low), float(found.high)) == pytest.approx((10 - half, 10 + half))
    assert float(found.bias) == 0
    assert found.noise_share is None


def test_a_bias_widens_the_interval_and_is_told():
    found = combine([0.0, 0.0], [[1.0, -1.0]] * 6)
    assert found.standard_error.tolist() == [1.0, 1.0]
    assert found.bias.tolist() == [1.0, -1.0]


def test_noise_and_sampling_are_told_apart():
    found = combine(0.0, [2.0, -2.0, 2.0, -2.0, 2.0], sampling_variance=1.0)
    assert float(found.noise_share) == pytest.approx(0.75)
    assert found.to_dict()["noise_share"] == pytest.approx(0.75)
    assert float(combine(0.0, [1.0, -1.0] * 3, sampling_variance=2.0).noise_share) == 0
    assert float(combine(3.0, [3.0] * 5, sampling_variance=1.0).noise_share) == 0  # nothing varies by noise


def test_what_pairs_hide_adds_a_third_of_its_squared_distance():
    """Squares 9 and 36: 9 + 36 / 3 = 21, of which the pairs make 12."""
    found = combine([0.0, 1.0], [[3.0, 1.0], [-3.0, 1.0]] * 3, possible=[[6.0, 1.0], [-6.0, 1.0]] * 3)
    assert found.standard_error.tolist() == pytest.approx([np.sqrt(21), 0])
    assert found.hidden_share is not None
    assert found.hidden_share.tolist() == pytest.approx([12 / 21, 0])
    assert found.to_dict()["hidden_share"] == pytest.approx([12 / 21, 0])
    for possible in ([[6.0, 1.0]] * 4, [6.0] * 6, 6.0):
        with pytest.raises(InputError, match="possible tables must be 5 or more"):
            combine([0.0, 1.0], [[3.0, 1.0]] * 6, possible=possible)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_lies_between_0_and_1(level):
    with pytest.raises(InputError, match="must lie between 0 and 1"):
        combine(0.0, [1.0] * 5, level=level)


@pytest.mark.parametrize(
    ("released", "again"),
    [
        (1.0, [1.0, 2.0, 3.0, 4.0]),
        ([1.0, 2.0], [[1.0], [2.0], [3.0], [4.0], [5.0]]),
        (1.0, [1.0, 2.0, 3.0, 4.0, float("nan")]),
        (1.0, 3.0),
        (1.0, ["a"] * 5),
    ],
)
def test_what_gives_no_interval_is_refused(released, again):
    with pytest.raises(InputError):
        combine(released, again)


def test_replicates_have_the_columns_and_rows_of_a_release_and_a_seed_repeats_them():
    frame = draw(600, np.random.default_rng(1))
    model = HMPrivBayes(epsilon=1.0, seed=1).fit(frame, CODEBOOK)
    first, second = (model.replicates(2, rng=np.random.default_rng(5)) for _ in range(2))
    assert [len(t) for t in first] == [600, 600]
    assert all(a.equals(b) for a, b in zip(first, second, strict=True))
    assert not first[0].equals(first[1])
    with pytest.raises(PlanError):
        model.replicates(0)


def test_replicates_differ_by_noise_where_mere_copies_do_not():
    rng = np.random.default_rng(3)
    plan = make_plan(Guarantee(epsilon=0.3), CODEBOOK.domain, n_rows=1000)
    model = fit_source(open_source(draw(1000, rng), CODEBOOK), plan, seed=3)
    copies = np.array([figures(model.sample(rng=rng)) for _ in range(15)])
    again = np.array([figures(t) for t in replicates(model, CODEBOOK, 15, rng=rng)])
    assert (again.std(axis=0) > 3 * copies.std(axis=0)).all()


def test_pairs_that_the_model_does_not_hold_are_named():
    frame = draw(500, np.random.default_rng(2))
    lonely = HMPrivBayes(epsilon=1.0, method="independent", seed=1).fit(frame, CODEBOOK)
    assert apart(lonely.model_) == [("x", "y")]
    assert apart(lonely.model_, ["y"]) == []
    joined = HMPrivBayes(epsilon=20.0, seed=1).fit(frame, CODEBOOK)
    assert apart(joined.model_) == []


@pytest.mark.slow
def test_intervals_cover_the_population_nineteen_times_in_twenty():
    """Figures of one run move together, so that 24 runs tell 95 % from 80 %, not from 93 %."""
    truth = np.array([0.5, 1.0, 0.0])
    truth[1:] = figures(draw(1_000_000, np.random.default_rng(0)))[1:]
    plan = make_plan(Guarantee(epsilon=1.0), CODEBOOK.domain, n_rows=1000)
    held = []
    for run in range(RUNS):
        rng = np.random.default_rng(run)
        model = fit_source(open_source(draw(1000, rng), CODEBOOK), plan, seed=run)
        released = figures(model.sample(rng=rng))
        found = combine(released, [figures(t) for t in replicates(model, CODEBOOK, 6, rng=rng)])
        held.append((found.low <= truth) & (truth <= found.high))
    covered = np.mean(held)
    assert covered >= 0.86
