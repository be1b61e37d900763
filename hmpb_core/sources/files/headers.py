"""Which lines of a file name its columns, and what the names are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from hmpb_core.errors import SourceError

NAMES, NO_NAMES = "names", "none"
"""What the first line of a file holds: the columns' names, or a row like the others."""
LAST_LINE = 99
"""The last line that may name columns."""
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d+)?|[.,]\d+)", re.ASCII)
_TIME = re.compile(r"(\d{1,2}):([0-5]\d)(?::[0-5]\d(?:\.\d+)?)?", re.ASCII)
_DATE = re.compile(r"(\d{4}|\d{1,2})([-./])(\d{1,2})\2(\d{4}|\d{1,2})(?:[T ][\d:.]+Z?)?", re.ASCII)
_DAYS = 4
"""Dates or times in a row from which on they are columns of a series: birth, stay and discharge are three."""
_IMPORT_ID = re.compile(r"\{\s*[\"']ImportId[\"']")
_ANSWER = ("Response", "Open-Ended Response")
"""What stands below a question that SurveyMonkey asked for one answer."""
_BY_ITS_NAME = {"Respondent ID": "", "RespondentID": "", "StartDate": "Start Date"}
"""The first columns of SurveyMonkey and Qualtrics, and what their second lines have below."""
_GROUPS = 2
"""Texts in a line from which on it may name groups of columns."""
_SEVERAL = 3
"""Such words in a line from which on it is no row."""


def header_lines(header: str | None) -> range | None:
    """Read a setting such as ``3`` or ``1-2``.

    Returns:
        Places of the lines, from 0; None where the setting names no line.

    Example:
        >>> header_lines("2-3")
        range(1, 3)
    """
    found = re.fullmatch(r"([1-9]\d?)(?:-([1-9]\d?))?", header or "", re.ASCII)
    if found is None:
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    return range(first - 1, last) if first <= last else None


def setting_for(lines: range, rows: Sequence[Sequence[str]], above: int) -> str | None:
    """Write the setting for these lines; None for the first that holds something alone.

    Example:
        >>> setting_for(range(2, 3), [["Table 3"], [], ["age"]], above=0)
        '3'
    """
    first = first_filled(rows)
    if lines == range(first, first + 1):
        return None
    start, stop = lines.start + above + 1, lines.stop + above
    return f"{start}-{stop}" if stop > start else f"{start}"


def lines_of_names(rows: Sequence[Sequence[str]], header: str | None, above: int, label: str) -> range:
    """Say which lines name the columns: those that are told, else those that are found.

    Args:
        rows: The first lines, each as its cells; at least one holds something.
        header: What is told (``FileReading.header``).
        above: Lines of the file above these.
        label: The file's name.

    Returns:
        Places among ``rows``; the first that holds something where the file has no line of names.

    Raises:
        SourceError: the file has nothing in the last of the lines that are told.
    """
    if header is None:
        return found_lines(rows)
    told = header_lines(header)
    first = first_filled(rows)
    lines = range(first, first + 1) if told is None else range(told.start - above, told.stop - above)
    if lines.start < 0 or lines.stop > len(rows) or not any(rows[lines.stop - 1]):
        raise SourceError(
            "{file} has no names in line {line}; say which line names the columns.",
            file=label,
            line=lines.stop + above,
        )
    return lines


def first_filled(rows: Sequence[Sequence[str]]) -> int:
    """Give the place of the first line that holds something."""
    return next(i for i, row in enumerate(rows) if any(cell.strip() for cell in row))


def found_lines(rows: Sequence[Sequence[str]]) -> range:
    """Find the lines that name the columns among the first lines of a file.

    They are the first line that holds something, but for two cases. Above the names stand titles: lines
    with text in a quarter of the table's columns at most, the first among them, or, above an empty line,
    lines of up to half as many cells, as report servers write. Or the file has several lines of names:
    SurveyMonkey's has ``Response`` below its questions, Qualtrics's ``{"ImportId": ...}``, and a sheet
    with merged cells groups above the names.

    Args:
        rows: The first lines, each as its cells; at least one holds something.

    Returns:
        Places of the lines, from 0.

    Example:
        >>> found_lines([["Table 3", "", ""], [], ["age", "sex", "town"], ["41", "f", "Bern"]])
        range(2, 3)
    """
    filled = [sum(1 for cell in row if cell.strip()) for row in rows]
    first = first_filled(rows)
    for i in range(first + 1, len(rows)):
        parted = not filled[i - 1]
        if _is_title(rows[first], len(rows[i]), parted=parted) and _names_below_titles(
            rows, filled, first, i
        ):
            first = i
            break
    return range(first, first + _deep(rows[first:]))


def names_in(rows: Sequence[Sequence[str]]) -> list[str]:
    """Give the names that several lines give the columns.

    Of lines of which the first names every column otherwise it counts alone. Else a column's name are
    the texts above each other, where an empty cell of an upper line belongs to the text left of it.

    Example:
        >>> names_in([["id", "Seen?", ""], ["", "Part 1", "Part 2"]])
        ['id', 'Seen?: Part 1', 'Seen?: Part 2']
    """
    width = max(map(len, rows), default=0)
    table = [[cell.strip() for cell in row] + [""] * (width - len(row)) for row in rows]
    if len(table) == 1 or (all(table[0]) and len(set(table[0])) == width):
        return list(rows[0]) if table else []
    names = []
    above = [""] * (len(table) - 1)
    for column in zip(*table, strict=True):
        for depth, text in enumerate(column[:-1]):
            if text:
                above[depth:] = [text, *[""] * (len(above) - depth - 1)]
        parts = [*above, "" if column[-1] in _ANSWER else column[-1]] if column[-1] else column
        names.append(": ".join(dict.fromkeys(part for part in parts if part)))
    return names


def _is_title(row: Sequence[str], width: int, *, parted: bool = False) -> bool:
    """Whether a line is empty or a title: of few cells, of up to half of the columns above an empty line."""
    filled = sum(1 for cell in row if cell.strip())
    short = filled <= max(1, width // 4) or (parted and 2 * len(row) <= width)
    return not filled or (short and row[0].strip() != "")


def _names_below_titles(rows: Sequence[Sequence[str]], filled: Sequence[int], first: int, place: int) -> bool:
    """Whether this line can name the columns of a table under titles."""
    names = rows[place]
    below = [row for row, n in zip(rows[place + 1 :], filled[place + 1 :], strict=True) if n]
    used = max(i for row in rows for i, cell in enumerate(row, start=1) if cell.strip())
    return (
        filled[place] >= max(3, (min(used, len(names)) + 1) // 2)
        and all(_is_title(row, len(names), parted=not filled[place - 1]) for row in rows[first:place])
        and bool(below)
        and all(len(row) == len(names) for row in below)
        and 2 * sum(1 for cell in names if _NUMBER.fullmatch(cell.strip())) < filled[place]
        and not looks_like_values(names, below)
    )


def _deep(rows: Sequence[Sequence[str]]) -> int:
    """How many lines of names a survey's export has; 1 for any other file."""
    for depth, row in enumerate(rows[1:3], start=2):
        if any(row) and all(_IMPORT_ID.match(cell) for cell in row if cell):
            return depth
    if len(rows) < 2:
        return 1
    answered = _says_how_it_was_answered(rows[0], rows[1])
    return 2 if answered or _are_groups(rows[0], rows[1], rows[2:]) else 1


def _are_groups(groups: Sequence[str], names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a first line names groups of columns, as of merged cells, and the second each column.

    The first leaves a third of them without a name, the second gives all of these one and holds words alone,
    also where the rows hold numbers or dates, or its own word, as of a box that is ticked: in three columns
    at least, and a quarter of all.
    """
    width = len(names)
    above = [cell.strip() for cell in groups] + [""] * (width - len(groups))
    rows = [row for row in below if any(cell.strip() for cell in row)]
    if sum(map(bool, above)) < _GROUPS or 3 * above.count("") < width or len(groups) > width or len(rows) < 2:
        return False
    if any(_value_of(cell.strip()) for cell in names) or not all(
        cell.strip() for cell, group in zip(names, above, strict=True) if not group
    ):
        return False
    columns = list(itertools.zip_longest(*(row[:width] for row in rows), fillvalue=""))
    told = 0
    for name, column in zip(names, columns, strict=False):
        values = {cell.strip() for cell in column} - {""}
        told += bool(name.strip() and values) and (all(map(_value_of, values)) or values == {name.strip()})
    return told >= max(_SEVERAL, width / 4)


def _says_how_it_was_answered(questions: Sequence[str], answers: Sequence[str]) -> bool:
    """Whether the second line is SurveyMonkey's: ``Response`` below questions of one column, else choices.

    Or the second of Qualtrics's, of which somebody took the third away: the questions.
    """
    marks = sum(cell.strip() in _ANSWER for cell in answers)
    below = answers[0].strip() if answers else None
    known = _BY_ITS_NAME.get(questions[0].strip()) == below
    if known and below:
        return True
    if (known or _ANSWER[-1] in map(str.strip, answers)) and all(
        not cell.strip() or cell.strip() in _ANSWER for cell in answers
    ):
        return marks > 0
    if marks and not answers[0].strip() and not all(cell.strip() for cell in questions):
        return True
    following = [*questions[1:], "end"]
    alone = [
        answer.strip()
        for question, after, answer in zip(questions, following, answers, strict=False)
        if question.strip() and after.strip()
    ]
    return marks >= _SEVERAL and all(not answer or answer in _ANSWER for answer in alone)


def looks_like_values(header: Sequence[str], rows: Iterable[Sequence[str]] = ()) -> bool:
    """Whether a header looks like a row.

    A quarter of it are numbers, dates and times that do not count up or down, or half of it occurs again in
    the same columns; or it has a digit and no letter at all.

    Args:
        header: The first line.
        rows: Lines below it; those that repeat it say nothing.

    Example:
        >>> looks_like_values(["A11", "9", "A34", "1169", "4"])
        True
        >>> looks_like_values(["country", "1960", "1961", "1962"])
        False
        >>> looks_like_values(["Anna", "2017-01-01", "02:55", "Bern"])
        True
        >>> looks_like_values(["Anna", "F", "Bern"], [["Ben", "M", "Bern"], ["Eva", "F", "Basel"]])
        True
    """
    cells = [text.strip() for text in header]
    again = {i for row in rows if list(row) != list(header) for i in _alike(cells, row)}
    if len(again) >= 2 and 2 * len(again) >= len(cells):
        return True
    values = [value for cell in cells if (value := _value_of(cell))]
    series = len({len(value) for value in values}) == 1 and len(values) >= (
        2 if len(values[0]) == 1 else _DAYS
    )
    counted = series and (
        _in_sequence(values) or _in_sequence([(*value[:1], *value[:0:-1]) for value in values])
    )
    wordless = bool(values or re.search(r"\d", "".join(cells))) and not any(map(str.isalpha, "".join(cells)))
    return not counted and (wordless or (len(values) >= 2 and 4 * len(values) >= len(header)))


def _in_sequence(values: Sequence[tuple[float, ...]]) -> bool:
    """Whether values count up or down."""
    steps = list(itertools.pairwise(values))
    return all(one < other for one, other in steps) or all(one > other for one, other in steps)


def _value_of(cell: str) -> tuple[float, ...]:
    """A number, a time or a date as its parts, hours or the year first; nothing for what may be a name."""
    if _NUMBER.fullmatch(cell):
        return (float(cell.replace(",", ".")),)
    if found := _TIME.fullmatch(cell):
        return (float(found[1]), float(found[2]))
    if found := _DATE.fullmatch(cell):
        one, _, two, three = found.groups()
        return tuple(map(float, (one, two, three) if len(one) == 4 else (three, one, two)))
    return ()


def _alike(cells: Sequence[str], row: Sequence[str]) -> list[int]:
    return [
        i for i, (cell, text) in enumerate(zip(cells, row, strict=False)) if cell and cell == text.strip()
    ]


def unique_names(header: Sequence[str]) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """Give every column a name of its own, without blanks around it.

    Returns:
        The names, and what was changed: the header's text and the name given. A text without letters is
        empty there.

    Example:
        >>> unique_names(["age", "", "age"])[0]
        ['age', 'column 2', 'age (2)']
    """
    texts = [text.strip() for text in header]
    taken, used = set(texts), set[str]()
    numbers: dict[str, int] = {}
    names: list[str] = []
    renamed: list[tuple[str, str]] = []
    for position, text in enumerate(texts, start=1):
        name = text
        if not text or text in used:
            base = text or f"column {position}"
            name = base
            while name in used or name in taken:
                numbers[base] = numbers.get(base, 1) + 1
                name = f"{base} ({numbers[base]})"
        if name != header[position - 1]:
            renamed.append((header[position - 1] if text else "", name))
        used.add(name)
        names.append(name)
    return names, tuple(renamed)
