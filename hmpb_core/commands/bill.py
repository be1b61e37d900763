"""``hmpb bill``: what a plan really costs, without touching data."""

from __future__ import annotations

import argparse
from typing import Any

from hmpb_core.commands.console import say, say_json
from hmpb_core.commands.options import (
    add_plan_or_options,
    parser_for,
    plan_from,
    plan_given,
    read_codebook,
    require_number_of_rows,
)
from hmpb_core.domain import MAX_ATTRIBUTES, Domain
from hmpb_core.errors import PlanError
from hmpb_core.planning.bill import bill_of_plan
from hmpb_core.planning.plan import Plan

EXAMPLE = "hmpb bill --rows 45222 --attributes 52 --epsilon 1 --clusters 3 --accounting as-published"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "bill", EXAMPLE)
    parser.add_argument(
        "--rows", type=int, metavar="N", help="number of rows of the table; a plan's file needs none"
    )
    shape = parser.add_mutually_exclusive_group(required=True)
    shape.add_argument("--codebook", help="the public codebook (JSON)")
    shape.add_argument(
        "--attributes", type=int, metavar="D", help="number of attributes (binary ones for as-published)"
    )
    add_plan_or_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    plan, domain = _plan_of_file(args) if args.plan else _plan_of_options(args)
    bill = bill_of_plan(plan, domain=domain)
    if args.json:
        say_json(bill.to_dict())
        return 0
    say(str(bill))
    return 0


def _plan_of_file(args: argparse.Namespace) -> tuple[Plan, Domain]:
    if not args.codebook:
        raise PlanError("A plan is billed with the codebook that it was made for; give --codebook.")
    codebook = read_codebook(args.codebook)
    return plan_given(args, codebook), codebook.domain


def _plan_of_options(args: argparse.Namespace) -> tuple[Plan, Domain]:
    if args.rows is None or args.epsilon is None:
        raise PlanError("There is no plan to bill; give --plan, or --rows and --epsilon.")
    require_number_of_rows(args.rows)
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
    return plan_from(args, domain, n_rows=n_rows), domain
