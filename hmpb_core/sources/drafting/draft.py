"""A codebook's draft put together, field by field, each with its source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from hmpb_core.categories import texts_of
from hmpb_core.codebook_fields import LEARNED
from hmpb_core.dates import KINDS
from hmpb_core.provenance import Origin, Provenance, provenance_of
from hmpb_core.sources.drafting.codes_beside_words import with_codes_beside_words
from hmpb_core.sources.drafting.date_order import in_one_order
from hmpb_core.sources.drafting.guesses import fits, guess, guessed_missing, own_missing
from hmpb_core.sources.drafting.labels import with_known_labels
from hmpb_core.sources.drafting.lengths import as_lengths
from hmpb_core.sources.drafting.never_published import is_identified_by, role_by_name
from hmpb_core.sources.drafting.recurring_days import with_recurring_days
from hmpb_core.sources.drafting.references import with_references
from hmpb_core.sources.drafting.signs import NUMBER, distinct, is_neither_after_all
from hmpb_core.sources.drafting.spelling import as_written, holds_numbers
from hmpb_core.sources.drafting.vocabularies import plain_name, vocabulary_for
from hmpb_core.texts import is_code

_GUESS = Provenance(origin=Origin.GUESS).to_dict()
_GRADE = "note"
"""A remark in English, a grade in German: what the column holds decides."""

_SAID = frozenset(("source", "publish", "declared"))
"""What a field has for which somebody has spoken; others have a title, or missing codes."""
_KEPT = ("title", "missingValues", "labels")
"""What is kept of a field that came with the file, whatever else becomes of it."""
_KEPT_TYPED = (*_KEPT, "type", "format", "constraints", "decimals", "multipleOf", "precision")
"""What is kept of one whose type is said, and not both of its bounds."""


def draft_from_header(
    names: Sequence[str],
    given: Mapping[str, dict[str, Any]] | None = None,
    unnamed: Collection[str] = (),
) -> dict[str, Any]:
    """Draft a codebook of which nothing was read off the rows.

    What came with the file goes first, then public vocabularies by the columns' names. Columns whose name
    is one of an identifier or of free text are not published. The others have no entry yet: the
    codebook cannot be used before the steward gives it.

    Args:
        names: The columns' names.
        given: Fields that came with the file or in a codebook file, by name.
        unnamed: Names that stand for none in the file: ``FileReading.unnamed``.
    """
    people = _first_and_last(names)
    fields = [_declared(name, (given or {}).get(name), person=name in people) for name in names]
    row_name = row_name_of(names, unnamed)
    return {
        "fields": [
            {"name": name, "type": "string", "role": "identifier", "publish": False}
            if name == row_name and is_open(field)
            else field
            for name, field in zip(names, fields, strict=True)
        ],
        "missingValues": [""],
    }


def row_name_of(names: Sequence[str], unnamed: Collection[str]) -> str | None:
    """The column of row numbers or names, which R and pandas write first and without a name; else None.

    Where the second column has no name either it is no such file.

    Example:
        >>> row_name_of(["column 1", "age"], ["column 1"]), row_name_of(["age", "column 2"], ["column 2"])
        ('column 1', None)
    """
    first = len(names) > 1 and names[0] in unnamed and names[1] not in unnamed
    return names[0] if first else None


def draft_from_rows(
    frame: pd.DataFrame,
    given: Mapping[str, dict[str, Any]] | None = None,
    amounts: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Draft a codebook with guesses from the rows where nothing public fits; each guess is marked.

    The draft fits its table: what came with the file or out of a vocabulary gives way to a guess where the
    column does not fit it. What is read off the rows is not public: until the steward declares each guess,
    naming a public source, nothing made with this codebook can be released. The usual texts for missing
    values that a column holds are named by its field, guessed as they are, and not by the table's list, which
    has no source.

    Args:
        frame: The private table.
        given: Fields that came with the file or in a codebook file, by name.
        amounts: Columns whose numbers have a sign of money or marked thousands, each with the way in which
            it writes 1234.5.
    """
    missing = guessed_missing(frame)
    people = _first_and_last([str(name) for name in frame.columns])
    fields = []
    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        told = (given or {}).get(str(name), {})
        entry = _declared(str(name), told or None, person=str(name) in people)
        if entry.get("publish") is not False:
            entry = _fitting(str(name), column, entry, missing)
        elif not _SAID & told.keys() and is_neither_after_all(
            column, entry.get("role", ""), missing, grades=plain_name(str(name)) == _GRADE
        ):
            entry = guess(str(name), column, missing, {key: told[key] for key in _KEPT if key in told})
        entry = _in_levels(entry, told.get("levels"))
        guessed = entry.get("publish") is not False and provenance_of(entry).origin is Origin.GUESS
        if guessed and "missingValues" not in entry and len(missing) > 1:
            codes = guessed_missing(frame.iloc[:, [position]])
            entry |= {"missingValues": list(codes)} if len(codes) > 1 else {}
        read = (Origin.GUESS, Origin.VOCABULARY)  # in which words an age is written nobody has said either
        numbers = entry.get("type") in ("integer", "number") and provenance_of(entry).origin in read
        if numbers and (form := (amounts or {}).get(str(name))):
            entry = {**entry, "written": form, "source": _GUESS, "declared": False}
        if column.dtype.kind == "f":  # a program shows 6.2 of 32 bits as 6.2; only texts spell it out
            entry.pop("precision", None)
        fields.append(entry)
    fields = with_codes_beside_words(fields, frame, missing)
    fields = with_recurring_days(in_one_order(fields, frame, missing), frame, missing)
    fields = with_references(fields, frame, missing)
    return {"fields": fields, "missingValues": [""]}


def _in_levels(entry: dict[str, Any], levels: Any) -> dict[str, Any]:
    """A guessed list of texts in the order that the file has for its values."""
    listed = entry.get("categories", ())
    guessed = provenance_of(entry).origin is Origin.GUESS
    if not guessed or not listed or not isinstance(levels, list):
        return entry
    if not all(category in levels for category in listed):
        return entry
    return {**entry, "categories": sorted(listed, key=levels.index), "categoriesOrdered": True}


def _fitting(name: str, column: pd.Series, entry: dict[str, Any], missing: Sequence[str]) -> dict[str, Any]:
    """The entry if it fits its column, in the column's own words; else a guess.

    One whose column holds a usual text for a missing value, which nobody has said of it, becomes a guess too:
    that the table has such rows, and in which words it writes them, is read off them.
    """
    usual = provenance_of(entry).origin is Origin.VOCABULARY
    if not is_open(entry):
        values = distinct(column)
        own = texts_of(entry["missingValues"]) if "missingValues" in entry else missing
        present = Counter({text: n for text, n in values.counts.items() if not is_code(text, own)})
        if usual and (written := as_written(entry, present)):
            full = {"required": True} if present.total() == len(column) else {}
            limits = {**written.get("constraints", {}), **full}
            entry = {**written, **({"constraints": limits} if limits else {})}
        empty = usual and len(column) > 0 and not present
        if not empty and (not usual or holds_numbers(entry, present)) and fits(values, entry, missing):
            if "missingValues" not in entry and any(values.counts[code] for code in missing if code):
                entry = {**entry, "source": _GUESS, "declared": False}
            guessed = provenance_of(entry).origin is Origin.GUESS and "missingValues" not in entry
            return entry | own_missing(values, missing) if guessed else entry
    kept: dict[str, Any] = {key: entry[key] for key in _KEPT if key in entry}
    of_column = provenance_of(entry).origin is not Origin.VOCABULARY  # that is of the name, and does not fit
    told = [item for item in entry.get("categories", ()) if of_column and isinstance(item, dict)]
    if usual:  # what 2 means is of the name, too; a word means itself
        told = [item for item in told if not NUMBER.fullmatch(str(item["value"]))]
    if told:
        kept["labels"] = told  # of a list that lacks values of the column
    if entry.get("missingApart") is True:
        kept["missingValues"] = ["", *kept["missingValues"]]
    found = with_known_labels(guess(name, column, missing, kept))
    in_seconds = entry.get("type") == "duration" and column.dtype.kind == "f"  # as Parquet's come
    return as_lengths(found) if in_seconds else found


def is_open(entry: Mapping[str, Any]) -> bool:
    """Whether a field of a draft has no entry yet."""
    constraints = entry.get("constraints")
    said = entry.get("categories") or entry.get("type") == "boolean"
    if isinstance(constraints, Mapping):
        said = said or "enum" in constraints or {"minimum", "maximum"} <= set(constraints)
    return "source" not in entry and not said and entry.get("publish") is not False


def _limits(given: Mapping[str, Any]) -> set[str]:
    """Which constraints a field that came with the file has."""
    constraints = given.get("constraints")
    return set(constraints) if isinstance(constraints, Mapping) else set()


def _first_and_last(names: Sequence[str]) -> set[str]:
    """Columns called first and last: beside each other they are names of people."""
    found = {name for name in names if plain_name(name) in ("first", "last")}
    return found if len({plain_name(name) for name in found}) > 1 else set()


def _declared(name: str, given: dict[str, Any] | None, *, person: bool = False) -> dict[str, Any]:
    if given is not None and ("source" in given or given.get("publish") is False or "declared" in given):
        return {**given, "name": name}
    kept: dict[str, Any] = {key: given[key] for key in _KEPT if given and key in given}
    if given is not None and given.get("type") in KINDS:
        # a date of months may be called month as well, and is none of twelve
        return _still_open(name, given)
    bounded = given is not None and bool({"minimum", "maximum"} & _limits(given))
    vocabulary = vocabulary_for(name)
    if vocabulary is not None and not bounded and not ("labels" in kept and "categories" in vocabulary.field):
        return vocabulary.field_for(name) | kept
    role = role_by_name(name) or ("text" if person else "")
    if not role and is_identified_by(str(kept.get("title", ""))):
        role = "identifier"
    if role:
        title = {key: kept[key] for key in ("title",) if key in kept}
        return {"name": name, **title, "type": "string", "role": role, "publish": False}
    if given is not None and given.get("type") in ("integer", "number"):
        return _still_open(name, given)
    return {
        "name": name,
        **kept,
        "type": "string",
        "categories": [],
        "categoriesOrdered": False,
        "declared": False,
    }


def _still_open(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """A number, date or time whose bounds, or one of them, are still to be said."""
    said = {key: given[key] for key in _KEPT_TYPED if key in given}
    half = {"minimum", "maximum"} & _limits(given)
    return {"name": name, **said, "bins": LEARNED, **({} if half else {"declared": False})}
