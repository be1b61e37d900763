"""Formulas over columns: numbers, + - * / ^ and parentheses; a name of other letters stands in brackets.

weight / (height / 100) ^ 2
[price per unit] * quantity
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.errors import DomainError

Floats = NDArray[np.float64]
MOST_LETTERS, MOST_PARENTHESES = 2000, 50
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|([^\W\d]\w*)|\[([^\]]+)\]|([-+*/^()]))")
_NAME = re.compile(r"\[[^\]]+\]|(?<![\w.])[^\W\d]\w*")
_PLAIN = re.compile(r"[^\W\d]\w*")
_WORK: dict[str, Callable[[Floats, Floats], Floats]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
}
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_NEGATED = "negated"
_SIGN = 3
"""How strongly a sign binds: -a ^ 2 is -(a ^ 2), and -a * b is (-a) * b."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula, read.

    Attributes:
        text: As it was written.
        steps: Numbers, names of columns and operations, as a stack takes them: each after what it works on.

    Example:
        >>> formula = Formula.read("2 * (a - [b c]) ^ 2")
        >>> formula.columns, formula.of({"a": np.array([5.0]), "b c": np.array([2.0])}).tolist()
        (('a', 'b c'), [18.0])
    """

    text: str
    steps: tuple[float | tuple[str, str], ...]

    @classmethod
    def read(cls, text: str) -> Formula:
        """Read a formula.

        Raises:
            DomainError: it is none.
        """
        reader = _Reader(text)
        reader.expression(0)
        if reader.here is not None:
            raise _unreadable(text)
        formula = cls(text, tuple(reader.steps))
        if not formula.columns:
            raise _unreadable(text)
        return formula

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, in order."""
        return tuple(dict.fromkeys(s[1] for s in self.steps if isinstance(s, tuple) and s[0] == "column"))

    def of(self, numbers: Mapping[str, Floats]) -> Floats:
        """Work it out; not a number where a number is missing, or where it has no value.

        Args:
            numbers: The numbers of each column, all of one length.
        """
        stack: list[Floats] = []
        with np.errstate(all="ignore"):
            for step in self.steps:
                if isinstance(step, float):
                    stack.append(np.array(step))
                elif step[0] == "column":
                    stack.append(numbers[step[1]])
                elif step[1] == _NEGATED:
                    stack.append(-stack.pop())
                else:
                    right, left = stack.pop(), stack.pop()
                    stack.append(_WORK[step[1]](left, right))
        (found,) = stack
        return np.where(np.isfinite(found), found, math.nan)


class _Reader:
    """Reads a formula from left to right, each operation before those that bind less."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps: list[float | tuple[str, str]] = []
        self._tokens = self._split(text)
        self._place, self._depth = 0, 0

    def _split(self, text: str) -> list[tuple[str, str]]:
        if len(text) > MOST_LETTERS:
            raise _unreadable(text)
        tokens, at, bare = [], 0, text.rstrip()
        while at < len(bare):
            found = _TOKEN.match(bare, at)
            if found is None:
                raise _unreadable(text)
            number, name, bracketed, mark = found.groups()
            kind = "number" if number else "mark" if mark else "column"
            tokens.append((kind, number or name or bracketed or mark))
            at = found.end()
        return tokens

    @property
    def here(self) -> tuple[str, str] | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _take(self, mark: str) -> bool:
        taken = self.here == ("mark", mark)
        self._place += taken
        return taken

    def expression(self, least: int) -> None:
        """Read what binds more strongly than something that stands before it."""
        self._depth += 1
        if self._depth > MOST_PARENTHESES:
            raise _unreadable(self.text)
        self._value()
        while self.here is not None and self.here[0] == "mark" and _BINDS.get(self.here[1], 0) > least:
            mark = self.here[1]
            self._place += 1
            self.expression(_BINDS[mark] - (mark == "^"))  # a ^ b ^ c is a ^ (b ^ c)
            self.steps.append(("operation", mark))
        self._depth -= 1

    def _value(self) -> None:
        if self._take("("):
            self.expression(0)
            if not self._take(")"):
                raise _unreadable(self.text)
        elif self._take("-"):
            self.expression(_SIGN)
            self.steps.append(("operation", _NEGATED))
        elif self.here is None or self.here[0] == "mark":
            raise _unreadable(self.text)
        else:
            kind, text = self.here
            self._place += 1
            self.steps.append(float(text) if kind == "number" else ("column", text))


def renamed(text: str, called: Mapping[str, str]) -> str:
    """Give a formula for columns of which some have other names now.

    Example:
        >>> renamed("a / (ab + [a]) * 1e9", {"a": "a b", "e9": "e"})
        '[a b] / (ab + [a b]) * 1e9'
    """

    def new(found: re.Match[str]) -> str:
        name = found[0].strip("[]")
        return named(called[name]) if name in called else found[0]

    return _NAME.sub(new, text)


def columns_named(text: str) -> set[str]:
    """The columns that a formula seems to name, whether it can be read or not.

    Example:
        >>> sorted(columns_named("[b c] / a * 1e9"))
        ['a', 'b c']
    """
    return {name.strip("[]") for name in _NAME.findall(text)}


def can_be_named(name: str) -> bool:
    """Say whether a formula can name a column; brackets around one that has brackets would end too early."""
    return _NAME.fullmatch(named(name)) is not None


def named(name: str) -> str:
    """Write a column's name as a formula does.

    Example:
        >>> named("height"), named("height in cm")
        ('height', '[height in cm]')
    """
    return name if _PLAIN.fullmatch(name) else f"[{name}]"


def _unreadable(text: str) -> DomainError:
    return DomainError(
        "The formula {formula!r} cannot be read; it may hold columns, numbers with a point, + - * / ^ and "
        "parentheses, and names of other letters in brackets, such as [height in cm].",
        formula=text[:80],
    )
