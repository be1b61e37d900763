"""Figure 4 of the HMPrivBayes paper: how often salary can be inferred, against the number of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from hmpb_core.domain import Codes
from hmpb_core.errors import Sentence
from hmpb_core.experiments.base import Cell, Chart, Experiment, Row, Said, lines_of
from hmpb_core.experiments.data import PAPER_ADULT, paper_table
from hmpb_core.experiments.runs import EPSILON, TITLES, VARIANTS, number, run_method
from hmpb_core.metrics.prediction import Target, svm_error
from hmpb_core.progress import Progress

ROWS = tuple(range(10_000, 100_001, 10_000))
METHODS = ("hmprivbayes", "privscbn", "privbayes")
REAL_PART = 0.45222
"""Adult's 45,222 rows in a table of 100,000."""
ENOUGH = 2
"""Numbers of rows from which it can be said whether anything falls."""


def _cells(quick: bool) -> list[Cell]:
    return _of((600,) if quick else sorted(ROWS, key=lambda n: (n % 30_000 != 10_000, n)))


def _of(rows: Iterable[int]) -> list[Cell]:
    return [
        {"method": method, "variant": variant, "rows": n, "seed": 0}
        for n in rows
        for variant in VARIANTS
        for method in METHODS
    ]


def _sized(rows: Sequence[int]) -> list[Cell]:
    """At these numbers of rows; of one, at a tenth of it, two tenths and so on, as in the paper."""
    return _of(rows if len(rows) > 1 else [max(1, rows[0] * n // ROWS[-1]) for n in ROWS])


def _filled(codes: Codes, sizes: tuple[int, ...]) -> tuple[Codes, np.ndarray]:
    """The real rows and so many uniform ones (Adult: up to 100,000), shuffled; and which of them are real."""
    full = round(len(codes) / REAL_PART)
    rng = np.random.default_rng([full, len(codes)])
    random = rng.integers(sizes, size=(full - len(codes), len(sizes)), dtype=np.int32)
    order = rng.permutation(full)
    return np.concatenate([codes, random])[order], (np.arange(full) < len(codes))[order]


def _measure(cell: Cell, folder: Path, progress: Progress) -> Row:
    """Infer salary from all other attributes by a linear SVM that saw the synthetic rows only."""
    table = paper_table(cell.get("table", PAPER_ADULT), folder)
    domain = table.codebook.domain
    every, real = _filled(table.codes, domain.sizes)
    codes = every[: cell["rows"]]
    known = codes[real[: cell["rows"]]]
    run = run_method(
        cell["method"], cell["variant"], EPSILON, codes, domain, seed=cell["seed"], progress=progress
    )
    target = Target.parse(table.target, domain)
    classes = run.codes[:, target.attribute].astype(np.int64)
    error = svm_error(
        (run.codes, classes), (known, known[:, target.attribute].astype(np.int64)), target, domain
    )
    most = float(np.bincount(known[:, target.attribute]).max() / len(known))
    return {"leak": 1 - error, "guess": most, "bill": run.model.bill.total}


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(method=frame["method"].map(TITLES))


def _table(frame: pd.DataFrame) -> pd.DataFrame:
    wide = _shown(frame).pivot_table(index=["variant", "method"], columns="rows", values="leak", sort=False)
    return wide[sorted(wide.columns)].round(3).reset_index()


def _charts(frame: pd.DataFrame) -> list[Chart]:
    return [
        Chart(
            title=Sentence("Target inferred, {variant}", {"variant": words}),
            x=Sentence("rows of the private table"),
            y=Sentence("part of the real rows whose target is inferred"),
            lines=lines_of(_shown(part), "rows", "leak"),
        )
        for variant, words in VARIANTS.items()
        if len(part := frame[frame["variant"] == variant])
    ]


def _differs(frame: pd.DataFrame) -> Said:
    said = [
        Sentence(
            "Who answers the commonest value for everybody is right for {guess} of the rows, without any "
            "synthetic table; only what lies above is inferred.",
            {"guess": number(frame["guess"].mean())},
        )
    ]
    for variant, words in VARIANTS.items():
        part = frame[frame["variant"] == variant]
        means = part.pivot_table(index="rows", columns="method", values="leak")
        if part.empty or "hmprivbayes" not in means:
            continue
        complete = means.dropna()
        if len(complete) < ENOUGH:
            said.append(
                Sentence(
                    "Measured, {variant}: numbers of rows that every method was run on so far: {n}, too few "
                    "to say whether it falls.",
                    {"variant": words, "n": len(complete)},
                )
            )
            continue
        fewest, most = means.loc[means.index.min()].mean(), means.loc[means.index.max()].mean()
        lowest = [str(name) for name in complete.idxmin(axis=1)].count("hmprivbayes")
        said.append(
            Sentence(
                "Measured, {variant}: {trend}, {fewest} to {most} on average, and is lowest for HMPrivBayes "
                "at {lowest} of {n} numbers of rows.",
                {
                    "variant": words,
                    "trend": Sentence("it falls from the fewest rows to the most")
                    if most < fewest
                    else Sentence("it does not fall from the fewest rows to the most"),
                    "fewest": number(float(fewest)),
                    "most": number(float(most)),
                    "lowest": lowest,
                    "n": len(complete),
                },
            )
        )
    return (*said, *_REASONS)


_REASONS = (
    Sentence(
        "The paper does not say how an attacker infers, nor on which rows; here it is a linear SVM that saw "
        "the synthetic rows, tried on the real ones."
    ),
    Sentence(
        "More rows at one epsilon mean less noise in each probability, so statistics come out clearer, not "
        "less clear. The random rows that fill the table drown the relation itself; here they are spread "
        "evenly, so that every number of rows has the same part of them. Where they come after the real "
        "ones, a fall says that there are more of them."
    ),
    Sentence(
        "What is inferred is knowledge of the population, which differential privacy neither forbids nor "
        "measures."
    ),
)

FIG4 = Experiment(
    name="fig4",
    title=Sentence("Leak probability of salary against the number of rows, epsilon 0.2"),
    place="[Zhang2022, Fig. 4]",
    study="fig4",
    needs=(PAPER_ADULT,),
    cells=_cells,
    measure=_measure,
    table=_table,
    charts=_charts,
    reported=(
        Sentence(
            "The probability falls as the rows grow from 10,000 to 100,000, and is lowest for HMPrivBayes, "
            "before PrivBayes and PrivSCBN (section 4.3, first experiment). The figure's values are not in "
            "the text."
        ),
    ),
    differs=_differs,
    sized=_sized,
    along_rows=True,
)
