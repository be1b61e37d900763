"""``hmpb attack``: attack runs of a plan on the private table, for the steward's eyes only."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from hmpb_core.audit.bounds import Rate
from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import (
    add_plan_or_options,
    add_reading_options,
    parser_for,
    plan_from,
    plan_given,
    read_codebook,
    reading_from,
)
from hmpb_core.commands.outputs import write_keeping
from hmpb_core.encoding import encode
from hmpb_core.errors import PlanError
from hmpb_core.sources.files import read_table

EXAMPLE = "hmpb attack people.csv --codebook people.codebook.json --epsilon 1 --sensitive income"
COPIES = (
    "Copies prove nothing: common rows are copied whether or not they were in, and a release without any "
    "copy can give everything away."
)


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "attack", EXAMPLE)
    parser.add_argument("real", help="the private table")
    parser.add_argument("--codebook", required=True, help="its public codebook (JSON)")
    add_plan_or_options(parser)
    parser.add_argument("--sensitive", metavar="NAME", help="attribute to be inferred")
    parser.add_argument("--runs", type=int, metavar="R", help="how often the plan is run (20)")
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON")
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    from hmpb_core.audit.report import RUNS, attack_report

    codebook = read_codebook(args.codebook)
    codes = encode(read_table(args.real, reading=reading_from(args)), codebook)
    if args.plan:
        plan = plan_given(args, codebook)
    elif args.epsilon is None:
        raise PlanError("There is no limit to attack; give --plan or --epsilon.")
    else:
        plan = plan_from(args, codebook.domain, n_rows=len(codes) // 2)
    if not plan.spec.releasable:
        raise PlanError("The plan does not keep a limit, so there is no ceiling; attack a releasable plan.")
    progress = TerminalProgress()
    try:
        found = attack_report(
            codes,
            codebook.domain,
            plan,
            rng=np.random.default_rng(),
            sensitive=args.sensitive,
            runs=args.runs or RUNS,
            progress=progress,
        )
    finally:
        progress.close()
    say(
        f"{'attack':<20} {'aimed at':>9} {'on rows left out':>24} {'on rows that were in':>24} {'ceiling':>9}"
    )
    for point in found.points:
        aimed = "-" if point.asked is None else f"{100 * point.asked:g} %"
        ceiling = "-" if point.ceiling is None else f"{100 * point.ceiling:.2f} %"
        verdict = "  ABOVE ITS CEILING" if point.breaks else ""
        rates = f"{_interval(point.false_alarms):>24} {_interval(point.caught):>24}"
        say(f"{point.attack:<20} {aimed:>9} {rates} {ceiling:>9}{verdict}")
    if found.inferred:
        inferred = found.inferred
        say(
            f"{inferred.attribute}: inferred of {100 * inferred.point.caught.value:.1f} % of the rows in the "
            f"table, of {100 * inferred.point.false_alarms.value:.1f} % of rows left out; who always names "
            f"the commonest value is right of {100 * inferred.commonest:.1f} %."
        )
    say(COPIES)
    if args.json:
        write_keeping(
            Path(args.json), (json.dumps(found.to_dict(), indent=1, ensure_ascii=False) + "\n").encode()
        )
    remark("These figures look at the real rows without noise: keep them inside.")
    if not found.breaks:
        return 0
    for point in found.breaks:
        remark(
            f"The attack '{point.attack}' stands above what the guarantee allows: release nothing with this "
            "plan and this version, keep the figures, and report it as SECURITY.md says."
        )
    return 1


def _interval(rate: Rate) -> str:
    return f"{100 * rate.value:.2f} % ({100 * rate.low:.2f}-{100 * rate.high:.2f})"
