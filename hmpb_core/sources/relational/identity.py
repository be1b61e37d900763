"""Which table it is, where its rows stay: a keyed digest that an engine sums up in any order of rows."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from hmpb_core.sources.fingerprint import MISSING
from hmpb_core.sources.relational.columns import Column, Kind
from hmpb_core.sources.relational.dialect import Dialect
from hmpb_core.sources.relational.engine import Engine

MARK = "sum:"
"""Beginning of such a digest, so that it is taken for no ``fingerprint``."""
_NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?"
_DIGITS = 200
_PARTS = 4


def digest_of(engine: Engine, key: bytes) -> str:
    """Give a table's identity: the same for any order of rows and columns, csv or Parquet.

    Values are compared by one text each, as in ``fingerprint`` (numbers as floats of 64 bits, so that ``1``,
    ``1.0`` and ``1e0`` are one; moments without parts that are zero). A row is the keyed MD5 of its texts;
    the table is the sum of its rows' digests, in four parts of 32 bits, under an HMAC. Without the key nobody
    can look for two tables of one sum, nor test a guess.

    Args:
        engine: Where the table is.
        key: The workspace's secret.

    Raises:
        SourceError: the engine stopped.
    """
    sql = engine.sql
    columns = sorted((c for c in engine.columns if c.kind is not Kind.OTHER), key=lambda column: column.name)
    parts = [f"SUM({sql.hex_number(f'SUBSTR(h, {8 * part + 1}, 8)')})" for part in range(_PARTS)]
    sums = ", ".join(f"{sql.to_text(part)} AS s{place}" for place, part in enumerate(parts))
    rows = digests_of_rows(engine, columns, hmac.new(key, b"rows", hashlib.sha256).hexdigest())
    found = [str(column[0]) for column in engine.fetch(f"SELECT {sums}, COUNT(*) AS n FROM ({rows}) AS d")]
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for text in [*(column.name.strip() for column in columns), "", *found]:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\x1f")
    return MARK + digest.hexdigest()


def digests_of_rows(engine: Engine, columns: Sequence[Column], secret: str) -> str:
    """Give the query of the keyed MD5 of each row, as h.

    Args:
        engine: Where the table is.
        columns: The columns that count, in order.
        secret: What no one else knows.
    """
    values, texts = _canonical(columns, engine.sql)
    parts = [engine.sql.text(secret), *(f"COALESCE({text}, '') || '\x1f'" for text in texts[:-1])]
    row = _joined([*parts, *(f"COALESCE({text}, '')" for text in texts[-1:])])
    return f"SELECT MD5({row}) AS h FROM (SELECT {', '.join(values) or '1'} FROM {engine.private()}) AS v"


def _joined(parts: Sequence[str]) -> str:
    """Texts behind each other, joined by halves: one by one a row's text would be copied once a column."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return f"({_joined(parts[:half])} || {_joined(parts[half:])})"


def _canonical(columns: Sequence[Column], sql: Dialect) -> tuple[list[str], list[str]]:
    """What to select of the table, and the one text of each value over that, whatever type a file gave it."""
    values, texts = [], []
    for place, column in enumerate(columns):
        value = f"v{place}"
        if column.kind is Kind.WHOLE:
            values.append(column.sql)
            texts.append(sql.to_text(sql.to_double(value)))
        elif column.kind is Kind.FLOAT:
            # 0.1 is 0.1 in any width
            written = sql.to_double(column.as_text or column.sql)
            values.append(f"CASE WHEN {sql.is_nan(column.sql)} THEN NULL ELSE {written} END")
            texts.append(_number(value, sql))
        elif column.kind is Kind.TRUTH:
            values.append(column.sql)
            texts.append(f"CASE WHEN {value} THEN 'true' WHEN NOT {value} THEN 'false' END")
        elif column.kind is Kind.DATE:
            values.append(column.as_text)
            texts.append(value)
        else:
            values.append(sql.strip(column.as_text or column.sql))  # once, not in every branch
            texts.append(_text(value, sql))
        values[-1] += f" AS {value}"
    return values, texts


def _text(x: str, sql: Dialect) -> str:
    """The one text of a text without blanks at its ends."""
    missing = ", ".join(sql.text(word) for word in sorted(MISSING))
    cases = [
        f"WHEN LOWER({x}) IN ({missing}) THEN ''",
        f"WHEN LOWER({x}) IN ('true', 'false') THEN LOWER({x})",
        f"WHEN LENGTH({x}) <= {_DIGITS} AND {sql.matches(x, _NUMBER)} "
        f"THEN {_number(sql.parsed_number(x), sql)}",
    ]
    cases += [f"WHEN {when} THEN {then}" for when, then in sql.canonical_moments(x)]
    return f"CASE {' '.join(cases)} ELSE {x} END"


def _number(x: str, sql: Dialect) -> str:
    return f"CASE WHEN {x} = 0 THEN {sql.to_text(sql.number(0))} ELSE {sql.to_text(x)} END"
