"""Algorithm 5 by hand: which tables are measured, at what cost, and what is read off them."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hmpb_core.domain import Domain
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.network import BayesianNetwork, Family
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.sources.memory import MemorySource
from hmpb_core.stages.conditionals import conditional_of, hnoisy_conditionals, normalise_last

F = Fraction


def family(child, *parents):
    return Family(child=child, parents=parents)


def source(d=5, n=400, size=2):
    rows = np.random.default_rng(2).integers(size, size=(n, d)).astype(np.int32)
    return MemorySource(rows, Domain.of_sizes([size] * d))


def run(network, weights, *, max_parents, loss=1, table=None, protection="none"):
    guarantee = Guarantee(epsilon=10.0, delta=0.0, currency=Currency.PURE)
    door = Accountant(
        Budget(guarantee=guarantee, shares=Shares.parse("conditional tables=1")), protection=protection
    )
    tables = hnoisy_conditionals(
        table or source(),
        BayesianNetwork(tuple(network)),
        weights,
        max_parents=max_parents,
        accountant=door,
        loss=F(loss),
    )
    return tables, door.entries


# Five nodes, two parents: l' = min(5 - 1, 2) = 2, so families 3, 4 and 5 are measured.
NETWORK = [family(0), family(1, 0), family(2, 0, 1), family(3, 1, 2), family(4, 0, 3)]


def test_the_families_after_the_first_l_are_measured_and_the_rest_read_off():
    _, entries = run(NETWORK, [1.0] * 5, max_parents=2)
    assert [tuple(sorted(a for a, _ in entry.attribute_loss)) for entry in entries] == [
        (0, 1, 2),
        (1, 2, 3),
        (0, 3, 4),
    ]


def test_every_measured_family_gets_the_part_of_its_childs_weight():
    # OE of children 2, 3, 4 is 0, 1, 0.5: weights 1, e^-1, e^-0.5.
    weights = [9.0, 9.0, 1.0, math.exp(-1), math.exp(-0.5)]
    _, entries = run(NETWORK, weights, max_parents=2, loss=F(3, 2))
    total = 1 + math.exp(-1) + math.exp(-0.5)
    assert [float(entry.loss) for entry in entries] == pytest.approx(
        [1.5 * w / total for w in (1, math.exp(-1), math.exp(-0.5))]
    )
    assert sum(entry.loss for entry in entries) == F(3, 2)


def test_the_noise_is_that_of_equation_twelve():
    """2 / (n eps3) * sum exp(-OE_i) / exp(-OE_j) on probabilities: times n on counts."""
    weights = [1.0, 1.0, 1.0, 0.5, 0.25]
    _, entries = run(NETWORK, weights, max_parents=2, loss=F(3, 2), protection="system")
    expected = [2 / 1.5 * 1.75 / w for w in (1.0, 0.5, 0.25)]
    assert [entry.scale for entry in entries] == pytest.approx(expected)


def test_without_noise_the_conditionals_are_those_of_the_rows():
    table = source()
    tables, _ = run(NETWORK, [1.0] * 5, max_parents=2, table=table)
    assert [t.family for t in tables] == NETWORK
    for conditional in tables:
        counts = table.marginal(conditional.family.attributes).counts.astype(float)
        assert conditional.probabilities == pytest.approx(counts / counts.sum(axis=-1, keepdims=True))


def test_a_node_that_the_next_family_does_not_cover_is_measured_alone_and_takes_part_in_the_sum():
    # Pruning left family 3 = (2 | 0): it covers node 0, but not node 1.
    network = [family(0), family(1, 0), family(2, 0), family(3, 1, 2)]
    _, entries = run(network, [1.0] * 5, max_parents=2, loss=F(1))
    assert [entry.what for entry in entries] == ["family of x1", "family of x2", "family of x3"]
    assert [entry.loss for entry in entries] == [F(1, 3)] * 3
    assert [sorted(a for a, _ in entry.attribute_loss) for entry in entries] == [[0, 1], [0, 2], [1, 2, 3]]


def test_a_node_without_parents_inside_the_next_family_is_read_off_it():
    network = [family(0), family(1), family(2, 0, 1)]
    tables, entries = run(network, [1.0] * 5, max_parents=2)
    assert len(entries) == 1
    assert [t.probabilities.shape for t in tables] == [(2,), (2,), (2, 2, 2)]


@pytest.mark.parametrize(
    ("nodes", "max_parents", "measured"), [(1, 3, 1), (2, 3, 1), (3, 3, 1), (4, 3, 1), (5, 3, 2), (3, 1, 2)]
)
def test_l_prime_is_the_smaller_of_the_nodes_less_one_and_l(nodes, max_parents, measured):
    network = [family(a, *range(max(0, a - max_parents), a)) for a in range(nodes)]
    _, entries = run(network, [1.0] * 5, max_parents=max_parents)
    assert len(entries) == measured


# Reading a conditional off a noisy table


def noisy(counts, *attributes, scale=1.0):
    return NoisyMarginal(attributes=attributes, counts=np.array(counts), noise="laplace", scale=scale)


def test_negative_counts_become_nothing():
    table = conditional_of(noisy([[3.0, -5.0], [1.0, 3.0]], 0, 1), family(1, 0))
    assert table.probabilities.tolist() == [[1.0, 0.0], [0.25, 0.75]]
    assert table.noise_sd == pytest.approx(math.sqrt(2))


def test_a_parent_value_without_counts_takes_the_childs_own_shares():
    table = conditional_of(noisy([[-1.0, 0.0], [1.0, 3.0]], 0, 1), family(1, 0))
    assert table.probabilities.tolist() == [[0.25, 0.75], [0.25, 0.75]]


def test_a_table_without_any_count_is_uniform():
    table = conditional_of(noisy([[-1.0, -2.0, -1.0], [0.0, -3.0, 0.0]], 0, 1), family(1, 0))
    assert table.probabilities == pytest.approx(np.full((2, 3), 1 / 3))


def test_a_smaller_family_is_summed_out_of_a_larger_table_and_turned():
    counts = np.arange(1.0, 13.0).reshape(2, 3, 2)  # axes 5, 1, 8
    table = conditional_of(noisy(counts, 5, 1, 8), family(5, 8))
    summed = counts.sum(axis=1).T  # axes 8, 5
    assert table.probabilities == pytest.approx(summed / summed.sum(axis=1, keepdims=True))


def test_rows_of_the_last_axis_sum_to_one():
    counts = np.random.default_rng(0).random((3, 2, 4)) * [0, 1, 2, 3]
    assert normalise_last(counts).sum(axis=-1) == pytest.approx(np.ones((3, 2)))
