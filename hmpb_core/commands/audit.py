"""``hmpb audit``: measure what every mechanism and method gives away, beside what it claims."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import parser_for
from hmpb_core.commands.outputs import write_keeping
from hmpb_core.errors import InputError

EXAMPLE = "hmpb audit --short --json audit.json"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "audit", EXAMPLE)
    parser.add_argument("--short", action="store_true", help="fewer runs: under two minutes, weaker bounds")
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write the findings as JSON; FILE.part keeps each at once",
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on where an interrupted audit left FILE.part, with --json"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    from hmpb_core.audit.suite import FULL, SHORT, audit

    if args.resume and not args.json:
        raise InputError("--resume goes on from what --json FILE kept; name the file.")
    part = Path(f"{args.json}.part") if args.json else None
    progress = TerminalProgress()
    try:
        done = audit(SHORT if args.short else FULL, progress=progress, part=part, resume=args.resume)
    finally:
        progress.close()
    header = ("how", "what", "currency", "neighbours", "measure", "claimed", "measured", "part", "runs")
    say(_line(header, "verdict"))
    for found in done.findings:
        figures = (f"{found.claimed:.4g}", f"{found.low:.4g}", f"{found.part:.3f}", f"{found.runs:,}")
        words = (found.kind, found.name, found.currency, found.neighbors, found.measure)
        say(_line((*words, *figures), found.verdict))
    if args.json:
        text = json.dumps(done.to_dict(), indent=1, ensure_ascii=False) + "\n"
        write_keeping(Path(args.json), text.encode())
    if done.passes:
        remark("Every claim holds, and every known leak was seen.")
        return 0
    for found in done.violations:
        remark(
            f"{found.name} ({found.currency}, {found.neighbors}) gives away more than it claims: release "
            "nothing with this version, and report this line as SECURITY.md says."
        )
    for found in done.blind:
        remark(f"{found.name}: this known leak was not seen, so the audit is too weak to clear anything.")
    return 1


_WIDTHS = (-9, -49, -8, -11, -7, 9, 9, 6, 9)


def _line(cells: tuple[str, ...], verdict: str) -> str:
    parts = [
        str(cell).ljust(-width) if width < 0 else str(cell).rjust(width)
        for cell, width in zip(cells, _WIDTHS, strict=True)
    ]
    return "  ".join([*parts, verdict])
