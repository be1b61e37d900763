"""Every sensitivity against brute force over all neighbouring tables of a few rows."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.domain import Categorical, Domain
from hmpb_core.errors import DomainError, PlanError
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.privacy.sensitivity import (
    count_l1_sensitivity,
    count_l2_sensitivity,
    entropy_sensitivity,
    mic_sensitivity,
    mutual_information_sensitivity,
    require_replace_one,
    tvd_sensitivity,
)
from hmpb_core.sources.memory import MemorySource
from hmpb_core.stages.similarity import (
    grid_mic,
    largest_grid,
    mi_values,
    mutual_information,
    similarity_sensitivity,
)
from hmpb_core.stages.weights import entropy

REPLACE, ADD = Neighbors.REPLACE_ONE, Neighbors.ADD_REMOVE
TOLERANCE = 1e-12


def tables(n_rows, cells):
    """All count vectors of so many rows, one a line."""
    bars = itertools.combinations(range(n_rows + cells - 1), cells - 1)
    return np.array([np.diff([-1, *bar, n_rows + cells - 1]) - 1 for bar in bars])


def largest_move(n_rows, cells, quantity, neighbors=REPLACE):
    """How far ``quantity`` moves between neighbouring tables, at most; quantity maps (N, cells) to (N,)."""
    some = tables(n_rows, cells)
    value_of = {tuple(t): v for t, v in zip(some.tolist(), quantity(some), strict=True)}
    if neighbors is ADD:
        more = tables(n_rows + 1, cells)
        larger = {tuple(t): v for t, v in zip(more.tolist(), quantity(more), strict=True)}
    worst = 0.0
    for table, value in value_of.items():
        for into in range(cells):
            grown = list(table)
            grown[into] += 1
            if neighbors is ADD:
                worst = max(worst, abs(larger[tuple(grown)] - value))
                continue
            for out_of in range(cells):
                if grown[out_of] and out_of != into and table[out_of]:
                    grown[out_of] -= 1
                    worst = max(worst, abs(value_of[tuple(grown)] - value))
                    grown[out_of] += 1
    return worst


# Counts


@pytest.mark.parametrize(("neighbors", "l1", "l2"), [(REPLACE, 2, math.sqrt(2)), (ADD, 1, 1.0)])
def test_a_count_table_moves_by_its_sensitivities_and_no_further(neighbors, l1, l2):
    assert count_l1_sensitivity(neighbors) == l1
    assert count_l2_sensitivity(neighbors) == l2
    base = np.array([2, 0, 1, 3])
    moves = [np.eye(4, dtype=int)[i] for i in range(4)]
    if neighbors is REPLACE:
        moves = [a - b for a, b in itertools.permutations(moves, 2)]
    changes = [(base + move) - base for move in moves]
    assert max(np.abs(c).sum() for c in changes) == l1
    assert max(np.sqrt((c**2).sum()) for c in changes) == l2


# Total variation from a public model


@pytest.mark.parametrize("neighbors", [REPLACE, ADD])
@pytest.mark.parametrize(("cells", "n_rows"), [(4, 5), (6, 4), (9, 3)], ids=["2x2", "2x3", "3x3"])
def test_total_variation_in_counts_moves_by_its_bound_and_no_further(neighbors, cells, n_rows):
    rng = np.random.default_rng(11)
    models = [np.zeros(cells), np.full(cells, n_rows / cells), n_rows * np.eye(cells)[0]]
    models += [n_rows * rng.dirichlet(np.full(cells, 0.4)) for _ in range(6)]
    worst = max(
        largest_move(n_rows, cells, lambda t, m=model: np.abs(t - m).sum(axis=1) / 2, neighbors)
        for model in models
    )
    assert worst == pytest.approx(tvd_sensitivity(neighbors), abs=TOLERANCE)


@given(st.integers(0, 2**32 - 1))
def test_total_variation_from_any_estimated_model_keeps_its_bound(seed):
    """The model may be anything, whatever its total: it does not see the row."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, size=12)
    model = rng.normal(size=12) * rng.choice([0.1, 10])
    into, out_of = rng.choice(12, 2, replace=False)
    for neighbors, moved in [(ADD, np.eye(12)[into]), (REPLACE, np.eye(12)[into] - np.eye(12)[out_of])]:
        before = np.abs(counts - model).sum() / 2
        after = np.abs(counts + moved - model).sum() / 2
        assert abs(after - before) <= tvd_sensitivity(neighbors) + TOLERANCE


# Mutual information, entropy


def information(shape):
    return lambda t: mutual_information(t.reshape(-1, *shape))


@pytest.mark.parametrize("n_rows", range(2, 9))
@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 2)], ids=str)
def test_mutual_information_with_a_binary_side_moves_by_its_bound(shape, n_rows):
    worst = largest_move(n_rows, math.prod(shape), information(shape))
    assert worst == pytest.approx(mutual_information_sensitivity(n_rows, has_binary_side=True), abs=1e-9)


@pytest.mark.parametrize("n_rows", range(2, 8))
def test_mutual_information_of_larger_tables_never_moves_beyond_its_bound(n_rows):
    worst = largest_move(n_rows, 9, information((3, 3)))
    bound = mutual_information_sensitivity(n_rows, has_binary_side=False)
    assert worst <= bound + TOLERANCE
    if n_rows % 2:  # the worst case splits the rows in halves around the one that moves
        assert worst == pytest.approx(bound, abs=1e-9)


def test_larger_tables_can_move_further_than_the_binary_bound_allows():
    worst = largest_move(5, 9, information((3, 3)))
    assert worst > 1.1 * mutual_information_sensitivity(5, has_binary_side=True)


@pytest.mark.parametrize("n_rows", range(2, 9))
@pytest.mark.parametrize("cells", [2, 3, 4])
def test_entropy_moves_by_its_bound_and_no_further(cells, n_rows):
    worst = largest_move(n_rows, cells, lambda t: np.array([entropy(row / n_rows) for row in t]))
    assert worst == pytest.approx(entropy_sensitivity(n_rows), abs=1e-9)


def test_every_pair_of_a_table_can_move_by_the_full_bound_at_once():
    """An all-zero table and one all-ones row: why no number of pairs may share a charge."""
    n, d = 50, 6
    zeros = np.zeros((n, d), dtype=int)
    ones = zeros.copy()
    ones[0] = 1
    moved = []
    for i, j in itertools.combinations(range(d), 2):
        values = []
        for rows in (zeros, ones):
            counts = np.zeros((2, 2))
            np.add.at(counts, (rows[:, i], rows[:, j]), 1)
            values.append(float(mutual_information(counts)))
        moved.append(abs(values[1] - values[0]))
    assert moved == pytest.approx([mutual_information_sensitivity(n, has_binary_side=True)] * 15)


def test_the_bounds_have_the_values_worked_out_by_hand():
    # n = 2: log2(2)/2 + 1/2 log2(2) = 1; general: log2(3/2) + 1/2 log2(3).
    assert mutual_information_sensitivity(2, has_binary_side=True) == pytest.approx(1.0)
    assert mutual_information_sensitivity(2, has_binary_side=False) == pytest.approx(
        math.log2(1.5) + math.log2(3) / 2
    )
    # Adult's number of rows: the general bound over log2 3 is 1.19 times the binary one.
    ratio = mic_sensitivity(45_222, largest_grid=3) / mic_sensitivity(45_222, largest_grid=2)
    assert ratio == pytest.approx(1.19, abs=0.005)


# The maximal information coefficient over public grids


def attribute(size, ordered=True, nullable=False):
    return Categorical(name="x", categories=tuple(range(size - nullable)), ordered=ordered, nullable=nullable)


@pytest.mark.parametrize("limit", [5, 7, 100], ids=lambda limit: f"cells below {limit}")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (attribute(2), attribute(2)),
        (attribute(2), attribute(3)),
        (attribute(3), attribute(3)),
        (attribute(3, ordered=False), attribute(3)),
        (attribute(3, nullable=True), attribute(3)),
    ],
    ids=["2x2", "2x3", "3x3", "unordered", "nullable"],
)
@pytest.mark.parametrize("n_rows", [2, 3, 5])
def test_mic_never_moves_beyond_its_bound(first, second, n_rows, limit):
    def mic(t):
        shaped = t.reshape(-1, first.size, second.size)
        return np.array([grid_mic(counts, first, second, limit=limit) for counts in shaped])

    worst = largest_move(n_rows, first.size * second.size, mic)
    largest = 3 if min(first.size, second.size) >= 3 and limit > 9 else 2
    assert worst <= mic_sensitivity(n_rows, largest_grid=largest) + TOLERANCE


@pytest.mark.parametrize(("first", "second"), [(2, 2), (2, 3), (3, 3), (1, 3)])
@pytest.mark.parametrize("n_rows", [2, 3, 5])
def test_mutual_information_as_a_part_of_the_most_possible_keeps_its_bound(first, second, n_rows):
    domain = Domain.of_sizes([first, second])

    def mi(t):
        cells = np.array(list(np.ndindex(first, second)))
        sources = (MemorySource(np.repeat(cells, counts, axis=0), domain) for counts in t)
        return np.array([mi_values(source, [(0, 1)])[0] for source in sources])

    worst = largest_move(n_rows, first * second, mi)
    bound = similarity_sensitivity("mi", domain, Neighbors.REPLACE_ONE, n_rows=n_rows, total=n_rows)
    assert worst <= bound + TOLERANCE


def test_the_mic_of_binary_attributes_moves_by_its_whole_bound():
    first = attribute(2)
    worst = largest_move(
        6,
        4,
        lambda t: np.array([grid_mic(c, first, first, limit=100) for c in t.reshape(-1, 2, 2)]),
    )
    assert worst == pytest.approx(mic_sensitivity(6, largest_grid=2), abs=1e-9)


def test_the_largest_grid_that_a_table_allows_is_found():
    # n^0.6 = 15.8 for 100 rows: 3 x 3 grids are allowed; 8.0 for 32 rows: they are not.
    ordered = Domain((attribute(16), Categorical(name="y", categories=tuple(range(16)), ordered=True)))
    assert largest_grid(ordered, 100) == 3
    assert largest_grid(ordered, 32) == 2
    assert largest_grid(Domain.of_sizes([2, 2, 2]), 10**6) == 2


# Refusals


@pytest.mark.parametrize("n_rows", [1, 0, -5])
def test_a_table_of_fewer_than_two_rows_has_no_bound(n_rows):
    for bound in (
        lambda: mutual_information_sensitivity(n_rows, has_binary_side=True),
        lambda: entropy_sensitivity(n_rows),
        lambda: mic_sensitivity(n_rows, largest_grid=3),
    ):
        with pytest.raises(DomainError, match="fewer than 2 rows has no mutual information"):
            bound()


def test_a_quantity_that_needs_a_public_n_is_refused_under_add_remove():
    with pytest.raises(PlanError, match="MIC has a proven sensitivity only under 'replace-one'"):
        require_replace_one(ADD, "MIC")
    require_replace_one(REPLACE, "MIC")
