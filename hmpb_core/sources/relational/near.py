"""Which tables are nearly one, where rows stay: a random sample of rows by their keyed digests, one pass."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

from hmpb_core.sources.fingerprint import NEAR_ROWS
from hmpb_core.sources.relational.columns import Kind
from hmpb_core.sources.relational.engine import Engine
from hmpb_core.sources.relational.identity import digests_of_rows

WANTED = 2048
"""Rows that a sample holds, about."""
FEWEST = 20
"""Different rows that two samples hold at least: fewer say nothing."""
ALL = 1 << 32
"""Values of the first 32 bits of a digest."""
_DIGITS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSample:
    """The rows whose keyed digests are small: a random sample without a draw. It stays in the workspace.

    Two samples of one table are the same rows, and those of two versions of it share what the versions do.

    Attributes:
        columns: Keyed digests of the columns' names.
        below: Rows with a digest whose first 32 bits lie below this are in the sample.
        rows: How often each digest occurs.
    """

    columns: tuple[str, ...]
    below: int
    rows: dict[str, int]

    def is_near(self, other: RowSample) -> bool:
        """Whether at least 70 % of two tables' rows agree, both seen over the same columns.

        Rows that occur more than once are left out, for others' people have them as well: tables of few
        columns and values have few that do not, and then nothing is said.
        """
        if self.columns != other.columns:
            return False
        below = min(self.below, other.below)
        ours, theirs = self._cut(below), other._cut(below)
        seen = ours.keys() | theirs.keys()
        either = [row for row in seen if max(ours.get(row, 0), theirs.get(row, 0)) == 1]
        both = sum(row in ours and row in theirs for row in either)
        return len(either) >= FEWEST and both >= NEAR_ROWS * len(either)

    def _cut(self, below: int) -> dict[str, int]:
        return {row: count for row, count in self.rows.items() if int(row[:_DIGITS], 16) < below}

    def to_json(self) -> str:
        """Give the sample as text."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> RowSample:
        """Read a sample."""
        values: dict[str, Any] = json.loads(text)
        return cls(columns=tuple(values["columns"]), below=int(values["below"]), rows={**values["rows"]})


def sample_of(
    engine: Engine, key: bytes, *, columns: Collection[str] | None = None, below: int = ALL
) -> RowSample | None:
    """Sample a table's rows.

    Args:
        engine: Where the table is.
        key: The workspace's secret.
        columns: Keyed digests of the names of those that count; all of them unless given.
        below: The largest share of digests, of 2^32.

    Returns:
        The sample; None where the table lacks one of the columns.

    Raises:
        SourceError: the engine stopped.
    """
    named = {_name(column.name, key): column for column in engine.columns if column.kind is not Kind.OTHER}
    wanted = sorted(named if columns is None else columns)
    if any(name not in named for name in wanted):
        return None
    with engine.lock:
        (count,) = engine.fetch(f"SELECT COUNT(*) AS n FROM {engine.table()}")
        below = min(below, ALL * WANTED // max(int(count[0]), WANTED))
        secret = hmac.new(key, b"near", hashlib.sha256).hexdigest()
        rows = digests_of_rows(engine, [named[name] for name in wanted], secret)
        small = f"{engine.sql.hex_number(f'SUBSTR(h, 1, {_DIGITS})')} < {below}"
        digests, counts = engine.fetch(f"SELECT h, COUNT(*) AS n FROM ({rows}) AS d WHERE {small} GROUP BY h")
    found = {str(row): int(many) for row, many in zip(digests, counts, strict=True)}
    return RowSample(columns=tuple(wanted), below=below, rows=found)


def _name(name: str, key: bytes) -> str:
    return hmac.new(key, name.strip().encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:16]
