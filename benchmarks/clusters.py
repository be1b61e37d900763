"""Whether the clusters find what is known to belong together: writes its section of docs/results.md.

    uv run python -m benchmarks.clusters [--data FOLDER] [--seeds 3]

The fifty answers of Big5 belong to five factors, the first letter of their names. The clusters of all
attributes, made from the noisy similarity, are held against them.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.datasets import Table, folder_of, load
from benchmarks.page import markdown_table, number, write_section
from hmpb_core.facade import guarantee_of
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

EPSILONS = (0.2, 1.0)
CLUSTERS = (5, 6, 7)
FACTORS = "EANCO"


def agreement(table: Table, epsilon: float, clusters: int, seed: int) -> float:
    domain = table.codebook.domain
    guarantee = guarantee_of("zcdp", epsilon, None, "replace-one")
    plan = make_plan(guarantee, domain, n_rows=len(table.codes), clusters=clusters, similarity="tvd")
    labels = fit_source(MemorySource(table.codes, domain), plan, seed=seed).clustering.labels
    answers = [i for i, name in enumerate(domain.names) if name[0] in FACTORS and name[1:].isdigit()]
    return float(adjusted_rand_score([domain.names[i][0] for i in answers], np.asarray(labels)[answers]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    table = load("big5", folder_of(args.data))
    rows = []
    for epsilon in EPSILONS:
        found = [[agreement(table, epsilon, k, seed) for seed in range(args.seeds)] for k in CLUSTERS]
        rows.append([f"{epsilon:g}", *(f"{number(np.mean(f))} ({number(min(f))})" for f in found)])
        print(*rows[-1], flush=True)
    write_section(
        "clusters",
        "## What the clusters find\n\n`uv run python -m benchmarks.clusters`. Big5, sound, zcdp, "
        "replace-one, TVD, the tool's own shares and sigma. Adjusted Rand index of the fifty answers' "
        f"clusters against the five factors: mean of {args.seeds} seeds (and the least); 1 is the same, "
        "0 is chance.\n\n" + markdown_table(["epsilon", *(f"k = {k}" for k in CLUSTERS)], rows),
    )


if __name__ == "__main__":
    main()
