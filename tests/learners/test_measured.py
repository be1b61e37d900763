"""Measured tables: what the looks at single attributes and at pairs say of each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from hmpb_core.graphical.inference import Evidence
from hmpb_core.learners.adaptive.measured import Measured
from hmpb_core.learners.base import Follower


def one_way(counts: Sequence[float], noise_sd: float, covariance: np.ndarray | None = None) -> Evidence:
    return Evidence(
        attributes=(0,),
        counts=np.array(counts, dtype=float),
        variance=noise_sd**2,
        ridge=0.1 * noise_sd,
        covariance=covariance,
    )


def measured(*tables: Evidence, in_order: Sequence[int] = ()) -> Measured:
    """Tables of 5,000 rows, one an attribute."""
    singles = [
        Evidence(
            attributes=(a,), counts=t.counts, variance=t.variance, ridge=t.ridge, covariance=t.covariance
        )
        for a, t in enumerate(tables)
    ]
    return Measured(singles, 5000.0, in_order or [0] * len(tables))


def told_of(known: Measured, *attributes: int) -> Evidence:
    return next(item for item in known.told() if item.attributes == attributes)


def test_margins_of_pairs_tell_more_of_a_flag_than_its_own_noisy_table() -> None:
    """A flag of 90 in 5,000 rows: 160 by its own table of noise 40, 85 by a margin of noise 4 sqrt(5)."""
    known = measured(one_way([4840, 160], 40), one_way([1000] * 5, 40), one_way([2500, 2500], 40))
    known.take_in((0, 1), np.array([[983.0] * 5, [17.0] * 5]), 16.0, ridge=0.1)
    told = known.one_way()
    assert set(told) == {(0,), (1,)}  # the third is in no pair
    assert told[0,].counts.sum() == pytest.approx(5000)
    assert told[0,].counts[1] == pytest.approx(85 + 75 / 21, abs=0.1)  # variances 1600 and 80
    assert told_of(known, 0).counts.tolist() == told[0,].counts.tolist()
    assert told_of(known, 2) is known.evidence[2,]


def test_margins_of_several_pairs_count_together() -> None:
    """Its own table says 100 with the variance 900; margins 130 with 2 x 450 and 160 with 3 x 300."""
    known = measured(one_way([100, 4900], 30), one_way([2500, 2500], 30), one_way([1000, 2000, 2000], 30))
    known.take_in((0, 1), np.array([[65.0, 65.0], [2435.0, 2435.0]]), 450.0, ridge=0.1)
    known.take_in((0, 2), np.array([[60.0, 50.0, 50.0], [940.0, 1950.0, 1950.0]]), 300.0, ridge=0.1)
    assert known.one_way()[0,].counts == pytest.approx([130, 4870])
    assert known.one_way()[0,].variance == pytest.approx(300)
    assert known.one_way()[0,].ridge == pytest.approx(0.1 * 300**0.5)


def test_a_margin_is_counted_back_to_the_rows_before_it_is_believed() -> None:
    """300 rows too many are taken off both values alike, though only of the second is little known."""
    known = measured(one_way([1000, 4000], 20, np.diag([300.0, 3e8])), one_way([2500, 2500], 1))
    known.take_in((0, 1), np.array([[600.0, 650.0], [2000.0, 2050.0]]), 150.0, ridge=0.1)
    # 1250 and 4050 are 1100 and 3900: half way to the first, all to the second, and 50 missing
    assert known.one_way()[0,].counts == pytest.approx([1075, 3925], abs=0.01)


def test_no_table_has_fewer_rows_than_none_whatever_its_margins_say() -> None:
    known = measured(one_way([10, 4990], 30), one_way([2500, 2500], 30))
    known.take_in((0, 1), np.array([[-40.0, -60.0], [2540.0, 2560.0]]), 100.0, ridge=0.1)
    assert known.one_way()[0,].counts.tolist() == [0.0, 5000.0]


def test_ridges_have_a_least_size() -> None:
    known = measured(one_way([3000, 2000], 0.01), one_way([2500, 2500], 30))
    known.take_in((0, 1), np.full((2, 2), 1250.0), 25.0, ridge=1e-9)
    assert known.evidence[0, 1].ridge == pytest.approx(0.02 * 5)
    assert known.one_way()[0,].ridge == pytest.approx(0.1 * 0.5)


def test_of_two_scales_what_is_not_smooth_is_taken_for_noise() -> None:
    """Two independent numbers of 12 codes, with noise in every cell: nearly all of it goes."""
    noise = np.random.default_rng(1).normal(0, 20, (12, 12))
    noise -= noise.mean(axis=0) + noise.mean(axis=1)[:, None] - noise.mean()
    even = one_way([5000 / 12] * 12, 5)

    def left(in_order: int) -> float:
        known = measured(even, even, in_order=[in_order, in_order])
        known.take_in((0, 1), 5000 / 144 + noise, 400.0, ridge=0.1)
        return float(np.abs(told_of(known, 0, 1).counts - 5000 / 144).sum())

    assert left(0) == pytest.approx(np.abs(noise).sum())
    assert left(12) < 0.5 * left(0)


def test_a_numbers_table_learns_from_margins_what_its_own_errors_leave_open() -> None:
    """Four codes: their halves are known exactly, how the rows of a half lie hardly at all."""
    errors = np.kron(np.eye(2), 3600.0 * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    known = measured(one_way([2400, 600, 1000, 1000], 60, errors), one_way([2500, 2500], 60))
    pair = np.repeat([[900.0], [500.0], [600.0], [500.0]], 2, axis=1)
    known.take_in((0, 1), pair, 100.0, ridge=0.1)  # a margin's variance is 200
    told = known.one_way()[0,]
    # of the halves' differences, 1800 and 0 (variance 14400), the margin says 800 and 200 (400)
    assert told.counts == pytest.approx([1913.5, 1086.5, 1097.3, 902.7], abs=0.1)
    assert told.variance == pytest.approx(14400 * 400 / 14800 / 4)


def test_a_pair_is_told_with_the_margins_that_all_looks_know() -> None:
    known = measured(one_way([3000, 2000], 1), one_way([1000, 4000], 1))
    pair = np.array([[900.0, 2300.0], [100.0, 2000.0]])
    known.take_in((0, 1), pair, 900.0, ridge=0.1)
    told = told_of(known, 0, 1).counts
    assert told.sum(axis=1) == pytest.approx([3000, 2000], abs=1)
    assert told.sum(axis=0) == pytest.approx([1000, 4000], abs=1)
    contrast = np.array([[1, -1], [-1, 1]])  # all of a table of four cells that its margins do not say
    assert (told * contrast).sum() == pytest.approx((pair * contrast).sum())
    assert (known.evidence[0, 1].counts == pair).all()  # what was measured stays, for a further look


def test_of_a_pair_in_few_cells_the_others_stay_empty() -> None:
    known = measured(one_way([2000, 2000, 1000], 5), one_way([2000, 2000, 1000], 5))
    noise = np.array([[0.0, 9.0, -12.0], [-9.0, 0.0, 5.0], [8.0, -3.0, 0.0]])
    known.take_in((0, 1), np.diag([1990.0, 2010.0, 1000.0]) + noise, 100.0, ridge=5.0)
    told = told_of(known, 0, 1)
    assert told.counts[~np.eye(3, dtype=bool)].tolist() == [0.0] * 6
    assert told.ridge == pytest.approx(0.02 * 10)
    # measured again it is in many: nothing of that is left
    known.take_in((0, 1), np.full((3, 3), 555.0), 1.0, ridge=5.0)
    assert told_of(known, 0, 1).counts.min() > 100
    assert told_of(known, 0, 1).counts.sum(axis=0) == pytest.approx(known.one_way()[1,].counts)
    assert told_of(known, 0, 1).ridge == known.evidence[0, 1].ridge


def test_a_pair_is_listed_once_however_often_it_is_measured() -> None:
    known = measured(one_way([3000, 2000], 1), one_way([1000, 4000], 1))
    for counts in (40.0, 80.0):
        known.take_in((0, 1), np.full((2, 2), counts), 8.0, ridge=0.5)
    known.take_in((1,), np.array([2000.0, 3000.0]), 1.0, ridge=0.0)
    assert known.pairs == [(0, 1)]
    assert known.evidence[0, 1].counts.tolist() == [[60.0, 60.0]] * 2
    assert known.evidence[0, 1].variance == 4.0
    assert known.evidence[0, 1].ridge == pytest.approx(2.0)  # half a variance, halved
    assert known.evidence[1,].counts.tolist() == [1500.0, 3500.0]
    assert known.evidence[1,].ridge == pytest.approx(0.05)


@pytest.mark.parametrize("turned", [False, True])
def test_a_list_and_what_follows_from_it_have_a_table_that_nobody_measured(turned: bool) -> None:
    """300, 100 and 600 rows of the list by noisy counts; 500 of what follows from the first two."""
    values, column = one_way([300, 100, 600], 40), one_way([500, 500], 10)
    singles = [replace(table, attributes=(a,)) for a, table in enumerate([values, column][:: 1 - 2 * turned])]
    follower = Follower(attribute=1 - turned, of=int(turned), codes=np.array([0, 0, 1]))
    known = Measured(singles, 1000.0, [0, 0], [follower])
    told = {item.attributes: item.counts for item in known.told()}
    table = told[0, 1].T if turned else told[0, 1]
    assert table == pytest.approx(np.array([[375, 0], [125, 0], [0, 500]]))
    assert told[int(turned),] == pytest.approx([375, 125, 500])
    assert (known.pairs, known.measured) == ([(0, 1)], [])
    assert known.one_way() == {}  # it tells nothing that its lists did not


def test_both_columns_that_follow_from_one_list_are_told_as_they_are_known() -> None:
    """Four values; their halves by one column and their parity by the other."""
    tables = [one_way([100, 300, 300, 300], 40), one_way([500, 500], 10), one_way([400, 600], 10)]
    singles = [replace(table, attributes=(a,)) for a, table in enumerate(tables)]
    half = Follower(attribute=1, of=0, codes=np.array([0, 0, 1, 1]))
    parity = Follower(attribute=2, of=0, codes=np.array([0, 1, 0, 1]))
    told = {i.attributes: i.counts for i in Measured(singles, 1000.0, [0] * 3, [half, parity]).told()}
    assert told[0, 1].sum(axis=0) == pytest.approx([500, 500], abs=15)
    assert told[0, 2].sum(axis=0) == pytest.approx([400, 600], abs=1)
    assert told[0, 1].sum(axis=1) == pytest.approx(told[0,])
    assert told[0, 2].sum(axis=1) == pytest.approx(told[0,])
