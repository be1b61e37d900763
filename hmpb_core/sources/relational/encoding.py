"""The private table as compact codes in a temporary table of its engine: one pass, more for odd values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import mean_missing, missing_texts, refusal, refusal_of_all, require_columns
from hmpb_core.errors import SourceError
from hmpb_core.privacy.unit import Unit
from hmpb_core.sources.relational.columns import Kind
from hmpb_core.sources.relational.engine import Engine
from hmpb_core.sources.relational.expressions import (
    REFUSED,
    UNREAD,
    Encoded,
    Told,
    answered,
    code_name,
    encoded,
    literal,
    position_name,
)
from hmpb_core.sources.relational.people import PERSON, limited, person_sql

PILOT_ROWS = 50_000
"""Rows that are looked at first for values that an expression cannot read."""
MOST_ODD = 1_000_000
"""Different values of a column that may go through ``encoding`` one by one."""
MOST_CODES = 1000
"""Refused values of a column that are looked at to say whether they are its missing codes."""
FEW = 64
"""Entries of a lookup that are written into the statement; more become a table to join."""


def encode_into(engine: Engine, codebook: Codebook, unit: Unit) -> str:
    """Encode the private table, surplus rows of a person left out, and give the temporary table's name.

    Args:
        engine: Where the table is.
        codebook: Its public codebook.
        unit: Whose rows are protected together.

    Raises:
        SourceError: the table does not fit the codebook, has no row, or some row has no id.
    """
    require_columns([column.name for column in engine.columns], codebook)
    person = person_sql(engine, unit)
    columns = []
    for attribute in codebook.domain.attributes:
        column = engine.column(attribute.name)
        if column is None:
            column = answered(codebook.answers[attribute.name], codebook.answers.values(), engine)
        columns.append(encoded(column, attribute, missing_texts(codebook, attribute), engine.sql))
    told: dict[int, Told] = {}
    pilot = engine.keep(f"SELECT * FROM {engine.table()} LIMIT {PILOT_ROWS}")
    told |= _odd_values(engine, columns, range(len(columns)), f"{pilot} AS t")
    engine.drop(pilot)
    kept = engine.keep(_query(engine, columns, told, person))
    unread = _columns_with(engine, kept, columns, UNREAD)
    if unread:
        engine.drop(kept)
        told |= _odd_values(engine, columns, unread, engine.private())
        kept = engine.keep(_query(engine, columns, told, person))
    if person is not None:
        names = ", ".join(name for name, _ in _stored(columns))
        few = engine.keep(limited(engine, kept, names, unit))
        engine.drop(kept)
        kept = few
    if not int(engine.fetch(f"SELECT COUNT(*) AS n FROM {kept}")[0][0]):
        raise SourceError("The table has no rows; there is nothing to publish. Check the file.")
    if bad := _columns_with(engine, kept, columns, REFUSED):
        engine.drop(kept)
        raise refusal_of_all(
            {
                columns[i].attribute.name: refusal(
                    columns[i].attribute, missing_only=_missing_only(engine, columns[i], told.get(i))
                )
                for i in bad
            }
        )
    return kept


def _stored(columns: Sequence[Encoded]) -> list[tuple[str, int]]:
    """The columns of the temporary table, each with its attribute."""
    names = []
    for i, column in enumerate(columns):
        names.append((code_name(i), i))
        if column.position:
            names.append((position_name(i), i))
    return names


def _query(engine: Engine, columns: Sequence[Encoded], told: dict[int, Told], person: str | None) -> str:
    selected, joins = [], []
    for i, column in enumerate(columns):
        code, position = column.code, column.position
        if (odd := told.get(i)) is not None:
            values = [literal(value, engine.sql) for value in odd.values]
            if len(values) <= FEW:
                code = _or_looked_up(engine, column, code, values, odd.codes)
                if position:
                    position = _or_looked_up(engine, column, position, values, odd.positions)
            else:
                lookup = engine.store(values, odd.codes, odd.positions)
                joins.append(f"LEFT JOIN {lookup} AS m{i} ON m{i}.v = {column.column.sql}")
                code = f"COALESCE(m{i}.c, {code})"
                position = position and f"COALESCE(m{i}.p, {position})"
        selected.append(f"CAST({code} AS {engine.sql.small}) AS {code_name(i)}")
        if position:
            selected.append(f"CAST({position} AS BIGINT) AS {position_name(i)}")
    if person is not None:
        selected.append(f"{person} AS {PERSON}")
    return f"SELECT {', '.join(selected)} FROM {engine.private()} {' '.join(joins)}"


def _or_looked_up(
    engine: Engine, column: Encoded, expression: str, values: Sequence[str], results: Sequence[int]
) -> str:
    return f"COALESCE({engine.sql.lookup(column.column.sql, values, results)}, {expression})"


def _odd_values(
    engine: Engine, columns: Sequence[Encoded], which: Sequence[int], table: str
) -> dict[int, Told]:
    """Ask ``encoding`` about the different values that expressions cannot read: one pass for all columns."""
    asked = [i for i in which if str(UNREAD) in columns[i].code]
    if not asked:
        return {}
    odd = [
        f"CASE WHEN {columns[i].column.sql} IS NOT NULL AND ({columns[i].code}) = {UNREAD} "
        f"THEN {columns[i].column.sql} END AS v{i}"
        for i in asked
    ]
    names = [f"v{i}" for i in asked]
    query = (
        f"SELECT {', '.join(names)}, {', '.join(f'GROUPING({v}) AS g{v}' for v in names)} "
        f"FROM (SELECT {', '.join(odd)} FROM {table}) AS o "
        f"GROUP BY GROUPING SETS ({', '.join(f'({v})' for v in names)}) LIMIT {(MOST_ODD + 2) * len(asked)}"
    )
    arrays = engine.fetch(query)
    found = {}
    for place, i in enumerate(asked):
        column = columns[i]
        mine = np.ma.getdata(arrays[len(asked) + place]) == 0
        values = [v for v in arrays[place][mine].tolist() if v is not None]
        if len(values) > MOST_ODD:
            raise SourceError(
                "{column!r} has more than {most:,} different values that {engine} cannot read as they are "
                "written; save the table as Parquet with typed columns.",
                column=column.column.name,
                most=MOST_ODD,
                engine=engine.name,
            )
        if values:
            found[i] = Told.of([_python(value, column.column.kind) for value in values], column)
    return found


def _python(value: Any, kind: Kind) -> object:
    """A value as ``encoding`` meets it in memory."""
    if kind is Kind.WHOLE:
        return int(value)
    if kind is Kind.FLOAT:
        return float(value)
    return bool(value) if kind is Kind.TRUTH else str(value)


def _columns_with(engine: Engine, kept: str, columns: Sequence[Encoded], code: int) -> list[int]:
    names = ", ".join(f"MIN({code_name(i)}) AS {code_name(i)}" for i in range(len(columns)))
    least = engine.fetch(f"SELECT {names} FROM {kept}")
    found = [_whole(values[0]) for values in least]
    return [i for i, smallest in enumerate(found) if smallest is not None and smallest <= code]


def _whole(value: Any) -> int | None:
    if value is None or value is np.ma.masked or value != value:  # noqa: PLR0124 - not a number
        return None
    return int(value)


def _missing_only(engine: Engine, column: Encoded, told: Told | None) -> bool:
    """Whether missing values are all that a column's codebook entry refuses."""
    if column.null_code != REFUSED:
        return False
    x = column.column.sql
    present = f"{x} IS NOT NULL" + (
        f" AND NOT {engine.sql.is_nan(x)}" if column.column.kind is Kind.FLOAT else ""
    )
    (refused,) = engine.fetch(
        f"SELECT DISTINCT {x} AS v FROM {engine.private()} WHERE {present} AND ({column.code}) = {REFUSED} "
        f"LIMIT {MOST_CODES}"
    )
    odd = [v for v, code in zip(told.values, told.codes, strict=True) if code == REFUSED] if told else []
    return mean_missing([*refused.tolist(), *odd], column.missing)
