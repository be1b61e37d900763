"""Codebook files of other programs: Data Package, DDI-Codebook, REDCap and ODK data dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hmpb_core.codebook import Codebook
from hmpb_core.errors import InputError, Sentence, SourceError
from hmpb_core.provenance import Origin, Provenance
from hmpb_core.rules.declared import MOST_RULES, without_source
from hmpb_core.rules.formulas import columns_named, renamed
from hmpb_core.sources.drafting.codebook_entries import Columns, Field, Found, shown
from hmpb_core.sources.drafting.data_packages import read_data_package
from hmpb_core.sources.drafting.ddi import read_ddi
from hmpb_core.sources.drafting.dictionaries import read_dictionary, read_form
from hmpb_core.sources.files import Readable, read_content

MAX_BYTES = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CodebookFile:
    """What a codebook file declares.

    Attributes:
        fields: One entry a variable, by the name of its column.
        rules: What every row obeys, as a codebook writes it.
        remarks: What of the file was not understood, or is left to a person, in a sentence each.
    """

    fields: dict[str, Field]
    rules: tuple[dict[str, Any], ...] = ()
    remarks: tuple[Sentence, ...] = ()

    def rules_for(self, schema: Mapping[str, Any]) -> tuple[tuple[dict[str, Any], ...], tuple[Sentence, ...]]:
        """Give those of its rules whose columns a draft of the codebook publishes, and that fit them.

        Args:
            schema: The draft; rules that it has already are not given again.

        Returns:
            The rules, and what there is to say of those that were left out.
        """
        entries = {str(e["name"]): e for e in schema["fields"] if e.get("publish") is not False}
        there = [without_source(rule) for rule in schema.get("rules") or ()]
        rules = [
            rule
            for rule in self.rules
            if columns_of_rule(rule) <= set(entries) and without_source(rule) not in there
        ]
        fit = [rule for rule in rules if _fits(rule, [entries[name] for name in columns_of_rule(rule)])]
        kept = fit[: max(0, MOST_RULES - len(there))]
        wrong = sorted({name for rule in rules if rule not in kept for name in columns_of_rule(rule)})
        remark = Sentence(
            "Rules about {names} were left out: they do not fit these columns, or are more than {most}; "
            "write those that hold into 'rules' of the codebook.",
            {"names": shown(wrong), "most": MOST_RULES},
        )
        return tuple(kept), (remark,) if wrong else ()


def read_codebook_file(
    file: Readable, *, name: str | None = None, table: str = "", columns: Sequence[str] = ()
) -> CodebookFile:
    """Read what a codebook file declares of a table's columns.

    Names are told apart as they are written; where no column has one, it means the column that differs in
    capital letters alone, if there is one such.

    Args:
        file: A path, or the content of a file.
        name: The file's name, where ``file`` is its content.
        table: The name of the table's file: of several tables the one by this name is meant.
        columns: The names of the table's columns; none where nothing is known of them.

    Raises:
        SourceError: it is no codebook file of a known kind, or none of this table.
    """
    known_as = name or ("" if isinstance(file, bytes) else Path(file).name)
    content = file if isinstance(file, bytes) else read_content(file)
    if len(content) > MAX_BYTES:
        raise SourceError(
            "The codebook file {file!r} is larger than {limit} MB; that is no codebook.",
            file=known_as,
            limit=MAX_BYTES >> 20,
        )
    reader = _READERS.get(Path(known_as).suffix.lower())
    if reader is None:
        raise SourceError(
            "{file!r} is no codebook file by its ending; give a Data Package (.json), a DDI-Codebook (.xml), "
            "or a data dictionary of REDCap (.csv) or ODK (.xlsx).",
            file=known_as,
        )
    found = reader(content, known_as, Columns(table, tuple(columns)))
    fields = {str(field["name"]): field for field in found.fields if field.get("name")}
    fields = _in_own_columns(fields, columns)
    if not fields:
        raise SourceError(
            "{file!r} describes no variable; give the data dictionary itself, whole.", file=known_as
        )
    called = _called(list(fields), columns)
    if columns and not set(columns) & set(called.values()):
        raise SourceError(
            "{file!r} describes none of the table's columns; give the codebook of this table.", file=known_as
        )
    source = Provenance(origin=Origin.FILE, name=known_as).to_dict()
    return CodebookFile(
        fields={called[n]: _sourced({**field, "name": called[n]}, source) for n, field in fields.items()},
        rules=tuple(_sourced_rule(renamed_rule(rule, called), source) for rule in found.rules),
        remarks=tuple(found.remarks),
    )


def fields_of_codebook_file(file: Readable, *, name: str | None = None) -> dict[str, Field]:
    """Read the fields that a codebook file declares, by the variables' names.

    Args:
        file: A path, or the content of a file.
        name: The file's name, where ``file`` is its content.

    Raises:
        SourceError: it is no codebook file of a known kind.
    """
    return dict(read_codebook_file(file, name=name).fields)


def _in_own_columns(fields: Mapping[str, Field], columns: Sequence[str]) -> dict[str, Field]:
    """The fields of answers as columns themselves, where the table has a column for one of the question's."""
    own = {fields[name]["answerTo"]["column"] for name in columns if "answerTo" in fields.get(name, {})}
    return {
        name: {key: part for key, part in field.items() if key != "answerTo"}
        if "answerTo" in field and field["answerTo"]["column"] in own
        else field
        for name, field in fields.items()
    }


def _sourced(field: Field, source: dict[str, Any]) -> Field:
    """Add the source to a field that declares something; what another codebook marks as a guess stays one."""
    constraints = field.get("constraints") or {}
    says = (
        field.get("categories")
        or field.get("type") == "boolean"
        or (isinstance(constraints, dict) and "minimum" in constraints and "maximum" in constraints)
        or (isinstance(constraints, dict) and constraints.get("enum"))
    )
    if field.get("publish") is False or not says or "source" in field or field.get("declared") is False:
        return field
    return {**field, "source": source}


def _called(names: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """The column that each name means: the one of this name, else the only one but for capital letters."""
    often = Counter(name.casefold() for name in names)
    alike: dict[str, list[str]] = {}
    for column in columns:
        alike.setdefault(column.casefold(), []).append(column)

    def called(name: str) -> str:
        found = alike.get(name.casefold(), ())
        return found[0] if len(found) == 1 and often[name.casefold()] == 1 else name

    return {name: name if name in columns else called(name) for name in names}


def _sourced_rule(rule: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    """Add the source to a rule; what another codebook says of where it comes from stays."""
    told = "source" in rule or rule.get("declared") is False
    return rule if told else rule | {"source": source}


def renamed_rule(rule: Mapping[str, Any], called: Mapping[str, str]) -> dict[str, Any]:
    """Give a rule for columns of which some have other names now."""

    def said(key: str, part: Any) -> Any:
        if key in ("if", "then") and isinstance(part, Mapping):
            return {called.get(str(name), str(name)): wanted for name, wanted in part.items()}
        if key in ("columns", "parts") and isinstance(part, list):
            return [called.get(str(name), name) for name in part]
        if key == "formula" and isinstance(part, str):
            return renamed(part, called)
        return called.get(part, part) if key in _OF_ONE and isinstance(part, str) else part

    return {key: said(key, part) for key, part in rule.items()}


_OF_ONE = ("column", "from", "to", "of")
"""Keys under which a rule names one column."""


def columns_of_rule(rule: Mapping[str, Any]) -> set[str]:
    """The columns that a rule names."""
    found: list[Any] = [rule[key] for key in _OF_ONE if key in rule]
    found += columns_named(str(rule.get("formula", "")))
    for key in ("columns", "parts", "if", "then"):
        part = rule.get(key)
        found += part if isinstance(part, list | Mapping) else []
    return set(map(str, found))


def _fits(rule: dict[str, Any], fields: list[Field]) -> bool:
    """Whether a rule fits its columns, as far as they are declared yet."""
    try:
        Codebook.from_dict({"fields": fields})
    except InputError:
        return True
    try:
        Codebook.from_dict({"fields": fields, "rules": [rule]})
    except InputError:
        return False
    return True


_READERS: dict[str, Callable[[bytes, str, Columns], Found]] = {
    ".json": read_data_package,
    ".xml": read_ddi,
    ".csv": read_dictionary,
    ".xlsx": read_form,
}
