"""What a column of thousands of categories costs the other columns.

    uv run python -m benchmarks.large_column [--data FOLDER] [--seeds 2] [--epsilons 0.2 1]
        [--currencies zcdp] [--sizes 0 16 1024 4096]

Adult's complete rows, and the same with one more column: a code of a register whose categories follow a
Zipf distribution and hang together with the occupation. Printed are AVD2 of Adult's own pairs of columns,
whatever is beside them, and the total variation of the register's own table; size 0 is Adult alone, 16 an
ordinary column more.
"""

from __future__ import annotations

import argparse
import itertools
import time

import numpy as np

from benchmarks.datasets import folder_of, load
from benchmarks.page import number
from hmpb_core.domain import Categorical, Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

WITH = "occupation"


def with_register(codes: np.ndarray, domain: Domain, size: int) -> tuple[np.ndarray, Domain]:
    """The table with a column of so many categories; each occupation has its own order of them."""
    if not size:
        return codes, domain
    rng = np.random.default_rng(size)
    shares = 1 / np.arange(1, size + 1)
    ranks = rng.choice(size, size=len(codes), p=shares / shares.sum())
    of = codes[:, domain.index(WITH)]
    orders = np.array([rng.permutation(size) for _ in range(int(of.max()) + 1)])
    own = rng.random(len(codes)) < 0.5
    column = np.where(own, orders[of, ranks], ranks)
    register = Categorical(name="register", categories=tuple(range(size)))
    return np.column_stack([codes, column.astype(codes.dtype)]), Domain((*domain.attributes, register))


def run(codes: np.ndarray, domain: Domain, currency: str, epsilon: float, seed: int) -> np.ndarray:
    """Synthetic codes of a release with the advised plan."""
    plan = make_plan(guarantee_of(currency, epsilon, None, "replace-one"), domain, n_rows=len(codes))
    model = fit_source(MemorySource(codes, domain), plan, seed=seed)
    return model.sample_codes(rng=np.random.default_rng(seed))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.2, 1.0])
    parser.add_argument("--currencies", nargs="+", default=["zcdp"], choices=["zcdp", "pure"])
    parser.add_argument("--sizes", nargs="+", type=int, default=[0, 16, 1024, 4096])
    args = parser.parse_args()
    table = load("adult", folder_of(args.data))
    codes, domain = table.codes, table.codebook.domain
    own = len(domain)
    print("currency epsilon categories | AVD2 of Adult's columns, one a seed | mean | register | CPU s")
    for currency, epsilon, size in itertools.product(args.currencies, args.epsilons, args.sizes):
        wider, over = with_register(codes, domain, size)
        errors, registers, start = [], [], time.process_time()
        for seed in range(args.seeds):
            drawn = run(wider, over, currency, epsilon, seed)
            errors.append(marginal_error(codes, drawn[:, :own], domain, 2).mean)
            if size:
                both = (np.bincount(of[:, own], minlength=size) for of in (wider, drawn))
                registers.append(0.5 * np.abs(np.subtract(*both)).sum() / len(codes))
        print(
            currency,
            epsilon,
            size,
            "|",
            *[number(error, 4) for error in errors],
            "|",
            number(float(np.mean(errors)), 4),
            "|",
            number(float(np.mean(registers)), 3) if size else "-",
            "|",
            round((time.process_time() - start) / args.seeds, 1),
            flush=True,
        )


if __name__ == "__main__":
    main()
