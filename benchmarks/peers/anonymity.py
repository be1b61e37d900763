"""What `hmpb anonymize` writes, checked by pycanon: k-anonymity at least k, l-diversity at least p.

    uv run python -m benchmarks.peers.anonymity [--install] [--tables 1000]

Each table is made up anew: one to six quasi-identifiers of every kind (numbers, dates, ordered and unordered
lists, codes with a hierarchy, missing values), 10 to 150 rows, k from 2 to 8, p from 2 on, each method in
turn. The command writes data.csv as a steward's would; pycanon (Apache-2.0) reads these files in a virtual
environment of its own, runs/peers/env-pycanon. The section of docs/results.md is written from what it says.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.page import markdown_table, write_section
from benchmarks.peers.compare import WORKERS, install, python_of
from benchmarks.peers.rivals import Environment
from hmpb_core.anonymize.partition import Method
from hmpb_core.cli import main as hmpb

PYCANON = Environment(name="pycanon", requirements=("pycanon==1.3.6",))
SENSITIVE = "illness"
LEVELS = {"lyon": ["eu", "fr"], "nice": ["eu", "fr"], "rome": ["eu", "it"], "lima": ["sa"]}
FIELDS: list[dict[str, Any]] = [
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "income", "type": "number", "constraints": {"minimum": 0, "maximum": 1000, "required": True}},
    {"name": "day", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"}},
    {
        "name": "degree",
        "type": "string",
        "categories": ["none", "school", "college"],
        "categoriesOrdered": True,
    },
    {"name": "sex", "type": "string", "categories": ["f", "m"], "missingValues": ["?"]},
    {
        "name": "zip",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 9999, "required": True},
        "hierarchy": {"prefixes": [1, 2]},
    },
    {"name": "city", "type": "string", "categories": list(LEVELS), "hierarchy": {"levels": LEVELS}},
    {"name": SENSITIVE, "type": "string", "categories": ["flu", "cold", "gout", "mumps", "none", "other"]},
]


def table(rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    """Rows of every field; some values are missing where a field may lack them."""

    def some(values: list[str], missing: str | None = None) -> np.ndarray:
        drawn = rng.choice(values, n_rows).astype(object)
        if missing is not None:
            drawn[rng.random(n_rows) < 0.05] = missing
        return drawn

    days = pd.date_range("2024-01-01", "2024-12-31").strftime("%Y-%m-%d").tolist()
    return pd.DataFrame(
        {
            "age": some([str(x) for x in range(18, 90, int(rng.integers(1, 9)))], ""),
            "income": some([f"{x:.2f}" for x in rng.uniform(0, 1000, 40)]),
            "day": some(days[:: int(rng.integers(1, 60))], ""),
            "degree": some(["none", "school", "college"], ""),
            "sex": some(["f", "m"], "?"),
            "zip": some([str(x) for x in rng.integers(0, 9999, 30)]),
            "city": some(list(LEVELS), ""),
            SENSITIVE: some(FIELDS[-1]["categories"][: int(rng.integers(2, 7))]),
        }
    )


def anonymized(folder: Path, number: int) -> dict[str, Any]:
    """Make a table up, hand it to the command, and say what was asked for."""
    rng = np.random.default_rng([20, number])
    frame = table(rng, int(rng.integers(10, 151)))
    k = int(rng.integers(2, 9))
    p = int(rng.integers(2, min(k, frame[SENSITIVE].nunique()) + 1))
    names = [field["name"] for field in FIELDS[:-1]]
    quasi = rng.permutation(names)[: rng.integers(1, len(names))].tolist()
    method = list(Method)[number % len(Method)].value
    here = folder / str(number)
    here.mkdir()
    frame.to_csv(here / "table.csv", index=False)
    (here / "codebook.json").write_text(json.dumps({"fields": FIELDS}))
    arguments = ["anonymize", str(here / "table.csv"), "--codebook", str(here / "codebook.json")]
    arguments += ["--method", method, "--k", str(k), "--p", str(p), "--sensitive", SENSITIVE]
    arguments += ["--quasi", ",".join(quasi), "--seed", str(number), "--out", str(here / "out")]
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        if hmpb(arguments) != 0:
            raise SystemExit(f"table {number}: {told.getvalue()}")
    asked = {"method": method, "k": k, "p": p, "rows": len(frame)}
    return {**asked, "file": str(here / "out" / "data.csv"), "quasi": quasi, "sensitive": SENSITIVE}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--install", action="store_true", help="make pycanon's environment first")
    parser.add_argument("--tables", type=int, default=1_000, metavar="N")
    args = parser.parse_args()
    if args.install:
        install(PYCANON)
    before = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        asked = [anonymized(Path(folder), number) for number in range(args.tables)]
        print(f"{len(asked)} tables written in {time.process_time() - before:.0f} CPU s")
        done = subprocess.run(
            [str(python_of(PYCANON)), str(WORKERS / "run_pycanon.py")],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=True,
        )
    found = pd.DataFrame(json.loads(done.stdout))
    cases = pd.DataFrame(asked).join(found.rename(columns={"k": "k found", "rows": "rows found"}))
    cases["holds"] = (cases["k found"] >= cases["k"]) & (cases["l"] >= cases["p"])
    cases["whole"] = cases["rows found"] == cases["rows"]
    lines = [
        [
            name,
            f"{len(part):,}",
            f"{int((part['k found'] >= part['k']).sum()):,}",
            f"{int((part['l'] >= part['p']).sum()):,}",
            f"{int(part['whole'].sum()):,}",
            f"{int((part['k found'] == part['k']).sum()):,}",
        ]
        for name, part in [*cases.groupby("method", sort=False), ("all", cases)]
    ]
    header = ["method", "tables", "k-anonymity at least k", "l-diversity at least p", "all rows there"]
    shown = markdown_table([*header, "k met exactly"], lines)
    write_section(
        "anonymity",
        "## Micro-aggregation, checked by pycanon\n\n"
        f"`uv run python -m benchmarks.peers.anonymity --tables {args.tables}`, pycanon 1.3.6 in an "
        "environment of its own. Each line counts tables that `hmpb anonymize` wrote (made up anew, of every "
        "kind of attribute, 10 to 150 rows, k 2 to 8, p from 2 on) and that pycanon finds to have what was "
        f"asked for. Where k is met exactly one row less would be found out.\n\n{shown}",
    )
    print(shown)
    if not (cases["holds"] & cases["whole"]).all():
        raise SystemExit("Some tables do not have what was asked for.")


if __name__ == "__main__":
    main()
