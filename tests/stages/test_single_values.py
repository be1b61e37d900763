"""Zero and the bounds are found on grids whose histogram does not get down to single values."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain, Numeric
from hmpb_core.facade import guarantee_of
from hmpb_core.grid import Grid
from hmpb_core.sources.open import open_source
from hmpb_core.stages.values.measuring import FineHistogram
from hmpb_core.stages.values.single_values import parted, set_apart, settled
from hmpb_core.stages.values.tree import Level
from hmpb_core.synthesis import fit_source, make_plan

ROWS = 3000


def histogram(starts, counts, size, *, nullable=False):
    tail = [size] if nullable else []
    level = Level(
        starts=np.array([*starts, *tail]),
        parents=np.zeros(len(starts) + len(tail), dtype=np.int64),
        counts=np.array([*counts, *([7.0] if nullable else [])]),
        variance=4.0,
    )
    return FineHistogram(
        starts=np.array(starts), counts=np.array(counts), size=size, nullable=nullable, levels=(level,)
    )


def grid(first, size):
    return Grid(first=first, size=size, step=1)


def test_zero_and_both_bounds_get_intervals_of_their_own():
    fine = histogram([0, 40, 70], [300.0, 200.0, 100.0], 100)

    found, cells, alone = set_apart(fine, np.array([0, 0, 1]), grid(-50, 100), noise_sd=10.0)

    assert found.starts.tolist() == [0, 1, 40, 50, 51, 70, 99]
    assert found.starts[alone].tolist() == [0, 50, 99]
    assert found.levels[-1].parents.tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert cells.tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert found.counts.sum() == pytest.approx(600)


def test_what_lies_by_itself_or_among_few_rows_is_not_looked_into():
    fine = histogram([0, 1, 70], [300.0, 200.0, 59.0], 100)

    found, cells, alone = set_apart(fine, np.array([0, 0, 1]), grid(0, 100), noise_sd=10.0)

    assert found is fine
    assert cells.tolist() == [0, 0, 1]
    assert alone.size == 0


def test_zero_is_looked_for_among_fewer_rows_than_an_end():
    """Three and six standard deviations of a cell's noise."""
    fine = histogram([0, 40, 70], [59.0, 31.0, 59.0], 100)

    _, _, alone = set_apart(fine, np.array([0, 0, 1]), grid(-50, 100), noise_sd=10.0)
    found, _, first = set_apart(fine, np.array([0, 0, 1]), grid(0, 100), noise_sd=10.0)

    assert alone.tolist() == [2]  # 0, 40, 50, 51, 70: zero in the middle alone
    assert found.starts[first].tolist() == [0]  # zero is the lower end


def test_a_value_is_parted_from_the_cell_it_lies_in():
    cells = np.array([0, 0, 0, 1, 1, 2])

    assert parted(cells, np.array([], dtype=np.int64)).tolist() == [0, 0, 0, 1, 1, 2]
    assert parted(cells, np.array([0])).tolist() == [0, 1, 1, 2, 2, 3]
    assert parted(cells, np.array([1, 5])).tolist() == [0, 1, 2, 3, 3, 4]


@pytest.mark.parametrize("nullable", [False, True])
def test_a_value_that_does_not_stand_out_goes_back_where_it_lay(nullable):
    fine = histogram([0, 40, 70], [300.0, 200.0, 100.0], 100, nullable=nullable)
    split, cells, alone = set_apart(fine, np.array([0, 0, 1]), grid(0, 100), noise_sd=10.0)  # 0 and 99
    counts = np.array([11.0, 490.0, 60.0, 40.0, *([7.0] if nullable else [])])

    found, now, rows, covariance = settled(split, cells, alone, counts, 16 * np.eye(counts.size))

    assert now.tolist() == [0, 0, 0, 1, 2]  # 40 is ten standard deviations, 11 is not three
    assert rows.tolist() == [501.0, 60.0, 40.0, *([7.0] if nullable else [])]
    assert np.diag(covariance).tolist() == [32.0, 16.0, 16.0, *([16.0] if nullable else [])]
    assert found.counts.tolist() == pytest.approx([300 / 40, 300 * 39 / 40, 200, 60, 40])


def test_two_values_of_one_interval_get_no_more_rows_than_it_has():
    """A code of -1 beside zeros, noise in their favour: the rest of the interval is empty, not below it."""
    fine = histogram([0, 40], [300.0, 200.0], 100)
    split, cells, alone = set_apart(fine, np.array([0, 1]), grid(-1, 100), noise_sd=5.0)  # 0, 1 and 99
    counts = np.array([180.0, 160.0, -20.0, 199.0, 1.0])

    found, now, _, _ = settled(split, cells, alone, counts, 4 * np.eye(counts.size))

    assert found.starts.tolist() == [0, 1, 2, 40, 99]
    assert now.tolist() == [0, 1, 2, 3, 3]
    assert found.counts[:3].tolist() == pytest.approx([300 * 180 / 340, 300 * 160 / 340, 0.0])
    assert found.counts.min() >= 0


def _published(values, *, epsilon, seed, low=0.0, high=200_000.0, decimals=4, missing=False):
    rng = np.random.default_rng(seed)
    others = {f"q{k}": rng.integers(0, 3, len(values)) for k in range(6)}
    attribute = Numeric(
        name="amount",
        minimum=low,
        maximum=high,
        integer=False,
        learned=True,
        bins=32,
        resolution=10.0**-decimals,
        nullable=missing,
    )
    fields = [{"name": name, "categories": [0, 1, 2], "constraints": {"required": True}} for name in others]
    domain = Domain((attribute, *Codebook.from_dict({"fields": fields}).domain.attributes))
    book = Codebook(domain=domain, missing_values=("",))
    frame = pd.DataFrame({"amount": values, **others})
    plan = make_plan(guarantee_of("zcdp", epsilon, 1e-9, "add-remove"), domain, n_rows=len(values))
    model = fit_source(open_source(frame, book), plan, seed=seed)
    return model.sample(rng=np.random.default_rng(seed))["amount"].to_numpy(float)


def _amounts(seed, rows=ROWS):
    return np.round(np.random.default_rng(seed).lognormal(9.5, 0.8, rows).clip(1, 199_000), 4)


@pytest.mark.parametrize(("low", "missing"), [(0.0, False), (0.0, True), (-50_000.0, False)])
def test_an_eighth_of_zeros_among_amounts_with_four_decimals_comes_out(low, missing):
    """Of thirteen levels each is too noisy to follow 375 rows down to one of two milliard values."""
    shares = []
    for seed in range(3):
        values = _amounts(seed)
        values[: ROWS // 8] = 0.0
        shares.append((_published(values, epsilon=1.0, seed=seed, low=low, missing=missing) == 0).mean())

    assert shares == pytest.approx([0.125] * 3, abs=0.03)


def test_amounts_without_a_zero_get_none():
    for seed in range(4):
        assert (_published(_amounts(seed, 300), epsilon=0.5, seed=seed) == 0).mean() < 0.01
        assert (_published(_amounts(seed), epsilon=1.0, seed=seed) == 0).mean() < 0.005


def test_a_histogram_of_which_no_value_stands_out_is_what_it_was():
    """Heaps are looked for beside values that stand out; of exact shares every value would."""
    fine = histogram([0, 40, 70], [300.0, 200.0, 100.0], 100)
    split, cells, alone = set_apart(fine, np.array([0, 0, 1]), grid(0, 100), noise_sd=10.0)

    found, now, rows, _ = settled(split, cells, alone, np.array([1.0, 500.0, 99.0, 1.0]), 16 * np.eye(4))

    assert found.starts.tolist() == [0, 40, 70]
    assert found.counts.tolist() == pytest.approx([300, 200, 100])
    assert (found.levels, found.apart) == (fine.levels, False)
    assert now.tolist() == [0, 0, 1]
    assert rows.tolist() == [501.0, 100.0]
