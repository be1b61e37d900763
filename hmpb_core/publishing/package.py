"""The data dictionary of a bundle: a Data Package (version 2) with a full Table Schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hmpb_core.categories import label_of
from hmpb_core.codebook import Codebook
from hmpb_core.dates import CENTURY, HALF_WORDS, MONTH_WORDS, padded
from hmpb_core.domain import Attribute, Numeric
from hmpb_core.privacy.ledger import digest_of
from hmpb_core.provenance import Origin
from hmpb_core.publishing.dictionary import meanings_of
from hmpb_core.publishing.tables import CsvForm, harmless, harmless_categories

PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"


def datapackage_of(
    codebook: Codebook, tables: Mapping[str, bytes], *, name: str, title: str, description: str, created: str
) -> str:
    """Describe the csv files of a bundle.

    Args:
        codebook: The public codebook.
        tables: Content of each csv file, by file name.
        name: Name of the package; made to fit the standard.
        title: Its title.
        description: What it is, for its reader.
        created: When it was made (ISO 8601).
    """
    schema = schema_of(codebook)
    form = CsvForm.of(codebook)
    package = {
        "$schema": PROFILE,
        "name": slug(name),
        "title": title,
        "description": description,
        "created": created,
        "resources": [
            {
                "name": slug(path.removesuffix(".csv")),
                "type": "table",
                "path": path,
                "scheme": "file",
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": form.dialect.registered_encoding,
                "dialect": {
                    "delimiter": form.dialect.delimiter,
                    "lineTerminator": form.dialect.lines,
                    "quoteChar": '"',
                    "doubleQuote": True,
                },
                "bytes": len(content),
                "hash": f"sha256:{digest_of(content)}",
                "schema": schema,
            }
            for path, content in tables.items()
        ],
    }
    return json.dumps(package, ensure_ascii=False, indent=1) + "\n"


def schema_of(codebook: Codebook) -> dict[str, Any]:
    """Give the Table Schema of the csv files: types, bounds, categories, titles."""
    answers, codebook = codebook.answers.values(), codebook.in_whole_columns()
    several = {one.column: one.between for one in answers}
    form = CsvForm.of(codebook)
    fields: list[dict[str, Any]] = [
        {
            "name": harmless(identifier.name),
            "type": "string",
            "description": "Made up anew for every row; no value of the table.",
            "constraints": {"required": True, "unique": True, "pattern": identifier.pattern},
        }
        for identifier in codebook.rules.identifiers
    ]
    for attribute in codebook.domain.attributes:
        entry = _field(attribute, several.get(attribute.name))
        meanings = meanings_of(codebook, attribute)
        if "categories" in entry and meanings:
            entry["categories"] = [
                {"value": written, **label_of(value, meanings)}
                for written, value in zip(entry["categories"], attribute.labels, strict=False)
            ]
        if attribute.name in codebook.titles:
            entry["title"] = codebook.titles[attribute.name]
        if entry["type"] == "number" and form.dialect.decimal != ".":
            entry["decimalChar"] = form.dialect.decimal
        if amounts := form.amounts(attribute.name):
            if amounts.group:  # readers know marks between thousands in numbers alone
                entry["type"] = "number"
            point = {"decimalChar": amounts.point} if entry["type"] == "number" else {}
            group = {"groupChar": amounts.group} if amounts.group else {}
            entry |= {**point, **group, **({"bareNumber": False} if amounts.sign else {})}
            if amounts.minus != "-":  # which readers of numbers take for none, or leave away
                entry = {key: entry[key] for key in ("name", "title") if key in entry}
                entry |= {"type": "string", "description": f"Numbers; -1234.5 is written {amounts.example}."}
        if attribute.name in form.truths:
            no, yes = form.truths[attribute.name]
            entry |= {"trueValues": [yes], "falseValues": [no]}
        # The standard's categories list all that may occur; labels of some numbers are no part of it.
        labels = codebook.labelled_numbers(attribute) if entry["type"] != "string" else []
        if code := form.missing.get(attribute.name):
            entry["missingValues"] = [code]
            labels += [{"value": code, **label_of(code, meanings)}] if code in meanings else []
        if labels:
            entry["labels"] = labels
        source = codebook.sources[attribute.name]
        if source.origin is Origin.GUESS:  # read as a codebook, a rehearsal's dictionary would declare it
            entry |= {"source": source.to_dict(), **({} if source.public else {"declared": False})}
        fields.append(entry)
    return {"fields": fields, "missingValues": [""]}


def _field(attribute: Attribute, between: str | None = None) -> dict[str, Any]:
    """A column's type and values; of one whose cells hold several answers what stands between two."""
    if between is not None:
        answers = "; ".join(attribute.labels[:-1])
        told = f"Any number of these, with {between!r} between two: {answers}. Missing where none is given."
        return {"name": harmless(attribute.name), "type": "string", "description": told}
    constraints: dict[str, Any] = {} if attribute.nullable else {"required": True}
    if isinstance(attribute, Numeric):
        plain = attribute.kind in ("number", "year")
        low, high = attribute.minimum, attribute.maximum
        constraints |= {
            "minimum": low if plain else attribute.text(low),
            "maximum": high if plain else attribute.text(high),
        }
        number = "integer" if attribute.integer else "number"
        kind = number if attribute.kind == "number" else attribute.kind
        entry = {"name": harmless(attribute.name), "type": kind, "constraints": constraints}
        # Programs read 7 and 07, Aug and AUG by one format; none knows the signs that tell them apart.
        # No program knows 下午 for PM, nor août; and for all of them 51 is 2051.
        words = HALF_WORDS.search(attribute.format)
        own = MONTH_WORDS.search(attribute.format) or CENTURY.search(attribute.format)
        known = (words is None or words[1].lower() == "am") and not own
        form = padded(attribute.format) if known else "any"
        return entry | ({"format": form} if form else {})
    if attribute.boolean:
        return {"name": harmless(attribute.name), "type": "boolean", "constraints": constraints}
    values = harmless_categories(attribute)
    integers = all(isinstance(value, int) for value in values)
    numbers = all(isinstance(value, int | float) for value in values)
    constraints["enum"] = values
    return {
        "name": harmless(attribute.name),
        "type": "integer" if integers else "number" if numbers else "string",
        "categories": values,
        "categoriesOrdered": attribute.ordered,
        "constraints": constraints,
    }


def slug(text: str) -> str:
    """Give a name as the standard wants it: lower case, digits, dots, dashes and underscores.

    Example:
        >>> slug("People 2024!")
        'people-2024'
    """
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in text.lower())
    return "-".join(filter(None, kept.split("-"))) or "data"
