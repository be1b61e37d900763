"""A private table in an engine, before it has a codebook."""

from __future__ import annotations

from dataclasses import dataclass, field

from hmpb_core.codebook import Codebook
from hmpb_core.privacy.unit import Unit
from hmpb_core.sources.relational.engine import Engine
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

    def source(self, codebook: Codebook, unit: Unit) -> RelationalSource:
        """Encode the table in its engine and give its source.

        Raises:
            SourceError: the table does not fit the codebook, or the engine stopped.
        """
        return open_in(self.engine, codebook, unit)
