"""Tables that whoever runs a server offers by name: where each one is, never a password.

A TOML file with one table a name; see docs/engines.md for one to copy:

    [visits]
    where = "postgresql://reader:${CLINIC_PASSWORD}@db.example.org/clinic"
    table = "public.visits"

    [claims]
    where = "claims/*.parquet"
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hmpb_core.errors import SourceError
from hmpb_core.plain_file import read_plain_text
from hmpb_core.sources.files import WRITING, FileReading
from hmpb_core.sources.locations import ENGINES, Opened, open_table

ENTRIES = ("where", "table", "engine", "who", *WRITING)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_URL = re.compile(r"([a-z][a-z0-9+.-]*://)(?:([^/@]*)@)?(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTable:
    """A table that is offered by name. Its repr does not show where it is.

    Attributes:
        name: What stewards call it.
        where: A path, a folder, a glob or a URL, with ``${NAME}`` for what the environment holds.
        table: The table of a database; None where ``where`` says enough.
        engine: What reads files; None chooses by their size.
        who: The logins it is offered to; None for everybody who may use the server.
        reading: How text files are written.
    """

    name: str
    where: str = field(repr=False)
    table: str | None = None
    engine: str | None = None
    who: frozenset[str] | None = None
    reading: FileReading = field(default_factory=FileReading)

    def is_offered_to(self, login: str | None) -> bool:
        """Whether somebody may open it.

        Args:
            login: The name that a login service gave; None where nobody logs in.
        """
        return self.who is None or login in self.who

    def place(self, environment: Mapping[str, str] | None = None) -> str:
        """Give where it is, with what the environment holds put in: for no eyes, it may hold a password.

        Args:
            environment: Variables by name; those of this process unless given.

        Raises:
            SourceError: a variable is not set.
        """
        known = os.environ if environment is None else environment
        for variable in _VARIABLE.findall(self.where):
            if variable not in known:
                raise SourceError(
                    "The table {name!r} needs the environment variable {variable}, which is not set; ask "
                    "whoever runs this server.",
                    name=self.name,
                    variable=variable,
                )
        return _filled(self.where, known)

    def open(self, *, most_bytes: float = math.inf) -> Opened:
        """Open it.

        Args:
            most_bytes: Memory that its rows may take; files that need more stay on disk.

        Raises:
            SourceError: a variable is not set, or the table cannot be opened.
        """
        return open_table(
            self.place(),
            engine=self.engine,
            table=self.table,
            reading=self.reading,
            most_bytes=most_bytes,
        )


def read_named_tables(file: str | os.PathLike[str]) -> tuple[NamedTable, ...]:
    """Read the tables that a file names, in its order; nothing is opened.

    Paths that do not begin at the root begin at the file's folder.

    Raises:
        SourceError: it cannot be read, or says something impossible.
    """
    path = Path(file)
    try:
        content: dict[str, Any] = tomllib.loads(read_plain_text(path))
    except (OSError, UnicodeDecodeError):
        raise SourceError("The list of tables {file!r} cannot be read.", file=path.name) from None
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        raise SourceError(
            "The list of tables {file!r} is not TOML; see docs/engines.md for one to copy.", file=path.name
        ) from None
    if not content:
        raise SourceError(
            "The list of tables {file!r} names no table; see docs/engines.md for one to copy.", file=path.name
        )
    return tuple(_table(name, entry, path.resolve().parent) for name, entry in content.items())


def _table(name: str, entry: Any, folder: Path) -> NamedTable:
    if not isinstance(entry, dict):
        raise SourceError(
            "The list of tables says {name!r} outside of a table; begin each one with a line [NAME].",
            name=name,
        )
    unknown = sorted(set(entry) - set(ENTRIES))
    if unknown:
        raise SourceError(
            "The table {name!r} says {entry!r}; allowed are {allowed}.",
            name=name,
            entry=unknown[0],
            allowed=tuple(ENTRIES),
        )
    wrong = [key for key, value in entry.items() if key != "who" and not (isinstance(value, str) and value)]
    who = entry.get("who")
    if who is not None and not (isinstance(who, list) and all(isinstance(one, str) for one in who)):
        wrong.append("who")
    if wrong or "where" not in entry:
        raise SourceError(
            "The table {name!r} needs {entry!r} as a text in quotes ('who' as a list of them).",
            name=name,
            entry=(wrong or ["where"])[0],
        )
    where, engine = entry["where"], entry.get("engine")
    if engine is not None and engine not in ENGINES:
        raise SourceError(
            "The table {name!r} has the engine {engine!r}; allowed are {allowed}.",
            name=name,
            engine=engine,
            allowed=tuple(ENGINES),
        )
    _refuse_password(name, where)
    return NamedTable(
        name=name,
        where=where if "://" in where else str(folder / where),
        table=entry.get("table"),
        engine=engine,
        who=None if who is None else frozenset(who),
        reading=FileReading.told(**{key: entry[key] for key in WRITING if key in entry}),
    )


def _refuse_password(name: str, where: str) -> None:
    """Refuse a password that stands in the file itself."""
    found = _URL.fullmatch(where)
    spoken = (found.group(2) or "").partition(":")[2] if found else ""
    asked = where.partition("?")[2] if found else ""
    if _VARIABLE.sub("", spoken) or re.search(r"(?i)passw(or)?d=(?!\$\{)", asked):
        raise SourceError(
            "The table {name!r} has its password in the list of tables; write ${{NAME}} in its place and set "
            "the environment variable NAME.",
            name=name,
        )


def _filled(where: str, known: Mapping[str, str]) -> str:
    """Put the variables in; what stands before the @ of a URL may hold any character."""

    def plain(text: str) -> str:
        return _VARIABLE.sub(lambda found: known[found.group(1)], text)

    url = _URL.fullmatch(where)
    if url is None or url.group(2) is None:
        return plain(where)
    scheme, speaker, rest = url.groups()
    user = _VARIABLE.sub(lambda found: quote(known[found.group(1)], safe=""), speaker)
    return f"{scheme}{user}@{plain(rest)}"
