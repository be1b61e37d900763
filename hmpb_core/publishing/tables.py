"""Rows as files: csv that a spreadsheet opens without running anything, and Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import pandas as pd

from hmpb_core.domain import Categorical, Domain, Scalar

_TRIGGERS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What makes a spreadsheet read a text as a formula [OWASP, CSV injection]."""


def harmless(value: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would run. Numbers stay as they are.

    Example:
        >>> harmless("=1+1"), harmless("a=b"), harmless(-3)
        ("'=1+1", 'a=b', -3)
    """
    return f"'{value}" if isinstance(value, str) and value.lstrip(" ").startswith(_TRIGGERS) else value


def harmless_categories(attribute: Categorical) -> list[Scalar]:
    """The categories as the csv file writes them."""
    texts = any(isinstance(category, str) for category in attribute.categories)
    return [harmless(str(c)) if texts else c for c in attribute.categories]


def csv_of(frame: pd.DataFrame) -> bytes:
    """Write rows as csv: UTF-8, commas, missing values empty, formulas neutralised, headers too.

    Every csv file that leaves the package is written here.
    """
    safe = frame.copy(deep=False)
    for place, kind in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(
                place, frame.iloc[:, place].astype(object).map(harmless, na_action="ignore").to_numpy()
            )
    safe.columns = pd.Index([harmless(name) for name in frame.columns])
    return safe.to_csv(index=False, lineterminator="\n").encode()


def as_meant(frame: pd.DataFrame, domain: Domain) -> pd.DataFrame:
    """Read a csv file of this package back: takes the apostrophes away that ``csv_of`` put before formulas.

    Only names and categories of the domain are put back; every other text stays as it is.

    Args:
        frame: The file's rows, as texts.
        domain: The codebook's domain.
    """
    names = _meant(domain.names)
    frame = frame.rename(columns=names)
    for attribute in domain.attributes:
        if isinstance(attribute, Categorical) and attribute.name in frame.columns:
            texts = _meant(attribute.categories)
            if texts:
                column = frame[attribute.name].astype(object)
                frame[attribute.name] = column.map(lambda value, texts=texts: texts.get(value, value))
    return frame


def _meant(texts: Iterable[Scalar]) -> dict[Scalar, Scalar]:
    """What stands in a csv file for each text that is written otherwise there."""
    known = list(texts)
    return {harmless(text): text for text in known if harmless(text) != text and harmless(text) not in known}


def parquet_of(frame: pd.DataFrame) -> bytes:
    """Write rows as Parquet, typed, values as they are."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()
