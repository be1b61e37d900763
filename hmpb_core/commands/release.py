"""``hmpb release``: charge the plan, run it once, write the bundle."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from hmpb_core.acceptance.marks import Marks
from hmpb_core.audit.attack import require_unbroken
from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import (
    add_dialect_option,
    add_language_option,
    add_reading_options,
    add_table_options,
    in_dialect,
    open_private,
    parser_for,
    read_codebook,
)
from hmpb_core.errors import CancelledError, InputError
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.publishing.answers import Answers
from hmpb_core.publishing.files import require_new
from hmpb_core.publishing.outside import lines_for, surplus_lines
from hmpb_core.publishing.release import carry_out, prepare, refuse_seed, require_releasable
from hmpb_core.publishing.workspace import Workspace

EXAMPLE = (
    "hmpb release people.csv --codebook people.codebook.json --plan people.plan.toml --workspace work "
    "--out people.zip"
)


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "release", EXAMPLE)
    parser.add_argument("data", help="the registered private table: a file, a folder, a glob or a URL")
    parser.add_argument("--codebook", required=True, help="its public codebook (JSON)")
    parser.add_argument("--plan", required=True, help="the plan (TOML)")
    parser.add_argument("--workspace", required=True, metavar="W", help="folder of the ledger")
    parser.add_argument("-o", "--out", required=True, metavar="BUNDLE.zip", help="bundle to write")
    parser.add_argument("--yes", action="store_true", help="do not ask: what is charged stays charged")
    parser.add_argument(
        "--replicates",
        type=int,
        default=1,
        metavar="R",
        help="synthetic tables of the one model (1); free; for intervals see 'hmpb resample --replicates'",
    )
    parser.add_argument("--title", help="what readers call it (the data set's name)")
    parser.add_argument("--show-left", action="store_true", help="tell readers what is left of the cap")
    parser.add_argument(
        "--answers",
        metavar="FILE",
        help="what only you know, for the statement and the checklist; 'hmpb answers' writes the form",
    )
    parser.add_argument(
        "--marks",
        metavar="FILE",
        help="pass marks and candidate plans (TOML): the first that passes is released (docs/acceptance.md)",
    )
    parser.add_argument("--who", help="who releases (the user)")
    parser.add_argument("--why", default="", help="for what purpose")
    parser.add_argument("--seed", type=int, help=argparse.SUPPRESS)
    add_language_option(parser)
    add_table_options(parser)
    add_reading_options(parser)
    add_dialect_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    refuse_seed(args.seed)
    codebook = in_dialect(read_codebook(args.codebook), args)
    plan_file = PlanFile.read(args.plan)
    require_releasable(plan_file.plan, codebook)
    answers = Answers.read(args.answers) if args.answers else Answers()
    out = Path(args.out)
    require_new(out)
    require_unbroken(plan_file.plan)
    workspace = Workspace(args.workspace)
    progress = TerminalProgress()
    try:
        table = open_private(args, args.data).table
        commit = prepare(
            table,
            codebook,
            plan_file,
            workspace,
            title=args.title,
            replicates=args.replicates,
            show_left=args.show_left,
            answers=answers,
            marks=Marks.read(args.marks) if args.marks else None,
            language=args.language,
            progress=progress,
        )
    finally:
        progress.close()
    for line in commit.lines:
        say(line)
    for line in surplus_lines(table, commit.before.unit) + lines_for(table, codebook):
        remark(line)
    if answers.missing:
        say(
            f"Questions that only you can answer, and have not: {len(answers.missing)}; the bundle will say "
            "so. 'hmpb answers' writes the form, --answers takes it."
        )
    if not args.yes:
        _confirm()
    progress = TerminalProgress()
    try:
        done = carry_out(commit, workspace, out, who=args.who, why=args.why, progress=progress)
    finally:
        progress.close()
    say(f"{args.out} written; release {done.charge.release[:8]}, ledger entry {done.charge.number}.")
    say(f"Receipt  {done.receipt}")
    say("Keep the receipt outside of the workspace: 'hmpb ledger --verify --against' checks it.")
    return 0


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise InputError("A release asks before it spends, and nobody can answer here; add --yes.")
    remark("Type 'release' to spend this:")
    if sys.stdin.readline().strip() != "release":
        raise CancelledError
