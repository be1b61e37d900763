"""``hmpb survey``: buy bounds and categories for a codebook with a part of the cap."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hmpb_core.commands.codebook import report_suggested_rules
from hmpb_core.commands.console import remark, say
from hmpb_core.commands.options import (
    add_reading_options,
    add_table_options,
    open_private,
    parser_for,
    reading_from,
    with_reading,
)
from hmpb_core.commands.outputs import write_keeping
from hmpb_core.errors import CancelledError, InputError, SourceError
from hmpb_core.plain_file import read_plain_text
from hmpb_core.publishing.findings import SURVEYS, findings_of
from hmpb_core.publishing.survey import carry_out_survey, prepare_survey
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.drafting import columns_of_rule
from hmpb_core.survey.wording import is_by_name

EXAMPLE = (
    "hmpb survey people.csv --codebook draft.json --workspace work --epsilon 0.1 -o people.codebook.json"
)


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "survey", EXAMPLE)
    parser.add_argument("data", help="the registered private table: a file, a folder, a glob or a URL")
    parser.add_argument("--codebook", required=True, help="a codebook or a draft of one (JSON)")
    parser.add_argument("--workspace", required=True, metavar="W", help="folder of the ledger")
    parser.add_argument("--epsilon", type=float, required=True, help="what the survey may cost, such as 0.1")
    parser.add_argument(
        "--delta", type=float, help="its delta (the cap's); 0 buys no texts but words of public lists"
    )
    parser.add_argument("-o", "--out", required=True, metavar="CB", help="codebook to write")
    parser.add_argument(
        "--leave-out", action="store_true", help="do not publish columns of which noise hides everything"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask: what is charged stays charged")
    parser.add_argument("--who", help="who surveys (the user)")
    parser.add_argument("--why", default="", help="for what purpose")
    add_table_options(parser)
    add_reading_options(parser)
    parser.set_defaults(run=run, completes="codebook")


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    try:
        schema = json.loads(read_plain_text(args.codebook))
    except (OSError, ValueError, RecursionError):
        raise SourceError(
            "The codebook {file!r} cannot be read; name a UTF-8 JSON file.", file=args.codebook
        ) from None
    if not isinstance(schema, dict):
        raise SourceError("The codebook {file!r} cannot be read; name a UTF-8 JSON file.", file=args.codebook)
    out = Path(args.out)
    if not out.parent.is_dir():
        raise SourceError("{file!r} cannot be written; choose another file with -o.", file=args.out)
    workspace = Workspace(args.workspace)
    table = open_private(args, args.data).table
    commit = prepare_survey(table, schema, workspace, epsilon=args.epsilon, delta=args.delta)
    if known := [name for name in findings_of(workspace, table) if name in commit.columns]:
        remark(
            f"An earlier survey found what {', '.join(map(repr, known))} hold: its fields are in "
            f"{args.workspace}/{SURVEYS}, paid for. This one pays for them again."
        )
    for line in commit.lines:
        say(line)
    if not args.yes:
        _confirm()
    found, charge = carry_out_survey(commit, workspace, who=args.who, why=args.why)
    paid = {"kind": "survey", "entry": charge.number}
    asked = [field for field in found["fields"] if field["name"] in commit.columns]
    kept = [field for field in asked if field.get("source") != paid and is_by_name(field)]
    hidden = [field for field in asked if field.get("source") != paid and not is_by_name(field)]
    if args.leave_out:
        for field in hidden:
            field["publish"] = False
    lost = _take_out_rules(found, {field["name"] for field in asked if field.get("publish") is False})
    found = with_reading(found, reading_from(args, kept=False).to_dict())
    write_keeping(out, (json.dumps(found, ensure_ascii=False, indent=1) + "\n").encode())
    bought = sum(field.get("source") == paid for field in asked)
    names = ", ".join(repr(field["name"]) for field in kept)
    as_named = f", {len(kept)} left as their names suggest ({names})" if kept else ""
    say(
        f"{args.out}: {bought} of {len(commit.columns)} fields found{as_named}; ledger entry {charge.number}."
    )
    if small := [field["name"] for field in asked if field.get("source") == paid and _ends_at_one(field)]:
        remark(
            f"No number but 0 and 1 was found in {', '.join(map(repr, small))}. Noise hides larger ones that "
            "few rows hold, as of amounts that are mostly 0; where there may be such, declare the largest: "
            "else they leave as 1."
        )
    if hidden:
        names = ", ".join(repr(field["name"]) for field in hidden)
        left_out = "They are not published. Else"
        done = left_out if args.leave_out else "Leave them out with 'publish': false; or"
        remark(
            f"Noise hid what is in {names}. {done} declare them from public knowledge, or survey them again, "
            "with a larger --epsilon or alone."
        )
    if lost:
        remark(
            f"Rules that name {', '.join(map(repr, lost))} are taken out of {args.out}: no rule can speak of "
            "a column that is not published."
        )
    report_suggested_rules(found)
    return 0


def _ends_at_one(field: Mapping[str, Any]) -> bool:
    limits = field.get("constraints", {})
    return "categories" not in field and (limits.get("minimum"), limits.get("maximum")) == (0, 1)


def _take_out_rules(schema: dict[str, Any], unpublished: set[str]) -> list[str]:
    """Take rules out that name columns which the survey left unpublished; give these columns."""
    rules = schema.get("rules")
    if not isinstance(rules, list):
        return []
    named = [columns_of_rule(rule) if isinstance(rule, Mapping) else set() for rule in rules]
    schema["rules"] = [rule for rule, names in zip(rules, named, strict=True) if not names & unpublished]
    return sorted(set().union(*named) & unpublished)


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise InputError("A survey asks before it spends, and nobody can answer here; add --yes.")
    remark("Type 'survey' to spend this:")
    if sys.stdin.readline().strip() != "survey":
        raise CancelledError
