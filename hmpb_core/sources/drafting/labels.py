"""Labels that came with a file, as fields of a codebook: declared by whoever made the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hmpb_core.declared import MAX_ATTRIBUTE_SIZE
from hmpb_core.provenance import Origin, Provenance
from hmpb_core.sources.drafting.codebook_entries import Field, dated, with_missing
from hmpb_core.sources.files import VariableLabels
from hmpb_core.texts import plain_number, text_of

_LIKE_MISSING = re.compile(r"9*[789]", re.ASCII)
MOST_MARKS = 7
"""Labels up to which those of some whole numbers may name points of a scale; more are a list of codes."""


def fields_of_labels(labels: Sequence[VariableLabels], file_name: str) -> dict[str, dict[str, Any]]:
    """Give the fields that labels declare, by the variables' names.

    A variable whose values are labelled has these values as its categories, unless the file labels whole
    numbers here and there only, such as 0 and 10, or calls it a scale: there labels are of special values,
    but for those of answers that leave no gap, since SPSS calls every number a scale until it is told. Labels
    of special values stand under ``labels``.
    Values declared missing become the field's missing codes. A variable with a label of its own but none of
    values gets its title only; one that its display format or its type shows as a date is one, of bounds that
    are still to be said. Truth values and times of day of a typed file need none. The order of an ordered
    column stands under ``levels``: it came with the rows, and orders a guess only.

    Args:
        labels: What the file says of its variables.
        file_name: Its name, for the fields' source.
    """
    source = Provenance(origin=Origin.FILE, name=file_name).to_dict()
    fields = {}
    for about in labels:
        entry: dict[str, Any] = {"name": about.name}
        if about.title:
            entry["title"] = about.title
        texts = dict(about.values)
        values = [value for value, _ in about.values if value not in about.missing]
        if about.levels:
            entry["levels"] = list(about.levels)
        if about.kind == "boolean":
            entry |= {"type": "boolean", "source": source}
        elif about.kind == "time" and not about.missing:
            entry |= dated("time") | {"source": source}
        elif about.kind:
            entry["type"] = about.kind
        elif about.measure == "scale" and not label_all(values):
            entry |= _some_labelled([_labelled(value, texts[value]) for value in values])  # of any type
        elif label_some(values, nominal=about.measure == "nominal"):
            entry |= open_with([_labelled(value, texts[value]) for value in values])
        elif values and len(values) <= MAX_ATTRIBUTE_SIZE - 1:
            whole = all(isinstance(value, int) for value in values)
            numbers = all(isinstance(value, int | float) for value in values)
            entry |= {
                "type": "integer" if whole else "number" if numbers else "string",
                "categories": [_labelled(value, texts[value]) for value in values],
                "categoriesOrdered": about.measure == "ordinal",
                "source": source,
            }
        if about.missing:
            codes = [_labelled(value, texts.get(value)) for value in about.missing]
            entry = with_missing(entry, codes)
        if len(entry) > 1:
            fields[about.name] = entry
    return fields


def label_some(values: Sequence[Any], *, nominal: bool = False) -> bool:
    """Whether labelled values are some of the whole numbers that a variable has, and no list of all.

    So the ends of a scale from 0 to 10 are, one number alone, fewer than half of those between the ends, or
    every second one from 0 or 1 on.
    Codes that look like missing ones, as 9 beside 1 and 2, make no gap; alone, 97 to 99, they are no list.

    Args:
        values: The labelled values, without those that mean a missing one.
        nominal: Whether the file says that they are names; then only two or one may be such.

    Example:
        >>> label_some([0, 10]), label_some([5]), label_some([1, 3, 5])
        (True, True, True)
        >>> label_some([1, 2]), label_some([1, 2, 4]), label_some([1, 2, 9])
        (False, False, False)
        >>> label_some([97, 98, 99]), label_some([-2, -1])
        (True, True)
    """
    if not values or not all(isinstance(value, int) for value in values):
        return False
    answers = _answers(values)
    if not answers:
        return True
    few = len(values) <= MOST_MARKS
    values = answers if len(answers) > 1 else values
    between: int = max(values) - min(values) + 1
    if len(values) <= 2:
        return between > len(values) or between == 1
    every_second = sorted(values) in (list(range(0, between, 2)), list(range(1, between + 1, 2)))
    return not nominal and few and (2 * len(values) < between or every_second)


def label_all(values: Sequence[Any]) -> bool:
    """Whether labelled values are answers from 0 or 1 on without a gap, missing codes apart.

    Example:
        >>> label_all([-1, 0, 1, 2, 3, 8, 9]), label_all([1, 2]), label_all([*range(1, 11), 99])
        (True, True, True)
        >>> label_all([0]), label_all([0, 10]), label_all([-1, 98, 99]), label_all([18, 19])
        (False, False, False, False)
    """
    if not all(isinstance(value, int) for value in values):
        return False
    run, answers = sorted(value for value in values if value >= 0), _answers(values)
    while run and run[-1] not in answers and run[-1] - run[0] >= len(run):
        run.pop()  # a missing code behind a gap; 7, 8 and 9 before a 10 are answers
    return len(run) > 1 and run[0] in (0, 1) and run[-1] - run[0] < len(run)


def label_every(labels: Any, numbers: Iterable[str]) -> Field:
    """Give the list of the labelled values, if every number of a column is one of them; else nothing.

    Args:
        labels: What the file says of some values, as a field has it.
        numbers: The different texts of the column, missing ones apart.

    Example:
        >>> ends = [{"value": 1, "label": "ever"}, {"value": 7, "label": "never"}]
        >>> label_every(ends, ["7", "1.0"])["categories"], label_every(ends, ["7", "3"])
        ([1, 7], {})
    """
    values = [item["value"] for item in labels or ()]
    told, found = set(map(text_of, values)), set(map(plain_number, numbers))
    if not found or not found <= told or len(values) >= MAX_ATTRIBUTE_SIZE:
        return {}
    whole = all(isinstance(value, int) for value in values)
    return {"type": "integer" if whole else "number", "categories": values, "categoriesOrdered": False}


def _answers(values: Sequence[int]) -> list[int]:
    """Those that do not look like missing codes."""
    return [value for value in values if value >= 0 and not _LIKE_MISSING.fullmatch(str(value))]


def open_with(labels: Sequence[Any]) -> Field:
    """Declare whole numbers of which some are labelled; their bounds are still to be said."""
    return {"type": "integer", **_some_labelled(labels)}


def _some_labelled(labels: Sequence[Any]) -> Field:
    told = [item for item in labels if isinstance(item, dict)]
    return {"labels": told} if told else {}


def with_known_labels(entry: Mapping[str, Any]) -> Field:
    """The field with the labels of some values put on its categories, if it has come to have any.

    Example:
        >>> labels = [{"value": 0, "label": "no"}]
        >>> with_known_labels({"type": "integer", "labels": labels, "categories": [0, 1]})["categories"]
        [{'value': 0, 'label': 'no'}, 1]
    """
    known, categories = entry.get("labels"), entry.get("categories")
    if not isinstance(known, list) or not categories:
        return dict(entry)
    texts = {
        text_of(item["value"]): item["label"]
        for item in known
        if isinstance(item, dict) and {"value", "label"} <= set(item)
    }
    told = [
        category if isinstance(category, dict) else _labelled(category, texts.get(text_of(category)))
        for category in categories
    ]
    return {key: part for key, part in entry.items() if key != "labels"} | {"categories": told}


def _labelled(value: str | float, label: str | None) -> Any:
    return {"value": value, "label": label} if label else value
