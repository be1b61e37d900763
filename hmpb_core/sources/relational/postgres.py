"""PostgreSQL: the private table stays in its server, which encodes and counts it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from hmpb_core.errors import HmpbError, SourceError
from hmpb_core.sources.relational.arrays import Arrays, array_of
from hmpb_core.sources.relational.choosing import table_among
from hmpb_core.sources.relational.columns import Column, Kind
from hmpb_core.sources.relational.dialect import BLANKS, Dialect
from hmpb_core.sources.relational.engine import Engine

PORT = 5432
_WHOLE = ("smallint", "integer", "bigint")
_TEXTS = ("text", "character varying", "character", "uuid", "numeric", "time without time zone")


class PostgresDialect(Dialect):
    """PostgreSQL's SQL."""

    double = "DOUBLE PRECISION"
    varchar = "TEXT"

    def is_nan(self, x: str) -> str:
        """Whether a float is not a number."""
        return f"({x} = CAST('NaN' AS DOUBLE PRECISION))"

    def rint(self, x: str) -> str:
        """The nearest whole number, the even one of two."""
        return f"ROUND({x})"

    def matches(self, x: str, pattern: str) -> str:
        """Whether a text is wholly of a pattern."""
        return f"({x} ~ {self.text(f'^({pattern})$')})"

    def strip(self, x: str) -> str:
        """A text without blanks at its ends."""
        return f"BTRIM({x}, {self.text(BLANKS)})"

    def days(self, x: str) -> str:
        """Days from 1970-01-01 to a date."""
        return f"({x} - DATE '1970-01-01')"

    def microseconds(self, x: str) -> str:
        """Microseconds from 1970-01-01 to a moment."""
        return f"CAST(EXTRACT(EPOCH FROM {x}) * 1000000 AS BIGINT)"

    def hex_number(self, x: str) -> str:
        """The whole number that a text of eight hexadecimal digits writes."""
        return f"CAST(CAST('x' || {x} AS BIT(32)) AS BIGINT)"


class PostgresEngine(Engine):
    """A table of a PostgreSQL server; needs the right to read it and to make temporary tables.

    One connection, in a transaction that sees the table as it was when it began (``REPEATABLE READ``): what
    others write meanwhile changes no count between two rounds. Nothing is ever committed.

    Args:
        connection: A DB-API connection.
        schema: The table's schema.
        table: The table's name.
        columns: Its columns' names and types.
    """

    name = "PostgreSQL"
    sql = PostgresDialect()

    def __init__(self, connection: Any, schema: str, table: str, columns: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._connection = connection
        self._table = f"{self.sql.name(schema)}.{self.sql.name(table)} AS t"
        self._columns = tuple(column_of(name, kind) for name, kind in columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the private table."""
        return self._columns

    def table(self) -> str:
        """What stands after FROM for the private table."""
        return self._table

    def version(self) -> Hashable:
        """Always the same: the transaction sees the table as it was when it began."""
        return self._table

    def fetch(self, query: str) -> Arrays:
        """Run a query and give its columns."""
        with self.working():
            cursor = self._connection.cursor()
            cursor.execute(query)
            rows = cursor.fetchall()
            width = len(cursor.description)
        return [array_of([row[place] for row in rows]) for place in range(width)]

    def keep(self, query: str) -> str:
        """Keep what a query gives in a temporary table of this session."""
        name = self.new_name()
        with self.working():
            self._connection.cursor().execute(f"CREATE TEMPORARY TABLE {name} AS {query}")
        return name

    def drop(self, name: str) -> None:
        """Forget a temporary table."""
        with self.working():
            self._connection.cursor().execute(f"DROP TABLE {name}")

    def close(self) -> None:
        """End the session; its temporary tables go with it."""
        with suppress(Exception):
            self._connection.close()


def column_of(name: str, of: str) -> Column:
    """Judge a column by PostgreSQL's name of its type."""
    sql = PostgresEngine.sql
    x = f"t.{sql.name(name)}"
    if of in _WHOLE:
        return Column(name=name, kind=Kind.WHOLE, sql=x)
    if of in ("real", "double precision"):
        return Column(name=name, kind=Kind.FLOAT, sql=sql.to_double(x), as_text=sql.to_text(x))
    if of == "boolean":
        return Column(name=name, kind=Kind.TRUTH, sql=x)
    if of in _TEXTS or of == "USER-DEFINED":  # enumerations
        text = sql.to_text(x)
        return Column(name=name, kind=Kind.TEXT, sql=text, as_text=text)
    if of == "date":
        return Column(name=name, kind=Kind.DATE, sql=x, as_text=sql.to_text(x))
    if of == "timestamp without time zone":
        return Column(name=name, kind=Kind.MOMENT, sql=x, as_text=sql.to_text(x))
    if of == "timestamp with time zone":
        moment = f"({x} AT TIME ZONE 'UTC')"
        return Column(name=name, kind=Kind.MOMENT, sql=moment, as_text=f"({sql.to_text(moment)} || 'Z')")
    return Column(name=name, kind=Kind.OTHER, sql=x)


def of_server(url: str, table: str | None) -> PostgresEngine:
    """Open a table by ``postgresql://USER@HOST:PORT/DATABASE``.

    A host that begins with / is a socket's folder. A password that the URL leaves out is taken from the
    environment (``PGPASSWORD``).

    Raises:
        SourceError: there is no driver, no server, no right to connect, or no such table.
    """
    try:
        import pg8000.dbapi
    except ImportError:
        raise SourceError(
            "PostgreSQL needs a driver that is not installed; run pip install 'hmpb[postgresql]'."
        ) from None
    settings = _settings(url)
    try:
        connection = pg8000.dbapi.connect(**settings)
    except Exception:  # noqa: BLE001 - the driver's text may hold a password
        raise SourceError(
            "The PostgreSQL server {server!r} cannot be reached, or refuses this user; check the URL "
            "postgresql://USER@HOST:PORT/DATABASE and PGPASSWORD.",
            server=str(settings.get("host") or settings.get("unix_sock") or ""),
        ) from None
    try:
        cursor = connection.cursor()
        for setting in (
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            "SET LOCAL datestyle = 'ISO, YMD'",
            "SET LOCAL standard_conforming_strings = on",
            "SET LOCAL extra_float_digits = 1",
        ):
            cursor.execute(setting)
        cursor.execute(
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
        )
        found = [(str(schema), str(name)) for schema, name in cursor.fetchall()]
        schema, name = table_among(found, table, where=repr(str(settings["database"])))
        cursor.execute(
            "SELECT column_name, data_type FROM information_schema.columns "
            "WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position",
            (schema, name),
        )
        columns = [(str(column), str(kind)) for column, kind in cursor.fetchall()]
    except HmpbError:
        connection.close()
        raise
    except Exception:  # noqa: BLE001 - the server's text is not ours to show
        raise SourceError(
            "The PostgreSQL server {server!r} answers, but does not tell its tables; check the user's "
            "rights.",
            server=str(settings.get("host") or settings.get("unix_sock") or ""),
        ) from None
    return PostgresEngine(connection, schema, name, columns)


def _settings(url: str) -> dict[str, Any]:
    """What a URL says, as the driver takes it; ``?host=/folder`` names a socket as libpq does."""
    import os

    try:
        parts = urlsplit(url)
        port = parts.port or PORT
        asked = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    except ValueError:
        raise SourceError(
            "This is no URL of a PostgreSQL database; write postgresql://USER@HOST:PORT/DATABASE."
        ) from None
    user = unquote(parts.username or asked.get("user") or os.environ.get("PGUSER") or "postgres")
    settings: dict[str, Any] = {
        "user": user,
        "password": unquote(parts.password) if parts.password else os.environ.get("PGPASSWORD"),
        "database": unquote(parts.path.lstrip("/")) or user,
        "timeout": None,
    }
    host = unquote(parts.hostname or asked.get("host") or os.environ.get("PGHOST") or "localhost")
    port = int(asked.get("port", port))
    if host.startswith("/"):
        return settings | {"unix_sock": f"{host}/.s.PGSQL.{port}"}
    return settings | {"host": host, "port": port}
