"""The public codebook: a Data Package v2 Table Schema that declares a table's domain.

Beside the standard's ``type``, ``categories``, ``categoriesOrdered``, ``constraints`` and
``missingValues`` a field may carry:

- ``bins``: ``"learned"``, unless said otherwise: bins and values of a number, date or time are learned from
  part of the budget (``codes``, 32 unless said, is the largest number of bins); or a number of equal-width
  bins, or a list of their edges;
- ``decimals`` or ``multipleOf``: the resolution of its values (seconds for a time, days for a date);
- ``labels``: what some of its numbers mean, each an object of ``value`` and ``label``: 8, eight or more.
  They are no list of all that may occur, as the standard's ``categories`` are, and change no value;
- ``values``: the numbers that occur, where they are few among those between the bounds; others count as the
  nearest one;
- ``precision``: ``"single"`` for numbers of 32 bits that are written as 64 bits hold them, 6.199999809265137
  for 6.2, or ``"single, 15 digits"``, 6.19999980926514;
- ``answerTo``: for one of several answers that the cells of a column hold: its ``column``, the ``answer`` and
  what stands ``between`` two (``several_answers.py``);
- ``unknown``: the category that takes values outside the list ("" for the missing value; of a number,
  date or time it takes what cannot be read);
- ``hierarchy``: how a code's levels are read, for micro-aggregation (``anonymize/columns.py``);
- ``sensitive``: the steward's mark, shown beside the risk weights;
- ``source``: where the entry comes from (``provenance.py``); a field without one was typed by the steward;
- ``declared``: false where the entry was guessed and nobody has declared it;
- ``publish``: false for a column that is never published, with its ``role``: identifier or text;
- ``regenerated``: the format of identifiers that are made up anew in its place (``rules/identifiers.py``);
- ``missingApart``: true where each of the field's ``missingValues`` but the empty cell is a code of its own;
- ``written``: how csv files write its numbers: ``"shortest"`` without needless decimals, the number of
  decimals that each has, the way in which 1234.5 is written (``"$1,234.50"``, ``amounts.py``), or that of
  .5 (``".5"``, ``".50"``), where no zero stands before the point.

A category may be an object: its ``value``, a ``label``, ``spellings``, other texts that mean it, and
``prefixes``, the beginnings of finer codes that it takes (hierarchical codes: the chapters of ICD-10, the
major groups of ISCO-08). A ``boolean`` field may name its ``trueValues`` and ``falseValues``; the first of
each is what csv files say.

Beside ``fields`` it may carry ``rules``: what every row obeys, as public knowledge (``rules/declared.py``);
``reading``: how the table's file is written, ``format`` the statistics package whose it is; ``dialect``: how
the csv files that leave are written (``dialect.py``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hmpb_core.amounts import NumberForm
from hmpb_core.categories import label_of, labelled_numbers, labels_of, texts_of, with_label
from hmpb_core.codebook_fields import (
    BARE,
    SHORTEST,
    attribute_of,
    field_of,
    missing_codes_of,
    name_of,
    written_of,
)
from hmpb_core.dialect import PACKAGES, PLAIN, CsvDialect
from hmpb_core.domain import Attribute, Categorical, Domain, Numeric
from hmpb_core.errors import DomainError, SourceError
from hmpb_core.plain_file import read_plain_text
from hmpb_core.provenance import Origin, Provenance, is_left_out_by_guess, provenance_of, require_flag
from hmpb_core.rules.declared import NO_RULES, Rules
from hmpb_core.rules.identifiers import IdentifierFormat
from hmpb_core.several_answers import AnswerTo, answers_to, require_one_way
from hmpb_core.texts import plain_codes

NUMBERS = ("integer", "number", "year")
WORKBOOK = "workbook"
"""Types of fields whose numbers may have labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Codebook:
    """A domain and what else people need to know about its attributes.

    Attributes:
        domain: The attributes, in the order of the table's columns.
        missing_values: Texts that mean a missing value, unless an attribute has its own.
        missing_codes: The texts of an attribute's own.
        apart: Names of the attributes whose missing codes are told apart: they are categories of the domain.
        sources: Where each attribute's entry comes from.
        value_labels: What the categories, missing codes and some numbers of an attribute mean, by their text.
        unpublished: Columns that are never published, each with its role (``identifier``, ``text`` or empty).
        left_out: Those of them of which a guess says so, and nobody else.
        sensitive: Names of the attributes that the steward marked as sensitive.
        titles: Title of each attribute that has one.
        hierarchies: The property ``hierarchy`` of each attribute that has one, as it is written.
        rules: What every row obeys.
        written: How csv files write the numbers of an attribute: ``"shortest"``, always so many decimals, or
            by the way in which 1234.5, or .5, is written.
        answers: The attributes that are an answer of a column whose cells hold several, and of which.
        dialect: How csv files are written.
        file_format: ``spss``, ``stata`` or ``workbook`` where the table is such a file; else empty.
        sheet: The sheet of a workbook.
    """

    domain: Domain
    missing_values: tuple[str, ...] = ("",)
    sensitive: frozenset[str] = frozenset()
    titles: Mapping[str, str] = field(default_factory=dict)
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    rules: Rules = NO_RULES
    missing_codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()
    sources: Mapping[str, Provenance] = field(default_factory=dict)
    value_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unpublished: Mapping[str, str] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    written: Mapping[str, str | int] = field(default_factory=dict)
    answers: Mapping[str, AnswerTo] = field(default_factory=dict)
    dialect: CsvDialect = PLAIN
    file_format: str = ""
    sheet: str = ""

    def __post_init__(self) -> None:
        typed = dict.fromkeys(self.domain.names, Provenance())
        object.__setattr__(self, "sources", typed | dict(self.sources))

    @property
    def undeclared(self) -> frozenset[str]:
        """Names of the columns whose entry, or that are left out, by a guess that nobody has declared."""
        return self.left_out | {name for name in self.domain.names if not self.sources[name].public}

    @property
    def public(self) -> bool:
        """Whether a guarantee may rest on it: no entry and no rule is a guess that nobody has declared."""
        return not self.undeclared and not self.rules.undeclared

    def labelled_numbers(self, attribute: Attribute) -> list[dict[str, Any]]:
        """Give the numbers of an attribute that have labels and may occur, as objects with their labels."""
        if not isinstance(attribute, Numeric) or attribute.kind not in ("number", "year"):
            return []
        missing = self.missing_of(attribute.name)
        told = self.value_labels.get(attribute.name, {})
        return [
            item
            for item in labelled_numbers({text: told[text] for text in told if text not in missing})
            if attribute.minimum <= item["value"] <= attribute.maximum
        ]

    def missing_of(self, name: str) -> frozenset[str]:
        """Give the texts that mean a missing value of this attribute, all alike."""
        if name in self.apart:
            return frozenset()
        texts = frozenset(self.missing_codes.get(name, self.missing_values))
        return plain_codes(texts) if self._is_of_numbers(name) else texts

    def _is_of_numbers(self, name: str) -> bool:
        """Whether an attribute's values are numbers, listed or not: 999.0 and 999 are one then."""
        attribute = self.domain.attributes[self.domain.index(name)]
        if isinstance(attribute, Numeric):
            return attribute.kind in ("number", "year", "duration")
        return not any(isinstance(category, str) for category in attribute.categories)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Codebook:
        """Read a codebook from a JSON file.

        Raises:
            SourceError: the file cannot be read or is not JSON.
            DomainError: it is not a usable Table Schema.
        """
        try:
            text = read_plain_text(path)
        except (OSError, UnicodeDecodeError):
            raise SourceError(
                "The codebook {file!r} cannot be read; name a UTF-8 JSON file.", file=str(path)
            ) from None
        return cls.from_json(text)

    @classmethod
    def from_json(cls, text: str) -> Codebook:
        """Read a codebook from JSON text.

        Raises:
            SourceError: it is not JSON, or JSON that no codebook needs.
            DomainError: it is not a usable Table Schema.
        """
        try:
            schema = json.loads(text)
            json.dumps(schema, ensure_ascii=False, allow_nan=False).encode()
        except json.JSONDecodeError as error:
            raise SourceError(
                "The codebook is not JSON (line {line}, column {column}); "
                "draft one with 'hmpb codebook DATA -o CB'.",
                line=error.lineno,
                column=error.colno,
            ) from None
        except (
            RecursionError,
            ValueError,
        ):  # also what json.loads lets pass: NaN, infinity, half a character
            raise SourceError(
                "The codebook holds brackets within brackets without end, a number that is none or has "
                "thousands of digits, or half a character; draft one with 'hmpb codebook DATA -o CB'."
            ) from None
        return cls.from_dict(schema)

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
        for entry in fields:
            require_flag(entry, "publish")
        missing = schema.get("missingValues", [""])
        if not isinstance(missing, list):
            raise DomainError("'missingValues' of the codebook must be a list of texts.")
        unpublished = {name_of(e): str(e.get("role", "")) for e in fields if e.get("publish") is False}
        left_out = frozenset(name_of(e) for e in fields if is_left_out_by_guess(e))
        identifiers = _identifiers(fields)
        fields = [entry for entry in fields if entry.get("publish") is not False]
        attributes = tuple(attribute_of(entry) for entry in fields)
        own = {e["name"]: missing_codes_of(e) for e in fields if "missingValues" in e}
        labels = {e["name"]: labels_of(e) for e in fields}
        domain = Domain(attributes)
        for name in domain.names:
            if name in unpublished:  # which of the two was meant nobody knows
                raise DomainError("The codebook declares {name!r} twice; names must differ.", name=name)
        book = cls(
            domain=domain,
            rules=replace(Rules.read(schema.get("rules"), domain, unpublished), identifiers=identifiers),
            missing_values=texts_of(missing),
            missing_codes=own,
            apart=frozenset(name for name, codes in own.items() if codes and _is_apart(name, fields)),
            sources={e["name"]: provenance_of(e) for e in fields},
            value_labels={name: found for name, found in labels.items() if found},
            unpublished=unpublished,
            left_out=left_out,
            sensitive=frozenset(e["name"] for e in fields if e.get("sensitive") is True),
            titles={e["name"]: str(e["title"]) for e in fields if e.get("title")},
            hierarchies={e["name"]: e["hierarchy"] for e in fields if e.get("hierarchy") is not None},
            written={e["name"]: written_of(e) for e in fields if e.get("written") is not None},
            answers=_answers(fields),
            dialect=CsvDialect.of_schema(schema),
            **_file_of(schema),
        )
        told = schema.get("dialect") is not None
        return book.in_plain_csv() if told and book.dialect == PLAIN else book

    def to_dict(self) -> dict[str, Any]:
        """Give the codebook as a Table Schema."""
        fields = []
        for attribute in self.domain.attributes:
            entry = field_of(attribute)
            if attribute.name in self.titles:
                entry["title"] = self.titles[attribute.name]
            if attribute.name in self.hierarchies:
                entry["hierarchy"] = self.hierarchies[attribute.name]
            if attribute.name in self.sensitive:
                entry["sensitive"] = True
            if attribute.name in self.written:
                entry["written"] = self.written[attribute.name]
            if attribute.name in self.answers:
                entry["answerTo"] = self.answers[attribute.name].to_dict()
            self._tell_values(entry)
            source = self.sources[attribute.name]
            if source != Provenance():
                entry["source"] = source.to_dict()
            if not source.public:
                entry["declared"] = False
            fields.append(entry)
        for name, role in self.unpublished.items():
            fresh = {form.name: {"regenerated": form.pattern} for form in self.rules.identifiers}
            kind = {"role": role} if role else {}
            guess = {"source": Provenance(origin=Origin.GUESS).to_dict()} if name in self.left_out else {}
            fields.append({"name": name, **kind, "publish": False, **fresh.get(name, {}), **guess})
        rules = {"rules": self.rules.to_list()} if self.rules.items else {}
        dialect = {"dialect": self.dialect.to_dict()} if self.dialect != PLAIN else {}
        told = {"sheet": self.sheet} if self.file_format == WORKBOOK else {"format": self.file_format}
        reading = {"reading": told} if self.file_format else {}
        missing = list(self.missing_values)
        return {"fields": fields, "missingValues": missing, **rules, **dialect, **reading}

    def _tell_values(self, entry: dict[str, Any]) -> None:
        """Add the missing codes and the labels of values to a field."""
        name = entry["name"]
        labels = self.value_labels.get(name, {})
        missing = self.missing_codes.get(name)
        if name in self.apart and missing:
            entry["categories"] = entry["categories"][: -len(missing)]
            entry["missingApart"] = True
        if missing is not None:
            entry["missingValues"] = [with_label(text, labels) for text in missing]
        told = {text: label for text, label in labels.items() if text not in (missing or ())}
        if entry["type"] in NUMBERS and "categories" not in entry and (numbers := labelled_numbers(told)):
            entry["labels"] = numbers
        if "categories" in entry:
            entry["categories"] = [
                c | label_of(c["value"], labels) if isinstance(c, dict) else with_label(c, labels)
                for c in entry["categories"]
            ]

    @property
    def columns(self) -> tuple[Attribute, ...]:
        """What the columns of the table's own file hold: answers of one cell stand together, as texts.

        Of such a column the categories are the answers: a cell holds any number of them, or none.
        """
        found: dict[str, Attribute] = {}
        for attribute in self.domain.attributes:
            one = self.answers.get(attribute.name)
            if one is None:
                found[attribute.name] = attribute
            elif one.column not in found:
                own = tuple(a.answer for a in self.answers.values() if a.column == one.column)
                found[one.column] = Categorical(name=one.column, categories=own, nullable=True)
        return tuple(found.values())

    def in_whole_columns(self) -> Codebook:
        """Give the codebook of the files that leave: over ``columns``. It encodes no table with answers."""
        if not self.answers:
            return self
        of_columns = {one.column: self.sources[name] for name, one in self.answers.items()}
        sources = {**of_columns, **self.sources}
        return replace(self, domain=Domain(self.columns), answers={}, sources=sources)

    def in_plain_csv(self) -> Codebook:
        """Give the codebook with plain csv files: without signs of money and marks between thousands, too."""
        forms = {name: NumberForm.of(form) for name, form in self.written.items() if isinstance(form, str)}
        plain = {
            name: SHORTEST if form.decimals is None else form.decimals for name, form in forms.items() if form
        } | {
            name: BARE[form] for name, form in self.written.items() if isinstance(form, str) and form in BARE
        }
        return replace(self, dialect=PLAIN, written={**self.written, **plain})

    def to_json(self) -> str:
        """Give the codebook as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"


def _file_of(schema: Mapping[str, Any]) -> dict[str, str]:
    """The program whose file the table is, as ``reading`` says, and the sheet of a workbook."""
    reading = schema.get("reading")
    told = reading if isinstance(reading, Mapping) else {}
    if isinstance(sheet := told.get("sheet"), str):
        return {"file_format": WORKBOOK, "sheet": sheet}
    return {"file_format": told["format"]} if told.get("format") in PACKAGES else {}


def _identifiers(fields: list[dict[str, Any]]) -> tuple[IdentifierFormat, ...]:
    """The columns whose identifiers are made up anew."""
    found = []
    published = [name_of(entry) for entry in fields if entry.get("publish") is not False]
    for entry in fields:
        if entry.get("regenerated") is None:
            continue
        name = name_of(entry)
        if name in published:
            raise DomainError(
                "{name!r} is to be regenerated, so its own values are never published; write 'publish': "
                "false beside it.",
                name=name,
            )
        found.append(IdentifierFormat.read(name, entry["regenerated"]))
    return tuple(found)


def _answers(fields: list[dict[str, Any]]) -> dict[str, AnswerTo]:
    found = answers_to(fields)
    require_one_way(found, [entry["name"] for entry in fields])
    return found


def _is_apart(name: str, fields: list[dict[str, Any]]) -> bool:
    return any(entry["name"] == name and entry.get("missingApart") is True for entry in fields)
