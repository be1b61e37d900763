"""``hmpb codebook``: draft a codebook."""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hmpb_core.commands.codebook_remarks import (
    report_fields,
    report_guesses,
    report_labels,
    report_row_names,
    report_suggested_rules,
)
from hmpb_core.commands.console import remark
from hmpb_core.commands.options import add_reading_options, add_table_name, parser_for, reading_from
from hmpb_core.commands.outputs import write_keeping
from hmpb_core.errors import InputError
from hmpb_core.kept.suggested import guessed_rules
from hmpb_core.several_answers import answers_to, apart
from hmpb_core.sources.drafting import (
    CodebookFile,
    all_told_over,
    draft_from_header,
    draft_from_rows,
    fields_of_labels,
    read_codebook_file,
)
from hmpb_core.sources.drafting.draft import row_name_of
from hmpb_core.sources.drafting.several_answers import with_answers_apart, with_told_answers
from hmpb_core.sources.files import FileReading, read_file
from hmpb_core.sources.files.blanks import BLANK
from hmpb_core.sources.files.reading import DELIMITERS
from hmpb_core.sources.locations import files_of, header_at

EXAMPLE = "hmpb codebook people.csv -o people.codebook.json"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "codebook", EXAMPLE)
    parser.add_argument(
        "data",
        help="the table: a file (csv, xlsx, ods, xls, Parquet, Arrow, SPSS, Stata or SAS), a folder, a "
        "glob or a URL",
    )
    add_table_name(parser)
    parser.add_argument("-o", "--out", required=True, metavar="CB", help="file to write")
    parser.add_argument(
        "--from",
        dest="given",
        metavar="FILE",
        help="codebook file to start from: Data Package, DDI-Codebook XML, REDCap csv, ODK xlsx",
    )
    parser.add_argument(
        "--guess",
        action="store_true",
        help="also guess types, bounds and categories from the rows; each stays marked as a guess",
    )
    parser.add_argument(
        "--rules",
        action="store_true",
        help="with --guess: also write the public rules that every row keeps; each stays marked as a guess",
    )
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    if args.rules and not args.guess:
        raise InputError("--rules reads rules off the rows; give --guess as well, or leave --rules out.")
    file_name = args.table or Path(args.data).name
    if args.guess:
        table = read_file(_one_file(args), reading=reading_from(args))
        reading, names = table.reading, [str(name) for name in table.frame.columns]
        told = _told(args.given, file_name, names)
        labels = all_told_over(fields_of_labels(table.labels, file_name), told.fields)
        schema = draft_from_rows(table.frame, labels, amounts=dict(reading.amounts))
        schema = with_answers_apart(schema, table.frame, reading.lists)
    else:
        header = header_at(args.data, table=args.table, reading=reading_from(args))
        reading, names = header.reading, list(header.names)
        told = _told(args.given, file_name, names)
        labels = all_told_over(fields_of_labels(header.labels, file_name), told.fields)
        schema = draft_from_header(names, labels, reading.unnamed)
    schema = with_told_answers(schema, told.fields, names)
    rules, left_out = told.rules_for(schema)
    schema |= {"rules": list(rules)} if rules else {}
    settings = reading.to_dict() if args.guess else _without_rows(reading, reading_from(args))
    schema |= {"reading": settings} if settings else {}
    guessed = guessed_rules(table.frame, schema).value if args.rules else ()
    schema |= {"rules": [*rules, *guessed]} if guessed else {}
    write_keeping(Path(args.out), (json.dumps(schema, ensure_ascii=False, indent=1) + "\n").encode())
    if reading.words:
        seen = "Read as" if args.guess or reading.encoding is None else "By its first lines read as"
        remark(f"{seen} {reading.words}.{_otherwise(reading)}")
    if reading.warning:
        remark(reading.warning)
    if mark := _parted_by(names, reading):
        remark(
            f"The table has one column, and its name holds several {DELIMITERS[mark]}s: if they part the "
            f"columns, say --delimiter {DELIMITERS[mark]}."
        )
    if not args.guess and settings.get("delimiter") == ";" and "decimal" not in settings:
        remark(
            "If its numbers have a decimal comma, add --decimal comma: the csv that leaves then has one too."
        )
    row_name = _row_name(schema["fields"], reading.unnamed)
    report_fields(args.out, schema["fields"], table.frame if args.guess else None, row_name)
    report_row_names(row_name)
    report_labels(schema["fields"])
    if rules:
        remark(
            f"Its rules came with {args.given}: every synthetic row obeys them. Take out what does not hold."
        )
    for sentence in (*told.remarks, *left_out):
        remark(str(sentence))
    rows = apart(table.frame, answers_to(schema["fields"])) if args.guess else None
    if rows is not None:
        report_guesses(rows, schema, guessed)
    report_suggested_rules(schema, rows)
    return 0


def _parted_by(names: Sequence[str], reading: FileReading) -> str | None:
    """What seems to part the columns of a text file that was read as one column."""
    if len(names) != 1 or reading.delimiter is None:
        return None
    return next((mark for mark in DELIMITERS if mark != BLANK and names[0].count(mark) > 1), None)


def _otherwise(reading: FileReading) -> str:
    """The options that tell how such a file is read."""
    if reading.sheet is None and reading.encoding is None:
        return ""
    names = ["sheet"] if reading.sheet is not None else ["encoding", "delimiter", "decimal"]
    names += [name for name in ("thousands", "money", "minus") if getattr(reading, name)]
    *options, last = (f"--{name}" for name in (*names, "header", *["footer"] * bool(reading.footer)))
    return f" Tell it otherwise with {', '.join(options)} or {last}."


def _one_file(args: argparse.Namespace) -> str:
    """The file whose rows are guessed from."""
    files = [] if "://" in args.data else files_of(args.data)
    if len(files) != 1:
        raise InputError(
            "--guess reads the rows of one file; name one, or leave --guess out: the names of the columns "
            "are taken from a folder, a glob or a database as well."
        )
    return files[0]


def _told(given: str | None, table: str, columns: Sequence[str]) -> CodebookFile:
    """What the codebook file says, if there is one."""
    return read_codebook_file(given, table=table, columns=columns) if given else CodebookFile(fields={})


def _without_rows(reading: FileReading, told: FileReading) -> dict[str, str]:
    """What is known of the file's writing by its header and by what was told."""
    encoding = reading.encoding if reading.encoding != "utf-8" else None
    found = FileReading(
        encoding=encoding,
        delimiter=reading.delimiter,
        sheet=reading.sheet,
        lines=reading.lines,
        quotes=reading.quotes,
        header=reading.header,
        footer=reading.footer,
    )
    return replace(told.over(found), format=reading.format).to_dict()


def _row_name(fields: list[dict[str, Any]], unnamed: Collection[str]) -> str | None:
    """The column of row numbers, where it is not published."""
    name = row_name_of([field["name"] for field in fields], unnamed)
    unpublished = any(field["name"] == name and field.get("publish") is False for field in fields)
    return name if unpublished else None
