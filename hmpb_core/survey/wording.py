"""Whether a column holds what its name promises, and in which words, by the counts of a survey."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode_values
from hmpb_core.provenance import Origin, provenance_of
from hmpb_core.sources.drafting.draft import is_open
from hmpb_core.sources.drafting.guesses import USUAL_MISSING
from hmpb_core.sources.drafting.vocabularies import Vocabulary, Writing, vocabulary_for
from hmpb_core.survey.cells import NUMBERS, TEXTS, Kind, number_range
from hmpb_core.survey.fields import KEPT, OTHER, field_of, missing_codes, number_field
from hmpb_core.survey.findings import Look
from hmpb_core.survey.scales import Bounds
from hmpb_core.survey.words import LISTS

FROM_NAMED = 0.5
"""A list that the column's name suggests holds at least this part of its rows."""
COMPLETE = 0.95
"""Part of the rows in a list's words from which on no others are looked for."""


def is_by_name(entry: Mapping[str, Any]) -> bool:
    """Whether a field is of a vocabulary by the column's name alone: the file may mean something else.

    Example:
        >>> from hmpb_core.sources.drafting import draft_from_header
        >>> fields = draft_from_header(["geschlecht", "country", "age", "x"])["fields"]
        >>> [is_by_name(entry) for entry in fields], [bounds_of(entry) is not None for entry in fields]
        ([True, True, True, False], [False, False, True, False])
    """
    of_vocabulary = provenance_of(entry).origin is Origin.VOCABULARY
    return of_vocabulary and vocabulary_for(str(entry.get("name", ""))) is not None


def is_read_off(entry: Mapping[str, Any]) -> bool:
    """Whether a field is a guess from the rows that nobody has declared; one that is still open is none."""
    return not (provenance_of(entry).public or is_open(entry))


def bounds_of(entry: Mapping[str, Any]) -> Bounds | None:
    """The bounds of such a field; none where it has a list."""
    limits = entry.get("constraints", {})
    if not is_by_name(entry) or "categories" in entry or not {"minimum", "maximum"} <= set(limits):
        return None
    return Bounds(kinds=NUMBERS, minimum=limits["minimum"], maximum=limits["maximum"])


def reopened(entry: Mapping[str, Any], look: Look) -> dict[str, Any] | None:
    """Give an open field where a name suggests numbers and the column holds texts, such as bands of ages.

    Noise hid which; the numbers would stop every run. None where the field may stay as it is.

    Args:
        entry: The field as it stands.
        look: What is known of the column.

    Example:
        >>> from hmpb_core.sources.drafting import draft_from_header
        >>> from hmpb_core.survey.sketches import Sketch
        >>> [age] = draft_from_header(["age"])["fields"]
        >>> looks = [Look(sketch=Sketch(kind=kind, rows=9.0), texts={}) for kind in (Kind.WHOLE, Kind.WORD)]
        >>> reopened(age, looks[0]), reopened(age, looks[1])["categories"]
        (None, [])
    """
    if bounds_of(entry) is None or look.sketch is None or look.sketch.kind not in TEXTS:
        return None
    kept = {key: entry[key] for key in KEPT if key in entry}
    return kept | {"type": "string", "categories": [], "categoriesOrdered": False, "declared": False}


def worded(draft: Mapping[str, Any], look: Look) -> dict[str, Any] | None:
    """Give a vocabulary's field in the words of the file; None where it has them, or noise hides them.

    A column that holds something else gets a field of its own.

    Args:
        draft: The field as the column's name alone suggests it.
        look: What is known of the column.
    """
    vocabulary = vocabulary_for(str(draft["name"]))
    if vocabulary is None or look.sketch is None or look.sketch.distinct:
        return None
    if bounds := bounds_of(draft):
        fits = look.sketch.kind in bounds.kinds and not look.sketch.beyond
        if not fits:
            return field_of(draft, look)
        sketch = replace(look.sketch, step=look.step)
        whole = draft["type"] == "integer" and sketch.kind is Kind.WHOLE
        seen = {} if whole else number_field(bounds.minimum, bounds.maximum, sketch)  # ages such as 0.75, too
        return {**draft, **seen, "constraints": draft["constraints"], "unknown": ""}
    if not (vocabulary.writings or vocabulary.words):
        return _of_one_list(draft, look)
    if look.of_numbers:
        return _in_numbers(draft, vocabulary, look)
    if look.sketch.kind not in TEXTS:  # 2014-10 is a month of one year
        return field_of(draft, look)
    absent = look.absent(_words(vocabulary))
    names = [text for text in look.named if text != OTHER and text not in absent]
    names = names if look.sketch.kind in TEXTS else []
    own_lists = [one for one in LISTS if one.words in [writing.words for writing in vocabulary.writings]]
    found = look.listed or look.from_list(own_lists, FROM_NAMED)
    listed = found.words if found else None
    own = next((one for one in vocabulary.writings if one.words == listed), None)
    if own is None and listed is None and names:  # '01' to '09' stand out; '10' is a number elsewhere
        own = next((one for one in vocabulary.writings if set(names) <= set(one.words)), None)
    if own is None:
        return field_of(draft, look) if names else None
    field = _in_seen_words(_field(draft, vocabulary, own), look.named)
    more = [text for text in _strange(field, look) if text not in absent]
    if not (more or absent) and _values(field) == _values(draft) and look.explained > COMPLETE:
        return None
    field |= missing_codes(draft, absent, look.sketch)
    in_digits = all(word.isdecimal() for word in own.words)
    if listed is None and (in_digits or look.explained > COMPLETE):
        return field
    return field | {"categories": [*field["categories"], *more, OTHER], "unknown": OTHER}


def _of_one_list(draft: Mapping[str, Any], look: Look) -> dict[str, Any] | None:
    """A field of a list that is written in one way only, if the column holds it; other texts are others."""
    assert look.sketch is not None
    if look.sketch.kind not in TEXTS:
        if not look.of_numbers or not look.ends:
            return field_of(draft, look)
        attribute = Codebook.from_dict({"fields": [dict(draft)]}).domain.attributes[0]
        ends = np.array([number_range(end)[0] for end in look.ends], dtype=object)
        return field_of(draft, look) if (encode_values(ends, attribute, frozenset()) < 0).any() else None
    absent = look.absent(_values(draft))
    strange = [text for text in _strange(draft, look) if text not in absent]
    named = {text: rows for text, rows in look.named.items() if text != OTHER and text not in absent}
    fitting = sum(rows for text, rows in named.items() if text not in strange)
    if fitting <= sum(named[text] for text in strange):
        return field_of(draft, look)
    values = [*draft["categories"], *strange, OTHER]
    missing = missing_codes(draft, absent, look.sketch)
    return {**draft, "type": "string", "categories": values, "unknown": OTHER, **missing}


def _strange(field: Mapping[str, Any], look: Look) -> list[str]:
    """Texts that stand out and that a field's list does not take, in any spelling."""
    attribute = Codebook.from_dict({"fields": [dict(field)]}).domain.attributes[0]
    names = [text for text in look.named if text != OTHER]
    codes = encode_values(np.array(names, dtype=object), attribute, frozenset({""}))
    return [text for text, code in zip(names, codes, strict=True) if code < 0]


def _in_numbers(draft: Mapping[str, Any], vocabulary: Vocabulary, look: Look) -> dict[str, Any] | None:
    """The field by its numbers: those of the vocabulary; 0 and 1 for no and yes, or if no others are there.

    Which of two sexes is 0 and which is 1 nobody knows: ISO 5218 has 1 and 2.
    """
    bounds = [number_range(end) for end in look.ends or ()]
    of_truth = bool(bounds) and bounds[0][0] >= 0.0 and bounds[1][1] <= 2.0
    if vocabulary.words and bounds and not of_truth:  # -1 beside 0 and 1, or 1 and 2
        return field_of(draft, look)
    if vocabulary.words or (of_truth and bounds[0][0] == 0.0):
        kept = {key: value for key, value in draft.items() if key not in ("trueValues", "falseValues")}
        return kept | {"type": "integer", "categories": [0, 1], "categoriesOrdered": True}
    own = next((one for one in vocabulary.writings if all(word.isdecimal() for word in one.words)), None)
    if own is None:
        return field_of(draft, look)
    codes = [int(word) for word in own.words]
    if bounds and (bounds[0][0] < min(codes) or bounds[1][0] > max(codes)):  # weekdays from 0, months counted
        return field_of(draft, look)
    field = _field(draft, vocabulary, own)
    padded = any(word != str(int(word)) for word in own.words)
    if padded and not set(own.words).intersection(look.named):
        field = _unpadded(field)
    return None if _values(field) == _values(draft) else field


def _unpadded(field: dict[str, Any]) -> dict[str, Any]:
    """The field of codes with leading zeros as one of numbers, 8 for 08."""
    return {**field, "type": "integer", "categories": [_as_number(one) for one in field["categories"]]}


def _as_number(category: Mapping[str, Any]) -> dict[str, Any]:
    number = int(category["value"])
    spellings = [category["value"], *category.get("spellings", [])]
    return {**category, "value": number, "spellings": [text for text in spellings if text != str(number)]}


def _in_seen_words(field: dict[str, Any], seen: Mapping[str, float]) -> dict[str, Any]:
    """The field with the words that the file writes here and there: Venezuela among USA and CAN.

    Args:
        field: A field of a list in one writing; the other words are its spellings.
        seen: Texts that stand out, with about how many rows hold each.
    """
    if field["type"] != "string":
        return field
    return {**field, "categories": [_in_seen_word(category, seen) for category in field["categories"]]}


def _in_seen_word(category: Mapping[str, Any], seen: Mapping[str, float]) -> dict[str, Any]:
    value, spellings = category["value"], category.get("spellings", [])
    words = [word for word in spellings if word in seen]
    if not words or value in seen:
        return dict(category)
    word = max(words, key=lambda one: seen[one])
    label = category.get("label", value)
    kept = {key: category[key] for key in category if key not in ("value", "label", "spellings")}
    others = [value, *(other for other in spellings if other != word)]
    return {"value": word, **({"label": label} if label != word else {}), "spellings": others, **kept}


def _words(vocabulary: Vocabulary) -> set[str]:
    """All words of a vocabulary, in any writing."""
    lists = (*(writing.words for writing in vocabulary.writings), *vocabulary.words)
    return {word for words in lists for word in words}


def _field(draft: Mapping[str, Any], vocabulary: Vocabulary, writing: Writing) -> dict[str, Any]:
    return {**draft, **vocabulary.field_for(str(draft["name"]), writing)}


def lenient(field: Mapping[str, Any]) -> dict[str, Any]:
    """The field of a list with what it does not list taken for missing: few rows stop no run after a survey.

    Nobody looked for those, and noise hides them.

    Example:
        >>> lenient({"name": "sex", "categories": ["F", "M"]})["unknown"]
        ''
    """
    constraints = field.get("constraints") or {}
    listed = "categories" in field or field.get("type") == "boolean"
    if not listed or "unknown" in field or constraints.get("required") is True:
        return dict(field)
    return {**field, "unknown": ""}


def like_others(fields: Sequence[Mapping[str, Any]], looks: Mapping[str, Look]) -> list[dict[str, Any]]:
    """The fields, numbers and dates with the missing codes that other columns of the table are seen to have.

    Few rows of theirs are missing, or nobody looked for words among numbers: those beside them say how the
    file writes what it does not know, and how it is to leave. What was read off another's rows says
    nothing.

    Args:
        fields: The fields.
        looks: What is known of the columns that were surveyed.
    """
    codes = Counter(code for field in fields if not is_read_off(field) for code in _usual(field))
    shared = [code for code, _ in codes.most_common()]
    return [
        {**field, "missingValues": [*shared, ""]}
        if shared and "bins" in field and not _usual(field) and _lacks_codes(looks.get(str(field["name"])))
        else dict(field)
        for field in fields
    ]


def _usual(field: Mapping[str, Any]) -> list[str]:
    """The usual words for a missing value among a field's missing codes."""
    return [code for code in field.get("missingValues", ()) if code and code in USUAL_MISSING]


def _lacks_codes(look: Look | None) -> bool:
    """Whether more rows of a column of numbers hold texts than hold what is known to be missing."""
    return look is not None and look.sketch is not None and look.sketch.texts > look.sketch.missing


def _values(field: Mapping[str, Any]) -> list[str]:
    return [str(category["value"]) for category in field.get("categories", ())]
