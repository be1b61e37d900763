"""``hmpb accuracy``: what readers of a bundle may count on, from the bundle's own files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hmpb_core.commands.console import say, say_json
from hmpb_core.commands.options import bundle_at, parser_for
from hmpb_core.commands.outputs import write_keeping
from hmpb_core.publishing.accuracy import accuracy_of
from hmpb_core.publishing.model_files import model_of_bundle

EXAMPLE = "hmpb accuracy people.zip --json"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "accuracy", EXAMPLE)
    parser.add_argument("bundle", help="a release bundle (zip)")
    parser.add_argument("--rows", type=int, metavar="N", help="rows that will be drawn (as many as it holds)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("-o", "--out", metavar="FILE.html", help="write the bundle's page as well")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    files = bundle_at(args.bundle)
    sheet = accuracy_of(files, rows=args.rows or model_of_bundle(files).n_rows)
    if args.json:
        say_json(sheet.to_dict())
    else:
        say(sheet.headline())
        say("Do not use it for:")
        for line in sheet.avoid():
            say(f"- {line}")
    if args.out:
        write_keeping(Path(args.out), files["accuracy.html"])
    return 0
