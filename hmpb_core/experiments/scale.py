"""``hmpb bench scale``: seconds and peak memory of a whole run against rows, columns and values."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.errors import Sentence
from hmpb_core.experiments.base import Cell, Chart, Experiment, Row, Said
from hmpb_core.experiments.machine import apart, load, memory_bandwidth, peak_mib, read_bandwidth, timed
from hmpb_core.experiments.runs import number
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.progress import Progress
from hmpb_core.publishing.row_files import write_rows
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

ROWS, COLUMNS, VALUES = 100_000, 15, 8
SEED = 0
"""The invented rows are always the same."""
MANY_ROWS = (10_000, 100_000, 1_000_000, 10_000_000)
MANY_COLUMNS = (10, 25, 50, 100, 250, 500)
MANY_VALUES = (2, 8, 32, 128)
AXES = {"rows": Sentence("rows"), "columns": Sentence("columns"), "values": Sentence("values")}


def _cells(quick: bool) -> list[Cell]:
    if quick:
        return [_cell("rows", rows=1_000, columns=4)]
    return [
        *_sized(MANY_ROWS),
        *(_cell("columns", rows=ROWS // 2, columns=columns) for columns in MANY_COLUMNS),
        *(_cell("values", values=values) for values in MANY_VALUES),
    ]


def _sized(rows: Sequence[int]) -> list[Cell]:
    return [_cell("rows", rows=n) for n in rows]


def _cell(axis: str, *, rows: int = ROWS, columns: int = COLUMNS, values: int = VALUES) -> Cell:
    return {"axis": axis, "rows": rows, "columns": columns, "values": values}


def _measure(cell: Cell, _folder: Path, _progress: Progress) -> Row:
    return apart(_whole_run, cell["rows"], cell["columns"], cell["values"])


def _whole_run(rows: int, columns: int, values: int) -> Row:
    """Fit a model with the default plan and write as many rows to Parquet, in this process."""
    domain = Domain.of_sizes([values] * columns)
    found: Row = {**load()}
    source = MemorySource(chained(rows, columns, values), domain)
    found["table_mib"] = peak_mib()
    plan = make_plan(Guarantee(epsilon=1.0), domain, n_rows=rows)
    found["fit"], found["fit_cpu"] = timed(lambda: found.setdefault("model", fit_source(source, plan)))
    model = found.pop("model")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.parquet"
        found["draw"], found["draw_cpu"] = timed(
            lambda: write_rows(out, model, rows, rng=np.random.default_rng(SEED))
        )
        found["written_mib"] = out.stat().st_size / 2**20
    found["peak_mib"] = peak_mib()  # before the probes, which take more than a small run does
    return found | {"bandwidth": memory_bandwidth() / 1e9, "read_bandwidth": read_bandwidth() / 1e9}


def chained(rows: int, columns: int, values: int) -> NDArray[np.uint8]:
    """A stand-in table: every code is the one before it in three rows of five, and any in the others.

    Args:
        rows: Number of rows.
        columns: Number of columns.
        values: Number of values, at most 256.

    Returns:
        Codes of shape (rows, columns), one column after another in memory.
    """
    rng = np.random.default_rng(SEED)
    codes = np.empty((rows, columns), dtype=np.uint8, order="F")
    for column in range(columns):
        codes[:, column] = rng.integers(0, values, rows, dtype=np.uint8)
        if column:
            same = rng.random(rows, dtype=np.float32) < 0.6
            codes[same, column] = codes[same, column - 1]
    return codes


def _table(frame: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for row in frame.to_dict("records"):
        cpu = row["fit_cpu"] + row["draw_cpu"]
        lines.append(
            {
                "against": row["axis"],
                "rows": f"{row['rows']:,}",
                "columns": row["columns"],
                "values": row["values"],
                "fit, s (CPU s)": f"{row['fit']:.1f} ({row['fit_cpu']:.1f})",
                "draw and write, s (CPU s)": f"{row['draw']:.1f} ({row['draw_cpu']:.1f})",
                "microseconds of CPU a row": f"{1e6 * cpu / row['rows']:.1f}",
                "rows a minute drawn (by CPU)": f"{60 * row['cores'] * row['rows'] / row['draw_cpu']:,.0f}",
                "peak, MiB": f"{row['peak_mib']:.0f}",
                "of it before the fit, MiB": f"{row['table_mib']:.0f}",
                "load": f"{row['load']:.1f}",
            }
        )
    return pd.DataFrame(lines)


def _charts(frame: pd.DataFrame) -> list[Chart]:
    return [
        Chart(
            title=Sentence("A whole run against {axis}", {"axis": AXES[str(axis)]}),
            x=AXES[str(axis)],
            y=Sentence("CPU seconds"),
            lines={
                str(title): [(float(x), float(y)) for x, y in zip(part[axis], part[name], strict=True)]
                for title, name in ((Sentence("fit"), "fit_cpu"), (Sentence("draw and write"), "draw_cpu"))
            },
        )
        for axis, part in frame.groupby("axis", sort=False)
    ]


def _says(frame: pd.DataFrame) -> Said:
    row = frame.sort_values(["rows", "columns"]).iloc[-1]
    held = row["rows"] * row["columns"]
    return (
        Sentence(
            "Every run has a process of its own, so that its peak memory is its own (imports and the "
            "stand-in table included). The largest run here holds {held} MiB of codes and peaks at {peak} "
            "MiB.",
            {"held": number(held / 2**20, 0 if held >= 2**20 else 2), "peak": number(row["peak_mib"], 0)},
        ),
        Sentence(
            "This machine's memory gives {memory} GB/s to a core, its file cache {cache} GB/s: reading that "
            "table's codes once takes {from_memory} s from memory and {from_file} s from a file, the run far "
            "longer, so neither bounds it.",
            {
                "memory": number(row["bandwidth"], 1),
                "cache": number(row["read_bandwidth"], 1),
                "from_memory": number(held / row["bandwidth"] / 1e9),
                "from_file": number(held / row["read_bandwidth"] / 1e9),
            },
        ),
        Sentence(
            "Drawing is parallel: rows a minute are those of all cores at the CPU time measured. Where the "
            "load is above the number of cores, wall times are mostly waiting."
        ),
    )


SCALE = Experiment(
    name="scale",
    title=Sentence("A whole run against rows, columns and values"),
    place="A stand-in table, the default plan at epsilon 1",
    study="scale",
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
