"""``hmpb answers``: the form for what only the steward knows about a release."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hmpb_core.commands.console import say
from hmpb_core.commands.options import parser_for
from hmpb_core.publishing.answers import Answers
from hmpb_core.publishing.files import require_new, write_whole

EXAMPLE = "hmpb answers -o answers.toml"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "answers", EXAMPLE)
    parser.add_argument("-o", "--out", default="answers.toml", metavar="FILE", help="form to write")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    out = Path(args.out)
    require_new(out)
    write_whole(out, Answers().to_toml().encode())
    say(f"{out} written. Fill it in; 'hmpb release --answers {out}' puts it into the bundle.")
    return 0
