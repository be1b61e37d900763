"""The codebook's draft: what is published, what each field lacks, and taking a changed one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.errors import DomainError, InputError, Sentence
from hmpb_core.publishing.outside import BeyondBounds, outside_bounds
from hmpb_core.publishing.repeats import repeated_columns
from hmpb_core.publishing.zones import Labelled, declared, steward_only
from hmpb_core.rules.identifiers import IdentifierFormat
from hmpb_core.several_answers import AnswerTo, answers_to
from hmpb_core.sources.drafting import draft_from_rows, renamed_rule, vocabulary_for
from hmpb_core.sources.drafting.date_order import in_either_order
from hmpb_core.sources.drafting.guesses import USUAL_MISSING
from hmpb_core.sources.relational.table import EngineTable
from pages.data.fields import Field, is_declared, is_guessed_out, is_made_up, is_published, unguessed
from pages.session.state import AppState, Table


def published(draft: dict[str, Any]) -> dict[str, Any]:
    """The draft without the fields that the steward leaves out of the release.

    An identifier that is made up anew stays: its format is published, its values are not.
    """
    kept = [e for e in draft.get("fields", []) if is_published(e) or is_made_up(e) or is_guessed_out(e)]
    return {**draft, "fields": kept}


def has_guesses(draft: dict[str, Any]) -> bool:
    """Whether an entry or a rule was guessed from the rows and nobody has declared it."""
    fields = [e for e in draft.get("fields", []) if is_published(e) or is_guessed_out(e)]
    return any(not is_declared(e) for e in (*fields, *rules_of(draft)))


def rules_of(draft: dict[str, Any]) -> list[Field]:
    """The rules of the draft, as the codebook writes them."""
    rules = draft.get("rules")
    return list(rules) if isinstance(rules, list) else []


def labelled_codebook(draft: dict[str, Any]) -> Labelled[str | bytes]:
    """The codebook as JSON: public where it is declared, the steward's own while it holds guesses."""
    text = json.dumps(published(draft), ensure_ascii=False, indent=1) + "\n"
    return steward_only(text) if has_guesses(draft) else declared(text)


def apply_draft(session: AppState, draft: dict[str, Any]) -> None:
    """Take a draft of the codebook, work out whether it can be used and whether the table fits it.

    A draft that says what the last one said leaves everything as it is, results included.
    """
    if draft == session.draft:
        return
    session.tell_apart(_answers(draft))
    try:
        codebook = Codebook.from_dict(published(draft))
    except DomainError:
        codebook = None
    session.use_codebook(draft, codebook)
    session.upload_error = ""  # what was refused before says nothing of what is there now
    session.data.misnamed.clear()
    if codebook is not None and session.table is not None:
        found = {str(entry["name"]): misfit(session, entry) for entry in published(draft)["fields"]}
        session.misfits = {name: fault for name, fault in found.items() if fault is not None}


def _answers(draft: dict[str, Any]) -> dict[str, AnswerTo]:
    """The answers that the draft tells apart; none where one is written as none can be."""
    try:
        return answers_to(draft.get("fields", []))
    except DomainError:
        return {}


def change(session: AppState, name: str, make: Callable[[Field], Field]) -> None:
    """Change one field of the draft; it is kept at once."""
    fields = [make(entry) if entry.get("name") == name else entry for entry in session.draft["fields"]]
    apply_draft(session, {**session.draft, "fields": fields})


def field_named(session: AppState, name: str) -> Field | None:
    """Find a field of the draft."""
    return next((entry for entry in session.draft.get("fields", []) if entry.get("name") == name), None)


def rename(session: AppState, old: str, new: str) -> bool:
    """Rename a column of the table and its field; False where the name is taken or empty."""
    new = new.strip()
    names = [str(entry.get("name")) for entry in session.draft["fields"]]
    if (
        session.table is None
        or session.table.outside
        or not new
        or new in names
        or new in session.table.columns
    ):
        return new == old
    session.rename_column(old, new)
    data = session.data
    data.open = new if data.open == old else data.open
    data.chosen = {new if name == old else name for name in data.chosen}
    first = next((name for name, now in data.renamed.items() if now == old), old)
    data.renamed[first] = new
    fields = [
        {**entry, "name": new} if entry.get("name") == old else entry for entry in session.draft["fields"]
    ]
    rules = session.draft.get("rules")
    kept = {"rules": [renamed_rule(rule, {old: new}) for rule in rules]} if isinstance(rules, list) else {}
    apply_draft(session, {**session.draft, "fields": fields, **kept})
    return True


def lack(session: AppState, entry: Field) -> Sentence | None:
    """What a published field lacks, or None."""
    return _check(session, entry)[0]


def misfit(session: AppState, entry: Field) -> Sentence | None:
    """Why the table's column does not fit its field, or None; never with a value."""
    return _check(session, entry)[1]


def _check(session: AppState, entry: Field) -> tuple[Sentence | None, Sentence | None]:
    """Check a field alone; what was checked before is not checked again."""
    name = str(entry.get("name", ""))
    missing = session.draft.get("missingValues", [""])
    written = json.dumps([entry, missing], ensure_ascii=False, sort_keys=True, default=str)
    known = session.data.checked.get(name)
    if known is None or known[0] != written:
        known = (written, *_checked(session, entry, missing))
        session.data.checked[name] = known
    return known[1], known[2]


def _checked(session: AppState, entry: Field, missing: Any) -> tuple[Sentence | None, Sentence | None]:
    if not is_published(entry):
        return _wrong_format(entry), None
    try:
        codebook = Codebook.from_dict({"fields": [entry], "missingValues": missing})
    except DomainError as error:
        return error.sentence, None
    if session.table is None:
        return None, None
    try:
        encode(_columns(session.table, codebook.domain.names), codebook)
    except InputError as error:
        return None, error.sentence
    return None, None


def _wrong_format(entry: Field) -> Sentence | None:
    """Why new identifiers cannot be made up as the field says, or None."""
    if is_made_up(entry):
        try:
            IdentifierFormat.read(str(entry.get("name", "")), entry["regenerated"])
        except DomainError as error:
            return error.sentence
    return None


def outside(session: AppState, entry: Field) -> Labelled[BeyondBounds | None]:
    """What lies outside the bounds of a field's column: the steward's own."""
    name = str(entry.get("name", ""))
    table = session.table
    if table is None or isinstance(table.private, EngineTable):
        return steward_only(None)  # what is at hand of a table in an engine is not all of it
    if lack(session, entry) or misfit(session, entry):
        return steward_only(None)
    missing = session.draft.get("missingValues", [""])
    written = json.dumps([entry, missing], ensure_ascii=False, sort_keys=True, default=str)
    frame = table.frame
    codebook = Codebook.from_dict({"fields": [entry], "missingValues": missing})

    def look() -> Labelled[BeyondBounds | None]:
        found = outside_bounds(frame[[name]], codebook).value
        return steward_only(found[0] if found else None)

    known: Labelled[BeyondBounds | None] = session.view(f"outside {session.uploads} {written}", look)
    return known


def repeated(session: AppState, names: Sequence[str]) -> Labelled[tuple[tuple[str, str], ...]]:
    """Columns that say the same as another in every row: the steward's own."""
    table = session.table
    if table is None or isinstance(table.private, EngineTable):
        return steward_only(())  # what is at hand of a table in an engine is not all of it
    frame = table.frame
    key = f"repeated {session.uploads} {json.dumps(list(names))}"
    known: Labelled[tuple[tuple[str, str], ...]] = session.view(key, lambda: repeated_columns(frame, names))
    return known


def either_order(session: AppState) -> Labelled[tuple[tuple[str, str], ...]]:
    """Guessed dates that may have the day or the month first, each with its format: the steward's own."""
    table = session.table
    if table is None or isinstance(table.private, EngineTable):
        return steward_only(())  # what is at hand of a table in an engine is not all of it
    frame = table.frame
    fields = [field for field in session.draft["fields"] if field.get("name") in frame]
    dates = [field for field in fields if field.get("type") in ("date", "datetime")]

    def look() -> Labelled[tuple[tuple[str, str], ...]]:
        forms = {field["name"]: str(field.get("format")) for field in dates}
        found = in_either_order(dates, frame, USUAL_MISSING)
        return steward_only(tuple((name, forms[name]) for name in found))

    written = json.dumps(dates, ensure_ascii=False, sort_keys=True, default=str)
    known: Labelled[tuple[tuple[str, str], ...]] = session.view(
        f"either order {session.uploads} {written}", look
    )
    return known


def _columns(table: Table, names: Sequence[str]) -> pd.DataFrame:
    """The rows at hand of some columns; none are drawn where the table has none of them."""
    there = [name for name in names if name in table.columns]
    if isinstance(table.private, EngineTable):
        table.private.require_values(there)
    return table.frame[there] if there else pd.DataFrame()


def amounts_of(session: AppState) -> dict[str, str]:
    """The columns whose numbers the file writes with signs of money or marked thousands, and how."""
    upload, new = session.data.upload, session.data.renamed
    return {new.get(name, name): form for name, form in upload.reading.amounts} if upload else {}


def guess_one(table: Table, entry: Field, amounts: Mapping[str, str]) -> Field:
    """Guess a field anew from its column; the guess is marked, and says its own missing codes."""
    name = str(entry["name"])
    given = {"name": name, "declared": False} | {key: entry[key] for key in ("labels",) if key in entry}
    draft = draft_from_rows(table.frame[[name]], {name: given}, amounts=amounts)
    found: Field = draft["fields"][0]
    kept: Field = {key: entry[key] for key in ("title", "description", "sensitive") if key in entry}
    return {**found, **kept}


def vocabulary_entry(entry: Field) -> Field | None:
    """The field that a public vocabulary offers by the column's name alone; None where there is none.

    Nothing of a guess stays: its missing codes, and that nobody's value is missing, were read off the rows.
    """
    vocabulary = vocabulary_for(str(entry.get("name", "")))
    if vocabulary is None:
        return None
    entry = unguessed(entry)
    keep = ("title", "description", "sensitive", "missingValues", "constraints", "leftOut")
    kept: Field = {key: entry[key] for key in keep if key in entry and key not in vocabulary.field}
    offered = vocabulary.field_for(str(entry["name"]))
    bounds = kept.pop("constraints", {})
    if bounds.get("required") is True:
        kept["constraints"] = {**offered.get("constraints", {}), "required": True}
    return {**offered, **kept}
