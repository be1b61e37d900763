"""What clusters, weights and learners cost: the cells of ``benchmarks.cells``, and what the clusters find.

    uv run python -m benchmarks.cells --settings "k = 1" "k = many" independent "gamma 0" ibayes privbayes
        default
    uv run python -m benchmarks.clusters [--data FOLDER] [--seeds 5] [--page-only]

The second command clusters Big5's attributes anew at each seed and writes both to docs/results.md.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.cells import EPSILONS, FACTORS, ROWS
from benchmarks.datasets import Table, folder_of, load
from benchmarks.page import CACHE, add_row, markdown_table, mean, number, read_rows, write_section
from hmpb_core.facade import guarantee_of
from hmpb_core.planning.account import accountant_for
from hmpb_core.planning.advice import one_way_counts, one_way_parts
from hmpb_core.privacy.budget import Stage
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.merged import MergedSource
from hmpb_core.stages.clustering import spectral_clustering
from hmpb_core.stages.one_way import measure_one_way
from hmpb_core.stages.similarity import measure_similarity
from hmpb_core.synthesis import make_plan

FOUND = CACHE / "clusters.jsonl"
MOST_SEEDS = 5
CLUSTERED = (0.2, 0.4, 1.0)
CLUSTERS = (5, 6)
LINES = (
    ("k = 1", "one cluster"),
    ("k = many", "k = 3 (Big5: 5)"),
    ("default", "k by the eigenvalue gap"),
    ("gamma 0", "one cluster, gamma 0"),
    ("independent", "independent columns"),
    ("ibayes", "ibayes, k = 3"),
    ("privbayes", "PrivBayes"),
)
TITLES = {"adult": "Adult", "big5": "Big5"}


def agreement(table: Table, epsilon: float, clusters: int, seed: int) -> float:
    """Adjusted Rand index of the answers' clusters and the five factors."""
    domain = table.codebook.domain
    guarantee = guarantee_of("zcdp", epsilon, None, "replace-one")
    plan = make_plan(guarantee, domain, n_rows=len(table.codes), clusters=clusters, similarity="tvd")
    source, account = MemorySource(table.codes, domain), accountant_for(plan, domain, seed=seed)
    counts = one_way_counts(domain, plan.guarantee, plan.declared_rows)
    one_way = measure_one_way(source, one_way_parts(counts), account)
    merges = one_way.merges()
    similarity = measure_similarity(
        MergedSource(source, merges),
        one_way.merged(merges),
        measure="tvd",
        accountant=account,
        loss=account.left(Stage.SIMILARITY),
        total=one_way.total,
    )
    rng = np.random.default_rng(seed)
    found = spectral_clustering(similarity.values, clusters, rng, sigma=plan.sigma)
    answers = [i for i, name in enumerate(domain.names) if name[0] in FACTORS and name[1:].isdigit()]
    return float(adjusted_rand_score([domain.names[i][0] for i in answers], found.labels[answers]))


def grid(cells: dict[tuple[Any, ...], list[dict[str, Any]]], table: str, currency: str, key: str) -> str:
    """AVD2 by setting and epsilon; the number of seeds stands in brackets."""
    lines = []
    for setting, title in LINES:
        line = [title]
        for epsilon in EPSILONS:
            rows = cells.get((table, currency, setting, epsilon), [])
            line.append(f"{number(mean([row[key] for row in rows]), 4)} ({len(rows)})" if rows else "")
        if any(line[1:]):
            lines.append(line)
    return markdown_table(["epsilon", *(f"{e:g}" for e in EPSILONS)], lines)


def ranks(cells: dict[tuple[Any, ...], list[dict[str, Any]]]) -> str:
    found = [
        row["rank"]
        for (_, _, setting, _), rows in cells.items()
        for row in rows
        if setting not in {"gamma 0", "independent", "privbayes"} and row["rank"] is not None
    ]
    return f"{min(found):.3f} at least, in {len(found)} runs" if found else "not measured"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--page-only", action="store_true", help="cluster nothing: write what is there")
    args = parser.parse_args()
    rand = {(r["epsilon"], r["clusters"], r["seed"]): r["ari"] for r in read_rows(FOUND)}
    if not args.page_only:
        table = load("big5", folder_of(args.data))
        for epsilon in CLUSTERED:
            for seed in range(args.seeds):
                for clusters in CLUSTERS:
                    key = (epsilon, clusters, seed)
                    if key not in rand:
                        rand[key] = agreement(table, *key)
                        add_row(
                            FOUND,
                            {"epsilon": epsilon, "clusters": clusters, "seed": seed, "ari": rand[key]},
                        )
                        print(*key, rand[key], flush=True)
    cells = defaultdict(list)
    for row in read_rows(ROWS):
        if row["seed"] >= MOST_SEEDS:  # those of the forecast: settings are compared on the same seeds
            continue
        cells[row["table"], row["currency"], row["setting"], row["epsilon"]].append(row)
    parts = [
        "## Clusters, weights and learners",
        '`uv run python -m benchmarks.cells --settings "k = 1" "k = many" independent "gamma 0" ibayes '
        "privbayes default` (with `--seeds 5` and without gamma 0 for the lines of 5), then `uv run python "
        "-m benchmarks.clusters`. HMPrivBayes, sound, replace-one, delta 1e-9, TVD, the tool's own shares "
        "and sigma, unless a line says otherwise; the number of seeds in brackets. With several clusters "
        "half of the pairs are candidates, and all that promise "
        "more than they cost. Rank "
        "correlation over attributes of the stated share and `uniform_noise_sd / noise_sd`: "
        f"{ranks(cells)}.",
    ]
    for key, title in (("avd2", "AVD2"), ("avd2_bits", "AVD2 on the papers' bits")):
        for name, words in TITLES.items():
            for currency in ("zcdp", "pure"):
                parts += [f"**{title}, {words}, {currency}**", grid(cells, name, currency, key)]
    rows = [
        [
            f"{epsilon:g}",
            *(
                f"{number(float(np.mean(f)))} ({number(min(f))})"
                if (f := [v for (e, c, _), v in rand.items() if (e, c) == (epsilon, k)])
                else ""
                for k in CLUSTERS
            ),
        ]
        for epsilon in CLUSTERED
    ]
    parts += [
        "### What the clusters find",
        "Big5, zcdp: adjusted Rand index of the fifty answers' clusters against the five factors, mean of "
        f"{len({seed for *_, seed in rand})} seeds (and the least); 1 is the same, 0 is chance.",
        markdown_table(["epsilon", *(f"k = {k}" for k in CLUSTERS)], rows),
    ]
    write_section("clusters", "\n\n".join(parts))


if __name__ == "__main__":
    main()
