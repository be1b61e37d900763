"""Getting a table into a session (upload, path), reading it again otherwise, and codebook files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hmpb_core.codebook import Codebook
from hmpb_core.errors import SourceError
from hmpb_core.provenance import Origin
from hmpb_core.sources import files
from hmpb_core.sources.drafting import (
    draft_from_header,
    draft_from_rows,
    fields_of_labels,
    read_codebook_file,
    told_over,
)
from hmpb_core.sources.drafting.codebook_entries import Columns
from hmpb_core.sources.drafting.data_packages import schema_of
from hmpb_core.sources.drafting.sdnist import is_sdnist
from hmpb_core.sources.drafting.several_answers import with_answers_apart, with_told_answers
from hmpb_core.sources.files import FileReading, FileTable, read_file
from hmpb_core.sources.locations import files_of, fits_memory, open_outside
from hmpb_core.sources.named import NamedTable, read_named_tables
from hmpb_core.sources.relational.table import EngineTable
from pages.data.drafts import amounts_of, apply_draft, lack, misfit, published
from pages.data.fields import LEFT_OUT, Field, column_of, is_blank, source_of, unguessed
from pages.session.choices import Upload
from pages.session.login import has_login, who
from pages.session.outside import Outside
from pages.session.state import AppState, Basis, Table

FOLDER_VARIABLE = "HMPB_DATA_FOLDER"
TABLES_VARIABLE = "HMPB_TABLES"
MOST_BYTES = 1 << 30
"""Memory that a table on the server may take; a larger one stays on disk, and DuckDB counts it."""
ENDINGS = sorted({ending.rpartition(".")[2] for ending in files.ENDINGS})
CODEBOOK_ENDINGS = ["json", "xml", "csv", "xlsx"]
KEPT_BYTES = 64 << 20
"""Largest upload that is kept to be read again otherwise."""
LINES = ("header", "footer")
"""What of a reading decides which lines are rows."""
TOLD = ("encoding", "decimal", "thousands", "money", "minus", *LINES)
"""What of a csv file's reading a codebook may say better than the file."""
_UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
CORRECTABLE = ("csv", "xlsx", "ods", "xls")
"""Formats whose reading can be corrected."""


def load_bytes(
    session: AppState, content: bytes, name: str, progress: Callable[[float], None] | None = None
) -> None:
    """Load an uploaded table; its codebook starts as its header alone.

    Raises:
        SourceError: it is not a table.
    """
    kept = content if len(content) <= KEPT_BYTES else None
    _take(session, read_file(content, name=name, progress=progress), name, kept)


def load_path(session: AppState, text: str, progress: Callable[[float], None] | None = None) -> None:
    """Load a table that lies on the server.

    Raises:
        SourceError: it is outside the folder that may be read, or not a table.
    """
    path = allowed_path(text)
    if not fits_memory([str(path)], MOST_BYTES):
        _take_outside(session, open_outside(str(path)), path.name)
        return
    _take(session, read_file(path, progress=progress), path.name, path)


def load_named(session: AppState, name: str, progress: Callable[[float], None] | None = None) -> None:
    """Load a table that this server's operator offers; what is large stays where it is.

    Raises:
        SourceError: it is not offered, or cannot be opened.
    """
    table = next((one for one in offered_tables() if one.name == name), None)
    if table is None:
        raise SourceError("The table {name!r} is not offered to you; choose another one.", name=name)
    where = table.place()
    if "://" not in where and table.engine != "duckdb":
        files = files_of(where)
        if len(files) == 1 and fits_memory(files, MOST_BYTES):  # its own labels, and how it was read, count
            file = Path(files[0])
            _take(session, read_file(file, reading=table.reading, progress=progress), file.name, file)
            return
    opened = table.open(most_bytes=MOST_BYTES)
    if isinstance(opened.table, EngineTable):
        _take_outside(session, opened.table, name)
    else:
        _take(session, FileTable(frame=opened.table, reading=FileReading()), name, None)


def has_named_tables() -> bool:
    """Whether this server's operator offers tables by name."""
    return bool(os.environ.get(TABLES_VARIABLE))


def opened_from(session: AppState) -> str:
    """The tab that the loaded table came from: who comes back does not meet the demo first."""
    table, upload = session.table, session.data.upload
    if table is None or table.basis is not Basis.PRIVATE:
        return "demo"
    if table.outside is not None:
        return "named" if has_named_tables() else "path"
    return "path" if upload is not None and isinstance(upload.file, Path) else "upload"


def offered_tables() -> tuple[NamedTable, ...]:
    """The tables that this server's operator offers to whoever has logged in; none where no list is named.

    Raises:
        SourceError: the list cannot be read.
    """
    listed = os.environ.get(TABLES_VARIABLE)
    if not listed:
        return ()
    return tuple(table for table in read_named_tables(listed) if table.is_offered_to(who()))


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


def read_again(session: AppState, progress: Callable[[float], None] | None = None, **told: Any) -> None:
    """Read the session's file again with one setting changed; fields of columns that stay are kept.

    Args:
        session: The session's state.
        progress: Called with the part read so far.
        told: The settings that a person corrected; a new delimiter or sheet has the rest detected anew.

    Raises:
        SourceError: it cannot be read so; then nothing has changed.
    """
    upload = session.data.upload
    if upload is None or upload.file is None or session.table is None:
        raise SourceError("The file is no longer in memory; upload it again.")
    now = upload.reading
    base = FileReading(encoding=now.encoding) if {"delimiter", "sheet"} & set(told) else now
    base = replace(base, format="", sheets=(), renamed=())
    if told.get("decimal") is not None and told["decimal"] == base.thousands:
        base = replace(base, thousands=None)
    if told.get("thousands") and told["thousands"] == base.decimal:
        base = replace(base, decimal=None)
    table = read_file(upload.file, name=upload.name, reading=replace(base, **told), progress=progress)
    renamed, old = dict(session.data.renamed), session.draft
    table = replace(table, frame=table.frame.rename(columns=renamed))
    _take(session, table, upload.name, upload.file)
    session.data.renamed = renamed
    known: dict[str, list[Field]] = {}
    for entry in old.get("fields", []):
        known.setdefault(column_of(entry), []).append(entry)
    fields = [kept for entry in session.draft["fields"] for kept in known.get(entry["name"], [entry])]
    apply_draft(session, {**old, "fields": fields, "reading": table.reading.to_dict()})


def guess(session: AppState) -> None:
    """Fill in guesses from the rows where nothing that is said can be used: a start, each one marked.

    What somebody typed stays, and so does all that fits its column, but for the words of a public vocabulary
    that the file writes otherwise: they would leave in other words than they came in. A column that its name
    alone leaves out is read as well: a German "Note" may be a grade.
    """
    if session.table is None:
        return
    fields = session.draft.get("fields", [])
    open_ones = {str(entry["name"]): entry for entry in fields if _is_open(session, entry)}
    worded = {str(entry["name"]): entry for entry in fields if _is_of_vocabulary(session, entry)}
    by_name: dict[str, Field] = {
        str(entry["name"]): {} for entry in fields if _is_left_out_by_name(session, entry)
    }
    if asked := worded | open_ones | by_name:
        frame = session.table.frame[list(asked)]
        drafted = draft_from_rows(frame, asked, amounts=amounts_of(session))
        found = {
            entry["name"]: entry
            for entry in drafted["fields"]
            if entry["name"] in open_ones or source_of(entry).origin is Origin.GUESS
        }
        fields = [found.get(entry["name"], entry) for entry in fields]
        upload = session.data.upload
        lists = () if upload is None else upload.reading.lists
        draft = with_answers_apart({**session.draft, "fields": fields}, session.table.frame, lists)
        apply_draft(session, draft)


def use_codebook_file(session: AppState, content: bytes, name: str) -> None:
    """Take a codebook file: what it says of the table's columns; others of the table are left out.

    Raises:
        InputError: it is no codebook file, or none that can be used.
    """
    columns = [] if session.table is None else list(map(str, session.table.columns))
    table = "" if session.table is None else session.table.name
    session.data.remarks = ()
    is_json = name.lower().endswith(".json")
    meant = schema_of(content, name, Columns(table, tuple(columns))) if is_json else None
    if meant is not None and not is_sdnist(meant):
        said = FileReading.from_dict(meant.get("reading"))
        if session.data.upload is not None:  # how it was read is known; the codebook may be of another file
            meant = {key: value for key, value in meant.items() if key != "reading"}
        schema = Codebook.from_json(json.dumps(meant)).to_dict()
        _read_as_said(session, said)
        columns = [] if session.table is None else list(map(str, session.table.columns))
        listed = {name for entry in schema["fields"] for name in (entry["name"], column_of(entry))}
        rest = [e for e in draft_from_header(columns)["fields"] if e["name"] not in listed]
        fields = [*schema["fields"], *[entry | {LEFT_OUT: True} for entry in rest]]
        read = {"reading": session.draft["reading"]} if "reading" in session.draft else {}
        apply_draft(session, {**read, **schema, "fields": fields})
        return
    told = read_codebook_file(content, name=name, table=table, columns=columns)
    entries = session.draft.get("fields", [])
    fields = [_given(entry, told.fields.get(str(entry["name"]))) for entry in entries]
    draft = with_told_answers({**session.draft, "fields": fields}, told.fields, columns)
    rules, left_out = told.rules_for(published(draft))
    session.data.remarks = (*told.remarks, *left_out)
    apply_draft(session, {**draft, "rules": [*draft.get("rules", []), *rules]} if rules else draft)


def _read_as_said(session: AppState, said: FileReading) -> None:
    """Read a file again where a codebook says that it is written otherwise than it seemed.

    A codebook that tells another delimiter was made beside another file: what it says of numbers is not of
    this one, whose 1.101 between commas would become 1101. Unicode is told by its bytes, and stays.
    """
    upload = session.data.upload
    if upload is None or upload.file is None or upload.reading.format not in CORRECTABLE:
        return
    now = upload.reading
    if said.delimiter not in (None, now.delimiter):
        return
    names = TOLD if now.format == "csv" else LINES
    if said.sheet in now.sheets:
        names = ("sheet", *names)
    told = {name: mark for name in names if (mark := getattr(said, name)) not in (None, getattr(now, name))}
    if now.encoding in _UNICODE:
        told.pop("encoding", None)
    if told:
        read_again(session, **told)


def _given(entry: Field, given: Field | None) -> Field:
    """The entry with what a codebook file says of it; one that is silent on its values changes none."""
    if given is None:
        return entry
    if "source" in given or given.get("publish") is False or (is_blank(entry) and "type" in given):
        name = str(entry["name"])
        told = told_over(unguessed(entry), given)
        drafted: Field = draft_from_header([name], {name: told})["fields"][0]
        return drafted
    return {**{key: given[key] for key in ("missingValues",) if key in given}, **entry, **_title(given)}


def _title(given: Field) -> Field:
    return {"title": given["title"]} if "title" in given else {}


def _is_open(session: AppState, entry: Field) -> bool:
    if session.table is None or str(entry.get("name")) not in session.table.columns:
        return False
    if is_blank(entry):
        return True
    wrong = lack(session, entry) is not None or misfit(session, entry) is not None
    return wrong and source_of(entry).origin is not Origin.TYPED


def _is_left_out_by_name(session: AppState, entry: Field) -> bool:
    """Whether a column's name, and nobody's word, calls it an identifier or free text."""
    name = str(entry.get("name"))
    there = session.table is not None and name in session.table.columns
    return there and entry.get("publish") is False and entry == draft_from_header([name])["fields"][0]


def _is_of_vocabulary(session: AppState, entry: Field) -> bool:
    there = session.table is not None and str(entry.get("name")) in session.table.columns
    return there and entry.get("publish") is not False and source_of(entry).origin is Origin.VOCABULARY


def _take(session: AppState, table: FileTable, name: str, file: bytes | Path | None) -> None:
    names = [str(column) for column in table.frame.columns]
    draft = draft_from_header(names, fields_of_labels(table.labels, name), table.reading.unnamed)
    if reading := table.reading.to_dict():
        draft["reading"] = reading  # so that the codebook reads the file the same way elsewhere
    session.use_table(Table(content=table.frame, name=name, basis=Basis.PRIVATE), draft, None)
    kept = file if table.reading.format in CORRECTABLE or isinstance(file, Path) else None
    session.data.upload = Upload(file=kept, name=name, reading=table.reading)
    session.draft = {}
    apply_draft(session, draft)


def _take_outside(session: AppState, table: EngineTable, name: str) -> None:
    draft = draft_from_header(table.columns)
    session.use_table(Table(content=Outside(table), name=name, basis=Basis.PRIVATE), draft, None)
    session.draft = {}
    apply_draft(session, draft)
