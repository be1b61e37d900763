"""``hmpb synthesize``: a table in, a synthetic table and an account of it out."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from hmpb_core.codebook import Codebook
from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import (
    add_dialect_option,
    add_option,
    add_plan_options,
    add_reading_options,
    add_table_options,
    in_dialect,
    open_private,
    parser_for,
    plan_from,
    read_codebook,
    seed_of,
)
from hmpb_core.commands.outputs import keeping, require_folder_name
from hmpb_core.commands.party_files import add_party_options, parties_from, say_charges
from hmpb_core.commands.replicate_files import require_empty, say_apart, write_replicates
from hmpb_core.errors import InputError, PrivacyError, typed
from hmpb_core.model import Model
from hmpb_core.planning.options import option
from hmpb_core.progress import ByTime
from hmpb_core.publishing.files import write_whole
from hmpb_core.publishing.outside import lines_for
from hmpb_core.publishing.own_form import ENDINGS as OWN_FORMS
from hmpb_core.publishing.own_form import require_names
from hmpb_core.publishing.row_files import folder_out, require_workers, write_rows
from hmpb_core.publishing.trial import known_rows
from hmpb_core.publishing.workspace import LEDGER_FILE, Workspace
from hmpb_core.replication import require_count
from hmpb_core.sources.base import TableSource
from hmpb_core.sources.effort import effort_of
from hmpb_core.sources.files import PARQUET_ENDINGS
from hmpb_core.sources.locations import Opened, PrivateTable, workers_of
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source

EXAMPLE = "hmpb synthesize people.csv --codebook people.codebook.json --epsilon 1 --out out"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "synthesize", EXAMPLE)
    parser.add_argument("data", nargs="?", help="the private table: a file, a folder, a glob or a URL")
    add_party_options(parser)
    parser.add_argument("--codebook", required=True, help="its public codebook (JSON)")
    add_plan_options(parser)
    add_option(parser, option("rows"))
    parser.add_argument(
        "--seed", type=seed_of, help="make the run repeatable; its output is then not releasable"
    )
    parser.add_argument(
        "-o",
        "--out",
        required=True,
        metavar="OUT",
        help="folder for data.csv and run.json; or a file NAME.csv, .parquet, .xlsx, .sav (SPSS) or .dta "
        "(Stata), or NAME/ for a folder of Parquet parts (which Spark's executors write with --engine spark "
        "or spark://), with NAME.run.json beside it",
    )
    parser.add_argument(
        "--replicates",
        type=int,
        metavar="M",
        help="also write M replicates into OUT/replicates, for intervals (docs/replicates.md)",
    )
    parser.add_argument(
        "--workspace",
        metavar="W",
        help="say so if the table is registered here (HMPB_WORKSPACE)",
    )
    add_table_options(parser)
    add_reading_options(parser)
    add_dialect_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    begin = time.perf_counter()
    data, run_file, folder = _targets(args.out)
    codebook = in_dialect(read_codebook(args.codebook), args)
    require_names(codebook, data.suffix.lower())
    replicates = _replicates_at(args, data)
    progress = TerminalProgress()
    try:
        progress(0.0, "reading")
        parties = parties_from(args, codebook, lambda frame: _registered(frame, args.workspace))
        source: TableSource
        opened: Opened | None = None
        outside: list[str] = []
        if parties is not None:
            source, registered = parties.source, parties.registered
        else:
            opened = open_private(args, args.data)
            registered = _registered(opened.table, args.workspace)
            source = open_source(opened.table, codebook)
            outside = lines_for(opened.table, codebook)
        workers = workers_of(opened) if folder else None
        require_workers(workers, data)
        plan = plan_from(args, codebook.domain, n_rows=source.n_rows)
        told = ByTime(
            progress,
            columns=len(codebook.domain),
            rows=known_rows(plan, source.n_rows),
            redrawn=codebook.rules.redraw,
        )
        model = fit_source(source, plan, seed=args.seed, progress=told)
        account = model.to_dict()
        account["releasable"] = False  # nothing here is charged: only a ledger knows what else was spent
        account |= {
            "codebook_public": codebook.public,
            "seeded": args.seed is not None,
            "registered_as": registered,
            "replicates": args.replicates or 0,
        }
        if parties is not None:
            account["parties"] = parties.account(
                plan.guarantee, may_leave=model.releasable and codebook.public
            )
        rng = np.random.default_rng(args.seed)
        rows = model.plan.rows or model.n_rows
        told.write(rows)
        with keeping(data, run_file, folders=folder):
            try:
                write_rows(
                    data,
                    model,
                    rows,
                    rng=rng,
                    folder=folder,
                    codebook=codebook,
                    workers=workers,
                    progress=told,
                )
            finally:
                progress.close()
            account |= effort_of(opened)
            write_whole(run_file, (json.dumps(account, ensure_ascii=False, indent=1) + "\n").encode())
    finally:
        progress.close()
    for line in outside:
        remark(line)
    if args.replicates is not None:
        _replicate(model, codebook, args, replicates)
    _report(
        model,
        (data, run_file),
        seconds=time.perf_counter() - begin,
        guess=_guess_in(codebook),
        registered=registered,
        owners=parties.count if parties is not None else 1,
    )
    if parties is not None and model.releasable and codebook.public:
        say_charges(model.plan.guarantee)
    return 0


def _replicate(model: Model, codebook: Codebook, args: argparse.Namespace, folder: Path) -> None:
    progress = TerminalProgress()
    rng = np.random.default_rng(None if args.seed is None else [args.seed, 1])
    try:
        write_replicates(model, codebook, args.replicates, folder, rows=args.rows, rng=rng, progress=progress)
    finally:
        progress.close()
    say(f"{folder}: {args.replicates} replicates; give the same estimate on each to hmpb_core.combine.")
    say_apart(model)


def _targets(out: str) -> tuple[Path, Path, bool]:
    """Where the rows and their account go, and whether the rows are a folder of parts.

    Raises:
        InputError: it is named like a file of another kind.
    """
    path, folder = Path(out), folder_out(out)
    ending = next((e for e in (".csv", *PARQUET_ENDINGS, *OWN_FORMS) if path.name.lower().endswith(e)), "")
    if folder or (ending and not path.is_dir()):
        name = path.name[: len(path.name) - len(ending)] if ending else path.name
        return path, path.with_name(f"{name}.run.json"), folder
    require_folder_name(path, "a .csv, .parquet, .xlsx, .sav or .dta file, or a folder")
    return path / "data.csv", path / "run.json", False


def _replicates_at(args: argparse.Namespace, data: Path) -> Path:
    """Where replicates go, if there are to be some."""
    folder = data.parent / "replicates"
    if args.replicates is not None:
        if data.name != "data.csv" or Path(args.out) == data:
            raise InputError("Replicates are files beside the table; name a folder with --out.")
        require_count(args.replicates)
        require_empty(folder)
    return folder


def _report(
    model: Model,
    written: tuple[Path, Path],
    *,
    seconds: float,
    guess: str | None,
    registered: str | None,
    owners: int,
) -> None:
    bill = model.bill
    say(f"{written[0]} and {written[1]} written in {seconds:.1f} s.")
    total = "no protection at all" if bill.total is None else f"epsilon {bill.total:.4g}"
    if model.plan.guarantee.delta and bill.total is not None:
        total += f" (delta {typed(model.plan.guarantee.delta)})"
    neighbors = model.plan.guarantee.neighbors.value
    say(f"True cost: {total}; asked for epsilon {bill.nominal:g}, neighbours {neighbors}.")
    for item in bill.unpaid:
        remark(f"Unpaid: {item}.")
    remark(f"Not releasable: {_why(model, guess, owners)}.")
    if registered:
        remark(
            f"This table is registered as {registered!r}: this run is outside of its ledger and its lifetime "
            "cap. What it wrote must not leave."
        )


def _why(model: Model, guess: str | None, owners: int) -> str:
    if model.bill.total is None:
        return "nothing protects the people in it"
    if model.plan.spec.protection == "published":
        return "the accounting 'as-published' is for study beside the papers"
    if guess:
        return f"the codebook's {guess} is a guess; confirm it from public knowledge"
    if not model.private:
        return "the run was seeded, so its noise can be subtracted"
    if owners > 1:
        return f"whether each of the {owners} owners has charged its ledger, only they can see"
    return "no ledger was charged; register the table and use 'hmpb release'"


def _guess_in(codebook: Codebook) -> str | None:
    """What of a codebook was read off the rows and declared by nobody."""
    if codebook.undeclared:
        return f"entry for {min(codebook.undeclared)!r}"
    rules = codebook.rules.undeclared
    return f"rule “{rules[0].words}”" if rules else None


def _registered(frame: PrivateTable, workspace: str | None) -> str | None:
    """The name under which a workspace knows the table; None where there is none."""
    if not workspace:
        workspace = os.environ.get("HMPB_WORKSPACE", "")
        if not workspace or not (Path(workspace) / LEDGER_FILE).is_file():
            return None
    try:
        return Workspace(workspace).find(frame).name
    except PrivacyError:
        return None
