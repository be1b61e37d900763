"""What numbers that go together lose inside their codes, and what their order brings back.

    uv run python -m benchmarks.inside_codes [--seeds 3] [--epsilons 0.3 1 4] [--table FILE CODEBOOK ...]

A made-up table (30,000 rows) of numbers that go together: two delays, most of them short and some very long;
a weight with the sizes that make it up and its price; two dates; two numbers that have nothing to do with
others. Learned bins, delta 1e-9, replace-one, zcdp. One model each is drawn from twice: every number by
itself, and in the order that others tell. Distances from the table: mean over pairs of numbers of the error
of Pearson's and Spearman's correlation, where the table's own is above 0.2, and of the total variation over
an eighth of the rows by an eighth. Writes docs/results.md; with --table another file is measured with its
codebook, and the figures are printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from benchmarks.page import markdown_table, number, write_section
from hmpb_core import inside_codes
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Numeric
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.values import Floats, numbers_of
from hmpb_core.sources.files import read_table
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan

EIGHTHS = np.linspace(0, 1, 9)[1:-1]
STRONG = 0.2


def made_up(rows: int = 30_000) -> tuple[pd.DataFrame, Codebook]:
    """Numbers that go together, by heart of tables that are published."""
    rng = np.random.default_rng(8)
    late = np.round(np.where(rng.random(rows) < 0.25, rng.lognormal(3.3, 1.1, rows), rng.normal(-3, 4, rows)))
    weight = np.round(rng.gamma(2.5, 0.32, rows) + 0.2, 2)
    length = np.round(6.2 * np.cbrt(weight) * rng.normal(1, 0.01, rows), 2)
    start = rng.integers(0, 2000, rows)
    frame = pd.DataFrame(
        {
            "departure delay": late.clip(-60, 1500),
            "arrival delay": np.round(late + rng.normal(-4, 13, rows)).clip(-100, 1500),
            "weight": weight.clip(0, 6),
            "length": length.clip(0, 15),
            "width": np.round(length * rng.normal(1, 0.02, rows), 2).clip(0, 15),
            "price": np.round(4000 * weight**1.7 * rng.lognormal(0, 0.3, rows)).clip(0, 200_000),
            "born": 1900 + rng.integers(0, 100, rows),
            "opened": (np.datetime64("2015-01-01") + start).astype(str),
            "closed": (np.datetime64("2015-01-01") + start + rng.gamma(1.5, 40, rows).astype(int)).astype(
                str
            ),
            "coffees": rng.poisson(2, rows).clip(0, 20),
        }
    )
    bounds = {
        "departure delay": (-60, 1500, 1),
        "arrival delay": (-100, 1500, 1),
        "weight": (0, 6, 0.01),
        "length": (0, 15, 0.01),
        "width": (0, 15, 0.01),
        "price": (0, 200_000, 1),
        "born": (1900, 2000, 1),
        "coffees": (0, 20, 1),
    }
    fields: list[dict[str, Any]] = [
        {
            "name": name,
            "type": "number",
            "multipleOf": step,
            "constraints": {"minimum": low, "maximum": high, "required": True},
            "bins": "learned",
        }
        for name, (low, high, step) in bounds.items()
    ]
    days = {"minimum": "2010-01-01", "maximum": "2025-12-31", "required": True}
    fields += [
        {"name": name, "type": "date", "constraints": days, "bins": "learned"}
        for name in ("opened", "closed")
    ]
    return frame, Codebook.from_dict({"fields": fields})


def distances(real: Floats, drawn: Floats) -> tuple[float, float, float]:
    """The two correlations' errors and the total variation; see above."""
    pairs = np.triu_indices(real.shape[1], 1)
    found = []
    for method in ("pearson", "spearman"):
        ours, theirs = (pd.DataFrame(values).corr(method).to_numpy()[pairs] for values in (real, drawn))
        strong = np.abs(ours) > STRONG
        found.append(float(np.abs(ours - theirs)[strong].mean()))
    cuts = [np.unique(np.nanquantile(column, EIGHTHS)) for column in real.T]
    parts = [
        np.column_stack(
            [
                np.where(np.isnan(column), 9, np.searchsorted(cut, column, side="right"))
                for column, cut in zip(values.T, cuts, strict=True)
            ]
        )
        for values in (real, drawn)
    ]
    off = [
        0.5
        * np.abs(
            np.bincount(parts[0][:, i] * 10 + parts[0][:, j], minlength=100) / len(real)
            - np.bincount(parts[1][:, i] * 10 + parts[1][:, j], minlength=100) / len(drawn)
        ).sum()
        for i, j in zip(*pairs, strict=True)
    ]
    return found[0], found[1], float(np.mean(off))


def measured(
    frame: pd.DataFrame, book: Codebook, *, epsilon: float, seed: int
) -> Iterator[tuple[float, float, float]]:
    """The distances of rows drawn by themselves, and in order."""
    numbers = [i for i, a in enumerate(book.domain.attributes) if isinstance(a, Numeric)]
    plan = make_plan(guarantee_of("zcdp", epsilon, 1e-9, "replace-one"), book.domain, n_rows=len(frame))
    model = fit_source(open_source(frame, book), plan, seed=seed)
    real = numbers_of(frame, book)[:, numbers]
    for least in (10**9, inside_codes.LEAST_ROWS):
        with patch.object(inside_codes, "LEAST_ROWS", least):
            drawn = model.sample(rng=np.random.default_rng(seed))
        yield distances(real, numbers_of(drawn, book)[:, numbers])


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.3, 1.0, 4.0])
    parser.add_argument("--table", type=Path, nargs=2, action="append", default=[])
    asked = parser.parse_args(arguments)
    tables = [(file.stem, read_table(file), Codebook.read(book)) for file, book in asked.table]
    rows = []
    for name, frame, book in tables or [("made up", *made_up())]:
        for epsilon in asked.epsilons:
            runs = [list(measured(frame, book, epsilon=epsilon, seed=seed)) for seed in range(asked.seeds)]
            alone, ordered = np.mean(np.array(runs), axis=0)
            cells = [f"{number(one)} to {number(two)}" for one, two in zip(alone, ordered, strict=True)]
            rows.append([name, f"{epsilon:g}", *cells])
    table = markdown_table(["table", "epsilon", "Pearson", "Spearman", "pairs, by eighths"], rows)
    if tables:
        print(table)
    else:
        write_section("inside codes", page(table, asked.seeds))


def page(table: str, seeds: int) -> str:
    """The section of docs/results.md."""
    return f"""## Numbers inside their codes

`uv run python -m benchmarks.inside_codes`. A made-up table of numbers that go together (delays, a weight \
with its sizes and price, dates), 30,000 rows, learned bins, delta 1e-9, replace-one, zcdp; mean of {seeds} \
seeds. Rows drawn twice from each model: every number by itself, and in the order that the other numbers \
tell. The mean error of Pearson's and Spearman's correlations that are above {STRONG} there, and the mean \
total variation of two numbers, by eighths of the table's rows. How it is done: \
[method](method.md#numbers-that-go-together).

{table}"""


if __name__ == "__main__":
    main()
