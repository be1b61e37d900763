"""Values that no category lists and that a codebook lets pass all the same: for the steward alone.

A list in other words than the file's would make nearly all of a column missing, and say nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical
from hmpb_core.encoding import encode_values, missing_texts
from hmpb_core.publishing.zones import Labelled, steward_only
from hmpb_core.sources.locations import PrivateTable

FAIR = 0.1
"""Part of a column's values from which on it is said that a category for the others takes them."""


def unlisted_shares(
    table: PrivateTable, codebook: Codebook
) -> Labelled[tuple[tuple[Categorical, float], ...]]:
    """Find the lists that do not hold all of their columns' values, each with the part that it does not.

    Exact and private: nothing is refused or changed because of it, and it reaches no file.

    Args:
        table: The private table. One that stays in an engine is not looked at.
        codebook: Its public codebook.
    """
    if not isinstance(table, pd.DataFrame):
        return steward_only(())
    lists = [
        attribute
        for attribute in codebook.domain.attributes
        if isinstance(attribute, Categorical)
        and attribute.unknown is not None
        and attribute.name in table.columns
    ]
    shares = ((one, _share(table[one.name], one, missing_texts(codebook, one))) for one in lists)
    return steward_only(tuple((one, share) for one, share in shares if share))


def counted(column: pd.Series) -> tuple[NDArray[np.object_], NDArray[np.int64]]:
    """Give the different values of a column that are not null, and the rows of each. Private."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    places, values = pd.factorize(column, use_na_sentinel=True)
    return np.asarray(values, dtype=object), np.bincount(places[places >= 0], minlength=len(values))


def _share(column: pd.Series, attribute: Categorical, missing: frozenset[str]) -> float:
    """The part of a column's present values that no category takes by itself."""
    values, rows = counted(column)
    strict = replace(attribute, unknown=None, nullable=True)
    codes = encode_values(values, strict, missing)
    present = codes != strict.size - 1
    return int(rows[codes < 0].sum()) / max(1, int(rows[present].sum()))
