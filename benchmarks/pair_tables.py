"""What the learner does to pair tables for free, and what it counts when it chooses them: with over without.

    uv run python -m benchmarks.pair_tables [--without smoothing few-cells penalty] [--data FOLDER]
        [--tables ...] [--epsilons 0.2 1 4] [--seeds 8]

AVD2, zcdp with delta 1e-9, replace-one, the same seeds with and without. Adult and Big5 where they are
there, the invented table of numbers of ``benchmarks.values``, and one of codes beside their labels. Without
the penalty is with the 0.7 of the expected error that once counted.
"""

from __future__ import annotations

import argparse
import math
from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets import folder_of, load
from benchmarks.page import number
from benchmarks.values import battery, equal_width
from hmpb_core.domain import Codes, Domain
from hmpb_core.encoding import encode
from hmpb_core.facade import guarantee_of
from hmpb_core.learners.adaptive import few_cells, paid_ibayes, pair_prior, scores, smoothing
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.planning.plan import Plan
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

Floats = NDArray[np.float64]
TABLES = ("adult", "big5", "numbers", "labels")
WITHOUT = {
    "smoothing": [(smoothing, "LOWEST", 10**9)],
    "few-cells": [(few_cells, "FAR", math.inf)],
    "penalty": [(room, "PENALTY", 0.7) for room in (scores, pair_prior, paid_ibayes)],
}
"""What each change is without: a module, a constant of it and its value."""


def table(name: str, folder: str | None) -> tuple[Codes, Domain]:
    if name == "numbers":
        frame, book = battery()
        declared = equal_width(book)
        return encode(frame, declared), declared.domain
    if name == "labels":
        return labels()
    found = load(name, folder_of(folder))
    return found.codes, found.codebook.domain


def labels(rows: int = 30_000) -> tuple[Codes, Domain]:
    """Three codes of 20 values that depend on each other, beside each its label."""
    rng = np.random.default_rng(12)
    columns: list[Codes] = []
    for place in range(3):
        own = rng.choice(20, rows, p=rng.dirichlet(np.full(20, 2.0)))
        code = own if not place else np.where(rng.random(rows) < 0.3, columns[-2], own)
        columns += [code, rng.permutation(20)[code]]
    return np.column_stack(columns), Domain.of_sizes([20] * 6)


def error(codes: Codes, domain: Domain, plan: Plan, seed: int) -> float:
    """AVD2 of one run."""
    model = fit_source(MemorySource(codes, domain), plan, seed=seed)
    return marginal_error(codes, model.sample_codes(rng=np.random.default_rng(seed)), domain, 2).mean


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=TABLES)
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.2, 1.0, 4.0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--without", nargs="+", default=["smoothing", "few-cells"], choices=list(WITHOUT))
    args = parser.parse_args()
    print("without, table, epsilon | AVD2 without | with | with over without, and its standard error")
    for change in args.without:
        for name in args.tables:
            codes, domain = table(name, args.data)
            for epsilon in args.epsilons:
                found, without = with_and_without(change, codes, epsilon, domain, args.seeds)
                ratio = found / without
                spread = ratio.std(ddof=1) / np.sqrt(args.seeds) if args.seeds > 1 else 0.0
                means = number(float(without.mean())), number(float(found.mean()))
                print(
                    change,
                    name,
                    f"{epsilon:g}",
                    "|",
                    *means,
                    f"{ratio.mean():.3f} +- {spread:.3f}",
                    flush=True,
                )


def with_and_without(change: str, codes: Codes, epsilon: float, domain: Domain, seeds: int) -> list[Floats]:
    """AVD2 of the same seeds with a change and without."""
    plan = make_plan(guarantee_of("zcdp", epsilon, 1e-9, "replace-one"), domain, n_rows=len(codes))
    with ExitStack() as stack:
        for room, constant, value in WITHOUT[change]:
            stack.enter_context(patch.object(room, constant, value))
        without = [error(codes, domain, plan, seed) for seed in range(seeds)]
    return [np.array([error(codes, domain, plan, seed) for seed in range(seeds)]), np.array(without)]


if __name__ == "__main__":
    main()
