"""Reading a table from a file, without a word of its rows in any error: one module a format.

How a file was read is a value (``FileReading``): what was detected can be shown, said and overruled.
"""

from hmpb_core.sources.files.blanks import BLANK
from hmpb_core.sources.files.headers import NAMES, NO_NAMES, header_lines
from hmpb_core.sources.files.labelled import VariableLabels
from hmpb_core.sources.files.opening import Readable, read_content
from hmpb_core.sources.files.reading import FORMATS, SHOWN_SHEETS, UNICODE, WRITING, FileReading
from hmpb_core.sources.files.table import (
    ENDINGS,
    PARQUET_ENDINGS,
    TEXT_ENDINGS,
    FileHeader,
    FileTable,
    read_file,
    read_header,
    read_table,
)

__all__ = [
    "BLANK",
    "ENDINGS",
    "FORMATS",
    "NAMES",
    "NO_NAMES",
    "PARQUET_ENDINGS",
    "SHOWN_SHEETS",
    "TEXT_ENDINGS",
    "UNICODE",
    "WRITING",
    "FileHeader",
    "FileReading",
    "FileTable",
    "Readable",
    "VariableLabels",
    "header_lines",
    "read_content",
    "read_file",
    "read_header",
    "read_table",
]
