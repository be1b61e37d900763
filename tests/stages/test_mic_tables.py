"""MIC of many tables at once is MIC of each; its band holds what noise alone shows."""

import numpy as np
import pytest

from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.facade import guarantee_of
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.report.model_mic import measured_pairs, model_mic, pair_noise
from hmpb_core.sources.memory import MemorySource
from hmpb_core.stages.mic_tables import mics, noise_bands
from hmpb_core.stages.similarity import grid_limit, grid_mic, mic_values, pairs_of
from hmpb_core.synthesis import fit_source, make_plan

ORDERED = Numeric(name="x", minimum=0, maximum=6, bins=6)
LISTED = Categorical(name="y", categories=tuple("abcd"))


def test_many_tables_at_once_have_the_mic_that_each_has():
    tables = np.random.default_rng(1).integers(0, 90, (20, 6, 4))
    together = mics(tables.astype(float), ORDERED, LISTED, limit=500.0)
    alone = [grid_mic(table, ORDERED, LISTED, limit=500.0) for table in tables]
    assert together == pytest.approx(alone)


@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_unrelated_noisy_tables_lie_within_the_band(ridge):
    rng = np.random.default_rng(2)
    first, second = np.full((400, 6), 1 / 6), np.full((400, 4), 1 / 4)
    sd = np.full(400, 0.01)
    bands = noise_bands((first, second), (ORDERED, LISTED), sd, limit=500.0, ridge=ridge, rng=rng)
    left = 0.01 / (1 + ridge * 24 * 0.01**2 * 24)  # of the noise, after the fit's shrinkage
    noisy = np.maximum(1 / 24 + rng.normal(0, left, (400, 6, 4)), 0)
    within = (mics(noisy, ORDERED, LISTED, limit=500.0) <= bands).mean()
    assert 0.93 < within <= 1
    assert (noise_bands((first, second), (ORDERED, LISTED), 0 * sd, limit=500.0, ridge=0, rng=rng) == 0).all()


@pytest.fixture(scope="module")
def table():
    """Two that move together, one that moves with them a little, two that are alone."""
    rng = np.random.default_rng(4)
    base = rng.integers(0, 6, 8000)
    near = np.where(rng.random(8000) < 0.7, base, rng.integers(0, 6, 8000))
    weak = np.where(rng.random(8000) < 0.3, base, rng.integers(0, 6, 8000))
    alone = rng.integers(0, 6, (8000, 2))
    return np.column_stack([base, near, weak, alone]).astype(np.int32)


@pytest.mark.parametrize("currency", ["zcdp", "pure"])
@pytest.mark.parametrize("learner", ["adaptive", "ibayes"])
def test_mic_off_the_model_is_near_that_of_the_table_and_its_band_tells_noise(table, learner, currency):
    domain = Domain.of_sizes([6] * 5)
    guarantee = guarantee_of(currency, 0.5, None, "replace-one")
    plan = make_plan(guarantee, domain, n_rows=8000, clusters=1, learner=learner)
    model = fit_source(MemorySource(table, domain), plan, seed=5)
    found, upper = model_mic(model, rng=np.random.default_rng(0)), np.triu_indices(5, 1)
    exact = mic_values(MemorySource(table, domain), pairs_of(5))
    assert np.abs(found.values[upper] - exact).max() < 0.1
    assert found.values[0, 1] > found.bands[0, 1]
    assert found.values[3, 4] <= found.bands[3, 4]
    assert found.values == pytest.approx(found.values.T)
    again = model_mic(model, rng=np.random.default_rng(0))
    assert (again.values == found.values).all()  # the same picture at every look


def test_the_noise_of_a_pair_is_that_of_its_paid_table(table):
    domain = Domain.of_sizes([6] * 5)
    plan = make_plan(Guarantee(epsilon=1.0), domain, n_rows=8000)
    model = fit_source(MemorySource(table, domain), plan, seed=6)
    noise, measured = pair_noise(model), measured_pairs(model)
    looks = {}
    for act in model.entries:
        if act.stage is Stage.CONDITIONAL_TABLES and len(act.attribute_loss) == 2:
            looks.setdefault(tuple(sorted(a for a, _ in act.attribute_loss)), []).append(act.scale)
    assert looks
    for pair, scales in looks.items():
        assert noise[pair] == pytest.approx(sum(scale**-2 for scale in scales) ** -0.5)
        assert measured[pair]
    assert measured.sum() == 2 * len(looks)
    assert noise[np.triu_indices(5, 1)].min() > 0


def test_without_tables_of_pairs_no_dependence_can_be_told_from_chance(table):
    domain = Domain.of_sizes([6] * 5)
    plan = make_plan(Guarantee(epsilon=1.0), domain, n_rows=8000, method="independent")
    model = fit_source(MemorySource(table, domain), plan, seed=7)
    found = model_mic(model, rng=np.random.default_rng(0))
    assert (found.values <= found.bands).all()
    assert not found.measured.any()
    assert found.values.max() < 0.01
    assert grid_limit(8000) == pytest.approx(8000**0.6)


def test_of_a_list_too_long_for_its_grids_mic_tells_nothing_and_says_so():
    rng = np.random.default_rng(2)
    codes = np.column_stack([rng.integers(0, 120, 3000), rng.integers(0, 3, (3000, 2)).T[0]]).astype(np.int32)
    domain = Domain(
        (
            Categorical(name="industry", categories=tuple(f"i{k}" for k in range(120))),
            Categorical(name="sector", categories=("a", "b", "c")),
        )
    )
    plan = make_plan(Guarantee(epsilon=5.0), domain, n_rows=3000)
    found = model_mic(fit_source(MemorySource(codes, domain), plan, seed=1), rng=np.random.default_rng(0))
    assert grid_limit(3000) <= 120 * 2  # the smallest grid that there is has more cells than MIC allows
    assert not found.told[0, 1]
    assert not found.told[1, 0]
    assert found.values[0, 1] <= found.bands[0, 1]
    assert found.bands[0, 1] == 1.0
