"""``hmpb survey``: buy bounds and categories for a codebook with a part of the cap."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hmpb_core.commands.codebook_remarks import report_suggested_rules
from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import (
    add_reading_options,
    add_table_options,
    open_private,
    parser_for,
    reading_from,
    with_reading,
)
from hmpb_core.commands.outputs import write_paid
from hmpb_core.errors import CancelledError, InputError, SourceError
from hmpb_core.plain_file import read_plain_text
from hmpb_core.provenance import Origin, provenance_of
from hmpb_core.publishing.files import require_place
from hmpb_core.publishing.findings import SURVEYS, findings_of
from hmpb_core.publishing.survey import about, carry_out_survey, prepare_survey
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.drafting import columns_of_rule
from hmpb_core.survey.wording import is_by_name

EXAMPLE = (
    "hmpb survey people.csv --codebook draft.json --workspace work --epsilon 0.1 -o people.codebook.json"
)
ANEW = "with a larger --epsilon, or alone with --only"
NAMED = 20
"""Columns that are named where noise hid more of them; all are in the codebook."""


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
    parser.add_argument(
        "--only",
        nargs="+",
        default=(),
        metavar="NAME",
        help="columns to survey alone, and anew if an earlier survey filled them in or left them out",
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
    require_place(out)
    workspace = Workspace(args.workspace)
    table = open_private(args, args.data).table
    commit = prepare_survey(
        table, schema, workspace, epsilon=args.epsilon, delta=args.delta, only=tuple(args.only)
    )
    if known := [name for name in findings_of(workspace, table) if name in commit.columns]:
        remark(
            f"An earlier survey found what {', '.join(map(repr, known))} hold: its fields are in "
            f"{args.workspace}/{SURVEYS}, paid for. This one pays for them again."
        )
    for line in commit.lines:
        say(line)
    if not args.yes:
        _confirm()
    progress = TerminalProgress()
    try:
        found, charge, mostly_other = carry_out_survey(
            commit, workspace, who=args.who, why=args.why, progress=progress
        )
    finally:
        progress.close()
    paid = {"kind": "survey", "entry": charge.number}
    asked = [field for field in found["fields"] if field["name"] in commit.columns]
    rest = [field for field in asked if field.get("source") != paid]
    kept = [field for field in rest if is_by_name(field)]
    before = [field for field in rest if provenance_of(field).origin is Origin.SURVEY]
    hidden = [field for field in rest if field not in kept and field not in before]
    if args.leave_out:
        for field in hidden:
            field["publish"] = False
            field.pop("source", None)  # of a guess: that it is left out is the steward's word now
    lost = _take_out_rules(found, {field["name"] for field in asked if field.get("publish") is False})
    found = with_reading(found, reading_from(args, kept=False).to_dict())
    write_paid(out, json.dumps(found, ensure_ascii=False, indent=1) + "\n", entry=charge.number)
    bought = [field for field in asked if field.get("source") == paid]
    as_they_were = "".join(
        f", {len(fields)} left as {words} ({_names(fields)})"
        for fields, words in ((kept, "their names suggest"), (before, "an earlier survey found them"))
        if fields
    )
    say(
        f"{args.out}: {len(bought)} of {len(commit.columns)} fields found{as_they_were}; ledger entry "
        f"{charge.number}."
    )
    _report_what_noise_hid(mostly_other, bought, hidden, left_out=args.leave_out)
    if lost:
        remark(
            f"Rules that name {', '.join(map(repr, lost))} are taken out of {args.out}: no rule can speak of "
            "a column that is not published."
        )
    report_suggested_rules(found)
    return 0


def _report_what_noise_hid(
    mostly_other: Mapping[str, float],
    bought: Sequence[Mapping[str, Any]],
    hidden: Sequence[Mapping[str, Any]],
    *,
    left_out: bool,
) -> None:
    if mostly_other:
        shares = ", ".join(f"{name!r} (about {about(share)})" for name, share in mostly_other.items())
        remark(
            f"Most rows will leave as '(other)' in {shares}: noise hid their categories. Declare the list "
            f"from public knowledge, as a questionnaire has it, or survey them again: {ANEW}. The parts "
            "follow from what was paid for and are not exact."
        )
    if small := [field for field in bought if _ends_at_one(field)]:
        remark(
            f"No number but 0 and 1 was found in {_names(small)}. Noise hides larger ones that few rows "
            "hold, as of amounts that are mostly 0; where there may be such, declare the largest: else they "
            "leave as 1."
        )
    if hidden:
        more = f" and {len(hidden) - NAMED} more" if len(hidden) > NAMED else ""
        done = "They are not published. Else" if left_out else "Leave them out with 'publish': false; or"
        remark(
            f"Noise hid what is in {_names(hidden[:NAMED])}{more}. {done} declare them from public "
            f"knowledge, or survey them again: {ANEW}."
        )


def _names(fields: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(repr(field["name"]) for field in fields)


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
