"""The junction-tree model: consistent, exact where it can be checked by hand, shrunk where noise rules."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.graphical.graph import CliqueLimit, fitting_pairs, junction_tree, log2_sizes, triangulate
from hmpb_core.graphical.inference import TURNS, Evidence, TreeModel, _closest
from hmpb_core.graphical.pair_tables import pair_tables

SIZES = (2, 3, 2, 4, 2)


def joint_of(seed: int) -> np.ndarray:
    """Counts of 1000 rows over five attributes, without structure."""
    return np.random.default_rng(seed).dirichlet(np.ones(96)).reshape(SIZES) * 1000


def table_of(joint: np.ndarray, attributes: tuple[int, ...]) -> np.ndarray:
    return joint.sum(axis=tuple(a for a in range(joint.ndim) if a not in attributes))


def model_of(edges: list[tuple[int, int]], evidence: list[Evidence], sweeps: int = 200) -> TreeModel:
    tree = junction_tree(list(triangulate(len(SIZES), edges, log2_sizes(SIZES))))
    return TreeModel(SIZES, 1000.0, tree, evidence).fit(sweeps, tolerance=1e-9)


def evidence_of(joint: np.ndarray, edges: list[tuple[int, int]], ridge: float = 0.01) -> list[Evidence]:
    sets = [(a,) for a in range(len(SIZES))] + [tuple(edge) for edge in edges]
    return [Evidence(attributes=a, counts=table_of(joint, a), variance=1.0, ridge=ridge) for a in sets]


def full_joint(model: TreeModel) -> np.ndarray:
    """The model's joint distribution: cliques over separators, by its definition."""
    tree = model.tree
    joint = np.ones(SIZES)
    for clique, members in enumerate(tree.cliques):
        joint = joint * model.belief(clique).reshape([SIZES[a] if a in members else 1 for a in range(5)])
        if tree.parents[clique] >= 0:
            separator = tree.separator(tree.parents[clique], clique)
            shape = [SIZES[a] if a in separator else 1 for a in range(5)]
            joint = joint / model.clique_table(clique, separator).reshape(shape)
    return joint


def test_a_model_of_one_pair_reproduces_an_exact_table() -> None:
    joint = joint_of(1)
    model = model_of([(1, 3)], evidence_of(joint, [(1, 3)]))
    assert model.table((1, 3)) == pytest.approx(table_of(joint, (1, 3)), abs=0.1)


def test_a_circle_of_exact_pairs_is_fitted_although_no_clique_is_one_of_them() -> None:
    joint = joint_of(2)
    edges = [(0, 1), (1, 2), (2, 3), (0, 3)]
    model = model_of(edges, evidence_of(joint, edges))
    for edge in edges:
        assert model.table(edge) == pytest.approx(table_of(joint, edge), abs=0.5)


def test_cliques_agree_on_what_they_share_and_hold_all_rows() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4)]
    model = model_of(edges, evidence_of(joint_of(3), edges), sweeps=3)
    joint = full_joint(model)
    assert joint.sum() == pytest.approx(1000)
    for clique, members in enumerate(model.tree.cliques):
        assert model.belief(clique) == pytest.approx(table_of(joint, members), abs=1e-6)


@given(
    st.lists(st.sampled_from(list(itertools.combinations(range(5), 2))), max_size=7, unique=True),
    st.integers(0, 9),
)
@settings(max_examples=40, deadline=None)
def test_pair_tables_are_those_of_the_joint_distribution_wherever_the_pair_lies(
    edges: list[tuple[int, int]], seed: int
) -> None:
    model = model_of(edges, evidence_of(joint_of(seed), edges), sweeps=3)
    joint = full_joint(model)
    pairs = list(itertools.combinations(range(5), 2))
    tables = pair_tables(model, pairs)
    for pair in pairs:
        assert tables[pair] == pytest.approx(table_of(joint, pair), abs=1e-6)


def fitted_tables(model: TreeModel, monkeypatch: pytest.MonkeyPatch, sweeps: int) -> Counter[tuple[int, ...]]:
    """How often each table is fitted."""
    seen: Counter[tuple[int, ...]] = Counter()
    fit = TreeModel._fit_table

    def counted(self: TreeModel, clique: int, item: Evidence) -> float:
        seen[item.attributes] += 1
        return fit(self, clique, item)

    monkeypatch.setattr(TreeModel, "_fit_table", counted)
    model.fit(sweeps)
    return seen


def test_cliques_that_settled_are_left_alone_while_others_still_move(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = [(0, 1), (2, 3)]
    tree = junction_tree(list(triangulate(len(SIZES), edges, log2_sizes(SIZES))))
    evidence = evidence_of(joint_of(6), edges)
    evidence[0] = replace(evidence[0], counts=evidence[0].counts[::-1])  # says the contrary of table (0, 1)
    seen = fitted_tables(TreeModel(SIZES, 1000.0, tree, evidence), monkeypatch, sweeps=10)
    assert seen[0, 1] == seen[0,] == 10 * TURNS
    assert seen[2, 3] <= 3
    assert seen[4,] == 1


def test_a_sweep_fits_a_cliques_own_tables_more_than_once(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = [(0, 1)]
    tree = junction_tree(list(triangulate(len(SIZES), edges, log2_sizes(SIZES))))
    model = TreeModel(SIZES, 1000.0, tree, evidence_of(joint_of(7), edges))
    seen = fitted_tables(model, monkeypatch, sweeps=1)
    assert seen == {(0,): TURNS, (1,): TURNS, (0, 1): TURNS, (2,): 1, (3,): 1, (4,): 1}


def test_the_optimum_leaves_every_table_off_by_ridge_times_weight() -> None:
    rng = np.random.default_rng(4)
    edges = [(0, 1), (1, 2), (0, 2)]
    evidence = [
        Evidence(
            attributes=e.attributes,
            counts=e.counts + rng.normal(0, 20, e.counts.shape),
            variance=400,
            ridge=5,
        )
        for e in evidence_of(joint_of(4), edges)
    ]
    model = model_of(edges, evidence, sweeps=2000)
    for item in evidence:
        gap = item.counts - model.table(item.attributes)
        assert model.weights[item.attributes] * 5 == pytest.approx(gap, abs=1e-4 * 1000)


def test_a_larger_ridge_draws_a_pair_towards_independence() -> None:
    joint = joint_of(5)
    independent = np.multiply.outer(table_of(joint, (0,)), table_of(joint, (1,))) / 1000
    distances = []
    for ridge in (0.1, 100.0, 10_000.0):
        singles = evidence_of(joint, [])
        pair = Evidence(attributes=(0, 1), counts=table_of(joint, (0, 1)), variance=1.0, ridge=ridge)
        table = model_of([(0, 1)], [*singles, pair]).table((0, 1))
        distances.append(float(np.abs(table - independent).sum()))
    assert distances[0] > distances[1] > distances[2]
    assert distances[2] < 0.1 * distances[0]


def test_counts_far_below_zero_become_empty_cells_not_errors() -> None:
    counts = np.array([[-500.0, 700.0, 100.0], [300.0, -800.0, 100.0]])
    pair = Evidence(attributes=(0, 1), counts=counts, variance=100.0, ridge=0.2)
    table = model_of([(0, 1)], [pair], sweeps=20).table((0, 1))
    assert (table >= 0).all()
    assert table.sum() == pytest.approx(1000)
    assert table[0, 0] < 1
    assert table[1, 1] < 1


def test_two_looks_at_a_table_count_by_their_precision() -> None:
    first = Evidence(attributes=(0,), counts=np.array([10.0, 20.0]), variance=3.0, ridge=4.0)
    both = first.combined(np.array([20.0, 20.0]), 1.0)
    assert both.counts.tolist() == [17.5, 20.0]
    assert both.variance == pytest.approx(0.75)
    assert both.ridge == pytest.approx(1.0)


def test_a_second_look_at_a_table_whose_errors_hang_together_counts_by_their_covariance() -> None:
    errors = np.array([[4.0, -4.0], [-4.0, 4.0]])
    first = Evidence(
        attributes=(0,), counts=np.array([10.0, 20.0]), variance=4.0, ridge=3.0, covariance=errors
    )
    both = first.combined(np.array([14.0, 26.0]), 8.0)
    assert both.counts.tolist() == pytest.approx([9.5, 20.5])
    assert both.variance == pytest.approx(2.0)
    assert both.ridge == pytest.approx(1.5)
    assert both.covariance == pytest.approx(errors / 2)


@given(st.lists(st.sampled_from(list(itertools.combinations(range(7), 2))), max_size=12, unique=True))
def test_a_junction_tree_holds_every_edge_and_keeps_every_attribute_connected(
    edges: list[tuple[int, int]],
) -> None:
    tree = junction_tree(list(triangulate(7, edges, [1.0] * 7)))
    assert all(any({*edge} <= {*clique} for clique in tree.cliques) for edge in edges)
    for attribute in range(7):
        homes = {c for c, clique in enumerate(tree.cliques) if attribute in clique}
        assert sum(tree.parents[c] in homes for c in homes) == len(homes) - 1


@given(st.lists(st.sampled_from(list(itertools.combinations(range(7), 2))), max_size=10, unique=True))
def test_a_pair_that_fits_by_the_quick_test_has_a_chordal_graph_of_small_cliques(
    edges: list[tuple[int, int]],
) -> None:
    limit = CliqueLimit(
        log_sizes=(1.0,) * 7, log_full_sizes=(1.0,) * 7, log_cells=99, log_full_cells=99, max_attributes=3
    )
    cliques = list(triangulate(7, edges, [1.0] * 7))
    tree = junction_tree(cliques)
    if max(clique.bit_count() for clique in cliques) > 3:
        return
    chordal = {pair for clique in tree.cliques for pair in itertools.combinations(clique, 2)}
    for pair in fitting_pairs(tree, itertools.combinations(range(7), 2), limit):
        assert _width(7, {*chordal, pair}) <= 2


def _width(n: int, edges: set[tuple[int, int]]) -> int:
    """Tree width by trying every elimination order's best prefix (dynamic programming over sets)."""
    adjacent = [{b for a, b in [*edges, *((j, i) for i, j in edges)] if a == v} for v in range(n)]

    def reach(done: frozenset[int], start: int) -> int:
        seen, stack, found = {start}, [start], set()
        while stack:
            for other in adjacent[stack.pop()]:
                if other in seen:
                    continue
                seen.add(other)
                if other in done:
                    stack.append(other)
                else:
                    found.add(other)
        return len(found)

    best: dict[frozenset[int], int] = {frozenset(): -1}
    for size in range(1, n + 1):
        for members in itertools.combinations(range(n), size):
            done = frozenset(members)
            best[done] = min(max(best[done - {v}], reach(done - {v}, v)) for v in done)
    return best[frozenset(range(n))]


def test_a_table_that_drowned_in_noise_is_still_solved_for():
    """Noise of 1e15 counts once divided by zero, in the middle of a paid run."""

    current = np.full((2, 2), 50.0)
    noisy = np.array([[-4e15, -5e15], [-6e15, -7e15]])
    better, theta = _closest(current, noisy, np.zeros((2, 2)), 1e12, 200.0)
    assert better.sum() == pytest.approx(200)
    assert np.isfinite(theta).all()
    assert better[0, 0] == better.max()


@pytest.mark.parametrize("depth", [700.0, 720.0, 744.0, 746.0, 1e6])
def test_cells_that_nearly_underflow_are_found_without_a_warning(depth):
    """exp(-720) is hardly a number: a Newton step over so small a slope would lead anywhere."""
    current, ridge, total = np.array([40.0, 60.0]), 10.0, 100.0
    noisy = -depth * ridge - ridge * np.log(current / ridge)
    better, theta = _closest(current, noisy, np.zeros(2), ridge, total)
    assert better == pytest.approx([50.0, 50.0])
    assert np.isfinite(theta).all()


def test_matching_brings_chosen_one_way_tables_about_and_leaves_odds_as_they_are() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (0, 4)]
    noise = np.random.default_rng(5)
    told = [
        replace(e, counts=e.counts + noise.normal(0, 20, e.counts.shape), ridge=0.02)
        for e in evidence_of(joint_of(4), edges)
    ]
    told = [
        e if len(e.attributes) == 2 else replace(e, counts=e.counts * 1000 / e.counts.sum()) for e in told
    ]
    model = model_of(edges, told, sweeps=2)

    def far(attribute: int) -> float:
        known = next(e.counts for e in told if e.attributes == (attribute,))
        return 0.5 * float(np.abs(model.table((attribute,)) - known).sum())

    def odds(pair: tuple[int, int]) -> np.ndarray:
        logs = np.log(model.table(pair))
        return logs[1:, 1:] - logs[1:, :1] - logs[:1, 1:] + logs[:1, :1]

    before, ratios = [far(a) for a in range(5)], {pair: odds(pair) for pair in [(1, 2), (2, 3)]}
    assert min(before[1], before[3]) > 1
    model.match({1, 3}, 50, tolerance=1e-9)
    assert max(far(1), far(3)) < 0.1
    assert odds((2, 3)) == pytest.approx(ratios[2, 3], abs=1e-6)
    assert full_joint(model).sum() == pytest.approx(1000)
    # the weights know of it: a model begun with them says the same
    again = TreeModel(SIZES, 1000.0, model.tree, told, model.weights)
    assert again.table((3,)) == pytest.approx(model.table((3,)), abs=0.01)
