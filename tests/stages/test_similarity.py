"""MIC and TVD by hand, against another implementation, and through the door."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.domain import Categorical, Domain
from hmpb_core.errors import PlanError
from hmpb_core.planning.measures import choose_measure
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.sources.memory import MemorySource
from hmpb_core.stages.similarity import (
    SimilarityMatrix,
    grid_limit,
    grid_mic,
    matrix_of,
    measure_similarity,
    mi_values,
    mic_values,
    mutual_information,
    pairs_of,
    similarity_sensitivity,
    tvd_values,
)

BINARY = Categorical(name="b", categories=(0, 1))


def ordered(size, **options):
    return Categorical(name="o", categories=tuple(range(size)), ordered=True, **options)


def unordered(size):
    return Categorical(name="u", categories=tuple(range(size)))


def bits(p):
    return 0.0 if p in (0, 1) else -p * math.log2(p) - (1 - p) * math.log2(1 - p)


# Mutual information


@pytest.mark.parametrize(
    ("counts", "information"),
    [
        ([[3, 1], [1, 3]], 1 - bits(0.25)),
        ([[2, 0], [0, 2]], 1.0),
        ([[1, 1], [1, 1]], 0.0),
        ([[6, 2], [3, 1]], 0.0),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], math.log2(3)),
        # P = (1/2, 1/4, 1/4): H(X) = 1.5 and Y tells X apart from the rest: I = H(Y) = 1.
        ([[2, 0], [0, 1], [0, 1]], 1.0),
        ([[5, 0], [0, 0]], 0.0),
        ([[0, 0], [0, 0]], 0.0),
    ],
)
def test_mutual_information_has_the_value_worked_out_by_hand(counts, information):
    assert mutual_information(np.array(counts)) == pytest.approx(information, abs=1e-12)


def test_many_tables_are_done_at_once():
    tables = np.array([[[3, 1], [1, 3]], [[2, 0], [0, 2]]])
    assert mutual_information(tables).tolist() == pytest.approx([1 - bits(0.25), 1.0])


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5))
def test_mutual_information_is_entropies_without_the_joint_entropy(seed, rows, columns):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 6, size=(rows, columns))
    counts[0, 0] += 1
    p = counts / counts.sum()

    def h(q):
        return -sum(x * math.log2(x) for x in np.ravel(q) if x > 0)

    assert mutual_information(counts) == pytest.approx(h(p.sum(0)) + h(p.sum(1)) - h(p), abs=1e-9)
    assert mutual_information(counts.T) == pytest.approx(float(mutual_information(counts)), abs=1e-12)


# MIC


@given(st.lists(st.integers(0, 50), min_size=4, max_size=4).filter(any))
def test_the_mic_of_two_binary_attributes_is_their_mutual_information(cells):
    counts = np.array(cells).reshape(2, 2)
    expected = float(mutual_information(counts))
    assert grid_mic(counts, BINARY, BINARY, limit=grid_limit(int(counts.sum()))) == pytest.approx(expected)


def test_the_smallest_grid_of_binary_attributes_is_allowed_however_few_the_rows():
    assert grid_limit(4) < 4
    assert grid_mic(np.array([[2, 0], [0, 2]]), BINARY, BINARY, limit=grid_limit(4)) == 1.0


def test_mic_takes_the_best_allowed_grid():
    # y follows x mod 2: a merge of neighbours hides it, the full grid 4 x 2 shows it.
    counts = np.array([[5, 0], [0, 5], [5, 0], [0, 5]])
    assert grid_mic(counts, ordered(4), BINARY, limit=100) == pytest.approx(1.0)
    # 2 x 2 alone (4 < 5): {0, 1} against {2, 3} knows nothing.
    assert grid_mic(counts, ordered(4), BINARY, limit=5) == pytest.approx(0.0, abs=1e-12)


def test_a_grid_divides_by_the_logarithm_of_its_smaller_side():
    # Three equal categories, the same on both sides: I = log2 3, divided by log2 3.
    assert grid_mic(7 * np.eye(3, dtype=int), unordered(3), unordered(3), limit=100) == pytest.approx(1.0)
    # Unordered categories have no coarser grid, and 3 x 3 is not below 9.
    assert grid_mic(7 * np.eye(3, dtype=int), unordered(3), unordered(3), limit=9) == 0.0


def test_merges_of_an_ordered_attribute_keep_neighbours_together():
    # A step in the middle of six bins: seen by 2 x 2 already.
    counts = np.array([[4, 0]] * 3 + [[0, 4]] * 3)
    assert grid_mic(counts, ordered(6), BINARY, limit=5) == pytest.approx(1.0)


def test_a_missing_value_is_never_merged_with_values():
    # Only the missing value differs: with two value groups beside it the grid is 3 x 2.
    counts = np.array([[6, 0], [6, 0], [0, 12]])
    assert grid_mic(counts, ordered(2, nullable=True), BINARY, limit=7) == pytest.approx(1.0)


def test_an_attribute_of_one_value_is_similar_to_nothing():
    assert grid_mic(np.array([[3, 4]]), unordered(1), BINARY, limit=100) == 0.0


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(2, 6))
def test_mic_lies_between_zero_and_one_and_is_symmetric(seed, a, b):
    counts = np.random.default_rng(seed).integers(0, 9, size=(a, b))
    counts[0, 0] += 1
    value = grid_mic(counts, ordered(a), ordered(b), limit=1000)
    assert 0 <= value <= 1
    assert grid_mic(counts.T, ordered(b), ordered(a), limit=1000) == pytest.approx(value)


@pytest.mark.parametrize("seed", range(5))
def test_mic_of_binary_attributes_agrees_with_minepy(seed):
    minepy = pytest.importorskip("minepy")
    rng = np.random.default_rng(seed)
    x = rng.random(400) < 0.4
    y = np.where(rng.random(400) < rng.random(), x, rng.random(400) < 0.5)
    mine = minepy.MINE(alpha=0.6, c=15, est="mic_approx")
    mine.compute_score(x.astype(float), y.astype(float))
    source = MemorySource(np.stack([x, y], axis=1).astype(np.int32), Domain((BINARY, unordered(2))))
    assert mic_values(source, [(0, 1)])[0] == pytest.approx(mine.mic(), abs=1e-9)


@pytest.mark.parametrize("size", [3, 4, 8])
def test_mic_of_ordered_attributes_agrees_with_minepy_where_both_know_the_answer(size):
    minepy = pytest.importorskip("minepy")
    x = np.tile(np.arange(size), 600 // size)
    mine = minepy.MINE(alpha=0.6, c=15, est="mic_approx")
    mine.compute_score(x.astype(float), x.astype(float))
    domain = Domain((ordered(size), Categorical(name="p", categories=tuple(range(size)), ordered=True)))
    ours = mic_values(MemorySource(np.stack([x, x], axis=1).astype(np.int32), domain), [(0, 1)])[0]
    assert ours == pytest.approx(1.0)
    assert mine.mic() == pytest.approx(1.0)


# TVD


def source_of(rows, sizes):
    return MemorySource(np.array(rows, dtype=np.int32), Domain.of_sizes(sizes))


def test_total_variation_has_the_value_worked_out_by_hand():
    # Equal halves that agree: |2 - 1| + |0 - 1| + |0 - 1| + |2 - 1| = 4, over 2 N = 8.
    half = np.array([0.5, 0.5])
    source = source_of([[0, 0], [0, 0], [1, 1], [1, 1]], [2, 2])
    assert tvd_values(source, [(0, 1)], [half, half], 4.0).tolist() == [0.5]
    # Against another public profile: N q q = 4 * (.75, .25) x (.5, .5) = 1.5, 1.5, .5, .5.
    skewed = np.array([0.75, 0.25])
    assert tvd_values(source, [(0, 1)], [skewed, half], 4.0).tolist() == [(0.5 + 1.5 + 0.5 + 1.5) / 8]


def test_independent_attributes_have_no_total_variation():
    source = source_of(list(itertools.product(range(2), range(3))), [2, 3])
    q = [np.full(2, 1 / 2), np.full(3, 1 / 3)]
    assert tvd_values(source, [(0, 1)], q, 6.0) == pytest.approx(0, abs=1e-12)


# Through the door


def accountant(currency=Currency.ZCDP, neighbors=Neighbors.REPLACE_ONE, epsilon=1.0, protection="none"):
    delta = 0.0 if currency is Currency.PURE else 1e-9
    guarantee = Guarantee(epsilon=epsilon, delta=delta, currency=currency, neighbors=neighbors)
    shares = Shares.parse("one-way tables=0.15,similarity=0.2,structure=0.15,conditional tables=0.5")
    return Accountant(Budget(guarantee=guarantee, shares=shares), protection=protection)


SOURCE = source_of([[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10, [2, 2, 2])
HALVES = [np.array([0.5, 0.5])] * 3


@pytest.mark.parametrize(("measure", "related"), [("mic", 1.0), ("mi", 1.0), ("tvd", 0.5)])
def test_the_matrix_is_symmetric_and_empty_on_the_diagonal(measure, related):
    door = accountant()
    loss = door.left(Stage.SIMILARITY)
    matrix = measure_similarity(SOURCE, HALVES, measure=measure, accountant=door, loss=loss, total=40.0)
    assert matrix.values == pytest.approx(np.array([[0, related, 0], [related, 0, 0], [0, 0, 0]]), abs=1e-5)
    assert (matrix.measure, matrix.names) == (measure, ("x0", "x1", "x2"))
    assert door.left(Stage.SIMILARITY) == 0
    assert [entry.loss for entry in door.entries] == [loss]


@pytest.mark.parametrize("currency", [Currency.PURE, Currency.ZCDP])
@pytest.mark.parametrize("neighbors", Neighbors)
def test_the_noise_on_total_variation_is_that_of_the_whole_vector(currency, neighbors):
    door = accountant(currency, neighbors, protection="system")
    loss = Fraction(1, 400)
    matrix = measure_similarity(SOURCE, HALVES, measure="tvd", accountant=door, loss=loss, total=40.0)
    moved = (1.0 if neighbors is Neighbors.REPLACE_ONE else 0.5) / 40
    pure = math.sqrt(2) * 3 * moved / float(loss)
    zcdp = math.sqrt(3) * moved / math.sqrt(2 * float(loss))
    assert matrix.noise_sd == pytest.approx(pure if currency is Currency.PURE else zcdp, rel=1e-5)


@pytest.mark.parametrize(
    ("epsilon", "tvd", "mic"),
    [(0.05, 0.053, 1.06), (0.1, 0.027, 0.54), (0.2, 0.014, 0.28), (0.4, 0.007, 0.14), (1.0, 0.003, 0.06)],
)
def test_on_adults_size_the_noise_has_the_figures_measured_elsewhere(epsilon, tvd, mic):
    from hmpb_core.privacy.sensitivity import mic_sensitivity

    n, pairs = 45_222, np.zeros(105)
    noise_of = {}
    for measure, sensitivity in (("tvd", 1 / n), ("mic", mic_sensitivity(n, largest_grid=16))):
        door = accountant(epsilon=epsilon, protection="system")
        _, noise_of[measure] = door.measure_pairs(
            pairs,
            n_attributes=15,
            sensitivity=sensitivity,
            stage=Stage.SIMILARITY,
            loss=door.left(Stage.SIMILARITY),
            what=measure,
        )
    assert noise_of["tvd"] == pytest.approx(tvd, abs=6e-4)
    assert noise_of["mic"] == pytest.approx(mic, abs=6e-3)


def test_mutual_information_is_taken_as_a_part_of_the_most_possible():
    rows = [[a, a, a // 2, 0] for a in range(4)] * 5
    source = source_of(rows, [4, 4, 2, 1])
    # 2 of 2 bits; 1 of 1 bit; nothing that could be shared
    assert mi_values(source, [(0, 1), (0, 2), (0, 3)]) == pytest.approx([1.0, 1.0, 0.0])


@pytest.mark.parametrize(("measure", "name"), [("mic", "MIC"), ("mi", "Mutual information")])
def test_measures_without_a_bound_under_add_remove_are_refused(measure, name):
    door = accountant(neighbors=Neighbors.ADD_REMOVE)
    with pytest.raises(PlanError, match=f"{name} has a proven sensitivity only under 'replace-one'"):
        measure_similarity(
            SOURCE, HALVES, measure=measure, accountant=door, loss=Fraction(1, 100), total=40.0
        )
    assert door.entries == ()


def test_the_tools_own_choice_has_the_smaller_noise():
    domain = Domain.of_sizes([16, 16, 2])
    for neighbors in Neighbors:
        assert choose_measure("auto", n_rows=45_222, domain=domain, neighbors=neighbors) == "tvd"
    assert choose_measure("mic", n_rows=10, domain=domain, neighbors=Neighbors.REPLACE_ONE) == "mic"


def test_values_that_noise_pushed_below_zero_are_clipped():
    matrix = matrix_of(np.array([0.3, 0.1, -0.2]), measure="tvd", names=("a", "b", "c"), noise_sd=0.1)
    assert matrix.clipped.tolist() == [[0, 0.3, 0.1], [0.3, 0, 0], [0.1, 0, 0]]
    assert isinstance(matrix, SimilarityMatrix)


def test_the_pairs_are_laid_out_in_the_order_of_the_vector():
    vector = np.arange(1.0, 7.0)
    values = matrix_of(vector, measure="tvd", names=tuple("abcd"), noise_sd=0.0).values
    assert [values[i, j] for i, j in pairs_of(4)] == vector.tolist()


@pytest.mark.parametrize(("sizes", "of_two_values"), [((2, 3, 5), False), ((2, 2, 5), True), ((1, 9), True)])
def test_mutual_information_moves_as_far_as_in_the_pair_of_most_values(sizes, of_two_values):
    # Two sides of three or more values have the general bound, as a part of log2 3; 2 x 5 has the binary one.
    n = 100
    binary = math.log2(n) / n + (n - 1) / n * math.log2(n / (n - 1))
    general = 2 / n * math.log2((n + 1) / 2) + (n - 1) / n * math.log2((n + 1) / (n - 1))
    found = similarity_sensitivity(
        "mi", Domain.of_sizes(sizes), Neighbors.REPLACE_ONE, n_rows=n, total=float(n)
    )
    assert found == pytest.approx(binary if of_two_values else general / math.log2(3), rel=1e-12)
