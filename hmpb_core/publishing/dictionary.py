"""A data dictionary for people: what each column holds, in words."""

from __future__ import annotations

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Attribute, Numeric

SHOWN = 12


def dictionary_of(codebook: Codebook) -> list[tuple[str, str, str, str, str]]:
    """Give a line a column: its name, title, type, values, and where they come from."""
    made_up = [
        (form.name, "", "identifier", f"unique, written like {form.pattern}", "made up anew for every row")
        for form in codebook.rules.identifiers
    ]
    return made_up + [
        (
            attribute.name,
            codebook.titles.get(attribute.name, ""),
            _type(attribute),
            _values(attribute),
            codebook.sources[attribute.name].words,
        )
        for attribute in codebook.domain.attributes
    ]


def _type(attribute: Attribute) -> str:
    if isinstance(attribute, Numeric):
        if attribute.kind != "number":
            return attribute.kind
        return "whole number" if attribute.integer else "number"
    if attribute.boolean:
        return "yes or no"
    return "ordered categories" if attribute.ordered else "categories"


def _values(attribute: Attribute) -> str:
    if isinstance(attribute, Numeric):
        text = f"{attribute.text(attribute.minimum)} to {attribute.text(attribute.maximum)}"
    else:
        labels = attribute.labels[: len(attribute.categories)]
        text = ", ".join(labels[:SHOWN])
        if len(labels) > SHOWN:
            text += f" and {len(labels) - SHOWN} more"
    return text + ("; may be missing" if attribute.nullable else "")
