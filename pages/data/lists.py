"""Lists of values as people paste them: a line, a spreadsheet's column, a row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from hmpb_core.domain import Scalar
from pages.data.typed import as_number

_QUOTED = '"'
_BREAKS = "\n\r\t;"
_SEPARATING_COMMA = re.compile(r",(?=\s)")
_DECIMAL_COMMA = re.compile(r"-?\d+(,\d+)?", re.ASCII)
_DECIMAL = re.compile(r"-?(0|[1-9]\d*)\.\d{1,15}", re.ASCII)
_WHOLE = re.compile(r"-?[1-9]\d{0,14}|0", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pasted:
    """What a text lists.

    Attributes:
        values: The values in their order, each once; numbers where all of them are.
        repeated: What was listed again and dropped, each once.
        meanings: What each value means, where the text says it.
    """

    values: tuple[Scalar, ...]
    repeated: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()


def read_list(text: str, *, decimal: str | None = None) -> Pasted:
    """Read a list: values apart by lines, tabs or semicolons, or by commas where there is nothing else.

    A comma inside quotes, or between digits of a list that is apart by something else, belongs to its
    value. A line that ends with a comma makes commas the separator throughout.

    Args:
        text: What was typed or pasted.
        decimal: The decimal mark of the file whose column of numbers this is about. With decimal commas a
            comma separates only before a blank.

    Example:
        >>> read_list("F, M").values, read_list("0,5; 1,5").values
        (('F', 'M'), (0.5, 1.5))
        >>> read_list("-9,9").values, read_list("-9,9", decimal=",").values
        ((-9, 9), (-9.9,))
    """
    if decimal == ",":
        parts = _split(_SEPARATING_COMMA.sub(";", text), _BREAKS)
        return read_list("\n".join(str(as_number(part, decimal)) for part, _ in parts) + "\n")
    texts = _split(text, _BREAKS)
    bare = [part for part, quoted in texts if not quoted and part.strip()]
    by_commas = len(texts) <= 1 or any(part.rstrip().endswith(",") for part in bare)
    if by_commas:
        texts = _split(text, _BREAKS + ",")
    elif (
        bare and any("," in part for part in bare) and all(_DECIMAL_COMMA.fullmatch(p.strip()) for p in bare)
    ):
        texts = [(part.replace(",", "."), quoted) for part, quoted in texts]
    values, repeated = [], []
    for part, quoted in texts:
        value = part.strip()
        if not value and not quoted:
            continue
        if value in values:
            repeated.append(value)
        else:
            values.append(value)
    values = [value for value in values if value]
    return Pasted(values=_numbers(values), repeated=tuple(dict.fromkeys(repeated)))


def read_pairs(text: str) -> Pasted | None:
    r"""Read two columns of a spreadsheet: values, and what each means; None where the text is something else.

    Example:
        >>> pasted = read_pairs("1\tnever\n2\toften")
        >>> pasted.values, pasted.meanings
        ((1, 2), ('never', 'often'))
    """
    rows = [[cell.strip() for cell in line.split("\t")] for line in text.splitlines() if line.strip()]
    if len(rows) < 2 or not all(len(row) == 2 and all(row) for row in rows):
        return None
    told: dict[str, str] = {}
    for value, meaning in rows:
        told.setdefault(value, meaning)
    repeated = [value for place, (value, _) in enumerate(rows) if value in dict(rows[:place])]
    return Pasted(
        values=_numbers(list(told)),
        repeated=tuple(dict.fromkeys(repeated)),
        meanings=tuple(told.values()),
    )


def without_heading(pasted: Pasted, name: str) -> Pasted:
    r"""Leave out the heading of a spreadsheet's column: its first value, where that is the column's name.

    Example:
        >>> without_heading(read_list("AREA\n01\n02"), "Area").values
        ('01', '02')
    """
    first, *rest = pasted.values or ("",)
    if len(rest) < 2 or str(first).strip().casefold() != name.strip().casefold():
        return pasted
    return replace(pasted, values=_numbers([str(value) for value in rest]), meanings=pasted.meanings[1:])


def write_list(values: Iterable[object], between: str = "\n") -> str:
    """Write values so that ``read_list`` reads the same ones."""
    texts = [str(value) for value in values]
    return between.join(
        f'"{text}"' if _QUOTED not in text and any(mark in text for mark in _BREAKS + ",") else text
        for text in texts
    )


def _split(text: str, marks: str) -> list[tuple[str, bool]]:
    """Cut at marks outside quotes; each part with whether it was quoted."""
    parts: list[tuple[str, bool]] = []
    part, quoted, inside = "", False, False
    for letter in text:
        if letter == _QUOTED and (inside or not part.strip()):
            inside, quoted = not inside, True
        elif letter in marks and not inside:
            parts.append((part, quoted))
            part, quoted = "", False
        else:
            part += letter
    if inside:  # a quote that is never closed is a letter like others
        return _split(text.replace(_QUOTED, "\u201d"), marks)
    return [(p, q) for p, q in [*parts, (part, quoted)] if q or p.strip()]


def _numbers(texts: list[str]) -> tuple[Scalar, ...]:
    """Give numbers where every text is the plain way to write one: 01 is a code, no number."""
    if texts and all(_WHOLE.fullmatch(text) for text in texts):
        return tuple(int(text) for text in texts)
    if texts and all(_WHOLE.fullmatch(text) or _DECIMAL.fullmatch(text) for text in texts):
        numbers = tuple(float(text) for text in texts)
        if len(set(numbers)) == len(numbers):
            return numbers
    return tuple(texts)
