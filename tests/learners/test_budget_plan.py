"""What to spend on: pairs where they can be seen, the one-way tables where nothing else can."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from hmpb_core.domain import Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.learners.adaptive.budget_plan import BudgetPlan, _reach
from hmpb_core.learners.adaptive.pair_prior import PairPrior
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.privacy.budget import Stage
from hmpb_core.sources.memory import MemorySource
from hmpb_core.stages.similarity import SimilarityMatrix
from hmpb_core.synthesis import fit_source, make_plan

ATTRIBUTES, VALUES, TOTAL = 6, 4, 10_000.0
PAIRS = list(itertools.combinations(range(ATTRIBUTES), 2))


def prior(strength: np.ndarray, noise_sd: float) -> PairPrior:
    return PairPrior(
        one_way=(np.full(VALUES, TOTAL / VALUES),) * ATTRIBUTES,
        total=TOTAL,
        strength=strength,
        noise_sd=noise_sd,
        cluster_of=(0,) * ATTRIBUTES,
        kept=np.ones((ATTRIBUTES, ATTRIBUTES), dtype=bool),
    )


def budget_plan(strength: float, *, noise_sd: float = 1.0, whole: float = 10.0) -> BudgetPlan:
    """All pairs alike; a table measured with the whole budget has noise ``whole``."""
    values = np.full((ATTRIBUTES, ATTRIBUTES), strength)
    return BudgetPlan(prior(values, noise_sd), PAIRS, lambda part: whole / math.sqrt(part))


def profile(noise_sd: float) -> list[NoisyMarginal]:
    counts = np.full(VALUES, TOTAL / VALUES)
    return [
        NoisyMarginal(attributes=(a,), counts=counts, noise="gaussian", scale=noise_sd)
        for a in range(ATTRIBUTES)
    ]


EVEN = [1 / ATTRIBUTES] * ATTRIBUTES


def test_strong_pairs_take_all() -> None:
    plan = budget_plan(4000.0)
    assert plan.part_of_one_way(profile(20.0), EVEN) == 0.0
    assert plan.pairs_planned() == 14  # the most of the numbers tried that 15 pairs allow


def test_where_no_pair_can_be_seen_the_one_way_tables_take_all() -> None:
    assert budget_plan(0.0).part_of_one_way(profile(500.0), EVEN) == 1.0


def test_pairs_that_promise_next_to_nothing_are_not_looked_for() -> None:
    # A table measured with the whole budget is off by 8 * 80 = 638 rows: a dependence of 650 is barely more.
    assert budget_plan(650.0, whole=100.0).part_of_one_way(profile(20.0), EVEN) == 1.0
    assert budget_plan(900.0, whole=100.0).part_of_one_way(profile(20.0), EVEN) < 1.0


@pytest.mark.parametrize(("attributes", "reach"), [(2, 1.0), (19, 1.0), (38, 2.0), (57, 3.0), (500, 3.0)])
def test_a_pair_reaches_farther_in_a_wider_table(attributes: int, reach: float) -> None:
    assert _reach(attributes) == reach


def test_one_way_tables_known_well_are_left_alone() -> None:
    assert budget_plan(1500.0, whole=200.0).part_of_one_way(profile(1.0), EVEN) == 0.0


def test_no_pair_that_costs_more_than_it_mends_is_counted_on() -> None:
    # Measured with the whole budget a cell is off by 0.8 * 100 on average, a table by 8 * 80 = 638.
    assert budget_plan(600.0, whole=100.0).pairs_planned() == 1
    # An eighth of the budget for each of eight pairs: off by 1805 each; a sixth for six: 1563.
    assert budget_plan(1700.0, whole=100.0).pairs_planned() in (1, 2, 3, 4)


def test_similarities_that_are_all_noise_promise_nothing() -> None:
    signs = np.array([1 if (i + j) % 2 else -1 for i in range(ATTRIBUTES) for j in range(ATTRIBUTES)])
    values = 2500.0 * signs.reshape(ATTRIBUTES, ATTRIBUTES)  # every other pair looks strong
    plan = BudgetPlan(prior(values, 5000.0), PAIRS, lambda part: 100.0 / math.sqrt(part))
    trusting = BudgetPlan(prior(values, 1.0), PAIRS, lambda part: 100.0 / math.sqrt(part))
    assert trusting.part_of_one_way(profile(300.0), EVEN) == 0.0
    assert plan.part_of_one_way(profile(300.0), EVEN) == 1.0


def test_a_pattern_that_many_pairs_share_is_seen_in_noise_that_hides_each_of_them() -> None:
    d, rng = 90, np.random.default_rng(7)
    pairs = list(itertools.combinations(range(d), 2))
    noise = np.triu(rng.normal(0, 0.38, (d, d)), 1)
    alike = np.zeros((d, d))
    alike[:30, :30] = 0.35
    similarity = SimilarityMatrix(
        measure="tvd", names=tuple(map(str, range(d))), values=alike + noise + noise.T, noise_sd=0.38
    )
    halves = [np.full(2, TOTAL / 2)] * d
    known = PairPrior.of(halves, TOTAL, similarity, [range(d)], eta=0.0)
    tables = [
        NoisyMarginal(attributes=(a,), counts=table, noise="gaussian", scale=150.0)
        for a, table in enumerate(halves)
    ]

    def part(of: PairPrior) -> float:
        plan = BudgetPlan(of, pairs, lambda part: 150.0 / math.sqrt(part))
        return plan.part_of_one_way(tables, [1 / d] * d)

    assert known.likely_sd < known.noise_sd
    assert part(replace(known, likely=known.strength, likely_sd=known.noise_sd)) == 1.0
    assert part(known) < 1.0


@pytest.mark.parametrize(("currency", "looks"), [("zcdp", 2), ("pure", 1)])
def test_only_gaussian_one_way_tables_are_measured_again(currency: str, looks: int) -> None:
    domain = Domain.of_sizes([8] * 12)
    codes = np.random.default_rng(1).integers(0, 8, (2000, 12))  # independent columns
    plan = make_plan(guarantee_of(currency, 0.2, None, "replace-one"), domain, n_rows=len(codes))
    model = fit_source(MemorySource(codes, domain), plan, seed=0)
    assert not [e for e in model.entries if " and " in e.what]  # no pair promises anything
    assert not [e for e in model.entries if e.act == "select"]
    again = [e for e in model.entries if e.stage is Stage.CONDITIONAL_TABLES]
    assert len(again) == looks * 12  # all that is left goes to the one-way tables, under zcdp in two looks
    assert float(model.bill.total) == pytest.approx(0.2)


def test_a_budget_too_small_for_pairs_is_not_wasted_on_them() -> None:
    domain = Domain.of_sizes([8] * 12)
    rng = np.random.default_rng(2)
    codes = np.minimum(rng.geometric(0.4, (3000, 12)) - 1, 7)
    guarantee = guarantee_of("zcdp", 0.1, None, "replace-one")

    def error(method: str) -> float:
        plan = make_plan(guarantee, domain, n_rows=len(codes), method=method)
        errors = []
        for seed in range(6):
            made = fit_source(MemorySource(codes, domain), plan, seed=seed).sample_codes(
                rng=np.random.default_rng(seed)
            )
            errors += [
                0.5
                * np.abs(np.bincount(codes[:, a], minlength=8) - np.bincount(made[:, a], minlength=8)).sum()
                for a in range(12)
            ]
        return float(np.mean(errors)) / len(codes)

    assert error("hmprivbayes") < 1.1 * error("independent")
