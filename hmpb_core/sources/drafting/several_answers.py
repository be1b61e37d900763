"""Cells that hold several answers of a list, as forms export them, ``radio;table``: found, and set apart."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from hmpb_core.provenance import Origin, Provenance, provenance_of
from hmpb_core.several_answers import IN_LISTS, AnswerTo, bare_cell
from hmpb_core.sources.drafting.signs import distinct
from hmpb_core.texts import text_of

SIGNS = ("|", ";", ",", " ")
MOST_ANSWERS = 64
"""Most answers that a question with several has."""
MOST_FIELDS = 250
"""Fields of a draft beyond which no further column's answers are set apart: each takes a part of epsilon."""
SEVERAL = 0.05
"""Part of the rows that give more than one."""
LEAST_ROWS = 3
"""Rows that give an answer of the list; what fewer give was typed by somebody, under "other"."""
LISTED = 0.9
"""Part of all answers given that are of the list."""
_LOOKED_AT = 5_000
"""Different cells that are looked at first: texts of one's own are many, and long."""

_DECIMAL = re.compile(r"\D*\d+,\d+[^\d,]+", re.ASCII)
"""A number with a decimal comma and a unit: 3,9 lt."""

_GUESS = Provenance(origin=Origin.GUESS).to_dict()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersFound:
    """What the cells of a column hold. Read off the rows: for the steward's eyes.

    Attributes:
        between: What stands between two answers.
        answers: The answers, in the order in which cells give them.
    """

    between: str
    answers: tuple[str, ...]


def answers_of(counts: Counter[str]) -> AnswersFound | None:
    """What the answers of a column are, or None where its cells hold one thing each.

    Answers are few, most come in several texts, no cell holds one twice, and some rows have more than one.
    Blanks stand between words, too: there nearly every answer is some row's only one, as no "mostly" is.

    Args:
        counts: How many rows hold each text; missing ones left out.

    Example:
        >>> answers_of(Counter({"radio;table": 9, "table;car": 5, "car": 7, "radio;car": 2}))
        AnswersFound(between=';', answers=('radio', 'table', 'car'))
        >>> answers_of(Counter({"Berlin, Mitte": 9, "Paris, Nord": 5, "Roma, Sud": 7})) is None
        True
    """
    found = _answers_of(Counter(dict(counts.most_common(_LOOKED_AT))))
    if found is None or len(counts) <= _LOOKED_AT:
        return found
    return _answers_of(counts) or found


def _answers_of(counts: Counter[str]) -> AnswersFound | None:
    for sign in SIGNS:
        cells_with = [text for text in counts if sign in text]
        if not cells_with or (sign == "," and all(map(_DECIMAL.fullmatch, cells_with))):
            continue
        between = _between(counts, sign)
        cells = _merged({text: _parts(text, sign) for text in counts}, between)
        rows = Counter[str]()
        for text, parts in cells.items():
            rows.update(dict.fromkeys(parts, counts[text]))
        listed = {answer for answer, count in rows.items() if count >= LEAST_ROWS and answer}
        if not 2 <= len(listed) <= min(MOST_ANSWERS, len(cells)) or _hold_each_other(listed, sign):
            continue
        several = sum(counts[text] for text, parts in cells.items() if len(parts) > 1)
        again = Counter(part for parts in cells.values() for part in set(parts))
        twice = any(len(parts) > len(set(parts)) for parts in cells.values())
        words = sign == " " and 10 * sum(answer in counts for answer in listed) < 9 * len(listed)
        usual = not twice and not words and 4 * sum(again[one] > 1 for one in listed) >= 3 * len(listed)
        given = sum(rows[answer] for answer in listed) >= LISTED * rows.total()
        if several > SEVERAL * counts.total() and usual and given:
            return AnswersFound(between=between, answers=tuple(_in_order(cells, counts, listed)))
    return None


def with_answers_apart(
    schema: dict[str, Any], frame: pd.DataFrame, lists: Collection[str] = ()
) -> dict[str, Any]:
    """Give a draft in which each answer of a column whose cells hold several is a field of its own, guessed.

    Columns stay whole of which somebody has spoken, and where the draft would have too many fields.

    Args:
        schema: The draft, its columns guessed.
        frame: The private table.
        lists: Columns whose cells were lists in the file.
    """
    fields: list[dict[str, Any]] = []
    names, room = {field["name"] for field in schema["fields"]}, MOST_FIELDS - len(schema["fields"])
    for field in schema["fields"]:
        found = answers_of(_texts(frame[field["name"]], field)) if _may_hold_several(field) else None
        between = None if found is None or field["name"] in lists else found.between
        apart = [] if found is None else fields_of_answers(field, found.answers, between, names)
        if len(apart) - 1 > room:
            apart = []
        room -= max(0, len(apart) - 1)
        fields += [entry | {"source": _GUESS, "declared": False} for entry in apart] or [field]
    return {**schema, "fields": fields}


def with_told_answers(
    schema: dict[str, Any], told: Mapping[str, Mapping[str, Any]], columns: Collection[str]
) -> dict[str, Any]:
    """Give a draft in which columns are set apart that hold several answers, as a codebook file says.

    Args:
        schema: The draft.
        told: The file's fields, by name; those of answers say to which column they belong.
        columns: The table's columns.
    """
    apart: dict[str, list[dict[str, Any]]] = {}
    for name, field in told.items():
        if name not in columns and (one := field.get("answerTo")) is not None:
            given = {key: part for key, part in field.items() if key not in ("trueValues", "falseValues")}
            apart.setdefault(one["column"], []).append(given)
    fields = [entry for field in schema["fields"] for entry in apart.get(field["name"], [field])]
    return {**schema, "fields": fields}


def fields_of_answers(
    field: Mapping[str, Any], answers: Sequence[str], between: str | None, names: Collection[str]
) -> list[dict[str, Any]]:
    """Give a field for each answer of a column, called as forms of ODK call it: ``drinks/tea``.

    Args:
        field: The column's field.
        answers: The answers.
        between: What stands between two; None where cells are lists.
        names: Names that are taken: where an answer would have one of them there is none at all.
    """
    column = str(field["name"])
    if any(f"{column}/{answer}" in names for answer in answers):
        return []
    title = str(field.get("title", ""))
    return [
        {
            "name": f"{column}/{answer}",
            **({"title": f"{title}: {answer}"} if title else {}),
            "type": "boolean",
            "answerTo": AnswerTo(
                column=column, answer=answer, between=between or IN_LISTS, lists=between is None
            ).to_dict(),
        }
        for answer in answers
    ]


def _may_hold_several(field: Mapping[str, Any]) -> bool:
    """Whether a column of texts is guessed: a list, or what is left out as texts or identifiers."""
    guessed = provenance_of(field).origin is Origin.GUESS or field.get("declared") is False
    return field.get("type") == "string" and guessed


def _texts(column: pd.Series, field: Mapping[str, Any]) -> Counter[str]:
    missing = {"", *map(text_of, field.get("missingValues", ()))}
    return Counter({text: n for text, n in distinct(column).counts.items() if text not in missing})


def _parts(cell: str, sign: str) -> list[str]:
    """The answers of a cell; a sign in brackets parts none.

    Example:
        >>> _parts("meals, trips (train, bus)", ",")
        ['meals', 'trips (train, bus)']
    """
    if "(" not in cell:
        return [part.strip() for part in cell.split(sign)]
    parts, depth = [""], 0
    for letter in cell:
        depth = max(0, depth + (letter == "(") - (letter == ")"))
        if letter == sign and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in (parts if not depth else cell.split(sign))]


def _merged(cells: Mapping[str, list[str]], between: str) -> dict[str, list[str]]:
    """The answers of cells, those that never come without each other as one: ``Snacks, sweets, drinks``."""
    times, pairs = Counter[str](), Counter[tuple[str, str]]()
    for parts in cells.values():
        times.update(parts)
        pairs.update(itertools.pairwise(parts))
    after = {
        one: other
        for (one, other), together in pairs.items()
        if one != other and together == times[one] == times[other]
    }
    merged = {}
    for text, parts in cells.items():
        whole: list[str] = []
        for before, part in itertools.pairwise([None, *parts]):
            if before is not None and after.get(before) == part:
                whole[-1] += f"{between}{part}"
            else:
                whole.append(str(part))
        merged[text] = whole
    return merged


def _hold_each_other(answers: Collection[str], sign: str) -> bool:
    """Whether an answer holds another one between signs, so that no cell tells which was given."""
    marks = [bare_cell(answer, sign) for answer in answers]
    return any(one in other for one, other in itertools.permutations(marks, 2))


def _between(counts: Counter[str], sign: str) -> str:
    """What most cells write between two answers: the sign alone, or with a blank behind or around it."""
    ways = [sign, f"{sign} ", f" {sign} "] if sign != " " else [sign]
    rows = {way: sum(n for text, n in counts.items() if way in text) for way in ways}
    return next(way for way in reversed(ways) if 2 * rows[way] > rows[sign] or way == sign)


def _in_order(
    cells: Mapping[str, Sequence[str]], counts: Mapping[str, int], listed: Collection[str]
) -> list[str]:
    """The answers, first those that stand before most others they are given with; then the commoner ones."""
    before, rows = Counter[tuple[str, str]](), Counter[str]()
    for text, parts in cells.items():
        own = [part for part in parts if part in listed]
        rows.update(dict.fromkeys(own, counts[text]))
        before.update(dict.fromkeys(itertools.combinations(own, 2), counts[text]))
    wins = Counter[str]()
    for one, other in itertools.permutations(sorted(listed), 2):
        wins[one] += (before[one, other] > before[other, one]) - (before[one, other] < before[other, one])
    return sorted(listed, key=lambda answer: (-wins[answer], -rows[answer], answer))
