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
    found = evaluate(
        read_table(args.real, reading=reading_from(args)),
        as_meant(read_table(args.synthetic), codebook.domain),
        codebook,
        target=args.target,
        bits=args.bits,
    )
    if args.json:
        say_json(found.to_dict())
        return 0
    for name, value in found.figures().items():
        say(f"{name:<18} {'-' if value is None else format(value, '.4f')}")
    say(f"{'column':<18} {'ks':>7} {'w/sd':>7} {'mean/sd':>8} {'common':>7} {'missing':>8}")
    for name, column in found.values.columns.items():
        cells = (column.ks, column.wasserstein_sd, column.mean_sd, column.commonest, column.missing)
        texts = ["-" if cell is None else format(cell, ".4f") for cell in cells]
        say(f"{name:<18} {texts[0]:>7} {texts[1]:>7} {texts[2]:>8} {texts[3]:>7} {texts[4]:>8}")
    remark("These figures look at the real rows without noise: keep them inside.")
    return 0
