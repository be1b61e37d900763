"""How one engine writes the dozen pieces of SQL that encoding and counting need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
"""Every character that ``str.strip`` takes away."""


class Dialect(ABC):
    """SQL by pieces. Arguments and results are SQL, but names, texts and numbers, which are quoted here.

    What a method's body gives here is standard SQL, which all engines share.
    """

    double: str = "DOUBLE"
    varchar: str = "VARCHAR"
    small: str = "SMALLINT"

    def name(self, text: str) -> str:
        """A column's or a table's name."""
        return '"' + text.replace('"', '""') + '"'

    def text(self, value: str) -> str:
        """A text."""
        return "'" + value.replace("'", "''") + "'"

    def number(self, value: float) -> str:
        """A number, exactly: the shortest text that reads back as it."""
        return f"CAST('{float(value)!r}' AS {self.double})"

    def lookup(self, x: str, keys: Sequence[str], codes: Sequence[int | str]) -> str:
        """The code (or an expression) of the key that x equals; null for any other."""
        return f"CASE {x} {' '.join(f'WHEN {k} THEN {c}' for k, c in zip(keys, codes, strict=True))} END"

    def to_double(self, x: str) -> str:
        """A number as a float of 64 bits."""
        return f"CAST({x} AS {self.double})"

    def to_text(self, x: str) -> str:
        """A value as text."""
        return f"CAST({x} AS {self.varchar})"

    def to_integer(self, x: str) -> str:
        """A float that holds a whole number as an integer."""
        return f"CAST({x} AS INTEGER)"

    def to_long(self, x: str) -> str:
        """A float that holds a whole number as an integer of 64 bits."""
        return f"CAST({x} AS BIGINT)"

    def is_nan(self, x: str) -> str:
        """Whether a float is not a number."""
        return f"isnan({x})"

    @abstractmethod
    def rint(self, x: str) -> str:
        """The nearest whole number, the even one of two."""

    @abstractmethod
    def matches(self, x: str, pattern: str) -> str:
        """Whether a text is wholly of a pattern that all engines read alike."""

    def parsed_number(self, x: str) -> str:
        """The number that a text of digits writes."""
        return f"CAST({x} AS {self.double})"

    def parsed_date(self, x: str) -> str | None:
        """The date that a text of the form YYYY-MM-DD writes, null where no calendar has it; None: cannot."""
        return None

    def strip(self, x: str) -> str:
        """A text without blanks at its ends."""
        return f"trim({x}, {self.text(BLANKS)})"

    def starts_with(self, x: str, beginning: str) -> str:
        """Whether a text begins so."""
        return f"starts_with({x}, {self.text(beginning)})"

    @abstractmethod
    def days(self, x: str) -> str:
        """Days from 1970-01-01 to a date."""

    @abstractmethod
    def microseconds(self, x: str) -> str:
        """Microseconds from 1970-01-01 to a moment (UTC where it has a zone)."""

    def quotient(self, x: str, divisor: int) -> str:
        """The quotient of a multiple of the divisor."""
        return f"({x} / {divisor})"

    def random(self) -> str:
        """A number drawn anew for every row."""
        return "random()"

    @abstractmethod
    def hex_number(self, x: str) -> str:
        """The whole number that a text of eight hexadecimal digits writes."""

    def canonical_moments(self, x: str) -> list[tuple[str, str]]:
        """For texts that may be moments: when they are, and the one text that all their spellings share."""
        return [(self.matches(x, r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T]00:00:00(\.0+)?"), f"SUBSTR({x}, 1, 10)")]
