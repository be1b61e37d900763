"""What tests of surveys share: columns with noise, looks at them, tables that are registered."""

from collections import Counter

import numpy as np
import pandas as pd

from hmpb_core.survey.cells import (
    N_CELLS,
    NUMBER_CELLS,
    Kind,
)
from hmpb_core.survey.findings import Look
from hmpb_core.survey.noisy import Noisy
from hmpb_core.survey.sketches import Sketch

ZERO = len(NUMBER_CELLS) // 2
ONE = ZERO + 41
"""The places of 0, and of the numbers from 1 to 2."""
BESIDE_127 = [2**power - 1 for power in range(7, 10)]
"""127, or up to two powers of two more where noise shows beside the numbers."""
N = 24_000


def german_table(n_rows=N, seed=5):
    rng = np.random.default_rng(seed)
    days = pd.to_datetime("1994-01-01") + pd.to_timedelta(rng.integers(0, 3 * 365, n_rows), unit="D")
    income = np.where(rng.random(n_rows) < 0.3, "0", np.round(rng.lognormal(7.6, 0.5, n_rows), 2).astype(str))
    icd = np.where(rng.random(n_rows) < 0.9, rng.choice(["I10", "E11", "J44", "M54"], n_rows), "")
    table = pd.DataFrame(
        {
            "fall_id": [f"P{i}" for i in range(n_rows)],
            "punkte": rng.integers(0, 96, n_rows).astype(str),
            "einkommen": income,
            "diagnose": icd,
            "gebiet": rng.choice(["Nord", "Süd", "Ost", "West"], n_rows, p=[0.4, 0.3, 0.2, 0.1]),
            "aufnahme": pd.Series(days).dt.strftime("%d.%m.%Y"),
            "notiz": [f"Bemerkung {i}" for i in range(n_rows)],
        }
    )
    table.loc[0, ["diagnose", "gebiet"]] = "Kanarienvogel"
    return table


TABLE = german_table()


def by_name(counted):
    names = [*range(N_CELLS), *counted.texts]
    return Counter(dict(zip(names, counted.cells.tolist(), strict=True)))


def look(counts=(), *, kind=Kind.WORD, rows=1000.0, sd=1.0, texts=None):
    cells = np.zeros(N_CELLS)
    for cell, number in counts:
        cells[cell] = number
    return Look(sketch=Sketch(kind=kind, rows=rows), cells=Noisy(counts=cells, sd=sd), texts=texts or {})


def noise_alone(rng, sd=1.0, **more):
    """A column of texts with nothing but noise in its cells."""
    sketch = Sketch(kind=Kind.WORD, **{"rows": 1000.0, **more})
    return Look(sketch=sketch, cells=Noisy(counts=rng.normal(0, sd, N_CELLS), sd=sd), texts={})
