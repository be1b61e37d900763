"""The unit of protection, in an engine: at most m rows of each person, drawn at random."""

from __future__ import annotations

from hmpb_core.errors import SourceError
from hmpb_core.privacy.unit import Unit
from hmpb_core.sources.relational.columns import Kind
from hmpb_core.sources.relational.engine import Engine

PERSON = "person"


def person_sql(engine: Engine, unit: Unit) -> str | None:
    """The expression that tells people apart as ``sources.people`` does: null where a row has no id.

    Raises:
        SourceError: the id column is absent.
    """
    if unit.column is None:
        return None
    column = engine.column(unit.column)
    if column is None:
        raise SourceError(
            "The table lacks the id column {column!r} of its unit of protection; check the name.",
            column=unit.column,
        )
    column = column.required()
    if column.kind is Kind.FLOAT:
        return f"CASE WHEN {engine.sql.is_nan(column.sql)} THEN NULL ELSE {column.sql} END"
    if column.kind in (Kind.WHOLE, Kind.TRUTH):
        return column.sql
    return f"NULLIF({engine.sql.strip(column.texts().sql)}, '')"


def limited(engine: Engine, kept: str, columns: str, unit: Unit) -> str:
    """The query that keeps at most ``unit.rows`` rows of each person of a temporary table, drawn anew.

    Args:
        engine: The engine.
        kept: A temporary table with the column ``PERSON``.
        columns: Its other columns, as they are selected.
        unit: The unit of protection.

    Raises:
        SourceError: some row has no id.
    """
    (nobodies,) = engine.fetch(f"SELECT COUNT(*) AS n FROM {kept} WHERE {PERSON} IS NULL")
    if int(nobodies[0]):
        raise nobody(unit)
    ranked = (
        f"SELECT {columns}, ROW_NUMBER() OVER (PARTITION BY {PERSON} ORDER BY {engine.sql.random()}) AS nth "
        f"FROM {kept}"
    )
    return f"SELECT {columns} FROM ({ranked}) AS r WHERE nth <= {unit.rows}"


def nobody(unit: Unit) -> SourceError:
    """Give the refusal of rows without an id."""
    return SourceError(
        "The id column {column!r} is empty in some rows, so nobody knows whose they are; give every row "
        "an id, or remove those rows.",
        column=unit.column,
    )
