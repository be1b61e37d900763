"""Long lists of values of which most are rare or nobody has: writes a section of docs/results.md.

    uv run python -m benchmarks.long_lists [--seeds 6]

A made-up table of 14 columns: a list of 249 values beside 13 short ones that hang together. Values are used
with frequencies 1, 1/2, 1/3, ... Each model is fitted twice with the same noise: from the nearest counts of
the sum, and from likely counts (``hmpb_core/likely_counts.py``). Told are the total variation of the list's
own table and the part of the rows that have a value nobody has.
"""

from __future__ import annotations

import argparse
from unittest.mock import patch

import numpy as np
import pandas as pd

from benchmarks.page import markdown_table, mean, number, write_section
from hmpb_core.codebook import Codebook
from hmpb_core.facade import guarantee_of
from hmpb_core.likely_counts import MANY
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan

VALUES = [f"v{i}" for i in range(249)]
USED = (12, 60, 249)
OTHERS = 12
SETTINGS = ((5_000, 0.3), (5_000, 1.0), (30_000, 0.3), (30_000, 1.0))


def made_up(rows: int, used: int, seed: int) -> tuple[pd.DataFrame, Codebook]:
    """The table and its codebook; values hang together with the group as with nothing else."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, rows)
    columns = {"group": group.astype(str)}
    fields = [{"name": "group", "categories": list("012"), "constraints": {"required": True}}]
    for place in range(OTHERS):
        name = f"answer {place}"
        columns[name] = np.where(rng.random(rows) < 0.7, group, rng.integers(0, 5, rows)).astype(str)
        fields.append({"name": name, "categories": list("01234"), "constraints": {"required": True}})
    shares = 1 / np.arange(1, used + 1)
    columns["list"] = np.array(VALUES[:used])[rng.choice(used, rows, p=shares / shares.sum())]
    fields.append({"name": "list", "categories": VALUES, "constraints": {"required": True}})
    return pd.DataFrame(columns), Codebook.from_dict({"fields": fields})


def errors(rows: int, used: int, *, epsilon: float, seed: int) -> tuple[float, float]:
    """Total variation of the list's table, and the part of the rows with a value that nobody has."""
    frame, book = made_up(rows, used, seed)
    plan = make_plan(guarantee_of("zcdp", epsilon, 1e-9, "replace-one"), book.domain, n_rows=rows)
    model = fit_source(open_source(frame, book), plan, seed=seed)
    drawn = model.sample(rng=np.random.default_rng(seed))
    real, synthetic = (
        table["list"].value_counts(normalize=True).reindex(VALUES, fill_value=0.0) for table in (frame, drawn)
    )
    return float((real - synthetic).abs().sum() / 2), float(synthetic[real == 0].sum())


def page(table: str, seeds: int) -> str:
    return "\n\n".join(
        [
            "## Long lists",
            "`uv run python -m benchmarks.long_lists`. A made-up table: a list of 249 values, of which some "
            "are used, with frequencies 1, 1/2, 1/3, ..., beside 13 short lists; delta 1e-9, replace-one, "
            f"zcdp; mean of {seeds} seeds. Total variation of the list's own table, and the part of the rows "
            "that have a value nobody has: from the nearest counts of the sum, and, with the same noise, "
            "from likely counts ([method](method.md#step-1-one-way-tables)).",
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
    for rows, epsilon in SETTINGS:
        for used in USED:
            found = {}
            for setting, many in (("nearest", len(VALUES)), ("likely", MANY)):
                with patch("hmpb_core.likely_counts.MANY", many):
                    found[setting] = [
                        errors(rows, used, epsilon=epsilon, seed=seed) for seed in range(args.seeds)
                    ]
            cells = [
                " to ".join(number(mean([cell[at] for cell in found[s]]), 4) for s in ("nearest", "likely"))
                for at in (0, 1)
            ]
            lines.append([f"{rows:,}", f"{epsilon:g}", str(used), *cells])
            print(*lines[-1], flush=True)
    heads = ["rows", "epsilon", "values used", "total variation", "rows with a value nobody has"]
    write_section("long lists", page(markdown_table(heads, lines), args.seeds))


if __name__ == "__main__":
    main()
