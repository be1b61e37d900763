"""An attribute's values in words."""

from __future__ import annotations

from collections.abc import Mapping

from hmpb_core.domain import Attribute
from hmpb_core.publishing.dictionary import translates
from hmpb_core.utility.charts import short
from pages.words.catalogue import language, plain

LONGEST_VALUE = 24
SHORTEST_LABEL = 8
"""Letters of a label below which nobody could tell what it says: a long code stands alone."""
NO_BREAK = "\u00a0"
_MEANS = f"{NO_BREAK}={NO_BREAK}"


def labels_of(attribute: Attribute, meanings: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The text of each code, with what the codebook says that it means.

    Args:
        attribute: The attribute; that a value is missing is said in the reader's language.
        meanings: What its values mean, by their text.
    """
    meanings = meanings or {}
    texts = attribute.labels[:-1] if attribute.nullable else attribute.labels
    told = tuple(value_words(text, meanings) if text in meanings else text for text in texts)
    return (*told, plain("common.value.missing")) if attribute.nullable else told


def value_words(code: str, labels: Mapping[str, str]) -> str:
    r"""A listed value in a few words: its code with what that means, which is cut where it is long.

    Example:
        >>> value_words("1", {"1": "male"}), value_words("1", {"1": "1 - male"}), value_words("1", {})
        ('1\xa0=\xa0male', '1 - male', '1')
    """
    label = " ".join(labels.get(code, "").split())
    room = LONGEST_VALUE - len(code) - len(_MEANS)
    if translates(code, label) and language() == "zh":
        label = ""
    if label.casefold() in ("", code.casefold()) or room < SHORTEST_LABEL:
        return short(code, LONGEST_VALUE)
    if label.startswith(code) and not label[len(code)].isalnum():  # as many files label: 1 - male
        return short(label, LONGEST_VALUE)
    return f"{code}{_MEANS}{short(label, room)}"
