"""Parquet and Arrow (Feather) files: typed columns, every type in a form that keeps each value by itself.

A column's type in memory must not depend on its rows: a missing value that turned whole numbers into
floats would change the others (beyond 2^53 they collapse). So whole numbers stay whole and nullable,
and what has no plain counterpart (dates, decimals) becomes the text that a csv file would hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc as paipc
import pyarrow.parquet as papq
import pyarrow.types as pat

from hmpb_core.errors import SourceError
from hmpb_core.several_answers import IN_LISTS
from hmpb_core.sources.files import opening
from hmpb_core.sources.files.headers import unique_names
from hmpb_core.sources.files.labelled import VariableLabels
from hmpb_core.sources.files.opening import Readable
from hmpb_core.sources.files.reading import FileReading

_NULLABLE = {
    pa.int8(): pd.Int8Dtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.uint8(): pd.UInt8Dtype(),
    pa.uint16(): pd.UInt16Dtype(),
    pa.uint32(): pd.UInt32Dtype(),
    pa.uint64(): pd.UInt64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
}


def read_columnar(
    file: Readable, label: str, kind: str
) -> tuple[pa.Table, FileReading, tuple[VariableLabels, ...]]:
    """Read a Parquet or an Arrow file; its lengths of time become seconds.

    Raises:
        SourceError: it is none, is too large, or has a column that is no column of single values.
    """
    names, reading, labels = columnar_header(file, label, kind)
    try:
        if kind == "parquet":
            table = papq.ParquetFile(opening.opened(file)).read()
        else:
            table = _arrow_file(file).read_all()
            table.validate(full=True)
    except (OSError, pa.ArrowException, ValueError, MemoryError, OverflowError):
        raise _broken(label, kind) from None
    columns = [_plain(column, name, label) for name, column in zip(names, table.columns, strict=True)]
    found = ((name, _levels(column)) for name, column in zip(names, table.columns, strict=True))
    ordered = tuple(VariableLabels(name=name, levels=levels) for name, levels in found if levels)
    return pa.table(columns, names=names), reading, labels + ordered


def columnar_header(
    file: Readable, label: str, kind: str
) -> tuple[list[str], FileReading, tuple[VariableLabels, ...]]:
    """Give the names of the columns, and which hold dates, times or truth, by the file's account of itself.

    Raises:
        SourceError: it is no such file, is too large, or has a column that is no column of single values.
    """
    try:
        if kind == "parquet":
            whole = papq.ParquetFile(opening.opened(file))
            schema = whole.schema_arrow
            n_rows = whole.metadata.num_rows
            groups = [whole.metadata.row_group(i) for i in range(whole.metadata.num_row_groups)]
            size = sum(group.total_byte_size for group in groups)
        else:
            reader = _arrow_file(file)
            schema = reader.schema
            n_rows = size = 0
        given = list(schema.names)
    except (OSError, pa.ArrowException, ValueError, MemoryError, OverflowError):
        raise _broken(label, kind) from None
    opening.require_cells(label, n_rows, len(given))
    if size > opening.MAX_UNPACKED_BYTES:
        raise opening.too_large_unpacked(label)
    names, renamed = unique_names(given)
    for name, field in zip(names, schema, strict=True):
        _require_single_values(field.type, name, label)
    kinds = [(name, _kind(field.type)) for name, field in zip(names, schema, strict=True)]
    labels = tuple(VariableLabels(name=name, kind=told) for name, told in kinds if told)
    zoned = tuple(name for name, field in zip(names, schema, strict=True) if _changes_zone(field.type))
    lists = tuple(name for name, field in zip(names, schema, strict=True) if _is_list(field.type))
    return names, FileReading(format=kind, renamed=renamed, zoned=zoned, lists=lists), labels


def _is_list(of: pa.DataType) -> bool:
    """Whether a type is one of lists of texts or of whole numbers, as several answers of one person."""
    if not (pat.is_list(of) or pat.is_large_list(of)):
        return False
    own = of.value_type.value_type if pat.is_dictionary(of.value_type) else of.value_type
    return bool(pat.is_string(own) or pat.is_large_string(own) or pat.is_integer(own))


def _changes_zone(of: pa.DataType) -> bool:
    """Whether a type is one of moments in a place such as Europe/Berlin: not at a fixed distance."""
    return pat.is_timestamp(of) and of.tz is not None and not _FIXED.fullmatch(of.tz)


_FIXED = re.compile(r"(Etc/)?(UTC|GMT|Zulu|Z|UCT)([+-]\d{1,2})?|[+-]\d\d:?\d\d|", re.ASCII)


def _kind(of: pa.DataType) -> str:
    """What a column's type says of its field's; empty where its values have to say it."""
    return next((kind for kind, test in _KINDS.items() if test(of)), "")


_KINDS: dict[str, Callable[[pa.DataType], bool]] = {
    "boolean": pat.is_boolean,
    "date": pat.is_date,
    "datetime": pat.is_timestamp,
    "time": pat.is_time,
    "duration": pat.is_duration,
}


def _levels(column: pa.ChunkedArray) -> tuple[str, ...]:
    """The texts of an ordered column in their order, those that no row has among them."""
    kind = column.type
    if not (pat.is_dictionary(kind) and kind.ordered and column.num_chunks):
        return ()
    texts: list[Any] = column.unify_dictionaries().chunk(0).dictionary.to_pylist()
    return tuple(texts) if all(isinstance(text, str) for text in texts) else ()


def to_frame(table: pa.Table) -> pd.DataFrame:
    """Give a table as pandas holds it: whole numbers and booleans nullable, texts as texts."""
    frame: pd.DataFrame = table.to_pandas(types_mapper=_NULLABLE.get, ignore_metadata=True)
    return frame


def _arrow_file(file: Readable) -> Any:
    source = pa.BufferReader(file) if isinstance(file, bytes) else pa.memory_map(str(opening.opened(file)))
    try:
        return paipc.open_file(source)
    except pa.ArrowInvalid:
        source.seek(0)
        return paipc.open_stream(source)


def _require_single_values(kind: pa.DataType, name: str, label: str) -> None:
    if pat.is_dictionary(kind) or pat.is_run_end_encoded(kind):
        kind = kind.value_type
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pat.is_nested(kind) and not _is_list(kind):
        raise SourceError(
            "{file} holds lists or groups of values in the column {column!r}; a table has one value a cell. "
            "Spread them over columns, or leave the column out.",
            file=label,
            column=name,
        )
    binary = (pat.is_binary, pat.is_large_binary, pat.is_fixed_size_binary, pat.is_interval)
    if any(test(kind) for test in binary) or kind == pa.binary_view():
        raise SourceError(
            "{file} holds bytes or intervals in the column {column!r}, which mean nothing here; leave the "
            "column out.",
            file=label,
            column=name,
        )


def _plain(column: pa.ChunkedArray, name: str, label: str) -> pa.ChunkedArray:
    """Bring a column to whole numbers, floats, booleans or texts; every value by itself."""
    kind = column.type
    try:
        if isinstance(kind, pa.BaseExtensionType):
            column = column.cast(kind.storage_type)
            kind = column.type
        if pat.is_dictionary(kind):
            column = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], kind.value_type)
        elif pat.is_run_end_encoded(kind):
            column = pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], kind.value_type)
        kind = column.type
        if _is_list(kind):
            return pa.chunked_array([pa.array(map(_one_text, column.to_pylist()), pa.string())])
        if pat.is_integer(kind) or pat.is_boolean(kind) or kind in (pa.float32(), pa.float64(), pa.string()):
            return column
        if pat.is_floating(kind):
            return column.cast(pa.float64())
        if pat.is_duration(kind):
            column = column.cast(pa.int64())
            return pc.divide(column.cast(pa.float64(), safe=False), _TICKS[kind.unit])
        if pat.is_timestamp(kind) or pat.is_time(kind):
            return _clock_texts(column.cast(pa.string()), name, label)
        return _in_range(column.cast(pa.string()), name, label)
    except (pa.ArrowException, ValueError, OverflowError):
        raise SourceError(
            "{file} holds values in the column {column!r} that cannot be written as text; leave it out.",
            file=label,
            column=name,
        ) from None


def _one_text(cell: list[Any] | None) -> str | None:
    """A list as one text, as cells of forms write several answers."""
    return None if cell is None else IN_LISTS.join(str(one) for one in cell if one is not None)


_ZONE = r"Z?|[+-]\d\d:?\d\d"
"""How a moment tells its time zone, if it has one: Z, or +0100."""
_TICKS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def _clock_texts(texts: pa.ChunkedArray, name: str, label: str) -> pa.ChunkedArray:
    """Drop parts of a second that are zero, as a csv file would."""
    texts = _in_range(texts, name, label)
    texts = pc.replace_substring_regex(texts, rf"(\.\d*?)0+({_ZONE})$", r"\1\2")
    return pc.replace_substring_regex(texts, rf"\.({_ZONE})$", r"\1")


def _in_range(texts: pa.ChunkedArray, name: str, label: str) -> pa.ChunkedArray:
    if pc.any(pc.starts_with(texts, "<value out of range"), min_count=0).as_py():
        raise SourceError(
            "{file} holds dates in the column {column!r} that no calendar has; correct or drop them.",
            file=label,
            column=name,
        )
    return texts


def _broken(label: str, kind: str) -> SourceError:
    if kind == "parquet":
        return SourceError("{file} is not a Parquet file; save it again as csv or Parquet.", file=label)
    return SourceError("{file} is not an Arrow file; save it again as csv or Parquet.", file=label)
