"""Spark: local files or a cluster's tables, encoded and counted by its executors."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hmpb_core.errors import SourceError
from hmpb_core.several_answers import IN_LISTS
from hmpb_core.sources.files import (
    BLANK,
    NO_NAMES,
    PARQUET_ENDINGS,
    UNICODE,
    FileReading,
    header_lines,
    read_header,
)
from hmpb_core.sources.relational.arrays import Arrays, array_of
from hmpb_core.sources.relational.choosing import other_columns
from hmpb_core.sources.relational.columns import Column, Kind
from hmpb_core.sources.relational.dialect import BLANKS, Dialect
from hmpb_core.sources.relational.engine import Engine
from hmpb_core.sources.relational.executors import Executors

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_LISTS = tuple(f"array<{of}>" for of in ("string", *_WHOLE))
_PRIVATE = "hmpb_private"
_MASTER = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")
PATIENCE = 10.0
"""Seconds in which a master has to take a connection."""
HERE = f"local[{os.cpu_count() or 1},4]"
"""A Spark of this machine's cores; what fails is done again up to three times, as on a cluster."""
_SETTINGS = {
    "spark.app.name": "hmpb",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
}


class SparkDialect(Dialect):
    """Spark's SQL."""

    varchar = "STRING"

    def name(self, text: str) -> str:
        """A column's or a table's name."""
        return "`" + text.replace("`", "``") + "`"

    def text(self, value: str) -> str:
        """A text."""
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def rint(self, x: str) -> str:
        """The nearest whole number, the even one of two."""
        return f"RINT({x})"

    def matches(self, x: str, pattern: str) -> str:
        """Whether a text is wholly of a pattern."""
        whole = r"\A(?:" + pattern + r")\z"
        return f"({x} RLIKE {self.text(whole)})"

    def parsed_number(self, x: str) -> str:
        """The number that a text of digits writes."""
        return f"TRY_CAST({x} AS DOUBLE)"

    def parsed_date(self, x: str) -> str | None:
        """The date that a text writes, null where no calendar has it."""
        return f"TRY_CAST({x} AS DATE)"

    def strip(self, x: str) -> str:
        """A text without blanks at its ends."""
        return f"TRIM(BOTH {self.text(BLANKS)} FROM {x})"

    def starts_with(self, x: str, beginning: str) -> str:
        """Whether a text begins so."""
        return f"STARTSWITH({x}, {self.text(beginning)})"

    def days(self, x: str) -> str:
        """Days from 1970-01-01 to a date."""
        return f"UNIX_DATE({x})"

    def microseconds(self, x: str) -> str:
        """Microseconds from 1970-01-01 to a moment."""
        return f"UNIX_MICROS(CAST({x} AS TIMESTAMP))"

    def quotient(self, x: str, divisor: int) -> str:
        """The quotient of a multiple of the divisor."""
        return f"({x} DIV {divisor})"

    def random(self) -> str:
        """A number drawn anew for every row."""
        return "RAND()"

    def hex_number(self, x: str) -> str:
        """The whole number that a text of eight hexadecimal digits writes."""
        return f"CAST(CONV({x}, 16, 10) AS BIGINT)"


class SparkEngine(Engine):
    """A table that Spark reads.

    What is kept (the codes) is a local checkpoint in the executors: it is not computed again when an executor
    is lost, since which rows of a person stay would then be drawn again; the run ends instead.

    Args:
        session: A Spark session.
        frame: The private table.
        names: Its columns' names.
    """

    name = "Spark"
    sql = SparkDialect()

    def __init__(self, session: Any, frame: Any, names: Sequence[str]) -> None:
        super().__init__()
        self._session = session
        self._kept: dict[str, Any] = {}
        self._view = f"{_PRIVATE}_{id(self)}"
        with self.working():
            inner = [f"x{place}" for place in range(len(names))]
            plain = frame.toDF(*inner)
            plain.createOrReplaceTempView(self._view)
            self._columns = tuple(
                column_of(name, f"t.{x}", kind) for name, (x, kind) in zip(names, plain.dtypes, strict=True)
            )

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the private table."""
        return self._columns

    @property
    def workers(self) -> Executors:
        """Spark's executors."""
        return Executors(self._session.sparkContext)

    def table(self) -> str:
        """What stands after FROM for the private table."""
        return f"{self._view} AS t"

    def fetch(self, query: str) -> Arrays:
        """Run a query and give its columns."""
        with self.working():
            found = self._session.sql(query)
            rows = found.collect()
            return [array_of([row[place] for row in rows]) for place in range(len(found.columns))]

    def keep(self, query: str) -> str:
        """Keep what a query gives in the executors."""
        name = f"{self.new_name()}_{id(self)}"
        with self.working():
            frame = self._session.sql(query).localCheckpoint(eager=True)
            frame.createOrReplaceTempView(name)
            self._kept[name] = frame
        return name

    def drop(self, name: str) -> None:
        """Let the executors forget what was kept."""
        with self.working():
            self._session.catalog.dropTempView(name)
            self._kept.pop(name).unpersist()

    def stopped_by(self, error: Exception) -> SourceError:
        """Say of a csv file that a line of it is none: that is met while rows are counted, and not before."""
        if "MALFORMED_RECORD" not in str(error):
            return super().stopped_by(error)
        return SourceError(
            "Spark met a line of the csv file that does not have as many values as the header, or that "
            "stands in quotes as a whole; correct it, use --engine duckdb, or save the table again as "
            "Parquet."
        )

    def close(self) -> None:
        """Forget everything kept; the session goes on, as others of this process may use it."""
        for name in [*self._kept, self._view]:
            with suppress(Exception):
                self._session.catalog.dropTempView(name)
        self._kept.clear()


def column_of(name: str, x: str, of: str) -> Column:
    """Judge a column by Spark's name of its type."""
    sql = SparkEngine.sql
    if of in _WHOLE:
        return Column(name=name, kind=Kind.WHOLE, sql=x)
    if of in ("float", "double"):
        return Column(name=name, kind=Kind.FLOAT, sql=sql.to_double(x), as_text=sql.to_text(x))
    if of == "boolean":
        return Column(name=name, kind=Kind.TRUTH, sql=x)
    if of in ("string", "void") or of.startswith(("decimal", "varchar", "char")):
        text = x if of == "string" else sql.to_text(x)
        return Column(name=name, kind=Kind.TEXT, sql=text, as_text=text)
    if of in _LISTS:
        text = f"ARRAY_JOIN({x}, {sql.text(IN_LISTS)})"
        return Column(name=name, kind=Kind.TEXT, sql=text, as_text=text)
    if of == "date":
        return Column(name=name, kind=Kind.DATE, sql=x, as_text=sql.to_text(x))
    if of == "timestamp_ntz":
        return Column(name=name, kind=Kind.MOMENT, sql=x, as_text=sql.to_text(x))
    if of == "timestamp":
        return Column(name=name, kind=Kind.MOMENT, sql=x, as_text=f"({sql.to_text(x)} || 'Z')")
    return Column(name=name, kind=Kind.OTHER, sql=x)


def of_files(files: Sequence[str], reading: FileReading) -> SparkEngine:
    """Open Parquet or csv files by a Spark of this machine.

    Raises:
        SourceError: a file cannot be read, or Spark or Java is not installed.
    """
    headers = [read_header(file, reading=reading, any_size=True) for file in files]
    names = headers[0].names
    for file, header in zip(files, headers, strict=True):
        if header.names != names:
            raise other_columns(file, files[0])
    told = headers[0].reading
    if header_lines(told.header) is not None:
        raise SourceError(
            "Spark reads csv files of which the first line alone names the columns, and those of {file} are "
            "named elsewhere; use --engine duckdb, or save it again as Parquet.",
            file=repr(Path(files[0]).name),
        )
    if told.delimiter == BLANK:
        raise SourceError(
            "Spark reads no text file whose values stand apart by blanks, as those of {file} do; use "
            "--engine duckdb, or save it again as Parquet.",
            file=repr(Path(files[0]).name),
        )
    if any(header.reading.wrapped for header in headers):
        raise SourceError(
            "Spark reads no lines that stand in quotes as a whole, as those of {file} do; use --engine "
            "duckdb, or save it again as Parquet.",
            file=repr(Path(files[0]).name),
        )
    if not told.plain:
        raise SourceError(
            "Spark reads plain numbers alone, and those of {file} are said to be written otherwise; use "
            "--engine duckdb, or save it again as Parquet.",
            file=repr(Path(files[0]).name),
        )
    if any(header.reading.footer not in (None, "0") for header in headers):
        raise SourceError(
            "Spark takes every line of a csv file for a row, and the last of {file} are none; use --engine "
            "duckdb, or save it again as Parquet.",
            file=repr(Path(files[0]).name),
        )
    session = _session(HERE)
    paths = [Path(file).resolve().as_uri() for file in files]
    encoding = "utf-8" if told.encoding in (None, UNICODE) else told.encoding
    try:
        if files[0].lower().endswith(PARQUET_ENDINGS):
            frame = session.read.parquet(*paths)
        else:
            frame = session.read.csv(
                paths,
                header=told.header != NO_NAMES,
                sep=told.delimiter or ",",
                encoding=encoding.removesuffix("-sig"),  # Java knows no other name of it
                quote='"',
                escape='"',
                multiLine=True,
                mode="FAILFAST",
                emptyValue="",
                nullValue="\x00",
            )
    except Exception:  # noqa: BLE001 - a backend's text may hold a value
        raise SourceError(
            "Spark cannot read {file}; use --engine duckdb, or save it again as Parquet.",
            file=repr(Path(files[0]).name),
        ) from None
    return SparkEngine(session, frame, names)


def of_cluster(url: str, table: str | None) -> SparkEngine:
    """Open a table of a cluster's catalogue by ``spark://HOST:PORT``.

    Raises:
        SourceError: no table is named, the URL is none, or the cluster does not answer or does not know the
            table.
    """
    if table is None:
        raise SourceError("spark:// needs the name of a table; add --table NAME or --table SCHEMA.NAME.")
    _require_answer(masters_of(url))
    session = _session(f"spark://{url.partition('://')[2].rstrip('/')}")
    try:
        frame = session.table(".".join(SparkEngine.sql.name(part) for part in table.split(".")))
        names = list(frame.columns)
    except Exception:  # noqa: BLE001 - a backend's text may hold a value
        raise SourceError(
            "The Spark cluster has no table {table!r}, or does not answer; check the URL and the name.",
            table=table,
        ) from None
    return SparkEngine(session, frame, names)


def executors_at(where: str) -> Executors:
    """Give the executors of a cluster, or of a Spark of this machine.

    Args:
        where: ``spark``, or ``spark://HOST:PORT``.

    Raises:
        SourceError: it is neither, or does not answer.
    """
    if where == "spark":
        return Executors(_session(HERE).sparkContext)
    _require_answer(masters_of(where))
    return Executors(_session(where.rstrip("/")).sparkContext)


def masters_of(url: str) -> list[tuple[str, int]]:
    """Give host and port of each master that a URL names.

    Raises:
        SourceError: it is no URL of a cluster.

    Example:
        >>> masters_of("spark://one.example.org:7077,two.example.org:7077")
        [('one.example.org', 7077), ('two.example.org', 7077)]
    """
    scheme, _, rest = url.partition("://")
    found = [_MASTER.fullmatch(part) for part in rest.rstrip("/").split(",")]
    masters = [(one[1].strip("[]"), int(one[2])) for one in found if one is not None]
    if scheme.lower() != "spark" or None in found or not all(0 < port < 1 << 16 for _, port in masters):
        raise SourceError(
            "This is no URL of a Spark cluster; write spark://HOST:PORT, and several masters as "
            "spark://HOST:PORT,HOST:PORT."
        )
    return masters


def _require_answer(masters: Sequence[tuple[str, int]]) -> None:
    """Refuse a cluster of which no master can be reached: Spark itself would try for a minute."""
    for master in masters:
        with suppress(OSError), socket.create_connection(master, timeout=PATIENCE):
            return
    raise SourceError(
        "The Spark cluster does not answer at {masters}; check the URL spark://HOST:PORT, and that this "
        "machine may reach it.",
        masters=tuple(f"{host}:{port}" for host, port in masters),
    )


def _session(master: str) -> Any:
    try:
        from pyspark.accumulators import AccumulatorServer
        from pyspark.sql import SparkSession
    except ImportError:
        raise SourceError(
            "Spark needs PySpark, which is not installed; run pip install 'hmpb[spark]', and install Java 17."
        ) from None
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = dict(_SETTINGS)
    if master.startswith("local"):
        os.environ.setdefault(
            "PYSPARK_PYTHON", sys.executable
        )  # Spark's own choice is the path's first python3
        settings["spark.sql.shuffle.partitions"] = str(2 * (os.cpu_count() or 1))
        settings["spark.driver.memory"] = "2g"
        settings["spark.driver.extraJavaOptions"] = "-Dorg.apache.logging.log4j.level=OFF"
    AccumulatorServer.handle_error = _say_nothing
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
    except Exception:  # noqa: BLE001 - whatever Java says
        raise SourceError(
            "Spark does not start: install Java 17, or check the address {master!r} of the cluster.",
            master=master,
        ) from None
    return session


def _say_nothing(*_: object) -> None:
    """In the place of the stack that a thread of PySpark prints when Java is gone: the statement says it."""
