"""A private table in an engine, before it has a codebook."""

from __future__ import annotations

from dataclasses import dataclass, field

from hmpb_core.codebook import Codebook
from hmpb_core.privacy.unit import Unit
from hmpb_core.sources.relational.engine import Engine
from hmpb_core.sources.relational.identity import digest_of
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

    @property
    def n_rows(self) -> int:
        """Number of rows, surplus rows of a person among them. Private."""
        (count,) = self.engine.fetch(f"SELECT COUNT(*) AS n FROM {self.engine.table()}")
        return int(count[0])

    def digest(self, key: bytes) -> str:
        """Give the table's keyed identity; see ``identity``."""
        return digest_of(self.engine, key)

    def require_ids(self, unit: Unit) -> None:
        """Refuse a table in which some row has no id.

        Raises:
            SourceError: the id column is absent, or empty in some row.
        """
        person = person_sql(self.engine, unit)
        if person is not None:
            where = f"FROM {self.engine.private()} WHERE ({person}) IS NULL"
            (nobodies,) = self.engine.fetch(f"SELECT COUNT(*) AS n {where}")
            if int(nobodies[0]):
                raise nobody(unit)

    def source(self, codebook: Codebook, unit: Unit) -> RelationalSource:
        """Encode the table in its engine and give its source.

        Raises:
            SourceError: the table does not fit the codebook, or the engine stopped.
        """
        return open_in(self.engine, codebook, unit)
