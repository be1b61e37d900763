"""How a Table Schema writes categories, booleans and missing codes, and which category a value means."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from hmpb_core.domain import Categorical, Codes, Scalar
from hmpb_core.errors import DomainError
from hmpb_core.texts import plain_number, single_text, text_of

BOOLEANS = {
    "true": ("true", "True", "TRUE", "1"),
    "false": ("false", "False", "FALSE", "0"),
}
"""How no and yes are written unless a field says otherwise [Table Schema, boolean]."""

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?", re.ASCII)


def boolean(entry: dict[str, Any], *, nullable: bool) -> Categorical:
    """Read a boolean field.

    Raises:
        DomainError: its words for true and false are no lists, or one stands in both.
    """
    spellings: list[tuple[str, Scalar]] = []
    for category, key in (("false", "falseValues"), ("true", "trueValues")):
        texts = entry.get(key, BOOLEANS[category])
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) and text for text in texts):
            raise DomainError("{key!r} of {name!r} must be a list of texts.", key=key, name=entry["name"])
        spellings += [(text.strip(), category) for text in texts]
    if len({text for text, _ in spellings}) < len(spellings):
        raise DomainError(
            "{name!r} lists a text twice among its true and false values; list each once.", name=entry["name"]
        )
    told = entry.get("answerTo")
    return Categorical(
        name=entry["name"],
        categories=("false", "true"),
        boolean=True,
        nullable=nullable,
        unknown=entry.get("unknown"),
        spellings=tuple(spellings),
        answer_to=str(told.get("column", "")) if isinstance(told, Mapping) else "",
    )


def boolean_field(attribute: Categorical, required: dict[str, bool]) -> dict[str, Any]:
    """Write a boolean attribute as a field."""
    entry: dict[str, Any] = {"name": attribute.name, "type": "boolean"}
    for category, key in (("true", "trueValues"), ("false", "falseValues")):
        texts = tuple(text for text, said in attribute.spellings if said == category)
        if texts != BOOLEANS[category]:
            entry[key] = list(texts)
    if attribute.unknown is not None:
        entry["unknown"] = attribute.unknown
    return entry | ({"constraints": required} if required else {})


def texts_of_categories(name: str, categories: list[Any], key: str) -> tuple[tuple[str, Scalar], ...]:
    """Read the ``spellings`` or ``prefixes`` of each category, each text with its category.

    Raises:
        DomainError: those of a category are no list of texts.
    """
    found: list[tuple[str, Scalar]] = []
    for category in categories:
        if not isinstance(category, dict) or category.get(key) is None:
            continue
        texts = category[key]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise DomainError(
                "{key!r} of a category of {name!r} must be a list of texts.", key=key, name=name
            )
        found += [(text.strip(), category["value"]) for text in texts]
    return tuple(found)


def categories_of(attribute: Categorical) -> list[Any]:
    """Write categories, as objects where they have spellings or prefixes."""
    extra: dict[str, dict[str, list[str]]] = {}
    for key, pairs in (("spellings", attribute.spellings), ("prefixes", attribute.prefixes)):
        for text, category in pairs:
            extra.setdefault(text_of(category), {}).setdefault(key, []).append(text)
    return [{"value": c, **extra[text_of(c)]} if text_of(c) in extra else c for c in attribute.categories]


def codes_of(values: Iterable[object], attribute: Categorical, missing: Collection[str]) -> Codes:
    """Give the code of the category that each value means, as a ``Coder`` does."""
    return Coder(attribute, missing).codes(values)


class Coder:
    """Finds the category that a value means: by its own text, by a spelling or by the longest prefix.

    Else it is the category for the rest, if there is one. A number of 32 bits means the category of its
    shortest text: 1.1, of which 64 bits make 1.100000023841858. A number that lost the zeros of a code, 1
    for 01 or 1331 for 1331.0, means the only code it can be.

    Args:
        attribute: The attribute.
        missing: Texts that mean a missing value.
    """

    def __init__(self, attribute: Categorical, missing: Collection[str]) -> None:
        code_of = {text_of(category): code for code, category in enumerate(attribute.categories)}
        known = {text: code_of[text_of(category)] for text, category in attribute.spellings} | code_of
        if attribute.boolean:  # truth values of Python mean the same whatever words a file has for them
            known = {"False": 0, "True": 1} | known
        by_length = sorted(attribute.prefixes, key=lambda pair: -len(pair[0]))
        self.texts = list(code_of)
        self._known = known
        self._missing = missing
        self._prefixes = [(prefix, code_of[text_of(category)]) for prefix, category in by_length]
        self._numeric = not any(isinstance(category, str) for category in attribute.categories)
        self._null_code = attribute.size - 1 if attribute.nullable else -1
        self._fallback = -1
        if attribute.unknown == "":
            self._fallback = attribute.size - 1
        elif attribute.unknown is not None:
            self._fallback = code_of[text_of(attribute.unknown)]

    def codes(self, values: Iterable[object]) -> Codes:
        """Give the code of the category that each value means; -1 where none does.

        Args:
            values: Texts, or numbers and truth values as Python has them.
        """
        return np.array([self._code(value) for value in values], dtype=np.int32)

    def _code(self, value: object) -> int:
        text, known = text_of(value), self._known
        if text in known:
            return known[text]
        if text in self._missing or (self._numeric and plain_number(text) in self._missing):
            return self._null_code
        if self._numeric and (plain := plain_number(text)) in known:
            return known[plain]
        if self._numeric and (narrow := _as_32_bits(text)) in known:
            return known[narrow]
        if isinstance(value, int | float) and text in self._by_number:
            return self._by_number[text]
        return next((code for prefix, code in self._prefixes if text.startswith(prefix)), self._fallback)

    @cached_property
    def _by_number(self) -> dict[str, int]:
        """The codes of texts by the numbers that they are, but for numbers that are several."""
        found: dict[str, set[int]] = {}
        for text, code in self._known.items():
            found.setdefault(plain_number(text), set()).add(code)
        return {text: codes.pop() for text, codes in found.items() if len(codes) == 1}


def _as_32_bits(text: str) -> str:
    """The shortest text of a number of 32 bits; any other text as it is.

    Whether a column holds floats or their texts may hang on one row, a missing value with a code of its own.
    """
    try:
        number = float(text)
    except ValueError:
        return text
    return single_text(number) if text == str(number) else text


def texts_of(values: Any) -> tuple[str, ...]:
    """Read a list of missing values; each may be an object with a label.

    Raises:
        DomainError: it is no list.
    """
    if not isinstance(values, list):
        raise DomainError("'missingValues' of the codebook must be a list of texts.")
    return tuple(text_of(v["value"]) if isinstance(v, dict) and "value" in v else text_of(v) for v in values)


def like_categories(text: str, like: tuple[Scalar, ...]) -> Scalar:
    """Give a missing code the type of the categories it stands among, so that they stay numbers."""
    whole = text.removeprefix("-")
    numbers = not any(isinstance(value, str) for value in like)
    return int(text) if numbers and whole.isascii() and whole.isdecimal() else text


def labels_of(entry: dict[str, Any]) -> dict[str, str]:
    """Read what the categories, missing codes and labelled numbers of a field mean, by their text."""
    lists = (entry.get("labels"), entry.get("categories"), entry.get("missingValues"))
    return {
        text_of(item["value"]): str(item["label"])
        for items in lists
        if isinstance(items, list)
        for item in items
        if isinstance(item, dict) and "value" in item and item.get("label")
    }


def labelled_numbers(labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Give the numbers among labelled values, as objects with their labels.

    Example:
        >>> labelled_numbers({"8": "eight or more", "n.a.": "refused"})
        [{'value': 8, 'label': 'eight or more'}]
    """
    return [{"value": json.loads(text), "label": labels[text]} for text in labels if _NUMBER.fullmatch(text)]


def label_of(value: Scalar, labels: Mapping[str, str]) -> dict[str, str]:
    """Give a value's label as a part of its object."""
    text = text_of(value)
    return {"label": labels[text]} if text in labels else {}


def with_label(value: Scalar, labels: Mapping[str, str]) -> Any:
    """Give a value, as an object where it has a label."""
    label = label_of(value, labels)
    return {"value": value, **label} if label else value
