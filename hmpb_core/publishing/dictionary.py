"""A data dictionary for people: what each column holds, in words."""

from __future__ import annotations

from collections.abc import Mapping

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Attribute, Numeric

SHOWN = 12
MISSING = "missing"
"""What a missing code means whose meaning nobody has said."""


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
            _values(attribute, meanings_of(codebook, attribute)),
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


def meanings_of(codebook: Codebook, attribute: Attribute) -> dict[str, str]:
    """Give what listed values mean, as the codebook says; a missing code that is told apart means missing."""
    apart = codebook.missing_codes.get(attribute.name, ()) if attribute.name in codebook.apart else ()
    return dict.fromkeys(apart, MISSING) | dict(codebook.value_labels.get(attribute.name, {}))


def _values(attribute: Attribute, meanings: Mapping[str, str]) -> str:
    if isinstance(attribute, Numeric):
        text = f"{attribute.text(attribute.minimum)} to {attribute.text(attribute.maximum)}"
    else:
        labels = attribute.labels[: len(attribute.categories)]
        told = [f"{value} ({meanings[value]})" if value in meanings else value for value in labels[:SHOWN]]
        text = ", ".join(told)
        if len(labels) > SHOWN:
            text += f" and {len(labels) - SHOWN} more"
    return text + ("; may be missing" if attribute.nullable else "")
