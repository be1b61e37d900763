"""A researcher who compares methods: the same table, the same budgets, exact errors over seeds.

The table is made here, with dependences that are known, so that nothing of it is private: seeds make the
runs repeatable, and the errors may be printed. On a private table neither would be allowed in a release.
"""

# %% A table of six attributes: a chain, a fork, and one attribute by itself
import sys

import numpy as np
import pandas as pd

from hmpb_core import Currency, Guarantee, make_plan
from hmpb_core.domain import Codes, Domain
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.planning.methods import Accounting, methods_under
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source

DOMAIN = Domain.of_sizes([2, 3, 4, 3, 2, 5])
N_ROWS = 3000


def made(rng: np.random.Generator) -> Codes:
    """Attribute 1 follows 0, 2 follows 1, 3 and 4 follow 2; 5 follows nothing."""
    columns = [rng.integers(0, 2, N_ROWS)]
    for parent, size in [(0, 3), (1, 4), (2, 3), (2, 2)]:
        copied = columns[parent] % size
        columns.append(np.where(rng.random(N_ROWS) < 0.6, copied, rng.integers(0, size, N_ROWS)))
    columns.append(rng.integers(0, 5, N_ROWS))
    return np.stack(columns, axis=1).astype(np.int32)


# %% Every method under sound accounting, pure epsilon: the mean error of all two-way tables (AVD2)
def compare(epsilons: list[float], seeds: int) -> pd.DataFrame:
    """One line a method, one column an epsilon."""
    table = made(np.random.default_rng(0))
    source = MemorySource(table, DOMAIN)
    errors: dict[str, dict[float, float]] = {}
    for spec in methods_under(Accounting.SOUND):
        for epsilon in epsilons:
            guarantee = Guarantee(epsilon=epsilon, delta=0.0, currency=Currency.PURE)
            plan = make_plan(guarantee, DOMAIN, n_rows=N_ROWS, method=spec.name)
            found = []
            for seed in range(seeds):
                model = fit_source(source, plan, seed=seed)
                drawn = model.sample_codes(rng=np.random.default_rng(seed))
                found.append(marginal_error(table, drawn, DOMAIN, 2).values.mean())
            errors.setdefault(spec.name, {})[epsilon] = float(np.mean(found))
    return pd.DataFrame(errors).T


# %%
if __name__ == "__main__":
    SEEDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print(compare([0.1, 1.0, 10.0], SEEDS).round(3).to_string())
