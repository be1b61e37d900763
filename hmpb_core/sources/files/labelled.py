"""SPSS, Stata and SAS files: values, and the labels that make a declared codebook of them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyreadstat

from hmpb_core.errors import SourceError
from hmpb_core.sources.files import opening
from hmpb_core.sources.files.headers import unique_names
from hmpb_core.sources.files.labelled_dates import Shown, shown_as, texts_of
from hmpb_core.sources.files.numbers import texts_in_plain_numbers
from hmpb_core.sources.files.opening import Readable
from hmpb_core.sources.files.reading import FORMATS, UNICODE, FileReading

_READERS: dict[str, tuple[str, Callable[..., tuple[Any, Any]]]] = {
    ".sav": ("spss", pyreadstat.read_sav),
    ".zsav": ("spss", pyreadstat.read_sav),
    ".por": ("spss", pyreadstat.read_por),
    ".dta": ("stata", pyreadstat.read_dta),
    ".sas7bdat": ("sas", pyreadstat.read_sas7bdat),
    ".xpt": ("sas", pyreadstat.read_xport),
}
_TAGGED = (".sav", ".zsav", ".dta", ".sas7bdat")
"""Endings of the formats in which a missing value may carry a code."""

_KINDS = {"date": "date", "week": "date", "moment": "datetime", "month": "yearmonth"}
"""What a display format says of a variable's type. A time may be one of day or as long as it likes."""

MOST_CODES = 100
"""Whole numbers of a range of missing codes that are listed one by one."""

Value = str | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableLabels:
    """What a file, mostly a statistics package's, says of one of its variables: knowledge, not rows.

    Attributes:
        name: The variable.
        title: Its label.
        values: The labelled values, each with its label.
        missing: Those of them, or others, that its author declared to be missing.
        measure: ``nominal``, ``ordinal``, ``scale``, or empty where it does not say.
        numeric: Whether its values are numbers.
        kind: ``date``, ``datetime`` or ``yearmonth`` where its display format says so; these, ``boolean``,
            ``time`` or ``duration`` where its type in a Parquet or Arrow file does; else empty.
        levels: The texts of an ordered column of such a file, in their order: they were read with its rows.
    """

    name: str
    title: str = ""
    values: tuple[tuple[Value, str], ...] = ()
    missing: tuple[Value, ...] = ()
    measure: str = ""
    numeric: bool = True
    kind: str = ""
    levels: tuple[str, ...] = ()


def read_labelled(
    file: Readable, ending: str, label: str, told: FileReading
) -> tuple[pa.Table, FileReading, tuple[VariableLabels, ...]]:
    """Read the table of a statistics package, missing codes as they are.

    Raises:
        SourceError: the file is none of this package, or too large.
    """
    about = _about(file, ending, label, told)
    names, reading, labels = _header(about, ending, told)
    content, _ = _read(file, ending, label, told, output_format="dict")
    columns = []
    for (old, values), one in zip(content.items(), labels, strict=True):
        known = _without_unlisted(_array(values, numeric=one.numeric), old, about)
        try:
            columns.append(_column(known, numeric=one.numeric, shown=_shown(old, about, ending)))
        except OverflowError:
            raise SourceError(
                "{file} holds dates in the column {column!r} that no calendar has; correct or drop them.",
                file=label,
                column=one.name,
            ) from None
    table = pa.table(columns, names=names)
    texts = [one.name for one in labels if not one.numeric and not one.values]
    if not texts:
        return table, reading, labels
    plain, reading = texts_in_plain_numbers(table.select(texts), reading)
    for name in texts:
        table = table.set_column(table.column_names.index(name), name, plain[name])
    return table, reading, labels


def labelled_header(
    file: Readable, ending: str, label: str, told: FileReading
) -> tuple[list[str], FileReading, tuple[VariableLabels, ...]]:
    """Give the names and the labels of the variables; no row is read.

    Raises:
        SourceError: the file is none of this package, or too large.
    """
    return _header(_about(file, ending, label, told), ending, told)


def _about(file: Readable, ending: str, label: str, told: FileReading) -> Any:
    """What the file says of itself, once it is known not to be too large."""
    _, about = _read(file, ending, label, told, metadataonly=True)
    opening.require_cells(label, about.number_rows or 0, about.number_columns or 0)
    widths = (about.variable_storage_width or {}).values()
    if sum(widths) * (about.number_rows or 0) > 4 * opening.MAX_UNPACKED_BYTES:
        raise opening.too_large_unpacked(label)
    return about


def _header(
    about: Any, ending: str, told: FileReading
) -> tuple[list[str], FileReading, tuple[VariableLabels, ...]]:
    names, renamed = unique_names([name or "" for name in about.column_names])
    labels = tuple(
        _labels(old, new, about, _shown(old, about, ending))
        for old, new in zip(about.column_names, names, strict=True)
    )
    reading = FileReading(
        format=_READERS[ending][0],
        encoding=_told_encoding(told),
        decimal=told.decimal,
        thousands=told.thousands,
        money=told.money,
        minus=told.minus,
        renamed=renamed,
        settled=told.settled,
    )
    return names, reading, labels


def _read(file: Readable, ending: str, label: str, told: FileReading, **options: Any) -> tuple[Any, Any]:
    kind, reader = _READERS[ending]
    if ending in _TAGGED:
        options["user_missing"] = True
    if ending != ".por":
        options["encoding"] = _told_encoding(told)
    try:
        return reader(opening.opened(file), disable_datetime_conversion=True, **options)
    except Exception:  # noqa: BLE001 - a hostile file may break the reader anywhere, and its text hold a value
        raise SourceError(
            "{file} cannot be read as a file of {program}; save it again, or name its encoding (add "
            "--encoding latin-1 if its letters are not those that it says).",
            file=label,
            program=FORMATS[kind],
        ) from None


def _told_encoding(told: FileReading) -> str | None:
    """The encoding that somebody named; else the file says itself which it is, whatever its rows hold."""
    return None if told.encoding == UNICODE else told.encoding


def _shown(name: str, about: Any, ending: str) -> Shown | None:
    """What the numbers of a variable are shown as."""
    return shown_as(_READERS[ending][0], str((about.original_variable_types or {}).get(name) or ""))


def _labels(old: str, new: str, about: Any, shown: Shown | None) -> VariableLabels:
    labelled = about.variable_value_labels.get(old) or {}
    kind = (about.readstat_variable_types or {}).get(old, "double")
    numeric = kind != "string"
    ranges = _ranges(old, about)
    missing: list[Any] = [low for low, high in ranges if low == high]
    missing += [  # a text among numbers is a missing value with a code of its own, such as .a
        value
        for value in labelled
        if (numeric if isinstance(value, str) else any(low <= value <= high for low, high in ranges))
    ]
    missing += [code for low, high in ranges if low != high for code in codes_between(low, high)]
    written = {value: _written(value, numeric=numeric, shown=shown) for value in (*labelled, *missing)}
    measure = (getattr(about, "variable_measure", None) or {}).get(old, "")
    return VariableLabels(
        name=new,
        title=str((about.column_names_to_labels or {}).get(old) or ""),
        values=tuple((written[value], str(text)) for value, text in labelled.items()),
        missing=tuple(dict.fromkeys(written[value] for value in missing)),
        measure="" if measure == "unknown" else measure,
        numeric=numeric,
        kind=_KINDS.get(shown.kind, "") if shown is not None else "",
    )


def _ranges(name: str, about: Any) -> list[tuple[Any, Any]]:
    """What the author of a file declared to be missing: from a value to another, which may be the same."""
    declared = (getattr(about, "missing_ranges", None) or {}).get(name, [])
    return [(edge["lo"], edge["hi"]) for edge in declared]


def codes_between(low: Any, high: Any) -> list[int]:
    """Give the whole numbers of a range of missing codes; none where they are too many to list.

    Example:
        >>> codes_between(97, 99), codes_between(-1e308, -1)
        ([97, 98, 99], [])
    """
    if isinstance(low, str) or isinstance(high, str) or not high - low < MOST_CODES:
        return []
    return list(range(math.ceil(low), math.floor(high) + 1))


def _array(values: Sequence[Any], *, numeric: bool) -> Any:
    """The values as they are: one text among numbers, a missing value with a code, makes no texts of them."""
    if not numeric or any(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    return np.array(values, dtype=np.float64) if None in values else np.asarray(values)


def _without_unlisted(values: Any, name: str, about: Any) -> Any:
    """Leave what lies in a range of missing codes away, unless it is listed as one: then it stays itself."""
    if values.dtype.kind not in "iuf":
        return values
    labelled = (about.variable_value_labels or {}).get(name) or {}
    for low, high in _ranges(name, about):
        if low == high or isinstance(low, str) or isinstance(high, str):
            continue
        listed = [*codes_between(low, high), *(v for v in labelled if not isinstance(v, str))]
        unlisted = (values >= low) & (values <= high) & ~np.isin(values, listed)
        values = np.where(unlisted, math.nan, values)
    return values


def _written(value: Any, *, numeric: bool, shown: Shown | None) -> Value:
    """A value that the file itself names, as the rows have it."""
    if isinstance(value, str):
        return f".{value}" if numeric else value.strip()
    if shown is not None:
        with contextlib.suppress(OverflowError):
            return _moments([value], shown)[0] or ""
    number = float(value)
    return int(number) if number.is_integer() else number


def _column(values: Any, *, numeric: bool, shown: Shown | None) -> pa.Array:
    if shown is not None and numeric:
        return pa.array(_moments(values.tolist(), shown), type=pa.string())
    if values.dtype.kind == "f":
        return pa.array(values, from_pandas=True)
    if values.dtype.kind in "iu":
        return pa.array(values)
    return pa.array([_text(value, numeric=numeric) for value in values.tolist()], type=pa.string())


def _moments(values: Sequence[Any], shown: Shown) -> list[str | None]:
    numbers = [math.nan if value is None or isinstance(value, str) else float(value) for value in values]
    texts = texts_of(np.array(numbers), shown)
    return [f".{v}" if isinstance(v, str) else text for v, text in zip(values, texts, strict=True)]


def _text(value: Any, *, numeric: bool) -> str | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        return f".{value}" if numeric else value
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)
