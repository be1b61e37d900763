"""``hmpb evaluate``: exact utility figures, for the steward's eyes only."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.commands.console import remark, say, say_json
from hmpb_core.commands.options import (
    add_reading_options,
    add_table_options,
    asking_for_the_own_codebook,
    open_private,
    parser_for,
    read_codebook,
)
from hmpb_core.commands.report import read_synthetic
from hmpb_core.encoding import absent_columns
from hmpb_core.errors import SourceError
from hmpb_core.publishing.tables import as_meant
from hmpb_core.publishing.zones import Zone
from hmpb_core.sources.locations import PrivateTable, open_table
from hmpb_core.sources.open import open_source
from hmpb_core.sources.relational.table import EngineTable

NAMED = 5
INSIDE = "These figures look at the real rows without noise: keep them inside."
EXAMPLE = "hmpb evaluate people.csv out/data.csv --codebook people.codebook.json --target income"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "evaluate", EXAMPLE)
    parser.add_argument("real", help="the private table: a file, a folder, a glob or a URL")
    parser.add_argument("synthetic", help="the synthetic table: a file, a bundle, or a bundle's folder")
    parser.add_argument("--codebook", required=True, help="their public codebook (JSON)")
    parser.add_argument(
        "--target", metavar="NAME", help="attribute to predict, or NAME<VALUE for a number, such as 'age<50'"
    )
    parser.add_argument("--bits", action="store_true", help="compare the papers' binary codes")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_table_options(parser)
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    from hmpb_core.metrics import evaluate
    from hmpb_core.utility.charts import short

    codebook = read_codebook(args.codebook)
    opened = open_private(args, args.real).table
    if isinstance(opened, EngineTable):
        return _by_counts(opened, args, codebook)
    synthetic = read_synthetic(Path(args.synthetic), codebook)
    _require_columns(opened, synthetic, codebook)
    with asking_for_the_own_codebook(args.codebook):
        found = evaluate(opened, synthetic, codebook, target=args.target, bits=args.bits)
    if args.json:
        return _say_for_programs(found.to_dict())
    for name, value in found.figures().items():
        say(f"{name:<18} {'-' if value is None else format(value, '.4f')}")
    width = max(18, *(len(short(name)) for name in found.values.columns))
    head = f"{'ks':>7} {'w/sd':>7} {'mean/sd':>8} {'sd ratio':>8} {'common':>7} {'missing':>8}"
    say(f"{'column':<{width}} {head}")
    for name, column in found.values.columns.items():
        moments = column.mean_sd, column.sd_ratio
        cells = (column.ks, column.wasserstein_sd, *moments, column.commonest, column.missing)
        texts = ["-" if cell is None else format(cell, ".4f") for cell in cells]
        figures = f"{texts[0]:>7} {texts[1]:>7} {texts[2]:>8} {texts[3]:>8} {texts[4]:>7} {texts[5]:>8}"
        say(f"{short(name):<{width}} {figures}")
    remark(INSIDE)
    return 0


def _say_for_programs(figures: Mapping[str, Any]) -> int:
    """Print figures as JSON, which a file of them then says to be the steward's."""
    say_json({"zone": Zone.STEWARD_ONLY.value, **figures})
    remark(INSIDE)
    return 0


def _require_columns(real: PrivateTable, synthetic: PrivateTable, codebook: Codebook) -> None:
    """Refuse the one of the two tables that lacks a declared column, and say which one it is.

    Raises:
        SourceError: one does.
    """
    for which, table in (("real", real), ("synthetic", synthetic)):
        if absent := absent_columns(table.columns, codebook):
            raise SourceError(
                "The {which} table lacks {names}, which the codebook declares; name the table that has it, "
                "or remove the column from the codebook.",
                which=which,
                names=", ".join(map(repr, absent[:NAMED])) + (", ..." if absent[NAMED:] else ""),
            )


def _by_counts(real: EngineTable, args: argparse.Namespace, codebook: Codebook) -> int:
    """Compare what counts tell, where the rows of the real table stay in an engine."""
    from hmpb_core.metrics.marginals import marginal_error_of

    if args.target or args.bits:
        raise SourceError(
            "--target and --bits compare rows, and those of this table stay in {engine}; leave them out.",
            engine=real.engine.name,
        )
    table = open_table(args.synthetic).table
    if isinstance(table, pd.DataFrame):
        table = as_meant(table, codebook)
    _require_columns(real, table, codebook)
    ours, theirs = open_source(table, codebook), open_source(real, codebook)
    figures = {f"avd{size}": marginal_error_of(theirs, ours, size).mean for size in (2, 3)}
    if args.json:
        return _say_for_programs(figures)
    for name, value in figures.items():
        say(f"{name:<18} {'-' if value is None else format(value, '.4f')}")
    remark("Only marginals were compared: the rows stay where they are.")
    remark(INSIDE)
    return 0
