"""When a pair across two clusters may be asked for: by how far its MIC stands out of its noise.

    uv run python -m benchmarks.bridges [--data FOLDER] [--tables adult big5 demo] [--clusters 3]
        [--currencies zcdp pure] [--epsilons 0.1 0.4 1] [--bars 2 0.5] [--seeds 2]

AVD2 against all real rows on codes; a bar is in standard deviations of the noise on a similarity.
"""

from __future__ import annotations

import argparse
import itertools
from unittest.mock import patch

import numpy as np

from benchmarks.datasets import codes_over, source_of
from benchmarks.page import number
from hmpb_core.facade import guarantee_of
from hmpb_core.learners.adaptive import pair_prior
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.synthesis import fit_source, make_plan


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--tables", nargs="+", default=["adult", "big5", "demo"])
    parser.add_argument("--clusters", nargs="+", type=int, default=[3], help="0: the tool's own number")
    parser.add_argument("--currencies", nargs="+", default=["zcdp", "pure"])
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.1, 0.4, 1.0])
    parser.add_argument("--bars", nargs="+", type=float, default=[2.0, 0.5])
    parser.add_argument("--seeds", type=int, default=2)
    args = parser.parse_args()
    print("table clusters currency epsilon bar | AVD2, one a seed | mean")
    grid = itertools.product(args.tables, args.clusters, args.currencies, args.epsilons, args.bars)
    for name, clusters, currency, epsilon, bar in grid:
        source, codes, domain = source_of(name, args.data)
        guarantee = guarantee_of(currency, epsilon, None, "replace-one")
        plan = make_plan(guarantee, domain, n_rows=len(codes), clusters=clusters or None, similarity="mic")
        errors = []
        with patch.object(pair_prior, "BRIDGE", bar):
            for seed in range(args.seeds):
                model = fit_source(source, plan, seed=seed)
                drawn = codes_over(model, domain, seed)
                errors.append(marginal_error(codes, drawn, domain, 2).mean)
        shown = " ".join(number(error, 4) for error in errors)
        print(
            name,
            clusters,
            currency,
            epsilon,
            bar,
            "|",
            shown,
            "|",
            number(float(np.mean(errors)), 4),
            flush=True,
        )


if __name__ == "__main__":
    main()
