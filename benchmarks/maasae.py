"""Table 5 and figures 2 to 7 of the MAASAE paper: `uv run python -m benchmarks.maasae table5 [--repeats 1]`.

Each experiment is a function that gives rows of figures; `cells` are run one after the other, so that a
caller can stop and go on. The table is Adult's complete rows with a six-digit fnlwgt, read as a code.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.datasets import folder_of, load
from benchmarks.page import markdown_table
from hmpb_core.anonymize.anonymizer import Request, anonymize, rows_of
from hmpb_core.anonymize.columns import sensitive_codes
from hmpb_core.anonymize.partition import Method
from hmpb_core.anonymize.quality import class_figures, summarize
from hmpb_core.codebook import Codebook

QUASI = ("age", "sex", "race", "education", "native-country", "workclass", "fnlwgt")
SENSITIVE = "occupation"
TABLE5 = {
    (8, 5): (0.14831, 3.01804),
    (8, 6): (0.15413, 3.03963),
    (8, 7): (0.16455, 3.05008),
    (10, 5): (0.19341, 3.23690),
    (10, 6): (0.19403, 3.28224),
    (10, 7): (0.19521, 3.31970),
    (12, 5): (0.21557, 3.34189),
    (12, 6): (0.21878, 3.40647),
    (12, 7): (0.21946, 3.47562),
}
"""(k, p): AVG-IL and AVG-Ent as published."""
DIGITS = 6


def papers_adult(folder: str | None, *, whole: bool = False):
    """Adult as the paper takes it: education nominal, fnlwgt a code of six digits (or of seven, all rows)."""
    table = load("adult", folder_of(folder))
    frame = table.frame
    if not whole:
        frame = frame[frame["fnlwgt"].str.strip().str.len() == DIGITS].reset_index(drop=True)
    schema = table.codebook.to_dict()
    for field in schema["fields"]:
        if field["name"] == "education":
            field["categoriesOrdered"] = False
        if field["name"] == "fnlwgt":
            field["hierarchy"] = {"prefixes": list(range(1, DIGITS + whole))}
            field["constraints"]["minimum"] = 0
            field["constraints"]["maximum"] = 10 ** (DIGITS + whole) - 1
    return frame, Codebook.from_dict(schema)


def cell(
    frame, codebook, *, method: str, k: int, p: int, n_quasi: int = 7, seed: int = 0
) -> dict[str, float]:
    """One run: AVG-IL (and as ranges and suppressed categories), AVG-Ent, C_AVG, classes, seconds."""
    # Figure 4 names no attributes for 3 and 5 quasi-identifiers: the first listed, fnlwgt always among them.
    quasi = (*QUASI[: n_quasi - 1], "fnlwgt")
    request = Request(method=Method(method), k=k, p=p, quasi=quasi, sensitive=SENSITIVE)
    start = time.process_time()
    result = anonymize(frame, codebook, request, rng=np.random.default_rng(seed))
    cpu = time.process_time() - start
    figures = result.figures
    rows = rows_of(result.columns, sensitive_codes(frame, codebook, SENSITIVE))
    plain = [column.generalized for column in result.columns]
    by_range = summarize([class_figures(rows, group, plain) for group in result.members], k=k)
    return {
        "avg_il": figures.avg_il,
        "generalized_il": by_range.avg_il,
        "avg_ent": figures.avg_ent,
        "c_avg": figures.c_avg,
        "classes": figures.n_classes,
        "seconds": result.seconds,
        "cpu_seconds": cpu,
    }


def cells_of(experiment: str) -> list[dict[str, object]]:
    """The settings of an experiment, one run each."""
    grid = {
        "table5": [("maasae", k, p, 7) for k, p in TABLE5],
        "fig2": [(m, k, p, 7) for m in ("maasae", "maa-minil") for k, p in TABLE5],
        "fig3": [(m, k, p, 7) for m in ("maasae", "gpkc") for k in (10, 12) for p in (4, 5, 6, 7)],
        "fig4": [(m, 12, p, q) for m in ("maasae", "gpkc") for q in (3, 5, 7) for p in (4, 5, 6, 7)],
        "fig5": [(m, k, p, 5) for m in ("maasae", "gpkc") for k in (10, 12) for p in (4, 5, 6, 7)],
        "fig6": [(m, 12, p, 7) for m in ("maasae", "gpkc") for p in (3, 4, 5, 6, 7, 8)],
        "fig7": [(m, 12, 7, q) for m in ("maasae", "gpkc") for q in (3, 5, 7)],
    }[experiment]
    return [{"method": m, "k": k, "p": p, "n_quasi": q} for m, k, p, q in grid]


def run(experiment: str, frame, codebook, *, seeds: Sequence[int]) -> Iterator[dict[str, object]]:
    """Run an experiment: a row of settings, figures and, for Table 5, the paper's figures, a cell."""
    for settings in cells_of(experiment):
        runs = [cell(frame, codebook, seed=seed, **settings) for seed in seeds]
        row = {**settings, **{key: float(np.mean([one[key] for one in runs])) for key in runs[0]}}
        if experiment == "table5":
            row["paper_il"], row["paper_ent"] = TABLE5[settings["k"], settings["p"]]
        yield row


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", choices=["table5", *(f"fig{n}" for n in range(2, 8)), "whole"])
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--repeats", type=int, default=1, help="seeds (the paper: 10)")
    args = parser.parse_args()
    frame, codebook = papers_adult(args.data, whole=args.experiment == "whole")
    if args.experiment == "whole":
        rows: Iterator[dict[str, object]] = iter([cell(frame, codebook, method="maasae", k=8, p=5)])
    else:
        rows = run(args.experiment, frame, codebook, seeds=range(args.repeats))
    lines, header = [], []
    for row in rows:
        header = list(row)
        lines.append([f"{value:.4f}" if isinstance(value, float) else str(value) for value in row.values()])
        print(dict(zip(header, lines[-1], strict=True)), flush=True)
    print(markdown_table(header, lines))


if __name__ == "__main__":
    main()
