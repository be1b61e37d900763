"""Where a private table is: a file, a folder or a glob of files, or a table of a database by its URL."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from hmpb_core.errors import SourceError
from hmpb_core.sources.files import (
    PARQUET_ENDINGS,
    TEXT_ENDINGS,
    FileHeader,
    FileReading,
    read_file,
    read_header,
)
from hmpb_core.sources.files.opening import MAX_CELLS, MAX_FILE_BYTES, MAX_UNPACKED_BYTES
from hmpb_core.sources.relational.engine import Engine, Workers
from hmpb_core.sources.relational.table import EngineTable

BYTES_A_CELL = 32
"""Memory that a cell takes while a table is read and encoded, measured on mixed columns."""
BYTES_A_TEXT_BYTE = 4
"""The same for each byte of a csv file."""
PART_OF_MEMORY = 0.5

PrivateTable = pd.DataFrame | EngineTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A private table and the engine that holds it.

    Attributes:
        table: The rows in memory, or the table in its engine.
        engine: The engine's name.
        words: What is to be said of it: why this engine, where it was not asked for and is not memory; that
            numbers are written in two ways; else empty.
    """

    table: PrivateTable = field(repr=False)
    engine: str
    words: str = ""


def open_table(
    where: str,
    *,
    engine: str | None = None,
    table: str | None = None,
    reading: FileReading | None = None,
    most_bytes: float = math.inf,
) -> Opened:
    """Open a private table.

    Args:
        where: A path, a glob or a folder; or ``duckdb:///FILE``, ``postgresql://...``, ``spark://...``.
        engine: One of ``ENGINES``; memory where the table fits, else DuckDB, unless given.
        table: The table of a database.
        reading: How text files are written.
        most_bytes: Memory that the rows of files may take; what needs more goes to DuckDB.

    Raises:
        SourceError: it cannot be opened, or not by this engine.
    """
    if "://" in where:
        return _of_url(where, engine, table)
    _require_no_table(where, table)
    files = files_of(where)
    chosen, words = engine, ""
    if chosen is None:
        fits = fits_memory(files, most_bytes)
        chosen = "memory" if fits else "duckdb"
        words = (
            "" if fits else "The table is too large for memory here: it stays on disk, and DuckDB counts it."
        )
    told = reading or FileReading()
    if chosen == "memory":
        rows, warning = _in_memory(files, told)
        return Opened(table=rows, engine=chosen, words=warning)
    return Opened(table=EngineTable(engine=_FILES[chosen](files, told)), engine=chosen, words=words)


def open_outside(where: str) -> EngineTable:
    """Open files that stay on disk, where DuckDB counts them.

    Args:
        where: A path, a glob or a folder.

    Raises:
        SourceError: they cannot be opened, or are of a kind that memory alone reads.
    """
    return EngineTable(engine=_in_duckdb(files_of(where), FileReading()))


def header_at(where: str, *, table: str | None = None, reading: FileReading | None = None) -> FileHeader:
    """Give the names of a table's columns, wherever it is, reading nothing of its rows.

    Args:
        where: What ``open_table`` takes.
        table: The table of a database.
        reading: How text files are written.

    Raises:
        SourceError: it cannot be opened, or its files have different columns.
    """
    if "://" in where:
        return FileHeader(names=columns_of(_of_url(where, None, table).table), reading=FileReading())
    _require_no_table(where, table)
    files = files_of(where)
    first, *others = (read_header(file, reading=reading, any_size=_kind(file) != "other") for file in files)
    for file, header in zip(files[1:], others, strict=True):
        _require_columns(header.names, first.names, file=file, first=files[0])
    return first


def rows_of(table: PrivateTable) -> int:
    """Number of rows, surplus rows of a person among them. Private."""
    return table.n_rows if isinstance(table, EngineTable) else len(table)


def columns_of(table: PrivateTable) -> tuple[str, ...]:
    """The columns' names."""
    return table.columns if isinstance(table, EngineTable) else tuple(map(str, table.columns))


def workers_of(opened: Opened | None) -> Workers | None:
    """The machines of a table's engine, where it has some of its own: they may draw rows."""
    table = opened.table if opened else None
    return table.engine.workers if isinstance(table, EngineTable) else None


def files_of(where: str) -> list[str]:
    """Give the files of a path, a glob or a folder, in order.

    Raises:
        SourceError: a glob or a folder holds no table, or tables of several kinds.
    """
    if os.path.isdir(where):  # noqa: PTH112 - a path may hold what Path does not take
        found = [str(path) for path in sorted(Path(where).rglob("*")) if _is_part(path)]
    elif any(mark in where for mark in "*?[") and not os.path.exists(where):  # noqa: PTH110
        found = sorted(path for path in glob.glob(where, recursive=True) if _is_part(Path(path)))  # noqa: PTH207
    else:
        return [where]
    if not found:
        raise SourceError("{where!r} holds no csv or Parquet file; check the path.", where=where)
    kinds = {_kind(file) for file in found}
    if len(kinds) > 1:
        raise SourceError(
            "{where!r} holds csv files and Parquet files; the files of one table are of one kind.",
            where=where,
        )
    return found


def fits_memory(files: Sequence[str], most_bytes: float = math.inf) -> bool:
    """Whether a table may be read into memory here: by the files' sizes, and by what is free."""
    need = 0
    for file in files:
        try:
            size = Path(file).stat().st_size
        except (OSError, ValueError):
            return True  # reading it says what is wrong
        kind = _kind(file)
        if kind == "parquet":
            cells, unpacked = _parquet_size(file)
            need += cells * BYTES_A_CELL
            if unpacked > MAX_UNPACKED_BYTES or cells > MAX_CELLS:
                return False
        elif kind == "csv":
            packing = 5 if file.lower().endswith(".gz") else 1
            need += size * packing * BYTES_A_TEXT_BYTE
        if kind in ("parquet", "csv") and size > MAX_FILE_BYTES:
            return False
    return need <= min(most_bytes, PART_OF_MEMORY * _free_memory())


def _in_duckdb(files: Sequence[str], reading: FileReading) -> Engine:
    from hmpb_core.sources.relational.embedded import of_parquet
    from hmpb_core.sources.relational.texts import of_text

    kinds = {_kind(file) for file in files}
    if kinds == {"parquet"}:
        return of_parquet(files)
    if kinds == {"csv"}:
        return of_text(files, reading)
    raise SourceError(
        "{file!r} is read by --engine memory alone; DuckDB reads csv and Parquet files, and its own by "
        "duckdb:///FILE.",
        file=Path(files[0]).name,
    )


def _in_spark(files: Sequence[str], reading: FileReading) -> Engine:
    from hmpb_core.sources.relational.spark import of_files

    return of_files(files, reading)


def _in_memory(files: Sequence[str], reading: FileReading) -> tuple[pd.DataFrame, str]:
    tables = [read_file(file, reading=reading) for file in files]
    frames = [table.frame for table in tables]
    for file, frame in zip(files, frames, strict=True):
        _require_columns(frame.columns, frames[0].columns, file=file, first=files[0])
    rows = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    return rows, next((table.reading.warning for table in tables if table.reading.warning), "")


def _require_no_table(where: str, table: str | None) -> None:
    if table is not None and not where.startswith("spark"):
        raise SourceError(
            "--table names a table of a database, and {where!r} is none; leave it out.", where=where
        )


def _require_columns(names: Iterable[str], known: Iterable[str], *, file: str, first: str) -> None:
    if set(names) != set(known):
        raise SourceError(
            "{file} has other columns than {first}; files of one table have the same columns.",
            file=repr(Path(file).name),
            first=repr(Path(first).name),
        )


def _of_url(where: str, engine: str | None, table: str | None) -> Opened:
    scheme = where.partition("://")[0].lower()
    if engine is not None and engine != scheme:
        raise SourceError(
            "--engine chooses how files are read, and {scheme}:// names its engine itself; leave it out.",
            scheme=scheme,
        )
    scheme = _ALIASES.get(scheme, scheme)
    if scheme not in _DATABASES:
        raise SourceError(
            "{scheme}:// is not known; give a file, a folder, a glob, or a table of {databases}.",
            scheme=scheme,
            databases=tuple(DATABASES),
        )
    return Opened(table=EngineTable(engine=_DATABASES[scheme](where, table)), engine=scheme)


def _duckdb_database(where: str, table: str | None) -> Engine:
    from hmpb_core.sources.relational.embedded import of_database

    return of_database(_path_of(where), table)


def _postgresql_server(where: str, table: str | None) -> Engine:
    from hmpb_core.sources.relational.postgres import of_server

    return of_server(where, table)


def _spark_cluster(where: str, table: str | None) -> Engine:
    from hmpb_core.sources.relational.spark import of_cluster

    return of_cluster(where, table)


def _path_of(where: str) -> str:
    """The file of ``duckdb:///FILE``: from the root if it is there, else from here."""
    path = where.partition("://")[2]
    here = path.removeprefix("/")
    return path if Path(path).is_file() or not Path(here).is_file() else here


def _kind(file: str) -> str:
    lower = file.lower()
    if lower.endswith(PARQUET_ENDINGS):
        return "parquet"
    return "csv" if lower.endswith(TEXT_ENDINGS) else "other"


def _is_part(path: Path) -> bool:
    return path.is_file() and not path.name.startswith((".", "_")) and _kind(path.name) != "other"


def _parquet_size(file: str) -> tuple[int, int]:
    """Cells, and bytes when unpacked, by the file's own account; nothing where it gives none."""
    import pyarrow as pa
    import pyarrow.parquet as papq

    try:
        told = papq.ParquetFile(file).metadata
        unpacked = sum(told.row_group(i).total_byte_size for i in range(told.num_row_groups))
    except (OSError, pa.ArrowException, ValueError, MemoryError, OverflowError):
        return 0, 0
    return told.num_rows * told.num_columns, unpacked


def _free_memory() -> float:
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError, AttributeError):  # no such account on this system
        return float(4 << 30)


_FILES: Mapping[str, Callable[[Sequence[str], FileReading], Engine]] = {
    "duckdb": _in_duckdb,
    "spark": _in_spark,
}
"""The engines beside memory that read files."""
_DATABASES: Mapping[str, Callable[[str, str | None], Engine]] = {
    "duckdb": _duckdb_database,
    "postgresql": _postgresql_server,
    "spark": _spark_cluster,
}
"""The engines whose own tables are opened, by the scheme of their URL."""
_ALIASES = {"postgres": "postgresql"}
ENGINES = ("memory", *_FILES)
"""Engines that read files."""
DATABASES = ("duckdb:///FILE", *(f"{scheme}://..." for scheme in _DATABASES if scheme != "duckdb"))
"""How their tables are named."""
