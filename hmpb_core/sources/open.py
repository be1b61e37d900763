"""From a table, its codebook and its unit of protection to a source."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode, encode_table
from hmpb_core.privacy.unit import Unit
from hmpb_core.sources.base import TableSource
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.people import limit_rows, require_unpublished
from hmpb_core.sources.relational.table import EngineTable

ROW = Unit(column=None, rows=1)


def open_source(table: pd.DataFrame | EngineTable, codebook: Codebook, unit: Unit = ROW) -> TableSource:
    """Give the source of a private table: its rows in codes, surplus rows of a person left out.

    Args:
        table: The private table, in memory or in an engine; see ``locations.open_table``.
        codebook: Its public codebook.
        unit: Whose rows are protected together; which of a person's surplus rows are dropped is drawn anew
            each time, by the operating system's entropy.

    Raises:
        SourceError: the table does not fit the codebook, or some row has no id.
        DomainError: the codebook would publish the id column.

    Example:
        >>> codebook = Codebook.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]}]})
        >>> table = pd.DataFrame({"person": [1, 1, 2], "smokes": ["no", "no", "yes"]})
        >>> open_source(table, codebook, Unit.parse("person:1")).marginal([0]).counts.tolist()
        [1, 1, 0]
    """
    require_unpublished(unit, codebook.domain)
    if isinstance(table, EngineTable):
        return table.source(codebook, unit)
    kept = encode_table(limit_rows(table, unit, np.random.default_rng()), codebook)
    return MemorySource(kept.codes, codebook.domain, kept.fine, codebook.rules)


def require_fitting(table: pd.DataFrame | EngineTable, codebook: Codebook | None, unit: Unit) -> None:
    """Refuse a table that does not fit its codebook, or whose unit's id column does not serve.

    Raises:
        SourceError: it does not.
    """
    if isinstance(table, EngineTable):
        if codebook is not None:
            table.source(codebook, unit)
        else:
            table.require_ids(unit)
        return
    kept = limit_rows(table, unit, np.random.default_rng())
    if codebook is not None:
        encode(kept, codebook)
