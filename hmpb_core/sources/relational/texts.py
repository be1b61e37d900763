"""Text files for DuckDB: read by the project's own reader, so that they mean the same as in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hmpb_core.sources.files import FileReading, read_header
from hmpb_core.sources.files.opening import label_of
from hmpb_core.sources.files.text import text_batches
from hmpb_core.sources.relational.choosing import other_columns
from hmpb_core.sources.relational.embedded import DuckDBEngine

if TYPE_CHECKING:
    import pyarrow as pa


def of_text(files: Sequence[str], reading: FileReading) -> DuckDBEngine:
    """Open csv files of the same columns.

    Args:
        files: The files, in order.
        reading: What is known of their writing; the rest is detected, from the first file for all.

    Raises:
        SourceError: a file is no csv file, or has other columns than the first.
    """
    headers = [read_header(file, reading=reading, any_size=True) for file in files]
    names = headers[0].names
    for file, header in zip(files, headers, strict=True):
        if sorted(header.names) != sorted(names):
            raise other_columns(file, files[0])
    first = reading.over(headers[0].reading)
    told = [replace(first, footer=header.reading.footer) for header in headers]
    order = [[header.names.index(name) for name in names] for header in headers]

    def batches() -> Iterator[pa.RecordBatch]:
        for file, places, how in zip(files, order, told, strict=True):
            for batch in text_batches(Path(file), label_of(file, None), how):
                yield batch.select(places)

    return DuckDBEngine().of_files(files).over_batches(names, batches)
