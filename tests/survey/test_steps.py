"""What divides all numbers of a column is said where the rows that can tell show it, and noise hides few."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.survey.cells import Kind, count
from hmpb_core.survey.fields import field_of, number_field
from hmpb_core.survey.looks import look_at
from hmpb_core.survey.sketches import Sketch
from tests.thorough import sample

ONE_STAGE = Shares.from_weights(one_way_tables=1, similarity=0, structure=0, conditional_tables=0)
COLUMNS, ROWS = 8, 20_000
SEEDS = range(6)


def steps(values, *, epsilon):
    """What is said to divide all values, of surveys with different noise."""
    counted = count(pd.Series(values).astype(str), frozenset({""}), with_texts=False)
    others = count(pd.Series(["a"] * len(values)), frozenset({""}), with_texts=False)
    table = {"x": counted} | {f"y{place}": others for place in range(COLUMNS - 1)}
    found = []
    for seed in SEEDS:
        budget = Budget(guarantee=Guarantee(epsilon=epsilon), shares=ONE_STAGE)
        account = Accountant(budget, protection="seeded", seed=seed)
        field = field_of({"name": "x"}, look_at(table, account, delta=0)["x"]) or {}
        found.append(Fraction(field.get("multipleOf", 1)))
    return np.array(found)


def amounts(step, part, *, of=1):
    """Amounts that a step divides, but for a part, which another divides."""
    rng = np.random.default_rng(1)
    steps = np.where(rng.random(ROWS) < part, of, step)
    return np.maximum(np.rint(rng.lognormal(9.5, 0.8, ROWS) / steps), 1).astype(int) * steps


@pytest.mark.parametrize("epsilon", [0.05, 0.2])
def test_one_common_value_says_nothing_of_what_divides_the_others(epsilon):
    rng = np.random.default_rng(0)
    others = np.round(rng.gamma(4, 6.5, ROWS), 2).astype(str)
    hours = np.where(rng.random(ROWS) < 0.93, "45", others)
    assert (steps(hours, epsilon=epsilon) == 1).all()


@pytest.mark.parametrize(("step", "part", "of"), [(1000, 0.15, 500), (100, 0.11, 50), (100, 0.11, 1)])
@pytest.mark.parametrize("epsilon", sample([0.1, 0.2], 2))
def test_no_step_is_said_that_a_tenth_of_the_rows_breaks(step, part, of, epsilon):
    assert (steps(amounts(step, part, of=of), epsilon=epsilon) < step).all()


@pytest.mark.parametrize("step", [5, 10, 100, 1000])
def test_a_step_of_all_rows_is_said(step):
    assert (steps(amounts(step, 0.0), epsilon=1.0) == step).all()


@pytest.mark.parametrize(("high", "decimals"), [(1, None), (64, None), (1024, 4), (65_536, 3), (1e12, None)])
def test_bounds_far_too_wide_leave_numbers_of_many_decimals_apart(high, decimals):
    field = {"name": "x"} | number_field(0.0, high, Sketch(kind=Kind.DECIMALS, rows=9.0))
    assert field.get("decimals") == decimals
    latitudes = np.random.default_rng(0).normal(40.7, 0.02, 5000).round(6)
    grid = Codebook.from_dict({"fields": [field]}).domain.attributes[0].grid
    if 64 <= high <= 1024:
        assert len(set(grid.positions(latitudes).tolist())) > 500


@pytest.mark.parametrize(("made", "kept"), [(3, 3), (5, 5), (6, 6), (8, 8), (14, None)])
def test_numbers_keep_the_decimals_that_the_file_has_unless_a_computer_made_them(made, kept):
    latitudes = np.random.default_rng(0).normal(40.7, 0.2, ROWS).round(made)
    counted = {"x": count(pd.Series(latitudes).astype(str), frozenset({""}), with_texts=False)}
    assert counted["x"].decimals.sum() == counted["x"].kinds[Kind.DECIMALS]
    account = Accountant(
        Budget(guarantee=Guarantee(epsilon=0.3), shares=ONE_STAGE), protection="seeded", seed=0
    )
    look = look_at(counted, account, delta=0)["x"]
    assert look.sketch.decimals == kept
    field = field_of({"name": "x"}, look)
    assert kept is None or field["decimals"] == kept


def test_a_bound_that_would_be_written_as_zero_is_zero():
    for kind, low, least in ((Kind.DECIMALS, -(2.0**-35), 0.0), (Kind.TWO_DECIMALS, -0.5, -0.5)):
        found = number_field(low, 256.0, Sketch(kind=kind, rows=9.0))
        assert found["constraints"]["minimum"] == least
