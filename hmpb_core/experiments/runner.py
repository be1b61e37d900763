"""Measures an experiment's cells in several processes, and takes up where an earlier run stopped."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
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
    most: int | None = None,
    minutes: float | None = None,
    workers: int = 2,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Measure what is not measured yet, or a piece of it; every cell is kept as soon as it is done.

    Args:
        experiment: The experiment.
        folder: Holds the papers' data sets.
        out: Where the study's cells are kept, in ``STUDY.jsonl``.
        quick: The small setting of the tests.
        most: Measure at most so many cells; None for all.
        minutes: Begin no cell after so many minutes; None for no end.
        workers: Processes; 1 measures in this one.
        progress: Told the part of this run that is done; may raise ``CancelledError``, which keeps all cells
            that are done.

    Returns:
        All cells of the experiment with what was measured, in its order.

    Raises:
        SourceError: the folder lacks a file, or ``out`` cannot be written.
    """
    cells = experiment.cells(quick)
    kept = kept_in(experiment, out, quick=quick)
    done = read_cells(kept)
    missing = [cell for cell in cells if _key(cell) not in done][:most]
    before = len(cells) - sum(_key(cell) not in done for cell in cells)
    ended, begun = 0, time.monotonic()

    def keep(cell: Cell, row: Row, seconds: float) -> None:
        nonlocal ended
        ended += 1
        done[_key(cell)] = {**cell, **row}
        with kept.open("a", encoding="utf-8") as file:
            # A line break first: a stopped run may have left half a line.
            file.write("\n" + json.dumps({"cell": dict(cell), "row": row, "took": round(seconds, 3)}))
        progress(ended / len(missing), f"{before + ended} of {len(cells)} measured")

    def within(fraction: float, message: str) -> None:
        progress((ended + min(fraction, 1.0)) / len(missing), message)

    def in_time() -> bool:
        return minutes is None or time.monotonic() - begun < 60 * minutes

    try:
        if workers == 1:
            for cell in itertools.takewhile(lambda _: in_time(), missing):
                started = time.monotonic()
                keep(cell, experiment.measure(cell, folder, within), time.monotonic() - started)
        elif missing:
            call = partial(_measure, experiment.name, folder=folder)
            _in_processes(call, missing, workers, keep, in_time)
    except OSError:
        raise SourceError(
            "{file!r} cannot be read or written; name the folder of the papers' data sets with --data.",
            file=str(folder),
        ) from None
    return frame_of(experiment, done, quick=quick)


def kept_in(experiment: Experiment, out: Path, *, quick: bool = False) -> Path:
    """The file that an experiment's cells are kept in; figures of one study share it."""
    return out / f"{experiment.study}{'-quick' if quick else ''}.jsonl"


def frame_of(experiment: Experiment, done: dict[str, Row], *, quick: bool = False) -> pd.DataFrame:
    """What is measured of an experiment, in its order."""
    return pd.DataFrame([done[_key(cell)] for cell in experiment.cells(quick) if _key(cell) in done])


def read_cells(kept: Path) -> dict[str, Row]:
    """The cells that are measured already; a line that a stopped run left half written is passed over."""
    return {_key(entry["cell"]): {**entry["cell"], **entry["row"]} for entry in _entries(kept)}


def seconds_each(experiment: Experiment, kept: Path) -> float | None:
    """How long one of the experiment's cells took on average; None where none says so."""
    own = {_key(cell) for cell in experiment.cells(False)}
    took = [
        float(entry["took"]) for entry in _entries(kept) if "took" in entry and _key(entry["cell"]) in own
    ]
    return float(np.mean(took)) if took else None


def _entries(kept: Path) -> Iterator[dict[str, Any]]:
    if not kept.exists():
        return
    for line in filter(None, kept.read_text(encoding="utf-8").splitlines()):
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        yield entry


def _in_processes(
    call: Callable[[Cell], tuple[Row, float]],
    cells: list[Cell],
    workers: int,
    keep: Callable[[Cell, Row, float], None],
    in_time: Callable[[], bool],
) -> None:
    with (
        _one_thread_each(),
        ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool,
    ):
        left = iter(cells)
        waiting = {pool.submit(call, cell): cell for cell in itertools.islice(left, workers)}
        try:
            while waiting:
                finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    keep(waiting.pop(future), *future.result())
                free = workers - len(waiting) if in_time() else 0
                waiting |= {pool.submit(call, cell): cell for cell in itertools.islice(left, free)}
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


def _measure(name: str, cell: Cell, *, folder: Path) -> tuple[Row, float]:
    started = time.monotonic()
    return EXPERIMENTS[name].measure(cell, folder, silent), time.monotonic() - started


def _key(cell: Cell) -> str:
    return json.dumps(dict(cell), sort_keys=True)
