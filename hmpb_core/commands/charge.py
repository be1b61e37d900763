"""``hmpb charge``: enter in an owner's ledger what a run with other owners takes, before its counts leave."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from hmpb_core.commands.console import remark, say
from hmpb_core.commands.options import (
    add_option,
    add_reading_options,
    add_table_options,
    open_private,
    parser_for,
)
from hmpb_core.errors import CancelledError, InputError
from hmpb_core.planning.options import guarantee_of, option
from hmpb_core.publishing.joint import charge_joint, prepare_joint
from hmpb_core.publishing.workspace import Workspace

EXAMPLE = "hmpb charge ours.csv --workspace work --epsilon 1 --why 'joint run with B and C'"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "charge", EXAMPLE)
    parser.add_argument("data", help="the owner's registered table: a file, a folder, a glob or a URL")
    parser.add_argument("--workspace", required=True, metavar="W", help="folder of the owner's ledger")
    for name in ("epsilon", "delta", "guarantee", "neighbors"):
        add_option(parser, option(name))
    parser.add_argument("--yes", action="store_true", help="do not ask: what is charged stays charged")
    parser.add_argument("--who", help="who charges (the user)")
    parser.add_argument("--why", default="", help="which run, with whom")
    add_table_options(parser)
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    guarantee = guarantee_of(args.guarantee, args.epsilon, args.delta, args.neighbors)
    workspace = Workspace(args.workspace)
    commit = prepare_joint(open_private(args, args.data).table, workspace, guarantee)
    for line in commit.lines:
        say(line)
    if not args.yes:
        _confirm()
    charge = charge_joint(commit, workspace, who=args.who, why=args.why)
    say(f"Charged; ledger entry {charge.number}. The owner's counts may now go into the joint run.")
    return 0


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise InputError("A charge asks before it spends, and nobody can answer here; add --yes.")
    remark("Type 'charge' to spend this:")
    if sys.stdin.readline().strip() != "charge":
        raise CancelledError
