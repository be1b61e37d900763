"""Wide tables: CPU seconds of fit on a stand-in table, by number of attributes; prints them.

    OMP_NUM_THREADS=1 uv run python -m benchmarks.wide [--attributes 100 200 500] [--rows 50000] [--epsilon 1]

The stand-in is a random Bayesian network over attributes of 2 to 16 values.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.advice import random_network
from hmpb_core.domain import Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

SIZES = (2, 3, 5, 8, 2, 4, 16, 2, 6, 10)
EPSILON = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--attributes", nargs="+", type=int, default=[100, 200, 500])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--epsilon", type=float, default=EPSILON)
    given = parser.parse_args()
    for count in given.attributes:
        sizes = tuple(SIZES[a % len(SIZES)] for a in range(count))
        codes = random_network(sizes, given.rows, seed=1)
        domain = Domain.of_sizes(sizes)
        guarantee = guarantee_of("zcdp", given.epsilon, None, "replace-one")
        start = time.process_time()
        model = fit_source(
            MemorySource(codes, domain), make_plan(guarantee, domain, n_rows=given.rows), seed=0
        )
        seconds = time.process_time() - start
        few = np.linspace(0, count - 1, min(count, 60)).astype(int)
        rows = model.sample_codes(rng=np.random.default_rng(0))
        some = Domain(tuple(domain.attributes[a] for a in few))
        error = marginal_error(codes[:, few], rows[:, few], some, 2).mean
        stages = ", ".join(f"{name} {spent:.1f}" for name, spent in model.seconds.items())
        clusters = len(model.clustering.clusters)
        print(
            f"{count} attributes: {seconds:.1f} s ({stages}), {clusters} clusters, AVD2 {error:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
