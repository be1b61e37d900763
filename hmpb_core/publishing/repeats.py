"""What a table says twice: columns like another one, and identifiers of several rows. For the steward alone.

Of two such columns both are paid for, and two drawn copies drift apart. Which they are is read off the rows,
exactly: to leave one of them out is safe where it is known from the form or the program that wrote the table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pandas as pd

from hmpb_core.publishing.zones import Labelled, steward_only
from hmpb_core.sources.drafting.never_published import role_by_name

START = 10_000
"""Rows by which most columns are told apart, which spares large tables a look at all of them."""
MOSTLY_DISTINCT = 0.5
"""Part of the rows from which on that many different values go one to one with another column's by chance."""
FEWEST = 5
"""Rows beside those of its commonest value that a column must have to say what another one says."""


def repeated_columns(frame: pd.DataFrame, names: Sequence[str]) -> Labelled[tuple[tuple[str, str], ...]]:
    """Find columns whose values go one to one with those of an earlier column.

    Columns in which fewer than five rows have another value than most are none, since what holds of so few
    holds by chance, and of mostly different values only those that are equal.

    Args:
        frame: The private table, n rows.
        names: The columns to look at.

    Returns:
        Each such column, and the first one that says the same.
    """
    by_start: dict[bytes, list[str]] = {}
    for name in names:
        by_start.setdefault(_digest(frame[name].head(START)), []).append(name)
    first: dict[bytes, str] = {}
    found = {}
    for name in (name for alike in by_start.values() if len(alike) > 1 for name in alike):
        if (digest := _digest(frame[name])) and (other := first.setdefault(digest, name)) != name:
            found[name] = other
    return steward_only(tuple((name, found[name]) for name in names if name in found))


def shared_ids(frame: pd.DataFrame) -> Labelled[tuple[str, ...]]:
    """Find columns that identify somebody, by their names, and have one value in several rows.

    Where one of them tells people apart, a row is not a person.

    Example:
        >>> shared_ids(pd.DataFrame({"patient_id": ["a", "b", "a"], "age": [1, 1, 1]})).value
        ('patient_id',)
    """
    names = [name for name in frame.columns if role_by_name(str(name)) == "identifier"]
    return steward_only(tuple(str(name) for name in names if _filled(frame[name]).duplicated().any()))


def _filled(column: pd.Series) -> pd.Series:
    present = column.dropna()
    return present[present.astype(str).str.strip() != ""]


def _digest(column: pd.Series) -> bytes:
    """What is the same for two columns that say the same; empty for a column of nearly one value."""
    codes, values = pd.factorize(column, use_na_sentinel=False)
    if len(codes) - np.bincount(codes, minlength=1).max() < FEWEST:
        return b""
    digest = hashlib.blake2b(codes.tobytes())
    if len(values) > MOSTLY_DISTINCT * len(codes):
        digest.update("\0".join(map(str, values)).encode("utf-8", "surrogatepass"))
    return digest.digest()
