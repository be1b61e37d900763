"""``hmpb resample``: more rows, or replicates, from a bundle's model, without data and without charge."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from hmpb_core.combining import FEWEST_REPLICATES
from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import (
    QUOTED,
    add_dialect_option,
    bundle_at,
    in_dialect,
    names_of,
    parser_for,
    seed_of,
)
from hmpb_core.commands.outputs import keeping
from hmpb_core.commands.replicate_files import say_apart, write_replicates
from hmpb_core.errors import InputError, counted
from hmpb_core.planning.plan import MAX_ROWS
from hmpb_core.publishing.model_files import model_of_bundle
from hmpb_core.publishing.own_form import ENDINGS as OWN_FORMS
from hmpb_core.publishing.own_form import require_names
from hmpb_core.publishing.row_files import folder_out, require_workers, write_rows
from hmpb_core.sources.files import PARQUET_ENDINGS
from hmpb_core.sources.relational.engine import Workers

ENDINGS = ("", ".csv", ".tsv", ".txt", *PARQUET_ENDINGS, *OWN_FORMS)
EXAMPLE = "hmpb resample people.zip --rows 100000 -o more.csv"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "resample", EXAMPLE)
    parser.add_argument("bundle", help="a release bundle (zip)")
    parser.add_argument(
        "--rows", type=int, metavar="N", help="rows to draw; with --replicates as many as were published"
    )
    parser.add_argument(
        "--replicates",
        type=int,
        metavar="M",
        help="write M tables that differ as releases would, for intervals (docs/replicates.md)",
    )
    parser.add_argument(
        "--columns",
        metavar="A,B,..",
        help="with --replicates: the columns of your analysis; possible tables tell of these alone, and much "
        f"more exactly than of all at once{QUOTED}",
    )
    parser.add_argument(
        "-o",
        "--out",
        metavar="OUT",
        help="csv, Parquet, Excel, SPSS (.sav) or Stata (.dta) file, or NAME/ for Parquet parts "
        "(resampled.csv); with --replicates a folder (replicates)",
    )
    parser.add_argument(
        "--engine",
        metavar="SPARK",
        help="who draws the Parquet parts of NAME/: spark, or spark://HOST:PORT (this machine's cores)",
    )
    parser.add_argument(
        "--seed", type=seed_of, help="make the draw repeatable: harmless, the noise is in the model"
    )
    add_dialect_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    if args.rows is None and args.replicates is None:
        raise InputError("Say how many rows to draw with --rows, or how many tables with --replicates.")
    if args.columns is not None and args.replicates is None:
        raise InputError("--columns names those of an analysis of replicates; give --replicates too.")
    if args.rows is not None and not 1 <= args.rows <= MAX_ROWS:
        raise InputError("rows is {rows}; ask for 1 to {most:,}.", rows=args.rows, most=MAX_ROWS)
    model = model_of_bundle(bundle_at(args.bundle))
    codebook = in_dialect(model.codebook, args)
    if not codebook.public:
        remark(
            "The bundle was made with guesses that were read off the rows: what is drawn from it tells of "
            "the private table and stays with you."
        )
    if args.replicates is not None:
        folder = Path(args.out or "replicates")
        columns = None
        if args.columns is not None:
            columns = names_of(args.columns)
        progress = TerminalProgress()
        try:
            write_replicates(
                model,
                codebook,
                args.replicates,
                folder,
                rows=args.rows,
                columns=columns,
                rng=np.random.default_rng(args.seed),
                progress=progress,
            )
        finally:
            progress.close()
        say(
            f"{folder}: {args.replicates} replicates of the bundle's model; nothing was charged. "
            + (
                "Give the same estimate on data.csv and on each of them to hmpb_core.combine."
                if args.replicates >= FEWEST_REPLICATES
                else f"hmpb_core.combine takes {FEWEST_REPLICATES} or more."
            )
        )
        say_apart(model, columns)
        return 0
    out = Path(args.out or "resampled.csv")
    parts = folder_out(args.out or "")
    if not parts and out.suffix.lower() not in ENDINGS:
        raise InputError(
            "{file!r} is no csv, Parquet, Excel, SPSS or Stata file by its ending; name a .csv, .parquet, "
            ".xlsx, .sav or .dta file, or NAME/ for Parquet parts.",
            file=out.name,
        )
    require_names(codebook, out.suffix.lower())
    workers = _workers(args.engine, folder=parts)
    require_workers(workers, out)
    rng = np.random.default_rng(args.seed)
    with keeping(out, folders=parts):
        write_rows(out, model, args.rows, rng=rng, folder=parts, codebook=codebook, workers=workers)
    say(f"{out}: {counted(args.rows, 'row', 'rows')} drawn from the bundle's model; nothing was charged.")
    return 0


def _workers(engine: str | None, *, folder: bool) -> Workers | None:
    if engine is None:
        return None
    if not folder:
        raise InputError("--engine says who writes a folder of Parquet parts; name one with --out NAME/.")
    from hmpb_core.sources.relational.spark import executors_at

    return executors_at(engine)
