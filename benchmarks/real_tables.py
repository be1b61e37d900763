"""Real tables beside packages that bin for themselves: writes their section of docs/results.md.

    uv run python -m benchmarks.real_tables FOLDER [--targets credit_data=Status ...] [--install] [--seeds 1]

Every csv of FOLDER, with the codebook that ``hmpb codebook --guess`` drafts of it: its bounds and lists are
taken as public, for everybody alike. Numbers of which more than a twentieth is missing are left out, then
rows that lack a number: the packages take no missing numbers. Four fifths of the rows are learned from; a
target is predicted on the fifth that no one saw. delta 1e-9, add-remove, the packages' neighbours. Cells
are kept in runs/real_tables.jsonl; --fresh measures anew.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.page import CACHE, add_row, markdown_table, mean, number, read_rows, write_section
from benchmarks.peers.compare import environments
from benchmarks.values import LIKE_THEM, PEERS, equal_width, ours, theirs
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Numeric
from hmpb_core.encoding import encode
from hmpb_core.metrics.learning import learned_scores
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.metrics.values import Floats, numbers_of, value_errors
from hmpb_core.sources.drafting.draft import draft_from_rows
from hmpb_core.sources.files import read_file

ROWS = CACHE / "real_tables.jsonl"
SETTINGS = (LIKE_THEM, *PEERS)
MOST_MISSING = 0.05
TEST = 0.2
FIGURES = {
    "AVD2": "avd2",
    "W/sd": "wasserstein_sd",
    "KS": "ks",
    "largest mean / sd": "mean_sd",
    "texts": "lists",
    "Spearman": "spearman",
    "corr. ratio": "correlation_ratio",
    "boosting": "boosting",
}
HIGHER_IS_BETTER = ("boosting",)


def read(path: Path) -> tuple[pd.DataFrame, Codebook]:
    """A table that everybody can take, and its codebook of guesses."""
    given = read_file(str(path))
    amounts = dict(given.reading.amounts)
    domain = Codebook.from_dict(draft_from_rows(given.frame, amounts=amounts)).domain
    frame = given.frame[[a.name for a in domain.attributes]]
    values = numbers_of(frame, Codebook.from_dict(draft_from_rows(frame, amounts=amounts)))
    numeric = np.array([isinstance(a, Numeric) for a in domain.attributes])
    lacking = np.isnan(values)
    kept = ~(numeric & (lacking.mean(axis=0) > MOST_MISSING))
    complete = ~lacking[:, kept & numeric].any(axis=1)
    frame = frame.iloc[np.flatnonzero(complete), np.flatnonzero(kept)].reset_index(drop=True)
    return frame, Codebook.from_dict(draft_from_rows(frame, amounts=amounts))


def measure(
    path: Path,
    *,
    setting: str,
    python: Path | None,
    epsilon: float,
    seed: int,
    target: str | None,
    limit: float,
) -> dict[str, Any]:
    """Learn from four fifths of a table and sample as many rows: their values, pairs and what they teach."""
    frame, book = read(path)
    order = np.random.default_rng([80, seed]).permutation(len(frame))
    cut = round(len(order) * TEST)
    test, train = (frame.iloc[rows].reset_index(drop=True) for rows in (order[:cut], order[cut:]))
    if python is None:
        synthetic, drawn, cpu = ours(train, book, neighbors="add-remove", epsilon=epsilon, seed=seed)
    else:
        synthetic, drawn, cpu = theirs(
            train, book, rival=PEERS[setting], python=python, epsilon=epsilon, seed=seed, limit=limit
        )
    declared = equal_width(book)
    found = value_errors(numbers_of(train, book), synthetic, book.domain)
    columns = [found.columns[a.name] for a in book.domain.attributes if isinstance(a, Numeric)]
    texts = [found.columns[a.name] for a in book.domain.attributes if isinstance(a, Categorical)]
    row: dict[str, Any] = {
        "table": path.stem,
        "setting": setting,
        "epsilon": epsilon,
        "seed": seed,
        "rows": len(train),
        "attributes": len(book.domain),
        "cpu_seconds": cpu,
        "avd2": marginal_error(encode(train, declared), encode(drawn, declared), declared.domain, 2).mean,
        "wasserstein_sd": mean([c.wasserstein_sd for c in columns]),
        "ks": mean([c.ks for c in columns]),
        "mean_sd": max((abs(c.mean_sd) for c in columns if c.mean_sd is not None), default=None),
        "lists": mean([c.commonest for c in texts]),
        "spearman": found.spearman,
        "correlation_ratio": found.correlation_ratio,
    }
    if target is not None:
        row["target"] = target
        row["boosting"] = _boosting(synthetic, numbers_of(test, book), book, target)
        row["boosting_real"] = _boosting(numbers_of(train, book), numbers_of(test, book), book, target)
    return row


def _boosting(train: Floats, test: Floats, book: Codebook, target: str) -> float:
    scores = learned_scores(train, test, book.domain, book.domain.index(target))
    return scores["boosting_auc" if "boosting_auc" in scores else "boosting_r2"]


def page(rows: list[dict[str, Any]]) -> str:
    parts = [
        "## Real tables that nobody here chose",
        "`uv run python -m benchmarks.real_tables FOLDER --targets TABLE=COLUMN ...`: tables "
        "of the collection Rdatasets, with the "
        "codebook that is guessed of each, bounds and lists taken as public for everybody. Numbers of which "
        "more than a twentieth is missing are left out, then rows that lack a number. delta 1e-9, add-remove "
        "neighbours, which are the packages'; they bin for themselves for a tenth of their epsilon. KS and "
        "W/sd are means over the numbers, texts the mean over the lists of the largest error among their "
        "five commonest values; boosting is the AUC of gradient boosting (R2 of numbers) on a fifth that no "
        "one saw.",
    ]
    for epsilon in sorted({row["epsilon"] for row in rows}):
        lines, failed = [], []
        for table in sorted({row["table"] for row in rows}):
            for setting in SETTINGS:
                cells = [
                    row
                    for row in rows
                    if (row["table"], row["setting"], row["epsilon"]) == (table, setting, epsilon)
                ]
                failed += sorted({row["failed"] for row in cells if "failed" in row})
                cells = [row for row in cells if "failed" not in row]
                if not cells:
                    continue
                about = f"{table}, {cells[0]['rows']:,} x {cells[0]['attributes']}"
                about += f", predicting {cells[0]['target']}" if "target" in cells[0] else ""
                figures = [number(mean([c.get(key) for c in cells])) for key in FIGURES.values()]
                real = number(mean([c.get("boosting_real") for c in cells]))
                cpu = f"{mean([c['cpu_seconds'] for c in cells]):.0f}"
                lines.append([about, f"{setting} ({len(cells)})", *figures, real, cpu])
        parts += [
            f"### epsilon {epsilon:g}",
            markdown_table(["table", "by (seeds)", *FIGURES, "boosting, real rows", "CPU s"], lines),
            *([f"Without a result: {'; '.join(failed)}."] if failed else []),
        ]
    return "\n\n".join([*parts, _ahead(rows)])


def _ahead(rows: list[dict[str, Any]]) -> str:
    """In how many cells our figure is better than each package's."""
    own = {(r["table"], r["epsilon"], r["seed"]): r for r in rows if r["setting"] == LIKE_THEM}
    lines = []
    for peer in PEERS:
        line = [peer]
        for key in FIGURES.values():
            pairs = [
                (own[at][key], r[key])
                for r in rows
                if r["setting"] == peer and (at := (r["table"], r["epsilon"], r["seed"])) in own
                if own[at].get(key) is not None and r.get(key) is not None
            ]
            sign = -1 if key in HIGHER_IS_BETTER else 1
            line.append(f"{sum(sign * a < sign * b for a, b in pairs)} of {len(pairs)}")
        lines.append(line)
    return "Learned bins are ahead in so many cells:\n\n" + markdown_table(["of", *FIGURES], lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", nargs="+", help="names of files without their ending; all")
    parser.add_argument("--targets", nargs="+", default=[], metavar="TABLE=COLUMN")
    parser.add_argument("--settings", nargs="+", default=list(SETTINGS), choices=SETTINGS)
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.2, 1.0])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--limit", type=float, default=420, help="seconds that a package may take")
    parser.add_argument("--install", action="store_true", help="make the packages' environment with uv")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--page-only", action="store_true")
    args = parser.parse_args()
    rows = [] if args.fresh else read_rows(ROWS)
    done = {(r["table"], r["setting"], r["epsilon"], r["seed"]) for r in rows}
    targets = dict(entry.split("=", 1) for entry in args.targets)
    pythons = environments(["dpmm"] if args.install else None)
    for path in [] if args.page_only else sorted(args.folder.glob("*.csv")):
        if args.tables and path.stem not in args.tables:
            continue
        for seed in range(args.seeds):
            for epsilon in args.epsilons:
                for setting in args.settings:
                    if (path.stem, setting, epsilon, seed) in done:
                        continue
                    python = pythons[PEERS[setting].environment] if setting in PEERS else None
                    try:
                        row = measure(
                            path,
                            setting=setting,
                            python=python,
                            epsilon=epsilon,
                            seed=seed,
                            target=targets.get(path.stem),
                            limit=args.limit,
                        )
                    except SystemExit as failed:
                        row = {"table": path.stem, "setting": setting, "epsilon": epsilon, "seed": seed}
                        row["failed"] = f"{path.stem}, {failed}"
                    add_row(ROWS, row)
                    rows.append(row)
                    print(
                        f"{path.stem} {setting} {epsilon:g} seed {seed}: AVD2 {row['avd2']:.4f}", flush=True
                    )
    write_section("real tables", page(rows))


if __name__ == "__main__":
    main()
