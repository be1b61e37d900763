"""The papers' two tables, read from the folder that ``--data`` names."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Codes
from hmpb_core.encoding import encode
from hmpb_core.sources.files import read_table

TARGETS = {"adult": "salary", "big5": "age<50"}
HELD_OUT = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable:
    """A table of the papers.

    Attributes:
        name: ``adult`` or ``big5``.
        frame: Its rows.
        codes: Their codes.
        codebook: The public codebook.
    """

    name: str
    frame: pd.DataFrame = field(repr=False)
    codes: Codes = field(repr=False)
    codebook: Codebook = field(repr=False)

    @property
    def target(self) -> str:
        """What a classifier predicts [Zhang2022, section 4.2]."""
        return TARGETS[self.name]

    def split(self, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Row numbers of 80 % to learn from, and of 20 % that no generator sees."""
        order = np.random.default_rng([80, seed]).permutation(len(self.codes))
        cut = round(len(order) * HELD_OUT)
        return order[cut:], order[:cut]


@lru_cache(maxsize=4)
def paper_table(name: str, folder: Path, most_rows: int | None = None) -> PaperTable:
    """Read a table: Adult's 45,222 complete rows of both files, or Big5's 19,719.

    Args:
        name: ``adult`` or ``big5``.
        folder: Holds the files and their codebooks.
        most_rows: Rows to keep, from the top; None for all.

    Raises:
        SourceError: a file is missing.
    """
    codebook = Codebook.read(folder / f"{name}.codebook.json")
    if name == "adult":
        parts = [read_table(folder / f"adult_{part}.csv") for part in ("train", "test")]
        frame = pd.concat(parts, ignore_index=True)
        frame = frame[~(frame == "?").any(axis=1)].reset_index(drop=True)
    else:
        frame = read_table(folder / f"{name}.csv")
    frame = frame.head(most_rows) if most_rows else frame
    return PaperTable(name=name, frame=frame, codes=encode(frame, codebook), codebook=codebook)


@lru_cache(maxsize=2)
def adult_files(folder: Path, most_rows: int | None = None) -> tuple[Codes, Codes, Codebook]:
    """Adult's two files as they are, a missing value being a value of its own.

    Returns:
        Codes of the data file, codes of the test file, and the codebook.
    """
    codebook = Codebook.read(folder / "adult_raw.codebook.json")
    train, test = (read_table(folder / f"adult_{part}.csv") for part in ("train", "test"))
    if most_rows:
        train, test = train.head(most_rows), test.head(most_rows)
    return encode(train, codebook), encode(test, codebook), codebook
