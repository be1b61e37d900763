"""The experiments behind the learner's public rules: writes their section of docs/results.md.

    uv run python -m benchmarks.advice [--data FOLDER] [--seeds 3]

AVD2 against the one-way tables' share beside the rule's own choice, and against k and gamma, on
Adult where it is there and on two tables made here: 16 binary attributes of a random network,
and 14 attributes of 2 to 21 values of another.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable

import numpy as np

from benchmarks.datasets import folder_of, load
from benchmarks.page import markdown_table, number, write_section
from hmpb_core.domain import Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.planning.advice import SIMILARITY, STRUCTURE, shares_for
from hmpb_core.privacy.budget import Shares
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

EPSILONS = (0.05, 0.2, 1.0)
PROFILE_SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
SETTINGS: dict[str, dict[str, float]] = {
    "k = 1": {"clusters": 1},
    "k = 2": {"clusters": 2},
    "k = 3": {"clusters": 3},
    "gamma 0": {"gamma": 0.0},
    "at most 1 parent": {"max_parents": 1},
}
MIXED_SIZES = (2, 3, 21, 4, 5, 2, 9, 16, 7, 2, 12, 6, 3, 16)


def random_network(sizes: tuple[int, ...], n_rows: int, seed: int) -> np.ndarray:
    """Rows of a random Bayesian network: every attribute has up to two earlier parents."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n_rows, len(sizes)), dtype=np.int32)
    for child, size in enumerate(sizes):
        parents = rng.choice(child, min(child, 2), replace=False) if child else []
        group = np.zeros(n_rows, dtype=np.int64)
        for parent in parents:
            group = group * sizes[parent] + codes[:, parent]
        table = rng.dirichlet(np.full(size, 0.5), int(group.max()) + 1).cumsum(axis=1)
        codes[:, child] = (rng.random(n_rows)[:, None] > table[group][:, :-1]).sum(axis=1)
    return codes


def tables(folder: str | None) -> dict[str, tuple[np.ndarray, Domain]]:
    found = {
        "binary, 16 attributes": (random_network((2,) * 16, 30_000, 1), Domain.of_sizes([2] * 16)),
        "mixed, 14 attributes": (random_network(MIXED_SIZES, 30_000, 2), Domain.of_sizes(MIXED_SIZES)),
    }
    if (folder_of(folder) / "adult.codebook.json").is_file():
        adult = load("adult", folder_of(folder))
        found = {"Adult": (adult.codes, adult.codebook.domain), **found}
    return found


def shares_with(one_way: float) -> Shares:
    rest = 1 - one_way - SIMILARITY
    return Shares.from_weights(
        one_way_tables=one_way,
        similarity=SIMILARITY,
        structure=round(rest * STRUCTURE, 6),
        conditional_tables=round(rest * (1 - STRUCTURE), 6),
    )


def advised(domain: Domain, epsilon: float, n_rows: int) -> Shares:
    return shares_for(domain, guarantee_of("zcdp", epsilon, None, "replace-one"), n_rows)


def error(codes: np.ndarray, domain: Domain, epsilon: float, seeds: int, **options: object) -> float:
    guarantee = guarantee_of("zcdp", epsilon, None, "replace-one")
    plan = make_plan(guarantee, domain, n_rows=len(codes), **options)  # type: ignore[arg-type]
    errors = []
    for seed in range(100, 100 + seeds):
        synthetic = fit_source(MemorySource(codes, domain), plan, seed=seed).sample_codes(
            rng=np.random.default_rng(seed)
        )
        found = marginal_error(codes, synthetic, domain, 2).mean
        errors.append(0.0 if found is None else found)
    return float(np.mean(errors))


def block(title: str, columns: list[str], cell: Callable[[float, int], float], first: str) -> str:
    rows = [
        [f"{epsilon:g}", *(number(cell(epsilon, i)) for i in range(len(columns)))] for epsilon in EPSILONS
    ]
    return f"**{title}**\n\n" + markdown_table([first, *columns], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    parts = [
        "## The rules behind the learner",
        "`uv run python -m benchmarks.advice`. AVD2, zcdp with delta 1e-9, replace-one, mean of "
        f"{given.seeds} seeds that no other table on this page uses.",
    ]
    for name, (codes, domain) in tables(given.data).items():
        score = functools.partial(error, codes, domain, seeds=given.seeds)

        def by_share(epsilon: float, i: int, score: Callable[..., float] = score) -> float:
            if i == len(PROFILE_SHARES):
                return score(epsilon)
            return score(epsilon, shares=shares_with(PROFILE_SHARES[i]))

        rule = [number(float(advised(domain, epsilon, len(codes)).one_way_tables)) for epsilon in EPSILONS]
        columns = [f"{share:g}" for share in PROFILE_SHARES] + [f"the rule ({' / '.join(rule)})"]
        parts.append(block(f"{name}: share of the one-way tables", columns, by_share, "epsilon"))
        parts.append(
            block(
                f"{name}: clusters, weights, parents",
                list(SETTINGS),
                lambda epsilon, i, score=score: score(epsilon, **list(SETTINGS.values())[i]),
                "epsilon",
            )
        )
    write_section("advice", "\n\n".join(parts))


if __name__ == "__main__":
    main()
