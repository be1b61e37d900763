"""``hmpb anonymize``: a table in, a p-sensitive k-anonymous table out. Not differential privacy."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hmpb_core.anonymize.anonymizer import GUARANTEE, Anonymized, Request, anonymize
from hmpb_core.anonymize.partition import Method
from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import (
    QUOTED,
    add_reading_options,
    names_of,
    parser_for,
    read_codebook,
    reading_from,
    seed_of,
)
from hmpb_core.commands.outputs import keeping, require_folder_name
from hmpb_core.errors import SourceError
from hmpb_core.publishing.files import write_whole
from hmpb_core.publishing.tables import CsvForm, csv_of
from hmpb_core.publishing.zones import Zone
from hmpb_core.sources.files import read_table

EXAMPLE = (
    "hmpb anonymize people.csv --codebook people.codebook.json --method maasae --k 8 --p 5 "
    "--sensitive occupation --quasi age,sex,education --out out"
)


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "anonymize", EXAMPLE)
    parser.add_argument("data", help="the private table: a file")
    parser.add_argument("--codebook", required=True, help="its public codebook (JSON)")
    parser.add_argument(
        "--method",
        choices=[m.value for m in Method],
        default=Method.MAASAE.value,
        help=f"how rows are put together ({Method.MAASAE.value})",
    )
    parser.add_argument("--k", type=int, required=True, help="smallest number of rows that look the same")
    parser.add_argument(
        "--p", type=int, required=True, help="smallest number of different sensitive values among them"
    )
    parser.add_argument(
        "--sensitive", required=True, metavar="NAME", help="what nobody is to learn of a person"
    )
    parser.add_argument(
        "--quasi",
        required=True,
        metavar="A,B,..",
        help=f"what may be known of a person from elsewhere{QUOTED}",
    )
    parser.add_argument("--seed", type=seed_of, help="make the run repeatable")
    parser.add_argument("-o", "--out", required=True, metavar="DIR", help="folder for data.csv and run.json")
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    out = Path(args.out)
    require_folder_name(out, "a folder for data.csv and run.json")
    codebook = read_codebook(args.codebook)
    request = Request(
        method=Method(args.method),
        k=args.k,
        p=args.p,
        quasi=tuple(names_of(args.quasi)),
        sensitive=args.sensitive,
    )
    progress = TerminalProgress()
    try:
        progress(0.0, "reading")
        result = anonymize(
            read_table(args.data, reading=reading_from(args)),
            codebook,
            request,
            rng=np.random.default_rng(args.seed),
            progress=progress,
        )
    finally:
        progress.close()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise SourceError(
            "{out!r} cannot be written; choose another place with --out.", out=args.out
        ) from None
    account = json.dumps(account_of(result, request, seed=args.seed), ensure_ascii=False, indent=1)
    data, run_file = out / "data.csv", out / "run.json"
    with keeping(data, run_file):
        write_whole(data, csv_of(result.table, CsvForm.of(replace(codebook, answers={}))))
        write_whole(run_file, (account + "\n").encode())
    figures = result.figures
    say(f"{data} and {run_file} written in {result.seconds:.1f} s.")
    say(
        f"{figures.n_classes} classes, verified: at least {request.k} rows and {request.p} values of "
        f"{request.sensitive!r} in each."
    )
    say(f"AVG-IL {figures.avg_il:.4f}, AVG-Ent {figures.avg_ent:.4f} bits, C_AVG {figures.c_avg:.3f}.")
    remark("This is not differential privacy: it does not protect against what a reader knows already.")
    remark(f"The figures, and {run_file.name}, compare it with the real rows: keep them inside.")
    return 0


def account_of(result: Anonymized, request: Request, *, seed: int | None) -> dict[str, Any]:
    """What run.json says; no budget is spent, so none is named."""
    figures = result.figures
    return {
        "zone": Zone.STEWARD_ONLY.value,
        "guarantee": GUARANTEE,
        "differentially_private": False,
        "method": request.method.value,
        "k": request.k,
        "p": request.p,
        "sensitive": request.sensitive,
        "quasi": list(request.quasi),
        "seed": seed,
        "avg_il": figures.avg_il,
        "avg_ent": figures.avg_ent,
        "c_avg": figures.c_avg,
        "classes": figures.n_classes,
        "seconds": result.seconds,
    }
