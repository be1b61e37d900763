"""Some rows of a table that stays in an engine, drawn at random: for drafts and looks, not for releases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.sources.relational.columns import Column, Kind
from hmpb_core.sources.relational.engine import Engine

_SPARE = 6.0
"""Standard deviations by which more rows are asked for than are wanted."""


def drawn_rows(engine: Engine, most: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw rows at random without putting any back: one pass, in which the engine tosses a coin for each row.

    The coin is made to give somewhat more rows than wanted; which of them stay is drawn here, so that every
    set of so many rows is as likely as every other one. Values are those that ``encoding`` would meet: dates
    and moments as texts. Columns of lists, bytes and the like are empty.

    Args:
        engine: Where the table is.
        most: Number of rows; all of them where there are no more.
        rng: Draws.

    Raises:
        SourceError: the engine stopped.
    """
    columns = engine.columns
    (count,) = engine.fetch(f"SELECT COUNT(*) AS n FROM {engine.table()}")
    total = int(count[0])
    part = (most + _SPARE * math.sqrt(most) + _SPARE**2) / max(total, 1)
    coin = f" WHERE {engine.sql.random()} < {part!r}" if part < 1 else ""
    shown = ", ".join(f"{_shown(column)} AS v{place}" for place, column in enumerate(columns))
    arrays = engine.fetch(f"SELECT {shown} FROM {engine.private()}{coin}")
    found = len(arrays[0]) if arrays else 0
    kept = np.sort(rng.permutation(found)[:most])
    return pd.DataFrame(
        {
            column.name: _values(array[kept], column.kind)
            for column, array in zip(columns, arrays, strict=True)
        }
    )


def _shown(column: Column) -> str:
    if column.kind is Kind.OTHER:
        return "NULL"
    return column.as_text if column.kind in (Kind.DATE, Kind.MOMENT) else column.sql


def _values(array: Any, kind: Kind) -> Any:
    """Values with what is missing as pandas writes it."""
    values = np.ma.getdata(array).astype(object)
    values[np.ma.getmaskarray(array)] = None
    series = pd.Series(values, dtype=object)
    if kind is Kind.WHOLE:
        return series.astype("Int64")
    if kind is Kind.FLOAT:
        return series.astype("Float64")
    return series.astype("boolean") if kind is Kind.TRUTH else series
