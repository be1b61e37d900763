"""What smoothing the pair tables of scales is worth: the learner with it over the learner without.

    uv run python -m benchmarks.smoothing [--data FOLDER] [--tables ...] [--epsilons 0.2 1 4] [--seeds 8]

AVD2, zcdp with delta 1e-9, replace-one, the same seeds with and without. Adult and Big5 where they are
there, and the invented table of numbers of ``benchmarks.values``. ``--below`` lists shorter lists in order
as scales too, from so many values on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

from benchmarks.datasets import folder_of, load
from benchmarks.page import number
from benchmarks.values import battery, equal_width
from hmpb_core.domain import Codes, Domain
from hmpb_core.encoding import encode
from hmpb_core.facade import guarantee_of
from hmpb_core.learners.adaptive import smoothing
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.planning.plan import Plan
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

TABLES = ("adult", "big5", "numbers")
NEVER = 10**9


@contextmanager
def smoothing_from(lowest: int, long: int) -> Iterator[None]:
    """Smooth frequencies from ``lowest`` on, lists in order from ``long`` values on."""
    with patch.object(smoothing, "LOWEST", lowest), patch.object(smoothing, "LONG", long):
        yield


def table(name: str, folder: str | None) -> tuple[Codes, Domain]:
    if name == "numbers":
        frame, book = battery()
        declared = equal_width(book)
        return encode(frame, declared), declared.domain
    found = load(name, folder_of(folder))
    return found.codes, found.codebook.domain


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
    parser.add_argument("--below", type=int, default=smoothing.LONG, help="least values of a list in order")
    args = parser.parse_args()
    print("table epsilon | without | with | with over without, and its standard error")
    for name in args.tables:
        codes, domain = table(name, args.data)
        for epsilon in args.epsilons:
            plan = make_plan(guarantee_of("zcdp", epsilon, 1e-9, "replace-one"), domain, n_rows=len(codes))
            errors = []
            for lowest in (NEVER, smoothing.LOWEST):
                with smoothing_from(lowest, args.below):
                    errors.append([error(codes, domain, plan, seed) for seed in range(args.seeds)])
            without, smooth = np.array(errors)
            ratio = smooth / without
            spread = ratio.std(ddof=1) / np.sqrt(args.seeds) if args.seeds > 1 else 0.0
            means = number(float(without.mean())), number(float(smooth.mean()))
            print(name, f"{epsilon:g}", "|", *means, f"{ratio.mean():.3f} +- {spread:.3f}", flush=True)


if __name__ == "__main__":
    main()
