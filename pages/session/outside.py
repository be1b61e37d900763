"""A table whose rows stay in an engine, and the few of them that a session may look at."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hmpb_core.sources.relational.table import EngineTable

MOST_ROWS = 50_000
"""Rows that are drawn."""
MOST_CELLS = 2_000_000
"""Cells that are drawn: fewer rows of a wide table."""


class Outside:
    """A table in an engine, with some rows drawn at random when they are first needed, and then kept.

    Its repr shows nothing of it.

    Args:
        table: The table in its engine.
    """

    def __init__(self, table: EngineTable) -> None:
        self.table = table
        self._rows: pd.DataFrame | None = None

    @property
    def rows(self) -> pd.DataFrame:
        """Rows drawn at random without putting any back; the same ones each time.

        Raises:
            SourceError: the engine stopped.
        """
        if self._rows is None:
            most = max(1, min(MOST_ROWS, MOST_CELLS // max(1, len(self.table.columns))))
            self._rows = self.table.drawn(most, np.random.default_rng())
        return self._rows
