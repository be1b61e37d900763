"""Options that several commands share, and the plan they describe."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmpb_core.amounts import AMOUNT
from hmpb_core.commands import COMMANDS
from hmpb_core.commands.console import remark
from hmpb_core.domain import Domain
from hmpb_core.errors import DomainError, InputError, PlanError, SourceError
from hmpb_core.plain_file import read_plain_text
from hmpb_core.planning.options import OPTIONS, Option
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Shares
from hmpb_core.publishing.words.catalogue import DEFAULT_LANGUAGE, LANGUAGES

if TYPE_CHECKING:  # what needs pandas loads with the function that needs it: some commands read no table
    from hmpb_core.codebook import Codebook
    from hmpb_core.sources.files import FileReading
    from hmpb_core.sources.locations import Opened

NAMED_FIELDS = 3
READ = ("data", "real", "synthetic", "codebook", "plan", "bundle", "given", "public", "marks", "answers")
WRITTEN = ("out", "export", "json")
"""Where arguments of any command name files to read, and files to write."""
QUOTED = "; a name that holds a comma in double quotes"
MOST_SEED_DIGITS = 18
"""So that every seed is a number of 64 bits, which all generators take."""
MOST_ROWS = 10**12


def parser_for(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, example: str
) -> argparse.ArgumentParser:
    """Add a command with its line and an example in its help."""
    summary = COMMANDS[name]
    return commands.add_parser(
        name,
        help=summary,
        description=summary,
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def require_other_files(args: argparse.Namespace) -> None:
    """Refuse to write onto a file that the same command reads: a private table, a bundle.

    Raises:
        InputError: a file to write is one to read, and not one that the command completes.
    """
    completed = getattr(args, "completes", None)
    read = [Path(path) for path in _paths(args, READ, but=completed)]
    for path in _paths(args, WRITTEN):
        for target in (Path(path), Path(path) / "data.csv"):
            if any(_same(target, file) for file in read):
                raise InputError(
                    "{file!r} is what the command reads; it would be overwritten. Name another file to "
                    "write.",
                    file=target.name,
                )


def _paths(args: argparse.Namespace, names: Sequence[str], *, but: str | None = None) -> list[str]:
    given = [getattr(args, name, None) for name in names if name != but]
    return [path for path in given if isinstance(path, str)]


def _same(one: Path, other: Path) -> bool:
    try:
        return one.is_file() and one.samefile(other)
    except (OSError, ValueError):
        return False


def bundle_at(path: str) -> dict[str, bytes]:
    """Read the bundle named on the command line.

    Raises:
        SourceError: it is none.
    """
    from hmpb_core.publishing.bundle import read_bundle  # loads in a while, which a bill need not wait for
    from hmpb_core.sources.files import read_content

    if not Path(path).exists() or Path(path).is_dir():
        raise SourceError(
            "{file!r} is not a file here; give the path of a release's bundle (zip).", file=Path(path).name
        )
    return read_bundle(read_content(path))


def seed_of(text: str) -> int:
    """Read a seed.

    Raises:
        ArgumentTypeError: it is none.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= MOST_SEED_DIGITS):
        raise argparse.ArgumentTypeError(
            f"{text[:40]!r} is no seed; write a whole number from 0, of at most {MOST_SEED_DIGITS} digits."
        )
    return int(text)


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    """Add every option that makes a plan, but the number of rows, which every command reads its own way."""
    for entry in OPTIONS:
        if entry.name != "rows":
            add_option(parser, entry)


def add_option(parser: argparse.ArgumentParser, entry: Option) -> None:
    """Add one option of the plan."""
    more: dict[str, Any] = {"metavar": entry.metavar} if entry.metavar else {}
    if entry.choices:
        more["choices"] = entry.choices
    elif entry.kind is not Shares:
        more["type"] = entry.kind
    parser.add_argument(
        *(f"--{name}" for name in (entry.name, *entry.aliases)),
        dest=entry.name,
        required=entry.required,
        help=entry.words,
        **more,
    )


def add_plan_or_options(parser: argparse.ArgumentParser) -> None:
    """Add a plan's file, and every option that makes a plan where no file is given."""
    parser.add_argument("--plan", metavar="PLAN.toml", help="the plan of a release, instead of options")
    add_plan_options(parser)
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way
        if action.dest == "epsilon":
            action.required = False


def plan_given(args: argparse.Namespace, codebook: Codebook) -> Plan:
    """Read the plan that a file holds.

    Raises:
        PlanError: options contradict it, it is none, or it was made for another codebook.
    """
    from hmpb_core.planning.plan_file import PlanFile

    beside = [f"--{entry.name}" for entry in OPTIONS if getattr(args, entry.name, None) is not None]
    if beside:
        raise PlanError("--plan says all of a plan; leave {options} out.", options=", ".join(beside))
    plan_file = PlanFile.read(args.plan)
    plan_file.require_codebook(codebook)
    return plan_file.plan


def require_number_of_rows(rows: int) -> None:
    """Refuse a number of rows that no table to publish has.

    Raises:
        PlanError: it is below 2, or beyond all tables.
    """
    if rows < 2:
        raise PlanError("rows is {rows}; a table to publish has at least 2 rows.", rows=rows)
    if rows > MOST_ROWS:
        raise PlanError("No table has as many rows as that; give at most {most:,}.", most=MOST_ROWS)


def plan_from(args: argparse.Namespace, domain: Domain, *, n_rows: int | None) -> Plan:
    """Make the plan that the options describe.

    Raises:
        PlanError: the options contradict each other.
    """
    from hmpb_core.synthesis import plan_of_options

    given = {entry.name: getattr(args, entry.name, None) for entry in OPTIONS}
    declared = getattr(args, "declared_rows", None)
    plan = plan_of_options(given, domain, n_rows=n_rows, declared_rows=declared)
    for entry in OPTIONS:
        if entry.field in plan.spec.idle and given[entry.name] is not None:
            remark(f"--{entry.name} changes nothing: the method '{plan.method}' has no use for it.")
    return plan


def add_language_option(parser: argparse.ArgumentParser) -> None:
    """Add in which language a bundle's pages for people are."""
    parser.add_argument(
        "--language",
        choices=LANGUAGES,
        default=DEFAULT_LANGUAGE,
        help=f"language of the bundle's pages for people ({DEFAULT_LANGUAGE})",
    )


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that tell how a table's file is written."""
    parser.add_argument(
        "--sheet", metavar="NAME", help="worksheet of a workbook (the first of two columns or more)"
    )
    parser.add_argument(
        "--encoding", metavar="ENC", help="encoding of a text file, such as cp1252 (detected)"
    )
    parser.add_argument(
        "--delimiter", metavar="D", help="comma, semicolon, tab, bar or the character itself (detected)"
    )
    parser.add_argument("--decimal", metavar="M", help="decimal mark: point or comma (detected)")
    parser.add_argument("--thousands", metavar="M", help="mark between thousands, or none (detected)")
    parser.add_argument(
        "--no-header",
        action="store_true",
        help="the first line is a row like the others: columns are named by their place",
    )
    parser.add_argument(
        "--header",
        metavar="LINES",
        help="the lines that name the columns, such as 3 or 1-2; names for the first (detected)",
    )
    parser.add_argument(
        "--footer",
        metavar="N",
        help="how many lines below the table are no rows, such as its source (detected)",
    )
    parser.add_argument(
        "--money", metavar="SIGN", help="sign or unit beside numbers, such as €, %% or kg, or none (detected)"
    )
    parser.add_argument(
        "--minus",
        metavar="M",
        help="what tells numbers below zero beside a hyphen: \u2212 or (), or none (detected)",
    )


def add_dialect_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that asks for a plain csv file, whatever the table's own file is."""
    parser.add_argument(
        "--plain-csv",
        action="store_true",
        help="write plain commas, decimal points, UTF-8 and line feeds (as the table's own file is written)",
    )


def in_dialect(codebook: Codebook, args: argparse.Namespace) -> Codebook:
    """Give the codebook with the csv dialect that the options ask for, else with its own.

    What they tell of how the table's file is written counts like the codebook's ``reading``.
    """
    from hmpb_core.dialect import CsvDialect

    if args.plain_csv:
        return codebook.in_plain_csv()
    told = reading_from(args, kept=False).to_dict() if "decimal" in args else {}
    schema = json.loads(read_plain_text(args.codebook)) if told else {}
    if not told or schema.get("dialect") is not None:
        return codebook
    return replace(codebook, dialect=CsvDialect.of_schema(with_reading(schema, told)))


def with_reading(schema: Mapping[str, Any], told: Mapping[str, str]) -> dict[str, Any]:
    """Give a codebook that keeps what was told of how its table's file is written."""
    kept = schema.get("reading")
    reading = {**(kept if isinstance(kept, Mapping) else {}), **told}
    return {**schema, "reading": reading} if reading else {**schema}


def reading_from(args: argparse.Namespace, *, kept: bool = True) -> FileReading:
    """Take how a file is written: what the options say, else what the codebook keeps.

    Args:
        args: The options.
        kept: Whether the file is the one that the codebook was made for.

    Raises:
        SourceError: an option is impossible.
    """
    from hmpb_core.sources.files import NO_NAMES, FileReading

    told = FileReading.told(
        encoding=args.encoding,
        delimiter=args.delimiter,
        decimal=args.decimal,
        thousands=args.thousands,
        money=args.money,
        minus=args.minus,
        sheet=args.sheet,
        header=NO_NAMES if args.no_header else args.header,
        footer=args.footer,
    )
    path = getattr(args, "codebook", None) if kept else None
    return replace(told.over(reading_of_codebook(path)), settled=True) if path else told


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that tell where a private table is and which engine counts it."""
    from hmpb_core.sources.locations import ENGINES

    parser.add_argument(
        "--engine",
        choices=ENGINES,
        help="what reads files: memory as long as the table fits, else duckdb (said where it is chosen)",
    )
    add_table_name(parser)


def add_table_name(parser: argparse.ArgumentParser) -> None:
    """Add the option that names a table of a database."""
    from hmpb_core.sources.locations import DATABASES

    parser.add_argument("--table", metavar="NAME", help=f"table of {', '.join(DATABASES)}")


def open_private(args: argparse.Namespace, where: str) -> Opened:
    """Open the private table that the options name, and say which engine holds it if that was not asked for.

    Raises:
        SourceError: it cannot be opened.
    """
    from hmpb_core.sources.locations import open_table

    opened = open_table(where, engine=args.engine, table=args.table, reading=reading_from(args))
    if opened.words:
        remark(opened.words)
    return opened


def reading_of_codebook(path: str) -> FileReading:
    """Read how a codebook says that its table's file is written."""
    from hmpb_core.sources.files import NAMES, UNICODE, FileReading

    try:
        schema = json.loads(read_plain_text(path))
    except (OSError, ValueError, RecursionError):
        return FileReading()  # reading the codebook itself says what is wrong with it
    if not isinstance(schema, dict):
        return FileReading()
    reading = FileReading.from_dict(schema.get("reading"))
    # Not looked for: one row could decide which others are rows, and how all texts are read.
    reading = replace(
        reading,
        header=reading.header or NAMES,
        footer=reading.footer or "0",
        encoding=reading.encoding or UNICODE,
    )
    return replace(reading, money="") if reading.money is None and _lists_amounts(schema) else reading


def _lists_amounts(schema: dict[str, Any]) -> bool:
    """Whether categories are numbers with a sign beside them: 10% as a word, as the file has it."""
    fields = schema.get("fields")
    listed = (
        category.get("value") if isinstance(category, dict) else category
        for field in (fields if isinstance(fields, list) else [])
        if isinstance(field, dict) and isinstance(field.get("categories"), list)
        for category in field["categories"]
    )
    return any(isinstance(value, str) and AMOUNT.fullmatch(value) is not None for value in listed)


@contextmanager
def asking_for_the_own_codebook(path: str) -> Iterator[None]:
    """Say the remedy where the private rows do not fit what a bundle says of the released ones.

    Raises:
        SourceError: they do not.
    """
    try:
        yield
    except SourceError as error:
        if Path(path).name != "datapackage.json":
            raise
        raise SourceError(
            "{refusal} A bundle's datapackage.json describes the released rows, not how yours are spelled, "
            "nor what takes a value that it does not list: give the codebook that the release was made with.",
            refusal=error.sentence,
        ) from error


def read_codebook(path: str) -> Codebook:
    """Read the codebook named on the command line.

    Raises:
        DomainError: it is a draft with open fields, or wrong.
    """
    from hmpb_core.codebook import Codebook

    try:
        return Codebook.read(Path(path))
    except DomainError as error:
        names = _open_fields(path)
        if not names:
            raise
        if len(names) == 1:
            raise DomainError(
                "The codebook has an open field: {names}. Give it its categories, or a minimum and a "
                "maximum, from public knowledge; leave it out with 'publish': false; or register the table "
                "without a codebook and have 'hmpb survey' buy it.",
                names=repr(names[0]),
            ) from error
        raise DomainError(
            "The codebook has {count} open fields: {names}{more}. Give each its categories, or a minimum and "
            "a maximum, from public knowledge; leave it out with 'publish': false; or register the table "
            "without a codebook and have 'hmpb survey' buy them.",
            count=len(names),
            names=", ".join(map(repr, names[:NAMED_FIELDS])),
            more=" ..." if len(names) > NAMED_FIELDS else "",
        ) from error


def _open_fields(path: str) -> list[str]:
    """Names of the fields that nobody has filled in."""
    from hmpb_core.sources.drafting.draft import is_open  # loads in a while, which a bill need not wait for

    try:
        return [str(entry["name"]) for entry in json.loads(read_plain_text(path))["fields"] if is_open(entry)]
    except (KeyError, TypeError, AttributeError):
        return []  # reading the codebook itself says what is wrong with it


def names_of(text: str) -> list[str]:
    """Read names between commas, as in a line of a csv file: questions of a survey hold commas themselves.

    Example:
        >>> names_of('age, "Where do you live, mostly?",sex')
        ['age', 'Where do you live, mostly?', 'sex']
    """
    lines = csv.reader(text.splitlines(keepends=True), skipinitialspace=True)
    return [name.strip() for line in lines for name in line if name.strip()]
