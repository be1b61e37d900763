"""``hmpb bench speed``: all pair tables of one table, counted by this package and by others in one run."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.errors import Sentence
from hmpb_core.experiments.base import Cell, Chart, Experiment, Row, Said
from hmpb_core.experiments.machine import apart, load, memory_bandwidth, peak_mib, timed
from hmpb_core.experiments.runs import number
from hmpb_core.progress import Progress
from hmpb_core.sources.counting import count_tables

COLUMNS, VALUES = 20, 16
SEED = 0
"""The invented rows are always the same."""
ROWS = (100_000, 1_000_000)
ENGINES = {"hmpb": "hmpb", "bincount": "numpy.bincount", "duckdb": "DuckDB", "polars": "polars"}
Column = NDArray[np.uint8]
Tables = list[NDArray[np.int64]]


def _cells(quick: bool) -> list[Cell]:
    return _sized([2_000] if quick else ROWS)


def _sized(rows: Sequence[int]) -> list[Cell]:
    return [{"rows": n, "columns": 4 if n <= 2_000 else COLUMNS, "values": VALUES} for n in rows]


def _measure(cell: Cell, _folder: Path, _progress: Progress) -> Row:
    """All engines in one process, one after the other, on the same columns."""
    return apart(_race, cell["rows"], cell["columns"], cell["values"])


def _race(rows: int, columns: int, values: int) -> Row:
    rng = np.random.default_rng(SEED)
    codes = [rng.integers(0, values, rows, dtype=np.uint8) for _ in range(columns)]
    pairs = list(itertools.combinations(range(columns), 2))
    found: Row = {"codes_mib": sum(column.nbytes for column in codes) / 2**20}
    found |= {"bandwidth": memory_bandwidth() / 1e9, **load()}
    counted: dict[str, Tables] = {}
    before = peak_mib()
    for name, engine in (("hmpb", _ours), ("bincount", _bincount), ("duckdb", _duckdb), ("polars", _polars)):
        if name in ("duckdb", "polars") and importlib.util.find_spec(name) is None:
            continue
        count = engine(codes, pairs, values)

        def work(name: str = name, count: Callable[[], Tables] = count) -> None:
            counted[name] = count()

        found[name], found[f"{name}_cpu"] = timed(work)
        if name == "hmpb":
            found["more_mib"] = peak_mib() - before
        if any(not np.array_equal(a, b) for a, b in zip(counted[name], counted["hmpb"], strict=True)):
            raise AssertionError(name)
    return found


def _ours(codes: Sequence[Column], pairs: Sequence[tuple[int, int]], values: int) -> Callable[[], Tables]:
    import scipy.sparse  # noqa: F401 - its import is not counting

    sizes = [values] * len(codes)
    return lambda: list(count_tables(codes, sizes, pairs, room=1 << 26))


def _bincount(codes: Sequence[Column], pairs: Sequence[tuple[int, int]], values: int) -> Callable[[], Tables]:
    def one(i: int, j: int) -> NDArray[np.int64]:
        key = codes[i] * np.uint8(values)  # the narrow type is what numpy.bincount is fastest with here
        key += codes[j]
        return np.bincount(key, minlength=values**2).reshape(values, values)

    return lambda: [one(i, j) for i, j in pairs]


def _duckdb(codes: Sequence[Column], pairs: Sequence[tuple[int, int]], values: int) -> Callable[[], Tables]:
    import duckdb
    import pyarrow as pa

    source = pa.table({f"c{a}": column for a, column in enumerate(codes)})
    connection = duckdb.connect()
    connection.register("source", source)
    connection.execute("CREATE TABLE t AS SELECT * FROM source")

    def one(i: int, j: int) -> NDArray[np.int64]:
        query = f"SELECT c{i} AS a, c{j} AS b, count(*) AS n FROM t GROUP BY c{i}, c{j}"  # noqa: S608
        got = connection.execute(query).fetchnumpy()
        return _laid_out(got["a"], got["b"], got["n"], values)

    return lambda: [one(i, j) for i, j in pairs]


def _polars(codes: Sequence[Column], pairs: Sequence[tuple[int, int]], values: int) -> Callable[[], Tables]:
    polars: Any = importlib.import_module("polars")
    frame = polars.DataFrame({f"c{a}": column for a, column in enumerate(codes)}).lazy()

    def work() -> Tables:
        queries = [frame.group_by([f"c{i}", f"c{j}"]).len() for i, j in pairs]
        got = [found.to_numpy() for found in polars.collect_all(queries)]
        return [_laid_out(rows[:, 0], rows[:, 1], rows[:, 2], values) for rows in got]

    return work


def _laid_out(first: Any, second: Any, counts: Any, values: int) -> NDArray[np.int64]:
    table = np.zeros((values, values), dtype=np.int64)
    table[np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)] = counts
    return table


def _table(frame: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for row in frame.to_dict("records"):
        line: dict[str, object] = {"rows": f"{row['rows']:,}", "columns": row["columns"]}
        for name, title in ENGINES.items():
            if name in row and row[name] == row[name]:
                line[f"{title}, s (CPU s)"] = f"{row[name]:.2f} ({row[f'{name}_cpu']:.2f})"
                if name != "hmpb":
                    line[f"{title} / hmpb"] = f"{row[name] / row['hmpb']:.1f}"
        passed = row["codes_mib"] * 2**20 / row["bandwidth"] / 1e9
        line["codes, MiB"] = f"{row['codes_mib']:.0f}"
        line["more memory, MiB"] = f"{row['more_mib']:.0f}"
        line["one reading of the codes, s"] = f"{passed:.3f}"
        line["load"] = f"{row['load']:.1f}"
        lines.append(line)
    return pd.DataFrame(lines)


def _charts(frame: pd.DataFrame) -> list[Chart]:
    lines = {
        title: [(float(row["rows"]), float(row[name])) for row in frame.to_dict("records")]
        for name, title in ENGINES.items()
        if name in frame and frame[name].notna().all()
    }
    return [
        Chart(title=Sentence("All pair tables"), x=Sentence("rows"), y=Sentence("wall seconds"), lines=lines)
    ]


def _says(frame: pd.DataFrame) -> Said:
    row = frame.iloc[-1]
    passed = row["codes_mib"] * 2**20 / row["bandwidth"] / 1e9
    others = tuple(
        f"{title} {row[name] / row['hmpb']:.1f} (CPU: {row[f'{name}_cpu'] / row['hmpb_cpu']:.1f})"
        for name, title in ENGINES.items()
        if name != "hmpb" and name in frame and row[name] == row[name]
    )
    return (
        Sentence(
            "With {rows} rows the others take, as a multiple of hmpb's time: {others}. All count the same "
            "columns of one byte a code, held in memory, in one process, and their tables are compared cell "
            "by cell.",
            {"rows": f"{int(row['rows']):,}", "others": others or "-"},
        ),
        Sentence(
            "The codes could be read in {passed} s at the memory's measured {bandwidth} GB/s a core; hmpb "
            "takes {times} times as long: counting is bound by the steps a key takes (join, widen, add "
            "one), not by memory. Where the load is above the number of cores, wall times are mostly "
            "waiting, and CPU seconds are what to compare.",
            {
                "passed": number(passed),
                "bandwidth": number(row["bandwidth"], 1),
                "times": number(row["hmpb"] / passed, 0),
            },
        ),
    )


SPEED = Experiment(
    name="speed",
    title=Sentence("Counting all pair tables"),
    place="Random codes of 16 values",
    study="speed",
    needs=(),
    cells=_cells,
    measure=_measure,
    table=_table,
    charts=_charts,
    reported=(),
    differs=_says,
    sized=_sized,
    along_rows=True,
    other_tables=False,
)
