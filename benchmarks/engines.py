"""Engines: processor time and peak memory against rows, of encoding and counting or of a whole run.

    uv run python -m benchmarks.engines [--rows 1000000,20000000] [--engines duckdb,memory] [--whole] [--ways]

Makes a Parquet table of 15 columns (numbers, dates, texts, codes) in a temporary folder; every run has a
process of its own. ``--whole`` types ``hmpb synthesize`` instead, from the file to as many rows in Parquet.
``--ways`` compares the ways in which DuckDB can count 15 pairs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hmpb_core.codebook import Codebook
from hmpb_core.sources.locations import open_table
from hmpb_core.sources.open import open_source

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon is long text", "zeta", "eta", "theta"]


def codebook() -> Codebook:
    """The codebook of the table."""

    def numeric(name, low, high, kind="number"):
        return {"name": name, "type": kind, "constraints": {"minimum": low, "maximum": high}, "bins": 16}

    fields = [
        numeric("age", 10, 90, "integer"),
        numeric("income", 0, 1000),
        numeric("weight", 0, 100),
        numeric("born", "2000-01-01", "2019-12-31", "date"),
    ]
    fields += [{"name": f"cat{i}", "categories": WORDS} for i in range(6)]
    fields += [{"name": f"k{i}", "type": "integer", "categories": list(range(16))} for i in range(5)]
    return Codebook.from_dict({"fields": fields})


def make(path: Path, n_rows: int) -> None:
    """Write the table."""
    import duckdb

    columns = [
        "CAST(random() * 80 AS INT) + 10 AS age",
        "random() * 1000 AS income",
        "round(random() * 100, 1) AS weight",
        "DATE '2000-01-01' + CAST(random() * 7000 AS INT) AS born",
    ]
    columns += [f"{WORDS}[1 + CAST(random() * 7 AS INT)] AS cat{i}" for i in range(6)]
    columns += [f"CAST(random() * 15 AS INT) AS k{i}" for i in range(5)]
    with duckdb.connect() as made:
        made.execute("SET memory_limit = '2GB'; SET preserve_insertion_order = false")
        rows = f"SELECT {', '.join(columns)} FROM range({n_rows})"
        made.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 500000)")


def measure(where: str, engine: str) -> dict[str, float]:
    """Encode, then count all pairs and a hundred triples."""
    marks = [(time.process_time(), time.perf_counter())]

    def mark():
        marks.append((time.process_time(), time.perf_counter()))

    source = open_source(open_table(where, engine=engine).table, codebook())
    mark()
    for _ in source.marginals(itertools.combinations(range(15), 2)):
        pass
    mark()
    for _ in source.marginals(itertools.islice(itertools.combinations(range(15), 3), 0, 455, 5)):
        pass
    mark()
    spans = list(zip(("open", "pairs", "triples"), itertools.pairwise(marks), strict=True))
    spent = {name: after[0] - before[0] for name, (before, after) in spans}
    passed = {f"{name}_wall": after[1] - before[1] for name, (before, after) in spans}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"rows": source.n_rows, **spent, **passed, "peak_gib": peak}


def whole(folder: Path, table: Path, engine: str) -> dict[str, float]:
    """Seconds and peak memory of the command line, from the file and its codebook to the rows."""
    written = folder / "codebook.json"
    written.write_text(json.dumps(codebook().to_dict()))
    begin = time.perf_counter()
    command = [sys.executable, "-m", "hmpb_core.cli", "synthesize", str(table), "--codebook", str(written)]
    command += ["--engine", engine, "--epsilon", "1", "--out", str(folder / engine / "rows.parquet")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"hmpb synthesize ended with {os.waitstatus_to_exitcode(status)}")
    return {
        "cpu": used.ru_utime + used.ru_stime,
        "wall": time.perf_counter() - begin,
        "peak_gib": used.ru_maxrss / 2**20,
    }


def ways(where: str) -> dict[str, float]:
    """Processor seconds of counting 15 pairs in DuckDB, by the way it is asked."""
    from hmpb_core.privacy.unit import Unit
    from hmpb_core.sources.relational.encoding import encode_into

    engine = open_table(where, engine="duckdb").table.engine
    table = encode_into(engine, codebook(), Unit(column=None, rows=1))
    pairs = list(itertools.combinations(range(15), 2))[:15]
    keys = [f"CAST(c{a} AS INTEGER) * 16 + c{b}" for a, b in pairs]
    sets = ", ".join(f"(c{a}, c{b})" for a, b in pairs)
    columns = ", ".join(f"c{i}" for i in range(15))
    histograms = ", ".join(f"histogram({key}) h{i}" for i, key in enumerate(keys))
    asked = {
        "a statement a pair": [f"SELECT c{a}, c{b}, COUNT(*) n FROM {table} GROUP BY 1, 2" for a, b in pairs],
        "one with GROUPING SETS": [
            f"SELECT {columns}, COUNT(*) n FROM {table} GROUP BY GROUPING SETS ({sets})"
        ],
        "one key a pair": [f"SELECT {key} k, COUNT(*) n FROM {table} GROUP BY 1" for key in keys],
        "histograms": [f"SELECT {histograms} FROM {table}"],
    }
    found = {}
    for name, queries in asked.items():
        before = time.process_time()
        for query in queries:
            engine.fetch(query)
        found[name] = time.process_time() - before
    return found


def main() -> None:
    """Measure and print a line of JSON a run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="1000000,5000000")
    parser.add_argument("--engines", default="duckdb,memory")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--ways", action="store_true")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        where, engine = args.one
        print(json.dumps(ways(where) if engine == "ways" else measure(where, engine)))
        return
    for rows in map(int, args.rows.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.parquet"
            make(path, rows)
            for engine in ["ways"] if args.ways else args.engines.split(","):
                if args.whole:
                    print(engine, rows, json.dumps(whole(Path(folder), path, engine)), flush=True)
                    continue
                command = [sys.executable, "-m", "benchmarks.engines", "--one", str(path), engine]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                print(engine, rows, done.stdout.strip(), flush=True)


if __name__ == "__main__":
    main()
