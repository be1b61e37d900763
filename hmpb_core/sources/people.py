"""What must be known of a private table before it is counted: which table it is, and whose rows."""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Domain, text_of
from hmpb_core.errors import DomainError, SourceError
from hmpb_core.privacy.unit import Unit


def fingerprint(frame: pd.DataFrame, key: bytes) -> str:
    """Give a table's identity: the same for any order of rows and columns, csv or Parquet.

    Values are compared as texts (``1`` and ``1.0`` are one value, a missing value is an empty
    text). The digest is keyed, so that a fingerprint which gets out cannot be used to
    test guesses about the table.

    Args:
        frame: The table.
        key: The workspace's secret.
    """
    rows = np.zeros(len(frame), dtype=np.uint64)
    names = sorted(str(name) for name in frame.columns)
    columns = {str(name): frame[name] for name in frame.columns}
    for name in names:
        rows = rows * np.uint64(0x9E3779B97F4A7C15) + _column_hashes(columns[name], key)
        rows ^= rows >> np.uint64(29)
    digest = hmac.new(key, "\x1f".join(names).encode(), hashlib.sha256)
    digest.update(np.sort(rows).astype("<u8").tobytes())
    return digest.hexdigest()


def limit_rows(frame: pd.DataFrame, unit: Unit, rng: np.random.Generator) -> pd.DataFrame:
    """Keep at most ``unit.rows`` rows of each person, drawn at random.

    Which rows of a person stay depends on that person's rows alone, so that one person
    changes at most ``unit.rows`` rows of the result.

    Args:
        frame: The private table.
        unit: The unit of protection.
        rng: Draws which rows stay; never seeded in a release.

    Raises:
        SourceError: the id column is absent, or some row has no id.
    """
    if unit.column is None:
        return frame
    if unit.column not in frame.columns:
        raise SourceError(
            "The table lacks the id column {column!r} of its unit of protection; check the name.",
            column=unit.column,
        )
    order = rng.permutation(len(frame))
    people = pd.Series(_people(frame[unit.column])[order])
    kept = order[(people.groupby(people).cumcount() < unit.rows).to_numpy()]
    return frame.iloc[np.sort(kept)]


def require_unpublished(unit: Unit, domain: Domain) -> None:
    """Refuse a codebook that would publish the id column.

    Raises:
        DomainError: it declares the id column.
    """
    if unit.column is not None and unit.column in domain.names:
        raise DomainError(
            "{column!r} tells people apart and must not be published; remove it from the codebook.",
            column=unit.column,
        )


def _people(column: pd.Series) -> NDArray[np.intp]:
    codes, values = pd.factorize(column.astype(object), use_na_sentinel=True)
    texts = [text_of(value) for value in values]
    if (codes == -1).any() or "" in texts:
        raise SourceError(
            "The id column {column!r} is empty in some rows, so nobody knows whose they are; give every row "
            "an id, or remove those rows.",
            column=column.name,
        )
    people = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return np.array([people[text] for text in texts], dtype=np.intp)[codes]


def _column_hashes(column: pd.Series, key: bytes) -> NDArray[np.uint64]:
    codes, values = pd.factorize(column.astype(object), use_na_sentinel=True)
    texts = [*(text_of(value) for value in values), ""]  # a missing value has the code -1
    hashes = np.array(
        [
            int.from_bytes(hashlib.blake2b(text.encode(), key=key, digest_size=8).digest(), "little")
            for text in texts
        ],
        dtype=np.uint64,
    )
    return hashes[codes]
