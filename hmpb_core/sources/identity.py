"""The names by which a workspace knows a private table, in memory or in an engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd

from hmpb_core.sources.fingerprint import HashedTable, canonical, legacy_fingerprint
from hmpb_core.sources.locations import PrivateTable
from hmpb_core.sources.relational.identity import MARK
from hmpb_core.sources.relational.table import EngineTable

Compared = HashedTable | EngineTable
"""A private table as a workspace compares it: in memory with its values' digests, which are told once."""


def compared(table: PrivateTable, key: bytes) -> Compared:
    """Give a table as a workspace compares it.

    Args:
        table: The private table.
        key: The workspace's secret.
    """
    return table if isinstance(table, EngineTable) else HashedTable(table, key)


def names_of(table: Compared, key: bytes) -> Iterator[str]:
    """Give the fingerprints under which this content may stand in a ledger, but ``sum_of``.

    The first is that under which a table is registered; each is told when it is asked for.

    Args:
        table: The private table.
        key: The workspace's secret.
    """
    if isinstance(table, EngineTable):
        yield table.digest(key)
    else:
        yield table.fingerprint()
        yield legacy_fingerprint(table.frame, key)


def is_sum(name: str) -> bool:
    """Whether a fingerprint was summed up by an engine."""
    return name.startswith(MARK)


def sum_of(table: Compared, key: bytes) -> str:
    """Give the digest that an engine sums up: a table in memory is found again where it stays out.

    Args:
        table: The table.
        key: The workspace's secret.
    """
    with in_engine(table) as inside:
        return inside.digest(key)


@contextmanager
def in_engine(table: Compared) -> Iterator[EngineTable]:
    """Give a table as an engine has it, a table in memory for as long as that is needed."""
    if isinstance(table, EngineTable):
        yield table
        return
    import pyarrow as pa

    from hmpb_core.sources.relational.embedded import DuckDBEngine

    frame = table.frame
    columns = [_column(frame[name]) for name in frame.columns]
    engine = DuckDBEngine().over_table(pa.table(columns, names=[str(name) for name in frame.columns]))
    try:
        yield EngineTable(engine=engine)
    finally:
        engine.close()


def _column(column: pd.Series) -> object:
    import pyarrow as pa

    if column.dtype != object:
        try:
            return pa.array(column, from_pandas=True)
        except (pa.ArrowException, ValueError, TypeError):
            pass
    values = column.astype(object)
    return pa.array(
        [None if null else canonical(v) for v, null in zip(values, column.isna(), strict=True)], pa.string()
    )
