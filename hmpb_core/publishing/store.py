"""Where the ledger is kept: one SQLite file that many processes share.

The file holds one table of entries (canonical JSON and its digest); everything else is
read out of them. A write is one ``BEGIN IMMEDIATE`` transaction: writers queue, readers
never wait. Every transaction is on disk before its caller goes on. A workspace must lie on
a local disk: SQLite's write-ahead log does not work across a network.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hmpb_core.errors import PlanError, PrivacyError, Sentence, SourceError
from hmpb_core.privacy.ledger import GENESIS, Entry, Kind, Totals, digest_of, verify

BUSY_SECONDS = 60.0
KEY_BYTES = 32

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE entries (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            body TEXT NOT NULL,
            digest TEXT NOT NULL,
            kind TEXT GENERATED ALWAYS AS (json_extract(body, '$.kind')) VIRTUAL,
            dataset TEXT GENERATED ALWAYS AS (json_extract(body, '$.dataset')) VIRTUAL,
            "release" TEXT GENERATED ALWAYS AS (json_extract(body, '$.release')) VIRTUAL
        )""",
        "CREATE INDEX entries_of_dataset ON entries (dataset, number)",
        'CREATE INDEX entries_of_release ON entries ("release", number)',
        "CREATE INDEX entries_of_kind ON entries (kind, number)",
        """CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
           BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
        """CREATE TRIGGER entries_are_never_removed BEFORE DELETE ON entries
           BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL)",
    ),
    ("CREATE TABLE sketches (dataset TEXT PRIMARY KEY, body TEXT NOT NULL)",),
)
"""The statements that lead from each schema version to the next; version 0 is an empty file."""


@dataclass(frozen=True, slots=True)
class LedgerTransaction:
    """The ledger inside one transaction."""

    connection: sqlite3.Connection

    def entries(
        self, *, dataset: str | None = None, kind: Kind | None = None, newest: int | None = None
    ) -> list[Entry]:
        """All entries, those of one data set, or those of one kind, oldest first; or the newest of them."""
        limit = -1 if newest is None else newest
        if dataset is not None:
            rows = self._rows("WHERE dataset = ? ORDER BY number DESC LIMIT ?", dataset, limit)
        elif kind is not None:
            rows = self._rows("WHERE kind = ? ORDER BY number DESC LIMIT ?", kind.value, limit)
        else:
            rows = self._rows("ORDER BY number DESC LIMIT ?", limit)
        return [_checked(body, digest) for body, digest in reversed(rows)]

    def last(self, dataset: str | None = None) -> Entry | None:
        """The newest entry, or the newest of a data set."""
        where = "" if dataset is None else "WHERE dataset = ? "
        rows = self._rows(f"{where}ORDER BY number DESC LIMIT 1", *(() if dataset is None else (dataset,)))
        return _checked(*rows[0]) if rows else None

    def append(
        self,
        kind: Kind,
        *,
        dataset: str,
        release: str = "",
        who: str,
        why: str,
        cost: Totals | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> Entry:
        """Write the next entry."""
        head = self.last()
        if self._written() != (head.number if head else 0):
            raise PrivacyError(
                "Entries were cut off the end of the ledger, so nothing more can be charged or released. "
                "Run 'hmpb ledger --verify' and restore the workspace from a copy."
            )
        _require_text(who)
        _require_text(why)
        own = self.last(dataset)
        cost = cost or Totals()
        entry = Entry(
            number=head.number + 1 if head else 1,
            kind=kind,
            dataset=dataset,
            release=release,
            at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            who=who,
            why=why,
            cost=cost,
            totals=(own.totals if own else Totals()) + cost,
            details=details or {},
            previous=head.digest if head else GENESIS,
        )
        self.connection.execute(
            "INSERT INTO entries (number, body, digest) VALUES (?, ?, ?)",
            (entry.number, entry.body, entry.digest),
        )
        return entry

    def keep_sketch(self, dataset: str, body: str) -> None:
        """Keep what tells near copies of a data set's table. Outside the chain: it is never exported."""
        self.connection.execute("INSERT OR REPLACE INTO sketches VALUES (?, ?)", (dataset, body))

    def sketches(self) -> dict[str, str]:
        """The sketches of all data sets that have one."""
        return dict(self.connection.execute("SELECT dataset, body FROM sketches").fetchall())

    def setting(self, name: str) -> bytes | None:
        """Read a setting of the workspace."""
        row = self.connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return bytes(row[0]) if row else None

    def faults(self) -> list[Sentence]:
        """Check everything: the file, the chain, and that no entry was cut off its end."""
        rows = self._rows("ORDER BY number")
        faults = verify(rows)
        try:
            sound = self.connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        except sqlite3.DatabaseError:
            sound = False
        if len(self.setting("key") or b"") != KEY_BYTES:
            faults.append(Sentence("The key by which tables are told apart is missing."))
        if not sound:
            faults.append(Sentence("The database file is damaged."))
        number = self._written()
        if number != len(rows):
            faults.append(
                Sentence(
                    "{written} entries were written, but {found} are here.",
                    {"written": number, "found": len(rows)},
                )
            )
        return faults

    def _written(self) -> int:
        """How many entries were ever written: SQLite counts them beside the table."""
        row = self.connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'entries'").fetchone()
        return int(row[0]) if row else 0

    def _rows(self, clause: str, *values: str | int) -> list[tuple[str, str]]:
        return self.connection.execute(f"SELECT body, digest FROM entries {clause}", values).fetchall()  # noqa: S608 - fixed clauses


class LedgerStore:
    """The ledger's file. Holds no connection: safe to share among threads and processes.

    Args:
        path: The SQLite file.
        create: Make it where it is not there yet.

    Raises:
        SourceError: there is no ledger, and none is to be made.
        PrivacyError: it is damaged, or was written by a newer version.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._path = path
        if not create and not path.is_file():
            raise SourceError(
                "{folder!r} is not a workspace: it has no ledger. Make one with 'hmpb register'.",
                folder=path.parent.name,
            )
        if create:
            with suppress(FileExistsError, OSError):  # for its owner alone before a byte is in it
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        self._writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        if self._writable:
            with suppress(OSError):
                path.chmod(0o600)
        with self._connected() as connection:
            _migrate(connection)

    @contextmanager
    def reading(self) -> Iterator[LedgerTransaction]:
        """See the ledger as it stands now."""
        with self._connected() as connection:
            connection.execute("BEGIN")
            try:
                yield LedgerTransaction(connection)
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[LedgerTransaction]:
        """Write to the ledger: all of the block or none of it, and nobody else meanwhile."""
        if not self._writable:
            raise PrivacyError("The workspace may only be read here; nothing was charged or registered.")
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield LedgerTransaction(connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._opened() as path:
                connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
                try:
                    connection.execute("PRAGMA synchronous = FULL")
                    if not self._writable:
                        _migrate(connection)
                    yield connection
                finally:
                    connection.close()
        except sqlite3.OperationalError as error:
            busy = "locked" in str(error) or "busy" in str(error)
            if busy:
                raise PrivacyError(
                    "Others kept the ledger busy for {seconds:g} seconds; try again.", seconds=BUSY_SECONDS
                ) from None
            raise PrivacyError(
                "The ledger cannot be read or written; check its folder, the rights and the disk."
            ) from None
        except sqlite3.DatabaseError:
            raise PrivacyError(
                "The ledger is damaged or was changed by hand; restore the workspace from a copy."
            ) from None

    @contextmanager
    def _opened(self) -> Iterator[Path]:
        """Give the file; where nothing may be written, a copy: SQLite's write-ahead log needs to write."""
        if self._writable:
            yield self._path
            return
        with tempfile.TemporaryDirectory(prefix="hmpb-ledger-") as folder:
            for source in (self._path, self._path.with_name(f"{self._path.name}-wal")):
                try:
                    shutil.copyfile(source, Path(folder) / source.name)
                except FileNotFoundError:
                    continue
                except OSError:
                    raise PrivacyError(
                        "The ledger cannot be read or written; check its folder, the rights and the disk."
                    ) from None
            yield Path(folder) / self._path.name


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to the newest schema, version by version, in one transaction."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise PrivacyError("The ledger was written by a newer version of this package; update the package.")
    if version == len(MIGRATIONS):
        return
    with suppress(sqlite3.OperationalError):  # somebody else is creating it, and switches it on
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for statements in MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        if version == 0:
            connection.execute("INSERT INTO settings VALUES ('key', ?)", (os.urandom(KEY_BYTES),))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _require_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PlanError("Who and why must be text that can be written as UTF-8; type them again.") from None


def _checked(body: str, digest: str) -> Entry:
    """Read an entry, and refuse one that was changed."""
    if digest_of(body) != digest:
        raise PrivacyError(
            "An entry of the ledger was changed after it was written, so nothing more can be charged or "
            "released. Run 'hmpb ledger --verify' and restore the workspace from a copy."
        )
    return Entry.from_body(body)
