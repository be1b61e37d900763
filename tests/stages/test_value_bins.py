"""Bins of least loss, against every other way to cut."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.stages.values.bins import OF_OTHERS, OF_RANKS, OF_VALUES, best_bins


def variance_inside(values, bins):
    """Variance inside the bins over the whole variance, row by row."""
    whole = ((values - values.mean()) ** 2).sum()
    inside = sum(((values[bins == b] - values[bins == b].mean()) ** 2).sum() for b in set(bins.tolist()))
    return inside / whole if whole > 0 else 0.0


def loss(counts, bins):
    """The loss of single values (cells of one position), from rows written out one by one."""
    rows = np.repeat(np.arange(len(counts)), counts)
    middles = np.cumsum(counts) - np.array(counts) / 2
    others = np.array(counts)
    others[np.argmax(counts)] = 0
    ranks_of_others = np.cumsum(others) - others / 2
    rest = np.repeat(np.arange(len(counts)), others)
    of_others = variance_inside(ranks_of_others[rest], bins[rest]) if len(rest) else 0.0
    return (
        OF_VALUES * variance_inside(rows.astype(float), bins[rows])
        + OF_RANKS * variance_inside(middles[rows], bins[rows])
        + OF_OTHERS * of_others
        + sum(of_pile(rows == pile, bins[rows]) for pile in piles(counts))
    )


def piles(counts):
    """Values at an end of the rows that hold four times what either neighbour does."""
    beside = [0, *counts, 0]
    return [
        at
        for at, count in enumerate(counts)
        if count >= 4 * max(beside[at], beside[at + 2])
        and min(sum(counts[:at]), sum(counts[at + 1 :])) <= 0.02 * sum(counts)
    ]


def of_pile(is_there, bins):
    """Variance of being there inside the bins, over all rows."""
    return sum(is_there[bins == b].var() * (bins == b).mean() for b in set(bins.tolist()))


def loss_of_intervals(counts, lengths, bins):
    """The same of intervals of several positions: rows lie evenly over these, and over their ranks."""
    starts, below = np.cumsum([0, *lengths]), np.cumsum([0, *counts])
    places, of_place, ranks, of_rank = [], [], [], []
    for i, (count, length) in enumerate(zip(counts, lengths, strict=True)):
        places += [starts[i] + at for at in range(length) for _ in range(30 // length * count)]
        of_place += [bins[i]] * (30 * count)
        ranks += [*(below[i] + (np.arange(10 * count) + 0.5) / 10)]
        of_rank += [bins[i]] * (10 * count)
    of_ranks = variance_inside(np.array(ranks), np.array(of_rank))
    of_values = variance_inside(np.array(places, dtype=float), np.array(of_place))
    return OF_VALUES * of_values + (OF_RANKS + OF_OTHERS) * of_ranks  # no value that rows share is left out


@settings(max_examples=10)
@given(st.lists(st.tuples(st.integers(4, 12), st.sampled_from([2, 3, 5])), min_size=3, max_size=5))
def test_no_other_cuts_of_intervals_lose_less(intervals):
    counts, lengths = zip(*intervals, strict=True)
    n, ends = len(counts), np.cumsum(lengths)
    found = best_bins(
        ends - lengths, ends, np.array(counts, dtype=float), most=2, least=0.0, groups=np.arange(n)
    )
    cuts = [np.searchsorted([cut], np.arange(n), side="right") for cut in range(1, n)]
    least = min(loss_of_intervals(counts, lengths, bins) for bins in cuts)
    assert loss_of_intervals(counts, lengths, found) == pytest.approx(least, rel=1e-3)


@given(st.lists(st.integers(1, 30), min_size=3, max_size=7), st.integers(2, 4))
def test_no_other_cuts_lose_less(counts, most):
    n = len(counts)
    starts = np.arange(n)
    found = best_bins(
        starts, starts + 1, np.array(counts, dtype=float), most=most, least=0.0, groups=np.arange(n)
    )
    best = min(
        loss(counts, np.searchsorted(cuts, np.arange(n), side="right"))
        for size in range(most)
        for cuts in itertools.combinations(range(1, n), size)
    )
    assert loss(counts, found) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("beyond", [0, 40])
def test_a_value_at_an_end_that_rows_pile_up_at_is_a_bin_of_its_own_beside_others_like_it(beyond):
    """Weights of 40 to 160 and 0 for the 7 % who are not asked: by values and ranks 0 is one of them."""
    sizes = np.concatenate([[beyond, 1800], np.full(30, 20.0), 250 - np.abs(np.arange(200) - 50.0)])
    starts = np.arange(len(sizes))
    found = best_bins(starts, starts + 1, sizes, most=32, least=100.0, price=0.0007)
    assert found[1] != found[2]
    assert found[1] == found[0]
    flat = np.where(starts == 1, 60.0, sizes)
    found = best_bins(starts, starts + 1, flat, most=32, least=100.0, price=0.0007)
    assert found[1] == found[2]


@given(
    st.lists(st.integers(1, 30), min_size=4, max_size=7),
    st.sets(st.integers(1, 3), min_size=1),
    st.booleans(),
)
def test_bins_begin_wherever_they_are_cut_however_few_rows_they_have(counts, cuts, grouped):
    n, rows = len(counts), np.array(counts, dtype=float)
    found = best_bins(
        np.arange(n),
        np.arange(n) + 1,
        rows,
        most=4,
        least=15.0,
        groups=np.arange(n) if grouped else None,
        cuts=np.array(sorted(cuts)),
    )
    assert all(found[at] != found[at - 1] for at in cuts)
    if not grouped:
        return

    def allowed(ends):
        for low, high in itertools.pairwise([0, *ends, n]):
            apart = {low, high} <= {0, n, *cuts}
            if not apart and rows[low:high].sum() < 15:
                return False
        return True

    tried = [
        chosen
        for size in range(max(4, len(cuts) + 1))
        for chosen in itertools.combinations(range(1, n), size)
        if cuts <= set(chosen) and allowed(chosen)
    ]
    least = min(loss(counts, np.searchsorted(chosen, np.arange(n), side="right")) for chosen in tried)
    assert loss(counts, found) == pytest.approx(least, abs=1e-9)


def test_no_bin_holds_fewer_rows_than_allowed():
    counts = np.array([1.0, 2, 50, 3, 60, 1, 1, 40])
    found = best_bins(np.arange(8), np.arange(1, 9), counts, most=8, least=10.0, groups=np.arange(8))
    assert np.bincount(found, weights=counts).min() >= 10


def test_a_price_leaves_fewer_bins():
    counts, starts = np.full(64, 10.0), np.arange(64)
    sizes = [
        best_bins(starts, starts + 1, counts, most=32, least=0.0, price=price)[-1] + 1
        for price in (0.0, 1e-4, 1e-2)
    ]
    assert sizes[0] == 32
    assert sizes[0] > sizes[1] > sizes[2] > 1


def test_a_value_that_most_rows_share_is_a_bin_of_its_own():
    counts = np.ones(99)
    counts[39] = 500
    found = best_bins(np.arange(99), np.arange(1, 100), counts, most=8, least=1.0, groups=np.arange(99))
    assert (found == found[39]).sum() == 1


def test_an_empty_histogram_has_one_bin():
    assert set(best_bins(np.arange(4), np.arange(1, 5), np.zeros(4), most=3, least=1.0).tolist()) == {0}
