"""What a column of an engine's table holds, by its type."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hmpb_core.errors import SourceError


class Kind(StrEnum):
    """What the values of a column are, as far as encoding tells them apart."""

    WHOLE = "whole numbers"
    FLOAT = "floats"
    TRUTH = "truth values"
    TEXT = "texts"
    DATE = "dates"
    MOMENT = "moments"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of an engine's table.

    Attributes:
        name: Its name, as people see it.
        kind: What its values are.
        sql: The expression that gives a value of this kind.
        as_text: The expression that gives the text a csv file would hold; that of ``sql`` where it is a text.
    """

    name: str
    kind: Kind
    sql: str
    as_text: str = ""

    def required(self) -> Column:
        """Give itself, if it can be encoded.

        Raises:
            SourceError: it holds lists, bytes or the like.
        """
        if self.kind is Kind.OTHER:
            raise SourceError(
                "The table holds lists, bytes or intervals in the column {column!r}; a table has one value a "
                "cell. Leave it out of the codebook.",
                column=self.name,
            )
        return self

    def texts(self) -> Column:
        """The same column as texts."""
        if self.kind is Kind.TEXT:
            return self
        return Column(name=self.name, kind=Kind.TEXT, sql=self.as_text, as_text=self.as_text)
