"""Which table of a database, and which files of a folder, are meant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hmpb_core.errors import SourceError


def table_among(found: Sequence[tuple[str, str]], table: str | None, *, where: str) -> tuple[str, str]:
    """Give schema and name of the table that is meant: the only one where none is named.

    Raises:
        SourceError: there is none of that name, or several.
    """
    matching = [
        (schema, name) for schema, name in found if table is None or table in (name, f"{schema}.{name}")
    ]
    if len(matching) == 1:
        return matching[0]
    names = tuple(repr(name) for _, name in found[:8])
    if table is None:
        raise SourceError(
            "{where} holds several tables or none; name one with --table. There are: {tables}.",
            where=where,
            tables=names or "none",
        )
    raise SourceError(
        "{where} has no table {table!r}, or several in different schemas; name one with --table, as "
        "SCHEMA.NAME if need be. There are: {tables}.",
        where=where,
        table=table,
        tables=names or "none",
    )


def other_columns(file: str, first: str) -> SourceError:
    """Give the refusal of files that do not make one table."""
    return SourceError(
        "{file} has other columns than {first}; files of one table have the same columns.",
        file=repr(Path(file).name),
        first=repr(Path(first).name),
    )


def other_types(file: str, first: str, column: str) -> SourceError:
    """Give the refusal of files of which a column's types do not go together."""
    return SourceError(
        "The column {column!r} is of another type in {file} than in {first} or in a file between them, and "
        "DuckDB would change its values; save all files with one type, or use --engine memory.",
        column=column,
        file=repr(Path(file).name),
        first=repr(Path(first).name),
    )
