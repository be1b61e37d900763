"""A private table in an engine, before it has a codebook."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.privacy.unit import Unit
from hmpb_core.sources.relational.drawing import drawn_rows
from hmpb_core.sources.relational.engine import Engine
from hmpb_core.sources.relational.identity import digest_of
from hmpb_core.sources.relational.near import ALL, RowSample, sample_of
from hmpb_core.sources.relational.people import nobody, person_sql
from hmpb_core.sources.relational.source import RelationalSource, open_in


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTable:
    """A private table that stays where it is. Its repr shows nothing of it.

    Attributes:
        engine: The engine that reads it.
    """

    engine: Engine = field(repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.engine.columns)

    def require_values(self, names: Collection[str]) -> None:
        """Refuse columns that cannot be encoded.

        Raises:
            SourceError: one of them holds lists, bytes or the like.
        """
        for column in self.engine.columns:
            if column.name in names:
                column.required()

    @property
    def n_rows(self) -> int:
        """Number of rows, surplus rows of a person among them. Private."""
        with self.engine.lock:
            (count,) = self.engine.fetch(f"SELECT COUNT(*) AS n FROM {self.engine.table()}")
        return int(count[0])

    def digest(self, key: bytes) -> str:
        """Give the table's keyed identity; see ``identity``. One pass, again once the table has changed."""
        return self._known(("digest", key), lambda: digest_of(self.engine, key))

    def drawn(self, most: int, rng: np.random.Generator) -> pd.DataFrame:
        """Give rows drawn at random, for the steward's eyes; see ``drawing``. Private.

        Args:
            most: Number of rows; all of them where there are no more.
            rng: Draws.

        Raises:
            SourceError: the engine stopped.
        """
        with self.engine.lock:
            return drawn_rows(self.engine, most, rng)

    def sample(
        self, key: bytes, *, columns: tuple[str, ...] | None = None, below: int = ALL
    ) -> RowSample | None:
        """Give what recognises this table once a little of it has changed; see ``near``. One pass, kept."""

        def work() -> str:
            found = sample_of(self.engine, key, columns=columns, below=below)
            return found.to_json() if found is not None else ""

        known = self._known(("sample", key, columns, below), work)
        return RowSample.from_json(known) if known else None

    def require_ids(self, unit: Unit) -> None:
        """Refuse a table in which some row has no id.

        Raises:
            SourceError: the id column is absent, or empty in some row.
        """
        person = person_sql(self.engine, unit)
        if person is not None:
            with self.engine.lock:
                where = f"FROM {self.engine.private()} WHERE ({person}) IS NULL"
                (nobodies,) = self.engine.fetch(f"SELECT COUNT(*) AS n {where}")
            if int(nobodies[0]):
                raise nobody(unit)

    def source(self, codebook: Codebook, unit: Unit) -> RelationalSource:
        """Encode the table in its engine and give its source.

        Raises:
            SourceError: the table does not fit the codebook, or the engine stopped.
        """
        with self.engine.lock:
            return open_in(self.engine, codebook, unit)

    def _known(self, what: Hashable, work: Callable[[], str]) -> str:
        """Give what was worked out of this table, or work it out."""
        with self.engine.lock:
            version = self.engine.version()  # before the pass: what changes meanwhile is read again
            worked_out = self.engine.known.get(what)
            if worked_out is None or version is None or worked_out[0] != version:
                worked_out = (version, work())
                self.engine.known[what] = worked_out
            return worked_out[1]
