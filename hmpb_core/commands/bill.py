"""``hmpb bill``: what a plan really costs, without touching data."""

from __future__ import annotations

import argparse
from typing import Any

from hmpb_core.commands.console import say, say_json
from hmpb_core.commands.options import add_plan_options, parser_for, plan_from, read_codebook
from hmpb_core.domain import MAX_ATTRIBUTES, Domain
from hmpb_core.errors import PlanError
from hmpb_core.planning.bill import bill_of_plan

MOST_ROWS = 10**12
EXAMPLE = "hmpb bill --rows 45222 --attributes 52 --epsilon 1 --clusters 3 --accounting as-published"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "bill", EXAMPLE)
    parser.add_argument("--rows", type=int, required=True, metavar="N", help="number of rows of the table")
    shape = parser.add_mutually_exclusive_group(required=True)
    shape.add_argument("--codebook", help="the public codebook (JSON)")
    shape.add_argument(
        "--attributes", type=int, metavar="D", help="number of attributes (binary ones for as-published)"
    )
    add_plan_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    if args.rows < 2:
        raise PlanError("rows is {rows}; a table to publish has at least 2 rows.", rows=args.rows)
    if args.rows > MOST_ROWS:
        raise PlanError("No table has as many rows as --rows says; give at most {most:,}.", most=MOST_ROWS)
    if args.codebook:
        domain = read_codebook(args.codebook).domain
    else:
        if args.attributes < 1:
            raise PlanError("attributes is {attributes}; it must be at least 1.", attributes=args.attributes)
        if args.attributes > MAX_ATTRIBUTES:
            raise PlanError(
                "attributes is {attributes}; a codebook declares at most {most}.",
                attributes=args.attributes,
                most=MAX_ATTRIBUTES,
            )
        domain = Domain.of_sizes([2] * args.attributes)
    n_rows, args.rows = args.rows, None
    plan = plan_from(args, domain, n_rows=n_rows)
    bill = bill_of_plan(plan, domain=domain)
    if args.json:
        say_json(bill.to_dict())
        return 0
    say(str(bill))
    return 0
