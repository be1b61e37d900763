"""What naming the column that matters most is worth: the same plan with a target and without.

    OMP_NUM_THREADS=1 uv run python -m benchmarks.target [--data FOLDER] [--seeds 8]
        [--folder FOLDER --targets TABLE=COLUMN ...]

On Adult with learned bins, replace-one, the target its salary; and, with a folder, on the tables of
``benchmarks.real_tables``, learned from four fifths of their rows under add-remove. Writes its section of
docs/results.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.datasets import folder_of
from benchmarks.page import CACHE, add_row, markdown_table, mean, number, read_rows, write_section
from benchmarks.real_tables import TEST, read
from benchmarks.values import equal_width, tables
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Numeric
from hmpb_core.encoding import encode
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.learning import learned_scores
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.metrics.values import numbers_of, value_errors
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan

ROWS = CACHE / "target.jsonl"
ADULT = (0.2, 1.0, 4.0)
OTHERS = (0.3, 1.0)
FIGURES = {
    "pairs with it": "target_pairs",
    "other pairs": "other_pairs",
    "boosting": "boosting",
    "W/sd": "wasserstein_sd",
    "Spearman": "spearman",
    "corr. ratio": "correlation_ratio",
}
Given = tuple[pd.DataFrame, pd.DataFrame, Codebook, str]


def measure(given: Given, *, neighbors: str, epsilon: float, seed: int, named: bool) -> dict[str, Any]:
    """One run's figures: the two-way error of pairs with and without the target, and what rows teach."""
    frame, test, book, target = given
    guarantee = guarantee_of("zcdp", epsilon, 1e-9, neighbors)
    plan = make_plan(guarantee, book.domain, n_rows=len(frame), target=target if named else None)
    drawn = fit_source(open_source(frame, book), plan, seed=seed).sample(rng=np.random.default_rng(seed))
    declared, place = equal_width(book), book.domain.index(target)
    pairs = marginal_error(encode(frame, declared), encode(drawn, declared), declared.domain, 2)
    own = np.array([place in pair for pair in pairs.subsets])
    synthetic = numbers_of(drawn, book)
    found = value_errors(numbers_of(frame, book), synthetic, book.domain)
    numbers = [found.columns[a.name] for a in book.domain.attributes if isinstance(a, Numeric)]
    scores = learned_scores(synthetic, numbers_of(test, book), book.domain, place)
    return {
        "target_pairs": float(pairs.values[own].mean()),
        "other_pairs": float(pairs.values[~own].mean()),
        "boosting": scores.get("boosting_auc", scores.get("boosting_r2")),
        "wasserstein_sd": mean([column.wasserstein_sd for column in numbers]),
        "spearman": found.spearman,
        "correlation_ratio": found.correlation_ratio,
    }


def adult(folder: Path) -> Given:
    frame, book, test = tables(folder)["adult"]
    assert test is not None
    return frame, test, book, "salary"


def real(path: Path, target: str) -> Callable[[int], Given]:
    """A table of the folder, split anew for each seed as ``benchmarks.real_tables`` does."""
    frame, book = read(path)

    def split(seed: int) -> Given:
        order = np.random.default_rng([80, seed]).permutation(len(frame))
        cut = round(len(order) * TEST)
        test, train = (frame.iloc[rows].reset_index(drop=True) for rows in (order[:cut], order[cut:]))
        return train, test, book, target

    return split


def runs(args: argparse.Namespace) -> Iterator[tuple[str, float, int, Given, str]]:
    """Each run that is wanted: table, epsilon, seed, what it is of, neighbours."""
    if not args.folder:
        given = adult(folder_of(args.data))
        for epsilon in ADULT:
            for seed in range(args.seeds):
                yield "adult", epsilon, seed, given, "replace-one"
        return
    for entry in args.targets:
        name, target = entry.split("=", 1)
        split = real(args.folder / f"{name}.csv", target)
        for epsilon in OTHERS:
            for seed in range(args.seeds):
                yield name, epsilon, seed, split(seed), "add-remove"


def page(rows: list[dict[str, Any]]) -> str:
    parts = [
        "## A column that matters most",
        "`uv run python -m benchmarks.target`, and with `--folder FOLDER --targets TABLE=COLUMN ...` for the "
        "tables [that nobody here chose](#real-tables-that-nobody-here-chose). The default plan with "
        "the target named and without, the same seeds: AVD2 of pairs with the target and of all others on 16 "
        "equal-width bins, and gradient boosting that predicts it (AUC, R2 of numbers) on rows that no one "
        "saw. delta 1e-9; Adult replace-one, the others add-remove.",
        markdown_table(["Adult's salary, epsilon", "target", *FIGURES], _lines(rows)),
    ]
    moved = _moved(rows)
    if moved:
        parts += [
            "On the other tables, each against itself without (means of the logarithms; boosting in points):",
            markdown_table(["epsilon (runs)", *FIGURES], moved),
        ]
    return "\n\n".join(parts)


def _lines(rows: list[dict[str, Any]]) -> Iterator[list[str]]:
    for epsilon in ADULT:
        for named in (False, True):
            cells = [r for r in rows if (r["table"], r["epsilon"], r["named"]) == ("adult", epsilon, named)]
            if cells:
                figures = [number(mean([c[key] for c in cells]), 4) for key in FIGURES.values()]
                yield [f"{epsilon:g}", f"{'named' if named else 'none'} ({len(cells)})", *figures]


def _moved(rows: list[dict[str, Any]]) -> list[list[str]]:
    lines = []
    for epsilon in OTHERS:
        cells: dict[tuple[str, int], dict[bool, dict[str, Any]]] = {}
        for row in rows:
            if row["table"] != "adult" and row["epsilon"] == epsilon:
                cells.setdefault((row["table"], row["seed"]), {})[row["named"]] = row
        both = [cell for cell in cells.values() if len(cell) == 2]
        if both:
            lines.append([f"{epsilon:g} ({len(both)})", *(_change(both, key) for key in FIGURES.values())])
    return lines


def _change(both: list[dict[bool, dict[str, Any]]], key: str) -> str:
    pairs = [(cell[True][key], cell[False][key]) for cell in both]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    if key == "boosting":
        moves = np.array([a - b for a, b in known])
        return f"{moves.mean():+.3f} (+- {moves.std() / np.sqrt(len(moves)):.3f})"
    moves = np.array([np.log(a / b) for a, b in known if a > 0 and b > 0])
    return f"{100 * np.expm1(moves.mean()):+.0f} (+- {100 * moves.std() / np.sqrt(len(moves)):.0f}) %"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of Adult")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--folder", type=Path, help="folder of other tables")
    parser.add_argument("--targets", nargs="+", default=[], metavar="TABLE=COLUMN")
    parser.add_argument("--page-only", action="store_true")
    args = parser.parse_args()
    rows = read_rows(ROWS)
    done = {(r["table"], r["epsilon"], r["seed"], r["named"]) for r in rows}
    for table, epsilon, seed, given, neighbors in () if args.page_only else runs(args):
        for named in (False, True):
            if (table, epsilon, seed, named) in done:
                continue
            figures = measure(given, neighbors=neighbors, epsilon=epsilon, seed=seed, named=named)
            row = {"table": table, "epsilon": epsilon, "seed": seed, "named": named, **figures}
            add_row(ROWS, row)
            rows.append(row)
            print(f"{table} {epsilon:g} seed {seed} named {named}: {figures['boosting']:.4f}", flush=True)
    write_section("target", page(rows))


if __name__ == "__main__":
    main()
