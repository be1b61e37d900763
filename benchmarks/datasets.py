"""The two tables of the papers, from a folder given by --data, HMPB_DATA or ``../shared/data``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.domain import Codes, Domain
from hmpb_core.encoding import encode
from hmpb_core.model import Model
from hmpb_core.sources.base import TableSource
from hmpb_core.sources.files import read_table
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.open import open_source

ROOT = Path(__file__).resolve().parents[1]
DEFAULT_FOLDER = ROOT.parent / "shared" / "data"
NAMES = ("adult", "big5")
HELD_OUT = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table, its codes and what an SVM has to predict from it."""

    name: str
    frame: pd.DataFrame
    codes: Codes
    codebook: Codebook
    target: str

    def split(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Row numbers of 80 % to learn from and of 20 % that the generator never sees."""
        order = np.random.default_rng([80, seed]).permutation(len(self.codes))
        cut = round(len(order) * HELD_OUT)
        return order[cut:], order[:cut]


def folder_of(given: str | None) -> Path:
    return Path(given or os.environ.get("HMPB_DATA") or DEFAULT_FOLDER)


def load(name: str, folder: Path) -> Table:
    """Adult: the 45,222 complete rows of both files. Big5: all 19,719 rows."""
    codebook = Codebook.read(folder / f"{name}.codebook.json")
    if name == "adult":
        frame = pd.concat(
            [read_table(folder / f"adult_{part}.csv") for part in ("train", "test")], ignore_index=True
        )
        frame = frame[~(frame == "?").any(axis=1)].reset_index(drop=True)
    else:
        frame = read_table(folder / f"{name}.csv")
    target = "salary" if name == "adult" else "age<50"
    return Table(name=name, frame=frame, codes=encode(frame, codebook), codebook=codebook, target=target)


def source_of(name: str, folder: str | None) -> tuple[TableSource, Codes, Domain]:
    """A table's source, and its codes over bins of equal width; ``demo`` is the app's."""
    if name == "demo":
        from pages.session.demo import demo_schema, demo_table

        codebook = Codebook.from_dict(demo_schema())
        return open_source(demo_table(), codebook), encode(demo_table(), codebook), codebook.domain
    table = load(name, folder_of(folder))
    return MemorySource(table.codes, table.codebook.domain), table.codes, table.codebook.domain


def codes_over(model: Model, domain: Domain, seed: int) -> Codes:
    """Rows drawn from a model, as codes over a domain: bins that the model learned are told by values."""
    rng = np.random.default_rng(seed)
    drawn = model.sample_codes(rng=rng)
    if model.domain == domain:
        return drawn
    return encode(decode(drawn, model.domain, rng), Codebook(domain=domain))
