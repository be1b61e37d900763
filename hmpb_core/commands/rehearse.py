"""``hmpb rehearse``: everything a plan does, on a stand-in, free of charge."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np

from hmpb_core.acceptance.marks import Marks
from hmpb_core.catalogue import Phrase
from hmpb_core.codebook import Codebook
from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import (
    add_language_option,
    add_reading_options,
    bundle_at,
    parser_for,
    read_codebook,
    reading_from,
    seed_of,
)
from hmpb_core.commands.outputs import write_keeping
from hmpb_core.errors import InputError, NotPrivateError, PrivacyError, counted
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.model_files import model_of_bundle
from hmpb_core.publishing.rehearsal import rehearse, rehearse_marks
from hmpb_core.publishing.words.catalogue import ENGLISH
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.base import TableSource
from hmpb_core.sources.files import read_table
from hmpb_core.sources.open import open_source
from hmpb_core.sources.people import require_unpublished
from hmpb_core.sources.simulated import simulated_source

EXAMPLE = (
    "hmpb rehearse --codebook people.codebook.json --plan people.plan.toml --simulate 0.5 --rows 5000 "
    "--out try.zip"
)
DEFAULT_ROWS = 10_000


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "rehearse", EXAMPLE)
    parser.add_argument("--codebook", required=True, help="the public codebook (JSON)")
    parser.add_argument("--plan", required=True, help="the plan (TOML)")
    stand_in = parser.add_mutually_exclusive_group(required=True)
    stand_in.add_argument("--public", metavar="FILE", help="a public table with the codebook's columns")
    stand_in.add_argument("--simulate", type=float, metavar="S", help="simulate; dependence strength 0 to 1")
    stand_in.add_argument("--bundle", metavar="BUNDLE.zip", help="an earlier release of the same codebook")
    parser.add_argument("--rows", type=int, metavar="N", help=f"rows of the stand-in ({DEFAULT_ROWS})")
    parser.add_argument(
        "--workspace",
        metavar="W",
        default=os.environ.get("HMPB_WORKSPACE"),
        help="refuse a table that is registered here as private (HMPB_WORKSPACE)",
    )
    parser.add_argument(
        "--unit", metavar="row|COLUMN:m", help="unit of protection, where the plan leaves it to the data set"
    )
    parser.add_argument("--replicates", type=int, default=1, metavar="R", help="synthetic tables (1)")
    parser.add_argument(
        "--marks",
        metavar="FILE",
        help="pass marks (TOML): rehearse one try of 'hmpb release --marks', and say which marks it meets",
    )
    parser.add_argument("--seed", type=seed_of, help="make the rehearsal repeatable")
    parser.add_argument(
        "-o", "--out", required=True, metavar="BUNDLE.zip", help="watermarked bundle to write"
    )
    add_language_option(parser)
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    codebook = read_codebook(args.codebook)
    plan_file = PlanFile.read(args.plan)
    if args.unit:
        unit = Unit.parse(args.unit)
        plan_file = plan_file.under(unit)
        require_unpublished(unit, codebook.domain)
    if args.public and not args.workspace and not plan_file.plan.spec.releasable:
        raise NotPrivateError(
            "The plan does not protect the rows of {file!r}, and nothing shows that they are public; name "
            "the workspace with --workspace so that a registered table is refused, or use --simulate.",
            file=Path(args.public).name,
        )
    marks = Marks.read(args.marks) if args.marks else None
    if marks is not None:
        if args.seed is not None or args.replicates != 1:
            raise InputError("--marks rehearses one try; leave --seed and --replicates out.")
        return _with_marks(args, codebook, plan_file, marks)
    source, stand_in = _stand_in(args, codebook)
    progress = TerminalProgress()
    try:
        _, bundle = rehearse(
            source,
            codebook,
            plan_file,
            stand_in=stand_in,
            replicates=args.replicates,
            language=args.language,
            seed=args.seed,
            progress=progress,
        )
    finally:
        progress.close()
    write_keeping(Path(args.out), bundle.zipped())
    say(f"{args.out} written from {ENGLISH.say(stand_in)}; nothing was charged.")
    _say_what_it_tells(codebook)
    return 0


def _say_what_it_tells(codebook: Codebook) -> None:
    if codebook.public:
        remark("It is a rehearsal: it says nothing about the private table.")
    else:
        remark(
            "It is a rehearsal with a codebook of guesses, which were read off the rows: what it says of the "
            "private table is not protected, so it stays with you. Declare each guess, or buy it by a survey."
        )


def _with_marks(args: argparse.Namespace, codebook: Codebook, plan_file: PlanFile, marks: Marks) -> int:
    source, stand_in = _stand_in(args, codebook)
    progress = TerminalProgress()
    try:
        done, bundle = rehearse_marks(
            source,
            codebook,
            plan_file,
            marks,
            stand_in=stand_in,
            language=args.language,
            progress=progress,
        )
    finally:
        progress.close()
    write_keeping(Path(args.out), bundle.zipped())
    say(f"{args.out} written from {ENGLISH.say(stand_in)}; nothing was charged.")
    for of in done.reached:
        verdict = "met" if of.met else "MISSED"
        spare = f"{counted(round(of.slack), 'row', 'rows')} to spare"
        say(f"{of.mark:<20} agreed {of.asked:<8g} reached {of.value:<9.4g} {spare}  {verdict}")
    say(f"If every try were as good, a search would pass with a chance of {done.chance:.0%}.")
    _say_what_it_tells(codebook)
    return 0


def _stand_in(args: argparse.Namespace, codebook: Codebook) -> tuple[TableSource, Phrase]:
    rng = np.random.default_rng(args.seed)
    if args.simulate is not None:
        n_rows = args.rows or DEFAULT_ROWS
        source = simulated_source(codebook.domain, n_rows, args.simulate, rng, codebook.rules)
        return source, Phrase("stand_in.simulated", {"strength": args.simulate})
    if args.bundle:
        model = model_of_bundle(bundle_at(args.bundle))
        if not model.codebook.public:  # else its lists and bounds would come back as nobody's
            raise NotPrivateError(
                "The bundle {file!r} was made with guesses that were read off the rows, so it is no release, "
                "and its rows tell of the private table. Give an earlier release, or --simulate.",
                file=Path(args.bundle).name,
            )
        return open_source(model.sample(args.rows, rng=rng), codebook), Phrase("stand_in.bundle")
    frame = read_table(args.public, reading=reading_from(args, kept=False))
    if args.workspace:
        try:
            name = Workspace(args.workspace).find(frame).name
        except PrivacyError:
            pass
        else:
            raise NotPrivateError(
                "This table is registered as the private data set {name!r}; rehearse on a public or "
                "simulated one.",
                name=name,
            )
    return open_source(frame, codebook), Phrase("stand_in.public")
