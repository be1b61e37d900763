"""Groups of the real table that the synthetic one lost."""

import numpy as np

from hmpb_core.domain import Domain, Numeric
from hmpb_core.metrics.agreement import CountedPair
from hmpb_core.metrics.groups import groups


def test_the_names_of_a_column_s_bins_are_made_once_not_once_a_pair_of_columns(monkeypatch):
    domain = Domain(tuple(Numeric(name=f"x{i}", minimum=0, maximum=8, bins=8) for i in range(12)))
    rng = np.random.default_rng(1)
    real, synthetic = (rng.integers(0, 8, (200, 12)) for _ in range(2))
    asked, made = [], Numeric.labels.fget
    monkeypatch.setattr(Numeric, "labels", property(lambda one: asked.append(one.name) or made(one)))
    found = groups(CountedPair(real, synthetic, domain), (real[:100], real[100:]))
    assert found.n_vanished > 0
    assert all(value.startswith("[") for group in found.vanished for value in group.values)
    assert len(asked) == len(domain)
