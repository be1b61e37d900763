"""Table 1 of the HMPrivBayes paper: attributes and bits of both tables."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from hmpb_core.binary import BinaryEncoding
from hmpb_core.errors import Sentence
from hmpb_core.experiments.base import Cell, Chart, Experiment, Row, Said
from hmpb_core.experiments.data import paper_table
from hmpb_core.progress import Progress

REPORTED = {"adult": (45_222, 15, 52), "big5": (19_719, 57, 175)}
"""Rows, attributes and bits [Zhang2022, section 4.1, Table 1]."""


def _cells(quick: bool) -> list[Cell]:
    del quick
    return [{"table": name} for name in REPORTED]


def _measure(cell: Cell, folder: Path, _progress: Progress) -> Row:
    table = paper_table(cell["table"], folder)
    domain = table.codebook.domain
    return {"rows": len(table.codes), "attributes": len(domain), "bits": sum(BinaryEncoding(domain).widths)}


def _table(frame: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for row in frame.to_dict("records"):
        rows, attributes, bits = REPORTED[str(row["table"])]
        lines.append(
            {
                "table": row["table"],
                "rows, paper": rows,
                "rows": row["rows"],
                "attributes, paper": attributes,
                "attributes": row["attributes"],
                "bits, paper": bits,
                "bits": row["bits"],
            }
        )
    return pd.DataFrame(lines)


def _charts(frame: pd.DataFrame) -> list[Chart]:
    del frame
    return []


def _differs(frame: pd.DataFrame) -> Said:
    same = all(
        REPORTED[str(row["table"])] == (row["rows"], row["attributes"], row["bits"])
        for row in frame.to_dict("records")
    )
    if same:
        return (
            Sentence(
                "No difference: 16 bins of equal width for a number and one code a category, each attribute "
                "in ceil(log2 m) bits, give the paper's numbers exactly."
            ),
        )
    return (Sentence("The tables differ from the paper's: other files, or a codebook with other bins."),)


TABLE1 = Experiment(
    name="table1",
    title=Sentence("Attributes and bits of both tables"),
    place="[Zhang2022, Table 1]",
    study="table1",
    needs=tuple(REPORTED),
    cells=_cells,
    measure=_measure,
    table=_table,
    charts=_charts,
    reported=(
        Sentence(
            "Adult: 45,222 rows, 15 attributes, 52 bits. Big5: 19,719 rows, 57 attributes, 175 bits "
            "(section 4.1)."
        ),
    ),
    differs=_differs,
    sized=lambda _: _cells(False),
    other_tables=False,
)
