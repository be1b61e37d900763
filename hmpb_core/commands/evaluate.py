"""``hmpb evaluate``: exact utility figures, for the steward's eyes only."""

from __future__ import annotations

import argparse
from typing import Any

from hmpb_core.commands.console import remark, say, say_json
from hmpb_core.commands.options import add_reading_options, parser_for, read_codebook, reading_from
from hmpb_core.publishing.tables import as_meant
from hmpb_core.sources.files import read_table

EXAMPLE = "hmpb evaluate people.csv out/data.csv --codebook people.codebook.json --target income"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(
        commands,
        "evaluate",
        "Compare a synthetic table with the real one (exact: keep the figures inside).",
        EXAMPLE,
    )
    parser.add_argument("real", help="the private table")
    parser.add_argument("synthetic", help="the synthetic table")
    parser.add_argument("--codebook", required=True, help="their public codebook (JSON)")
    parser.add_argument(
        "--target", metavar="NAME", help="attribute to predict, or NAME<VALUE for a number, such as 'age<50'"
    )
    parser.add_argument("--bits", action="store_true", help="compare the papers' binary codes")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    from hmpb_core.metrics import evaluate

    codebook = read_codebook(args.codebook)
    synthetic = as_meant(read_table(args.synthetic), codebook.domain)
    figures = evaluate(
        read_table(args.real, reading=reading_from(args)),
        synthetic,
        codebook,
        target=args.target,
        bits=args.bits,
    ).to_dict()
    if args.json:
        say_json(figures)
        return 0
    for name, value in figures.items():
        say(f"{name:<18} {'-' if value is None else format(value, '.4f')}")
    remark("These figures look at the real rows without noise: keep them inside.")
    return 0
