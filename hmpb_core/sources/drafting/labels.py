"""Labels that came with a file, as fields of a codebook: declared by whoever made the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hmpb_core.domain import MAX_ATTRIBUTE_SIZE
from hmpb_core.provenance import Origin, Provenance
from hmpb_core.sources.files import VariableLabels


def fields_of_labels(labels: Sequence[VariableLabels], file_name: str) -> dict[str, dict[str, Any]]:
    """Give the fields that labels declare, by the variables' names.

    A variable whose values are labelled has these values as its categories, unless the file calls it a
    scale (there labels are of special values). Values declared missing become the field's missing
    codes. A variable with a label of its own but none of values gets its title only; one that its display
    format shows as a date is one, of bounds that are still to be said.

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
        if about.missing:
            entry["missingValues"] = [*[_labelled(value, texts.get(value)) for value in about.missing], ""]
        values = [value for value, _ in about.values if value not in about.missing]
        if about.kind:
            entry["type"] = about.kind
        elif values and about.measure != "scale" and len(values) <= MAX_ATTRIBUTE_SIZE - 1:
            whole = all(isinstance(value, int) for value in values)
            numbers = all(isinstance(value, int | float) for value in values)
            entry |= {
                "type": "integer" if whole else "number" if numbers else "string",
                "categories": [_labelled(value, texts[value]) for value in values],
                "categoriesOrdered": about.measure == "ordinal",
                "source": source,
            }
        if len(entry) > 1:
            fields[about.name] = entry
    return fields


def _labelled(value: str | float, label: str | None) -> Any:
    return {"value": value, "label": label} if label else value
