"""The MAASAE paper's Table 5 and figures 2 to 7, measured anew.

All of them draw on one study: a cell is a run of a method with k, p and so many quasi-identifiers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from hmpb_core.anonymize.anonymizer import Request, anonymize, rows_of
from hmpb_core.anonymize.columns import sensitive_codes
from hmpb_core.anonymize.partition import Method
from hmpb_core.anonymize.quality import class_figures, summarize
from hmpb_core.codebook import Codebook
from hmpb_core.errors import Sentence
from hmpb_core.experiments import maasae_words as words
from hmpb_core.experiments.base import Cell, Chart, Experiment, Row, Said, lines_of
from hmpb_core.experiments.data import GIVEN, PAPER_ADULT, paper_table, some
from hmpb_core.progress import Progress

QUASI = ("age", "sex", "race", "education", "native-country", "workclass", "fnlwgt")
SENSITIVE = "occupation"
DIGITS = 6
"""The paper keeps the rows whose fnlwgt has six digits, and reads it as a code."""
SAMPLE = 3_000
"""Rows that figures 2 to 7 are measured on, drawn once; Table 5 takes all."""
QUICK = 400
TITLES = {"maasae": "MAASAE", "maa-minil": "MAA-MINIL", "gpkc": "GPKC"}
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
"""(k, p): AVG-IL and AVG-Ent [Yang2014, Table 5]."""
MEASURES = {
    "avg_il": Sentence("AVG-IL"),
    "generalized_il": Sentence("AVG-IL as ranges and suppressed categories"),
    "avg_ent": Sentence("AVG-Ent (bits)"),
    "c_avg": Sentence("C_AVG"),
    "seconds": Sentence("CPU seconds"),
}


AXES = {
    "p": Sentence("p: sensitive values in every class, at least"),
    "quasi": Sentence("q: number of quasi-identifiers"),
}


def papers_adult(folder: Path, *, whole: bool = False) -> tuple[pd.DataFrame, Codebook]:
    """Adult as the paper takes it: education nominal, fnlwgt a code of six digits (of seven: all rows).

    Raises:
        SourceError: a file is missing.
    """
    table = paper_table(PAPER_ADULT, folder)
    frame = table.frame
    if not whole:
        frame = frame[frame["fnlwgt"].astype("str").str.strip().str.len() == DIGITS].reset_index(drop=True)
    schema = table.codebook.to_dict()
    for field in schema["fields"]:
        if field["name"] == "education":
            field["categoriesOrdered"] = False
        if field["name"] == "fnlwgt":
            field["hierarchy"] = {"prefixes": list(range(1, DIGITS + whole))}
            field["constraints"]["minimum"] = 0
            field["constraints"]["maximum"] = 10 ** (DIGITS + whole) - 1
    return frame, Codebook.from_dict(schema)


def given_quasi(codebook: Codebook, sensitive: str) -> tuple[str, ...]:
    """The quasi-identifiers of another table: the first seven attributes of its codebook."""
    return tuple(name for name in codebook.domain.names if name != sensitive)[: len(QUASI)]


def measure(cell: Cell, folder: Path, progress: Progress) -> Row:
    """One run: losses, entropy, C_AVG, classes and CPU seconds."""
    if cell.get("table") == GIVEN:
        table = paper_table(GIVEN, folder)
        frame, codebook, sensitive = table.frame, table.codebook, table.target
        quasi = given_quasi(codebook, sensitive)[: cell["quasi"]]
    else:
        frame, codebook = papers_adult(folder, whole=bool(cell.get("whole")))
        # Figures 4 and 7 name no attributes for 3 and 5: the first listed, fnlwgt always among them.
        sensitive, quasi = SENSITIVE, (*QUASI[: cell["quasi"] - 1], "fnlwgt")
    frame = some(frame, cell["rows"])
    request = Request(
        method=Method(cell["method"]), k=cell["k"], p=cell["p"], quasi=quasi, sensitive=sensitive
    )
    before = time.process_time()
    result = anonymize(frame, codebook, request, rng=np.random.default_rng(cell["seed"]), progress=progress)
    seconds = time.process_time() - before
    rows = rows_of(result.columns, sensitive_codes(frame, codebook, sensitive))
    by_range = [column.generalized for column in result.columns]
    generalized = summarize([class_figures(rows, group, by_range) for group in result.members], k=cell["k"])
    return {
        "avg_il": result.figures.avg_il,
        "generalized_il": generalized.avg_il,
        "avg_ent": result.figures.avg_ent,
        "c_avg": result.figures.c_avg,
        "classes": result.figures.n_classes,
        "seconds": seconds,
    }


def _cell(method: str, k: int, p: int, quasi: int = 7, rows: int | None = SAMPLE) -> Cell:
    return {"method": method, "k": k, "p": p, "quasi": quasi, "rows": rows, "seed": 0}


def _cells(every: Iterable[Cell], quick: bool) -> list[Cell]:
    """All cells, or the first of each method on few rows with the smallest k and p."""
    if not quick:
        return list(every)
    return [_cell(method, 4, 3, 3, QUICK) for method in dict.fromkeys(cell["method"] for cell in every)]


def _sized(every: Iterable[Cell], rows: Sequence[int]) -> list[Cell]:
    return [{**cell, "rows": n} for n in rows for cell in every]


def _table(shown: tuple[str, ...], by: str, frame: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for measured in shown:
        wide = frame.assign(method=frame["method"].map(TITLES)).pivot_table(
            index=[name for name in ("k", "quasi", "method") if name != by],
            columns=by,
            values=measured,
            sort=False,
        )
        digits = 1 if measured == "seconds" else 3
        wide = wide[sorted(wide.columns)].round(digits).rename(columns=lambda value: f"{by} = {value}")
        wide = wide.reset_index().assign(measure=str(MEASURES[measured]))
        lines.append(wide)
    found = pd.concat(lines, ignore_index=True).rename(columns={"quasi": "quasi-identifiers"})
    keys = [name for name in ("measure", "k", "quasi-identifiers", "method") if name in found]
    return found[keys + [name for name in found if name not in keys]]


def _charts(shown: tuple[str, ...], by: str, frame: pd.DataFrame) -> list[Chart]:
    names = frame["method"].map(TITLES) + ", k = " + frame["k"].astype(str)
    if by == "p" and frame["quasi"].nunique() > 1:
        names += ", q = " + frame["quasi"].astype(str)
    lined = frame.assign(line=names)
    return [
        Chart(
            title=Sentence("{measure} against {by}", {"measure": MEASURES[measured], "by": AXES[by]}),
            x=AXES[by],
            y=MEASURES[measured],
            lines=lines_of(lined, by, measured, by="line"),
        )
        for measured in shown
    ]


def _table5(frame: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for row in frame.to_dict("records"):
        paper = TABLE5.get((int(row["k"]), int(row["p"])))
        line = {"k": row["k"], "p": row["p"]}
        for i, (measured, name) in enumerate((("avg_il", "AVG-IL"), ("avg_ent", "AVG-Ent"))):
            line[f"{name}, paper"] = paper[i] if paper else None
            line[name] = round(float(row[measured]), 4)
            line[f"{name}, apart"] = f"{100 * (row[measured] / paper[i] - 1):+.1f} %" if paper else None
        lines.append({**line, "C_AVG": round(float(row["c_avg"]), 2), "classes": int(row["classes"])})
    return pd.DataFrame(lines).sort_values(["k", "p"])


def _table5_charts(frame: pd.DataFrame) -> list[Chart]:
    paper = pd.DataFrame(
        [{"k": k, "p": p, "avg_il": il, "avg_ent": ent} for (k, p), (il, ent) in TABLE5.items()]
    )
    both = pd.concat(
        [paper.assign(line=str(Sentence("paper"))), frame.assign(line=str(Sentence("measured")))]
    )
    both["line"] += ", k = " + both["k"].astype(str)
    return [
        Chart(
            title=Sentence("{measure}, paper and measured", {"measure": MEASURES[measured]}),
            x=AXES["p"],
            y=MEASURES[measured],
            lines=lines_of(both, "p", measured, by="line"),
        )
        for measured in ("avg_il", "avg_ent")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure:
    """A figure of the paper: its settings, and which measures it draws against what."""

    number: int
    title: Sentence
    shown: tuple[str, ...]
    by: str
    cells: tuple[Cell, ...]
    differs: Callable[[pd.DataFrame], Said]


_BOTH = ("maasae", "gpkc")
_FIGURES = (
    _Figure(
        number=2,
        title=Sentence("MAASAE beside MAA-MINIL: information loss and entropy"),
        shown=("avg_il", "avg_ent"),
        by="p",
        cells=tuple(_cell(m, k, p) for p in (5, 7, 6) for k in (8, 12, 10) for m in ("maasae", "maa-minil")),
        differs=words.figure_2,
    ),
    _Figure(
        number=3,
        title=Sentence("MAASAE beside GPKC: information loss and entropy"),
        shown=("avg_il", "generalized_il", "avg_ent"),
        by="p",
        cells=tuple(_cell(m, k, p) for p in (5, 7, 4, 6) for k in (12, 10) for m in _BOTH),
        differs=words.figure_3,
    ),
    _Figure(
        number=4,
        title=Sentence("MAASAE beside GPKC with 3, 5 and 7 quasi-identifiers, k = 12"),
        shown=("avg_il", "generalized_il", "avg_ent"),
        by="p",
        cells=tuple(_cell(m, 12, p, q) for p in (7, 5, 4, 6) for q in (3, 5, 7) for m in _BOTH),
        differs=words.figure_4,
    ),
    _Figure(
        number=5,
        title=Sentence("C_AVG of MAASAE and GPKC, 5 quasi-identifiers"),
        shown=("c_avg",),
        by="p",
        cells=tuple(_cell(m, k, p, 5) for p in (5, 7, 4, 6) for k in (12, 10) for m in _BOTH),
        differs=words.figure_5,
    ),
    _Figure(
        number=6,
        title=Sentence("Run time against p, k = 12, 7 quasi-identifiers"),
        shown=("seconds",),
        by="p",
        cells=tuple(_cell(m, 12, p) for p in (5, 7, 3, 8, 4, 6) for m in _BOTH),
        differs=words.figure_6,
    ),
    _Figure(
        number=7,
        title=Sentence("Run time against the number of quasi-identifiers, k = 12, p = 7"),
        shown=("seconds",),
        by="quasi",
        cells=tuple(_cell(m, 12, 7, q) for q in (7, 3, 5) for m in _BOTH),
        differs=words.figure_7,
    ),
)
_ALL_ROWS = tuple(_cell("maasae", k, p, 7, None) for p in (5, 7, 6) for k in (8, 12, 10))

MAASAE = (
    Experiment(
        name="maasae-table5",
        title=Sentence("AVG-IL and AVG-Ent of MAASAE, 7 quasi-identifiers, occupation sensitive"),
        place="[Yang2014, Table 5]",
        study="maasae",
        needs=(PAPER_ADULT,),
        cells=partial(_cells, _ALL_ROWS),
        measure=measure,
        table=_table5,
        charts=_table5_charts,
        reported=words.REPORTED[0],
        differs=words.table_5,
        sized=partial(_sized, _ALL_ROWS),
        other_tables=False,
    ),
    *(
        Experiment(
            name=f"maasae-fig{figure.number}",
            title=figure.title,
            place=f"[Yang2014, Fig. {figure.number}]",
            study="maasae",
            needs=(PAPER_ADULT,),
            cells=partial(_cells, figure.cells),
            measure=measure,
            table=partial(_table, figure.shown, figure.by),
            charts=partial(_charts, figure.shown, figure.by),
            reported=words.REPORTED[figure.number],
            differs=figure.differs,
            sized=partial(_sized, figure.cells),
        )
        for figure in _FIGURES
    ),
)
"""Table 5 and figures 2 to 7."""
