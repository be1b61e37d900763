"""``hmpb ledger``: what was spent, by whom, for what; and whether the record is whole."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from hmpb_core.commands.console import remark, say, say_json
from hmpb_core.commands.options import parser_for
from hmpb_core.commands.outputs import write_keeping
from hmpb_core.errors import InputError, typed
from hmpb_core.privacy.ledger import Entry, Kind
from hmpb_core.publishing.dataset import rounded_down
from hmpb_core.publishing.receipts import Receipts
from hmpb_core.publishing.workspace import Workspace

EXAMPLE = "hmpb ledger --workspace work --verify"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "ledger", EXAMPLE)
    parser.add_argument("--workspace", required=True, metavar="W", help="folder of the ledger")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--verify", action="store_true", help="recompute the whole chain; exit code 3 if broken"
    )
    parser.add_argument(
        "--against",
        metavar="RECEIPT",
        help="with --verify: an earlier export, a bundle's ledger-extract.json, or NUMBER:DIGEST; finds a "
        "ledger that was put back or written anew",
    )
    parser.add_argument("--export", metavar="FILE", help="write the whole chain as JSON, for safekeeping")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    if args.against and not args.verify:
        raise InputError("--against needs --verify; add it.")
    receipts = Receipts.read(args.against) if args.against else None
    workspace = Workspace(args.workspace)
    faults = workspace.verify(against=receipts) if args.verify else []
    if not faults:
        if args.export:
            text = json.dumps(workspace.export(), ensure_ascii=False, indent=1) + "\n"
            # a ledger of before can hold half characters: written as JSON escapes they are read back alike
            write_keeping(Path(args.export), text.encode("utf-8", "backslashreplace"))
        if args.json:
            values = workspace.to_dict()
            say_json({**values, "verified": True} if args.verify else values)
        else:
            _show(workspace)
            if args.export:
                say(f"{args.export} written; keep it outside of the workspace.")
    elif args.json:
        say_json({"verified": False, "faults": [str(fault) for fault in faults]})
    for fault in faults:
        remark(str(fault))
    if args.verify and not args.json:
        say("The ledger is broken; restore the workspace from a copy." if faults else "The ledger is whole.")
    return 3 if faults else 0


def _show(workspace: Workspace) -> None:
    for dataset in workspace.datasets():
        say(
            f"{dataset.name}: guaranteed is the cap, epsilon {float(dataset.cap_epsilon):g} at delta "
            f"{typed(dataset.cap_delta)}; charged epsilon {float(dataset.spent):.6g} together; left of "
            f"the cap {rounded_down(float(dataset.left)):.6g}; a next release may cost at most "
            f"{rounded_down(float(dataset.left_pure)):.6g} as 'pure', "
            f"{rounded_down(dataset.left_zcdp):.6g} as 'zcdp' "
            f"(unit {dataset.unit}, {dataset.neighbors.value})"
        )
        entries = workspace.entries(dataset)
        ended = {entry.release for entry in entries if entry.kind in (Kind.COMPLETE, Kind.FAIL)}
        for entry in entries:
            line = f"{entry.number:>7}  {entry.at}  {entry.kind.value:<8}  {entry.who:<12}"
            say(f"{line}  {_what(entry, ended)}")


def _what(entry: Entry, ended: set[str]) -> str:
    if entry.kind is Kind.REGISTER:
        return entry.why
    if entry.kind is Kind.FAIL:
        how = "cancelled" if entry.cancelled else f"failed ({entry.details.get('reason', 'unknown')})"
        return f"{entry.release[:8]}  {how}; stays charged"
    if entry.kind is Kind.COMPLETE:
        return f"{entry.release[:8]}  written"
    zcdp = f"rho {float(entry.cost.rho):.6g}"
    cost = zcdp if entry.cost.rho else f"epsilon {float(entry.cost.epsilon):.6g}"
    open_end = "" if entry.release in ended else "  (running, or stopped: stays charged)"
    of_what = "survey" if "survey" in entry.details else entry.details.get("title", "")
    return f"{entry.release[:8]}  {cost}  {'; '.join(filter(None, (of_what, entry.why)))}{open_end}"
