"""Runs of many settings on four tables, each kept in runs/cells.jsonl: what several sections are made of.

    uv run python -m benchmarks.cells [--data FOLDER] [--tables ...] [--settings ...] [--epsilons ...]
        [--currencies ...] [--seeds 2]

A cell (table, setting, currency, epsilon, seed) is measured once: AVD2 against all real rows on codes and on
the papers' bits; the same in the unit of the page Utility, half of the rows against as many synthetic
ones, with a second sample beside it; the adjusted Rand index of Big5's answers; and the rank
correlation of the weights' shares and of what they did to the noise.
"""

from __future__ import annotations

import argparse
import itertools
import time
from dataclasses import asdict, astuple, dataclass, field
from functools import cache
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.metrics import adjusted_rand_score

from benchmarks.advice import MIXED_SIZES, random_network
from benchmarks.datasets import folder_of, load
from benchmarks.page import CACHE, add_row, read_rows
from hmpb_core.binary import BinaryEncoding
from hmpb_core.domain import Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.model import Model
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Shares
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

ROWS = CACHE / "cells.jsonl"
TABLES = ("adult", "big5", "network", "groups")
EPSILONS = (0.05, 0.1, 0.2, 0.4, 1.0)
FACTORS = "EANCO"
GROUP_SIZES = (2, 4, 6, 3, 8, 5, 12, 2, 7, 4, 10, 3, 6, 5, 2, 16, 4, 8, 3, 5, 6, 2, 9, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What differs from the default plan."""

    options: dict[str, Any] = field(default_factory=dict)
    shares: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What is measured once."""

    table: str
    setting: str
    currency: str
    epsilon: float
    seed: int


def many(table: str) -> int:
    return 5 if table == "big5" else 3


SETTINGS: dict[str, Setting] = {
    "default": Setting(),
    "k = 1": Setting(options={"clusters": 1}),
    "k = many": Setting(options={"clusters": 0}),
    "gamma 0": Setting(options={"clusters": 1, "gamma": 0.0}),
    "gamma 3": Setting(options={"clusters": 1, "gamma": 3.0}),
    "eta 0.5": Setting(options={"clusters": 1, "eta": 0.5}),
    "even shares": Setting(options={"clusters": 1}, shares=(0.25, 0.25, 0.25, 0.25)),
    "much one-way": Setting(options={"clusters": 1}, shares=(0.7, 0.05, 0.05, 0.2)),
    "ibayes": Setting(options={"learner": "ibayes", "clusters": 3}),
    "ibayes k = 1": Setting(options={"learner": "ibayes", "clusters": 1}),
    "ibayes k = 5": Setting(options={"learner": "ibayes", "clusters": 5}),
    "ibayes on bits": Setting(options={"learner": "ibayes", "clusters": 3, "encoding": "bits"}),
    "privbayes": Setting(options={"method": "privbayes"}),
    "privbayes on bits": Setting(options={"method": "privbayes", "encoding": "bits"}),
    "jtree": Setting(options={"method": "jtree"}),
    "independent": Setting(options={"method": "independent"}),
}


@cache
def table_of(name: str, folder: str | None) -> tuple[np.ndarray, Domain]:
    """Codes and domain of Adult, Big5, a random network, or three groups that move together."""
    if name == "network":
        return random_network(MIXED_SIZES, 30_000, 2), Domain.of_sizes(MIXED_SIZES)
    if name == "groups":
        rng = np.random.default_rng(3)
        position = rng.random((12_000, 3))
        codes = np.empty((12_000, len(GROUP_SIZES)), dtype=np.int32)
        for a, size in enumerate(GROUP_SIZES):
            together = np.floor(size * position[:, a % 3] ** 1.5)
            alone = np.minimum(rng.geometric(0.35, size=12_000) - 1, size - 1)
            codes[:, a] = np.where(rng.random(12_000) < 0.55, together, alone)
        return codes, Domain.of_sizes(GROUP_SIZES)
    table = load(name, folder_of(folder))
    return table.codes, table.codebook.domain


def plan_of(cell: Cell, domain: Domain, n_rows: int) -> Plan:
    chosen = SETTINGS[cell.setting]
    options = dict(chosen.options)
    if options.get("clusters") == 0:
        options["clusters"] = many(cell.table)
    names = ("one_way_tables", "similarity", "structure", "conditional_tables")
    shares = None
    if chosen.shares is not None:
        shares = Shares.from_weights(**dict(zip(names, chosen.shares, strict=True)))
    guarantee = guarantee_of(cell.currency, cell.epsilon, None, "replace-one")
    return make_plan(guarantee, domain, n_rows=n_rows, shares=shares, **options)


def measure(cell: Cell, data: str | None) -> dict[str, Any]:
    seed = cell.seed
    codes, domain = table_of(cell.table, data)
    plan = plan_of(cell, domain, len(codes))
    start = time.process_time()
    model = fit_source(MemorySource(codes, domain), plan, seed=seed)
    drawn = model.sample_codes(rng=np.random.default_rng(seed))
    seconds = time.process_time() - start
    encoding = BinaryEncoding(domain)
    return {
        **asdict(cell),
        "avd2": marginal_error(codes, drawn, domain, 2).mean,
        "avd2_bits": marginal_error(
            encoding.encode(codes), encoding.encode(drawn), encoding.bit_domain, 2
        ).mean,
        "seconds": seconds,
        "pairs": sum(len(network.families) for network in model.networks),
        "bridges": len(model.bridges),
        "clusters": len(model.clustering.clusters),
        "rank": rank_of(model),
        "ari": agreement(model, domain) if cell.table == "big5" else None,
    }


def rank_of(model: Model) -> float | None:
    """Rank correlation of the stated shares and of uniform noise over the noise that was drawn."""
    both = [
        (model.weights[a].share, noise.uniform_noise_sd / noise.noise_sd)
        for a, noise in model.child_noise.items()
        if noise.noise_sd
    ]
    if len(both) < 3 or model.plan.gamma == 0:
        return None
    found = float(spearmanr(*zip(*both, strict=True)).statistic)
    return found if np.isfinite(found) else None


def agreement(model: Model, domain: Domain) -> float | None:
    names = model.names
    answers = [i for i, name in enumerate(names) if name[0] in FACTORS and name[1:].isdigit()]
    if len(names) != len(domain) or len(model.clustering.clusters) < 2:
        return None
    labels = np.asarray(model.clustering.labels)[answers]
    return float(adjusted_rand_score([names[i][0] for i in answers], labels))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=TABLES)
    parser.add_argument("--settings", nargs="+", default=list(SETTINGS), choices=list(SETTINGS))
    parser.add_argument("--currencies", nargs="+", default=["zcdp", "pure"], choices=["zcdp", "pure"])
    parser.add_argument("--epsilons", nargs="+", type=float, default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--fresh", action="store_true", help="measure cells that are there already")
    args = parser.parse_args()
    keys = ("table", "setting", "currency", "epsilon", "seed")
    done = set() if args.fresh else {tuple(row[key] for key in keys) for row in read_rows(ROWS)}
    grid = itertools.product(args.tables, range(args.seeds), args.settings, args.currencies, args.epsilons)
    for table, seed, setting, currency, epsilon in grid:
        cell = Cell(table=table, setting=setting, currency=currency, epsilon=epsilon, seed=seed)
        if astuple(cell) not in done:
            row = measure(cell, args.data)
            add_row(ROWS, row)
            print(*row.values(), flush=True)


if __name__ == "__main__":
    main()
