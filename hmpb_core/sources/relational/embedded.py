"""DuckDB: an engine inside this process, for files and databases that memory does not hold."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hmpb_core.errors import HmpbError, SourceError
from hmpb_core.several_answers import IN_LISTS
from hmpb_core.sources.files.opening import label_of, require_file
from hmpb_core.sources.relational.arrays import Arrays
from hmpb_core.sources.relational.choosing import other_columns, other_types, table_among
from hmpb_core.sources.relational.columns import Column, Kind
from hmpb_core.sources.relational.dialect import BLANKS, Dialect
from hmpb_core.sources.relational.engine import Engine
from hmpb_core.sources.relational.folders import new_folder

if TYPE_CHECKING:
    import pyarrow as pa

MEMORY = 2 << 30
"""Bytes that DuckDB may hold; beyond them it writes to its temporary folder."""
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_LISTS = tuple(f"{of}[]" for of in ("VARCHAR", *_WHOLE))
_MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
_OF_TABLE = "hmpb_private"


class DuckDBDialect(Dialect):
    """DuckDB's SQL."""

    def lookup(self, x: str, keys: Sequence[str], codes: Sequence[int | str]) -> str:
        """The code of the key that x equals: by its place in a list, once for each entry of a dictionary."""
        return f"LIST_EXTRACT([{', '.join(map(str, codes))}], LIST_POSITION([{', '.join(keys)}], {x}))"

    def rint(self, x: str) -> str:
        """The nearest whole number, the even one of two."""
        return f"ROUND_EVEN({x}, 0)"

    def strip(self, x: str) -> str:
        """A text without blanks at its ends: DuckDB's trim takes ten times as long as a look at both ends."""
        ends = self.text(rf"\A[{BLANKS}]|[{BLANKS}]\z")
        return f"CASE WHEN REGEXP_MATCHES({x}, {ends}) THEN {super().strip(x)} ELSE {x} END"

    def matches(self, x: str, pattern: str) -> str:
        """Whether a text is wholly of a pattern."""
        return f"REGEXP_FULL_MATCH({x}, {self.text(pattern)})"

    def parsed_number(self, x: str) -> str:
        """The number that a text of digits writes."""
        return f"TRY_CAST({x} AS DOUBLE)"

    def parsed_date(self, x: str) -> str | None:
        """The date that a text writes, null where no calendar has it."""
        return f"TRY_CAST({x} AS DATE)"

    def days(self, x: str) -> str:
        """Days from 1970-01-01 to a date."""
        return f"DATE_DIFF('day', DATE '1970-01-01', {x})"

    def microseconds(self, x: str) -> str:
        """Microseconds from 1970-01-01 to a moment."""
        return f"EPOCH_US({x})"

    def quotient(self, x: str, divisor: int) -> str:
        """The quotient of a multiple of the divisor."""
        return f"({x} // {divisor})"

    def hex_number(self, x: str) -> str:
        """The whole number that a text of eight hexadecimal digits writes."""
        return f"CAST('0x' || {x} AS BIGINT)"

    def canonical_moments(self, x: str) -> list[tuple[str, str]]:
        """For texts that may be moments: when they are, and the one text that all their spellings share."""
        day = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
        clock = r"[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
        zone = r"\s*(Z|UTC|[+-][0-9]{2}(:?[0-9]{2})?)"
        plain = f"TRY_CAST({x} AS TIMESTAMP)"
        midnight = (
            f"CASE WHEN EPOCH_US({plain}) % 86400000000 = 0 THEN {self.to_text(f'CAST({plain} AS DATE)')} "
        )
        written = f"REGEXP_REPLACE(REPLACE({x}, ' UTC', 'Z'), '([+-][0-9]{{2}})([0-9]{{2}})$', '\\1:\\2')"
        moment = f"TRY_CAST({written} AS TIMESTAMPTZ)"
        zoned = f"({self.to_text(f'MAKE_TIMESTAMP(EPOCH_US({moment}))')} || 'Z')"
        return [
            (self.matches(x, day + clock), f"COALESCE({midnight} ELSE {self.to_text(plain)} END, {x})"),
            (self.matches(x, day + clock + zone), f"COALESCE({zoned}, {x})"),
        ]


class DuckDBEngine(Engine):
    """A private table in files or in a DuckDB database, read by DuckDB. Made by the functions below.

    What it keeps for itself (codes, and what memory does not hold) lies in a folder that only this user can
    read, and that goes when the engine does.
    """

    name = "DuckDB"
    sql = DuckDBDialect()

    def __init__(self) -> None:
        super().__init__()
        import duckdb

        self._folder, held = new_folder()
        with self.working():
            self._connection = duckdb.connect(
                str(Path(self._folder) / "codes.duckdb"),
                config={
                    "memory_limit": f"{MEMORY >> 20}MiB",
                    "temp_directory": self._folder,
                    "threads": os.cpu_count() or 1,
                    "preserve_insertion_order": False,
                    "perfect_ht_threshold": 17,
                    "autoinstall_known_extensions": False,
                    # Else a list of missing words becomes a join, and a table of 100 columns has 100 joins.
                    "disabled_optimizers": "in_clause",
                },
            )
        self._close = weakref.finalize(self, _remove, self._connection, self._folder, held)
        self._table = ""
        self._columns: tuple[Column, ...] = ()
        self._stream: Callable[[], Iterator[pa.RecordBatch]] | None = None
        self._failed: list[HmpbError] = []
        self._files: tuple[str, ...] = ()

    def of_files(self, files: Sequence[str]) -> DuckDBEngine:
        """Say which files hold the table, so that it is known when they change."""
        self._files = tuple(files)
        return self

    def version(self) -> Hashable | None:
        """Sizes and times of the files; None where there are none, or one is gone."""
        try:
            stats = [Path(file).stat() for file in self._files]
        except OSError:
            return None
        return tuple((s.st_ino, s.st_size, s.st_mtime_ns) for s in stats) or None

    def over_query(self, source: str, names: Sequence[str] | None = None) -> DuckDBEngine:
        """Read what stands after FROM in DuckDB's SQL.

        Args:
            source: A table, or a function that reads files.
            names: The columns' own names in order, where DuckDB might change them.
        """
        with self.working():
            described = self._connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
        shown = list(names) if names is not None else [row[0] for row in described]
        inner = [f"x{place}" for place in range(len(described))]
        self._table = f"{source} AS t({', '.join(inner)})"
        self._columns = tuple(
            column_of(name, f"t.{x}", str(row[1]))
            for name, x, row in zip(shown, inner, described, strict=True)
        )
        return self

    def over_batches(
        self, names: Sequence[str], batches: Callable[[], Iterator[pa.RecordBatch]]
    ) -> DuckDBEngine:
        """Read rows of texts that come in batches, once for each pass.

        Args:
            names: The columns' names.
            batches: Begins to give the rows anew.
        """
        self._stream = batches
        self._table = f"{_OF_TABLE} AS t"
        self._columns = tuple(column_of(name, f"t.x{place}", "VARCHAR") for place, name in enumerate(names))
        return self

    def over_table(self, table: pa.Table) -> DuckDBEngine:
        """Read an Arrow table of this process."""
        inner = [f"x{place}" for place in range(table.num_columns)]
        self._connection.register("hmpb_table", table.rename_columns(inner))
        return self.over_query("hmpb_table", table.column_names)

    def attached(self, file: str) -> DuckDBEngine:
        """Open a DuckDB database for reading."""
        with self.working():
            self._connection.execute(f"ATTACH {self.sql.text(file)} AS hmpb_source (READ_ONLY)")
        return self

    def tables(self) -> list[tuple[str, str]]:
        """The tables and views of the attached database: schema and name."""
        with self.working():
            found = self._connection.execute(
                "SELECT table_schema, table_name FROM information_schema.tables "
                "WHERE table_catalog = 'hmpb_source' ORDER BY ALL"
            ).fetchall()
        return [(str(schema), str(name)) for schema, name in found]

    @property
    def reads_anew(self) -> bool:
        """Whether every query reads files of text from their beginning, all columns of them."""
        return self._stream is not None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the private table."""
        return self._columns

    def table(self) -> str:
        """What stands after FROM for the private table; a stream begins anew."""
        if self._stream is not None:
            import pyarrow as pa

            schema = pa.schema([(f"x{place}", pa.string()) for place in range(len(self._columns))])
            reader = pa.RecordBatchReader.from_batches(schema, self._renamed(schema))
            self._connection.register(_OF_TABLE, reader)
        return self._table

    def fetch(self, query: str) -> Arrays:
        """Run a query and give its columns."""
        with self.working(), self._passing_on():
            found: dict[str, Any] = self._connection.execute(query).fetchnumpy()
        return [np.asarray(column) if not np.ma.is_masked(column) else column for column in found.values()]

    def keep(self, query: str) -> str:
        """Keep what a query gives in a table of the temporary database."""
        name = self.new_name()
        with self.working(), self._passing_on():
            self._connection.execute(f"CREATE TABLE {name} AS {query}")
        return name

    def drop(self, name: str) -> None:
        """Forget a temporary table."""
        with self.working():
            self._connection.execute(f"DROP TABLE {name}")

    def close(self) -> None:
        """Remove the temporary folder."""
        self._close()

    def _renamed(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        assert self._stream is not None
        try:
            for batch in self._stream():
                yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)
        except HmpbError as error:  # DuckDB would make an error of its own of it
            self._failed.append(error)
            raise

    def _passing_on(self) -> Any:
        return _PassingOn(self._failed)


class _PassingOn:
    """Raises what went wrong inside a stream in the place of what DuckDB made of it."""

    def __init__(self, failed: list[HmpbError]) -> None:
        self._failed = failed

    def __enter__(self) -> None:
        self._failed.clear()

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        if self._failed:
            raise self._failed.pop() from None


def column_of(name: str, x: str, of: str) -> Column:
    """Judge a column by DuckDB's name of its type."""
    sql = DuckDBEngine.sql
    if of in _WHOLE:
        return Column(name=name, kind=Kind.WHOLE, sql=x)
    if of in ("FLOAT", "DOUBLE"):
        return Column(name=name, kind=Kind.FLOAT, sql=sql.to_double(x), as_text=sql.to_text(x))
    if of == "BOOLEAN":
        return Column(name=name, kind=Kind.TRUTH, sql=x)
    if of == "VARCHAR":
        return Column(name=name, kind=Kind.TEXT, sql=x, as_text=x)
    if of in _LISTS:
        text = f"ARRAY_TO_STRING({x}, {sql.text(IN_LISTS)})"
        return Column(name=name, kind=Kind.TEXT, sql=text, as_text=text)
    if of == "DATE":
        return Column(name=name, kind=Kind.DATE, sql=x, as_text=sql.to_text(x))
    if of in _MOMENTS:
        return Column(name=name, kind=Kind.MOMENT, sql=x, as_text=sql.to_text(x))
    if of == "TIMESTAMP WITH TIME ZONE":
        moment = f"MAKE_TIMESTAMP(EPOCH_US({x}))"
        return Column(name=name, kind=Kind.MOMENT, sql=moment, as_text=f"({sql.to_text(moment)} || 'Z')")
    as_text = of.startswith(("DECIMAL", "ENUM")) and not of.endswith("]")  # which ends a list's type
    if as_text or of in ("TIME", "UUID", "HUGEINT", "UHUGEINT"):
        return Column(name=name, kind=Kind.TEXT, sql=sql.to_text(x), as_text=sql.to_text(x))
    return Column(name=name, kind=Kind.OTHER, sql=x)


def of_parquet(files: Sequence[str]) -> DuckDBEngine:
    """Open Parquet files of the same columns.

    Raises:
        SourceError: a file is none, or has other columns than the first.
    """
    import pyarrow as pa
    import pyarrow.parquet as papq

    names: list[str] = []
    lost = False
    kinds: dict[str, set[str]] = {}
    for file in files:
        label = label_of(file, None)
        require_file(file, label, any_size=True)
        try:
            schema = papq.read_schema(file)
        except (OSError, pa.ArrowException, ValueError):
            raise SourceError(
                "{file} is not a Parquet file; save it again as csv or Parquet.", file=label
            ) from None
        if not names:
            names = list(schema.names)
        elif set(schema.names) != set(names):
            raise other_columns(file, files[0])
        lost |= any(pa.types.is_duration(kind) or pa.types.is_decimal256(kind) for kind in schema.types)
        for name, kind in zip(schema.names, schema.types, strict=True):
            kinds.setdefault(name, set()).add(_family(kind))
            if not _go_together(kinds[name] - {"null"}):
                raise other_types(file, files[0], name)
    if len(set(names)) < len(names) or lost:
        raise SourceError(
            "{file} has two columns of one name, durations, or decimals of more than 38 digits, which DuckDB "
            "reads otherwise; rename them, save such values as texts, or use --engine memory.",
            file=repr(Path(files[0]).name),
        )
    engine = DuckDBEngine()
    listed = ", ".join(engine.sql.text(file) for file in files)
    union = ", union_by_name=true" if len(files) > 1 else ""
    return engine.of_files(files).over_query(
        f"read_parquet([{listed}]{union}, hive_partitioning=false)", names
    )


def _family(kind: pa.DataType) -> str:
    """What a column's type is to DuckDB, which makes one type of those that files of a table have."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_date(kind):
        return "timestamp"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    families = ("null", "integer", "floating", "decimal", "timestamp")
    return next((one for one in families if getattr(pa.types, f"is_{one}")(kind)), str(kind))


def _go_together(families: set[str]) -> bool:
    """Whether values of these types stay what they are in one column of DuckDB: 3 and 3.0, or 3 and '3'."""
    if len(families) < 2 or families == {"integer", "floating"}:
        return True
    return len(families) == 2 and "text" in families and not families & {"floating", "bool"}


def of_database(file: str, table: str | None) -> DuckDBEngine:
    """Open a table of a DuckDB database.

    Raises:
        SourceError: it is no database, or has no such table.
    """
    if not Path(file).is_file():
        raise SourceError(
            "{file} is not a file here; write duckdb:///PATH with the path of a DuckDB database.",
            file=repr(Path(file).name),
        )
    engine = DuckDBEngine()
    try:
        engine.attached(file)
    except SourceError:
        raise SourceError(
            "{file} is not a DuckDB database, or another program is writing to it.",
            file=repr(Path(file).name),
        ) from None
    schema, name = table_among(engine.tables(), table, where=repr(Path(file).name))
    return engine.of_files([file]).over_query(
        f"hmpb_source.{engine.sql.name(schema)}.{engine.sql.name(name)}"
    )


def _remove(connection: Any, folder: str, held: int) -> None:
    with suppress(Exception):
        connection.close()
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        os.close(held)
