"""Files of rows that are drawn as they are written: csv, Parquet, or a folder of Parquet parts."""

from __future__ import annotations

import math
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

import hmpb_core
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.errors import SourceError
from hmpb_core.progress import WRITING, Progress, silent
from hmpb_core.publishing.files import replacing, replacing_folder, require_parts
from hmpb_core.publishing.own_form import ENDINGS, rows_as
from hmpb_core.publishing.parquet import with_days
from hmpb_core.publishing.parts import ChunkedDraw, Drawable, in_threads
from hmpb_core.publishing.tables import PLAIN_FORM, CsvForm, csv_of
from hmpb_core.several_answers import AnswerTo, together
from hmpb_core.sources.files import PARQUET_ENDINGS
from hmpb_core.sources.relational.engine import Workers

FILE_CHUNKS = 4
"""Chunks of one file of a folder of parts: about a million rows."""
PART_NAME = "part-{number:05d}.parquet"


class CsvRows:
    """A csv file that grows.

    Args:
        path: The file; made anew.
        form: How it is written.
    """

    def __init__(self, path: Path, form: CsvForm) -> None:
        self._file, self._form = path.open("wb"), form

    def finished(self, frame: pd.DataFrame) -> tuple[bytes, bytes]:
        """Give rows as the file takes them: its header, and the header with the rows."""
        return csv_of(frame.head(0), self._form), csv_of(frame, self._form)

    def write(self, chunk: Any) -> None:
        """Add what ``finished`` gave."""
        header, content = chunk
        self._file.write(content[len(header) if self._file.tell() else 0 :])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class ParquetRows:
    """A Parquet file that grows by a group of rows a chunk.

    Args:
        path: The file; made anew by the first chunk.
        domain: The codebook's domain.
        answers: Columns whose truth values stand together in one cell.
    """

    def __init__(self, path: Path, domain: Domain, answers: Mapping[str, AnswerTo]) -> None:
        self._path, self._domain, self._answers = path, domain, answers
        self._writer: Any = None

    def finished(self, frame: pd.DataFrame) -> Any:
        """Give rows as the file takes them: an Arrow table."""
        import pyarrow as pa

        rows = together(with_days(frame, self._domain), self._answers, in_lists=True)
        return pa.Table.from_pandas(rows, preserve_index=False)

    def write(self, chunk: Any) -> None:
        """Add what ``finished`` gave."""
        import pyarrow.parquet as pq

        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, chunk.schema)
        self._writer.write_table(chunk.cast(self._writer.schema), row_group_size=max(len(chunk), 1))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()


class WholeRows:
    """A workbook, or a file of SPSS or Stata: its rows wait in memory until all are drawn.

    Args:
        path: The file; made when the last row is there.
        codebook: What its columns and values are called.
        ending: The ending of the file.
    """

    def __init__(self, path: Path, codebook: Codebook, ending: str) -> None:
        self._path, self._codebook, self._ending = path, codebook, ending
        self._chunks: list[pd.DataFrame] = []

    @staticmethod
    def finished(frame: pd.DataFrame) -> pd.DataFrame:
        """Give rows as the file takes them: as they are."""
        return frame

    def write(self, chunk: Any) -> None:
        """Add what ``finished`` gave."""
        self._chunks.append(chunk)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            rows = pd.concat(self._chunks, ignore_index=True)
            self._path.write_bytes(rows_as(self._ending, rows, self._codebook))


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFiles:
    """Draws and writes one file of a folder of parts: in a thread here, or in an executor of Spark.

    Attributes:
        draw: What is drawn.
        folder: Where the files go. Whoever writes one must see it; nobody makes it.
        per_file: Chunks of one file.
        answers: Columns whose truth values stand together in one cell.
        version: The version that cut the draw: another one might draw other rows.
    """

    draw: ChunkedDraw
    folder: Path
    per_file: int
    answers: Mapping[str, AnswerTo] = field(default_factory=dict)
    version: str = field(default_factory=lambda: hmpb_core.__version__)

    @property
    def count(self) -> int:
        """How many files there are."""
        return math.ceil(self.draw.chunks / self.per_file)

    def __call__(self, number: int) -> int:
        """Draw and write a file, under another name until it is whole. Done again, it is the same file.

        Returns:
            Its number of rows.

        Raises:
            SourceError: another version of this program cut the draw.
            OSError: the folder is not there or cannot be written to.
        """
        _require_version(self.version)
        target = self.folder / PART_NAME.format(number=number)
        attempt = target.with_name(f".{target.name}.{uuid.uuid4().hex[:12]}")
        rows = 0
        try:
            with ParquetRows(attempt, self.draw.domain, self.answers) as file:
                first = number * self.per_file
                for index in range(first, min(first + self.per_file, self.draw.chunks)):
                    chunk = self.draw.chunk(index)
                    file.write(file.finished(chunk))
                    rows += len(chunk)
            attempt.replace(target)
        finally:
            attempt.unlink(missing_ok=True)
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class PartProbe:
    """Sees whether a worker could write parts, before anything is counted or drawn.

    Attributes:
        folder: A folder that is there, where the parts' folder will be.
        version: The version that asks.
    """

    folder: Path
    version: str = field(default_factory=lambda: hmpb_core.__version__)

    def __call__(self, _: int) -> int:
        """Do nothing where all is well.

        Raises:
            SourceError: the version is another one.
            OSError: the folder is not there or cannot be written to.
        """
        _require_version(self.version)
        probe = self.folder / f".{uuid.uuid4().hex[:12]}.hmpb-probe"
        probe.touch()
        probe.unlink()
        return 0


def require_workers(workers: Workers | None, out: Path) -> None:
    """Refuse workers that could not write parts, as far as one of them tells.

    Args:
        workers: Who is to draw; nothing is asked of this machine's own cores.
        out: The folder that is to be written.

    Raises:
        SourceError: they could not.
    """
    if workers is not None:
        there = next(folder for folder in out.absolute().parents if folder.is_dir())
        list(workers(PartProbe(folder=there), 1))


def write_rows(
    out: Path,
    model: Drawable,
    n_rows: int,
    *,
    rng: np.random.Generator,
    folder: bool = False,
    codebook: Codebook | None = None,
    workers: Workers | None = None,
    progress: Progress = silent,
) -> None:
    """Draw rows and write them: whole or not at all.

    Args:
        out: A file, Parquet, SPSS, Stata or a workbook where its ending says so and csv otherwise; or a
            folder.
        model: What to draw from.
        n_rows: Rows to draw.
        rng: Draws them.
        folder: Whether to write a folder of Parquet files.
        codebook: How a csv file is written, and what columns and values are called; a csv file is plain
            without one.
        workers: Who draws and writes the files of a folder; this machine's cores unless given. The files are
            the same, byte for byte.
        progress: Told how far the writing is, as the last of a run's work.

    Raises:
        PlanError: the method pays for every row, and these are more than were paid for.
        SourceError: the place cannot be written to, or is a folder that holds something else; or the workers
            stopped.
    """
    draw = ChunkedDraw.of(model, n_rows, rng=rng)
    if folder:
        with replacing_folder(out) as place:
            answers = {} if codebook is None else codebook.answers
            files = PartFiles(draw=draw, folder=place.absolute(), per_file=FILE_CHUNKS, answers=answers)
            for number, _ in enumerate((workers or in_threads)(files, files.count), 1):
                progress(WRITING + (1 - WRITING) * number / files.count, "rows")
            _require_all(files)
        return
    with replacing(out) as place, _file(out, place, draw.domain, codebook) as writer:
        chunks = in_threads(lambda index: writer.finished(draw.chunk(index)), draw.chunks)
        for number, chunk in enumerate(chunks, 1):
            writer.write(chunk)
            progress(WRITING + (1 - WRITING) * number / draw.chunks, "rows")


def _file(
    out: Path, place: Path, domain: Domain, codebook: Codebook | None
) -> CsvRows | ParquetRows | WholeRows:
    """The file that is written at a place, by the ending of the one that it becomes."""
    ending = out.suffix.lower()
    if ending in PARQUET_ENDINGS:
        return ParquetRows(place, domain, {} if codebook is None else codebook.answers)
    if ending in ENDINGS and codebook is not None:
        return WholeRows(place, codebook, ending)
    return CsvRows(place, PLAIN_FORM if codebook is None else CsvForm.of(codebook))


def _require_version(version: str) -> None:
    if version != hmpb_core.__version__:
        raise SourceError(
            "Rows are drawn by version {version} of hmpb here, and a worker has another one; install the "
            "same one everywhere.",
            version=version,
        )


def _require_all(files: PartFiles) -> None:
    """Refuse a folder in which files are missing, and remove what lost workers left unfinished in it."""
    wanted = {PART_NAME.format(number=number) for number in range(files.count)}
    found = {path.name for path in files.folder.iterdir()}
    if not wanted <= found:
        raise SourceError(
            "The parts were written where this machine does not see them; with --out name a folder that all "
            "machines share."
        )
    for name in found - wanted:
        (files.folder / name).unlink(missing_ok=True)


def folder_out(out: str) -> bool:
    """Whether a path as it was typed means a folder of parts: it ends in a slash.

    Raises:
        SourceError: it is a file, or a folder that holds something else.
    """
    if not out.endswith(("/", os.sep)):
        return False
    if Path(out).exists() and not Path(out).is_dir():
        raise SourceError("{file!r} is a file; leave the slash away, or name a folder.", file=out)
    require_parts(Path(out))
    return True
