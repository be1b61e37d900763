"""Measures an experiment's cells in several processes, and takes up where an earlier run stopped."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from hmpb_core.errors import SourceError
from hmpb_core.experiments.base import Cell, Experiment, Row
from hmpb_core.experiments.registry import EXPERIMENTS
from hmpb_core.progress import Progress, silent

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run(
    experiment: Experiment,
    folder: Path,
    out: Path,
    *,
    quick: bool = False,
    workers: int = 2,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Measure what is not measured yet; every cell is kept as soon as it is done.

    Args:
        experiment: The experiment.
        folder: Holds the papers' data sets.
        out: Where the study's cells are kept, in ``STUDY.jsonl``.
        quick: The small setting of the tests.
        workers: Processes; 1 measures in this one.
        progress: Told the part done; may raise ``CancelledError``.

    Returns:
        All cells of the experiment with what was measured, in its order.

    Raises:
        SourceError: the folder lacks a file, or ``out`` cannot be written.
    """
    cells = experiment.cells(quick)
    kept = out / f"{experiment.study}{'-quick' if quick else ''}.jsonl"
    done = read_cells(kept)
    missing = [cell for cell in cells if _key(cell) not in done]

    def keep(cell: Cell, row: Row) -> None:
        done[_key(cell)] = {**cell, **row}
        with kept.open("a", encoding="utf-8") as file:
            # A line break first: a stopped run may have left half a line.
            file.write("\n" + json.dumps({"cell": dict(cell), "row": row}))
        progress(len(done) / max(len(cells), 1), f"{len(done)} of {len(cells)} measured")

    try:
        if workers == 1:
            for cell in missing:
                keep(cell, experiment.measure(cell, folder))
        elif missing:
            _in_processes(experiment.name, missing, folder, workers, keep)
    except OSError:
        raise SourceError(
            "{file!r} cannot be read or written; name the folder of the papers' data sets with --data.",
            file=str(folder),
        ) from None
    return frame_of(experiment, done, quick=quick)


def frame_of(experiment: Experiment, done: dict[str, Row], *, quick: bool = False) -> pd.DataFrame:
    """What is measured of an experiment, in its order."""
    return pd.DataFrame([done[_key(cell)] for cell in experiment.cells(quick) if _key(cell) in done])


def read_cells(kept: Path) -> dict[str, Row]:
    """The cells that are measured already; a line that a stopped run left half written is passed over."""
    done: dict[str, Row] = {}
    if kept.exists():
        for line in filter(None, kept.read_text(encoding="utf-8").splitlines()):
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue
            done[_key(entry["cell"])] = {**entry["cell"], **entry["row"]}
    return done


def _in_processes(
    name: str, cells: list[Cell], folder: Path, workers: int, keep: Callable[[Cell, Row], None]
) -> None:
    with (
        _one_thread_each(),
        ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool,
    ):
        waiting = {pool.submit(_measure, name, cell, folder): cell for cell in cells}
        try:
            while waiting:
                finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    keep(waiting.pop(future), future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes share the cores already; libraries that start threads of their own would fight."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _measure(name: str, cell: Cell, folder: Path) -> Row:
    return EXPERIMENTS[name].measure(cell, folder)


def _key(cell: Cell) -> str:
    return json.dumps(dict(cell), sort_keys=True)
