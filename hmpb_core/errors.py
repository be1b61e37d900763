"""Every error this package raises on purpose.

HmpbError
├── InputError            what was handed in cannot be used
│   ├── DomainError       an attribute, a codebook or a size is impossible
│   ├── PlanError         the choices of a plan contradict each other
│   └── SourceError       a table cannot be read or does not fit its codebook
├── PrivacyError          going on would break the guarantee
│   ├── BudgetExceededError   a stage or a data set asks for more than is left
│   └── NotPrivateError       something unprotected was about to leave
└── CancelledError        the steward asked to stop

A message says what was met, what is allowed and what to do. It never holds a
row value or an exact count: messages reach logs and screens.

An error carries its sentence with named holes and what fills them, so that any language can make its
own sentence of the two (docs/decisions/0006):

    raise PlanError("rows is {rows}; simulate at least 2.", rows=n_rows)

The template is a constant. A value is a plain one: a number, a name that somebody gave, a tuple of names that
are listed, a term of the core (a member of ``Stage``, not its text), or a ``Sentence`` where the part is
English itself. Errors pass between processes, so a value must survive pickling: the text of a foreign
exception, never the exception.
"""

import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


def closed_once(text: str) -> str:
    """Leave the full stop away where a name that ends in a mark of its own closes the sentence.

    Example:
        >>> closed_once("Not used: Do you smoke?. The rest is.")
        'Not used: Do you smoke? The rest is.'
    """
    return _CLOSED_TWICE.sub(r"\1", text)


def filled(text: str, values: Mapping[str, Any]) -> str:
    """Fill the holes of a text; ``{n:row|rows}`` is the word before the bar where ``n`` is 1, else the other.

    Args:
        text: As ``str.format`` reads it.
        values: What fills each hole.

    Example:
        >>> [filled("{n} {n:row|rows}.", {"n": n}) for n in (0, "1", 2)]
        ['0 rows.', '1 row.', '2 rows.']
    """
    return closed_once(_Counting().vformat(text, (), values))


class _Counting(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" not in format_spec:
            return str(super().format_field(value, format_spec))
        one, more = format_spec.split("|")
        return one if str(value) == "1" else more


def counted(number: int, one: str, more: str) -> str:
    """Write a number and what it counts.

    Example:
        >>> counted(1, "row", "rows"), counted(2000, "row", "rows")
        ('1 row', '2,000 rows')
    """
    return f"{number:,} {one if number == 1 else more}"


def typed(value: float) -> str:
    """Write a number as a person types it: ``1e-9``, not ``1e-09``.

    Example:
        >>> typed(1e-9), typed(0.25), typed(1e12)
        ('1e-9', '0.25', '1e12')
    """
    return _as_typed(f"{value:g}")


def _as_typed(text: str) -> str:
    return re.sub(r"e([+-])0*(\d)", lambda found: "e" + found[1].strip("+") + found[2], text)


class _Formatter(_Counting):
    def __init__(self, quoted: Callable[[str], str]) -> None:
        self._quoted = quoted

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        if conversion == "r" and isinstance(value, str):
            return self._quoted(repr(value))
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        text = super().format_field(value, format_spec)
        return _as_typed(text) if isinstance(value, float) else text


_CLOSED_TWICE = re.compile(r"([?!？！]\**)[.。](?![\w.])")


@dataclass(frozen=True, slots=True)
class Sentence:
    """An English sentence or phrase with named holes, and what fills them; it may fill another's hole.

    Attributes:
        template: The English with its holes, as ``str.format`` reads them: the key of its translations.
            Without values it is taken as it stands.
        values: What fills each hole.

    Example:
        >>> print(Sentence("{name!r} is empty.", {"name": "age"}))
        'age' is empty.
    """

    template: str
    values: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.said()

    def said(self, comma: str = ", ", quoted: Callable[[str], str] = str) -> str:
        """Write the sentence.

        Args:
            comma: What stands between the texts that one hole lists.
            quoted: Puts a name that is in Python's quotes in others.
        """
        if not self.values:
            return self.template
        values = {name: comma.join(v) if isinstance(v, tuple) else v for name, v in self.values.items()}
        return closed_once(_Formatter(quoted).format(self.template, **values))


class HmpbError(Exception):
    """Base of every error raised on purpose.

    Args:
        template: The sentence in English, with named holes: the key of its translations.
        values: What fills the holes; a text that is to be translated as well is a ``Sentence``.
    """

    def __init__(self, template: str = "", /, **values: object) -> None:
        self.sentence = Sentence(template, values)
        super().__init__(str(self.sentence))


class InputError(HmpbError):
    """What was handed in cannot be used."""


class DomainError(InputError):
    """An attribute, a codebook or a size is impossible."""


class PlanError(InputError):
    """The choices of a plan contradict each other."""


class SourceError(InputError):
    """A table cannot be read or does not fit its codebook."""


class PrivacyError(HmpbError):
    """Going on would break the privacy guarantee."""


class BudgetExceededError(PrivacyError):
    """A stage or a data set asks for more than is left."""


class NotPrivateError(PrivacyError):
    """Something unprotected was about to leave the steward's hands."""


class CancelledError(HmpbError):
    """The steward asked to stop; what was spent stays spent."""
