"""Which table it is, where its rows stay: a keyed digest that an engine sums up in any order of rows."""

from __future__ import annotations

import hashlib
import hmac

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
    texts = " || '\x1f' || ".join(f"COALESCE({canonical_sql(column, sql)}, '')" for column in columns)
    secret = sql.text(hmac.new(key, b"rows", hashlib.sha256).hexdigest())
    parts = [f"SUM({sql.hex_number(f'SUBSTR(h, {8 * part + 1}, 8)')})" for part in range(_PARTS)]
    sums = ", ".join(f"{sql.to_text(part)} AS s{place}" for place, part in enumerate(parts))
    query = (
        f"SELECT {sums}, COUNT(*) AS n FROM "
        f"(SELECT MD5({secret} || {texts or repr('')}) AS h FROM {engine.private()}) AS d"
    )
    found = [str(column[0]) for column in engine.fetch(query)]
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for text in [*(column.name.strip() for column in columns), "", *found]:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\x1f")
    return MARK + digest.hexdigest()


def canonical_sql(column: Column, sql: Dialect) -> str:
    """The one text of a value, whatever type a file gave it."""
    if column.kind is Kind.WHOLE:
        return sql.to_text(sql.to_double(column.sql))
    if column.kind is Kind.FLOAT:
        number = sql.to_double(column.as_text or column.sql)  # 0.1 is 0.1 in any width
        return f"CASE WHEN {sql.is_nan(column.sql)} THEN '' ELSE {_number(number, sql)} END"
    if column.kind is Kind.TRUTH:
        return f"CASE WHEN {column.sql} THEN 'true' WHEN NOT {column.sql} THEN 'false' END"
    text = sql.strip(column.as_text or column.sql)
    missing = ", ".join(sql.text(word) for word in sorted(MISSING))
    cases = [
        f"WHEN LOWER({text}) IN ({missing}) THEN ''",
        f"WHEN LOWER({text}) IN ('true', 'false') THEN LOWER({text})",
        f"WHEN LENGTH({text}) <= {_DIGITS} AND {sql.matches(text, _NUMBER)} "
        f"THEN {_number(sql.parsed_number(text), sql)}",
    ]
    cases += [f"WHEN {when} THEN {then}" for when, then in sql.canonical_moments(text)]
    return f"CASE {' '.join(cases)} ELSE {text} END"


def _number(x: str, sql: Dialect) -> str:
    return f"CASE WHEN {x} = 0 THEN {sql.to_text(sql.number(0))} ELSE {sql.to_text(x)} END"
