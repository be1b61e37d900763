"""In which of a vocabulary's words a file is written, by the counts of a survey: post-processing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hmpb_core.provenance import Origin, provenance_of
from hmpb_core.sources.drafting.vocabularies import Vocabulary, Writing, vocabulary_for
from hmpb_core.survey.cells import TEXTS, WRITTEN_NUMBERS, number_range
from hmpb_core.survey.findings import OTHER, Look, field_of


def has_wordings(entry: Mapping[str, Any]) -> bool:
    """Whether a field is of a vocabulary, by the column's name, that files write in several ways.

    Example:
        >>> from hmpb_core.sources.drafting import draft_from_header
        >>> [has_wordings(entry) for entry in draft_from_header(["geschlecht", "age", "x"])["fields"]]
        [True, False, False]
    """
    if provenance_of(entry).origin is not Origin.VOCABULARY:
        return False
    vocabulary = vocabulary_for(str(entry.get("name", "")))
    return vocabulary is not None and bool(vocabulary.writings or vocabulary.words)


def worded(draft: Mapping[str, Any], look: Look) -> dict[str, Any] | None:
    """Give a vocabulary's field in the words of the file; None where it has them, or noise hides them.

    Args:
        draft: The field as the column's name alone suggests it.
        look: What is known of the column.
    """
    vocabulary = vocabulary_for(str(draft["name"]))
    if vocabulary is None or look.sketch is None or look.sketch.distinct:
        return None
    if look.sketch.kind in WRITTEN_NUMBERS:
        return _in_numbers(draft, vocabulary, look)
    names = [text for text in look.named if text != OTHER] if look.sketch.kind in TEXTS else []
    listed = look.listed.words if look.listed else None
    own = next((one for one in vocabulary.writings if one.words == listed), None)
    if own is None and listed is None and names:  # '01' to '09' stand out; '10' is a number elsewhere
        own = next((one for one in vocabulary.writings if set(names) <= set(one.words)), None)
    if own is None:
        return field_of(draft, look) if names else None
    field = _field(draft, vocabulary, own)
    more = [text for text in names if text not in own.words]
    if not more and _values(field) == _values(draft):
        return None
    if listed is None:
        return field
    return field | {"categories": [*field["categories"], *more, OTHER], "unknown": OTHER}


def _in_numbers(draft: Mapping[str, Any], vocabulary: Vocabulary, look: Look) -> dict[str, Any] | None:
    """The field by its numbers: those of the vocabulary; 0 and 1 for no and yes, or if no others are there.

    Which of two sexes is 0 and which is 1 nobody knows: ISO 5218 has 1 and 2.
    """
    bounds = [number_range(end) for end in look.ends or ()]
    if vocabulary.words or (bounds and bounds[0] == (0.0, 0.0) and bounds[1][1] <= 2.0):
        kept = {key: value for key, value in draft.items() if key not in ("trueValues", "falseValues")}
        return kept | {"type": "integer", "categories": [0, 1], "categoriesOrdered": True}
    own = next((one for one in vocabulary.writings if all(word.isdecimal() for word in one.words)), None)
    if own is None:
        return None
    field = _field(draft, vocabulary, own)
    return None if _values(field) == _values(draft) else field


def _field(draft: Mapping[str, Any], vocabulary: Vocabulary, writing: Writing) -> dict[str, Any]:
    return {**draft, **vocabulary.field_for(str(draft["name"]), writing)}


def _values(field: Mapping[str, Any]) -> list[str]:
    return [str(category["value"]) for category in field.get("categories", ())]
