"""Numbers of which few occur, with and without the list that a guess makes of them.

    uv run python -m benchmarks.few_values FOLDER [--seeds 2] [--epsilons 0.3 1 4]

Every csv of FOLDER of whose columns ``hmpb codebook --guess`` lists one or more by the numbers that occur
(``values``), at most 20,000 of its rows. Learned from twice, with the guessed codebook and with the one that
is guessed without lists: then these columns have all steps between their bounds. delta 1e-9, add-remove,
zcdp. Writes docs/results.md; cells are kept in runs/few_values.jsonl, --fresh measures anew.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.page import CACHE, add_row, markdown_table, mean, read_rows, write_section
from benchmarks.values import equal_width, ours
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Numeric
from hmpb_core.encoding import encode
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.metrics.values import Floats, numbers_of, value_errors
from hmpb_core.sources.drafting import guesses
from hmpb_core.sources.drafting.draft import draft_from_rows
from hmpb_core.sources.files import read_file

ROWS = CACHE / "few_values.jsonl"
MOST_ROWS = 20_000
WITH, WITHOUT = "listed", "all steps"
TABLE = {
    "AVD2": "avd2",
    "W/sd": "wasserstein_sd",
    "KS": "ks",
    "Spearman": "spearman",
    "corr. ratio": "correlation_ratio",
    "CPU": "cpu_seconds",
}
COLUMN = {"W/sd of these": "wasserstein_sd", "KS of these": "ks", "largest mean / sd": "mean_sd"}


def measure(path: Path, *, epsilons: list[float], seeds: int, done: set[tuple[Any, ...]]) -> None:
    """Learn and sample with both codebooks; figures of the table and of each such column."""
    given = read_file(str(path))
    amounts = dict(given.reading.amounts)
    frame = given.frame
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0).reset_index(drop=True)
    listed = draft_from_rows(frame, amounts=amounts)
    few = [field["name"] for field in listed["fields"] if "values" in field]
    if not few:
        return
    with patch.object(guesses, "values_of", lambda *_, **__: []):
        plain = Codebook.from_dict(draft_from_rows(frame, amounts=amounts))
    real = numbers_of(frame, plain)
    widths = equal_width(plain)
    for setting, book in ((WITH, Codebook.from_dict(listed)), (WITHOUT, plain)):
        for seed, epsilon in ((s, e) for s in range(seeds) for e in epsilons):
            if (path.stem, setting, epsilon, seed) in done:
                continue
            _, drawn, cpu = ours(frame, book, neighbors="add-remove", epsilon=epsilon, seed=seed)
            values = numbers_of(drawn, plain)
            found = value_errors(real, values, plain.domain)
            numbers = [found.columns[a.name] for a in plain.domain.attributes if isinstance(a, Numeric)]
            places = {name: plain.domain.index(name) for name in few}
            add_row(
                ROWS,
                {
                    "table": path.stem,
                    "setting": setting,
                    "epsilon": epsilon,
                    "seed": seed,
                    "cpu_seconds": cpu,
                    "avd2": marginal_error(
                        encode(frame, widths), encode(drawn, widths), widths.domain, 2
                    ).mean,
                    "wasserstein_sd": mean([c.wasserstein_sd for c in numbers]),
                    "ks": float(np.mean([c.ks for c in numbers])),
                    "spearman": found.spearman,
                    "correlation_ratio": found.correlation_ratio,
                    "columns": {
                        name: {
                            "wasserstein_sd": found.columns[name].wasserstein_sd,
                            "ks": found.columns[name].ks,
                            "mean_sd": abs(found.columns[name].mean_sd or 0.0),
                            "real": _different(real[:, at]),
                            "drawn": _different(values[:, at]),
                        }
                        for name, at in places.items()
                        if not math.isnan(found.columns[name].ks)
                    },
                },
            )


def _different(values: Floats) -> int:
    return int(np.unique(values[~np.isnan(values)]).size)


def change(cells: list[tuple[float, float]]) -> str:
    """Geometric mean of how many times the first is the second, in per cent, with its standard error."""
    logs = np.array([math.log(a / b) for a, b in cells if a > 0 and b > 0])
    if len(logs) < 2:
        return "-"
    middle, error = float(logs.mean()), float(logs.std(ddof=1)) / math.sqrt(len(logs))
    return f"{100 * math.expm1(middle):+.0f} +- {100 * math.exp(middle) * error:.0f} %"


def page(rows: list[dict[str, Any]]) -> str:
    cells = {(r["table"], r["setting"], r["epsilon"], r["seed"]): r for r in rows}
    both = [
        (row, cells[row["table"], WITHOUT, row["epsilon"], row["seed"]])
        for row in rows
        if row["setting"] == WITH and (row["table"], WITHOUT, row["epsilon"], row["seed"]) in cells
    ]
    epsilons = sorted({row["epsilon"] for row, _ in both})
    lines = []
    for epsilon in epsilons:
        here = [(a, b) for a, b in both if a["epsilon"] == epsilon]
        of = [(a["columns"][n], b["columns"][n]) for a, b in here for n in a["columns"] if n in b["columns"]]
        figures = [change([(a[key], b[key]) for a, b in of]) for key in COLUMN.values()]
        figures += [change([(a[key] or 0, b[key] or 0) for a, b in here]) for key in TABLE.values()]
        lines.append([f"{epsilon:g}", *figures])
    first = [(a, b) for a, b in both if a["epsilon"] == 1 and a["seed"] == 0]
    columns = [
        [f"{a['table']}: {name}", *map(str, (own["real"], b["columns"][name]["drawn"], own["drawn"]))]
        for a, b in first
        for name, own in a["columns"].items()
    ]
    tables = {row["table"] for row, _ in both}
    return "\n\n".join(
        [
            "## Numbers of which few occur",
            "`uv run python -m benchmarks.few_values FOLDER`: columns in which few numbers come again and "
            f"again (`values` in the codebook), {len(columns)} of {len(tables)} tables "
            "of the collection Rdatasets with 12 to 45 columns and of those of "
            "[the section above](#real-tables-that-nobody-here-chose). With the guessed list of these "
            "numbers, against all steps between the bounds; geometric means over columns and runs, and over "
            "tables and runs.",
            markdown_table(["epsilon", *COLUMN, *(f"{name} of the table" for name in TABLE)], lines),
            "Different numbers, epsilon 1, the first seed:",
            markdown_table(["column", "real", WITHOUT, WITH], columns),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.3, 1.0, 4.0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--fresh", action="store_true")
    args = parser.parse_args()
    if args.fresh:
        ROWS.unlink(missing_ok=True)
    done = {(r["table"], r["setting"], r["epsilon"], r["seed"]) for r in read_rows(ROWS)}
    for path in sorted(args.folder.glob("*.csv")):
        measure(path, epsilons=args.epsilons, seeds=args.seeds, done=done)
    write_section("few-values", page(read_rows(ROWS)))


if __name__ == "__main__":
    main()
