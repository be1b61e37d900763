"""``hmpb fit``: buy a figure of how well released rows fit the private table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from hmpb_core.commands.console import remark, say
from hmpb_core.commands.options import (
    add_reading_options,
    add_table_options,
    bundle_at,
    open_private,
    parser_for,
)
from hmpb_core.commands.outputs import write_paid
from hmpb_core.errors import CancelledError, InputError
from hmpb_core.publishing.files import require_new
from hmpb_core.publishing.fit import carry_out_fit, prepare_fit
from hmpb_core.publishing.workspace import Workspace

EXAMPLE = "hmpb fit people.zip people.csv --workspace work --epsilon 0.1 -o fit.json"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "fit", EXAMPLE)
    parser.add_argument("bundle", help="the release's bundle (zip)")
    parser.add_argument("data", help="the registered private table: a file, a folder, a glob or a URL")
    parser.add_argument("--workspace", required=True, metavar="W", help="folder of the ledger")
    parser.add_argument("--epsilon", type=float, required=True, help="what it may cost, such as 0.1")
    parser.add_argument("-o", "--out", required=True, metavar="FILE.json", help="file to write; may leave")
    parser.add_argument("--yes", action="store_true", help="do not ask: what is charged stays charged")
    parser.add_argument("--who", help="who measures (the user)")
    parser.add_argument("--why", default="", help="for what purpose")
    add_table_options(parser)
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    out = Path(args.out)
    require_new(out)
    files = bundle_at(args.bundle)
    workspace = Workspace(args.workspace)
    table = open_private(args, args.data).table
    commit = prepare_fit(table, files, workspace, epsilon=args.epsilon)
    for line in commit.lines:
        say(line)
    if not args.yes:
        _confirm()
    fit = carry_out_fit(commit, workspace, who=args.who, why=args.why)
    write_paid(out, fit.to_json(), entry=fit.entry)
    say(fit.headline)
    say(f"{out} written; ledger entry {fit.entry}. It may be published.")
    return 0


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise InputError("A measurement asks before it spends, and nobody can answer here; add --yes.")
    remark("Type 'fit' to spend this:")
    if sys.stdin.readline().strip() != "fit":
        raise CancelledError
