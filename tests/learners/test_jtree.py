"""JTree: its threshold by hand, its graph, and its tables where no noise is drawn."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest

from hmpb_core.domain import Domain
from hmpb_core.learners.jtree import JTree, threshold
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.sources.memory import MemorySource
from hmpb_core.stages.similarity import matrix_of, mi_values, pairs_of
from hmpb_core.synthesis import fit_source, make_plan
from tests.thorough import THOROUGH

DOMAIN = Domain.of_sizes([2, 3, 2, 4, 2])
LOSS = Fraction(1, 2)


@pytest.fixture(scope="module")
def source():
    """A chain 0 - 1 - 2, a pair 2 - 4, and attribute 3 by itself."""
    rng = np.random.default_rng(5)
    n = 6000

    def copied(values, size, kept):
        return np.where(rng.random(n) < kept, values % size, rng.integers(0, size, n))

    first = rng.integers(0, 2, n)
    second = copied(first, 3, 0.7)
    third = copied(second, 2, 0.8)
    columns = [first, second, third, rng.integers(0, 4, n), copied(third, 2, 0.7)]
    return MemorySource(np.stack(columns, axis=1).astype(np.int32), DOMAIN)


@pytest.fixture(scope="module")
def similarity(source):
    values = mi_values(source, pairs_of(5))
    return matrix_of(values, measure="mi", names=DOMAIN.names, noise_sd=0.0)


def accountant(protection="none"):
    guarantee = Guarantee(epsilon=1.0, delta=0.0, currency=Currency.PURE, neighbors=Neighbors.REPLACE_ONE)
    shares = Shares.from_weights(one_way_tables=0, similarity=1, structure=0, conditional_tables=1)
    return Accountant(Budget(guarantee=guarantee, shares=shares), protection=protection)


def learned(source, similarity, *, max_cells=1e6, max_attributes=None, door=None):
    learner = JTree(max_attributes=max_attributes, max_cells=max_cells)
    return learner.learn(
        source, similarity, total=float(source.n_rows), accountant=door or accountant(), loss=LOSS
    )


def test_the_threshold_is_a_cramers_v_of_a_fifth():
    # phi^2 / 2 = 0.02 nats of at most log 2 for two values, twice that of at most log 3 for three
    assert threshold(2, 7) == pytest.approx(0.02 / math.log(2))
    assert threshold(5, 3) == pytest.approx(0.04 / math.log(3))
    assert threshold(1, 9) == math.inf


def test_a_table_of_that_cramers_v_lies_at_the_threshold():
    # 2 x 2 with even margins: V = 1 - 4 p for an off-diagonal cell p
    p = (1 - 0.2) / 4
    joint = np.array([[0.5 - p, p], [p, 0.5 - p]])
    nats = float((joint * np.log(joint / 0.25)).sum())
    assert nats / math.log(2) == pytest.approx(threshold(2, 2), rel=0.02)


def test_dependent_pairs_become_edges_and_others_do_not(similarity):
    edges = JTree(max_attributes=None, max_cells=1e6).edges(similarity, DOMAIN)
    assert {(0, 1), (1, 2), (2, 4)} <= set(edges)
    assert all(3 not in pair for pair in edges)
    strengths = [similarity.values[pair] for pair in edges]
    assert strengths == sorted(strengths, reverse=True)


@pytest.mark.parametrize(("options", "most"), [({"max_cells": 6.0}, 6), ({"max_attributes": 2}, 8)])
def test_no_clique_that_joins_attributes_is_larger_than_allowed(source, similarity, options, most):
    (network,), _ = learned(source, similarity, **options)
    joined = [DOMAIN.cells((*f.parents, f.child)) for f in network.families if f.parents]
    assert joined
    assert max(joined) <= most


def test_without_noise_the_tables_are_those_of_the_rows(source, similarity):
    (network,), tables = learned(source, similarity)
    assert sorted(network.children) == list(range(5))
    by_child = {table.family.child: table for table in tables}
    for family in network.families:
        counts = source.marginal((*family.parents, family.child)).counts.astype(float)
        exact = counts / counts.sum(axis=-1, keepdims=True)
        assert by_child[family.child].probabilities == pytest.approx(exact, abs=0.01)


def test_every_clique_costs_the_same_and_together_they_cost_the_loss(source, similarity):
    door = accountant("system")
    learned(source, similarity, door=door, max_attributes=2)
    losses = [entry.loss for entry in door.entries]
    assert len(losses) > 2
    assert len(set(losses)) == 1
    assert sum(losses) == LOSS == door.budget.loss(Stage.CONDITIONAL_TABLES)


def test_a_table_tells_the_noise_that_its_clique_was_given(source, similarity):
    """Laplace noise of scale 2 over the clique's part of the loss; its deviation is sqrt(2) times that."""
    door = accountant("system")
    _, tables = learned(source, similarity, door=door, max_attributes=2)
    expected = math.sqrt(2) * 2 * len(door.entries) / float(LOSS)
    assert [table.noise_sd for table in tables] == pytest.approx([expected] * 5, rel=1e-9)


@pytest.mark.parametrize("most", [1, 2])
def test_a_clique_holds_one_attribute_more_than_a_child_may_have_parents(source, most):
    guarantee = Guarantee(epsilon=100.0, delta=0.0, currency=Currency.PURE)
    plan = make_plan(guarantee, DOMAIN, n_rows=source.n_rows, method="jtree", max_parents=most)
    model = fit_source(source, plan, seed=1)
    families = [family for network in model.networks for family in network.families]
    assert max(len(family.parents) for family in families) == most


@THOROUGH
def test_a_wide_table_is_done_in_seconds():
    rng = np.random.default_rng(3)
    d = 100
    values = rng.random(d * (d - 1) // 2)
    domain = Domain.of_sizes([2, 3] * (d // 2))
    matrix = matrix_of(values, measure="mi", names=domain.names, noise_sd=0.0)
    start = time.perf_counter()
    edges = JTree(max_attributes=None, max_cells=64).edges(matrix, domain)
    assert len(edges) >= d - 1
    assert time.perf_counter() - start < 30


def test_without_scores_every_attribute_is_by_itself(source):
    (network,), tables = learned(source, None)
    assert [family.parents for family in network.families] == [()] * 5
    assert len(tables) == 5
