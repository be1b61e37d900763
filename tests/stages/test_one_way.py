"""One-way tables: their total, and a column without missing values, which gets none by noise."""

from fractions import Fraction

import numpy as np
import pytest

from hmpb_core import Guarantee, make_plan, synthesize
from hmpb_core.domain import Categorical, Domain
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.network import ConditionalTable, Family
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.rules.zeros import without_codes
from hmpb_core.sources.memory import MemorySource
from hmpb_core.stages.one_way import OneWayTables, measure_one_way

ROWS = 2000
DOMAIN = Domain(tuple(Categorical(name=f"x{i}", categories=("a", "b", "c"), nullable=True) for i in range(8)))


def table(missing_of_the_last):
    """Rows of related columns, of which the last alone has missing values."""
    rng = np.random.default_rng(4)
    first = rng.integers(0, 3, ROWS)
    codes = np.stack(
        [np.where(rng.random(ROWS) < 0.7, first, rng.integers(0, 3, ROWS)) for _ in DOMAIN.names], 1
    )
    codes[rng.random(ROWS) < missing_of_the_last, -1] = 3
    return codes.astype(np.int32)


def test_only_the_column_that_has_missing_values_gets_some():
    codes = table(0.2)
    shares = []
    for seed in range(4):
        plan = make_plan(Guarantee(epsilon=0.7), DOMAIN, n_rows=ROWS, method="independent")
        model, _ = synthesize(MemorySource(codes, DOMAIN), plan, seed=seed)
        shares.append((model.sample_codes(rng=np.random.default_rng(seed)) == 3).mean(axis=0))
    assert np.mean(np.array(shares)[:, :-1] > 0) < 0.2, "in one of 44 by chance"
    assert np.mean(shares, axis=0)[-1] == pytest.approx(0.2, abs=0.04)


@pytest.mark.parametrize(
    ("count", "sd", "none"),
    [(19.0, 10.0, True), (21.0, 10.0, False), (-5.0, 10.0, True), (40.0, 50.0, False)],
)
def test_missing_values_are_noise_below_two_deviations_and_three_percent_of_the_rows(count, sd, none):
    domain = Domain(DOMAIN.attributes[:1])
    measured = NoisyMarginal(
        attributes=(0,), counts=np.array([500.0, 300.0, 200.0, count]), noise="gaussian", scale=sd
    )
    known = OneWayTables(
        source=MemorySource(np.zeros((1000, 1), dtype=np.int32), domain),
        measured=(measured,),
        probabilities=(),
        total=1000.0,
    )
    assert known.unseen == ({0: (3,)} if none else {})


def test_the_category_for_what_is_not_listed_is_noise_as_missing_values_are_and_listed_ones_never():
    rest = Categorical(name="x", categories=("a", "(other)", "b"), unknown="(other)", nullable=False)
    for counts, codes in (([500.0, 15.0, 5.0], {0: (1,)}), ([500.0, 25.0, 5.0], {})):
        measured = NoisyMarginal(attributes=(0,), counts=np.array(counts), noise="gaussian", scale=10.0)
        known = OneWayTables(
            source=MemorySource(np.zeros((1000, 1), dtype=np.int32), Domain((rest,))),
            measured=(measured,),
            probabilities=(),
            total=1000.0,
        )
        assert known.unseen == codes


def test_the_probability_of_a_missing_value_goes_to_the_others_in_proportion():
    family = Family(child=1, parents=(0,))
    probabilities = np.array([[0.6, 0.2, 0.2], [0.0, 0.0, 1.0]])
    [found] = without_codes(
        [ConditionalTable(family=family, probabilities=probabilities, noise_sd=1.0)], {1: (2,)}
    )
    assert found.probabilities == pytest.approx(np.array([[0.75, 0.25, 0.0], [0.5, 0.5, 0.0]]))
    [same] = without_codes(
        [ConditionalTable(family=family, probabilities=probabilities, noise_sd=1.0)], {0: (2,)}
    )
    assert same.probabilities == pytest.approx(probabilities)


def test_a_hidden_number_of_rows_is_told_by_all_tables_by_the_precision_of_their_sums():
    """The sum of m noisy counts has m times the variance of one: a long list says little of the total."""
    domain = Domain.of_sizes([2, 200])
    source = MemorySource(np.zeros((500, 2), dtype=np.int32), domain)
    guarantee = Guarantee(epsilon=0.5, neighbors=Neighbors.ADD_REMOVE)
    door = Accountant(
        Budget(guarantee=guarantee, shares=Shares.parse("one-way tables=1")), protection="seeded", seed=3
    )
    found = measure_one_way(source, [Fraction(1, 2), Fraction(1, 2)], door)
    short, long = (float(table.counts.sum()) for table in found.measured)
    assert short != long
    assert found.total == pytest.approx((100 * short + long) / 101)
