"""What a codebook file says of a table's columns, over what the table's own file says of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hmpb_core.sources.drafting.codebook_entries import Field, with_missing
from hmpb_core.sources.drafting.labels import with_known_labels
from hmpb_core.texts import text_of

_UNTYPED = "string"
"""The type of a field of which nothing is known yet, too."""


def all_told_over(own: Mapping[str, Field], told: Mapping[str, Field]) -> dict[str, Field]:
    """Give the fields of either, by name; of a column that both describe by ``told_over``.

    Args:
        own: What the table's file says.
        told: What a codebook file says.
    """
    both = {name: told_over(own[name], field) for name, field in told.items() if name in own}
    return {**own, **told, **both}


def told_over(own: Mapping[str, Any], told: Mapping[str, Any]) -> Field:
    """Give what a codebook file says of a column, and of what it leaves unsaid what the table's file says.

    Title, type, missing codes and labels stay where nothing else is told; the list of values too where the
    codebook file says nothing of them.

    Args:
        own: The field by the table's file.
        told: The field by the codebook file.

    Example:
        >>> own = {"title": "Sex", "missingValues": [9, ""], "categories": [1, 2]}
        >>> told_over(own, {"name": "sex", "type": "integer", "categories": [1, 2, 3], "source": {}})["title"]
        'Sex'
    """
    title = {"title": own["title"]} if "title" in own else {}
    if told.get("publish") is False:
        return {**title, **told}
    if own.get("categories") and not {"source", "declared"} & set(told):
        return {**own, **{key: part for key, part in told.items() if key != "type"}}
    typed = {"type": own["type"]} if own.get("type", _UNTYPED) != _UNTYPED else {}
    labels = {"labels": own["labels"]} if "labels" in own else {}
    field = with_known_labels({**title, **typed, **labels, **told})
    if "missingValues" in told or "missingValues" not in own:
        return field
    listed = {_text(item) for item in field.get("categories") or ()}
    codes = [code for code in own["missingValues"] if _text(code) not in listed | {""}]
    return with_missing(field, codes) if codes else field


def _text(item: Any) -> str:
    return text_of(item["value"] if isinstance(item, Mapping) and "value" in item else item)
