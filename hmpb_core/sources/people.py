"""What must be known of a private table before it is counted: whose rows are whose."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.encoding import told_apart
from hmpb_core.errors import DomainError, SourceError
from hmpb_core.privacy.unit import Unit
from hmpb_core.texts import text_of


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


def surplus_share(frame: pd.DataFrame, unit: Unit) -> float:
    """Give the part of the rows that ``limit_rows`` leaves out of a table that it takes. Private.

    Example:
        >>> surplus_share(pd.DataFrame({"id": [7, 7, 7, 8]}), Unit.parse("id:2"))
        0.25
    """
    if unit.column is None or not len(frame):
        return 0.0
    rows = np.bincount(_people(frame[unit.column]))
    return float(np.maximum(rows - unit.rows, 0).sum() / len(frame))


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
    codes, values = pd.factorize(told_apart(column).astype(object), use_na_sentinel=True)
    texts = [text_of(value) for value in values]
    if (codes == -1).any() or "" in texts:
        raise SourceError(
            "The id column {column!r} is empty in some rows, so nobody knows whose they are; give every row "
            "an id, or remove those rows.",
            column=column.name,
        )
    people = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return np.array([people[text] for text in texts], dtype=np.intp)[codes]
