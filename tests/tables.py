"""Small tables for tests: made here, from no data set."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook

SCHEMA = {
    "fields": [
        {
            "name": "age",
            "type": "integer",
            "constraints": {"minimum": 0, "maximum": 79, "required": True},
            "bins": 8,
        },
        {"name": "smokes", "categories": ["no", "yes"], "constraints": {"required": True}},
        {"name": "coughs", "categories": ["no", "yes"], "constraints": {"required": True}},
        {
            "name": "town",
            "categories": ["north", "south", "east"],
            "constraints": {"required": True},
        },
        {"name": "income", "categories": ["low", "high"]},
    ],
    "missingValues": [""],
}


def people(n_rows: int = 2000, seed: int = 7) -> pd.DataFrame:
    """A table in which coughing follows smoking, and income follows age."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 80, n_rows)
    smokes = rng.random(n_rows) < 0.3
    coughs = rng.random(n_rows) < np.where(smokes, 0.8, 0.1)
    income = np.where(rng.random(n_rows) < 0.05, "", np.where(rng.random(n_rows) < age / 80, "high", "low"))
    return pd.DataFrame(
        {
            "age": age,
            "smokes": np.where(smokes, "yes", "no"),
            "coughs": np.where(coughs, "yes", "no"),
            "town": rng.choice(["north", "south", "east"], n_rows, p=[0.5, 0.3, 0.2]),
            "income": income,
        }
    )


def people_codebook() -> Codebook:
    """The codebook of ``people``."""
    return Codebook.from_dict(SCHEMA)
