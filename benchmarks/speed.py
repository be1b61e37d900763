"""Seconds and peak memory of fit and sample: `uv run python -m benchmarks.speed [--data FOLDER]`.

Each run has a process of its own, so that its peak memory is its own: loading the table included, the
interpreter and its imports too. Writes its section of docs/results.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time

import numpy as np

from benchmarks.datasets import NAMES, folder_of, load
from benchmarks.page import markdown_table, write_section
from benchmarks.results import SETTINGS

CASES = [("adult", "sound-zcdp", 0.1), ("adult", "sound-zcdp", 1.0), ("big5", "sound-zcdp", 0.1)]
CASES += [("big5", "sound-zcdp", 1.0), ("adult", "sound-pure", 1.0), ("adult", "published", 1.0)]
"""Table, setting and epsilon."""


def one(name: str, setting: str, epsilon: float, folder: str | None) -> dict[str, float]:
    """Fit and sample once, in this process."""
    from hmpb_core.sources.memory import MemorySource
    from hmpb_core.synthesis import fit_source

    table = load(name, folder_of(folder))
    plan = next(s for s in SETTINGS if s.name == setting).plan(table, epsilon, len(table.codes))
    wall, cpu = time.perf_counter(), time.process_time()
    model = fit_source(MemorySource(table.codes, table.codebook.domain), plan)
    fitted = time.perf_counter()
    model.sample(rng=np.random.default_rng())
    return {
        "fit": fitted - wall,
        "sample": time.perf_counter() - fitted,
        "cpu": time.process_time() - cpu,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--one", nargs=3, metavar=("TABLE", "SETTING", "EPSILON"), help=argparse.SUPPRESS)
    parser.add_argument("--tables", nargs="+", default=list(NAMES), choices=NAMES)
    args = parser.parse_args()
    if args.one:
        name, setting, epsilon = args.one
        print(json.dumps(one(name, setting, float(epsilon), args.data)))
        return
    lines = []
    for name, setting, epsilon in CASES:
        if name not in args.tables:
            continue
        command = [sys.executable, "-m", "benchmarks.speed", "--one", name, setting, str(epsilon)]
        command += ["--data", args.data] if args.data else []
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        report = json.loads(done.stdout)
        title = next(s.title for s in SETTINGS if s.name == setting)
        lines.append(
            [f"{name}, {title}, epsilon {epsilon:g}"]
            + [f"{report[key]:.1f}" for key in ("fit", "sample", "cpu")]
            + [f"{report['mib']:.0f}"]
        )
        print(lines[-1], flush=True)
    load_average = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    text = (
        "## Speed and memory\n\n`uv run python -m benchmarks.speed`, with real noise. "
        f"{os.cpu_count()} cores, Python {platform.python_version()}; load average at the end "
        f"{load_average}: compare CPU seconds where it is above the number of cores.\n\n"
    )
    header = ["", "fit, s", "sample, s", "CPU s", "peak MiB"]
    write_section("speed", text + markdown_table(header, lines))


if __name__ == "__main__":
    main()
