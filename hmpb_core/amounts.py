"""Numbers as people write them: with marks between thousands, and a sign of money or percent beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass

MONEY = "€$£¥%"
"""Signs that stand beside a number: of money, and of a percentage."""
SPACED = " \u00a0\u202f'’"
"""Marks between thousands that no other part of a number is."""
AMOUNT = re.compile(rf"[-+]?[{MONEY}][{SPACED}]?\d[\d.,]*|[-+]?\d[\d.,]*[{SPACED}]?[{MONEY}]", re.ASCII)
"""A number with such a sign beside it."""
_EXAMPLE = re.compile(
    rf"(?P<before>[{MONEY}][ \u00a0\u202f]?)?1(?P<group>[.,{SPACED}]?)234(?:(?P<point>[.,])(?P<part>50*))?"
    rf"(?P<after>[ \u00a0\u202f]?[{MONEY}])?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberForm:
    """How numbers are written.

    Attributes:
        before: What stands before a number.
        after: What stands behind it.
        group: The mark between thousands; empty for none.
        point: The decimal mark.
        decimals: How many decimals each number has; None for no needless ones.
    """

    before: str = ""
    after: str = ""
    group: str = ""
    point: str = "."
    decimals: int | None = None

    @classmethod
    def of(cls, example: str) -> NumberForm | None:
        """Read a form off the way in which 1234.5 is written by it; None where it is written otherwise.

        Without decimals in it, numbers have no needless ones.

        Example:
            >>> NumberForm.of("$1,234.50").text(-20800), NumberForm.of("1.234 €").text(1500000)
            ('-$20,800.00', '1.500.000 €')
        """
        found = _EXAMPLE.fullmatch(example)
        if found is None or found["group"] == (found["point"] or "-"):
            return None
        point = found["point"] or ("," if found["group"] == "." else ".")
        return cls(
            before=found["before"] or "",
            after=found["after"] or "",
            group=found["group"],
            point=point,
            decimals=len(found["part"]) if found["part"] else None,
        )

    @property
    def example(self) -> str:
        """How 1234.5 is written: what ``of`` reads."""
        part = "" if self.decimals is None else self.point + "5".ljust(self.decimals, "0")
        return f"{self.before}1{self.group}234{part}{self.after}"

    @property
    def sign(self) -> str:
        """The sign of money alone."""
        return (self.before + self.after).strip(SPACED)

    def text(self, value: float) -> str:
        """Write a number."""
        minus = "-" if value < 0 else ""
        size = abs(value)
        if self.decimals is not None:
            digits = f"{size:.{self.decimals}f}"
        else:
            digits = str(int(size)) if float(size).is_integer() else repr(float(size))
        whole, mark, part = digits.partition(".")
        if self.group and whole.isdecimal():
            whole = f"{int(whole):,}".replace(",", self.group)
        return f"{minus}{self.before}{whole}{self.point if mark else ''}{part}{self.after}"
