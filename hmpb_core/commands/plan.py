"""``hmpb plan``: write every choice of a release down, before anything is spent."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hmpb_core.commands.console import remark, say
from hmpb_core.commands.options import (
    add_option,
    add_plan_options,
    parser_for,
    plan_from,
    read_codebook,
    require_number_of_rows,
)
from hmpb_core.commands.outputs import write_keeping
from hmpb_core.domain import Domain
from hmpb_core.planning.advice import GUESSED_ROWS
from hmpb_core.planning.options import option
from hmpb_core.planning.plan import Plan
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
        "--declared-rows",
        type=int,
        metavar="N",
        help="about how many rows the table has, as everybody may know: the shares follow it "
        f"({GUESSED_ROWS:,} is assumed)",
    )
    parser.add_argument(
        "--unit", metavar="row|COLUMN:m", help="who is protected (whatever the data set was registered with)"
    )
    parser.add_argument("-o", "--out", required=True, metavar="PLAN", help="file to write (TOML)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    if args.declared_rows is not None:
        require_number_of_rows(args.declared_rows)
    codebook = read_codebook(args.codebook)
    plan = plan_from(args, codebook.domain, n_rows=None)
    unit = Unit.parse(args.unit) if args.unit else None
    write_keeping(Path(args.out), PlanFile.of(plan, codebook, unit).to_toml().encode())
    say(f"{args.out} written. 'hmpb rehearse' tries it, 'hmpb release' spends it.")
    if plan.declared_rows is None and plan.shares != _of_few_rows(args, codebook.domain).shares:
        remark(
            f"The shares are those for a table of {GUESSED_ROWS:,} rows: nobody said how many it has. Where "
            "everybody may know, --declared-rows says it."
        )
    if not plan.spec.releasable:
        remark("This plan can be rehearsed, but never released.")
    return 0


def _of_few_rows(args: argparse.Namespace, domain: Domain) -> Plan:
    """The same plan for a small table, to see whether its shares depend on the number of rows."""
    return plan_from(argparse.Namespace(**{**vars(args), "declared_rows": 1000}), domain, n_rows=None)
