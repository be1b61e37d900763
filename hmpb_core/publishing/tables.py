"""Rows as files: csv that a spreadsheet opens without running anything, and Parquet."""

from __future__ import annotations

import io
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


def csv_of(frame: pd.DataFrame, domain: Domain) -> bytes:
    """Write rows as csv: UTF-8, commas, missing values empty, formulas neutralised."""
    safe = frame.copy()
    for attribute in domain.attributes:
        if isinstance(attribute, Categorical) and any(isinstance(c, str) for c in attribute.categories):
            safe[attribute.name] = safe[attribute.name].map(harmless, na_action="ignore")
    safe.columns = pd.Index([harmless(name) for name in safe.columns])
    return safe.to_csv(index=False, lineterminator="\n").encode()


def parquet_of(frame: pd.DataFrame) -> bytes:
    """Write rows as Parquet, typed, values as they are."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()
