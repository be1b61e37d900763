"""``hmpb register``: a data set gets its unit of protection and its lifetime cap, once."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import (
    add_reading_options,
    add_table_options,
    open_private,
    parser_for,
    read_codebook,
)
from hmpb_core.errors import typed
from hmpb_core.privacy.guarantee import DEFAULT_DELTA, Neighbors
from hmpb_core.privacy.unit import Unit
from hmpb_core.progress import part_of
from hmpb_core.publishing.outside import heading_lines, lines_for, shared_id_lines, surplus_lines
from hmpb_core.publishing.survey import SURVEY_PART
from hmpb_core.publishing.workspace import Workspace, require_cap, require_no_lost_ledger
from hmpb_core.sources.open import require_fitting
from hmpb_core.sources.people import require_unpublished

EXAMPLE = "hmpb register people.csv --codebook people.codebook.json --workspace work --cap 2 --unit row"
CHECKED, COMPARED = 0.1, 0.4
"""Parts of the time after which the table is read and checked, and compared with those that are known."""


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "register", EXAMPLE)
    parser.add_argument("data", help="the private table: a file, a folder, a glob or a URL")
    parser.add_argument("--codebook", help="its public codebook (JSON); a survey can make one later")
    parser.add_argument(
        "--workspace", required=True, metavar="W", help="folder of the ledger; made if need be"
    )
    parser.add_argument(
        "--cap",
        type=float,
        required=True,
        metavar="EPSILON",
        help="what all releases together may cost, ever",
    )
    parser.add_argument(
        "--cap-delta",
        type=float,
        default=DEFAULT_DELTA,
        metavar="D",
        help="delta at which the cap holds; 0 admits 'pure' plans only (1e-9)",
    )
    parser.add_argument(
        "--unit",
        required=True,
        metavar="row|COLUMN:m",
        help="who is protected: 'row' where one row is one person, or an id column with at most m rows a "
        "person",
    )
    parser.add_argument(
        "--neighbors",
        choices=[n.value for n in Neighbors],
        default=Neighbors.REPLACE_ONE.value,
        help="relation in which costs are kept; add-remove also hides the number of rows (replace-one)",
    )
    parser.add_argument("--name", help="name of the data set (the file's name)")
    parser.add_argument("--who", help="who registers it (the user)")
    parser.add_argument("--why", default="", help="for what purpose")
    add_table_options(parser)
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    unit = Unit.parse(args.unit)
    require_cap(args.cap, args.cap_delta)
    require_no_lost_ledger(Path(args.workspace))
    codebook = read_codebook(args.codebook) if args.codebook else None
    if codebook is not None:
        require_unpublished(unit, codebook.domain)
    progress = TerminalProgress()
    try:
        progress(0.0, "reading")
        table = open_private(args, args.data).table
        progress(CHECKED / 2, "checking")
        require_fitting(table, codebook, unit)
        outside = lines_for(table, codebook) if codebook else heading_lines(table)
        lines = shared_id_lines(table, unit) + surplus_lines(table, unit) + outside
        workspace = Workspace(args.workspace, create=True)
        others = bool(workspace.datasets())
        progress(CHECKED, "comparing" if others else "recognising")
        near_copies = workspace.near_copies(table)
        for line in lines:
            remark(line)
        for near in near_copies:
            remark(
                f"Warning: this table is nearly the one that is registered as {near.name!r}. What is charged "
                "to one is not charged to the other, so the people in both are less protected than either "
                "cap says. If it is a newer version of that table, divide what the two may spend."
            )
        dataset = workspace.register(
            table,
            name=args.name or args.table or _name_of(args.data),
            unit=unit,
            cap_epsilon=args.cap,
            cap_delta=args.cap_delta,
            survey_delta=0.0 if codebook else args.cap_delta * SURVEY_PART,
            neighbors=Neighbors(args.neighbors),
            who=args.who,
            why=args.why,
            progress=part_of(progress, COMPARED if others else CHECKED, 1.0),
        )
    finally:
        progress.close()
    say(
        f"{dataset.name!r} is registered: {unit.words}; lifetime cap epsilon "
        f"{float(dataset.cap_epsilon):g} at "
        f"delta {typed(dataset.cap_delta)}, neighbours {dataset.neighbors.value}. Both are set once."
    )
    return 0


def _name_of(where: str) -> str:
    """The name of a file or a folder without its ending; that of a database without its server."""
    names = [part for part in re.split(r"[/\\]", where.partition("?")[0]) if part.strip("*")]
    return names[-1].split(".")[0].strip("*") or "table"
