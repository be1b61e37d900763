"""Options that several commands share, and the plan they describe."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import get_args

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.planning.methods import DEFAULT_METHOD, METHOD_NAMES, Accounting, MeasureChoice
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Currency, Neighbors
from hmpb_core.sources.files import FileReading
from hmpb_core.synthesis import make_plan


def parser_for(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str, example: str
) -> argparse.ArgumentParser:
    """Add a command with its summary and an example in its help."""
    return commands.add_parser(
        name,
        help=summary,
        description=summary,
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    """Add every option that makes a plan."""
    parser.add_argument(
        "--epsilon", type=float, required=True, help="bound on the privacy loss, for the whole table"
    )
    parser.add_argument(
        "--delta", type=float, help="probability with which the bound may fail (zcdp only; 1e-9)"
    )
    parser.add_argument(
        "--guarantee",
        choices=[c.value for c in Currency],
        help="zcdp (default) or pure (as-published: always pure)",
    )
    parser.add_argument(
        "--neighbors",
        choices=[n.value for n in Neighbors],
        default=Neighbors.REPLACE_ONE.value,
        help="which two tables must be hard to tell apart (replace-one)",
    )
    parser.add_argument(
        "--accounting",
        "--profile",
        dest="accounting",
        choices=[p.value for p in Accounting],
        default=Accounting.SOUND.value,
        help="sound: every stage paid in full (default); as-published: the paper itself, never releasable",
    )
    parser.add_argument("--method", choices=METHOD_NAMES, default=DEFAULT_METHOD)
    parser.add_argument("--similarity", choices=list(get_args(MeasureChoice)), default="auto")
    parser.add_argument(
        "--clusters", type=int, metavar="K", help="number of clusters (chosen by a public rule)"
    )
    parser.add_argument("--parents", type=int, metavar="L", help="largest number of parents")
    parser.add_argument(
        "--gamma", type=float, metavar="G", help="strength of the risk weights; 0 for uniform noise"
    )
    parser.add_argument("--eta", type=float, help="pruning of candidate pairs, 0 to 1")
    parser.add_argument("--sigma", type=float, help="width of the affinity in the spectral clustering")
    parser.add_argument(
        "--shares",
        metavar="STAGE=SHARE,..",
        help="shares of the one-way tables, similarity, structure and conditional tables; sum 1",
    )


def plan_from(args: argparse.Namespace, domain: Domain, *, n_rows: int | None) -> Plan:
    """Make the plan that the options describe.

    Raises:
        PlanError: the options contradict each other.
    """
    return make_plan(
        guarantee_of(args.guarantee, args.epsilon, args.delta, args.neighbors, accounting=args.accounting),
        domain,
        n_rows=n_rows,
        method=args.method,
        accounting=Accounting(args.accounting),
        clusters=args.clusters,
        shares=Shares.parse(args.shares) if args.shares else None,
        similarity=args.similarity,
        max_parents=args.parents,
        gamma=args.gamma,
        eta=args.eta,
        sigma=args.sigma,
        rows=getattr(args, "rows", None),
    )


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that tell how a table's file is written."""
    parser.add_argument(
        "--sheet", metavar="NAME", help="worksheet of a workbook (the first that holds something)"
    )
    parser.add_argument(
        "--encoding", metavar="ENC", help="encoding of a text file, such as cp1252 (detected)"
    )
    parser.add_argument(
        "--delimiter", metavar="D", help="comma, semicolon, tab, bar or the character itself (detected)"
    )
    parser.add_argument("--decimal", metavar="M", help="decimal mark: point or comma (detected)")
    parser.add_argument("--thousands", metavar="M", help="mark between thousands, or none (detected)")


def reading_from(args: argparse.Namespace, *, kept: bool = True) -> FileReading:
    """Take how a file is written: what the options say, else what the codebook keeps.

    Args:
        args: The options.
        kept: Whether the file is the one that the codebook was made for.

    Raises:
        SourceError: an option is impossible.
    """
    told = FileReading.told(
        encoding=args.encoding,
        delimiter=args.delimiter,
        decimal=args.decimal,
        thousands=args.thousands,
        sheet=args.sheet,
    )
    path = getattr(args, "codebook", None) if kept else None
    return told.over(reading_of_codebook(path)) if path else told


def reading_of_codebook(path: str) -> FileReading:
    """Read how a codebook says that its table's file is written."""
    try:
        schema = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return FileReading()  # reading the codebook itself says what is wrong with it
    return FileReading.from_dict(schema.get("reading")) if isinstance(schema, dict) else FileReading()


def read_codebook(path: str) -> Codebook:
    """Read the codebook named on the command line."""
    return Codebook.read(Path(path))
