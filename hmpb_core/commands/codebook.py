"""``hmpb codebook``: draft a codebook."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from hmpb_core.commands.console import remark, say
from hmpb_core.commands.options import parser_for
from hmpb_core.errors import SourceError
from hmpb_core.sources.drafting import draft_from_header, draft_from_rows
from hmpb_core.sources.files import read_header, read_table

EXAMPLE = "hmpb codebook people.csv -o people.codebook.json"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "codebook", "Draft a codebook; every guess in it is marked.", EXAMPLE)
    parser.add_argument("data", help="the table, csv or Parquet")
    parser.add_argument("-o", "--out", required=True, metavar="CB", help="file to write")
    parser.add_argument(
        "--guess",
        action="store_true",
        help="also guess types, bounds and categories from the rows; nobody has declared them until you do",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    schema = (
        draft_from_rows(read_table(args.data)) if args.guess else draft_from_header(read_header(args.data))
    )
    try:
        Path(args.out).write_text(json.dumps(schema, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError:
        raise SourceError("{file!r} cannot be written; choose another file with -o.", file=args.out) from None
    say(f"{args.out}: {len(schema['fields'])} fields drafted, none of them declared yet.")
    if args.guess:
        remark(
            "Types, bounds and categories were read off the rows. Replace them with public knowledge and "
            "take 'declared: false' away: with guesses in the codebook nothing can be released."
        )
    else:
        remark(
            "Only the header was read. Give every field its categories, or a minimum and a maximum, from "
            "public knowledge and take 'declared: false' away; '--guess' fills them in from the rows."
        )
    return 0
