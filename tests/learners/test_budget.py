"""What the adaptive learner spends on each look, tick by tick, and what a look is worth."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from hmpb_core.domain import Domain
from hmpb_core.learners.adaptive.budget import TICKS, LearnerBudget
from hmpb_core.learners.adaptive.scores import ExactTables
from hmpb_core.learners.base import Context
from hmpb_core.marginal import Marginal, NoisyMarginal
from hmpb_core.merging import merges_of
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.sources.memory import MemorySource

F = Fraction
TABLE = Marginal(attributes=(0,), counts=np.array([50, 50]))


def accountant(shares: str = "structure=1/4, conditional tables=3/4", epsilon: float = 8.0) -> Accountant:
    guarantee = Guarantee(epsilon=epsilon, delta=0.0, currency=Currency.PURE)
    return Accountant(Budget(guarantee=guarantee, shares=Shares.parse(shares)), protection="none")


def test_selections_and_measurements_take_the_same_parts_and_end_together() -> None:
    door = accountant()  # 2 for the structure, 6 for the tables
    budget = LearnerBudget(door, ["a", "b"], [1.0, 1.0])
    budget.unit = TICKS // 4
    while budget.left:
        budget.select([1.0, 0.0])
        budget.measure(TABLE, 0)
    assert [entry.loss for entry in door.entries] == [F(1, 2), F(3, 2)] * 4


def test_a_table_costs_the_weight_of_its_child_over_the_mean_between_an_eighth_and_eight() -> None:
    budget = LearnerBudget(accountant(), ["a", "b", "c"], [0.01, 1.0, 100.0])
    assert budget.factors == pytest.approx([0.125, 0.125, 100 / (101.01 / 3)])
    budget.unit = 8000
    assert [budget.price(a) for a in range(3)] == [1000, 1000, round(8000 * 300 / 101.01)]
    assert budget.price(0, 80) == 10


def test_what_is_to_be_kept_is_kept() -> None:
    door = accountant()
    budget = LearnerBudget(door, ["a"], [1.0])
    budget.measure(TABLE, 0, keep=TICKS // 4)
    assert budget.left >= TICKS // 4
    assert door.left(Stage.CONDITIONAL_TABLES) == 6 * F(budget.left, TICKS)


@pytest.mark.parametrize(("shares", "structure"), [("structure=1/4", [1, 1]), ("structure=0", [])])
def test_where_no_pair_is_worth_it_weights_share_the_tables_part_and_the_structures_is_shared_evenly(
    shares: str, structure: list[int]
) -> None:
    """Two attributes of as many values, one three times as heavy: a quarter and three quarters."""
    door = accountant(f"{shares}, conditional tables=3/4, one-way tables={'0' if structure else '1/4'}")
    source = MemorySource(np.zeros((400, 2), dtype=np.int64), Domain.of_sizes([4, 4]))
    profile = [
        NoisyMarginal(attributes=(a,), counts=np.full(4, 100.0), noise="laplace", scale=1.0) for a in range(2)
    ]
    budget = LearnerBudget(door, ["a", "b"], [1.0, 3.0])
    better = budget.spend_on_one_way(source, profile, merges_of(profile, 400.0))
    spent = {stage: [e.loss for e in door.entries if e.stage is stage] for stage in Stage}
    assert spent[Stage.CONDITIONAL_TABLES] == [F(3, 2), F(9, 2)]
    assert spent[Stage.STRUCTURE] == structure
    assert budget.left == 0
    assert [table.attributes for table in better] == [(0,), (1,)]


def test_a_score_is_what_the_model_is_off_less_most_of_what_noise_would_leave() -> None:
    """Off by 4 in each of four cells: 8 rows. Noise of 5 leaves four times 3.989 / 2; of it 0.85 counts."""
    rows = np.repeat([[0, 0], [0, 1], [1, 0]], [60, 20, 20], axis=0)
    tables = ExactTables(MemorySource(rows, Domain.of_sizes([2, 2])))
    model = {(0, 1): np.array([[64.0, 16.0], [16.0, 4.0]])}
    assert tables.gains([(0, 1)], model, {(0, 1): 5.0}) == pytest.approx([8 - 0.85 * 2 * 3.98942], abs=1e-4)


def test_the_largest_useful_table_has_four_times_its_noise_in_each_cell_on_average() -> None:
    """6,400 rows; an eighth of epsilon 8 for each of four attributes' tables has the scale 2: 800 cells."""
    door = accountant("conditional tables=1/2, one-way tables=1/2")
    context = Context(
        source=MemorySource(np.zeros((9, 4), dtype=np.int64), Domain.of_sizes([2] * 4)),
        plan=None,
        one_way=SimpleNamespace(total=6400.0),
        similarity=None,
        clustering=None,
        weights=(),
        accountant=door,
        rng=np.random.default_rng(0),
        clock=None,
        owners=(),
    )
    assert context.useful_cells() == pytest.approx(6400 / (4 * 2))
