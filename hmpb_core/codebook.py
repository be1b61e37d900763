"""The public codebook: a Data Package v2 Table Schema that declares a table's domain.

Beside the standard's ``type``, ``categories``, ``categoriesOrdered``, ``constraints`` and
``missingValues`` a field may carry:

- ``bins``: number of equal-width bins of a number, date or time (16 unless said), a list of their edges,
  or ``"learned"``: bins and values are learned from part of the budget (``codes``, 32 unless said, is
  the largest number of them);
- ``decimals`` or ``multipleOf``: the resolution of its values (seconds for a time, days for a date);
- ``unknown``: the category that takes values outside the list ("" for the missing value);
- ``sensitive``: the steward's mark, shown beside the risk weights;
- ``declared``: false where the entry was guessed and nobody has confirmed it.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hmpb_core.dates import KINDS, NumericKind, read_value
from hmpb_core.domain import Attribute, Categorical, Domain, Numeric
from hmpb_core.errors import DomainError, SourceError

DEFAULT_BINS = 16
LEARNED = "learned"
LEARNED_CODES = 32
"""Largest number of learned codes; noise mostly leaves fewer."""
MOST_DECIMALS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Codebook:
    """A domain and what else people need to know about its attributes.

    Attributes:
        domain: The attributes, in the order of the table's columns.
        missing_values: Texts that mean a missing value.
        undeclared: Names of the attributes whose entry is a guess.
        sensitive: Names of the attributes that the steward marked as sensitive.
        titles: Title of each attribute that has one.
    """

    domain: Domain
    missing_values: tuple[str, ...] = ("",)
    undeclared: frozenset[str] = frozenset()
    sensitive: frozenset[str] = frozenset()
    titles: Mapping[str, str] = field(default_factory=dict)

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
            raise SourceError(f"The codebook {str(path)!r} cannot be read; name a UTF-8 JSON file.") from None
        return cls.from_json(text)

    @classmethod
    def from_json(cls, text: str) -> Codebook:
        """Read a codebook from JSON text."""
        try:
            return cls.from_dict(json.loads(text))
        except json.JSONDecodeError as error:
            raise SourceError(
                f"The codebook is not JSON (line {error.lineno}, column {error.colno}); "
                "draft one with 'hmpb codebook DATA -o CB'."
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
        return cls(
            domain=Domain(attributes),
            missing_values=texts,
            undeclared=frozenset(e["name"] for e in fields if e.get("declared") is False),
            sensitive=frozenset(e["name"] for e in fields if e.get("sensitive") is True),
            titles={e["name"]: str(e["title"]) for e in fields if e.get("title")},
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the codebook as a Table Schema."""
        fields = []
        for attribute in self.domain.attributes:
            entry = _field(attribute)
            if attribute.name in self.titles:
                entry["title"] = self.titles[attribute.name]
            if attribute.name in self.sensitive:
                entry["sensitive"] = True
            if attribute.name in self.undeclared:
                entry["declared"] = False
            fields.append(entry)
        return {"fields": fields, "missingValues": list(self.missing_values)}

    def to_json(self) -> str:
        """Give the codebook as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"


def _attribute(entry: dict[str, Any]) -> Attribute:
    name = entry.get("name")
    if not isinstance(name, str):
        raise DomainError("A field of the codebook has no name; every field needs one.")
    constraints = entry.get("constraints") or {}
    if not isinstance(constraints, dict):
        raise DomainError(f"'constraints' of {name!r} must be an object.")
    nullable = constraints.get("required") is not True
    categories = entry.get("categories", constraints.get("enum"))
    if categories is not None:
        if not isinstance(categories, list):
            raise DomainError(f"'categories' of {name!r} must be a list.")
        values = tuple(c["value"] if isinstance(c, dict) and "value" in c else c for c in categories)
        if not all(isinstance(value, str) or _is_number(value) for value in values):
            raise DomainError(f"'categories' of {name!r} must be texts or numbers.")
        return Categorical(
            name=name,
            categories=values,
            ordered=entry.get("categoriesOrdered") is True,
            nullable=nullable,
            unknown=entry.get("unknown"),
        )
    kind = entry.get("type", "string")
    if kind in ("integer", "number", *KINDS):
        return _numeric(entry, name, kind, constraints, nullable=nullable)
    raise DomainError(
        f"{name!r} has the type {kind!r} and no categories; list its categories, or declare it as "
        "'integer' or 'number' with a minimum and a maximum."
    )


def _numeric(
    entry: dict[str, Any], name: str, kind: str, constraints: dict[str, Any], *, nullable: bool
) -> Numeric:
    """A number, date or time, with its bounds, bins and resolution."""
    of: NumericKind = kind if kind in KINDS else "number"
    pattern = str(entry.get("format", "")) if of != "number" else ""

    def number(value: Any) -> float | None:
        if _is_number(value) and math.isfinite(value):
            return float(value) if isinstance(value, float) else int(value)
        return None if of == "number" else read_value(str(value), of, pattern)

    bins = entry.get("bins", DEFAULT_BINS)
    edges: tuple[float, ...] = ()
    if isinstance(bins, list):
        found = [number(edge) for edge in bins]
        edges = tuple(edge for edge in found if edge is not None)
        if len(edges) < max(2, len(found)):
            raise DomainError(
                "'bins' of {name!r} lists edges that are not two or more of its values; correct them.",
                name=name,
            )
    elif bins != LEARNED and (not isinstance(bins, int) or isinstance(bins, bool)):
        raise DomainError(f"'bins' of {name!r} must be a whole number.")
    low = number(constraints.get("minimum", edges[0] if edges else None))
    high = number(constraints.get("maximum", edges[-1] if edges else None))
    if low is None or high is None:
        raise DomainError(
            f"{name!r} is a number without a declared minimum and maximum; declare both "
            "from public knowledge, or list its categories."
        )
    if edges:  # the range is covered whole: its ends are edges
        edges = (*((low,) if low < edges[0] else ()), *edges, *((high,) if high > edges[-1] else ()))
    most = entry.get("codes", LEARNED_CODES)
    if not isinstance(most, int) or isinstance(most, bool):
        raise DomainError("'codes' of {name!r} must be a whole number.", name=name)
    return Numeric(
        name=name,
        minimum=low,
        maximum=high,
        bins=most if bins == LEARNED else DEFAULT_BINS if edges else bins,
        integer=kind == "integer" or of != "number",
        nullable=nullable,
        edges=edges,
        learned=bins == LEARNED,
        resolution=_resolution(entry, name),
        kind=of,
        format=pattern,
    )


def _resolution(entry: dict[str, Any], name: str) -> float | None:
    """What values are multiples of: declared as ``multipleOf`` or ``decimals``."""
    if "multipleOf" in entry:
        step = entry["multipleOf"]
        if not _is_number(step):
            raise DomainError("'multipleOf' of {name!r} must be a number.", name=name)
        return float(step) if isinstance(step, float) else int(step)
    digits = entry.get("decimals")
    if digits is None:
        return None
    if not isinstance(digits, int) or isinstance(digits, bool) or not 0 <= digits <= MOST_DECIMALS:
        raise DomainError(
            "'decimals' of {name!r} must be a whole number from 0 to {most}.", name=name, most=MOST_DECIMALS
        )
    return float(f"1e-{digits}") if digits else 1


def _field(attribute: Attribute) -> dict[str, Any]:
    required = {} if attribute.nullable else {"required": True}
    if isinstance(attribute, Numeric):
        return _numeric_field(attribute, required)
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


def _numeric_field(attribute: Numeric, required: dict[str, Any]) -> dict[str, Any]:
    plain = attribute.kind == "number"

    def text(value: float) -> Any:
        return value if plain or attribute.kind == "year" else attribute.text(value)

    entry: dict[str, Any] = {
        "name": attribute.name,
        "type": ("integer" if attribute.integer else "number") if plain else attribute.kind,
        "constraints": {"minimum": text(attribute.minimum), "maximum": text(attribute.maximum), **required},
    }
    if attribute.format:
        entry["format"] = attribute.format
    if attribute.learned:
        entry |= {"bins": LEARNED, "codes": attribute.bins}
    else:
        entry["bins"] = [text(edge) for edge in attribute.edges] if attribute.edges else attribute.bins
    if attribute.resolution is not None:
        entry["multipleOf"] = attribute.resolution
    return entry


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
