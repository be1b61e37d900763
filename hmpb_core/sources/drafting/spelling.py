"""A public vocabulary's field in the words and numbers that a file uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hmpb_core.categories import BOOLEANS
from hmpb_core.provenance import Origin, Provenance
from hmpb_core.sources.drafting.numerals import (
    USUAL,
    decimals_of,
    has_points,
    numbers_written,
    precision_of,
    whole_decimals,
)
from hmpb_core.sources.drafting.vocabularies import vocabulary_for

_GUESS = Provenance(origin=Origin.GUESS).to_dict()
SHORT_LIST = 5
"""Categories up to which a guess of a vocabulary's words holds only those that occur."""
_CASES: tuple[Callable[[str], str], ...] = (str.upper, str.lower, str.capitalize, str.title)


def as_written(entry: Mapping[str, Any], counts: Counter[str]) -> dict[str, Any] | None:
    """Give a vocabulary's field in the words that the file uses; None where it has them already.

    Which words a file uses is read off its rows, so the field becomes a guess.

    Args:
        entry: The field as the column's name alone suggests it.
        counts: How often each text of the column occurs.
    """
    vocabulary = vocabulary_for(str(entry["name"]))
    if vocabulary is None:
        return None
    title = {"title": entry["title"]} if "title" in entry else {}
    guessed = {**title, "source": _GUESS, "declared": False}
    if _is_counted_from_0(entry, counts):
        codes = sorted(map(int, counts)) if counts["2"] else [0, 1]
        listed = {"type": "integer", "categories": codes, "categoriesOrdered": codes == [0, 1]}
        return {"name": entry["name"], **listed, **guessed}
    if "categories" in entry:
        found = dict(entry)
        if vocabulary.writings:
            rows = [_rows_of(writing.words, counts) for writing in vocabulary.writings]
            best = max(range(len(rows)), key=lambda place: rows[place])
            if rows[best] > _rows_of(_values(entry["categories"]), counts):
                found = vocabulary.field_for(str(entry["name"]), vocabulary.writings[best])
        spelled = _as_spelled(found["categories"], counts)
        found["categories"] = [_in_use(category, counts) for category in spelled]
        if _values(found["categories"]) == _values(entry["categories"]):
            return None
        found["categories"] = _held(found, counts)
        return {**found, "type": _type_of(found["categories"]), **guessed}
    for words in vocabulary.words if vocabulary.field.get("type") == "boolean" else ():
        if set(counts) <= set(words) and counts:
            listed = {"type": "string", "categories": list(words), "categoriesOrdered": False}
            return {"name": entry["name"], **listed, **guessed}
    if entry["type"] == "boolean" and (truths := truths_of(counts)):
        return {**entry, **truths, **guessed}
    if entry["type"] == "integer" and has_points(counts):
        return {**entry, "type": "number", "multipleOf": 1, **guessed}
    if entry["type"] == "number" and "decimals" not in entry:
        form = decimals_of(counts) | precision_of(counts) | numbers_written(counts)
        return {**entry, **form, **guessed} if form else None
    return None


def _is_counted_from_0(entry: Mapping[str, Any], counts: Counter[str]) -> bool:
    """Whether codes count the answers from 0, and so are none of the vocabulary's.

    Which of two sexes is 0 and which is 1 nobody knows: ISO 5218 has 1 and 2, and 0 for the few of whom it is
    not known. Where 0 is commoner than 1 or 2, it is as likely a sex.
    """
    if counts["0"] == 0 or not ("categories" in entry or entry["type"] == "boolean"):
        return False
    if set(counts) <= {"0", "1"}:
        return True
    own = "0" in map(str, _values(entry.get("categories", ())))
    return not own and set(counts) <= {"0", "1", "2"} and counts["0"] > min(counts["1"], counts["2"])


def truths_of(counts: Counter[str]) -> dict[str, list[str]] | None:
    """How a file writes yes and no, the other usual words after it; None where it writes something else.

    Nothing is said where they are True and False, and true and false stand alone: without a word they leave
    as True and False.
    """
    written = next((words for words in _TRUTHS if counts and set(counts) <= set(words)), None)
    if written is None:
        return None
    if written[0] == "True":
        return {}
    if written[0] == "true":
        return {"trueValues": ["true"], "falseValues": ["false"]}
    keys = zip(("trueValues", "falseValues"), written, BOOLEANS.values(), strict=True)
    return {key: [word, *(text for text in words if text != word)] for key, word, words in keys}


_TRUTHS = (("true", "false"), ("True", "False"), ("TRUE", "FALSE"))


def holds_numbers(entry: Mapping[str, Any], counts: Counter[str]) -> bool:
    """Whether a field of bounded numbers holds a column's as they are: none is clipped or rounded."""
    bounds = entry.get("constraints", {})
    if entry.get("type") not in ("integer", "number") or not {"minimum", "maximum"} <= set(bounds):
        return True
    try:
        numbers = [float(text) for text in counts]
    except ValueError:
        return False
    if len(counts) == 1 and not whole_decimals(next(iter(counts))):
        return False  # a constant: a guess lists it as it is
    inside = all(bounds["minimum"] <= number <= bounds["maximum"] for number in numbers)
    if entry["type"] == "number" and numbers and 100 * max(numbers) <= bounds["maximum"]:
        return False  # parts of 1, no percentages
    whole = sum(rows for text, rows in counts.items() if whole_decimals(text))
    steps = entry["type"] == "integer" or "multipleOf" in entry
    return inside and (not steps or whole >= USUAL * counts.total())


def _held(entry: Mapping[str, Any], counts: Counter[str]) -> list[dict[str, Any]]:
    """The categories that a column is to have: all, but of a short list without an order those that occur.

    The words are a guess already; nobody has answered the others, and noise would give them rows.
    """
    categories: list[dict[str, Any]] = entry["categories"]
    if len(categories) > SHORT_LIST or entry.get("categoriesOrdered"):
        return categories
    texts = (
        (category, map(str, (category["value"], *category.get("spellings", ())))) for category in categories
    )
    return [category for category, words in texts if any(counts[word] for word in words)] or categories


def _values(categories: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [category["value"] for category in categories]


def _rows_of(values: Sequence[Any], counts: Counter[str]) -> int:
    """Rows whose text is one of the values, in the one case that covers most."""
    texts = [str(value) for value in values]
    in_cases = [texts, *([change(text) for text in texts] for change in _CASES)]
    return max(sum(counts[text] for text in spelt) for spelt in in_cases)


def _type_of(categories: Sequence[Mapping[str, Any]]) -> str:
    return "integer" if all(isinstance(value, int) for value in _values(categories)) else "string"


def _as_spelled(categories: Sequence[Mapping[str, Any]], counts: Counter[str]) -> list[dict[str, Any]]:
    """Categories in the one spelling that covers most rows: FEMALE for female, USA for US."""
    most = max((len(category.get("spellings", ())) for category in categories), default=0)
    ways: list[Callable[[Mapping[str, Any]], Any]] = [
        lambda category: category["value"],
        *(lambda category, change=change: change(str(category["value"])) for change in _CASES),
        *(lambda category, at=at: _spelling(category, at) for at in range(most if most == 1 else 0)),
    ]
    rows = [sum(counts[str(way(category))] for category in categories) for way in ways]
    best = ways[rows.index(max(rows))]
    return [_renamed(category, best(category)) for category in categories]


def _spelling(category: Mapping[str, Any], at: int) -> Any:
    spellings = category.get("spellings", ())
    return spellings[at] if at < len(spellings) else category["value"]


def _in_use(category: Mapping[str, Any], counts: Counter[str]) -> dict[str, Any]:
    """The category by the commonest of its spellings, where the file does not use its first word at all."""
    words = [] if counts[str(category["value"])] else category.get("spellings", ())
    used = max(words, key=lambda word: counts[word], default="")
    return _renamed(category, used) if counts[used] else dict(category)


def _renamed(category: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """The category by another of its texts; the old one stays a spelling."""
    old = category["value"]
    if value == old or str(value) == str(old):
        return dict(category)
    spellings = [text for text in [str(old), *category.get("spellings", ())] if text != str(value)]
    return {**category, "value": value, "spellings": list(dict.fromkeys(spellings))}
