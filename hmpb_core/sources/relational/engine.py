"""What an engine does for the sources: it runs statements, and gives back counts and distinct values."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager

from hmpb_core.errors import HmpbError, SourceError
from hmpb_core.sources.relational.arrays import Arrays
from hmpb_core.sources.relational.columns import Column
from hmpb_core.sources.relational.dialect import Dialect

Workers = Callable[[Callable[[int], int], int], Iterator[int]]
"""Does a piece of work for each of so many numbers from 0 on, and gives what comes of each, in order."""


class Engine(ABC):
    """A connection to a private table that stays where it is.

    Every statement goes through ``working``, which lets no text of a backend out: it may hold a value.
    Several threads may use one engine: statements wait for each other, and whoever reads the private table
    itself holds ``lock`` from asking for it to the answer.

    Attributes:
        name: The engine's name, as ``--engine`` says it.
        sql: How it writes SQL.
        scans: Passes over the whole private table so far.
        lock: Held while the private table is read.
        unused: Temporary tables that nobody needs any more; ``tidy`` drops them.
        known: What was worked out of the whole table, with the version it was worked out of.
    """

    name: str
    sql: Dialect

    def __init__(self) -> None:
        self.scans = 0
        self.lock = threading.RLock()
        self.unused: deque[str] = deque()
        self.known: dict[Hashable, tuple[Hashable, str]] = {}
        self._numbered = 0

    @property
    @abstractmethod
    def columns(self) -> tuple[Column, ...]:
        """The columns of the private table."""

    @abstractmethod
    def table(self) -> str:
        """What stands after FROM for the private table, in one statement."""

    @abstractmethod
    def fetch(self, query: str) -> Arrays:
        """Run a query and give its columns."""

    @abstractmethod
    def keep(self, query: str) -> str:
        """Keep what a query gives in a temporary table, and give its name."""

    @abstractmethod
    def drop(self, name: str) -> None:
        """Forget a temporary table."""

    @abstractmethod
    def close(self) -> None:
        """Let go of everything temporary, and of the connection."""

    @property
    def workers(self) -> Workers | None:
        """The engine's own machines, for work that needs nothing of the table; None where it has none."""
        return None

    @property
    def reads_anew(self) -> bool:
        """Whether every query reads files of text from their beginning, all columns of them."""
        return False

    def private(self) -> str:
        """What stands after FROM for the private table, in a statement that reads all of it."""
        self.scans += 1
        return self.table()

    def version(self) -> Hashable | None:
        """What changes when the private table does; None where nothing tells."""
        return None

    def tidy(self) -> None:
        """Drop the temporary tables that nobody needs any more."""
        while self.unused:
            self.drop(self.unused.popleft())

    def store(self, values: Sequence[str], codes: Sequence[int], positions: Sequence[int]) -> str:
        """Keep a lookup in a temporary table with the columns v, c and p; values are SQL."""
        rows = (f"({v}, {c}, {p})" for v, c, p in zip(values, codes, positions, strict=True))
        return self.keep(f"SELECT * FROM (VALUES {', '.join(rows)}) AS t(v, c, p)")

    def new_name(self) -> str:
        """A name for a temporary table."""
        self._numbered += 1
        return f"hmpb_{self._numbered}"

    def column(self, name: str) -> Column | None:
        """The column of this name; None where there is none."""
        return next((column for column in self.columns if column.name == name), None)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Turn whatever a backend raises into one sentence without its text.

        Raises:
            SourceError: the statement failed, or the connection was lost.
        """
        try:
            with self.lock:
                yield
        except HmpbError:
            raise
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - every backend has its own
            raise self.stopped_by(error) from None

    def stopped_by(self, error: Exception) -> SourceError:
        """Say why a backend stopped, by the kind of what it raised alone: the text may hold a value."""
        del error
        return SourceError(
            "{engine} stopped while it was counting the table: the connection was lost, or it ran out of "
            "memory or disk. See that it answers, and try again.",
            engine=self.name,
        )
