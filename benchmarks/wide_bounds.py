"""Bounds declared wider than the values are: writes a section of docs/results.md.

    uv run python -m benchmarks.wide_bounds [--seeds 6]

Who does not look at the rows declares bounds that are too wide: an income of up to a million. The made-up
table of hard columns of ``benchmarks.values``, 10,000 rows of it: the largest number of each column is
declared as 1, 4, 16 and 64 times as far from the smallest as it is. Each model is fitted twice with the same
noise: all counts that are clear by themselves taken for rows, and those far from all others that show too
little taken for noise (``tree.FAR_PRICE``).
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pandas as pd

from benchmarks.page import markdown_table, mean, number, write_section
from benchmarks.values import battery
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain, Numeric
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.values import numbers_of, value_errors
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan

ROWS = 10_000
TIMES = (1, 4, 16, 64)
EPSILONS = (0.3, 1.0)


def declared(times: int) -> tuple[pd.DataFrame, Codebook, list[str]]:
    """The table, its codebook with bounds so many times too wide, and the columns that have them."""
    frame, book = battery(ROWS)
    attributes, names = [], []
    for attribute in book.domain.attributes:
        if isinstance(attribute, Numeric) and attribute.name in frame.select_dtypes("number"):
            values = frame[attribute.name]
            low, high = np.floor(float(values.min())), np.ceil(float(values.max()))
            if high > low:
                names.append(attribute.name)
                attributes.append(replace(attribute, minimum=low, maximum=low + times * (high - low)))
                continue
        attributes.append(attribute)
    return frame, replace(book, domain=Domain(tuple(attributes))), names


def error(times: int, *, epsilon: float, seed: int) -> float:
    """Mean Wasserstein distance over sd of the columns with bounds so many times too wide."""
    frame, book, names = declared(times)
    plan = make_plan(guarantee_of("zcdp", epsilon, 1e-9, "replace-one"), book.domain, n_rows=ROWS)
    drawn = fit_source(open_source(frame, book), plan, seed=seed).sample(rng=np.random.default_rng(seed))
    found = value_errors(numbers_of(frame, book), numbers_of(drawn, book), book.domain).columns
    return mean([found[name].wasserstein_sd for name in names])


def page(table: str, seeds: int) -> str:
    return "\n\n".join(
        [
            "## Bounds that are too wide",
            "`uv run python -m benchmarks.wide_bounds`. The made-up hard columns, 10,000 rows: mean "
            "Wasserstein distance over sd of the columns of numbers where the largest number is declared so "
            f"many times as far from the smallest as it is; delta 1e-9, replace-one, zcdp; mean of {seeds} "
            "seeds. With all counts that are clear by themselves taken for rows, and, with the same noise, "
            "with few rows far from all others taken for noise ([method](method.md#one-estimate)).",
            table,
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=6)
    args = parser.parse_args()
    lines = []
    for epsilon in EPSILONS:
        for times in TIMES:
            now = [error(times, epsilon=epsilon, seed=seed) for seed in range(args.seeds)]
            with patch("hmpb_core.stages.values.tree._without_far_noise", lambda *of, **_: of[-1]):
                before = [error(times, epsilon=epsilon, seed=seed) for seed in range(args.seeds)]
            lines.append([f"{epsilon:g}", str(times), number(mean(before), 4), number(mean(now), 4)])
            print(*lines[-1], flush=True)
    heads = ["epsilon", "times too wide", "all that is clear", "few rows far away are noise"]
    write_section("wide bounds", page(markdown_table(heads, lines), args.seeds))


if __name__ == "__main__":
    main()
