"""``hmpb report``: the utility report, steward edition: one HTML file, and JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.amounts import NumberForm
from hmpb_core.codebook import Codebook
from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import (
    add_reading_options,
    add_table_options,
    asking_for_the_own_codebook,
    open_private,
    parser_for,
    read_codebook,
    seed_of,
)
from hmpb_core.commands.outputs import keeping
from hmpb_core.errors import SourceError
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.files import write_whole
from hmpb_core.publishing.tables import as_meant
from hmpb_core.sources.files import FileReading, Readable, read_content, read_file
from hmpb_core.sources.locations import PrivateTable
from hmpb_core.utility.words.catalogue import LANGUAGES

EXAMPLE = "hmpb report people.csv out/data.csv --codebook people.codebook.json --target income -o report.html"
MOST_ROWS, MOST_CELLS = 200_000, 4_000_000
"""Rows that are drawn of a table that stays in an engine, and cells: fewer rows of a wide table."""
TABLES = ("data.csv", "rehearsal-data.csv")
"""What a bundle's first synthetic table is called."""


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "report", EXAMPLE)
    parser.add_argument("real", help="the private table: a file, a folder, a glob or a URL")
    parser.add_argument("synthetic", help="the synthetic table: a file, a bundle, or a bundle's folder")
    parser.add_argument("--codebook", required=True, help="their public codebook (JSON)")
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="NAME",
        help="what models have to predict: an attribute, or NAME<VALUE; may be repeated (one is chosen)",
    )
    parser.add_argument("--fast", action="store_true", help="look at fewer rows where a figure allows it")
    parser.add_argument("-o", "--out", required=True, metavar="FILE.html", help="the report to write")
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON too")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of the report (en)")
    parser.add_argument("--seed", type=seed_of, help="draw the same samples of rows again")
    add_table_options(parser)
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    from hmpb_core.utility import to_dict, to_html, utility_report

    codebook = read_codebook(args.codebook)
    rng = np.random.default_rng(args.seed)
    real, drawn = _rows_of(open_private(args, args.real).table, rng)
    synthetic = read_synthetic(Path(args.synthetic), codebook)
    progress = TerminalProgress()
    try:
        with asking_for_the_own_codebook(args.codebook):
            report = utility_report(
                real,
                synthetic,
                codebook,
                targets=args.target,
                fast=args.fast,
                drawn=drawn,
                rng=rng,
                progress=progress,
            )
    finally:
        progress.close()
    content = to_dict(report, args.language)
    places = [Path(path) for path in (args.out, args.json) if path]
    with keeping(*places):
        if args.json:
            write_whole(Path(args.json), (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode())
        write_whole(Path(args.out), to_html(report, args.language).encode())
    say(content["headline"])
    say(f"{args.out} written.")
    remark("The report looks at the real rows without noise: keep it inside.")
    return 0


def _rows_of(table: PrivateTable, rng: np.random.Generator) -> tuple[pd.DataFrame, bool]:
    """The rows to compare with, and whether they are some of more that stay in an engine."""
    if isinstance(table, pd.DataFrame):
        return table, False
    rows = table.drawn(max(1, min(MOST_ROWS, MOST_CELLS // max(1, len(table.columns)))), rng)
    drawn = len(rows) < table.n_rows
    if drawn:
        remark(
            f"The table stays in {table.engine.name}: the report compares with {len(rows):,} of its rows, "
            "drawn at random."
        )
    return rows, drawn


def read_synthetic(path: Path, codebook: Codebook) -> pd.DataFrame:
    """Read a synthetic table: a file of rows, a bundle, or the folder of one.

    Raises:
        SourceError: it cannot be read, or the bundle holds no table.
    """
    if path.is_dir():
        names = [name for name in TABLES if (path / name).is_file()]
        if not names:
            raise SourceError(
                "The folder {folder!r} holds no data.csv; name the synthetic table itself.", folder=path.name
            )
        path = path / names[0]
    if path.suffix.lower() != ".zip":
        return as_meant(_as_written(path, codebook), codebook)
    files = read_bundle(read_content(str(path)))
    for name in TABLES:
        if name in files:
            return as_meant(_as_written(files[name], codebook, name), codebook)
    raise SourceError("The bundle holds no data.csv; name the synthetic table itself.")


def _as_written(file: Readable, codebook: Codebook, name: str | None = None) -> pd.DataFrame:
    """Read a synthetic table as the codebook says that csv files leave, where it may be one of these.

    Its own rows may not tell how they are written: of a unit beside few different numbers, or of a short
    text's encoding.
    """
    table = read_file(file, name=name)
    own = codebook.dialect
    if table.reading.format != "csv" or table.reading.delimiter != own.delimiter:
        return table.frame
    written = codebook.written.values()
    forms = [form for text in written if isinstance(text, str) and (form := NumberForm.of(text))]
    told = FileReading(
        decimal=own.decimal,
        thousands=next((form.group for form in forms if form.group), ""),
        money=" ".join(dict.fromkeys(word for form in forms for word in form.sign.split())),
        minus="".join(dict.fromkeys(form.minus for form in forms if form.minus != "-")),
        encoding=table.reading.encoding if _is_unicode(table.reading.encoding) else own.encoding,
        delimiter=own.delimiter,
    )
    return read_file(file, name=name, reading=told).frame


def _is_unicode(encoding: str | None) -> bool:
    return (encoding or "utf-8").startswith("utf")
