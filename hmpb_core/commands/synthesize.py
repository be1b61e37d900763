"""``hmpb synthesize``: a table in, a synthetic table and an account of it out."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import (
    add_option,
    add_plan_options,
    add_reading_options,
    parser_for,
    plan_from,
    read_codebook,
    reading_from,
    seed_of,
)
from hmpb_core.commands.party_files import add_party_options, parties_from
from hmpb_core.commands.replicate_files import require_empty, write_replicates
from hmpb_core.errors import InputError, PrivacyError, SourceError, typed
from hmpb_core.model import Model
from hmpb_core.pipeline import synthesize
from hmpb_core.planning.options import option
from hmpb_core.publishing.tables import csv_of
from hmpb_core.publishing.workspace import LEDGER_FILE, Workspace
from hmpb_core.replication import require_count
from hmpb_core.sources.base import TableSource
from hmpb_core.sources.files import read_table
from hmpb_core.sources.open import open_source

EXAMPLE = "hmpb synthesize people.csv --codebook people.codebook.json --epsilon 1 --out out"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(
        commands, "synthesize", "Make a differentially private synthetic table (without a ledger).", EXAMPLE
    )
    parser.add_argument("data", nargs="?", help="the private table, csv or Parquet")
    add_party_options(parser)
    parser.add_argument("--codebook", required=True, help="its public codebook (JSON)")
    add_plan_options(parser)
    add_option(parser, option("rows"))
    parser.add_argument(
        "--seed", type=seed_of, help="make the run repeatable; its output is then not releasable"
    )
    parser.add_argument(
        "--out",
        required=True,
        metavar="OUT",
        help="folder for data.csv and run.json, or a file NAME.csv, with NAME.run.json beside it",
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
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    codebook = read_codebook(args.codebook)
    out = Path(args.out)
    is_file = out.suffix.lower() == ".csv" and not out.is_dir()
    if args.replicates is not None and is_file:
        raise InputError("Replicates are files beside the table; name a folder with --out.")
    if args.replicates is not None:
        require_count(args.replicates)
        require_empty(out / "replicates")
    progress = TerminalProgress()
    try:
        progress(0.0, "reading")
        parties = parties_from(args, codebook, lambda frame: _registered(frame, args.workspace))
        source: TableSource
        if parties is not None:
            source, registered = parties.source, parties.registered
        else:
            frame = read_table(args.data, reading=reading_from(args))
            registered = _registered(frame, args.workspace)
            source = open_source(frame, codebook)
        plan = plan_from(args, codebook.domain, n_rows=source.n_rows)
        model, sampled = synthesize(source, plan, seed=args.seed, progress=progress)
    finally:
        progress.close()
    account = model.to_dict()
    account["releasable"] = False  # nothing here is charged: only a ledger knows what else was spent
    account["registered_as"] = registered
    if parties is not None:
        account["parties"] = parties.account(plan.guarantee)
    account["replicates"] = args.replicates or 0
    data = out if is_file else out / "data.csv"
    run_file = out.with_suffix(".run.json") if is_file else out / "run.json"
    try:
        data.parent.mkdir(parents=True, exist_ok=True)
        with _replacing(data) as part:
            part.write_bytes(csv_of(sampled))
        with _replacing(run_file) as part:
            part.write_text(json.dumps(account, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError:
        raise SourceError(
            "{file!r} cannot be written; choose another place with --out.", file=args.out
        ) from None
    if args.replicates is not None:
        _replicate(model, codebook, args, out / "replicates")
    _report(
        model,
        (data, run_file),
        seconds=sum(model.seconds.values()),
        undeclared=sorted(codebook.undeclared),
        registered=registered,
    )
    return 0


def _replicate(model: Model, codebook: Codebook, args: argparse.Namespace, folder: Path) -> None:
    progress = TerminalProgress()
    rng = np.random.default_rng(None if args.seed is None else [args.seed, 1])
    try:
        write_replicates(model, codebook, args.replicates, folder, rows=args.rows, rng=rng, progress=progress)
    finally:
        progress.close()
    say(f"{folder}: {args.replicates} replicates; give the same estimate on each to hmpb_core.combine.")


def _report(
    model: Model, written: tuple[Path, Path], *, seconds: float, undeclared: list[str], registered: str | None
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
    remark(f"Not releasable: {_why(model, undeclared)}.")
    if registered:
        remark(
            f"This table is registered as {registered!r}: this run is outside of its ledger and its lifetime "
            "cap. What it wrote must not leave."
        )


def _why(model: Model, undeclared: list[str]) -> str:
    if model.bill.total is None:
        return "nothing protects the people in it"
    if model.plan.spec.protection == "published":
        return "the accounting 'as-published' is for study beside the papers"
    if undeclared:
        return f"the codebook's entry for {undeclared[0]!r} is a guess; confirm it from public knowledge"
    if not model.private:
        return "the run was seeded, so its noise can be subtracted"
    return "no ledger was charged; register the table and use 'hmpb release'"


def _registered(frame: pd.DataFrame, workspace: str | None) -> str | None:
    """The name under which a workspace knows the table; None where there is none."""
    if not workspace:
        workspace = os.environ.get("HMPB_WORKSPACE", "")
        if not workspace or not (Path(workspace) / LEDGER_FILE).is_file():
            return None
    try:
        return Workspace(workspace).find(frame).name
    except PrivacyError:
        return None


class _replacing:  # noqa: N801 - reads as a verb
    """Write beside the target and move into place, so that nothing is half written."""

    def __init__(self, target: Path) -> None:
        self._target = target

    def __enter__(self) -> Path:
        handle, name = tempfile.mkstemp(dir=self._target.parent, prefix=f".{self._target.name}.")
        os.close(handle)
        self._part = Path(name)
        return self._part

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        if kind is None:
            self._part.chmod(0o644)
            self._part.replace(self._target)
        else:
            self._part.unlink(missing_ok=True)
