"""``hmpb bench``: a paper's table or figure, measured anew; how fast this machine is."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmpb_core.commands.console import TerminalProgress, remark, say
from hmpb_core.commands.options import parser_for
from hmpb_core.errors import PlanError, SourceError

if TYPE_CHECKING:
    from hmpb_core.experiments.base import Experiment

EXAMPLE = "hmpb bench nb-fig1 --data papers --out bench"
ALL = "all"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "bench", EXAMPLE)
    parser.add_argument(
        "name",
        help="table1, fig4 to fig6, nb-fig1 to nb-fig4, maasae-table5, maasae-fig2 to maasae-fig7, or all of "
        "these; speed, scale",
    )
    parser.add_argument(
        "--data", metavar="DIR", help="folder of the papers' data sets; speed and scale need none"
    )
    parser.add_argument("-o", "--out", required=True, metavar="DIR", help="folder for results and figures")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes (2)")
    parser.add_argument("--quick", action="store_true", help="a few cells on few rows: tries the whole path")
    parser.add_argument(
        "--rows",
        type=int,
        nargs="+",
        metavar="N",
        help="a sample of so many rows of each table (several for fig4, speed and scale)",
    )
    parser.add_argument("--most", type=int, metavar="N", help="measure N cells at most, then write")
    parser.add_argument(
        "--minutes", type=float, metavar="M", help="begin no cell after M minutes, then write"
    )
    parser.add_argument("--page", metavar="FILE.md", help="put the sections into this page too")
    parser.add_argument("--as-is", action="store_true", help="measure nothing; write what is measured")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    from hmpb_core.experiments.registry import EXPERIMENTS
    from hmpb_core.experiments.runner import frame_of, kept_in, read_cells
    from hmpb_core.experiments.runner import run as measure
    from hmpb_core.experiments.writing import put_section, section, write_results

    if args.name != ALL and args.name not in EXPERIMENTS:
        raise PlanError(
            "There is no experiment {met!r}; choose one of {allowed}.",
            met=args.name,
            allowed=", ".join([*EXPERIMENTS, ALL]),
        )
    names = [n for n, e in EXPERIMENTS.items() if not e.of_machine] if args.name == ALL else [args.name]
    experiments = [_sized(EXPERIMENTS[name], args.rows) for name in names]
    if args.data is None and not all(experiment.of_machine or args.as_is for experiment in experiments):
        raise PlanError("Name the folder of the papers' data sets with --data.")
    if min(args.most or 1, args.minutes or 1) <= 0:
        raise PlanError("--most and --minutes must be above 0.")
    if args.workers < 1:
        raise PlanError("workers is {workers}; it must be at least 1.", workers=args.workers)
    out = Path(args.out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise SourceError(
            "{file!r} cannot be written; choose another place with --out.", file=args.out
        ) from None
    for name, experiment in zip(names, experiments, strict=True):
        if args.as_is:
            kept = kept_in(experiment, out, quick=args.quick)
            frame = frame_of(experiment, read_cells(kept), quick=args.quick)
        else:
            progress = TerminalProgress()
            try:
                frame = measure(
                    experiment,
                    Path(args.data or "."),
                    out,
                    quick=args.quick,
                    most=args.most,
                    minutes=args.minutes,
                    workers=1 if experiment.of_machine else args.workers,  # beside another it is slower
                    progress=progress,
                )
            finally:
                progress.close()
        if frame.empty:
            remark(f"{name}: nothing is measured yet.")
            continue
        cells = len(experiment.cells(args.quick))
        written = write_results(experiment, frame, out, cells=cells)
        if args.page:
            put_section(Path(args.page), name, section(experiment, frame, cells=cells))
        say(f"{name}: {len(frame)} of {cells} cells; " + ", ".join(path.name for path in written))
        if experiment.charts(frame) and written[-1].suffix != ".png":
            remark("No PNG: it needs Chromium; the HTML page holds the figures.")
    return 0


def _sized(experiment: Experiment, rows: list[int] | None) -> Experiment:
    """The experiment, of tables of other sizes where some are given."""
    if rows and (min(rows) < 1 or (len(rows) > 1 and not experiment.along_rows)):
        raise PlanError(
            "--rows takes whole numbers from 1; several of them go with fig4, speed and scale alone."
        )
    return experiment.of_rows(rows or ())
