"""Consistent estimates of nested noisy counts, against brute-force least squares."""

import dataclasses

import numpy as np
import pytest

from hmpb_core.marginal import project_to_simplex
from hmpb_core.stages.values.tree import (
    Level,
    consistent,
    covariance_of_sums,
    shaped,
    shared,
    shared_each,
    significant,
)

STARTS = [np.array([0, 4, 8]), np.array([0, 2, 4, 8, 9, 10]), np.array([0, 2, 4, 5, 6, 8, 9, 10])]
PARENTS = [np.array([0, 0, 0]), np.array([0, 0, 1, 2, 2, 2]), np.array([0, 1, 2, 2, 2, 3, 4, 5])]
VARIANCES = (4.0, 9.0, 1.0)
SIZE, TOTAL = 12, 100.0


def levels(counts):
    return [
        Level(starts=s, parents=p, counts=np.asarray(c, dtype=float), variance=v)
        for s, p, c, v in zip(STARTS, PARENTS, counts, VARIANCES, strict=True)
    ]


def design():
    """Rows: every measured cell as a sum of the finest cells; and the noise of each."""
    finest = np.append(STARTS[-1], SIZE)
    rows, noise = [], []
    for starts, variance in zip(STARTS, VARIANCES, strict=True):
        ends = np.append(starts[1:], SIZE)
        for low, high in zip(starts, ends, strict=True):
            rows.append(((finest[:-1] >= low) & (finest[1:] <= high)).astype(float))
            noise.append(variance)
    return np.array(rows), np.array(noise)


def covariance():
    """Covariance of weighted least squares under the known total (by a basis of the sum-zero space)."""
    rows, noise = design()
    basis = np.linalg.svd(np.ones((1, rows.shape[1])))[2][1:].T
    inner = np.linalg.inv(basis.T @ rows.T @ (rows / noise[:, None]) @ basis)
    return basis, basis @ inner @ basis.T


def test_estimates_are_those_of_weighted_least_squares_under_the_known_total():
    rng = np.random.default_rng(0)
    counts = [rng.normal(20, 8, starts.size) for starts in STARTS]
    rows, noise = design()
    _, spread = covariance()
    start = np.full(rows.shape[1], TOTAL / rows.shape[1])
    expected = start + spread @ rows.T @ ((np.concatenate(counts) - rows @ start) / noise)
    agreed, _ = consistent(levels(counts), TOTAL)
    assert agreed[-1] == pytest.approx(expected)
    for upper, lower, parents in zip(agreed, agreed[1:], PARENTS[1:], strict=False):
        assert np.bincount(parents, weights=lower) == pytest.approx(upper)
    assert agreed[0].sum() == pytest.approx(TOTAL)


def test_without_a_public_total_the_counts_of_the_first_level_give_it():
    counts = [np.full(starts.size, 5.0) for starts in STARTS]
    agreed, _ = consistent(levels(counts), None)
    assert agreed[-1].sum() == pytest.approx(agreed[0].sum())
    assert agreed[0].sum() != pytest.approx(TOTAL)


def test_the_covariance_of_groups_is_that_of_weighted_least_squares():
    groups = np.array([0, 0, 1, 1, 1, 2, 0, 2])
    member = (groups[None, :] == np.arange(3)[:, None]).astype(float)
    measured = levels([np.zeros(s.size) for s in STARTS])
    _, spread = covariance()
    found = covariance_of_sums(measured, groups, total_known=True)
    assert found == pytest.approx(member @ spread @ member.T)
    rows, noise = design()
    free = np.linalg.inv(rows.T @ (rows / noise[:, None]))
    found = covariance_of_sums(measured, groups, total_known=False)
    assert found == pytest.approx(member @ free @ member.T)


def one_interval(children, noise_sd, total=1600.0):
    parts = len(children)
    return [
        Level(starts=np.array([0]), parents=np.array([0]), counts=np.array([total]), variance=1e-6),
        Level(
            starts=np.arange(parts),
            parents=np.zeros(parts, dtype=int),
            counts=np.array(children, dtype=float),
            variance=noise_sd**2,
        ),
    ]


def test_what_is_only_noise_is_smoothed_away():
    noise = np.random.default_rng(1).normal(0, 30, 16)
    shares = shaped(one_interval(100 + noise, 30.0), 16, 1600.0)
    assert np.abs(shares - 100).mean() < np.abs(noise).mean() / 2
    assert shares.sum() == pytest.approx(1600)


def test_a_single_value_that_stands_out_keeps_its_rows():
    children = 20 + np.random.default_rng(2).normal(0, 30, 16)
    children[5] += 1280
    shares = shaped(one_interval(children, 30.0), 16, 1600.0)
    assert shares[5] == pytest.approx(1300, abs=90)
    assert (shares >= 0).all()


def test_parts_that_nothing_is_known_of_are_alike():
    rows = shared(12.0, np.array([4.5, 3.5, 4.0]), np.full(3, 9.0), np.zeros(3))
    assert rows == pytest.approx([4, 4, 4])


def test_rows_that_only_one_part_can_hold_may_still_be_found_in_another():
    rows = shared(1000.0, np.array([400.0, 600.0]), np.full(2, 3.0), np.array([1.0, 0.0]))
    assert rows == pytest.approx([400, 600], abs=10)


def plainly_shared(total, estimates, noise_sd, widths):
    """One interval, step by step."""

    def evenly(rows, among):
        whole = widths[among].sum()
        return rows * widths / whole if whole > 0 else np.full(widths.shape, rows / among.sum())

    if total <= 0:
        return np.zeros_like(estimates)
    out = estimates - evenly(total, np.ones_like(widths, dtype=bool)) > 3 * noise_sd
    for _ in range(2):
        if not out.all():
            out |= estimates - evenly(max(0.0, total - estimates[out].sum()), ~out) > 3 * noise_sd
    rest, shares = ~out, estimates.copy()
    if rest.any():
        left = max(0.0, total - estimates[out].sum())
        if out.any() and left < np.sqrt((noise_sd[out] ** 2).sum()):
            left = 0.0
        even = evenly(left, rest)[rest]
        deviations = estimates[rest] - even
        deviations -= deviations.mean()
        spread, noise = (deviations**2).mean(), (noise_sd[rest] ** 2).mean()
        shares[rest] = even + (max(0.0, 1 - noise / spread) if spread > 0 else 0.0) * deviations
    return project_to_simplex(shares, total)


@pytest.mark.parametrize("parts", [2, 3, 7, 16])
def test_intervals_shared_together_get_what_each_gets_by_itself(parts):
    rng = np.random.default_rng(parts)
    estimates = rng.normal(50, 60, (400, parts)) * (rng.random((400, parts)) < 0.7)
    noise_sd = np.repeat(rng.choice([1e-9, 3.0, 30.0], (400, 1)), parts, axis=1)
    widths = rng.integers(0, 5, (400, parts)) * rng.choice([0.0, 1.0, 1.0], (400, 1))
    totals = np.where(rng.random(400) < 0.2, 0.0, np.maximum(estimates.sum(axis=1), 1.0))
    plain = list(map(plainly_shared, totals, estimates, noise_sd, widths))
    np.testing.assert_allclose(shared_each(totals, estimates, noise_sd, widths), plain, atol=1e-9)


SD_TEN = np.full(6, 100.0)


def test_an_end_of_the_grid_that_shows_too_little_is_empty():
    # in squares of sd 10, less 2.5 each: .06, (none), -1.06, -.25: together they fall lowest at the third
    counts = np.array([1000.0, 100.0, 15.0, 12.0, 5.0, 16.0])
    found = significant(counts, SD_TEN, 1100.0, on_grid=6)
    assert found == pytest.approx([1000, 100, 0, 0, 0, 0])
    turned = significant(counts[::-1], SD_TEN, 1100.0, on_grid=6)
    assert turned == pytest.approx(found[::-1])


def test_faint_counts_before_rows_that_are_clear_are_kept():
    counts = np.array([1000.0, 100.0, 15.0, 12.0, 5.0, 40.0])
    found = significant(counts, SD_TEN, 1167.0, on_grid=6)
    assert found == pytest.approx([1000, 100, 15, 12, 0, 40])


DOUBLING = np.array([0, 5, 10, 20, 40, 80, 160, 320])


def spread_over_doubling(counts):
    """Rows of one level of intervals, the rows of which lie in the first ten positions."""
    counts = np.asarray(counts, dtype=float)
    level = Level(starts=DOUBLING, parents=np.zeros(8, dtype=int), counts=counts, variance=100.0)
    found = shaped([level], 640, None)
    turned = Level(
        starts=640 - np.append(DOUBLING[1:], 640)[::-1],
        parents=np.zeros(8, dtype=int),
        counts=counts[::-1],
        variance=100.0,
    )
    assert shaped([turned], 640, None)[::-1] == pytest.approx(found)
    return found


def test_rows_far_from_all_others_must_show_more_the_farther_they_lie():
    # most rows lie in 10 positions; 26 rows show 6.76: up to 3 widths away the price is 2.5 + 3 log(1 + 2),
    # which is 5.8, and up to 63 widths 2.5 + 3 log(1 + 32), which is 13.0
    assert spread_over_doubling([500, 500, 0, 26, 0, 0, 0, 0])[3] == pytest.approx(26)
    assert spread_over_doubling([500, 500, 0, 23, 0, 0, 0, 0])[3] == 0
    assert spread_over_doubling([500, 500, 0, 0, 0, 0, 0, 26])[7] == 0
    assert spread_over_doubling([500, 500, 0, 0, 0, 0, 0, 40])[7] == pytest.approx(40)
    assert spread_over_doubling([500, 500, 17, 0, 0, 0, 0, 0])[2] == pytest.approx(17)  # not far at all


def test_what_is_clear_far_away_stays_without_the_noise_before_it_and_no_row_is_lost():
    found = spread_over_doubling([500, 500, 0, 0, 14, 0, 0, 46])
    assert found == pytest.approx(np.array([500, 500, 0, 0, 0, 0, 0, 46]) * 1060 / 1046)


def test_rows_as_far_away_as_each_other_are_judged_together():
    starts = np.append(DOUBLING, 480)  # the last interval in two, both between 32 and 64 widths away
    both = np.array([500, 500, 0, 0, 0, 0, 0, 28, 28.0])
    level = Level(starts=starts, parents=np.zeros(9, dtype=int), counts=both, variance=100.0)
    assert shaped([level], 640, None) == pytest.approx(both)  # 56^2 / 200 is 15.7, each alone 7.8
    alone = Level(
        starts=starts, parents=np.zeros(9, dtype=int), counts=both * (starts != 480), variance=100.0
    )
    assert shaped([alone], 640, None)[-2:].sum() == 0


def test_where_most_rows_lie_is_told_by_those_that_do_not_share_the_commonest_value():
    # nothing at 0 for 95 %, the others between 100 and 300: 500 is near, though not beside a single value
    starts = np.array([0, 1, 100, 200, 300, 400])
    counts = np.array([6000.0, 0.0, 150.0, 150.0, 0.0, 17.0])
    level = Level(starts=starts, parents=np.zeros(6, dtype=int), counts=counts, variance=100.0)
    assert shaped([level], 500, None) == pytest.approx(counts)
    counts = np.array([6000.0, 0.0, 25.0, 25.0, 0.0, 17.0])  # hardly any others: they tell nothing
    level = Level(starts=starts, parents=np.zeros(6, dtype=int), counts=counts, variance=100.0)
    assert shaped([level], 500, None)[-1] == 0


def test_one_row_in_a_hundred_tells_where_most_rows_lie_where_it_is_clear_of_noise():
    # 340 people of 60,340 had a claim, with noise of 17: 40 claims of 400 and more are theirs, and no noise
    starts = np.array([0, 1, 100, 200, 300, 400])
    counts = np.array([60000.0, 0.0, 150.0, 150.0, 0.0, 40.0])
    level = Level(starts=starts, parents=np.zeros(6, dtype=int), counts=counts, variance=100.0)
    assert shaped([level], 2000, None) == pytest.approx(counts)
    assert shaped([level], 2000, 60340.0) == pytest.approx(counts)
    missing = Level(
        starts=np.append(starts, 2000),
        parents=np.zeros(7, dtype=int),
        counts=np.append(counts, 900.0),
        variance=100.0,
    )
    assert shaped([missing], 2000, None) == pytest.approx(missing.counts)
    few = dataclasses.replace(missing, counts=np.array([6000.0, 0.0, 25.0, 25.0, 0.0, 17.0, 900.0]))
    assert shaped([few], 2000, None)[-2] == 0, "missing values tell nothing of where the others lie"


def test_what_may_be_noise_among_few_rows_does_not_tell_where_most_lie():
    # 80 rows beside the spike and 26 far away: the middle of them all would reach the end of the grid
    starts = np.array([0, 1, 10, 20, 40, 80, 160, 320])
    counts = np.array([60000.0, 80.0, 0, 0, 0, 0, 0, 26.0])
    level = Level(starts=starts, parents=np.zeros(8, dtype=int), counts=counts, variance=100.0)
    assert shaped([level], 640, None) == pytest.approx([*counts[:-1] * (60106 / 60080), 0])


def test_missing_values_are_never_far():
    counts = np.array([500.0, 500.0, 0, 0, 0, 0, 0, 0, 17])
    starts = np.append(DOUBLING, 640)
    level = Level(starts=starts, parents=np.zeros(9, dtype=int), counts=counts, variance=100.0)
    assert shaped([level], 640, None) == pytest.approx(counts)


def test_missing_values_are_at_no_end_of_the_grid():
    counts = np.array([1000.0, 100.0, 15.0, 12.0, 5.0, 16.0])
    found = significant(counts, SD_TEN, 1116.0, on_grid=5)
    assert found == pytest.approx([1000, 100, 0, 0, 0, 16])


def test_an_end_that_falls_keeps_what_it_shows_together():
    # 12 and 14 do not fall, so they are pooled to 13, the squares of which are more than 2.5 variances; the
    # 5.5 of what follows are not
    counts = np.array([1000.0, 100.0, 12.0, 14.0, 5.0, 6.0])
    found = significant(counts, SD_TEN, 1126.0, on_grid=6, falling=True)
    assert found == pytest.approx([1000, 100, 13, 13, 0, 0])
    turned = significant(counts[::-1], SD_TEN, 1126.0, on_grid=6, falling=True)
    assert turned == pytest.approx(found[::-1])
    # 15 by itself shows 2.25; -20 is nothing
    counts = np.array([1000.0, 100.0, 15.0, -20.0, 9.0, -20.0])
    found = significant(counts, SD_TEN, 1100.0, on_grid=6, falling=True)
    assert found == pytest.approx([1000, 100, 0, 0, 0, 0])


def test_a_grid_without_any_clear_count_has_no_end_that_falls():
    counts = np.array([5.0, 3.0, 9.0, 1.0, 2.0, 4.0])
    even = significant(counts, SD_TEN, 24.0, on_grid=6)
    assert even == pytest.approx(counts)
    assert significant(counts, SD_TEN, 24.0, on_grid=6, falling=True) == pytest.approx(counts)


def test_noise_alone_strews_hardly_any_rows_over_an_empty_range():
    rng = np.random.default_rng(1)
    truth = np.array([25_000.0, 5_000.0] + [0.0] * 14)
    variances = np.full(16, 200.0**2)
    drawn = [significant(truth + rng.normal(0, 200, 16), variances, 30_000.0, on_grid=16) for _ in range(400)]
    mean = np.mean(drawn, axis=0) / 30_000
    assert mean[2:].sum() < 0.006  # without regard to the ends, nearly 1 %
    assert mean[:2] == pytest.approx(truth[:2] / 30_000, abs=0.004)


def test_a_long_thin_tail_keeps_its_rows():
    rng = np.random.default_rng(2)
    truth = 20_000 * 0.5 ** np.arange(16)
    variances = np.full(16, 50.0**2)
    total = truth.sum()
    drawn = [significant(truth + rng.normal(0, 50, 16), variances, total, on_grid=16) for _ in range(400)]
    places = np.arange(16)
    means = np.array(drawn) @ places / total
    assert means.mean() == pytest.approx(truth @ places / total, abs=0.01)


def test_a_table_without_any_row_is_taken_for_empty_all_the_same():
    assert significant(np.array([-3.0, -1.0]), np.array([4.0, 4.0]), 1.0, on_grid=2).sum() == pytest.approx(1)
    assert significant(np.array([5.0]), np.array([0.0]), 5.0, on_grid=1) == pytest.approx([5])


def test_a_long_time_is_not_taken_for_noise_because_it_is_long():
    counts = np.array([500, 500, 0, 0, 0, 0, 0, 26.0])
    level = Level(starts=DOUBLING, parents=np.zeros(8, dtype=int), counts=counts, variance=100.0)
    assert shaped([level], 640, None, lie_near=False) == pytest.approx(counts)


def test_most_rows_lie_where_the_middle_of_them_does():
    # 20 positions hold nearly all; 26 rows up to three such widths beyond show 6.76, and the price is 5.8
    counts = np.array([300, 400, 300, 0, 26, 0, 0, 0.0])
    assert spread_over_doubling(counts) == pytest.approx(counts)


def test_rows_on_either_side_are_judged_by_themselves():
    # 20 rows three widths away show 4, those of both sides together would show 8; the price is 5.8
    starts = np.array([0, 10, 30, 40, 60])
    counts = np.array([20.0, 0, 1000, 0, 20])
    level = Level(starts=starts, parents=np.zeros(5, dtype=int), counts=counts, variance=100.0)
    assert shaped([level], 70, None) == pytest.approx([0, 0, 1040, 0, 0])
