"""Never worse than nothing: the default plan beside independent columns at small budgets; prints the ratios.

    OMP_NUM_THREADS=1 uv run python -m benchmarks.worth [--data FOLDER] [--seeds 4]
        [--tables adult big5 network groups wide] [--currency zcdp]

Each line: the mean AVD2 of the default method with one cluster over that of independent columns, with its
standard error; and the same where a pair is believed to reach always 1, and always 3. Below 1 is better than
nothing. Under pure the budgets are four times as large.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from benchmarks.advice import MIXED_SIZES, random_network
from benchmarks.cells import Cell, plan_of, table_of
from benchmarks.datasets import folder_of
from hmpb_core.domain import Domain
from hmpb_core.learners.adaptive import budget_plan
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source

EPSILONS = {
    "adult": (0.02, 0.05, 0.1),
    "big5": (0.1, 0.2, 0.3, 0.4),
    "network": (0.03, 0.05, 0.1, 0.2),
    "groups": (0.05, 0.1, 0.2, 0.4),
    "wide": (0.03, 0.05, 0.1, 0.2),
}
TRIED = ((3.0, 19), (1.0, 19), (3.0, 1))
"""Largest reach and attributes per reach: the rule, always 1, always 3."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--tables", nargs="+", default=list(EPSILONS), choices=list(EPSILONS))
    parser.add_argument("--currency", default="zcdp", choices=["zcdp", "pure"])
    parser.add_argument("--seeds", type=int, default=4)
    given = parser.parse_args()
    for name in given.tables:
        if name == "wide":  # 42 attributes
            sizes = MIXED_SIZES * 3
            codes, domain = random_network(sizes, 30_000, 4), Domain.of_sizes(sizes)
        else:
            codes, domain = table_of(name, str(folder_of(given.data)))
        for zcdp_epsilon in EPSILONS[name]:
            epsilon = 4 * zcdp_epsilon if given.currency == "pure" else zcdp_epsilon
            cell = Cell(table=name, setting="independent", currency=given.currency, epsilon=epsilon, seed=0)
            nothing = errors(cell, codes, domain, 2 * given.seeds).mean()
            line = [f"{name} {epsilon:g}:"]
            for reach, attributes in TRIED:
                budget_plan.REACH, budget_plan.ATTRIBUTES_PER_REACH = reach, attributes
                ratios = errors(replace(cell, setting="k = 1"), codes, domain, given.seeds) / nothing
                line.append(f"{ratios.mean():.3f} (+- {ratios.std() / np.sqrt(len(ratios)):.3f})")
            print(*line, flush=True)


def errors(cell: Cell, codes: np.ndarray, domain: Domain, seeds: int) -> np.ndarray:
    """AVD2 of a cell's plan, seed by seed."""
    found = []
    for seed in range(seeds):
        model = fit_source(MemorySource(codes, domain), plan_of(cell, domain, len(codes)), seed=seed)
        rows = model.sample_codes(rng=np.random.default_rng(seed))
        found.append(marginal_error(codes, rows, domain, 2).mean)
    return np.array(found)


if __name__ == "__main__":
    main()
