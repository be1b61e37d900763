"""Data Packages and Table Schemas: the schema of the one table that is meant."""

from __future__ import annotations

import json
from typing import Any

from hmpb_core.errors import SourceError
from hmpb_core.sources.drafting.codebook_entries import Columns, Found, shown
from hmpb_core.sources.drafting.sdnist import fields_of_sdnist, is_sdnist


def read_data_package(content: bytes, label: str, columns: Columns) -> Found:
    """Read the fields of a table, each with the missing codes that hold for all, and its rules.

    JSON that is SDNist's dictionary is read as such.

    Raises:
        SourceError: it is no Data Package, or says nothing of one table alone.
    """
    schema = schema_of(content, label, columns)
    if is_sdnist(schema):
        return Found(fields_of_sdnist(schema))
    entries = schema.get("fields")
    fields = [
        entry
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    ]
    codes = schema.get("missingValues")
    if isinstance(codes, list) and codes not in ([], [""]):
        fields = [{**entry, "missingValues": entry.get("missingValues", codes)} for entry in fields]
    rules = schema.get("rules")
    return Found(
        fields, [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
    )


def schema_of(content: bytes, label: str, columns: Columns) -> dict[str, Any]:
    """Give the Table Schema of the table that is meant: by its file's name, else by its columns.

    Raises:
        SourceError: it is not JSON, refers to its schema, or describes several tables of which none is meant.
    """
    try:
        schema = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise SourceError(
            "{file!r} is not JSON; give a Data Package or a Table Schema.", file=label
        ) from None
    if isinstance(schema, dict) and isinstance(schema.get("resources"), list) and "fields" not in schema:
        resources = [r for r in schema["resources"] if isinstance(r, dict) and r.get("schema")]
        schema = _meant(resources, label, columns)["schema"] if resources else {}
        if isinstance(schema, str):
            raise SourceError(
                "{file!r} has its schema in another file, {schema!r}; give that file.",
                file=label,
                schema=schema,
            )
    return schema if isinstance(schema, dict) else {}


def _meant(resources: list[dict[str, Any]], label: str, columns: Columns) -> dict[str, Any]:
    """The resource that describes the table."""
    named = [resource for resource in resources if _is_called(resource, columns.table)]
    alike = {place: _alike(resource, columns) for place, resource in enumerate(resources)}
    best = [resources[place] for place, share in alike.items() if share == max(alike.values()) > 0]
    for found in (resources, named, best):
        if len(found) == 1:
            return found[0]
    raise SourceError(
        "{file!r} describes several tables ({resources}), none by the name of this file or alone in having "
        "most of its columns; give the schema of one, or name the file as its resource.",
        file=label,
        resources=shown([str(resource.get("name") or resource.get("path")) for resource in resources]),
    )


def _is_called(resource: dict[str, Any], table: str) -> bool:
    """Whether a resource is a file by its path, or by its name, which has no ending."""
    paths = resource.get("path")
    files = [str(path).rpartition("/")[2] for path in (paths if isinstance(paths, list) else [paths])]
    return bool(table) and (table in files or resource.get("name") in (table, table.partition(".")[0]))


def _alike(resource: dict[str, Any], columns: Columns) -> float:
    """How alike the fields of a resource and the table's columns are: the part of both that is in both."""
    schema = resource["schema"]
    entries = schema.get("fields") if isinstance(schema, dict) else None
    fields = entries if isinstance(entries, list) else []
    names = {str(entry.get("name")) for entry in fields if isinstance(entry, dict)}
    both = names & set(columns.names)
    return len(both) / len(names | set(columns.names)) if both else 0.0
