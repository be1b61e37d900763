"""Who is protected: a row, or all rows of a person up to a bound."""

from __future__ import annotations

from dataclasses import dataclass

from hmpb_core.errors import PlanError, Sentence

MAX_ROWS_PER_PERSON = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The unit of protection. Always stated, never assumed.

    Attributes:
        column: The id column that tells people apart; None where one row is one person.
        rows: Largest number of rows of one person; surplus rows are dropped at random.
    """

    column: str | None
    rows: int

    def __post_init__(self) -> None:
        if self.column is None and self.rows != 1:
            raise PlanError(
                "{rows} rows a person need an id column; write the unit as COLUMN:{rows}.", rows=self.rows
            )
        if self.column is not None and not self.column.strip():
            raise PlanError(
                "The unit names no id column; write COLUMN:m, or 'row' where one row is one person."
            )
        if not 1 <= self.rows <= MAX_ROWS_PER_PERSON:
            raise PlanError(
                "The unit allows {rows} rows a person; allow between 1 and {most}.",
                rows=self.rows,
                most=MAX_ROWS_PER_PERSON,
            )

    @classmethod
    def parse(cls, text: str) -> Unit:
        """Read ``row`` or ``COLUMN:m``.

        Example:
            >>> Unit.parse("patient:4")
            Unit(column='patient', rows=4)

        Raises:
            PlanError: it is neither.
        """
        if text.strip() == "row":
            return cls(column=None, rows=1)
        column, colon, rows = text.rpartition(":")
        if not colon or not rows.strip().isdecimal():
            raise PlanError(
                "The unit of protection is {unit!r}; write 'row' where one row is one person, or COLUMN:m "
                "where an id column tells people apart and each has at most m rows.",
                unit=text,
            )
        return cls(column=column.strip(), rows=int(rows))

    def __str__(self) -> str:
        return "row" if self.column is None else f"{self.column}:{self.rows}"

    @property
    def words(self) -> Sentence:
        """The unit in words."""
        if self.column is None:
            return Sentence("one person is one row")
        return Sentence(
            "one person is all rows with one value of {column!r}, of which at most {rows} are used",
            {"column": self.column, "rows": self.rows},
        )


ROW = Unit(column=None, rows=1)
"""One row is one person."""
