"""An attribute's values in words."""

from __future__ import annotations

from hmpb_core.domain import Attribute
from pages.words.catalogue import plain


def labels_of(attribute: Attribute) -> tuple[str, ...]:
    """The text of each code; a missing value is named in the reader's language."""
    if not attribute.nullable:
        return attribute.labels
    return (*attribute.labels[:-1], plain("common.value.missing"))
