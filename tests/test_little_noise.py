"""Where noise is little or none the model is the table: nothing in the fit may break down."""

import numpy as np
import pytest

from hmpb_core.domain import Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

DOMAIN = Domain.of_sizes([16, 16, 2, 7, 41, 5])


def table(n_rows=20_000):
    """Skewed columns with empty values, one copied from another, and a chain of dependences."""
    rng = np.random.default_rng(4)
    first = np.minimum(rng.geometric(0.3, n_rows) - 1, 12)
    copied = 15 - first
    half = (first + rng.integers(3, size=n_rows) > 4).astype(int)
    week = np.where(rng.random(n_rows) < 0.7, half * 3, rng.integers(5, size=n_rows))
    country = np.where(rng.random(n_rows) < 0.93, 0, rng.integers(30, size=n_rows))
    race = np.where(country > 10, 1 + country % 4, rng.choice(5, n_rows, p=[0.85, 0.1, 0.03, 0.02, 0]))
    return np.stack([first, copied, half, week, country, race], axis=1).astype(np.int32)


@pytest.mark.parametrize(
    ("method", "epsilon"), [("noprivacy", 1.0), ("hmprivbayes", 10.0), ("hmprivbayes", 100.0)]
)
def test_pairs_are_those_of_the_table_but_for_sampling(method, epsilon):
    codes = table()
    plan = make_plan(
        guarantee_of("zcdp", epsilon, None, "replace-one"), DOMAIN, n_rows=len(codes), method=method
    )
    synthetic = fit_source(MemorySource(codes, DOMAIN), plan, seed=1).sample_codes(
        rng=np.random.default_rng(1)
    )
    one_way = marginal_error(codes, synthetic, DOMAIN, 1)
    assert one_way.values.max() < 0.01
    # A resample of the rows themselves is off by 0.01; epsilon 10 adds a little noise.
    assert marginal_error(codes, synthetic, DOMAIN, 2).mean < 0.02
