"""Distances, centroids and losses by hand and by plain recomputation; tallies and shelves against them."""

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.anonymize import code_shelves, nominal
from hmpb_core.anonymize.continuous import Continuous
from hmpb_core.anonymize.generalization import Range, Suppression
from hmpb_core.anonymize.groups import entropy
from hmpb_core.anonymize.hierarchy import CodeTree
from hmpb_core.anonymize.nominal import Nominal
from hmpb_core.anonymize.ordinal import Ordinal, convex_median
from hmpb_core.anonymize.partition import protection
from hmpb_core.anonymize.ranks import Ranks, RankShelf, RankTally
from hmpb_core.anonymize.semantic import Semantic
from hmpb_core.anonymize.spreads import SpreadShelf
from hmpb_core.anonymize.together import Together
from tests.thorough import sample

DIGITS = Semantic(
    tree=CodeTree.of_paths([tuple(code) for code in ("110", "111", "112", "120", "121", "200", "210", "211")])
)
PLACES = [
    ("eu",),
    ("eu", "fr"),
    ("eu", "fr", "lyon"),
    ("eu", "fr", "nice"),
    ("eu", "it"),
    ("us", "ny", "nyc"),
]
UNEVEN = Semantic(tree=CodeTree.of_paths(PLACES, beta=0.5, root_weight=0.3))
MEASURES = {
    "continuous": Continuous(values=np.array([0.0, 1.0, 2.5, 4.0, 7.0, 10.0])),
    "continuous with a missing value": Continuous(values=np.array([0.0, 1.0, 2.5, 7.0, 10.0]), missing=True),
    "ordinal": Ordinal.of_ranks(7),
    "ordinal with a missing value": Ordinal.of_ranks(5, missing=True),
    "nominal": Nominal(n_values=5),
    "semantic": DIGITS,
    "semantic of uneven depth": UNEVEN,
    "range": Range(positions=np.array([0.0, 0.2, 0.5, 1.0]), missing=True),
    "suppression": Suppression(n_values=4),
}
KINDS = list(MEASURES)


def drawn(measure, data, most=9):
    codes = st.lists(st.integers(0, measure.n_values - 1), min_size=1, max_size=most)
    return np.array(data.draw(codes), dtype=np.int64)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_tally_gives_the_loss_after_one_more_row_of_every_value(kind, data):
    measure = MEASURES[kind]
    codes = drawn(measure, data)
    tally = measure.start()
    for code in codes.tolist():
        tally.add(code)
    assert tally.loss == pytest.approx(measure.loss(codes), abs=1e-12)
    assert tally.floor <= tally.loss + 1e-12
    plain = [measure.loss(np.append(codes, value)) for value in range(measure.n_values)]
    np.testing.assert_allclose(tally.losses(), plain, atol=1e-12)
    ahead, inside = tally.ahead(), np.zeros(measure.n_values, dtype=bool)
    np.testing.assert_allclose(ahead.losses(np.arange(measure.n_values)), plain, atol=1e-12)
    for start, stop in ahead.ranges:
        inside[start:stop] = True
    assert (np.array(plain)[~inside] >= ahead.rest - 1e-12).all()


@pytest.mark.parametrize("most_cells", [code_shelves.MAX_CELLS, 8, 0], ids=["all counted", "some", "none"])
@pytest.mark.parametrize("kind", sample(KINDS, 3))
@given(data=st.data())
def test_a_shelf_bounds_the_loss_of_a_union_from_below_and_gives_it(kind, most_cells, data):
    measure = MEASURES[kind]
    groups = [drawn(measure, data) for _ in range(3)]
    ours = drawn(measure, data, most=6)
    with mock.patch.object(code_shelves, "MAX_CELLS", most_cells):
        shelf = measure.shelf(4)
    for place, group in enumerate(groups):
        shelf.put(place, drawn(measure, data))
        apart = shelf.put(place, group)
        assert apart == pytest.approx(measure.loss_floor(group), abs=1e-12)
    growing = measure.start()
    for n_rows, code in enumerate(ours.tolist(), start=1):
        growing.add(code)
        unions = np.array([measure.loss(np.concatenate([ours[:n_rows], group])) for group in groups])
        for places in (np.arange(3), np.array([2, 0])):
            assert (shelf.together(growing, ours[:n_rows], places) <= unions[places] + 1e-9).all()
    np.testing.assert_allclose(shelf.losses_with(ours, np.array([0, 2])), unions[[0, 2]], atol=1e-12)
    apart = [measure.loss_floor(ours) + measure.loss_floor(group) for group in groups]
    assert (np.array(apart) <= unions + 1e-9).all()
    assert growing.floor <= growing.loss + 1e-12


@given(data=st.data())
def test_nominal_attributes_counted_together_lose_what_each_loses(data):
    measures = [Nominal(n_values=3), Nominal(n_values=5)]
    columns = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=7)
    ours, group = (np.array(data.draw(columns), dtype=np.int64) for _ in range(2))
    growing, shelf = nominal.StackTally([3, 5]), nominal.StackShelf([3, 5], 2)
    shelf.put(1, ours)
    shelf.put(1, group)
    shelf.begin(2)
    for row in ours:
        growing.add(row)
        shelf.follow(row)
    together = np.concatenate([ours, group])
    for i, measure in enumerate(measures):
        start, stop = growing.bounds[i]
        plain = [measure.loss(np.append(ours[:, i], value)) for value in range(measure.n_values)]
        np.testing.assert_allclose(growing.losses()[start:stop], plain, atol=1e-12)
        assert growing.each_loss[i] == pytest.approx(measure.loss(ours[:, i]))
        found = shelf.losses_with(growing, len(ours), np.array([1]))[i, 0]
        assert found == pytest.approx(measure.loss(together[:, i]))
    n_rows = np.array([1.0, len(together)])
    plain = sum(measure.loss(together[:, i]) for i, measure in enumerate(measures))
    assert shelf.together(growing, n_rows)[1] == pytest.approx(plain)


def rows_drawn(measures, data, most=7):
    row = st.tuples(*(st.integers(0, measure.n_values - 1) for measure in measures))
    return np.array(data.draw(st.lists(row, min_size=1, max_size=most)), dtype=np.int64)


def each_loss(measures, codes):
    return [measure.loss(codes[:, i]) for i, measure in enumerate(measures)]


@given(data=st.data())
def test_ordinal_attributes_counted_together_lose_what_each_loses(data):
    measures = [Ordinal.of_ranks(2), Ordinal.of_ranks(5, missing=True), Ordinal.of_ranks(4)]
    ranks, ours = Ranks(measures), rows_drawn(measures, data)
    growing, shelf = RankTally(ranks), RankShelf(ranks, 3)
    groups = [rows_drawn(measures, data) for _ in range(3)]
    for place, group in enumerate(groups):
        shelf.put(place, ours)
        floors = [measure.loss_floor(group[:, i]) for i, measure in enumerate(measures)]
        assert shelf.put(place, group) == pytest.approx(sum(floors))
    for row in ours:
        growing.add(row)
    assert growing.each_loss == pytest.approx(each_loss(measures, ours), abs=1e-12)
    floors = [measure.loss_floor(ours[:, i]) for i, measure in enumerate(measures)]
    assert growing.floor == pytest.approx(sum(floors))
    for i, measure in enumerate(measures):
        start, stop = growing.bounds[i]
        plain = [measure.loss(np.append(ours[:, i], value)) for value in range(measure.n_values)]
        np.testing.assert_allclose(growing.losses()[start:stop], plain, atol=1e-12)
        ahead = growing.ahead(i).losses(np.arange(measure.n_values))
        np.testing.assert_allclose(ahead, plain, atol=1e-12)
    places = np.array([2, 0])
    unions = np.array([each_loss(measures, np.concatenate([ours, groups[place]])) for place in places])
    np.testing.assert_allclose(shelf.losses_with(growing, places), unions.T, atol=1e-12)
    assert (shelf.together(growing, len(ours), places) <= unions.sum(axis=1) + 1e-9).all()


@pytest.mark.parametrize("missing", [False, True])
@given(data=st.data())
def test_continuous_attributes_kept_together_lose_what_each_loses(missing, data):
    measures = [
        Continuous(values=np.array([0.0, 1.0, 2.5, 7.0, 10.0])),
        Continuous(values=np.array([-3.0, 1.0, 2.0]), missing=missing),
    ]
    groups = [rows_drawn(measures, data) for _ in range(3)]
    codes, starts = np.concatenate(groups), np.cumsum([0, *map(len, groups)]).tolist()
    members = [list(range(starts[i], starts[i + 1])) for i in range(3)]
    shelf, ours = SpreadShelf(measures, codes, 2), members[2]
    for place in (0, 1):
        shelf.put(place, ours)
        floors = [measure.loss_floor(groups[place][:, i]) for i, measure in enumerate(measures)]
        assert shelf.put(place, members[place]) == pytest.approx(sum(floors))
    places = np.array([1, 0])
    unions = np.array([each_loss(measures, codes[ours + members[place]]) for place in places])
    np.testing.assert_allclose(shelf.losses_with(ours, places), unions.T, atol=1e-12)
    floors = np.array([measure.loss_floor(groups[2][:, i]) for i, measure in enumerate(measures)])
    assert (shelf.together(ours, floors, places) <= unions.sum(axis=1) + 1e-9).all()


def test_attributes_whose_counts_in_all_classes_take_much_memory_are_counted_each_by_itself():
    measures = [Nominal(n_values=5), Ordinal.of_ranks(4), Ordinal.of_ranks(101)]
    small, large = (Together.of(measures, capacity=n) for n in (10, 10**8))
    assert (small.nominal, small.ordinal, small.alone) == ([0], [1], [2])
    assert (large.nominal, large.ordinal, large.alone) == ([], [], [0, 1, 2])


@pytest.mark.parametrize("kind", KINDS)
def test_distances_are_symmetric_between_0_and_1_and_0_only_from_a_value_itself(kind):
    measure = MEASURES[kind]
    table = np.array([measure.distances(code) for code in range(measure.n_values)])
    np.testing.assert_allclose(table, table.T)
    assert (np.diag(table) == 0).all()
    off = table[~np.eye(len(table), dtype=bool)]
    assert off.min() > 0 or kind.startswith("semantic")
    assert off.max() == pytest.approx(1.0)


def test_a_continuous_class_loses_the_distances_to_its_mean():
    # 0, 1 and 4 of the range 0 to 10: mean 5/3, distances 5/3 + 2/3 + 7/3 = 14/3, scaled by 10.
    assert MEASURES["continuous"].loss(np.array([0, 1, 3])) == pytest.approx(14 / 30)
    assert MEASURES["continuous"].centroid(np.array([0, 1, 3])) == pytest.approx(5 / 3)


def test_a_class_of_mostly_missing_values_is_published_as_missing():
    measure = MEASURES["continuous with a missing value"]
    assert math.isnan(measure.centroid(np.array([5, 5, 0])))
    assert measure.loss(np.array([5, 5, 0])) == 1.0


def test_medals_lie_half_a_range_apart():
    """The paper's example of section 3.2: gold is nearer to silver than to bronze."""
    np.testing.assert_allclose(Ordinal.of_ranks(3).distances(0), [0.0, 0.5, 1.0])


def test_weights_between_ranks_are_scaled_by_their_sum():
    # W = 1, 3: eq. 4 gives 1/4 and 4/4.
    np.testing.assert_allclose(Ordinal(positions=np.array([0.0, 0.25, 1.0])).distances(0), [0.0, 0.25, 1.0])


def test_the_convex_median_is_that_of_the_least_one_peaked_counts_above():
    # 3 0 1 0 2 becomes 3 2 2 2 2: the sum is 11, and 3 + 2 + 2 is the first to reach half of it.
    assert convex_median(np.array([3, 0, 1, 0, 2])) == 2
    assert convex_median(np.array([0, 0, 4, 0, 0])) == 2


def test_a_nominal_class_loses_the_squares_to_its_mean_vector():
    # Eq. 6 and 7 by hand: values a, a, b as vectors of sqrt(0.5); mean (2/3, 1/3) sqrt(0.5).
    root = math.sqrt(0.5)
    rows = np.array([[root, 0], [root, 0], [0, root]])
    by_hand = ((rows - rows.mean(axis=0)) ** 2).sum()
    assert Nominal(n_values=2).loss(np.array([0, 0, 1])) == pytest.approx(by_hand)
    assert Nominal(n_values=2).centroid(np.array([0, 0, 1])) == 0


def test_codes_are_as_far_apart_as_the_tree_says():
    """Six digits, beta 1, no weight on the first step: steps 1/2, 1/3, 1/4, 1/5, 1/6 of 1.45."""
    codes = ["061110", "150001", "150002", "150099"]
    tree = CodeTree.of_paths([tuple(code) for code in codes])
    np.testing.assert_allclose(
        tree.distances(1, np.arange(4)), [1.0, 0.0, (1 / 6) / 1.45, (1 / 5 + 1 / 6) / 1.45]
    )


def test_beta_0_weighs_every_step_alike():
    tree = CodeTree.of_paths(
        [tuple(code) for code in ("111", "112", "121", "211")], beta=0.0, root_weight=1.0
    )
    np.testing.assert_allclose(tree.distances(0, np.arange(4)), [0, 1 / 3, 2 / 3, 1])


def test_a_value_above_others_is_nearer_to_them_than_they_to_each_other():
    # W = 0.3, 2^-1/2, 3^-1/2; the farthest are lyon and nyc: twice the sum.
    steps = [0.3, 2**-0.5, 3**-0.5]
    distances = UNEVEN.distances(2)
    assert distances[1] == pytest.approx(steps[2] / (2 * sum(steps)))
    assert distances[3] == pytest.approx(2 * steps[2] / (2 * sum(steps)))
    assert distances[5] == pytest.approx(1.0)


@given(data=st.data())
def test_the_medoid_is_the_row_nearest_to_all_others(data):
    for measure in (DIGITS, UNEVEN):
        codes = drawn(measure, data)
        sums = {code: measure.distances(code)[codes].sum() for code in codes.tolist()}
        assert measure.loss(codes) == pytest.approx(min(sums.values()))
        assert sums[int(measure.centroid(codes))] == pytest.approx(min(sums.values()))


def test_entropy_is_in_bits():
    assert entropy(np.array([1, 1, 1, 1, 0])) == 2.0
    assert entropy(np.array([3, 1])) == pytest.approx(0.8112781)


def test_protection_is_infinite_where_entropy_grows_at_no_loss():
    assert protection(0.5, 0.0) == math.inf
    assert protection(0.0, 0.0) == 0.0
    assert protection(0.5, 0.25) == 2.0
