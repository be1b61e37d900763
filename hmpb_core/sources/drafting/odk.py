"""Forms of ODK: types, choices, constraints, and when a question is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hmpb_core.dates import NumericKind
from hmpb_core.errors import Sentence
from hmpb_core.several_answers import AnswerTo
from hmpb_core.sources.drafting.codebook_entries import (
    Field,
    Found,
    bounded,
    dated,
    listed,
    number,
    shown,
    unique,
)
from hmpb_core.sources.drafting.skip_logic import add_rules
from hmpb_core.texts import text_of

Row = Mapping[str, str]

_TYPES: Mapping[str, NumericKind] = {
    "date": "date",
    "today": "date",
    "time": "time",
    "dateTime": "datetime",
    "datetime": "datetime",
    "start": "datetime",
    "end": "datetime",
}
_TEXTS = ("text", "barcode", "image", "audio", "video", "file", "geopoint", "geotrace", "geoshape")
_IDS = ("deviceid", "username", "phonenumber", "email", "subscriberid", "simserial")
_TRUTHS: Field = {
    "type": "boolean",
    "trueValues": ["1", "True", "TRUE", "true"],
    "falseValues": ["0", "False", "FALSE", "false"],
}
"""One answer of several where an export gives each a column of its own, ``reason/habit``, or all one cell."""
_SELECT = re.compile(r"^select[ _](one|multiple|all[ _]that[ _]apply)\b(?: from)?", re.IGNORECASE)
"""How a choice is written, now and in the first forms: ``select one from colours``."""
_OTHER = re.compile(r" or[ _](?:specify[ _])?other$", re.IGNORECASE)
_BOUND = re.compile(r"\.\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?|date\('[\d-]+'\)|'[\d:-]+')", re.ASCII)


def fields_of_form(survey: Sequence[Row], choices: Sequence[Row]) -> Found:
    """Read the questions of a form.

    Args:
        survey: The rows of its sheet ``survey``.
        choices: Those of its sheet ``choices``.
    """
    found = Found()
    lists = _lists(choices)
    asked: list[tuple[str, str]] = []
    without: list[str] = []
    several: set[str] = set()
    for row, kind, rest, relevant in _questions(survey):
        name = row["name"].strip()
        options = list(lists.get(rest.strip().split(" ")[0], ()))
        if options and _OTHER.search(rest):
            options = unique([*options, {"value": "other"}])
        if kind == "select_multiple":
            several.add(name)
        if kind in ("select_one", "select_multiple") and not options:
            without.append(name)
        title = {"title": text} if (text := _text_of_label(row)) else {}
        found.fields.append({"name": name, **title, **_type(kind, options, row)})
        answers = options if kind == "select_multiple" else []
        for option in answers:
            meaning = {"title": f"{title['title']}: {option.get('label', option['value'])}"} if title else {}
            one = AnswerTo(column=name, answer=text_of(option["value"]), between=" ")
            found.fields.append(
                {"name": f"{name}/{option['value']}", **meaning, **_TRUTHS, "answerTo": one.to_dict()}
            )
        columns = (name, *(f"{name}/{option['value']}" for option in answers))
        asked += [(column, logic) for column in columns for logic in relevant]
    single = {str(field["name"]) for field in found.fields} - several

    def column_of(name: str) -> str | None:
        answer = re.fullmatch(r"(.+)\((.+)\)", name)
        column = f"{answer[1]}/{answer[2]}" if answer else name
        return column if column in single else None

    add_rules(found, asked, column_of)
    if without:
        found.remarks.append(
            Sentence(
                "The choices of {names} are not in the file; list them, or give the form whole.",
                {"names": shown(without)},
            )
        )
    return found


def _questions(survey: Sequence[Row]) -> Iterator[tuple[Row, str, str, list[str]]]:
    """Each question with its type, what follows the type, and when it and the groups it is in are asked."""
    within: list[str] = []
    for row in survey:
        kind, _, rest = _SELECT.sub(_selected, row.get("type", "").strip()).partition(" ")
        if kind in ("begin", "begin_group", "begin_repeat"):
            within.append(row.get("relevant", ""))
        elif kind in ("end_group", "end_repeat") or (kind == "end" and rest):
            within = within[:-1]
        elif row.get("name", "").strip() and kind not in ("note", "calculate", "hidden", ""):
            yield row, kind, rest, [*within, row.get("relevant", "")]


def _lists(rows: Sequence[Row]) -> dict[str, list[Field]]:
    """The lists of choices, by their names; a choice that is there once for each region counts once."""
    found: dict[str, list[Field]] = {}
    for row in rows:
        if value := row.get("name") or row.get("value", ""):
            label = {"label": text} if (text := _text_of_label(row)) else {}
            name = row.get("list_name") or row.get("list name", "")
            found.setdefault(name, []).append({"value": number(value), **label})
    return {name: unique(options) for name, options in found.items()}


def _selected(found: re.Match[str]) -> str:
    return "select_one" if found[1].lower() == "one" else "select_multiple"


def _type(kind: str, options: list[Field], row: Row) -> Field:
    if kind == "select_one" and options:
        return listed(options)
    if kind in _TEXTS:
        return {"type": "string", "role": "text", "publish": False}
    if kind in _IDS:
        return {"type": "string", "role": "identifier", "publish": False}
    if kind == "acknowledge":
        return listed([{"value": "OK"}])
    if kind == "range":
        told = dict(re.findall(r"(start|end|step)=(-?[\d.]+)", row.get("parameters", "")))
        return bounded(
            told.get("start"), told.get("end"), kind="number" if "." in told.get("step", "") else None
        )
    low, high = _limits(row.get("constraint", ""), whole=kind == "integer")
    if kind in ("integer", "decimal"):
        return bounded(low, high, kind="integer" if kind == "integer" else "number")
    return dated(_TYPES[kind], low, high) if kind in _TYPES else {}


def _limits(constraint: str, *, whole: bool) -> tuple[str, str]:
    """The bounds that a constraint says, if it says nothing else: ``. >= 0 and . <= 120``."""
    bounds = {"<": "", ">": ""}
    for part in re.split(r"\s+and\s+", constraint.strip().strip("()"), flags=re.IGNORECASE):
        found = _BOUND.fullmatch(part.strip().strip("()") + (")" if "date(" in part else ""))
        if found is None:
            return "", ""
        mark, text = found[1], re.sub(r"^date\(|[')]", "", found[2]).strip("'")
        if whole and len(mark) == 1 and isinstance(number(text), int):
            text = str(int(text) + (1 if mark == ">" else -1))
        bounds[mark[0]] = text
    return bounds[">"], bounds["<"]


def _text_of_label(row: Row) -> str:
    return next((text for key, text in row.items() if key.split(":")[0] == "label" and text), "").strip()
