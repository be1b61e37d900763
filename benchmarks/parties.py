"""What it costs that several owners do not trust one aggregator: the tables of docs/parties.md.

    uv run python -m benchmarks.parties [--data FOLDER] [--seeds 2] [--epsilon 1]

The rows of Adult (where it is there) and of a table made here are dealt out to 3, 10 and 50 owners. AVD2, the
mean total variation of all pairs, of:

aggregator          exact counts to a trusted aggregator, the adaptive learner: as if there were one owner
aggregator, sums    the same, with the learner that asks for sums alone
shares, t of k      every owner adds its share of noise, any t may withhold theirs
each alone          every owner publishes its own table with the whole epsilon; the tables are put together
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

from benchmarks.advice import MIXED_SIZES, random_network
from benchmarks.datasets import folder_of, load
from benchmarks.page import markdown_table
from hmpb_core import Guarantee, make_plan
from hmpb_core.domain import Codes, Domain
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.privacy.shares import NoiseShares
from hmpb_core.sources.base import TableSource
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.parties import PartySource
from hmpb_core.synthesis import fit_source

PARTIES = (3, 10, 50)


def drawn(source: TableSource, domain: Domain, learner: str, epsilon: float, seed: int) -> Codes:
    plan = make_plan(Guarantee(epsilon=epsilon), domain, n_rows=source.n_rows, learner=learner)
    return fit_source(source, plan, seed=seed).sample_codes(rng=np.random.default_rng(seed))


def owners_of(codes: Codes, domain: Domain, k: int, seed: int) -> list[MemorySource]:
    order = np.random.default_rng([k, seed]).permutation(len(codes))
    return [MemorySource(codes[part], domain) for part in np.array_split(order, k)]


def compared(codes: Codes, domain: Domain, epsilon: float, seeds: int) -> list[list[str]]:
    """A line for every choice: its name and AVD2 with 3, 10 and 50 owners."""
    whole = MemorySource(codes, domain)

    def mean(draw: Callable[[int], Codes]) -> str:
        errors = [marginal_error(codes, draw(seed), domain, 2).mean or 0.0 for seed in range(seeds)]
        return f"{statistics.mean(errors):.4f}"

    def shared(k: int, t: int, seed: int) -> Codes:
        shares = NoiseShares(parties=k, withheld=t)
        source = PartySource(owners_of(codes, domain, k, seed), shares=shares)
        return drawn(source, domain, "additive", epsilon, seed)

    def alone(k: int, seed: int) -> Codes:
        owners = owners_of(codes, domain, k, seed)
        return np.concatenate([drawn(owner, domain, "additive", epsilon, seed) for owner in owners])

    rows: dict[str, list[str]] = {}
    for label, learner in (("aggregator", "adaptive"), ("aggregator, sums", "additive")):
        rows[label] = [mean(lambda seed, name=learner: drawn(whole, domain, name, epsilon, seed))] * len(
            PARTIES
        )
    for k in PARTIES:
        for label, t in (("t = 0", 0), ("t = k / 3", k // 3), ("t = k - 1", k - 1)):
            found = mean(lambda seed, k=k, t=t: shared(k, t, seed))
            rows.setdefault(f"shares, {label}", []).append(found)
        rows.setdefault("each alone", []).append(mean(lambda seed, k=k: alone(k, seed)))
    return [[label, *values] for label, values in rows.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--epsilon", type=float, default=1.0)
    args = parser.parse_args()
    tables = {
        "made here, 30,000 x 14": (random_network(MIXED_SIZES, 30_000, 2), Domain.of_sizes(MIXED_SIZES))
    }
    if (folder_of(args.data) / "adult.codebook.json").is_file():
        adult = load("adult", folder_of(args.data))
        tables["Adult, 45,222 x 15"] = (adult.codes, adult.codebook.domain)
    lines = []
    for name, (codes, domain) in tables.items():
        start = time.process_time()
        lines += [[name, *line] for line in compared(codes, domain, args.epsilon, args.seeds)]
        print(f"{name}: {time.process_time() - start:.0f} s of CPU", flush=True)
    print(markdown_table(["table", "choice", *(f"{k} owners" for k in PARTIES)], lines))


if __name__ == "__main__":
    main()
