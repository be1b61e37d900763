"""Ours beside each installed rival: the same codes, epsilon, delta, neighbours and metric.

    uv run python -m benchmarks.peers.compare [--rivals NAME ...] [--epsilons 0.1 1] [--seeds 1]

Every rival runs in a virtual environment of its own (runs/peers/env-NAME, made by uv). What is not
installed is skipped and named on the page; --install makes the environments that need megabytes, or those
named after it. private-pgm is used from a checkout: --private-pgm FOLDER. Rows are kept in
runs/peers.jsonl; the page's section is written from all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import NAMES, Table, folder_of, load
from benchmarks.page import CACHE, add_row, markdown_table, mean, number, read_rows, write_section
from benchmarks.peers.rivals import ENVIRONMENTS, RIVALS, Environment, Rival
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.metrics.prediction import Target, svm_error

WORK = CACHE / "peers"
ROWS = CACHE / "peers.jsonl"
WORKERS = Path(__file__).parent / "workers"
EPSILONS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0)
DELTA = 1e-9


def python_of(environment: Environment) -> Path:
    if not environment.requirements:
        return Path(sys.executable)
    return WORK / f"env-{environment.name}" / "bin" / "python"


def install(environment: Environment) -> None:
    folder = WORK / f"env-{environment.name}"
    subprocess.run(["uv", "venv", "--python", environment.python, str(folder)], check=True)
    python = str(python_of(environment))
    subprocess.run(["uv", "pip", "install", "--python", python, *environment.requirements], check=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """How a rival is run.

    Attributes:
        python: The interpreter of its environment.
        limit: Seconds a run may take.
        checkout: Folder of private-pgm, where it is wanted.
    """

    python: Path
    limit: float
    checkout: str


def run(rival: Rival, runner: Runner, codes: np.ndarray, table: Table, job: dict[str, Any]) -> Any:
    """Run one worker on codes; give its codes and its report, or the reason why there are none."""
    domain = table.codebook.domain
    ordered = [attribute.ordered for attribute in domain.attributes]
    return call(rival, runner, codes, {**job, "sizes": list(domain.sizes), "ordered": ordered})


def call(rival: Rival, runner: Runner, table: np.ndarray, job: dict[str, Any]) -> Any:
    """Run one worker; give its table and its report, or the reason why there are none."""
    WORK.mkdir(parents=True, exist_ok=True)
    given, made = WORK / "input.npy", WORK / "output.npy"
    np.save(given, table)
    made.unlink(missing_ok=True)
    job = {
        **rival.options,
        **job,
        "checkout": runner.checkout,
        "epsilon": job["epsilon"] * rival.budget,
        "delta": DELTA,
        "input": str(given),
        "output": str(made),
    }
    try:
        done = subprocess.run(
            [str(runner.python), str(WORKERS / rival.worker), json.dumps(job)],
            capture_output=True,
            text=True,
            timeout=runner.limit,
            check=False,
            env={**os.environ, "JAX_PLATFORMS": "cpu"},
        )
    except subprocess.TimeoutExpired:
        return None, f"no result within {runner.limit:g} s"
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or ["failed"])[-1][:200]
    return np.load(made), json.loads(done.stdout.strip().splitlines()[-1])


def measure(
    rival: Rival, runner: Runner, table: Table, epsilon: float, seed: int, *, svm: bool = True
) -> dict[str, Any]:
    """Run a rival on all rows, and on the rows that an SVM may learn from."""
    row: dict[str, Any] = {"table": table.name, "rival": rival.name, "epsilon": epsilon, "seed": seed}
    job = {"epsilon": epsilon, "seed": seed}
    synthetic, report = run(rival, runner, table.codes, table, job)
    if synthetic is None:
        return {**row, "failed": report}
    domain = table.codebook.domain
    row |= report
    row["avd2"] = marginal_error(table.codes, synthetic, domain, 2).mean
    row["avd3"] = marginal_error(table.codes, synthetic, domain, 3).mean
    if svm and table.name == "adult":  # predicts a category, so codes are enough
        kept, held = table.split(seed)
        learnt, _ = run(rival, runner, table.codes[kept], table, job)
        target = Target.parse(table.target, domain)
        if learnt is not None:
            pairs = [
                (codes, codes[:, target.attribute].astype(np.int64)) for codes in (learnt, table.codes[held])
            ]
            row["svm_error"] = svm_error(*pairs, target, domain)
    return row


def section(absent: dict[str, str]) -> str:
    latest = {(r["table"], r["rival"], r["epsilon"], r["seed"]): r for r in read_rows(ROWS)}
    parts = [
        "## Beside other packages",
        "`uv run python -m benchmarks.peers.compare`. Everybody gets the same codes, (epsilon, delta 1e-9) "
        "and add-remove neighbours unless the notes say otherwise. Cells are AVD2 / AVD3 / SVM error, with "
        "the number of seeds in brackets where it is more than one. CPU seconds (fit and sample) and peak "
        "memory are those at the largest epsilon measured.",
    ]
    for table in NAMES:
        lines, notes = [], []
        epsilons = [e for e in EPSILONS if any(k[0] == table and k[2] == e for k in latest)]
        for rival in RIVALS:
            rows = [row for key, row in latest.items() if key[:2] == (table, rival.name)]
            if not rows:
                continue
            cells = []
            for epsilon in epsilons:
                at = [row for row in rows if row["epsilon"] == epsilon]
                good = [row for row in at if "avd2" in row]
                if good:
                    figures = [mean([row.get(key) for row in good]) for key in ("avd2", "avd3", "svm_error")]
                    count = f" ({len(good)})" if len(good) > 1 else ""
                    cells.append(" / ".join(number(figure) for figure in figures) + count)
                else:
                    cells.append(
                        at[0]["failed"] if at and "within" in at[0]["failed"] else "failed" if at else ""
                    )
            largest = max(
                (row for row in rows if "avd2" in row), key=lambda row: row["epsilon"], default=None
            )
            cost = [f"{largest['cpu_seconds']:.0f}", f"{largest['peak_mib']:.0f}"] if largest else ["", ""]
            lines.append([rival.title, *cells, *cost])
            if rival.note:
                notes.append(f"- {rival.title}: {rival.note}.")
        if lines:
            header = ["", *(f"epsilon {e:g}" for e in epsilons), "CPU s", "MiB"]
            parts += [f"### {table.capitalize()}", markdown_table(header, lines), "\n".join(notes)]
    if absent:
        parts.append("Not run: " + "; ".join(f"{name} ({why})" for name, why in absent.items()) + ".")
    return "\n\n".join(part for part in parts if part)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [rival.name for rival in RIVALS]
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--tables", nargs="+", default=["adult"], choices=NAMES)
    parser.add_argument("--rivals", nargs="+", default=names, choices=names)
    parser.add_argument("--epsilons", nargs="+", type=float, default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--limit", type=float, default=420, help="seconds for one run")
    parser.add_argument("--install", nargs="*", metavar="ENVIRONMENT", help="make environments with uv")
    parser.add_argument("--private-pgm", metavar="FOLDER", help="a checkout of private-pgm")
    parser.add_argument("--without-svm", action="store_true", help="skip the second fit that the SVM needs")
    parser.add_argument("--fresh", action="store_true", help="measure rows that are there already")
    parser.add_argument("--page-only", action="store_true")
    args = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    pythons = environments(args.install)
    absent = {}
    for rival in RIVALS:
        if rival.environment not in pythons:
            absent[rival.title] = f"not installed; --install {rival.environment}"
        elif rival.environment == "private-pgm" and not args.private_pgm:
            absent[rival.title] = "needs --private-pgm FOLDER"
    present = [rival for rival in RIVALS if rival.name in args.rivals and rival.title not in absent]
    done = {
        (r["table"], r["rival"], r["epsilon"], r["seed"]) for r in ([] if args.fresh else read_rows(ROWS))
    }
    for name in [] if args.page_only else args.tables:
        table = load(name, folder_of(args.data))
        for rival, epsilon, seed in product(present, args.epsilons, range(args.seeds)):
            if (name, rival.name, epsilon, seed) in done:
                continue
            python = pythons[rival.environment]
            runner = Runner(python=python, limit=args.limit, checkout=args.private_pgm or "")
            row = measure(rival, runner, table, epsilon, seed, svm=not args.without_svm)
            add_row(ROWS, row)
            print(json.dumps(row), flush=True)
    write_section("peers", section(absent))


def environments(wanted: list[str] | None) -> dict[str, Path]:
    """The interpreters there are, once those that are wanted have been made."""
    found = {}
    for environment in ENVIRONMENTS:
        asked = wanted is not None and (environment.name in wanted or (not wanted and not environment.large))
        if asked and environment.requirements and not python_of(environment).exists():
            install(environment)
        if python_of(environment).exists():
            found[environment.name] = python_of(environment)
    return found


if __name__ == "__main__":
    main()
