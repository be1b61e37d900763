"""The public codebook: a Data Package v2 Table Schema that declares a table's domain.

Beside the standard's ``type``, ``categories``, ``categoriesOrdered``, ``constraints`` and
``missingValues`` a field may carry:

- ``bins``: number of equal-width bins of a continuous field (16 unless said);
- ``unknown``: the category that takes values outside the list ("" for the missing value);
- ``hierarchy``: how a code's levels are read, for micro-aggregation (``anonymize/columns.py``);
- ``sensitive``: the steward's mark, shown beside the risk weights;
- ``declared``: false where the entry was guessed and nobody has confirmed it.

Beside ``fields`` it may carry ``rules``: what every row obeys, as public knowledge (``rules/declared.py``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hmpb_core.domain import Attribute, Categorical, Domain, Numeric
from hmpb_core.errors import DomainError, SourceError
from hmpb_core.rules.declared import NO_RULES, Rules

DEFAULT_BINS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Codebook:
    """A domain and what else people need to know about its attributes.

    Attributes:
        domain: The attributes, in the order of the table's columns.
        missing_values: Texts that mean a missing value.
        undeclared: Names of the attributes whose entry is a guess.
        sensitive: Names of the attributes that the steward marked as sensitive.
        titles: Title of each attribute that has one.
        hierarchies: The property ``hierarchy`` of each attribute that has one, as it is written.
        rules: What every row obeys.
    """

    domain: Domain
    missing_values: tuple[str, ...] = ("",)
    undeclared: frozenset[str] = frozenset()
    sensitive: frozenset[str] = frozenset()
    titles: Mapping[str, str] = field(default_factory=dict)
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    rules: Rules = NO_RULES

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Codebook:
        """Read a codebook from a JSON file.

        Raises:
            SourceError: the file cannot be read or is not JSON.
            DomainError: it is not a usable Table Schema.
        """
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            raise SourceError(
                "The codebook {file!r} cannot be read; name a UTF-8 JSON file.", file=str(path)
            ) from None
        return cls.from_json(text)

    @classmethod
    def from_json(cls, text: str) -> Codebook:
        """Read a codebook from JSON text."""
        try:
            return cls.from_dict(json.loads(text))
        except json.JSONDecodeError as error:
            raise SourceError(
                "The codebook is not JSON (line {line}, column {column}); "
                "draft one with 'hmpb codebook DATA -o CB'.",
                line=error.lineno,
                column=error.colno,
            ) from None

    @classmethod
    def from_dict(cls, schema: Any) -> Codebook:
        """Read a codebook from a Table Schema, or from the first resource of a Data Package."""
        if isinstance(schema, dict) and "fields" not in schema:
            resources = schema.get("resources")
            if isinstance(resources, list) and resources and isinstance(resources[0], dict):
                schema = resources[0].get("schema")
        if not isinstance(schema, dict) or not isinstance(schema.get("fields"), list):
            raise DomainError("The codebook has no list of 'fields'; it must be a Table Schema.")
        fields = schema["fields"]
        if not all(isinstance(entry, dict) for entry in fields):
            raise DomainError("A field of the codebook is not an object; each needs a name and a type.")
        missing = schema.get("missingValues", [""])
        if not isinstance(missing, list):
            raise DomainError("'missingValues' of the codebook must be a list of texts.")
        texts = tuple(str(m["value"]) if isinstance(m, dict) and "value" in m else str(m) for m in missing)
        attributes = tuple(_attribute(entry) for entry in fields)
        domain = Domain(attributes)
        return cls(
            domain=domain,
            rules=Rules.read(schema.get("rules"), domain),
            missing_values=texts,
            undeclared=frozenset(e["name"] for e in fields if e.get("declared") is False),
            sensitive=frozenset(e["name"] for e in fields if e.get("sensitive") is True),
            titles={e["name"]: str(e["title"]) for e in fields if e.get("title")},
            hierarchies={e["name"]: e["hierarchy"] for e in fields if e.get("hierarchy") is not None},
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the codebook as a Table Schema."""
        fields = []
        for attribute in self.domain.attributes:
            entry = _field(attribute)
            if attribute.name in self.titles:
                entry["title"] = self.titles[attribute.name]
            if attribute.name in self.hierarchies:
                entry["hierarchy"] = self.hierarchies[attribute.name]
            if attribute.name in self.sensitive:
                entry["sensitive"] = True
            if attribute.name in self.undeclared:
                entry["declared"] = False
            fields.append(entry)
        rules = {"rules": self.rules.to_list()} if self.rules.items else {}
        return {"fields": fields, "missingValues": list(self.missing_values), **rules}

    def to_json(self) -> str:
        """Give the codebook as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"


def _attribute(entry: dict[str, Any]) -> Attribute:
    name = entry.get("name")
    if not isinstance(name, str):
        raise DomainError("A field of the codebook has no name; every field needs one.")
    constraints = entry.get("constraints") or {}
    if not isinstance(constraints, dict):
        raise DomainError("'constraints' of {name!r} must be an object.", name=name)
    nullable = constraints.get("required") is not True
    categories = entry.get("categories", constraints.get("enum"))
    if categories is not None:
        if not isinstance(categories, list):
            raise DomainError("'categories' of {name!r} must be a list.", name=name)
        values = tuple(c["value"] if isinstance(c, dict) and "value" in c else c for c in categories)
        if not all(isinstance(value, str) or _is_number(value) for value in values):
            raise DomainError("'categories' of {name!r} must be texts or numbers.", name=name)
        return Categorical(
            name=name,
            categories=values,
            ordered=entry.get("categoriesOrdered") is True,
            nullable=nullable,
            unknown=entry.get("unknown"),
        )
    kind = entry.get("type", "string")
    if kind in ("integer", "number"):
        if not all(_is_number(constraints.get(bound)) for bound in ("minimum", "maximum")):
            raise DomainError(
                "{name!r} is a number without a declared minimum and maximum; declare both from public "
                "knowledge, or list its categories.",
                name=name,
            )
        bins = entry.get("bins", DEFAULT_BINS)
        if not isinstance(bins, int) or isinstance(bins, bool):
            raise DomainError("'bins' of {name!r} must be a whole number.", name=name)
        return Numeric(
            name=name,
            minimum=constraints["minimum"],
            maximum=constraints["maximum"],
            bins=bins,
            integer=kind == "integer",
            nullable=nullable,
        )
    raise DomainError(
        "{name!r} has the type {kind!r} and no categories; list its categories, or declare it as 'integer' "
        "or 'number' with a minimum and a maximum.",
        name=name,
        kind=kind,
    )


def _field(attribute: Attribute) -> dict[str, Any]:
    required = {} if attribute.nullable else {"required": True}
    if isinstance(attribute, Numeric):
        return {
            "name": attribute.name,
            "type": "integer" if attribute.integer else "number",
            "constraints": {"minimum": attribute.minimum, "maximum": attribute.maximum, **required},
            "bins": attribute.bins,
        }
    integers = all(isinstance(c, int) for c in attribute.categories)
    numbers = all(isinstance(c, int | float) for c in attribute.categories)
    entry: dict[str, Any] = {
        "name": attribute.name,
        "type": "integer" if integers else "number" if numbers else "string",
        "categories": list(attribute.categories),
        "categoriesOrdered": attribute.ordered,
    }
    if required:
        entry["constraints"] = required
    if attribute.unknown is not None:
        entry["unknown"] = attribute.unknown
    return entry


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
