"""Which table it is: one fingerprint however a table is written down, and a sketch that finds near copies."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.texts import text_of

Hashes = NDArray[np.uint64]

MISSING = frozenset({"", "nan", "nat", "none", "null", "<na>"})
SAMPLE = 256
"""Rows whose digests a sketch keeps: those of the smallest digests, a random sample without a draw."""
NEAR_ROWS, NEAR_COLUMNS = 0.7, 0.5
_LONGEST_NUMBER = 64
_NUMBER = re.compile(r"([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?")
_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?"
)


def canonical(value: object) -> str:
    """Give the one text of a value, whatever type a file gave it.

    csv holds texts where Parquet holds numbers, truth values and moments; both must give one fingerprint.
    Two values that differ may share a text (``007`` and ``7``): that only makes more tables the same one.

    Example:
        >>> canonical("1.0") == canonical(1) == canonical(1.0)
        True
        >>> canonical(True) == canonical("true"), canonical("2024-03-01 00:00:00") == canonical("2024-03-01")
        (True, True)
    """
    text = _text(value)
    if text.casefold() in MISSING:
        return ""
    if text.casefold() in ("true", "false"):
        return text.casefold()
    if len(text) <= _LONGEST_NUMBER and (found := _NUMBER.fullmatch(text)):
        return _number(*found.groups())
    if found := _MOMENT.fullmatch(text):
        return _moment(*found.groups())
    return text


class HashedTable:
    """Keyed digests of a table's values by their ``canonical`` texts, told once for all that compares tables.

    They are keyed, so that one which gets out cannot be used to test guesses about the table.

    Args:
        frame: The table.
        key: The workspace's secret.
    """

    def __init__(self, frame: pd.DataFrame, key: bytes) -> None:
        self.frame = frame
        self._key = key

    @cached_property
    def columns(self) -> dict[str, Hashes]:
        """Each column's digests, row by row, by the column's name."""
        return _hashed(self.frame, self._key, canonical)

    def by_name_digest(self) -> dict[str, Hashes]:
        """The same by the digests of the names, without blanks around them."""
        return {_keyed(name.strip(), self._key).hex(): hashes for name, hashes in self.columns.items()}

    def fingerprint(self) -> str:
        """The table's identity: the same for any order of rows and columns, csv or Parquet."""
        return _fingerprint(self.columns, len(self.frame), self._key)

    def sketch(self) -> TableSketch:
        """What recognises the table once it was changed a little."""
        hashes = self.by_name_digest()
        order = tuple(sorted(hashes))
        return TableSketch(
            columns={name: _digest(hashes[name]) for name in order},
            order=order,
            rows=tuple(_smallest(_occurrences(_rows([hashes[name] for name in order])))),
        )


def legacy_fingerprint(frame: pd.DataFrame, key: bytes) -> str:
    """Give the fingerprint as ledgers of version 0.1.0 hold it: values by the texts of the file."""
    return _fingerprint(_hashed(frame, key, text_of), len(frame), key)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSketch:
    """What recognises a table that was changed a little. Keyed; stays in the workspace, outside of the chain.

    Attributes:
        columns: For each column, by the digest of its name, a digest of its values in any order.
        order: The names' digests in the order in which rows were put together.
        rows: The smallest digests of rows.
    """

    columns: dict[str, str]
    order: tuple[str, ...]
    rows: tuple[int, ...]

    def is_near(self, table: HashedTable) -> bool:
        """Whether a table is nearly this one.

        It is when at least 70 % of the rows agree in all of the old columns, whatever columns were added; or
        when half of the columns hold just the same values, under any names and whatever became of the others.
        A table of very few columns and values can look like another by chance: it is a warning.
        """
        hashes = table.by_name_digest()
        if set(self.order) <= set(hashes):
            theirs = set(_smallest(_occurrences(_rows([hashes[name] for name in self.order]))))
            both = theirs | set(self.rows)
            sample = set(sorted(both)[:SAMPLE])
            if len(sample & theirs & set(self.rows)) >= NEAR_ROWS * len(sample):
                return True
        theirs_by_values = Counter(_digest(values) for values in hashes.values())
        same = (Counter(self.columns.values()) & theirs_by_values).total()
        telling = [h for h in hashes.values() if len(np.unique(h)) > 1]
        return same >= max(2.0, NEAR_COLUMNS * max(len(self.columns), len(telling)))

    def to_json(self) -> str:
        """Give the sketch as text."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> TableSketch:
        """Read a sketch."""
        values: dict[str, Any] = json.loads(text)
        return cls(
            columns=dict(values["columns"]),
            order=tuple(values["order"]),
            rows=tuple(map(int, values["rows"])),
        )


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").strip()
    return str(value).strip()  # of a float the shortest text that reads back as it, as csv writers put it


def _number(sign: str, whole: str, fraction: str | None, exponent: str | None) -> str:
    """Give a decimal number without zeros that say nothing; no rounding, however many digits it has."""
    fraction = fraction or ""
    digits = int(whole + fraction)
    if not digits:
        return "0"
    text = str(digits)
    short = text.rstrip("0")
    power = int(exponent or 0) - len(fraction) + len(text) - len(short)
    return f"{sign if sign == '-' else ''}{short}e{power}"


def _moment(
    day: str, minutes: str | None, seconds: str | None, fraction: str | None, zone: str | None
) -> str:
    time = f"{minutes or '00:00'}:{seconds or '00'}"
    rest = (fraction or "").rstrip("0")
    if zone and zone not in ("Z", "UTC"):
        try:
            moment = dt.datetime.fromisoformat(f"{day}T{time}{zone}").astimezone(dt.UTC)
        except (ValueError, OverflowError):
            return f"{day} {time}.{rest}{zone}"
        day, time = moment.date().isoformat(), moment.time().isoformat("seconds")
    mark = "Z" if zone else ""
    return day if time == "00:00:00" and not rest and not mark else f"{day} {time}.{rest}{mark}"


def _hashed(frame: pd.DataFrame, key: bytes, text: Callable[[object], str]) -> dict[str, Hashes]:
    return {str(name): _column_hashes(frame[name], key, text) for name in frame.columns}


def _fingerprint(columns: Mapping[str, Hashes], n_rows: int, key: bytes) -> str:
    names = sorted(columns)
    rows = _rows([columns[name] for name in names], n_rows)
    digest = hmac.new(key, "\x1f".join(names).encode("utf-8", "surrogatepass"), hashlib.sha256)
    digest.update(np.sort(rows).astype("<u8").tobytes())
    return digest.hexdigest()


def _rows(columns: Sequence[Hashes], n_rows: int = 0) -> Hashes:
    rows = np.zeros(len(columns[0]) if columns else n_rows, dtype=np.uint64)
    for column in columns:
        rows = rows * np.uint64(0x9E3779B97F4A7C15) + column
        rows ^= rows >> np.uint64(29)
    return rows


def _digest(hashes: Hashes) -> str:
    return hashlib.blake2b(np.sort(hashes).astype("<u8").tobytes(), digest_size=16).hexdigest()


def _occurrences(rows: Hashes) -> Hashes:
    """Tell equal rows apart by their number, so that a sample of digests is one of rows."""
    number = pd.Series(rows).groupby(rows).cumcount().to_numpy().astype(np.uint64)
    return _rows([rows, number])


def _smallest(hashes: Hashes) -> list[int]:
    return [int(h) for h in np.sort(hashes)[:SAMPLE]]


def _keyed(text: str, key: bytes) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=8).digest()


def _column_hashes(column: pd.Series, key: bytes, text: Callable[[object], str]) -> Hashes:
    if column.dtype in (np.float32, np.float16) and text is canonical:
        column = column.astype(str)  # 0.1 is 0.1 in any width
    codes, values = pd.factorize(column.astype(object), use_na_sentinel=True)
    texts = [*map(text, values), ""]  # a missing value has the code -1
    return np.frombuffer(b"".join([_keyed(t, key) for t in texts]), dtype="<u8")[codes]
