"""Rows in any number: drawn part by part on all cores and written as they come, in constant memory.

A draw of up to ``CHUNK_ROWS`` rows is the model's own. A larger one is cut into equal parts, each with a
generator of its own; what they share is the offsets of the systematic sampling (``stages.sampling.Part``),
so that together they hit expected numbers as one draw does.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import pandas as pd

from hmpb_core.domain import Domain
from hmpb_core.errors import SourceError
from hmpb_core.model import bound_rules, draw_rows, require_paid
from hmpb_core.network import ConditionalTable
from hmpb_core.planning.plan import Plan
from hmpb_core.progress import Progress, silent
from hmpb_core.publishing.files import replacing, replacing_folder, require_parts
from hmpb_core.publishing.tables import PLAIN_FORM, CsvForm, csv_of
from hmpb_core.rules.declared import Rules
from hmpb_core.sources.files import PARQUET_ENDINGS
from hmpb_core.stages.sampling import Part

CHUNK_ROWS = 1 << 18
"""Rows drawn at a time by each worker: some 50 MiB of Adult's columns."""
PART_ROWS = 16 * CHUNK_ROWS
"""Rows of one file of a folder of parts."""
MOST_WORKERS = 4
"""Most parts drawn at once: what memory is needed goes with it."""
PART_NAME = "part-{number:05d}.parquet"

T = TypeVar("T")


class Drawable(Protocol):
    """A model, of a run or of a bundle."""

    @property
    def tables(self) -> Sequence[ConditionalTable]:
        """Conditional tables over the encoded domain, in sampling order."""

    @property
    def plan(self) -> Plan:
        """The plan they were made by."""

    @property
    def domain(self) -> Domain:
        """The codebook's domain."""

    @property
    def rules(self) -> Rules:
        """What every row obeys."""


def drawn_in_parts(
    model: Drawable, n_rows: int, *, rng: np.random.Generator, finish: Callable[[pd.DataFrame], T]
) -> Iterator[T]:
    """Draw rows part by part, in order. Free: post-processing.

    Args:
        model: What to draw from.
        n_rows: Rows to draw.
        rng: Draws them. The same generator gives the same rows, whatever the number of cores.
        finish: What to do with each part's rows, in the thread that drew them.

    Raises:
        PlanError: the method pays for every row, and these are more than were paid for.
    """
    require_paid(model.plan, n_rows)
    tables, plan, domain = model.tables, model.plan, model.domain
    count = math.ceil(n_rows / CHUNK_ROWS)
    if count <= 1:
        yield finish(draw_rows(tables, plan, domain, model.rules, n_rows=n_rows, rng=rng))
        return
    seed = int(rng.integers(2**63))
    rules = bound_rules(tables, plan, domain, model.rules)
    generators = rng.spawn(count)

    def one(index: int) -> T:
        rows = n_rows // count + (index < n_rows % count)
        part = Part(index=index, of=count, seed=seed)
        drawn = draw_rows(tables, plan, domain, rules, n_rows=rows, rng=generators[index], part=part)
        return finish(drawn)

    yield from _in_order(one, count)


def write_rows(
    out: Path,
    model: Drawable,
    n_rows: int,
    *,
    rng: np.random.Generator,
    folder: bool = False,
    form: CsvForm = PLAIN_FORM,
    progress: Progress = silent,
) -> None:
    """Draw rows and write them: whole or not at all.

    Args:
        out: A file, Parquet where its ending says so and csv otherwise; or a folder.
        model: What to draw from.
        n_rows: Rows to draw.
        rng: Draws them.
        folder: Whether to write a folder of Parquet files of at most ``PART_ROWS`` rows.
        form: How a csv file is written.
        progress: Told how far the writing is, as the last of a run's work.

    Raises:
        SourceError: the place cannot be written to, or is a folder that holds something else.
    """
    chunks = max(1, math.ceil(n_rows / CHUNK_ROWS))
    kind = _Folder if folder else _Parquet if out.name.lower().endswith(PARQUET_ENDINGS) else _Csv
    with (replacing_folder if folder else replacing)(out) as place, kind(place, form) as writer:
        parts = drawn_in_parts(model, n_rows, rng=rng, finish=writer.finished)
        for number, part in enumerate(parts, 1):
            writer.write(part)
            progress(0.97 + 0.03 * number / chunks, "rows")


class _Csv:
    """A csv file that grows."""

    def __init__(self, path: Path, form: CsvForm) -> None:
        self._file, self._form = path.open("wb"), form

    def finished(self, frame: pd.DataFrame) -> tuple[bytes, bytes]:
        return csv_of(frame.head(0), self._form), csv_of(frame, self._form)

    def write(self, part: tuple[bytes, bytes]) -> None:
        header, content = part
        self._file.write(content[len(header) if self._file.tell() else 0 :])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class _Parquet:
    """A Parquet file that grows by a group of rows a part."""

    def __init__(self, path: Path, _: CsvForm = PLAIN_FORM) -> None:
        self._path = path
        self._writer: Any = None

    @staticmethod
    def finished(frame: pd.DataFrame) -> Any:
        import pyarrow as pa

        return pa.Table.from_pandas(frame, preserve_index=False)

    def write(self, part: Any) -> None:
        import pyarrow.parquet as pq

        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, part.schema)
        self._writer.write_table(part.cast(self._writer.schema), row_group_size=CHUNK_ROWS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()


class _Folder:
    """A folder of Parquet files, one after the other."""

    finished = staticmethod(_Parquet.finished)

    def __init__(self, path: Path, _: CsvForm = PLAIN_FORM) -> None:
        self._path = path
        self._number = self._rows = 0
        self._file: _Parquet | None = None
        self._schema: Any = None

    def write(self, part: Any) -> None:
        if self._file is None or self._rows + len(part) > PART_ROWS:
            self.__exit__()
            self._file = _Parquet(self._path / PART_NAME.format(number=self._number))
            self._number, self._rows = self._number + 1, 0
        self._schema = self._schema or part.schema
        self._file.write(part.cast(self._schema))
        self._rows += len(part)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.__exit__()


def _in_order(one: Callable[[int], T], count: int) -> Iterator[T]:
    """Do all, a few at once, and give what comes of each in order; never more than a few wait."""
    workers = min(MOST_WORKERS, _cores(), count)
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for index in range(count):
                if len(waiting) > workers:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(one, index))
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


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
