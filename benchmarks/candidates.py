"""Which half of the pairs several clusters keep: what it holds of the strongest pairs, by the noise.

    uv run python -m benchmarks.candidates [--data FOLDER] [--tables adult big5] [--seeds 10]

The exact total variations from independence of all pairs, with Laplace noise of a given standard deviation
on each; of the strongest pairs, as many as there are attributes, the part of their sum that is among the
candidates. First as the learner narrows them, then with the pairs inside a cluster, and those
across whose similarity stands out of its noise, by similarity.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets import folder_of, load
from benchmarks.page import number
from hmpb_core.graphical.graph import Pair
from hmpb_core.learners.adaptive.pair_prior import PairPrior, narrowed, pairs_worth_asking
from hmpb_core.sources.memory import MemorySource
from hmpb_core.stages.clustering import spectral_clustering
from hmpb_core.stages.similarity import matrix_of, tvd_values

CLUSTERS = {"adult": 3, "big5": 5}
NOISE = (0.4, 0.2, 0.1, 0.05, 0.02)


def held(exact: NDArray[np.float64], candidates: Collection[Pair]) -> float:
    """The part of the strongest pairs' sum that the candidates hold."""
    pairs = list(itertools.combinations(range(len(exact)), 2))
    strongest = sorted(pairs, key=lambda pair: -exact[pair])[: len(exact)]
    inside = set(candidates)
    part = sum(float(exact[pair]) for pair in strongest if pair in inside)
    return part / sum(float(exact[pair]) for pair in strongest)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--tables", nargs="+", default=list(CLUSTERS), choices=list(CLUSTERS))
    parser.add_argument("--seeds", type=int, default=10)
    args = parser.parse_args()
    print("table noise | by promise | by cluster")
    for name in args.tables:
        table = load(name, folder_of(args.data))
        domain, n_rows, d = table.codebook.domain, len(table.codes), len(table.codebook.domain)
        counts = [np.bincount(table.codes[:, a], minlength=domain.sizes[a]).astype(float) for a in range(d)]
        pairs = list(itertools.combinations(range(d), 2))
        source = MemorySource(table.codes, domain)
        values = tvd_values(source, pairs, [count / n_rows for count in counts], n_rows)
        exact = matrix_of(values, measure="tvd", names=domain.names, noise_sd=0.0).values
        for noise_sd in NOISE:
            found = []
            for seed in range(args.seeds):
                rng = np.random.default_rng(seed)
                noisy = values + rng.laplace(scale=noise_sd / np.sqrt(2), size=len(pairs))
                similarity = matrix_of(noisy, measure="tvd", names=domain.names, noise_sd=noise_sd)
                clusters = spectral_clustering(similarity.values, CLUSTERS[name], rng).clusters
                prior = PairPrior.of(counts, n_rows, similarity, clusters, eta=0.0)
                rules = (prior, replace(prior, promise=None))
                # At boundless noise no pair but the strongest is worth its price: half of all stay.
                found.append([held(exact, narrowed(p, pairs_worth_asking(p), (), math.inf)) for p in rules])
            print(name, noise_sd, "|", *(number(part) for part in np.mean(found, axis=0)), flush=True)


if __name__ == "__main__":
    main()
