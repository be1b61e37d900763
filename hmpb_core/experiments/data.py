"""The tables of the experiments: the papers' two, from the folder that ``--data`` names, or one given."""

from __future__ import annotations

import json
from collections.abc import Iterable
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

PAPER_ADULT, ADULT_FILES, PAPER_BIG5, GIVEN = "adult", "adult-files", "big5", "given"
FILES = {
    PAPER_ADULT: ("adult_train.csv", "adult_test.csv", "adult.codebook.json"),
    ADULT_FILES: ("adult_train.csv", "adult_test.csv", "adult_raw.codebook.json"),
    PAPER_BIG5: ("big5.csv", "big5.codebook.json"),
    GIVEN: ("given.parquet", "given.codebook.json", "given.json"),
}
"""The files of each table: rows, then the codebook."""
TARGETS = {PAPER_ADULT: "salary", PAPER_BIG5: "age<50"}
HELD_OUT = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable:
    """A table of the experiments.

    Attributes:
        name: ``adult``, ``big5`` or ``given``.
        frame: Its rows.
        codes: Their codes.
        codebook: The public codebook.
        target: What a classifier predicts [Zhang2022, section 4.2].
    """

    name: str
    frame: pd.DataFrame = field(repr=False)
    codes: Codes = field(repr=False)
    codebook: Codebook = field(repr=False)
    target: str

    def split(self, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Row numbers of 80 % to learn from, and of 20 % that no generator sees."""
        order = np.random.default_rng([80, seed]).permutation(len(self.codes))
        cut = round(len(order) * HELD_OUT)
        return order[cut:], order[:cut]


def missing_files(folder: Path, needs: Iterable[str]) -> tuple[str, ...]:
    """Names of the files that a folder lacks for some tables."""
    wanted = dict.fromkeys(name for table in needs for name in FILES[table])
    return tuple(name for name in wanted if not (folder / name).is_file())


def write_given(folder: Path, frame: pd.DataFrame, codebook: Codebook, *, target: str) -> None:
    """Put a public table into a folder, for experiments that mean something on any table.

    Args:
        folder: The folder; made where it is not there.
        frame: The rows. They are kept as they are: never a private table's.
        codebook: Its codebook.
        target: What a classifier predicts, and the sensitive attribute of micro-aggregation.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows, book, settings = (folder / name for name in FILES[GIVEN])
    frame.to_parquet(rows, index=False)
    book.write_text(codebook.to_json(), encoding="utf-8")
    settings.write_text(json.dumps({"target": target}), encoding="utf-8")
    forget_tables()


def forget_tables() -> None:
    """Read every table anew: its files have changed."""
    paper_table.cache_clear()
    adult_files.cache_clear()


@lru_cache(maxsize=4)
def paper_table(name: str, folder: Path, most_rows: int | None = None) -> PaperTable:
    """Read a table: Adult's 45,222 complete rows of both files, Big5's 19,719, or the one given.

    Args:
        name: ``adult``, ``big5`` or ``given``.
        folder: Holds the files and their codebooks.
        most_rows: Rows to keep, drawn once; None for all.

    Raises:
        SourceError: a file is missing.
    """
    files = FILES[name]
    codebook = Codebook.read(folder / next(file for file in files if file.endswith("codebook.json")))
    frame = pd.concat([read_table(folder / file) for file in _tables(files)], ignore_index=True)
    target = TARGETS.get(name) or json.loads((folder / files[-1]).read_text(encoding="utf-8"))["target"]
    if name == PAPER_ADULT:
        frame = frame[~(frame == "?").any(axis=1)].reset_index(drop=True)
    frame = some(frame, most_rows)
    return PaperTable(name=name, frame=frame, codes=encode(frame, codebook), codebook=codebook, target=target)


@lru_cache(maxsize=2)
def adult_files(
    folder: Path, most_rows: int | None = None, given: bool = False
) -> tuple[Codes, Codes, Codebook, str]:
    """Adult's two files as they are, a missing value being a value of its own.

    Args:
        folder: Holds the files and the codebook.
        most_rows: Rows of each to keep, drawn once; None for all.
        given: Split the given table instead.

    Returns:
        Codes of the data file, codes of the test file, the codebook, and what is predicted.

    Raises:
        SourceError: a file is missing.
    """
    if given:
        table = paper_table(GIVEN, folder, most_rows)
        kept, held = table.split(0)
        return table.codes[kept], table.codes[held], table.codebook, table.target
    files = FILES[ADULT_FILES]
    codebook = Codebook.read(folder / files[-1])
    train, test = (encode(some(read_table(folder / f), most_rows), codebook) for f in _tables(files))
    return train, test, codebook, TARGETS[PAPER_ADULT]


def some(frame: pd.DataFrame, most_rows: int | None) -> pd.DataFrame:
    """So many rows, the same ones every time; all of them where there are fewer."""
    if most_rows is None or most_rows >= len(frame):
        return frame
    return frame.sample(most_rows, random_state=1).reset_index(drop=True)


def _tables(files: tuple[str, ...]) -> list[str]:
    return [name for name in files if name.endswith((".csv", ".parquet"))]
