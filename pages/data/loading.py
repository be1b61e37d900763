"""Getting a table into a session (upload, path, demo), and whether it fits its codebook."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.encoding import encode
from hmpb_core.errors import DomainError, InputError, Sentence, SourceError
from hmpb_core.provenance import Grounds, provenance_of
from hmpb_core.publishing.zones import Labelled, declared, steward_only
from hmpb_core.sources import files
from hmpb_core.sources.drafting import draft_from_header, draft_from_rows, fields_of_labels
from hmpb_core.sources.files import FileTable, read_file
from pages.session.login import has_login
from pages.session.state import AppState, Basis, Table

FOLDER_VARIABLE = "HMPB_DATA_FOLDER"
LEFT_OUT = "leftOut"
ENDINGS = sorted({ending.rpartition(".")[2] for ending in files.ENDINGS})


def load_bytes(
    session: AppState, content: bytes, name: str, progress: Callable[[float], None] | None = None
) -> None:
    """Load an uploaded table; its codebook starts as its header alone.

    Raises:
        SourceError: it is not a table.
    """
    _take(session, read_file(content, name=name, progress=progress), name)


def load_path(session: AppState, text: str, progress: Callable[[float], None] | None = None) -> None:
    """Load a table that lies on the server.

    Raises:
        SourceError: it is outside the folder that may be read, or not a table.
    """
    path = allowed_path(text)
    _take(session, read_file(path, progress=progress), path.name)


def may_read_paths() -> bool:
    """Whether this server reads paths: on one's own computer, or inside a folder named by its operator."""
    return bool(os.environ.get(FOLDER_VARIABLE)) or not has_login()


def allowed_path(text: str) -> Path:
    """Resolve a path, and refuse what lies outside the folder that the operator named.

    Raises:
        SourceError: it may not be read.
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    path = Path(text.strip()).expanduser()
    if not text.strip():
        raise SourceError("There is no path; give the path of a csv or Parquet file.")
    if folder is None:
        if has_login():
            raise SourceError("This server reads no paths; upload the file.")
        return path
    root = Path(folder).resolve()
    full = (root / path).resolve()
    if not full.is_relative_to(root):
        raise SourceError("This path lies outside the folder that this server may read; choose one inside.")
    return full


def guess(session: AppState) -> None:
    """Replace the draft by guesses from the rows: a start, and not releasable until confirmed."""
    if session.table is not None:
        apply_draft(session, draft_from_rows(session.table.frame))


def apply_draft(session: AppState, draft: dict[str, Any]) -> None:
    """Take a draft of the codebook, work out whether it can be used and whether the table fits it."""
    try:
        codebook = Codebook.from_dict(published(draft))
    except DomainError:
        codebook = None
    session.use_codebook(draft, codebook)
    if codebook is not None and session.table is not None:
        session.misfits = misfits(session.table.frame, codebook)


def published(draft: dict[str, Any]) -> dict[str, Any]:
    """The draft without the fields that the steward leaves out of the release."""
    return {**draft, "fields": [entry for entry in draft.get("fields", []) if is_published(entry)]}


def is_published(entry: dict[str, Any]) -> bool:
    """Whether a field is to be released."""
    return not entry.get(LEFT_OUT) and entry.get("publish") is not False


def is_declared(entry: dict[str, Any]) -> bool:
    """Whether a field is no guess, or one that somebody declared."""
    try:
        return provenance_of(entry).public
    except DomainError:
        return False


def declare(entry: dict[str, Any]) -> dict[str, Any]:
    """Declare a field: a guess stays one, declared at the steward's own risk."""
    entry = {key: value for key, value in entry.items() if key != "declared"}
    if "source" in entry:
        entry["source"] = provenance_of(entry).declared(Grounds.RISK).to_dict()
    return entry


def has_guesses(draft: dict[str, Any]) -> bool:
    """Whether an entry was guessed from the rows and nobody has declared it."""
    return any(not is_declared(entry) for entry in published(draft)["fields"])


def labelled_codebook(draft: dict[str, Any]) -> Labelled[str | bytes]:
    """The codebook as JSON: public where it is declared, the steward's own while it holds guesses."""
    text = json.dumps(published(draft), ensure_ascii=False, indent=1) + "\n"
    return steward_only(text) if has_guesses(draft) else declared(text)


def draft_problems(draft: dict[str, Any]) -> dict[str, Sentence]:
    """For each field that lacks something, what it lacks."""
    problems = {}
    for entry in published(draft)["fields"]:
        try:
            Codebook.from_dict({"fields": [entry]})
        except DomainError as error:
            problems[str(entry.get("name", ""))] = error.sentence
    return problems


def misfits(frame: pd.DataFrame, codebook: Codebook) -> dict[str, Sentence]:
    """For each attribute that the table's column does not fit, why; never with a value."""
    found = {}
    for attribute in codebook.domain.attributes:
        alone = replace(codebook, domain=Domain((attribute,)))
        columns = [attribute.name] if attribute.name in frame.columns else []
        try:
            encode(frame[columns], alone)
        except InputError as error:
            found[attribute.name] = error.sentence
    return found


def _take(session: AppState, table: FileTable, name: str) -> None:
    names = [str(column) for column in table.frame.columns]
    draft = draft_from_header(names, fields_of_labels(table.labels, name))
    session.use_table(Table(frame=table.frame, name=name, basis=Basis.PRIVATE), draft, None)
