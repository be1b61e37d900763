"""Algorithm 4 by hand, its pruning, and what it may never do."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.learners.ibayes import IBayes, _kept_pairs
from hmpb_core.network import Family
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.sensitivity import entropy_sensitivity, mutual_information_sensitivity
from hmpb_core.sources.memory import MemorySource

KEEP_ALL = -1.0


def accountant(*, protection="none", seed=None, neighbors=Neighbors.REPLACE_ONE, epsilon=100.0):
    guarantee = Guarantee(epsilon=epsilon, delta=0.0, currency=Currency.PURE, neighbors=neighbors)
    budget = Budget(guarantee=guarantee, shares=Shares.parse("structure=1"))
    return Accountant(budget, protection=protection, seed=seed)


def learn(source, *, door=None, cluster=None, similarity=None, loss=Fraction(1), rng=None, **settings):
    learner = IBayes(**{"max_parents": 2, "eta": KEEP_ALL, **settings})
    return learner.learn(
        source,
        cluster if cluster is not None else range(len(source.domain)),
        similarity,
        accountant=door or accountant(),
        loss=loss,
        rng=rng or np.random.default_rng(0),
    )


def chain(n=4000, d=4, flip=0.1, seed=3):
    """x0 -> x1 -> x2 ...: each copies the one before and errs now and then."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(2, size=n)]
    for _ in range(d - 1):
        columns.append(np.where(rng.random(n) < flip, 1 - columns[-1], columns[-1]))
    return MemorySource(np.stack(columns, axis=1).astype(np.int32), Domain.of_sizes([2] * d))


def test_without_noise_the_first_node_is_the_one_of_largest_entropy():
    rows = np.array([[0, 0, 0], [0, 1, 1], [0, 1, 2], [1, 1, 3]] * 3, dtype=np.int32)
    network = learn(MemorySource(rows, Domain.of_sizes([2, 2, 4])))
    assert network.families[0] == Family(child=2)


def test_without_noise_every_step_takes_the_family_of_largest_mutual_information():
    # x1 copies x0 for sure; x2 is x0 xor x3, so that it needs both; x3 is a fair coin.
    rows = np.array([[a, a, a ^ c, c] for a, c in itertools.product(range(2), repeat=2)] * 5, dtype=np.int32)
    network = learn(MemorySource(rows, Domain.of_sizes([2] * 4)), max_parents=2)
    # All entropies are 1: the first listed wins; then the copy; then x2 and x3 know nothing of x0, x1
    # alone, so the first of equals; then the last is known from both.
    assert network.families[0] == Family(child=0)
    assert network.families[1] == Family(child=1, parents=(0,))
    third, fourth = network.families[2:]
    assert third.parents == (0, 1)
    assert set(fourth.parents) <= {0, 1, third.child}
    assert third.child in fourth.parents


def test_a_chain_is_learnt_as_a_chain():
    network = learn(chain(), max_parents=1)
    edges = {frozenset((f.child, *f.parents)) for f in network.families if f.parents}
    assert edges == {frozenset((0, 1)), frozenset((1, 2)), frozenset((2, 3))}


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from(["entropy", "random"]))
@settings(max_examples=25)
def test_whatever_the_noise_the_network_is_well_formed(seed, max_parents, first):
    source = chain(n=60, d=6, seed=seed % 100)
    network = learn(
        source,
        door=accountant(protection="seeded", seed=seed),
        max_parents=max_parents,
        first=first,
        rng=np.random.default_rng(seed),
    )
    assert sorted(network.children) == list(range(6))
    for place, family in enumerate(network.families):
        assert len(family.parents) == min(max_parents, place)
        assert set(family.parents) <= set(network.children[:place])


def test_the_loss_is_split_equally_over_the_choices():
    door = accountant()
    learn(chain(), door=door, loss=Fraction(2))
    assert [entry.loss for entry in door.entries] == [Fraction(1, 2)] * 4
    assert {entry.stage for entry in door.entries} == {Stage.STRUCTURE}
    assert {entry.act for entry in door.entries} == {"select"}
    assert all(dict(entry.attribute_loss) == dict.fromkeys(range(4), entry.loss) for entry in door.entries)


def test_a_first_node_drawn_at_random_costs_nothing():
    door = accountant()
    learn(chain(), door=door, loss=Fraction(2), first="random")
    assert [entry.loss for entry in door.entries] == [Fraction(2, 3)] * 3


def test_a_random_first_node_can_be_any():
    firsts = {
        learn(chain(n=10), first="random", rng=np.random.default_rng(seed)).children[0] for seed in range(40)
    }
    assert firsts == {0, 1, 2, 3}


def test_the_choices_have_the_temperature_of_the_paper():
    """P proportional to exp(eps2 u / (2 |C| Du)): a scale of 2 |C| Du / eps2."""
    door = accountant(protection="seeded", seed=1)
    source = chain(n=4000)
    learn(source, door=door, loss=Fraction(2))
    n = source.n_rows
    by_entropy, *by_information = (entry.scale for entry in door.entries)
    assert by_entropy == pytest.approx(2 * 4 * entropy_sensitivity(n) / 2, rel=1e-5)
    binary = mutual_information_sensitivity(n, has_binary_side=True)
    assert by_information == pytest.approx([2 * 4 * binary / 2] * 3, rel=1e-5)


@pytest.mark.parametrize("sizes", [[3, 3, 3], [2, 3, 3]], ids=["all", "one has two"])
def test_attributes_of_more_values_are_charged_the_larger_sensitivity(sizes):
    rows = np.random.default_rng(0).integers(sizes, size=(50, 3)).astype(np.int32)
    door = accountant(protection="seeded", seed=1)
    learn(MemorySource(rows, Domain.of_sizes(sizes)), door=door, loss=Fraction(3))
    general = mutual_information_sensitivity(50, has_binary_side=False)
    assert door.entries[1].scale == pytest.approx(2 * general, rel=1e-5)


# Pruning, equation 9

SIMILARITY = np.array(
    [
        [0.0, 0.8, 0.5, 0.1],
        [0.8, 0.0, 0.3, 0.1],
        [0.5, 0.3, 0.0, 0.1],
        [0.1, 0.1, 0.1, 0.0],
    ]
)


@pytest.mark.parametrize(
    ("eta", "pairs"),
    [
        # Largest of each row: 0.8, 0.8, 0.5, 0.1. A pair needs more than eta times either of them.
        (0.0, {(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)}),
        (0.1, {(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)}),
        (0.15, {(0, 1), (0, 2), (1, 2), (2, 3)}),
        (0.3, {(0, 1), (0, 2), (1, 2)}),
        (0.4, {(0, 1), (0, 2)}),
        (0.7, {(0, 1)}),
        (1.0, set()),
    ],
)
def test_a_pair_stays_only_where_it_is_strong_for_both(eta, pairs):
    kept = _kept_pairs(SIMILARITY, range(4), eta)
    assert {(i, j) for i, j in itertools.combinations(range(4), 2) if kept[i, j]} == pairs
    assert (kept == kept.T).all()
    assert not kept.diagonal().any()


def test_only_similarities_within_the_cluster_count():
    # Without attribute 1 the strongest of attribute 0 is 0.5.
    kept = _kept_pairs(SIMILARITY, [0, 2, 3], 0.7)
    assert kept[0, 2]
    assert not kept[0, 1]


def test_a_negative_similarity_is_none():
    assert not _kept_pairs(-SIMILARITY, range(4), 0.0).any()


def test_without_a_similarity_every_pair_is_kept():
    assert _kept_pairs(None, range(4), 0.5).all()


def test_an_attribute_whose_every_pair_was_pruned_has_no_parents():
    network = learn(chain(), similarity=SIMILARITY, eta=0.3)
    assert next(f for f in network.families if f.child == 3).parents == ()
    for family in network.families:
        assert (3 in family.parents) is False


def test_a_cluster_is_learnt_by_itself():
    network = learn(chain(d=5), cluster=[1, 3, 4])
    assert sorted(network.children) == [1, 3, 4]
    assert {p for f in network.families for p in f.parents} <= {1, 3, 4}


def test_a_cluster_of_one_has_one_family():
    door = accountant()
    assert learn(chain(), door=door, cluster=[2]).families == (Family(child=2),)
    assert door.spent() == 1


# The limit on cells


def test_a_limit_on_cells_takes_the_largest_parent_sets_that_fit():
    learner = IBayes(max_parents=3, eta=KEEP_ALL, max_cells=24)
    domain = Domain.of_sizes([2, 3, 4, 6, 2])
    families = learner.candidates(4, [0, 1, 2, 3], domain)
    # Child of 2 values: parents may have 12 cells. {0, 1}: 6, {0, 2}: 8, {0, 3}: 12, {1, 2}: 12 fit;
    # {1, 3}, {2, 3} and all triples do not; no single parent remains uncovered.
    assert {f.parents for f in families} == {(0, 1), (0, 2), (0, 3), (1, 2)}


@pytest.mark.parametrize("max_cells", [None, 1000])
def test_candidates_have_as_many_parents_as_are_allowed_or_as_there_are(max_cells):
    learner = IBayes(max_parents=2, eta=KEEP_ALL, max_cells=max_cells)
    domain = Domain.of_sizes([2, 3, 4, 6, 2])
    assert {f.parents for f in learner.candidates(4, [3, 0, 1], domain)} == {(0, 1), (0, 3), (1, 3)}
    assert {f.parents for f in learner.candidates(4, [2], domain)} == {(2,)}
    assert {f.parents for f in learner.candidates(4, [], domain)} == {()}


def test_where_nothing_fits_the_attribute_stands_alone():
    learner = IBayes(max_parents=2, eta=KEEP_ALL, max_cells=3)
    assert learner.candidates(1, [0], Domain.of_sizes([2, 2])) == [Family(child=1)]


def test_neighbours_without_a_proven_sensitivity_are_refused():
    door = accountant(neighbors=Neighbors.ADD_REMOVE)
    with pytest.raises(PlanError, match="Mutual information has a proven sensitivity only under"):
        learn(chain(), door=door)
    assert door.entries == ()


@pytest.mark.parametrize(("method", "weighed"), [("hmprivbayes", True), ("privbayes", False)])
def test_the_published_run_tells_how_its_weights_moved_the_noise_inside_each_network(method, weighed):
    from hmpb_core.planning.methods import Accounting
    from hmpb_core.synthesis import fit_source, make_plan

    source = chain(d=6)
    accounting = Accounting.AS_PUBLISHED
    plan = make_plan(
        Guarantee(epsilon=1.0, delta=0.0, currency=Currency.PURE),
        source.domain,
        n_rows=4000,
        method=method,
        accounting=accounting,
        **({"clusters": 2, "gamma": 2.0} if weighed else {}),
    )
    model = fit_source(source, plan, seed=4)
    assert bool(model.child_noise) is weighed, "without risk weights the noise is even, and nothing is told"
    drawn = {table.family.child: table.noise_sd for table in model.tables}
    for network in model.networks:
        told = [(a, model.child_noise[a]) for a in network.children if a in model.child_noise]
        total = sum(model.weights[a].weight for a, _ in told)
        for attribute, noise in told:
            assert noise.noise_sd == pytest.approx(drawn[attribute]), "it is the noise of its own table"
            even = model.weights[attribute].weight * len(told) / total  # Laplace: noise is 1 over the loss
            assert noise.uniform_noise_sd / noise.noise_sd == pytest.approx(even, rel=0.01)
