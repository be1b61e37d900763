"""What larger cliques bring, and what they cost: AVD2, AVD3 and CPU seconds by the cells that cliques share.

    uv run python -m benchmarks.clique_sizes [--data FOLDER] [--tables adult big5 demo]
        [--epsilons 0.2 1 4] [--cells 13 20] [--seeds 3]

Cells are powers of two for all cliques together; a clique may have its part, but at least 2^13. zcdp, delta
1e-9, replace-one; errors against all real rows on codes.
"""

from __future__ import annotations

import argparse
import itertools
import time
from unittest.mock import patch

import numpy as np

from benchmarks.datasets import codes_over, source_of
from benchmarks.page import number
from hmpb_core.facade import guarantee_of
from hmpb_core.learners.adaptive import run as learner_run
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.synthesis import fit_source, make_plan


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--tables", nargs="+", default=["adult", "big5", "demo"])
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.2, 1.0, 4.0])
    parser.add_argument("--cells", nargs="+", type=int, default=[13, 20], help="log2, all cliques together")
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    print("table epsilon cells | AVD2 AVD3 | CPU s")
    for name, epsilon, cells in itertools.product(args.tables, args.epsilons, args.cells):
        source, codes, domain = source_of(name, args.data)
        plan = make_plan(guarantee_of("zcdp", epsilon, 1e-9, "replace-one"), domain, n_rows=len(codes))
        rows = []
        with patch.object(learner_run, "MODEL_CELLS", 2**cells):
            for seed in range(args.seeds):
                started = time.process_time()
                model = fit_source(source, plan, seed=seed)
                drawn = codes_over(model, domain, seed)
                cpu = time.process_time() - started
                measured = [marginal_error(codes, drawn, domain, ways).mean or 0.0 for ways in (2, 3)]
                rows.append([*measured, cpu])
        pairs, triples, cpu = np.mean(rows, axis=0)
        print(
            f"{name} {epsilon:g} 2^{cells} | {number(pairs, 4)} {number(triples, 4)} | {cpu:.1f}", flush=True
        )


if __name__ == "__main__":
    main()
