"""Public rules under another column's name: as the codebook writes them."""

from __future__ import annotations

from typing import Any

from hmpb_core.sources.drafting import OF_ONE


def with_name(rules: list[Any], old: str, new: str) -> list[Any]:
    """Give the rules for a column that has another name now."""

    def named(value: Any) -> Any:
        return new if value == old else value

    changed = []
    for rule in rules:
        fields = dict(rule)
        for key in OF_ONE:
            if key in fields:
                fields[key] = named(fields[key])
        for key in ("columns", "parts"):
            if key in fields:
                fields[key] = [named(name) for name in fields[key]]
        for key in ("if", "then"):
            if key in fields:
                fields[key] = {named(name): wanted for name, wanted in fields[key].items()}
        changed.append(fields)
    return changed
