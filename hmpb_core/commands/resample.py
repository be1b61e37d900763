"""``hmpb resample``: more rows from a bundle's model, without data and without charge."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from hmpb_core.commands.console import say
from hmpb_core.commands.options import parser_for, seed_of
from hmpb_core.errors import InputError
from hmpb_core.planning.plan import MAX_ROWS
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.files import write_whole
from hmpb_core.publishing.model_files import model_of_bundle
from hmpb_core.publishing.tables import csv_of, parquet_of
from hmpb_core.sources.files import PARQUET_ENDINGS, read_content

EXAMPLE = "hmpb resample people.zip --rows 100000 -o more.csv"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(
        commands, "resample", "Draw more rows from a bundle's model, free of charge.", EXAMPLE
    )
    parser.add_argument("bundle", help="a release bundle (zip)")
    parser.add_argument("--rows", type=int, required=True, metavar="N", help="rows to draw")
    parser.add_argument("-o", "--out", metavar="FILE", help="csv or Parquet file to write (resampled.csv)")
    parser.add_argument(
        "--seed", type=seed_of, help="make the draw repeatable: harmless, the noise is in the model"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    if not 1 <= args.rows <= MAX_ROWS:
        raise InputError("rows is {rows}; ask for 1 to {most:,}.", rows=args.rows, most=MAX_ROWS)
    model = model_of_bundle(read_bundle(read_content(args.bundle)))
    rows = model.sample(args.rows, rng=np.random.default_rng(args.seed))
    out = Path(args.out or "resampled.csv")
    parquet = out.name.lower().endswith(PARQUET_ENDINGS)
    write_whole(out, parquet_of(rows) if parquet else csv_of(rows))
    say(f"{out}: {args.rows:,} rows drawn from the bundle's model; nothing was charged.")
    return 0
