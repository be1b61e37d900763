"""``hmpb plan``: write every choice of a release down, before anything is spent."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hmpb_core.commands.console import remark, say
from hmpb_core.commands.options import add_option, add_plan_options, parser_for, plan_from, read_codebook
from hmpb_core.commands.outputs import write_keeping
from hmpb_core.planning.options import option
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.unit import Unit

EXAMPLE = "hmpb plan --codebook people.codebook.json --epsilon 1 -o people.plan.toml"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "plan", EXAMPLE)
    parser.add_argument("--codebook", required=True, help="the public codebook (JSON)")
    add_plan_options(parser)
    add_option(parser, option("rows"))
    parser.add_argument(
        "--unit", metavar="row|COLUMN:m", help="who is protected (whatever the data set was registered with)"
    )
    parser.add_argument("-o", "--out", required=True, metavar="PLAN", help="file to write (TOML)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    codebook = read_codebook(args.codebook)
    plan = plan_from(args, codebook.domain, n_rows=None)
    unit = Unit.parse(args.unit) if args.unit else None
    write_keeping(Path(args.out), PlanFile.of(plan, codebook, unit).to_toml().encode())
    say(f"{args.out} written. 'hmpb rehearse' tries it, 'hmpb release' spends it.")
    if not plan.spec.releasable:
        remark("This plan can be rehearsed, but never released.")
    return 0
